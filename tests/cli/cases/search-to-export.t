# What the search finds best, with whatever it takes to fit, is what Megatron-LM accepts.
for precision in bf16 fp8-delayed; do for model in llama3.1-70b mixtral-8x7b; do
    reckon search -m $model -s h100-sxm5-80g -g 64 -b 128 --precision $precision --zero 1 --recompute-layers 0 --save-plan plan.json >/dev/null 2>&1
    reckon export megatron -m $model --plan plan.json >run.sh 2>/dev/null && echo "$model in $precision: exported"
done; done
=== stdout
llama3.1-70b in bf16: exported
mixtral-8x7b in bf16: exported
llama3.1-70b in fp8-delayed: exported
mixtral-8x7b in fp8-delayed: exported
