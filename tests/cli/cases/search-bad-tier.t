reckon search -m gpt3-175b -s a100-80g-nvl8 --gpus 8 --batch 8 --weight-offload 7
=== stdout
=== stderr
reckon: --weight-offload: a100-80g-nvl8 has no memory tier 7: its last one is 1
=== exit 2
