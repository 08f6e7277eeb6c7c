# inference: batches, where time goes, memory; a mixture over nodes; what does not fit; for programs
reckon serve -m llama2-70b -s h100-sxm5-80g tp4 precision=fp8-delayed --cache-bits 8 --batch 1,64
reckon serve -m deepseek-v3 -s h800-sxm5-80g -g 128 ep128 etp1 dispatcher=deepep ep-overlap precision=fp8-block --prompt 4096 --generate 1024 | head -17
reckon serve -m nemotron-h-8b -s h100-sxm5-80g -g 2 tp1 pp2 no-cuda-graphs --format csv --batch 1..8
reckon serve -m llama2-70b -s h100-sxm5-80g -g 1 | tail -3
echo "exit $?"
reckon serve -m llama2-70b -s h100-sxm5-80g tp4 precision=fp8-delayed --batch 1..64,$(seq -s, 67 129) --format csv | tail -1 | cut -d, -f1 # all of 70 batches
# one sequence is bound by the bytes of weights on a small GPU, too
for bytes in 2 1 0.5; do reckon serve -m llama3.1-8b -s rtx4090 -g 1 -b 1 weight-bytes=$bytes | grep -o '[0-9.]* ms per token' | head -n 1; done
=== stdout
fits: P(fits) 100 %, 64 sequences at a time, 901.7 tokens/s (225.4 per GPU), 13.87 ms per token, 121.5 ms to the first of one prompt, memory 23.6 of 79.2 GiB
  llama2-70b on h100-sxm5-80g, 4 GPUs, inference: prompts of 2K tokens, 128 generated
  assumed: cuda-graphs (decoding steps are captured), attention flash3

Sequences at a time
batch    prefill  token, first      last     all  tokens/s  ... per GPU    memory  verdict
    1  121.46 ms       9.53 ms   9.53 ms  1.33 s    96.124       24.031  18.4 GiB  fits
   64     7.32 s      13.81 ms  13.92 ms  9.09 s    901.70       225.43  23.6 GiB  fits

Where the time of 64 sequences goes
                       time    matrix  attention     memory    tensor  experts       host  pipeline    MFU
                                                                                                         %
one prompt alone  121.46 ms  73.56 ms    3.25 ms   12.72 ms  31.80 ms   0.00 s  138.93 us    0.00 s  29.73
all prompts          7.32 s    4.64 s  197.06 ms  780.95 ms    1.71 s   0.00 s    2.19 ms    0.00 s  31.56
a token, first     13.81 ms   6.91 ms    2.27 ms    1.06 ms   3.57 ms   0.00 s     0.00 s    0.00 s   8.36
a token, last      13.92 ms   6.91 ms    2.38 ms    1.06 ms   3.57 ms   0.00 s     0.00 s    0.00 s   8.31

Memory of the tightest GPU
weights              16.18 GiB
cache                5.31 GiB          of all its sequences, at their full length
activations          608.00 MiB        of a pass of prefill
context              1.50 GiB          of the device and its libraries
total                23.59 GiB
of the GPU           79.20 GiB
cache of a sequence  85.000 MiB
sequences that fit   733               over all GPUs
fits: P(fits) 76 %, 16384 sequences at a time, 140,927 tokens/s (1101 per GPU), 38.45 ms per token, 647.7 ms to the first of one prompt, memory 69.1 of 79.2 GiB
  deepseek-v3 on h800-sxm5-80g, 128 GPUs, inference: prompts of 4K tokens, 1K generated
  assumed: cuda-graphs (decoding steps are captured), attention flash3

Sequences at a time
 batch    prefill  token, first      last       all  tokens/s  ... per GPU    memory  verdict
   128  647.71 ms      11.88 ms  11.91 ms   12.82 s    10,226       79.892  26.6 GiB  fits
   256     1.25 s      12.04 ms  12.09 ms   13.59 s    19,287       150.68  26.9 GiB  fits
   512     2.49 s      12.31 ms  12.40 ms   15.13 s    34,650       270.70  27.6 GiB  fits
  1024     4.98 s      12.83 ms  13.03 ms   18.21 s    57,586       449.89  28.9 GiB  fits
  2048     9.96 s      14.45 ms  14.47 ms   24.75 s    84,722       661.89  31.6 GiB  fits
  4096    19.93 s      18.56 ms  18.60 ms   38.94 s   107,721       841.57  37.0 GiB  fits
  8192    39.86 s      25.68 ms  25.76 ms   66.17 s   126,769       990.38  47.7 GiB  fits
16,384    79.72 s      38.37 ms  38.53 ms  119.05 s   140,927       1101.0  69.1 GiB  fits

Where the time of 16384 sequences goes
                       time     matrix  attention     memory  tensor    experts     host  pipeline    MFU
batch,prefill_s,token_first_s,token_last_s,generate_s,tokens_per_s,tokens_per_s_gpu,memory_bytes,verdict
1,0.06407507695683456,0.013428439431011486,0.013428439431011486,1.7694868846952934,72.33735446535489,36.168677232677446,10619225088,fits
2,0.12633686683421794,0.01375687886202297,0.01375687886202297,1.873460482311135,136.64552971205123,68.32276485602561,10688119808,fits
4,0.250853380160939,0.013757829351292161,0.013757829351292161,1.9980977077750435,256.2437252230929,128.12186261154645,10825909248,fits
8,0.3765655290700203,0.013759418034881173,0.013759418034881173,2.1240116194999294,482.10659047198965,241.05329523599482,11101488128,fits
does not fit: memory tier 0 (HBM3) needs 132.2 GiB on stage 0, has 79.20 GiB: 53.01 GiB too little
  llama2-70b on h100-sxm5-80g, 1 GPU, inference: prompts of 2K tokens, 128 generated
  assumed: precision bf16, cuda-graphs (decoding steps are captured), attention flash3
exit 0
129
17.45 ms per token
9.753 ms per token
5.982 ms per token
