# A model and a machine are the first words of every command that takes them.
reckon predict llama3.1-8b "h100 x8" tp2 zero1 recompute=full gbs64 | sed -n 1,2p
reckon predict tp2 llama3.1-8b h100 x8 zero1 recompute=full gbs64 | sed -n 1,2p
reckon predict -s "h100 x8" "tp2 zero1 recompute=full gbs64" llama3.1-8b | sed -n 1,2p
reckon predict -s h100 llama3.1-8b x8 tp2 zero1 recompute=full gbs64 | sed -n 1,2p
reckon search -q llama3.1-8b "h100 x8" -b 64 --top 1 | sed -n 1p
reckon search -q llama3.1-8b,qwen3-8b "h100 x8" -b 64 --format csv | cut -d, -f1-4
reckon budget h100 x64 -g 64 --days 3 -m llama3.1-8b | sed -n 1p
reckon doctor llama3.1-8b h100 -g 8 --tflops 380 tp2 | sed -n 1p
reckon check llama3.1-8b h100 tp3 gbs8 2>&1 | sed -n 1p
reckon export megatron llama3.1-8b gpus8 dp8 zero1 | sed -n 2p
reckon serve llama3.1-8b h100 x8 tp8 | sed -n 1p
reckon diff llama3.1-8b h100 "gpus8 dp8 gbs32 zero3" +tp2 | sed -n 1p
# Every part of a machine's line may stand alone.
reckon predict llama3.1-8b h100 x8 ssd=4*samsung-980pro-1tb net1.latency=5us kernels.matrix_efficiency=0.7 tp2 zero1 gbs64 | sed -n 2p
# What is neither is said with both readings.
reckon predict tq8 llama3.1-8b h100
reckon predict llama3.1-9b h100 tp8
reckon predict llama3.1-8b h101 tp8
reckon predict llama3.1-8b h100 x8 tq8
reckon predict h100 llama3.1-8b
reckon predict
reckon predict llama3.1-8b
=== stdout
fits: P(fits) 96 %, 9.414 s per step (50 % 8.830-11.30 s), MFU 36.2 %, memory 41.4 of 79.2 GiB, 99.35 USD per 1B tokens
  llama3.1-8b on h100-sxm5-80g x8, 8 GPUs, detailed model
fits: P(fits) 96 %, 9.414 s per step (50 % 8.830-11.30 s), MFU 36.2 %, memory 41.4 of 79.2 GiB, 99.35 USD per 1B tokens
  llama3.1-8b on h100-sxm5-80g x8, 8 GPUs, detailed model
fits: P(fits) 96 %, 9.414 s per step (50 % 8.830-11.30 s), MFU 36.2 %, memory 41.4 of 79.2 GiB, 99.35 USD per 1B tokens
  llama3.1-8b on h100-sxm5-80g x8, 8 GPUs, detailed model
fits: P(fits) 96 %, 9.414 s per step (50 % 8.830-11.30 s), MFU 36.2 %, memory 41.4 of 79.2 GiB, 99.35 USD per 1B tokens
  llama3.1-8b on h100-sxm5-80g x8, 8 GPUs, detailed model
Best plan fits: P(fits) 82 %, 6.662 s per step (50 % 6.249-7.995 s), MFU 51.2 %, memory 57.5 of 79.2 GiB on stage 0 of 0-1, 70.31 USD per 1B tokens
model,system,gpus,batch
llama3.1-8b,h100-sxm5-80g x8,8,64
qwen3-8b,h100-sxm5-80g x8,8,64
affordable: llama3.1-8b, 8.03 billion parameters on 0.161 trillion tokens in 3 days and 11.47k USD; fits: P(fits) 79 %, 6.582 s per step (50 % 6.174-7.898 s), MFU 51.8 %, memory 63.2 of 79.2 GiB
usual: 4.438 s per step, 1.20 times the predicted 3.697 s, in the 50 % interval
error 4.heads: tp 3: heads: 32 over 3 ranks is not whole: use 2 or 4
# Written by reckon 0.2.0 for Megatron Core 0.19.
unsure: P(fits) 70 %, 2048 sequences at a time, 7631 tokens/s (953.8 per GPU), 42.30 ms per token, 17.41 ms to the first of one prompt, memory 72.4 of 79.2 GiB
both fit: B takes 6.6 % more time than A, 4.198 s against 3.940 s per step, 0.939 times the throughput
  llama3.1-8b on h100-sxm5-80g x8 ssd=4*samsung-980pro-1tb net1.latency=5us kernels.matrix_efficiency=0.7, 8 GPUs, detailed model
=== stderr
reckon: unknown model "tq8" ("reckon models" lists them; a file's name ends in .json); as a word of a plan: unknown word "tq": did you mean "tp"?
reckon: unknown model "llama3.1-9b": did you mean "llama3.1-8b"? ("reckon models" lists them; a file's name ends in .json)
reckon: unknown system "h101": did you mean "h100"? ("reckon systems" lists them; a file's name ends in .json)
reckon: "tq8":1:1: unknown word "tq": did you mean "tp"?
reckon: "h100" is a system, a model is wanted here ("reckon models" lists them)
reckon: --model is missing: give an id, such as llama3.1-70b (`reckon models` lists them), or a config.json
reckon: --system is missing: give an id, such as h100 or "h100 x64" (`reckon systems` lists them), or a file
=== exit 2
