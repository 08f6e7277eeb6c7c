cp "$RECKON_SOURCE/tests/data/megatron/gpt3-175b.sh" .
reckon import megatron gpt3-175b.sh -o plan.json --model-output gpt.json >/dev/null && cat plan.json && grep -c . gpt.json && reckon models ./gpt.json -f json | grep '"parameters"'
=== stdout
{
    "precision": "fp16",
    "gpus": 1024,
    "tensor": 8,
    "pipeline": 16,
    "batch": 1536,
    "gradient_element_bytes": 2,
    "vocabulary_multiple": 128
}
24
    "parameters": 174604259328,
=== stderr
reckon: warning: gpt3-175b.sh:39:25: --rampup-batch-size: is not followed: the step is that of the full batch
