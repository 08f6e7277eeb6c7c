# A small stack ends no command: each says what it says with the usual one, and so do threads.
script=$RECKON_SOURCE/tests/data/megatron/llama3-70b.sh
on="-m llama3.1-8b -s h100 -g 8"
both() {
    reckon "$@" >usual 2>&1; a=$?
    (ulimit -s 512; reckon "$@") >small 2>&1; b=$?
    cmp -s usual small && [ $a = $b ] || echo "reckon $*: $a with the usual stack, $b with a small one"
}
both predict $on pp4 gbs16
both predict $on pp4 gbs16 zero1 stages=8/recompute=full~8
both fits $on gbs16
both fits llama3.1-8b h100 --tune
both search $on -b 16 -q -k 3 --pipeline 1,2
both search $on -b 16 -q --pipeline 1 --layerwise
both timeline $on pp4 gbs16
both import megatron "$script" -s h100
both diff "$script" +tp4 -s h100
both longest llama3.1-8b h100 -g 8
both offload llama3.1-8b h100
both support llama3.1-8b h100 tp4
both check "$script" -s h100
both program $on pp4 gbs16 --rank 1
both report $on pp4 gbs16 -o page.html
both serve -m llama3.1-8b -s h100 -g 4 tp4 --batch 1
# ... and Ctrl-C reaches what waits
(ulimit -s 512; exec timeout --preserve-status -s INT 1 reckon search -m deepseek-v3 -s h800-sxm5-80g -g 16384 -b 122880 -q --all all.csv) >/dev/null 2>&1; echo "exit $?"
=== stdout
exit 130
