for memory in 80GiB 40GiB 1GiB; do
    reckon fits llama3.1-70b h100-sxm5-80g x64 hbm=$memory mem2=1TiB@50GB/s tp8 pp4 sp zero1 gbs128 >out
    echo "exit $?"
    sed -n '1s/[0-9.]* [KMG]iB/N/;1s/; [0-9.]* s a/; S s a/;1,3p' out
    grep -E '^(weights|gradients|optimizer|attention|mlp|context|total|capacity|left|No single|change|zero2|recompute=full|offload-optimizer) ' out | sed 's/  .*//' | sort -u
done
=== stdout
exit 0
llama3.1-70b on h100-sxm5-80g x64 hbm=80GiB mem2=1TiB@50GB/s, 64 GPUs: fits, N left on the tightest stage, 0 of 0-3; 20.25 s per step
  plan: dp2 tp8 pp4 gbs128 sp zero1
  assumed: gpus 64 (all of the system), precision bf16, framework megatron, microbatch 1,
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
llama3.1-70b on h100-sxm5-80g x64 hbm=40GiB mem2=1TiB@50GB/s, 64 GPUs: does not fit, N too little on the tightest stage, 0 of 0-3; 20.25 s per step
  plan: dp2 tp8 pp4 gbs128 sp zero1
  assumed: gpus 64 (all of the system), precision bf16, framework megatron, microbatch 1,
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
llama3.1-70b on h100-sxm5-80g x64 hbm=1GiB mem2=1TiB@50GB/s, 64 GPUs: does not fit, N too little on the tightest stage, 0 of 0-3; 20.25 s per step
  plan: dp2 tp8 pp4 gbs128 sp zero1
  assumed: gpus 64 (all of the system), precision bf16, framework megatron, microbatch 1,
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
