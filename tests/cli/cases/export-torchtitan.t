reckon export torchtitan -m llama3.1-70b framework=fsdp gpus256 tp8 sp zero3 grad-overlap weight-overlap gbs512 precision=fp8-current weights-fp8 >job.toml; cat job.toml; reckon import torchtitan job.toml -m llama3.1-70b --system h100-sxm5-80g | head -4
=== stdout
# torchtitan up to v0.2.2, written by reckon 0.2.0

[model]
name = "llama3"
flavor = "70B"
converters = ["quantize.linear.float8"]

[quantize.linear.float8]
enable_fsdp_float8_all_gather = true

[parallelism]
data_parallel_replicate_degree = 1
data_parallel_shard_degree = 32
fsdp_reshard_after_forward = "always"
tensor_parallel_degree = 8
enable_async_tensor_parallel = false

[training]
local_batch_size = 1
global_batch_size = 512
seq_len = 8192
mixed_precision_param = "bfloat16"
mixed_precision_reduce = "float32"
enable_cpu_offload = false
steps = 20 # a trial: --tokens says the run

[activation_checkpoint]
mode = "none"

[compile]
enable = true
fits: P(fits) 100 %, 21.98 s per step (50 % 21.66-35.53 s), MFU 16.9 %, memory 30.1 of 79.2 GiB, 928.0 USD per 1B tokens
llama3.1-70b: 70,553,706,496 parameters, 256 GPUs of h100-sxm5-80g with torchtitan
  plan: framework=fsdp precision=fp8-current dp32 tp8 gbs512 sp zero3 grad-overlap weight-overlap
  weights-fp8
