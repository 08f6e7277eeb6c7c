# -o is the answer, whatever it is called
on="-m gpt2-124m -s h100-sxm5-80g -g 2 pp2 gbs4"
reckon timeline $on -o answer.txt; reckon timeline $on | cmp - answer.txt && echo 'the answer'
reckon timeline $on --trace trace.json >/dev/null
head -c 1 trace.json; echo
reckon timeline $on --format json -o answer.json; grep -c '"command": "timeline"' answer.json
=== stdout
the answer
{
1
