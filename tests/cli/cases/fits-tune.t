# the ways of fine-tuning that fit: 32B on two cards, and where nothing does
reckon fits qwen3-32b "rtx4090 x2" --tune; echo "exit $?"
reckon fits llama3.1-8b "rtx4090 x1" --tune seq2048 --format csv | cut -d, -f 1-5; echo "exit $?"
# what is said is pinned
reckon fits llama3.1-8b "rtx4090 x1" --tune seq2048 lora=64 base=nf4 recompute=full | tail -n +3 | head -12
reckon fits llama3.1-405b "rtx4090 x1" --tune seq65536; echo "exit $?"
# the plan of the first line is the one that is saved, in a file of a tool that says it
reckon fits qwen3-32b "rtx4090 x2" --tune --save-plan p.json --save-script q.sh --tokens 25M 2>/dev/null | sed -n '1,15p;/^The run/,+3p'
reckon predict qwen3-32b "rtx4090 x2" -p p.json | head -1
sed -n '/^base_model/,/^output/p;/^adapter/,/^lora_alpha/p;/^torchrun/,$p' q.sh
# what programs read begins with it, too; samples of many lengths are padded to their microbatch
reckon fits llama3.1-8b "rtx4090 x1" --tune seq2048 --format json | head -14
reckon fits llama3.1-8b "rtx4090 x1" --tune --lengths 600:4096 lora16 recompute=full | head -10
# the script that is saved, read back, is the plan that was answered
for w in objective=kto "objective=kto seq4096" "seq4096 weight-bytes=2 gradient-bytes=2 moment1-bytes=2 moment2-bytes=2"; do
  reckon fits llama3.1-8b h100-sxm5-80g -g 2 --tune $w --save-script tune.sh 2>/dev/null | sed -n '1,4p'
  reckon import tune.sh -m llama3.1-8b -o tune.plan >/dev/null 2>&1; reckon fits llama3.1-8b h100-sxm5-80g -p tune.plan no-grad-overlap no-weight-overlap | sed -n '1p;3,5p'
done
=== stdout
fastest way of fine-tuning: LoRA, 438 tokens/s per GPU; fits: P(fits) 80 %, 74.77 s per step (50 % 72.53-97.43 s), MFU 38.7 %, memory 17.9 of 23.6 GiB
  plan: framework=fsdp dp2 mbs4 gbs8 zero3 grad-overlap weight-overlap recompute=full
  loss-in-chunks lora16 offload-activations=1 offload-optimizer=1 offload-weights=1
  assumed: gpus 2 (all of the system), precision bf16, sequence 8192 (the model's),
  gradients not overlapped (fsdp overlaps by itself: say grad-overlap), attention flash
qwen3-32b on rtx4090 x2, 2 GPUs, samples of 8K tokens
  offloading to host memory 121 of 128 GiB per node of 2 (the rest for the operating system) at 25 GB/s each, its processors at 50 GB/s together, assumed
Least memory: QLoRA, 7.170 GiB with 1 sample, 425 tokens/s per GPU: framework=fsdp dp2 gbs2 zero3 grad-overlap weight-overlap recompute=full lora16 base=nf4-dq offload-activations=1 offload-optimizer=1 offload-weights=1

Fits of each way of fine-tuning: with least memory, and the fastest
method            has the        fits           need  samples  up to  tokens/s/GPU  longest  plan
                                                 GiB
full              nearest        does not fit  22.42        1      -             -        -  framework=fsdp dp2 gbs2 zero3 grad-overlap weight-overlap recompute=full offload-optimizer=1 offload-weights=1
full, bf16        nearest        does not fit  19.35        1      -             -        -  framework=fsdp dp2 gbs2 zero3 grad-overlap weight-overlap recompute=full weight-bytes=2 gradient-bytes=2 moment1-bytes=2 moment2-bytes=2 offload-optimizer=1 offload-weights=1
full, 8-bit Adam  nearest        does not fit  19.35        1      -             -        -  framework=fsdp dp2 gbs2 zero3 grad-overlap weight-overlap recompute=full optimizer=adam-8bit embedding-fp32 weight-bytes=2 gradient-bytes=2 offload-optimizer=1 offload-weights=1
LoRA              least memory   fits           8.60        1      4           429   31,744  framework=fsdp dp2 gbs2 zero3 grad-overlap weight-overlap recompute=full lora16 offload-activations=1 offload-optimizer=1 offload-weights=1
LoRA              most tokens/s  fits          17.91        4      4           438   40,448  framework=fsdp dp2 mbs4 gbs8 zero3 grad-overlap weight-overlap recompute=full loss-in-chunks lora16 offload-activations=1 offload-optimizer=1 offload-weights=1
QLoRA             least memory   fits           7.17        1      4           425   48,128  framework=fsdp dp2 gbs2 zero3 grad-overlap weight-overlap recompute=full lora16 base=nf4-dq offload-activations=1 offload-optimizer=1 offload-weights=1
QLoRA             most tokens/s  fits          20.38        2      4           438   17,408  framework=fsdp dp2 mbs2 gbs4 zero3 grad-overlap weight-overlap recompute=full loss-in-chunks lora16 base=nf4-dq offload-activations=1

full does not fit: memory tier 1 (mem2) needs 244.1 GiB on stage 0, has 60.50 GiB: 183.6 GiB too little.
full, bf16 does not fit: memory tier 1 (mem2) needs 122.0 GiB on stage 0, has 60.50 GiB: 61.55 GiB too little.
full, 8-bit Adam does not fit: memory tier 1 (mem2) needs 94.18 GiB on stage 0, has 60.50 GiB: 33.68 GiB too little.
up to: samples of the largest microbatch that fits. longest: tokens per sample that fit with a microbatch of 1, in steps of 512. A way fits when its P(fits) is at least 75 % (--sure). Plans may offload to the memory of the nodes.
exit 0
method,best_in,fits,need_bytes,microbatch
full,nearest,does not fit,12651215912.960001,1
"full, bf16",least memory,fits,3074595880.96
"full, bf16",most tokens/s,fits,19244821053.440002
"full, 8-bit Adam",least memory,fits,1874030858.24
"full, 8-bit Adam",most tokens/s,fits,19244821053.440002
LoRA,least memory,fits,1341401108.48,1
LoRA,most tokens/s,fits,20539204648.96,4
QLoRA,least memory,fits,1421428428.8,1
QLoRA,most tokens/s,fits,10180977704.960001,4
exit 0
  offload-activations=1
  assumed: gpus 1 (all of the system), precision bf16, attention flash
  no file launches it: `reckon export axolotl` refuses it: base nf4: cannot be expressed in
  axolotl: the run has nf4-dq and trains something else: files that train it: reckon export
  llama-factory, trl
llama3.1-8b on rtx4090 x1, 1 GPU, samples of 2K tokens
  offloading to host memory 60 of 64 GiB per node of 1 (the rest for the operating system) at 25 GB/s each, its processors at 50 GB/s together, assumed
  outside what was validated: base nf4: no compared run had it
Least memory: as given, 1.325 GiB with 1 sample, 1091 tokens/s per GPU: framework=fsdp gbs1 seq2048 zero2 recompute=full loss-in-chunks lora64 base=nf4 offload-activations=1 offload-optimizer=1 offload-weights=1

Fits of each way of fine-tuning: with least memory, and the fastest
method    has the        fits   need  samples  up to  tokens/s/GPU  longest  plan
does not fit: no way of fine-tuning does; take more or larger GPUs, or shorter samples
llama3.1-405b on rtx4090 x1, 1 GPU, samples of 64K tokens
  offloading to host memory 60 of 64 GiB per node of 1 (the rest for the operating system) at 25 GB/s each, its processors at 50 GB/s together, assumed
  assumed: gpus 1 (all of the system), precision bf16, attention flash
exit 1
fastest way of fine-tuning: LoRA, 438 tokens/s per GPU; fits: P(fits) 80 %, 74.77 s per step (50 % 72.53-97.43 s), MFU 38.7 %, memory 17.9 of 23.6 GiB, 0.3309 days
  plan: framework=fsdp dp2 mbs4 gbs8 zero3 grad-overlap weight-overlap recompute=full
  loss-in-chunks lora16 offload-activations=1 offload-optimizer=1 offload-weights=1
  assumed: gpus 2 (all of the system), precision bf16, sequence 8192 (the model's),
  gradients not overlapped (fsdp overlaps by itself: say grad-overlap), attention flash
qwen3-32b on rtx4090 x2, 2 GPUs, samples of 8K tokens
  offloading to host memory 121 of 128 GiB per node of 2 (the rest for the operating system) at 25 GB/s each, its processors at 50 GB/s together, assumed
Least memory: QLoRA, 7.170 GiB with 1 sample, 425 tokens/s per GPU: framework=fsdp dp2 gbs2 zero3 grad-overlap weight-overlap recompute=full lora16 base=nf4-dq offload-activations=1 offload-optimizer=1 offload-weights=1

Fits of each way of fine-tuning: with least memory, and the fastest
method            has the        fits           need  samples  up to  tokens/s/GPU  longest    days  plan
                                                 GiB
full              nearest        does not fit  22.42        1      -             -        -       -  framework=fsdp dp2 gbs2 zero3 grad-overlap weight-overlap recompute=full offload-optimizer=1 offload-weights=1
full, bf16        nearest        does not fit  19.35        1      -             -        -       -  framework=fsdp dp2 gbs2 zero3 grad-overlap weight-overlap recompute=full weight-bytes=2 gradient-bytes=2 moment1-bytes=2 moment2-bytes=2 offload-optimizer=1 offload-weights=1
full, 8-bit Adam  nearest        does not fit  19.35        1      -             -        -       -  framework=fsdp dp2 gbs2 zero3 grad-overlap weight-overlap recompute=full optimizer=adam-8bit embedding-fp32 weight-bytes=2 gradient-bytes=2 offload-optimizer=1 offload-weights=1
The run
tokens                         25.000 M
steps                          382
days                           0.3309            expected, failures and checkpoints included
fits: P(fits) 80 %, 74.77 s per step (50 % 72.53-97.43 s), MFU 38.7 %, memory 17.9 of 23.6 GiB
base_model: qwen3-32b # your checkpoint of it
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
output_dir: ./out
adapter: lora
lora_r: 16
lora_alpha: 32
torchrun --nnodes 1 --nproc_per_node 2 --node_rank "${NODE_RANK:-0}" --master_addr "${MASTER_ADDR:-localhost}" --master_port "${MASTER_PORT:-29500}" \
    -m axolotl.cli.train axolotl.yaml --save_steps 174 --max_steps 382 "$@"
{
  "command": "fits",
  "fits": true,
  "verdict": "fits",
  "outcome": "fits",
  "plan_words": "framework=fsdp mbs4 gbs4 seq2048 loss-in-chunks lora16 offload-activations=1",
  "assumed": "gpus 1 (all of the system), precision bf16, attention flash",
  "tightest_stage": 0,
  "capacity_bytes": 25340307046.4,
  "need_bytes": 20539204648.96,
  "left_bytes": 4801102397.440002,
  "step_s": 3.098572828073428,
  "method": "LoRA",
  "ways": [
fastest way of fine-tuning: as given, 1488 tokens/s per GPU; fits: P(fits) 77 %, 403.1 ms per step (50 % 390.2-535.1 ms), MFU 27.6 %, memory 19.6 of 23.6 GiB
  plan: framework=fsdp gbs1 seq4096 padded=600 recompute=full lora16
  assumed: samples of 600 (mean) to 4096 tokens padded to the longest of each microbatch,
  gpus 1 (all of the system), precision bf16, attention flash
  `reckon export trl` cannot say gradient_overlap no (left to the training code)
llama3.1-8b on rtx4090 x1, 1 GPU, samples of 4K tokens
  offloading to host memory 60 of 64 GiB per node of 1 (the rest for the operating system) at 25 GB/s each, its processors at 50 GB/s together, assumed
  outside what was validated: padded: no compared run had it
Least memory: as given, 1.683 GiB with 1 sample, 401 tokens/s per GPU: framework=fsdp gbs1 seq4096 padded=600 zero2 recompute=full loss-in-chunks lora16 offload-activations=1 offload-optimizer=1 offload-weights=1

fastest way of fine-tuning: full, 8-bit Adam, 4672 tokens/s per GPU; fits: P(fits) 75 %, 1.753 s per step (50 % 1.739-2.285 s), MFU 24.3 %, memory 68.9 of 79.2 GiB
  plan: framework=fsdp dp2 gbs2 zero3 grad-overlap weight-overlap loss-in-chunks objective=kto
  optimizer=adam-8bit embedding-fp32 weight-bytes=2 gradient-bytes=2
  assumed: precision bf16, sequence 8192 (the model's),
fits: P(fits) 75 %, 1.819 s per step (50 % 1.804-2.370 s), MFU 23.4 %, memory 68.9 of 79.2 GiB, 153.5 USD per 1B tokens
  plan: framework=fsdp dp2 gbs2 zero3 loss-in-chunks objective=kto optimizer=adam-8bit
  embedding-fp32 weight-bytes=2 gradient-bytes=2
  assumed: precision bf16, microbatch 1, sequence 8192 (the model's),
fastest way of fine-tuning: full, 8-bit Adam, 5144 tokens/s per GPU; fits: P(fits) 75 %, 1.592 s per step (50 % 1.580-2.075 s), MFU 25.1 %, memory 68.9 of 79.2 GiB
  plan: framework=fsdp dp2 mbs2 gbs4 seq4096 zero3 grad-overlap weight-overlap loss-in-chunks
  objective=kto optimizer=adam-8bit embedding-fp32 weight-bytes=2 gradient-bytes=2
  assumed: precision bf16, gradients not overlapped (fsdp overlaps by itself: say grad-overlap),
fits: P(fits) 75 %, 1.658 s per step (50 % 1.644-2.160 s), MFU 24.1 %, memory 68.9 of 79.2 GiB, 140.0 USD per 1B tokens
  plan: framework=fsdp dp2 mbs2 gbs4 seq4096 zero3 loss-in-chunks objective=kto
  optimizer=adam-8bit embedding-fp32 weight-bytes=2 gradient-bytes=2
  assumed: precision bf16, reference copy (evaluated before training: say none), attention flash
fastest way of fine-tuning: as given, 9870 tokens/s per GPU; fits: P(fits) 76 %, 830.0 ms per step (50 % 0.8237-1.082 s), MFU 48.1 %, memory 67.4 of 79.2 GiB
  plan: framework=fsdp dp2 mbs2 gbs4 seq4096 zero3 grad-overlap weight-overlap loss-in-chunks
  weight-bytes=2 gradient-bytes=2 moment1-bytes=2 moment2-bytes=2
  assumed: precision bf16, gradients not overlapped (fsdp overlaps by itself: say grad-overlap),
fits: P(fits) 76 %, 895.1 ms per step (50 % 0.8876-1.180 s), MFU 44.6 %, memory 67.4 of 79.2 GiB, 75.58 USD per 1B tokens
  plan: framework=fsdp dp2 mbs2 gbs4 seq4096 zero3 loss-in-chunks weight-bytes=2 gradient-bytes=2
  moment1-bytes=2 moment2-bytes=2
  assumed: precision bf16, attention flash
