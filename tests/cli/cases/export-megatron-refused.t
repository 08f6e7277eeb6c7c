reckon export megatron -m bloom-176b gpus64 tp8 gbs64; echo $?; reckon export megatron -m llama3.1-8b gpus16 tp8 pp2 vpp2 gbs3 ; reckon export megatron -m llama3.1-8b gpus16 tp8 --target 2.0; reckon export megatron -m llama3.1-8b
=== stdout
1
=== stderr
reckon: position alibi: Megatron-LM has no ALiBi
reckon: embedding_norm: Megatron-LM has no norm after the embedding
reckon: --global-batch-size: 3 microbatches cannot be interleaved over 2 pipeline ranks in groups of 2: the last group must have none or at least 2
reckon: --target: "2.0" is not known: give core_v0.9 to core_v0.19
reckon: the plan is missing: give --plan FILE, or its words (tp8 pp4 gbs512)
=== exit 2
