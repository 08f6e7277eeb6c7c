# -o is the answer; a trace's name behind it is the spelling of before
on="-m gpt2-124m -s h100-sxm5-80g -g 2 pp2 gbs4"
reckon timeline $on -o answer.txt; reckon timeline $on | cmp - answer.txt && echo 'the answer'
reckon timeline $on --trace trace.json >/dev/null
reckon timeline $on -o old.json.gz >/dev/null; gzip -dc old.json.gz | cmp - trace.json && echo 'the trace'
reckon timeline $on --format json -o answer.json; grep -c '"command": "timeline"' answer.json
=== stdout
the answer
the trace
1
=== stderr
reckon: -o is now for the answer: the trace goes to --trace old.json.gz
