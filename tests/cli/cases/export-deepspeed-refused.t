reckon export deepspeed -m llama3.1-8b gpus16 pp2 gbs64; echo $?
=== stdout
1
=== stderr
reckon: pipeline: 2 stages need a model that is written as a PipelineModule: no ds_config.json makes them. Give a plan with pipeline 1, or export to megatron
