# The best plan that a configuration's own keys say, and the file changed so: read again, it is B. What
# stands around the keys stays.
cat >job.toml <<'END'
[training]
local_batch_size = 1 # of a rank
global_batch_size = 32
seq_len = 8192

[parallelism]
tensor_parallel_degree = 4

[activation_checkpoint]
mode = "full"
END
cat >ds.json <<'END'
{
  "train_batch_size": 64, "train_micro_batch_size_per_gpu": 1,
  "gradient_accumulation_steps": 8,
  "bf16": {"enabled": true},
  "zero_optimization": {"stage": 3, "overlap_comm": false}
}
END
cat >axolotl.yaml <<'END'
base_model: meta-llama/Llama-3.1-8B
micro_batch_size: 1
gradient_accumulation_steps: 8  # of each GPU
gradient_checkpointing: true
sequence_len: 4096
bf16: true
flash_attention: true
fsdp_version: 2
fsdp_config:
  reshard_after_forward: true
END
cat >factory.yaml <<'END'
model_name_or_path: meta-llama/Llama-3.1-8B
stage: sft
finetuning_type: full
cutoff_len: 4096
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
bf16: true
deepspeed: ds.json
END
cat >nemo.yaml <<'END'
trainer: {devices: 8, num_nodes: 1, precision: bf16}
exp_manager: {}
model:
  micro_batch_size: 1
  global_batch_size: 64
  tensor_model_parallel_size: 8
  pipeline_model_parallel_size: 1
  encoder_seq_length: 4096
  max_position_embeddings: 4096
  num_layers: 32
  hidden_size: 4096
  ffn_hidden_size: 11008
  num_attention_heads: 32
  normalization: rmsnorm
  activation: fast-swiglu
  bias: false
  position_embedding_type: rope
  activations_checkpoint_granularity: full
  activations_checkpoint_method: uniform
  activations_checkpoint_num_layers: 1
  optim:
    name: fused_adam
END
echo '{"zero_optimization": {"stage": 3}, "bf16": {"enabled": "auto"}, "train_micro_batch_size_per_gpu": "auto", "train_batch_size": "auto", "gradient_accumulation_steps": "auto"}' >zero.json
sed -i 's/ds.json/zero.json/' factory.yaml
for file in job.toml ds.json axolotl.yaml factory.yaml nemo.yaml; do
    case $file in nemo.yaml) more="--vocabulary 32000" ;; *) more="-m llama3.1-8b" ;; esac
    echo "--- $file"
    reckon diff $file --best -s h100-sxm5-80g -g 8 $more -o changed.${file#*.} 2>&1 | sed -n '/^[^:]*: B takes/p;/: the plans/p;/^Changes of/,$p'
    diff $file changed.${file#*.}
    reckon diff $file changed.${file#*.} -s h100-sxm5-80g -g 8 $more 2>/dev/null | grep ': B takes'
done
echo "--- what cannot be written"
reckon diff job.toml "+tp2" -s h100-sxm5-80g -g 8 -m llama3.1-8b -o changed.toml
=== stdout
--- job.toml
both fit: B takes 43.7 % less time than A, 3.674 s against 6.528 s per step, 1.78 times the throughput
Changes of the file
argument                            line  from       to    alone    memory
parallelism.tensor_parallel_degree     7  4          1     -21.6 %  +17.99 GiB
compile.enable                         -  not given  true  -10.5 %  -2.56 GiB
activation_checkpoint.mode            10  full       none  -20.0 %  +12.46 GiB
7c7
< tensor_parallel_degree = 4
---
> tensor_parallel_degree = 1
10c10,13
< mode = "full"
---
> mode = "none"
> 
> [compile]
> enable = true
both fit: B takes 43.7 % less time than A, 3.674 s against 6.528 s per step, 1.78 times the throughput
--- ds.json
both fit: the plans are the same
--- axolotl.yaml
both fit: B takes 34.9 % less time than A, 3.311 s against 5.090 s per step, 1.54 times the throughput
Changes of the file
argument                     line  from       to     alone    memory
gradient_checkpointing          4  true       false  -21.8 %  +24.93 GiB
torch_compile                   -  not given  true   -11.5 %  -0.07 GiB
micro_batch_size                2  1          2      -4.5 %   +6.38 GiB
gradient_accumulation_steps     3  8          4      -        -
0a1
> torch_compile: true
2,4c3,5
< micro_batch_size: 1
< gradient_accumulation_steps: 8  # of each GPU
< gradient_checkpointing: true
---
> micro_batch_size: 2
> gradient_accumulation_steps: 4  # of each GPU
> gradient_checkpointing: false
both fit: B takes 34.9 % less time than A, 3.311 s against 5.090 s per step, 1.54 times the throughput
--- factory.yaml
both fit: B takes 34.0 % less time than A, 3.315 s against 5.024 s per step, 1.52 times the throughput
Changes of the file
argument                        line  from       to    alone    memory
disable_gradient_checkpointing     -  not given  true  -22.1 %  +24.93 GiB
enable_liger_kernel                -  not given  true  -11.7 %  -0.07 GiB
per_device_train_batch_size        5  1          2     -4.0 %   +6.38 GiB
gradient_accumulation_steps        6  8          4     -        -
0a1,2
> enable_liger_kernel: true
> disable_gradient_checkpointing: true
5,6c7,8
< per_device_train_batch_size: 1
< gradient_accumulation_steps: 8
---
> per_device_train_batch_size: 2
> gradient_accumulation_steps: 4
both fit: B takes 34.0 % less time than A, 3.315 s against 5.024 s per step, 1.52 times the throughput
--- nemo.yaml
both fit: B takes 61.7 % less time than A, 2.800 s against 7.315 s per step, 2.61 times the throughput
Changes of the file
argument                                  line  from        to                      alone                  memory
model.activations_checkpoint_granularity    18  full        selective               -25.2 %                +5.69 GiB
model.optim.overlap_grad_sync                -  not given   true                    +0.0 %                 +0.00 GiB
model.optim.name                            22  fused_adam  distributed_fused_adam  +0.0 %                 +0.00 GiB
model.tensor_model_parallel_size             6  8           1                       -48.5 %, does not fit  +97.98 GiB
model.optim.overlap_param_sync               -  not given   true                    cannot run             -
6c6
<   tensor_model_parallel_size: 8
---
>   tensor_model_parallel_size: 1
18c18
<   activations_checkpoint_granularity: full
---
>   activations_checkpoint_granularity: selective
22c22,24
<     name: fused_adam
---
>     overlap_param_sync: true
>     overlap_grad_sync: true
>     name: distributed_fused_adam
both fit: B takes 61.7 % less time than A, 2.800 s against 7.315 s per step, 2.61 times the throughput
--- what cannot be written
=== stderr
reckon: -o changed.toml: a configuration is written with the best plan: leave B out, or give another name
=== exit 2
