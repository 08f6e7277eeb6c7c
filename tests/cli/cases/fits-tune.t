# the ways of fine-tuning that fit: 32B on two cards, and where nothing does
reckon fits qwen3-32b "rtx4090 x2" --tune; echo "exit $?"
reckon fits llama3.1-8b "rtx4090 x1" --tune seq2048 --format csv | cut -d, -f 1-5; echo "exit $?"
# what is said is pinned
reckon fits llama3.1-8b "rtx4090 x1" --tune seq2048 lora=64 base=nf4 recompute=full | tail -n +5 | head -13
reckon fits llama3.1-405b "rtx4090 x1" --tune seq65536; echo "exit $?"
=== stdout
fastest way of fine-tuning: QLoRA, 409 tokens/s per GPU; fits: P(fits) 76 %, 40.04 s per step (50 % 41.04-57.48 s), MFU 36.1 %, memory 21.0 of 24.0 GiB
  plan: framework=fsdp dp2 mbs2 gbs4 zero3 recompute=full loss-in-chunks lora16 lora-bytes=4
  base=nf4-dq offload-optimizer=1 offload-weights=1
  `reckon export trl` cannot say gradient_overlap no (left to the training code),
  weight_overlap no (left to the training code), lora_element_bytes 4 (the run has 2)
qwen3-32b on rtx4090 x2, 2 GPUs, samples of 8K tokens
  assumed: gpus 2 (all of the system), precision bf16, sequence 8192 (the model's), attention flash
  offloading to host memory 512 GiB per node of 8 at 25 GB/s each, assumed
Least memory: QLoRA, 12.70 GiB with 1 sample, 381 tokens/s per GPU: framework=fsdp dp2 gbs2 zero3 recompute=full loss-in-chunks lora16 lora-bytes=4 base=nf4-dq offload-optimizer=1 offload-weights=1

Fits of each way of fine-tuning: with least memory, and the fastest
method            has the        fits     need  samples  up to  tokens/s/GPU  longest  plan
                                           GiB
full              least memory   unsure  21.89        1      1           256        -  framework=fsdp dp2 gbs2 zero3 recompute=full loss-in-chunks offload-optimizer=1 offload-weights=1
full              most tokens/s  unsure  22.42        1      1           256        -  framework=fsdp dp2 gbs2 zero3 recompute=full offload-optimizer=1 offload-weights=1
full, bf16        least memory   fits    18.82        1      1           305   10,752  framework=fsdp dp2 gbs2 zero3 recompute=full loss-in-chunks weight-bytes=2 gradient-bytes=2 moment1-bytes=2 moment2-bytes=2 offload-optimizer=1 offload-weights=1
full, bf16        most tokens/s  fits    19.35        1      1           305     9728  framework=fsdp dp2 gbs2 zero3 recompute=full weight-bytes=2 gradient-bytes=2 moment1-bytes=2 moment2-bytes=2 offload-optimizer=1 offload-weights=1
full, 8-bit Adam  least memory   fits    18.82        1      1           305   10,752  framework=fsdp dp2 gbs2 zero3 recompute=full loss-in-chunks optimizer=adam-8bit weight-bytes=2 gradient-bytes=2 offload-optimizer=1 offload-weights=1
full, 8-bit Adam  most tokens/s  fits    19.35        1      1           305     9728  framework=fsdp dp2 gbs2 zero3 recompute=full optimizer=adam-8bit weight-bytes=2 gradient-bytes=2 offload-optimizer=1 offload-weights=1
LoRA              least memory   fits    14.13        1      1           344   15,360  framework=fsdp dp2 gbs2 zero3 recompute=full loss-in-chunks lora16 lora-bytes=4 offload-optimizer=1 offload-weights=1
LoRA              most tokens/s  fits    16.19        1      1           344   12,288  framework=fsdp dp2 gbs2 zero3 recompute=full lora16 lora-bytes=4 offload-optimizer=1 offload-weights=1
QLoRA             least memory   fits    12.70        1      2           381   16,384  framework=fsdp dp2 gbs2 zero3 recompute=full loss-in-chunks lora16 lora-bytes=4 base=nf4-dq offload-optimizer=1 offload-weights=1
QLoRA             most tokens/s  fits    21.02        2      2           409   16,384  framework=fsdp dp2 mbs2 gbs4 zero3 recompute=full loss-in-chunks lora16 lora-bytes=4 base=nf4-dq offload-optimizer=1 offload-weights=1

up to: samples of the largest microbatch that fits. longest: tokens per sample that fit with a microbatch of 1, in steps of 512. A way fits when its P(fits) is at least 75 % (--sure). A way that offloads is called the fastest only where it is faster by a tenth.
exit 0
method,best_in,fits,need_bytes,microbatch
full,least memory,fits,10219300618.240002,1
full,most tokens/s,fits,22372459970.56,8
"full, bf16",least memory,fits,7991864852.48
"full, bf16",most tokens/s,fits,20145024204.8
"full, 8-bit Adam",least memory,fits,7991864852.48
"full, 8-bit Adam",most tokens/s,fits,20145024204.8
LoRA,least memory,fits,5060508221.44,1
LoRA,most tokens/s,fits,21736622981.12,4
QLoRA,least memory,fits,4516520703.12,1
QLoRA,most tokens/s,fits,18097582243.84,1
exit 0
llama3.1-8b on rtx4090 x1, 1 GPU, samples of 2K tokens
  assumed: gpus 1 (all of the system), precision bf16, attention flash
  offloading to host memory 512 GiB per node of 8 at 25 GB/s each, assumed
Least memory: as given, 4.228 GiB with 1 sample, 1045 tokens/s per GPU: framework=fsdp gbs1 seq2048 zero3 recompute=full loss-in-chunks lora64 base=nf4 offload-optimizer=1 offload-weights=1

Fits of each way of fine-tuning: with least memory, and the fastest
method    has the        fits   need  samples  up to  tokens/s/GPU  longest  plan
                                 GiB
as given  least memory   fits   4.23        1     16          1045   38,912  framework=fsdp gbs1 seq2048 zero3 recompute=full loss-in-chunks lora64 base=nf4 offload-optimizer=1 offload-weights=1
as given  most tokens/s  fits  16.63        8      8          2308   26,624  framework=fsdp mbs8 gbs8 seq2048 recompute=full loss-in-chunks lora64 base=nf4

up to: samples of the largest microbatch that fits. longest: tokens per sample that fit with a microbatch of 1, in steps of 512. A way fits when its P(fits) is at least 75 % (--sure). A way that offloads is called the fastest only where it is faster by a tenth.
does not fit: no way of fine-tuning does; take more or larger GPUs, or shorter samples
llama3.1-405b on rtx4090 x1, 1 GPU, samples of 64K tokens
  assumed: gpus 1 (all of the system), precision bf16, attention flash
  offloading to host memory 512 GiB per node of 8 at 25 GB/s each, assumed
exit 1
