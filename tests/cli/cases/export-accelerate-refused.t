reckon export accelerate -m llama3.1-8b framework=fsdp gpus16 pp2 tp2 gbs64; echo $?
=== stdout
1
=== stderr
reckon: pipeline: 2 stages: accelerate trains without a pipeline. Give a plan with pipeline 1, or export to megatron or torchtitan
reckon: zero 0: accelerate combines tensor and context parallelism with data parallelism only by FSDP: give zero3
