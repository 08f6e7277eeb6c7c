q="-m gpt3-175b -s a100-80g-nvl8 -g 64 -b 64 --tensor 8,4"
reckon search --framework calculon $q --format json -q --top 3 > search.json
reckon report search.json --tensor 8,4 -o a.html; echo $?
reckon report --search --framework calculon $q --top 3 -o b.html; echo $?
cmp a.html b.html && echo same
reckon report search.json -o c.html; echo $?
reckon report search.json --tensor 8,4 -s h100-80g-nvl8 -o c.html; echo $?
ls
=== stdout
0
0
same
3
3
a.html
b.html
search.json
=== stderr
reckon: search.json: plans: the file says 1650720, the same search now gives 3232128: give the restrictions, the model and the system that it was made with, or make it again with this version
reckon: search.json: best: index: the file says 283217, the same search now gives 1179995: give the restrictions, the model and the system that it was made with, or make it again with this version
