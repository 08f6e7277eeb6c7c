cp "$RECKON_SOURCE/tests/data/megatron/deepseek-v3.sh" .
reckon import megatron deepseek-v3.sh -f json | head -13
=== stdout
{
  "command": "import",
  "tool": "Megatron-LM",
  "plan_words": "precision=fp8-block dp64 tp2 pp16 vpp2 ep64 etp1 gbs8192 split=3,2*29,0*2 sp zero1 grad-overlap weight-overlap dispatcher=deepep recompute=selective:moe_act+layernorm+mla_up_proj+mlp loss-compiled moment1-bytes=2 moment2-bytes=2 weights-fp8 vocab-multiple=3232",
  "fits": null,
  "verdict": null,
  "outcome": null,
  "model": {
    "id": "deepseek-v3",
    "parameters": 671026419200,
    "layers": 61,
    "hidden": 7168,
    "feedforward": 18432,
=== stderr
reckon: warning: deepseek-v3.sh:33:36: --pipeline-model-parallel-layout: the layers of multi-token prediction are estimated on the last stage, not on stage 30
