# the ways of fine-tuning that fit: 32B on two cards, and where nothing does
reckon fits qwen3-32b "rtx4090 x2" --tune; echo "exit $?"
reckon fits llama3.1-8b "rtx4090 x1" --tune seq2048 --format csv | cut -d, -f 1-5; echo "exit $?"
# what is said is pinned
reckon fits llama3.1-8b "rtx4090 x1" --tune seq2048 lora=64 base=nf4 recompute=full | tail -n +4 | head -12
reckon fits llama3.1-405b "rtx4090 x1" --tune seq65536; echo "exit $?"
=== stdout
fastest way of fine-tuning: QLoRA, 409 tokens/s per GPU; fits: P(fits) 76 %, 40.04 s per step (50 % 42.57-59.24 s), MFU 36.1 %, memory 21.3 of 24.0 GiB
  plan: framework=fsdp dp2 mbs2 gbs4 zero3 recompute=full loss-in-chunks lora16 lora-bytes=4
  base=nf4-dq offload-optimizer=1 offload-weights=1
qwen3-32b on rtx4090 x2, 2 GPUs, samples of 8K tokens
  assumed: gpus 2 (all of the system), precision bf16, sequence 8192 (the model's), attention flash
  offloading to host memory 512 GiB per node of 8 at 25 GB/s each, assumed
Least memory: QLoRA, 12.95 GiB with 1 sample, 381 tokens/s per GPU: framework=fsdp dp2 gbs2 zero3 recompute=full loss-in-chunks lora16 lora-bytes=4 base=nf4-dq offload-optimizer=1 offload-weights=1

Fits of each way of fine-tuning: with least memory, and the fastest
method  has the        fits   need  samples  up to  tokens/s/GPU  longest  plan
                               GiB
LoRA    least memory   fits  14.38        1      1           344   14,848  framework=fsdp dp2 gbs2 zero3 recompute=full loss-in-chunks lora16 lora-bytes=4 offload-optimizer=1 offload-weights=1
LoRA    most tokens/s  fits  16.44        1      1           344   11,776  framework=fsdp dp2 gbs2 zero3 recompute=full lora16 lora-bytes=4 offload-optimizer=1 offload-weights=1
QLoRA   least memory   fits  12.95        1      2           381   16,384  framework=fsdp dp2 gbs2 zero3 recompute=full loss-in-chunks lora16 lora-bytes=4 base=nf4-dq offload-optimizer=1 offload-weights=1
QLoRA   most tokens/s  fits  21.27        2      2           409   16,384  framework=fsdp dp2 mbs2 gbs4 zero3 recompute=full loss-in-chunks lora16 lora-bytes=4 base=nf4-dq offload-optimizer=1 offload-weights=1

up to: samples of the largest microbatch that fits. longest: tokens per sample that fit with a microbatch of 1, in steps of 512. A way fits when its P(fits) is at least 75 % (--sure). A way that offloads is called the fastest only where it is faster by a tenth.
exit 0
method,best_in,fits,need_bytes,microbatch
"full, bf16",least memory,fits,22908663562.24
"full, bf16",most tokens/s,fits,22908663562.24
"full, 8-bit Adam",least memory,fits,22908663562.24
"full, 8-bit Adam",most tokens/s,fits,22908663562.24
LoRA,least memory,fits,5228280381.44,1
LoRA,most tokens/s,fits,21736622981.12,4
QLoRA,least memory,fits,4684292863.12,1
QLoRA,most tokens/s,fits,18097582243.84,1
exit 0
  assumed: gpus 1 (all of the system), precision bf16, attention flash
  offloading to host memory 512 GiB per node of 8 at 25 GB/s each, assumed
Least memory: as given, 4.853 GiB with 1 sample, 1045 tokens/s per GPU: framework=fsdp gbs1 seq2048 zero3 recompute=full loss-in-chunks lora64 base=nf4 offload-optimizer=1 offload-weights=1

Fits of each way of fine-tuning: with least memory, and the fastest
method    has the        fits   need  samples  up to  tokens/s/GPU  longest  plan
                                 GiB
as given  least memory   fits   4.85        1     16          1045   37,888  framework=fsdp gbs1 seq2048 zero3 recompute=full loss-in-chunks lora64 base=nf4 offload-optimizer=1 offload-weights=1
as given  most tokens/s  fits  20.48        8      8          2308   17,408  framework=fsdp mbs8 gbs8 seq2048 recompute=full optimizer-paged lora64 base=nf4

up to: samples of the largest microbatch that fits. longest: tokens per sample that fit with a microbatch of 1, in steps of 512. A way fits when its P(fits) is at least 75 % (--sure). A way that offloads is called the fastest only where it is faster by a tenth.
does not fit: no way of fine-tuning does; take more or larger GPUs, or shorter samples
llama3.1-405b on rtx4090 x1, 1 GPU, samples of 64K tokens
  assumed: gpus 1 (all of the system), precision bf16, attention flash
  offloading to host memory 512 GiB per node of 8 at 25 GB/s each, assumed
exit 1
