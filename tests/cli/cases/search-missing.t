reckon search -m gpt3-175b -s a100-80g-nvl8 --batch 8
=== stdout
=== stderr
reckon: --gpus is missing: a100-80g-nvl8 does not say how many there are
=== exit 2
