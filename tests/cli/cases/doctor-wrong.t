echo "loading checkpoint" >train.log
reckon doctor train.log -m llama3.1-8b -s h100-sxm5-80g --gpus 8 tp2
=== stdout
=== stderr
reckon: train.log: no line tells the time of a step as Megatron-LM ("elapsed time per iteration (ms):"), NeMo, nanotron, DeepSpeed or torchtitan ("tps:") print it, and no progress bar does ("s/it")
=== exit 3
