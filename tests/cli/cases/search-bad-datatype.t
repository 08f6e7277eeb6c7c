reckon search -m gpt3-175b -s a100-80g-nvl8 --gpus 8 --batch 8 --precision fp8-current
=== stdout
=== stderr
reckon: --precision: a100-80g-nvl8 does not support fp8-current
=== exit 2
