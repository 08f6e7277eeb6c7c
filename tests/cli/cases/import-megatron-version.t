cp "$RECKON_SOURCE/tests/data/megatron/deepseek-v3.sh" "$RECKON_SOURCE/tests/data/megatron/gpt3-175b.sh" .
reckon import megatron deepseek-v3.sh --version core_v0.12 | head -3; reckon import megatron gpt3-175b.sh --version 1.0
=== stdout
=== stderr
reckon: deepseek-v3.sh:33:3: --pipeline-model-parallel-layout: is not in Megatron Core 0.12, only from 0.13 on
reckon: warning: deepseek-v3.sh:33:36: --pipeline-model-parallel-layout: the layers of multi-token prediction are estimated on the last stage, not on stage 30
reckon: --version: "1.0" is not known: give core_v0.9 to core_v0.19
=== exit 2
