# samples of several lengths: padded, grouped, packed; from a file, from mean and longest; contradictions are refused by name
printf '# tokens samples\n100 50\n250 30\n900 15\n4000 5\n' >lengths
answer() { reckon predict -m llama2-7b -s a100-sxm4-80g -g 1 gbs16 framework=fsdp lora16 base=nf4-dq recompute=full "$@" >answer; code=$?; sed -n '1{s/, memory.*//;p}; /plan:/,/ precision/p; s/ (cross.*//; /memory:/p' answer; return $code; }
answer mbs4 --lengths lengths; echo "exit $?"
answer mbs4 --lengths lengths --batching grouped
# what the plan says holds unless --batching says otherwise
answer mbs4 length-grouped --lengths lengths | grep plan:
answer mbs4 length-grouped --lengths lengths --batching pad | grep plan:
answer mbs1 seq8192 length-grouped --lengths lengths --batching packed | grep plan:
answer mbs4 --lengths lengths seq1024
answer mbs1 seq8192 --lengths lengths --batching packed
answer mbs1 seq8192 --lengths lengths --batching joined
answer mbs4 --lengths 460:4000
answer --lengths lengths; echo "exit $?"
answer mbs4 --lengths lengths padded=300; echo "exit $?"
answer mbs4 --batching grouped; echo "exit $?"
answer mbs4 seq512 padded=1024
echo "12 3 4" >wrong; answer mbs4 --lengths wrong; echo "exit $?"
reckon search -m llama2-7b -s a100-sxm4-80g -g 8 -b 64 --sequence 2048 framework=fsdp padded=512; echo "exit $?"
# steps of a run count the tokens of padded samples: 1e9 / (32 * 1199)
reckon export megatron -m llama2-7b gpus8 mbs4 gbs32 seq4000 padded=1199 zero1 --tokens 1B 2>/dev/null | grep ^TRAIN_ITERS
=== stdout
fits: P(fits) 100 %, 5.269 s per step (50 % 5.184-6.803 s), MFU 31.9 %
  plan: framework=fsdp mbs4 gbs16 seq4000 padded=1199 recompute=full lora16 base=nf4-dq
  assumed: samples of 460 (mean) to 4000 tokens padded to 1199 (mean of microbatches),
  precision bf16, attention flash
  memory: 90 % interval 10.1-23.9 of 79.2 GiB
exit 0
fits: P(fits) 100 %, 2.417 s per step (50 % 2.376-3.155 s), MFU 28.1 %
  plan: framework=fsdp mbs4 gbs16 seq4000 padded=491 recompute=full length-grouped lora16
  base=nf4-dq
  assumed: samples of 460 (mean) to 4000 tokens padded to 491 (mean of microbatches sorted by
  length), precision bf16, attention flash
  memory: 90 % interval 10.1-23.9 of 79.2 GiB
  plan: framework=fsdp mbs4 gbs16 seq4000 padded=491 recompute=full length-grouped lora16
  plan: framework=fsdp mbs4 gbs16 seq4000 padded=1199 recompute=full lora16 base=nf4-dq
  plan: framework=fsdp gbs16 seq8192 packed=2055 recompute=full lora16 base=nf4-dq
fits: P(fits) 100 %, 3.098 s per step (50 % 3.047-4.022 s), MFU 28.9 %
  plan: framework=fsdp mbs4 gbs16 seq1024 padded=647 recompute=full lora16 base=nf4-dq
  assumed: samples of 311 (mean) to 1024 tokens padded to 647 (mean of microbatches),
  precision bf16, attention flash
  memory: 90 % interval 5.9-14.1 of 79.2 GiB
fits: P(fits) 100 %, 36.16 s per step (50 % 35.58-46.54 s), MFU 32.2 %
  plan: framework=fsdp gbs16 seq8192 packed=2055 recompute=full lora16 base=nf4-dq
  assumed: packs of 17.8 samples of 460 tokens (mean) with attention within each of them,
  precision bf16, attention flash
  memory: 90 % interval 7.4-17.4 of 79.2 GiB
fits: P(fits) 100 %, 41.81 s per step (50 % 41.14-53.81 s), MFU 31.1 %
  plan: framework=fsdp gbs16 seq8192 recompute=full lora16 base=nf4-dq
  assumed: packs of 17.8 samples of 460 tokens (mean) with attention across them, precision bf16,
  memory: 90 % interval 7.4-17.4 of 79.2 GiB
fits: P(fits) 100 %, 4.259 s per step (50 % 4.190-5.513 s), MFU 31.3 %
  plan: framework=fsdp mbs4 gbs16 seq4000 padded=957 recompute=full lora16 base=nf4-dq
  assumed: samples of 460 (mean) to 4000 tokens padded to 957 (mean of microbatches),
  precision bf16, attention flash
  memory: 90 % interval 10.1-23.9 of 79.2 GiB
exit 2
exit 2
exit 2
cannot run: padded 1024: is the mean length of padded samples, at most 512 tokens, and goes with neither packed nor seq-chunks: leave it out
  plan: framework=fsdp mbs4 gbs16 seq512 padded=1024 recompute=full lora16 base=nf4-dq
  assumed: precision bf16, attention flash
exit 3
exit 2
TRAIN_ITERS=26064 # 1 billion tokens, 38368 a step
=== stderr
reckon: --lengths: what samples are padded to depends on how many are in a microbatch: give it, mbsN
reckon: --lengths sets padded and packed: leave out --lengths, or these words
reckon: --batching goes with --lengths: give it
reckon: wrong:1:1: a line is the tokens of a sample, or these and the number of such samples: both whole, from 1 to 1e9
reckon: padded=512: what samples are padded to depends on how many are in a microbatch: give it, mbsN
