# V-shaped schedules from the question to the launch, and what is refused of them.
job="-m llama2-7b -s mi300x -g 8 mbs1 gbs64 seq4096 pp8"
for schedule in v-zero v-half v-min; do
    reckon predict $job vpp2 schedule=$schedule | sed -n 's/, [0-9.]* TFLOP.*//; 1p'
    reckon timeline $job vpp2 schedule=$schedule | grep -E '^(schedule|step)'
done
reckon program $job vpp2 schedule=v-min --rank 7 | grep -c '^send '
echo '--- other tools'
printf '%s\n' 'torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 \
--num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 \
--global-batch-size 64 --pipeline-model-parallel-size 8 --bf16 --zero-bubble-v-schedule \
--zero-bubble-v-schedule-mem-setup half --untie-embeddings-and-output-weights --vocab-size 32000' >run.sh
reckon import megatron run.sh | grep plan:
reckon export torchtitan -m llama2-7b framework=fsdp gpus8 pp8 vpp2 gbs64 schedule=v-zero grad-overlap >job.toml
grep pipeline_parallel_schedule job.toml
reckon import torchtitan job.toml -m llama2-7b | grep plan:
reckon export megatron -m llama2-7b gpus8 pp8 vpp2 gbs64 schedule=v-half >/dev/null
echo '--- refused'
refused() { reckon "$@" 2>&1 | grep -vE '^( |$)|plan:|this plan cannot run'; }
refused predict $job schedule=v-zero
refused predict $job vpp3 schedule=v-half
refused predict -m llama2-7b -s mi300x -g 8 gbs64 vpp2 schedule=v-half
refused predict $job vpp2 mb-group8 schedule=v-min
refused predict $job vpp2 first-layers2 schedule=v-min
refused timeline $job vpp2 schedule=v-zero --pytorch-csv schedule.csv
refused timeline $job framework=calculon vpp2 schedule=v-zero
refused search -m gpt2-124m -s mi300x -g 8 -b 64 --schedule v-zero
refused search -m llama2-7b -s mi300x -g 8 -b 64 --schedule zero-bubble-2p
echo '--- searched'
reckon search -q -m llama2-7b -s mi300x -g 8 -b 64 --pipeline 8 --microbatch 1 --recompute none --schedule 1f1b --schedule v-zero --schedule v-half --schedule v-min --top 4 | sed -n '/^rank/,/^$/p'
# what a bound leaves out does not fit: balanced stages hold other microbatches than alike ones
v="-m llama3.1-8b -s h100-sxm5-80g -g 8 -b 64 -q --schedule v-min --pipeline 8 --microbatch 8 --split balanced --zero 1 --headroom none -k 1 offload-optimizer=1"
for mode in '' --exhaustive; do reckon search $v $mode | grep -o '[0-9]* plans, [0-9]* feasible'; done
=== stdout
fits: P(fits) 100 %, 3.168 s per step (50 % 2.899-3.812 s), MFU 33.9 %, memory 38.7 of 192.0 GiB on stage 0 of 0-7, 53.45 USD per 1B tokens
schedule v-zero: 8 stages of 2 chunks each, 64 microbatches, 3072 passes; messages beside
step: 3.17886 s simulated, 3.1685 s by the detailed model: 0.33 % more
fits: P(fits) 100 %, 3.269 s per step (50 % 2.991-3.932 s), MFU 32.9 %, memory 32.9 of 192.0 GiB on stage 0 of 0-7, 55.14 USD per 1B tokens
schedule v-half: 8 stages of 2 chunks each, 64 microbatches, 3072 passes; messages beside
step: 3.27277 s simulated, 3.26872 s by the detailed model: 0.12 % more
fits: P(fits) 100 %, 3.438 s per step (50 % 3.141-4.149 s), MFU 31.2 %, memory 28.0 of 192.0 GiB on stage 0 of 0-7, 58.00 USD per 1B tokens
schedule v-min: 8 stages of 2 chunks each, 64 microbatches, 3072 passes; messages beside
step: 3.45361 s simulated, 3.43823 s by the detailed model: 0.45 % more
128
--- other tools
  plan: pp8 vpp2 gbs64 schedule=v-half vocab-multiple=128
pipeline_parallel_schedule = "ZBVZeroBubble"
  plan: framework=fsdp pp8 vpp2 gbs64 schedule=v-zero grad-overlap
--- refused
cannot run: v-zero, v-half and v-min give each rank 2 virtual stages, here it has 1: give vpp2
cannot run: v-zero, v-half and v-min give each rank 2 virtual stages, here it has 3: give vpp2
reckon: note: schedule has no effect: the pipeline has one stage
cannot run: v-zero, v-half and v-min are known for 2 to 64 stages, there are 1: change pp
cannot run: v-zero, v-half and v-min have no rounds of microbatches: leave mb-group out
cannot run: with v-zero, v-half and v-min layers of single stages are given by split, one number for each virtual stage: leave first-layers and last-layers out
reckon: PyTorch's runtime lays the stages of a table out in loops, not in a V: choose another schedule (v-zero it has itself, as ZBVZeroBubble)
reckon: schedule: calculon's blocks run as gpipe, 1f1b or zero-bubble
reckon: schedule v-zero is not searched for models with a tied embedding or layers that predict further tokens: give another one, and ask reckon predict for a plan with it
reckon: schedule zero-bubble-2p is not searched: give another one, and ask reckon predict for a plan with it
--- searched
rank    step  tokens/s/GPU    MFU  memory  fits in  chunks  schedule
           s                    %     GiB        %
   1  3.1685        10,342  33.91    38.7      100       2  v-zero
   2  3.1741        10,324  33.85    39.2      100       4  1f1b
   3  3.2470        10,092  33.09    42.9      100       2  1f1b
   4  3.2687        10,025  32.87    32.9      100       2  v-half

7 plans, 2 feasible
7 plans, 2 feasible
=== stderr
reckon: warning: schedule v-half: cannot be expressed in Megatron Core 0.19: the run has 1f1b
