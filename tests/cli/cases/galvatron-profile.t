# Figures change with the predictor: that the profile answers is what counts.
reckon galvatron profile -m llama3.1-8b -s h100-sxm5-80g -o p.json
reckon galvatron search --profiles p.json layers=32 sequence=8192 memory_GB=80 batch=64 chunks=16 | grep -c '^batch'
reckon galvatron profile -m llama3.1-8b -s h100-sxm5-80g -g 12
reckon galvatron profile -m llama3.1-8b
=== stdout
1
=== stderr
reckon: --gpus: Galvatron's profiles are of powers of two from 2 to 4096
reckon: give --model and --system
=== exit 2
