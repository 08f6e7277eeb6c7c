# an order of the ranks counts without a pipeline, too: diff keeps it, and what Megatron-LM cannot say of it is named
reckon diff "dp8 tp2 gbs64 order=dp-tp-cp-pp" "+order=tp-cp-dp-pp" -m megatron-1.7b -s h100-sxm5-80g | sed -n '3,4p;/^Differences/,/^$/p'
reckon predict -m megatron-1.7b -s h100-sxm5-80g dp8 tp2 gbs64 order=dp-tp-cp-pp | head -1 | cut -d "(" -f 1,2
reckon export megatron -m megatron-1.7b dp8 tp2 gbs64 order=dp-tp-cp-pp -o run.sh; echo "exit $?"
reckon export megatron -m megatron-1.7b dp8 tp2 gbs64 order=tp-cp-pp-dp -o run.sh; echo "exit $?"
reckon export megatron -m megatron-1.7b dp2 tp2 pp2 gbs64 order=tp-pp-dp-cp -o run.sh; echo "exit $?"; grep mapping run.sh
=== stdout
A  dp8 tp2 gbs64 order=dp-tp-cp-pp: 542.5 ms per step, 18.46 GiB
  plan: dp8 tp2 order=cp-dp-tp-pp gbs64
Differences, and the effect of each key: A with it alone, B without it
key    A            B            alone    memory     without
order  cp-dp-tp-pp  tp-cp-dp-pp  -26.6 %  +0.00 GiB  +36.3 %

fits: P(fits) 100 %, 542.5 ms per step 
exit 0
exit 0
exit 0
    --use-tp-pp-dp-mapping
=== stderr
reckon: warning: order cp-dp-tp-pp: cannot be expressed in Megatron Core 0.19: the run has tp-cp-dp-pp
