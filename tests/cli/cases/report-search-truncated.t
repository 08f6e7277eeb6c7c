reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 64 --format json -q --top 3 > search.json
head -c 1500 search.json > cut.json
reckon report cut.json -o page.html; echo $?
grep -v "\"batch\"" search.json > short.json
reckon report short.json -o page.html; echo $?
sed "s/\"index\": [0-9]*/\"index\": \"x\"/" search.json > wrong.json
reckon report wrong.json -o page.html; echo $?
sed "s/\"gpus\": 64/\"gpus\": -64/" search.json > wrong.json
reckon report wrong.json -o page.html; echo $?
ls
=== stdout
3
3
3
3
cut.json
search.json
short.json
wrong.json
=== stderr
reckon: cut.json:67:7: the text ends in the middle of a value: is the file complete?
reckon: short.json:5:14: problem: "batch" is missing: this is not a complete output of `reckon search --format json`
reckon: wrong.json:129:16: best[0].index: must be an integer, got the string "x"
reckon: wrong.json:6:13: problem.gpus: must be >= 1, got -64
