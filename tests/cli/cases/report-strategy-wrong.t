reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 64 -q --save-plan best.json > /dev/null
sed "s/\"tensor\"/\"tensr\"/" best.json > wrong.json
reckon report wrong.json -m gpt3-175b -s a100-80g-nvl8 -o page.html; echo $?
head -c 100 best.json > cut.json
reckon report cut.json -m gpt3-175b -s a100-80g-nvl8 -o page.html; echo $?
reckon report best.json -m gpt3-175b -s a100-80g-nvl8 --tensor 4 -o page.html; echo $?
reckon report best.json -m gpt3-175b -o page.html; echo $?
reckon report nothing.json -m gpt3-175b -s a100-80g-nvl8 -o page.html; echo $?
reckon report . -m gpt3-175b -s a100-80g-nvl8 -o page.html; echo $?
: > empty.json
reckon report empty.json -m gpt3-175b -s a100-80g-nvl8 -o page.html; echo $?
reckon report best.json --search -m gpt3-175b -s a100-80g-nvl8 -o page.html; echo $?
ls
reckon report nofile.db -o page.html; echo $?
=== stdout
3
3
2
2
3
3
3
2
best.json
cut.json
empty.json
wrong.json
3
=== stderr
reckon: wrong.json:4:5: unknown key "tensr"; did you mean "tensor"?
reckon: cut.json:6:18: the text ends in the middle of a value: is the file complete?
reckon: --batch, --sequence, --framework, --where, --headroom, --sort, --top, --threads and the axes are for --search: say a plan in words, "tp8 gbs512"
reckon: --system is missing: give an id, such as h100 or "h100 x64" (`reckon systems` lists them), or a file
reckon: nothing.json: cannot open: No such file or directory; check the path
reckon: .: is a directory: name a file in it
reckon: empty.json:1:1: is empty: expected a JSON object
reckon: --search makes its own input: leave out best.json, or --search
reckon: nofile.db: cannot open: No such file or directory; check the path
