for memory in 80GiB 40GiB 1GiB; do
    reckon fits llama3.1-70b h100-sxm5-80g x64 hbm=$memory mem2=1TiB@50GB/s tp8 pp4 sp zero1 gbs128 >out
    echo "exit $?"
    sed -n '1s/[0-9.]* [KMG]iB/N/;1s/; [0-9.]* s a/; S s a/;1,3p' out
    grep -E '^(weights|gradients|optimizer|attention|mlp|context|total|capacity|left|No single|change|zero2|recompute=full|offload-optimizer) ' out | sed 's/  .*//' | sort -u
done
=== stdout
exit 0
fits: P(fits) 89 %, 20.25 s per step (50 % 18.62-25.73 s), MFU 36.7 %, memory 49.6 of N on stage 0 of 0-3, 854.9 USD per 1B tokens
  llama3.1-70b on h100-sxm5-80g x64 hbm=80GiB mem2=1TiB@50GB/s, 64 GPUs, detailed model
  plan: dp2 tp8 pp4 gbs128 sp zero1
attention
capacity
change
context
gradients
left
mlp
offload-optimizer
optimizer
recompute=full
recompute=full recompute-layers=10
total
weights
zero2
exit 1
does not fit: memory tier 0 (HBM3) needs N on stage 0, has 40 GiB: 9.621 GiB too little
  llama3.1-70b on h100-sxm5-80g x64 hbm=40GiB mem2=1TiB@50GB/s, 64 GPUs, detailed model
  plan: dp2 tp8 pp4 gbs128 sp zero1
attention
capacity
change
context
gradients
left
mlp
offload-optimizer
optimizer
recompute=full
recompute=full recompute-layers=10
total
weights
zero2
exit 1
does not fit: memory tier 0 (HBM3) needs N on stage 0, has 1 GiB: 48.62 GiB too little
  llama3.1-70b on h100-sxm5-80g x64 hbm=1GiB mem2=1TiB@50GB/s, 64 GPUs, detailed model
  plan: dp2 tp8 pp4 gbs128 sp zero1
No single change makes it fit, nor do any two.
attention
capacity
change
context
gradients
left
mlp
offload-optimizer
optimizer
recompute=full
recompute=full recompute-layers=10
total
weights
zero2
