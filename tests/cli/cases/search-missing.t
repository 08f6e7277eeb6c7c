reckon search -m gpt3-175b -s a100-80g-nvl8 --batch 8
=== stdout
=== stderr
reckon: --gpus is missing: a100-80g-nvl8 does not state a number: give --gpus 64, or --system "a100-80g-nvl8 x64"
=== exit 2
