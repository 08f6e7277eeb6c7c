reckon search -m gpt3-175b -s a100-80g-nvl8 --gpus 8 --batch 8 --datatype float8
=== stdout
=== stderr
reckon: --datatype is now --precision: fp8-current, fp16, bf16, fp32
reckon: --precision: a100-80g-nvl8 does not support fp8-current
=== exit 2
