try() { reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 --layerwise -q "$@"; echo "exit $?"; }
try -b 8 --pareto time,hbm
try --batch 8,16
try -b 8 --framework calculon
try -b 8 tp3
# what is the smallest memory that works, and does it?
reckon search -m llama3.1-8b -s "h100-sxm5-80g hbm=30GiB" -g 4 -b 64 --layerwise offload-optimizer=0 2>message; echo "exit $?"
sed "/assumed/d;s/about [0-9.]* GiB/about N GiB/" message
least=$(sed -n "s/.*about \([0-9.]*\) GiB.*/\1/p" message)
for share in 1.01 0.9; do
    reckon search -m llama3.1-8b -s "h100-sxm5-80g hbm=$(awk "BEGIN { print $least * $share }")GiB" -g 4 -b 64 --layerwise -q offload-optimizer=0 >out 2>&1; echo "exit $?"
done
# a lower memory that is too small is named, and one that is a little larger than asked for does
tier() { reckon search -m llama3.1-8b -s "h100-sxm5-80g mem2=$1GiB@50GB/s" -g 8 -b 64 --layerwise -q --tensor 4 --pipeline 1 --context 1 --microbatch 1 --zero 1 offload-optimizer=1 >out 2>message; echo "exit $?"; }
tier 2
sed "/assumed/d;s/about [0-9.]* GiB/about N GiB/" message
tier "$(awk "BEGIN { print $(sed -n "s/.*about \([0-9.]*\) GiB.*/\1/p" message) * 1.01 }")"
# mixes that the surrogate has faster, and that do not fit, are no proof that there are none
reckon search -m llama3.1-8b -s "a100-sxm4-80g hbm=60GiB mem2=14GiB@20GB/s" -g 4 -b 16 --layerwise -q --sequence 65536 --pipeline 1 --tensor 4 --context 1 --tensor-overlap ring offload-optimizer=0 | grep certificate
=== stdout
exit 2
exit 2
exit 2
exit 1
exit 1
reckon: llama3.1-8b on h100-sxm5-80g hbm=30GiB: no mix of ways to run layers fits in 30 GiB; the smallest memory that does is about N GiB: give more GPUs, or a machine with more memory
exit 0
exit 1
exit 1
reckon: llama3.1-8b on h100-sxm5-80g mem2=2GiB@50GB/s: no mix of ways to run layers fits in 2 GiB of memory tier 1 (mem2); the smallest memory that does is about N GiB: give more GPUs, or a machine with more memory
exit 0
certificate       within 4.75 % of the bound
=== stderr
reckon: --layerwise is about one problem and the time alone: give one model, system, size and batch, and no --all, --pareto, --why, --sensitivity, --sort, --where, --tokens or --state (reckon predict --plan takes --tokens)
reckon: --layerwise is about one problem and the time alone: give one model, system, size and batch, and no --all, --pareto, --why, --sensitivity, --sort, --where, --tokens or --state (reckon predict --plan takes --tokens)
reckon: --layerwise: the Calculon model runs all layers alike; leave framework calculon out
reckon: llama3.1-8b on h100-sxm5-80g: no way to run its layers on this number of GPUs with this batch and these restrictions
