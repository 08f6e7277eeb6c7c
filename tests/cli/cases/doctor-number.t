# The same run by each of its numbers is the same step; its place in the interval; three changes with their lines.
reckon export megatron -m llama3.1-8b gpus8 tp2 gbs32 zero1 recompute=full -o run.sh
for number in "--step 6" "--tflops 281.1" "--tokens-per-second 43690.7" "--tokens-per-second-per-gpu 5461.33" "--mfu 28.41" "--mfu 0.2841"; do
    reckon doctor run.sh -s h100-sxm5-80g $number | head -n 1
done
reckon doctor run.sh -s h100-sxm5-80g --step 6 | grep -vE '^  assumed' | sed 's/^  [0-9]* % of/  N % of/; s/interval .* (cross.*/interval ... (cross-validated)/' | sed -n '2,5p;/nearest first$/,/^$/p;/^The single/,$p'
for line in $(reckon doctor run.sh -s h100-sxm5-80g --step 6 --format csv | sed -n '/^change,/,$p' | cut -d, -f5 | grep '[0-9]'); do sed -n "${line}p" run.sh; done
echo "--- a configuration: its own keys"
reckon export torchtitan -m llama3.1-8b framework=fsdp gpus8 zero3 gbs32 recompute=full grad-overlap weight-overlap -o job.toml 2>/dev/null
reckon doctor job.toml -m llama3.1-8b -s h100-sxm5-80g --mfu 40 | sed -n '/^The single/,$p'
echo "--- a run that is predicted not to fit, and ran: changes count with which it fits as well"
reckon doctor --mfu 31 -m llama3.1-70b -s h100-sxm5-80g -g 256 tp4 pp4 vpp5 sp zero1 gbs512 | sed -n '/predicted to need/p;/^The single/,$p'
echo "--- words, a log with the launch file, and what is wrong"
reckon doctor --tflops 500 -m llama3.1-8b -s h100-sxm5-80g gpus8 tp2 gbs32 zero1 | sed -n '1p;3,5p'
for i in 1 2 3 4; do echo "iteration $i/ 10 | elapsed time per iteration (ms): 6000.0 |"; done >train.log
reckon doctor train.log --launch run.sh -s h100-sxm5-80g | head -n 1
reckon doctor train.log run.sh -s h100-sxm5-80g tp4 | sed -n '1p;4p;/^halve/p'
reckon doctor run.sh train.log -s h100-sxm5-80g | sed -n '1p;/^halve/p'
reckon doctor run.sh -s h100-sxm5-80g
reckon doctor run.sh -s h100-sxm5-80g --tflops 5000
reckon doctor run.sh -s h100-sxm5-80g --tflops 380 --mfu 40
reckon doctor -s h100-sxm5-80g
=== stdout
slow: 6 s per step, 1.26 times the predicted 4.751 s, slower than three of four measured runs; nearest explanation: links within the node at a quarter
slow: 6.000 s per step, 1.26 times the predicted 4.751 s, slower than three of four measured runs; nearest explanation: links within the node at a quarter
slow: 6.000 s per step, 1.26 times the predicted 4.751 s, slower than three of four measured runs; nearest explanation: links within the node at a quarter
slow: 6.000 s per step, 1.26 times the predicted 4.751 s, slower than three of four measured runs; nearest explanation: links within the node at a quarter
slow: 6.000 s per step, 1.26 times the predicted 4.751 s, slower than three of four measured runs; nearest explanation: links within the node at a quarter
slow: 6.000 s per step, 1.26 times the predicted 4.751 s, slower than three of four measured runs; nearest explanation: links within the node at a quarter
  measured: 6 s per step: 281.1 TFLOP/s per GPU, 43690.7 tokens/s, MFU 28.4 %
  predicted: 4.751 s per step: 355 TFLOP/s per GPU, MFU 35.9 %
  plan: dp4 tp2 gbs32 zero1 recompute=full
  N % of measured runs are faster; 90 % interval ... (cross-validated)
What would explain it, the nearest first
if                                  the step would take  measured over that  look at
links within the node at a quarter              5.845 s                 1.0  nccl-tests on one node; NVLink state, peer access
products at 0.8 of their rate                   5.563 s                 1.1  clocks, power limit and temperature under load (nvidia-smi -q -d CLOCK,POWER)
attention is FlashAttention-2                   5.167 s                 1.2  which kernel runs, in a profile

The single changes that bring most
change                     saves  the step would take  memory  line  in the file
                               %                          GiB
recompute nothing           23.5              4.589 s    61.5    71  remove --recompute-granularity, remove --recompute-method, remove --recompute-num-layers
recompute attention alone   21.0              4.742 s    61.5    71  --recompute-granularity full -> selective, remove --recompute-method, remove --recompute-num-layers, add --recompute-modules core_attn
halve tensor parallelism     8.7              5.478 s    67.6    62  --tensor-model-parallel-size 2 -> 1
    --recompute-granularity full
    --recompute-granularity full
    --tensor-model-parallel-size 2
--- a configuration: its own keys
The single changes that bring most
change                        saves  the step would take  memory  line  in the file
                                  %                          GiB
recomputation                  18.4              3.479 s    64.0    24  activation_checkpoint.mode full -> none
local batch                     3.4              4.118 s    46.0    15  training.local_batch_size 1 -> 4
weights kept gathered or not    0.6              4.235 s    39.7    10  parallelism.fsdp_reshard_after_forward always -> never
--- a run that is predicted not to fit, and ran: changes count with which it fits as well
  the run is predicted to need 81.9 of 79.2 GiB, and it ran: changes count that need up to 87.1 GiB, with which three of four runs like it that ran fit, too
The single changes that bring most
change                                                     saves  the step would take  memory  in the file
                                                               %                          GiB
overlap tensor communication with products                  10.6             21.462 s    83.2  tensor_overlap none -> ring
overlap gradients and weights of the sharded optimizer       1.2             23.700 s    81.9  gradient_overlap no -> yes, weight_overlap no -> yes
overlap the reduction of gradients with the backward pass    0.8             23.796 s    81.9  gradient_overlap no -> yes
--- words, a log with the launch file, and what is wrong
good: 3.373 s per step, 0.93 times the predicted 3.634 s, among the fastest quarter of measured runs
  predicted: 3.634 s per step: 464.2 TFLOP/s per GPU, MFU 46.9 %
  plan: dp4 tp2 gbs32 zero1
  assumed: precision bf16, framework megatron, microbatch 1, sequence 8192 (the model's),
slow: 6 s per step, 1.26 times the predicted 4.751 s, slower than three of four measured runs; nearest explanation: links within the node at a quarter
usual: 6 s per step, 1.06 times the predicted 5.666 s, in the 50 % interval
  plan: dp2 tp4 gbs32 zero1 recompute=full
slow: 6 s per step, 1.26 times the predicted 4.751 s, slower than three of four measured runs; nearest explanation: links within the node at a quarter
halve tensor parallelism     8.7              5.478 s    67.6    62  --tensor-model-parallel-size 2 -> 1
=== stderr
reckon: run.sh: this is a launch script of Megatron-LM, and no log: give a measured number with it, --tflops N, --step SECONDS, --tokens-per-second N or --mfu PERCENT; or a log before this file
reckon: the measured number is 337.3 ms per step: 5000 TFLOP/s per GPU, 777134 tokens/s, MFU 505.4 %, more than the peak of the GPUs: check its unit (--tflops is per GPU, --tokens-per-second of all GPUs, --tokens-per-second-per-gpu of one), the GPUs and the batch
reckon: several measured numbers are given: give one of them
reckon: LOG is missing: give what the run printed, or one measured number: --tflops N, --step SECONDS, --tokens-per-second N or --mfu PERCENT
=== exit 2
