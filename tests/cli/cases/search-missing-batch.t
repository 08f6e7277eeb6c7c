reckon search -m gpt3-175b -s a100-80g-nvl8 --gpus 8
=== stdout
=== stderr
reckon: --batch is missing: give the samples of a step, over all GPUs
=== exit 2
