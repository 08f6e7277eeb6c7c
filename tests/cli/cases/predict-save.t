P="reckon predict -m llama3.1-70b -s h100-sxm5-80g"
$P -g 64 tp8 pp2 sp zero1 gbs128 recompute=selective:core_attn+layernorm split=39,41 --save-plan plan.json >one
cat plan.json
$P --plan plan.json >two; sed /assumed/d one >one.plain; sed /assumed/d two | cmp - one.plain && echo same
$P --plan plan.json tp4 dp2 no-sp zero0 | sed -n 3,4p
$P --plan plan.json -g 128 | sed -n 3p
=== stdout
{
    "gpus": 64,
    "tensor": 8,
    "pipeline": 2,
    "batch": 128,
    "split": [39, 41],
    "sequence_parallel": true,
    "zero": 1,
    "recompute": "selective",
    "recompute_parts": ["core_attn", "layernorm"]
}
same
  plan: dp2 tp4 pp2 gbs128 split=39,41 recompute=selective:core_attn+layernorm
  assumed: precision bf16, framework megatron, microbatch 1, sequence 8192 (the model's),
  plan: dp8 tp8 pp2 gbs128 split=39,41 sp zero1 recompute=selective:core_attn+layernorm
