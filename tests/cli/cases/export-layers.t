W="gpus64 gbs64 tp8 pp4 sp zero1 grad-overlap weight-overlap"
show() { grep -E '^    --(recompute|pipeline-model-parallel-layout)' run.sh; }
echo "# the first ten of each stage: as it is"
reckon export megatron -m llama3.1-70b $W stages=10/recompute=full~10*4 -o run.sh && show
echo "# all layers, not embedding and head: as it is"
reckon export megatron -m llama3.1-70b $W stages=20/recompute=selective:layernorm*4 -o run.sh && show
echo "# other layers of each stage"
reckon export megatron -m llama3.1-70b $W stages=10/recompute=full~10,5/recompute=full~15,20*2 -o run.sh && show
echo "# other degrees and shards"
reckon export megatron -m llama3.1-8b gpus16 gbs64 tp2 sp zero1 stages=12/tp4/zero1~20/zero1/recompute=selective -o run.sh && show
echo "# nor do job files and configurations say it"
reckon export torchtitan -m llama3.1-8b framework=fsdp gpus8 gbs64 zero3 grad-overlap weight-overlap stages=12/recompute=full~20 | grep ^mode
reckon export deepspeed -m llama3.1-8b framework=deepspeed gpus8 gbs64 zero2 stages=10/zero3~22 | grep '"stage"'
echo "# what the nearest plan takes instead, and whether it fits"
reckon export megatron -m llama3.1-70b -s h100-sxm5-80g $W stages=10/recompute=full~10,5/recompute=full~15,20*2 -o run.sh
reckon export megatron -m llama3.1-70b -s h100-sxm5-80g $W stages=10/recompute=full~10*4 -o run.sh
reckon export galvatron -m llama3.1-8b -s h100-sxm5-80g gpus16 gbs64 tp2 zero1 stages=12/tp4/zero1~20/zero1/recompute=full -o run.json
=== stdout
# the first ten of each stage: as it is
    --pipeline-model-parallel-layout "E(t*20|)*3t*20L"
    --recompute-granularity full
    --recompute-method block
    --recompute-num-layers 10
# all layers, not embedding and head: as it is
    --pipeline-model-parallel-layout "E(t*20|)*3t*20L"
    --recompute-granularity selective
    --recompute-modules layernorm
# other layers of each stage
    --pipeline-model-parallel-layout "E(t*20|)*3t*20L"
    --recompute-granularity full
    --recompute-method block
    --recompute-num-layers 10
# other degrees and shards
    --recompute-granularity selective
    --recompute-modules core_attn
# nor do job files and configurations say it
mode = "full"
        "stage": 2
# what the nearest plan takes instead, and whether it fits
=== stderr
reckon: warning: layers 25-29: recompute none: cannot be expressed in Megatron-LM: the run has full
reckon: warning: layers 40-49: recompute none: cannot be expressed in Megatron-LM: the run has full
reckon: warning: layers 60-69: recompute none: cannot be expressed in Megatron-LM: the run has full
reckon: the nearest plan is written: --system SYSTEM shows its time and whether it fits
reckon: warning: layers 0-11: tensor 4: cannot be expressed in Megatron-LM: the run has 2
reckon: warning: layers 0-11: recompute none: cannot be expressed in Megatron-LM: the run has selective
reckon: warning: layers 0-11: recompute_parts none: cannot be expressed in Megatron-LM: the run has core_attn
reckon: the nearest plan is written: --system SYSTEM shows its time and whether it fits
reckon: warning: recompute_layers 12: cannot be expressed in torchtitan's TOML: the run has 0
reckon: the nearest plan is written: --system SYSTEM shows its time and whether it fits
reckon: warning: layers 0-9: zero 3: cannot be expressed in DeepSpeed: the run has 2
reckon: the nearest plan is written: --system SYSTEM shows its time and whether it fits
reckon: on h100-sxm5-80g: 11.67 s per step, 39.45 of 79.20 GiB
reckon: warning: layers 25-29: recompute none: cannot be expressed in Megatron-LM: the run has full
reckon: warning: layers 40-49: recompute none: cannot be expressed in Megatron-LM: the run has full
reckon: warning: layers 60-69: recompute none: cannot be expressed in Megatron-LM: the run has full
reckon: the nearest plan on h100-sxm5-80g: 12.25 s per step, 39.45 of 79.20 GiB
reckon: on h100-sxm5-80g: 12.25 s per step, 39.45 of 79.20 GiB
reckon: on h100-sxm5-80g: 4.59 s per step, 42.95 of 79.20 GiB
reckon: warning: layers 0-11: zero 1: cannot be expressed in a strategy file of Galvatron's: the run has 2
reckon: warning: layers 12-31: zero 1: cannot be expressed in a strategy file of Galvatron's: the run has 2
reckon: warning: embedding and head: zero 1: cannot be expressed in a strategy file of Galvatron's: the run has 2
reckon: the nearest plan on h100-sxm5-80g: 5.088 s per step, 32.30 of 79.20 GiB
