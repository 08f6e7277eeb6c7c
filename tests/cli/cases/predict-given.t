# a plan that two steps of a cluster say something of, one that they do not, and tables without any; a degree of data that contradicts
cp "$SOURCE/tests/data/cases/predict-given"/*.csv .
reckon predict -m llama-13b -s a100-sxm4-80g -g 64 tp2 pp1 zero1 gbs512 seq2048 attention=flash grad-overlap weight-overlap --given given.csv | head -9
reckon predict -m llama-13b -s a100-sxm4-80g -g 64 tp2 pp1 zero1 gbs512 seq2048 attention=flash --given given.csv --format json | grep -A 5 '"given"'
reckon predict -m llama3.1-405b -s h100-sxm5-80g -g 512 tp8 pp16 gbs512 --verbose --given given.csv | grep measured
reckon predict -m llama-13b -s a100-sxm4-80g -g 64 tp2 --given oom.csv; echo "exit $?"
reckon predict -m llama-13b -s a100-sxm4-80g -g 64 tp2 --given nowhere.csv; echo "exit $?"
printf '{"tensor": 2, "data": 4}' >plan.json
reckon predict -m llama-13b -s a100-sxm4-80g --plan plan.json -g 16; echo "exit $?"
reckon predict -m llama-13b -s a100-sxm4-80g --plan plan.json -g 8 zero1 | sed -n 3p
printf '{"gpus": 8, "tensor": 2, "data": 4}' >plan.json
reckon predict -m llama-13b -s a100-sxm4-80g --plan plan.json -g 16 zero1 | sed -n 3p
sed 's/,1,16,1,,1,2,512/,1,8,1,,1,2,512/' given.csv >contradicts.csv
reckon validate contradicts.csv --unmodelled | grep 'is not gpus'
=== stdout
fits: P(fits) 89 %, 7.366 s per step (50 % 6.867-8.857 s), MFU 56.8 %, memory 49.2 of 79.2 GiB, 248.5 USD per 1B tokens
  llama-13b on a100-sxm4-80g, 64 GPUs, detailed model
  plan: dp32 tp2 gbs512 seq2048 zero1 grad-overlap weight-overlap attention=flash
  assumed: precision bf16, framework megatron, microbatch 1
  cost: 1.99 USD per GPU-hour (cheapest listed: neocloud, 2026-01-15), without failures
  time: 50 % interval 6.867-8.857 s, 90 % interval 5.834-13.19 s (cross-validated on Ampere, dense, megatron: 377 runs from 15 sources); 50 % interval of tuned benchmarks 6.622-8.887 s, of ordinary runs 6.934-8.894 s
  memory: 90 % interval 38.7-90.6 of 79.2 GiB (cross-validated on megatron, dense: 556 runs from 8 sources); P(fits) 89 %
  the network matters: 25 GB/s per GPU between nodes is assumed; with a quarter of it the step takes 9.495 s (-s "a100-sxm4-80g net1=50Gb/s" is that quarter, reckon calibrate --nccl a measured rate)
  by 2 measured steps of given.csv, the nearest 0.50 alike (1: the same plan, 0: nothing in common): 7.954 s per step, +8.0 %; 50 % interval 7.539-9.157 s, 90 % interval 6.441-13.14 s
  "given": {
    "steps": 2,
    "nearest": 0.4965853037914095,
    "factor": 1.0797995325230405,
    "step_s": 8.398232466491006,
    "left": 0.7644017127373651,
  by 2 measured steps of given.csv, the nearest 0.01 alike (1: the same plan, 0: nothing in common): 50.40 s per step, +0.1 %; 50 % interval 46.61-62.99 s, 90 % interval 38.01-101.9 s
exit 2
exit 3
exit 3
  plan: dp4 tp2 gbs32 zero1 attention=flash
  plan: dp8 tp2 gbs64 zero1 attention=flash
step_1  somebody  dp: tensor 2 * context 1 * pipeline 2 * data 8 = 32 is not gpus = 64
step_2  somebody  dp: tensor 4 * context 1 * pipeline 1 * data 8 = 32 is not gpus = 64
=== stderr
reckon: --given: none of its rows has a time of a step that can be predicted
reckon: nowhere.csv: cannot open: No such file or directory; check the path
reckon: plan.json:1:23: data: tensor 2 * context 1 * pipeline 1 * data 4 = 8 is not gpus = 16: change one of them
