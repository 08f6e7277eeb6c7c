reckon diff 'gpus8' -m llama3.1-8b; reckon diff 'gpus8' 'gpus8' --best -s h100-sxm5-80g; reckon diff +tp8 -m llama3.1-8b -s h100-sxm5-80g; reckon diff 'gpus8 tp8' 'gpus8' -s h100-sxm5-80g; reckon diff nowhere.sh -s h100-sxm5-80g; reckon diff "gpus8 gbs32" "gpus8 tp2 gbs32" -m llama3.1-8b -s h100-sxm5-80g -o x.sh; ls x.sh 2>/dev/null
reckon diff --plan 'gpus8 gbs32' --plan 'gpus8 tp2 gbs32' gpus8 -m llama3.1-8b -s h100-sxm5-80g; echo $?
# --plan is A, then B
machine="-m llama3.1-8b -s h100-sxm5-80g --format json"
reckon diff "gpus8 gbs32" +tp2 $machine >operands.json
reckon diff --plan "gpus8 gbs32" +tp2 $machine | cmp - operands.json && reckon diff -p "gpus8 gbs32" --plan +tp2 $machine | cmp - operands.json && echo same
reckon diff $machine
=== stdout
2
same
=== stderr
reckon: --system is missing: give an id, such as h100 or "h100 x64" (`reckon systems` lists them), or a file
reckon: --best: give it, or a second plan, and not both
reckon: "+tp8": changes (+) need a plan before them
reckon: --model is missing: only launch scripts have one
reckon: nowhere.sh: cannot open: No such file or directory; check the path
reckon: -o x.sh: a script is written where A is a script of Megatron Core, and A is a plan: give another name
reckon: 3 plans are given (--plan, A, B): two are compared
reckon: A, the first plan, is missing: a plan file, a launch script or words, "tp8 pp4"
=== exit 2
