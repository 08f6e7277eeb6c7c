# keys that nobody knows are named, all of them in one run; those that say by their name that they decide what a run
# costs are refused wherever they stand
try() { # reader file more...
    reader=$1; file=$2; shift 2
    reckon import "$reader" "$file" -m llama3.1-8b --gpus 64 "$@" 2>&1 | grep -v '^ *$' | head -n 7
}
# torchtitan's of 2024, before there was [parallelism]
cat >old.toml <<'TOML'
[job]
dump_folder = "./outputs"
[model]
name = "llama3"
flavor = "8B"
norm_type = "rmsnorm"
tokenizer_path = "./tokenizer.model"
[optimizer]
name = "AdamW"
lr = 3e-4
fused = true
[training]
batch_size = 8
seq_len = 8192
warmup_steps = 200
max_norm = 1.0
steps = 1000
data_parallel_replicate_degree = 1
data_parallel_shard_degree = -1
tensor_parallel_degree = 8
compile = true
dataset = "c4"
[experimental]
context_parallel_degree = 2
pipeline_parallel_degree = 2
pipeline_parallel_microbatches = 4
enable_async_tensor_parallel = true
[checkpoint]
enable_checkpoint = false
model_weights_only = false
[activation_checkpoint]
mode = 'full'
TOML
try torchtitan old.toml
sed 's/^pipeline_parallel_microbatches.*/pipeline_parallel_schedule = "interleaved_1f1b"/' old.toml >schedule.toml; try torchtitan schedule.toml
sed 's/norm_type = .*/norm_type = "np_layernorm"/; /^lr = /s/$/\nfoo_lr = 1/; s/^steps = .*/foo_degree = 3\nsteps = 1/; /^enable_checkpoint/s/^/bar = 1\n/; $s/$/\nlora_rank = 8\n[metrics]\nbaz = true\n[what]\never = 1/' old.toml >new.toml
for i in job model optimizer training experimental checkpoint activation_checkpoint; do grep -q "^\[$i\]" new.toml || echo "no $i"; done
reckon import torchtitan new.toml -m llama3.1-8b --gpus 64; echo "exit $?"
reckon import torchtitan new.toml -m llama3.1-8b --gpus 64 --ignore training.foo_degree,activation_checkpoint.lora_rank,optimizer.foo_lr,checkpoint.bar,metrics.baz,what.ever 2>&1 | head -n 3
# other readers: of a family of keys that decide nothing one that does is refused, and others are named
echo '{"train_batch_size": 64, "train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}, "monitor_config": {"foo": 1}, "comms_logger": {"enabled": true, "lora_rank": 4}, "aio": {"block_size": 1048576, "shard_size": 5}, "bar": 2}' >ds.json
reckon import deepspeed ds.json -m llama3.1-8b --gpus 64 2>&1 | cut -c1-200; 
reckon import deepspeed ds.json -m llama3.1-8b --gpus 64 --ignore bar,comms_logger.lora_rank,aio.shard_size 2>&1 | sed -n 1,2p
reckon export nanotron -m llama3.1-8b gpus8 tp8 gbs64 -o n.yaml
sed 's/^logging:/logging:\n  foo: 3/; s/^tokenizer:/tokenizer:\n  micro_batch_size: 2/; s/name: adamW/name: sgd/' n.yaml >n2.yaml
reckon import nanotron n2.yaml 2>&1 | cut -c1-200
sed 's/^logging:/logging:\n  foo: 3/; s/name: adamW/name: sgd/' n.yaml >n3.yaml
reckon import nanotron n3.yaml 2>&1 | sed -n 1,3p | cut -c1-200
cat >axolotl.yaml <<'YAML'
base_model: meta-llama/Llama-3.1-8B
micro_batch_size: 1
gradient_accumulation_steps: 4
sequence_len: 4096
wandb_foo: 1
lora_foo: 3
dataset_shard_degree: 2
YAML
try axolotl axolotl.yaml
cat >factory.yaml <<'YAML'
stage: pt
finetuning_type: full
use_lora: true
per_device_train_batch_size: 1
bf16: true
YAML
try llama-factory factory.yaml
cat >nemo.yaml <<'YAML'
trainer: {num_nodes: 8, devices: 8, precision: bf16}
model: {micro_batch_size: 1, global_batch_size: 64, encoder_seq_length: 8192, use_lora: true, use_foo: 3, hidden_size_of_foo: 4, num_layers: 32, hidden_size: 4096, num_attention_heads: 32}
exp_manager: {foo: 1}
YAML
reckon import nemo nemo.yaml 2>&1 | head -n 4
# a section with these keys is another tool's file: one refusal, not a list of keys to ignore
printf 'train_args:\n  per_device_train_batch_size: 4\n  gradient_accumulation_steps: 2\n  own_key: 1\nother: 2\n' >section.yaml
reckon import trainer section.yaml -m llama3.1-8b --gpus 8
printf 'ref:\n  training:\n    local_batch_size: 8\nparallelism:\n  tensor_parallel_degree: 2\n' >forge.yaml
reckon import torchtitan forge.yaml -m llama3.1-8b --gpus 8
# DeepSpeed's optimizers by what they store; another one is refused
for o in AdamW Lion SGD OneBitAdam Prodigy; do
    printf '{"train_batch_size": 16, "optimizer": {"type": "%s"}, "zero_optimization": {"stage": 2}}' $o >opt.json
    reckon import opt.json -m llama3.1-8b --gpus 8 | grep -e plan: -e "^precision"
done
# many: those that may decide what the run costs by themselves
printf 'per_device_train_batch_size: 1\na1: 1\na2: 1\na3: 1\na4: 1\na5: 1\na6: 1\na7: 1\na8: 1\nmy_shard_degree: 4\n' >many.yaml
reckon import trainer many.yaml -m llama3.1-8b --gpus 8
=== stdout
llama3.1-8b: 8,030,261,248 parameters, 64 GPUs with torchtitan
  plan: framework=fsdp dp2 tp8 pp2 cp2 mbs2 gbs16 sp tp-overlap cp-kind=gather zero3 grad-overlap
  weight-overlap keep-gathered recompute=full
llama3.1-8b: 8,030,261,248 parameters, 64 GPUs with torchtitan
  plan: framework=fsdp dp2 tp8 pp2 vpp2 cp2 mbs4 gbs16 sp tp-overlap cp-kind=gather zero3
  grad-overlap weight-overlap keep-gathered recompute=full
Assumed because the arguments do not state it
what                                         why
experimental.pipeline_parallel_microbatches  2, one a stage: torchtitan's default
exit 3
reckon: warning: new.toml:6:13: model.norm_type np_layernorm: is not followed: norms are those of --model
reckon: warning: new.toml:18:14: training.foo_degree 3: is left out, as --ignore says: by its name it may decide what the run costs
reckon: warning: new.toml:36:13: activation_checkpoint.lora_rank 8: is left out, as --ignore says: by its name it may decide what the run costs
reckon: ds.json:1:202: comms_logger.lora_rank: is not known, and may decide what the run costs, did you mean comms_logger.prof_all: correct it, or say it by --set and this tool's keys, and --ignore it
reckon: ds.json:1:251: aio.shard_size: is not known, and may decide what the run costs: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: ds.json:1:262: bar: is not known: correct it, or give --ignore bar
reckon: warning: ds.json:1:151: not known: monitor_config.foo: passed over, as others whose names begin so decide no cost
reckon: warning: ds.json:1:151: not known: monitor_config.foo: passed over, as others whose names begin so decide no cost
llama3.1-8b: 8,030,261,248 parameters, 64 GPUs with DeepSpeed
reckon: n2.yaml:26:21: tokenizer.micro_batch_size: is not known, and may decide what the run costs, did you mean tokens.micro_batch_size: correct it, or say it by --set and this tool's keys, and --ign
reckon: warning: n2.yaml:21:8: not known: logging.foo: passed over, as others whose names begin so decide no cost
reckon: warning: n3.yaml:21:8: not known: logging.foo: passed over, as others whose names begin so decide no cost
n3: 8,030,261,248 parameters, 8 GPUs with nanotron
  plan: tp8 gbs64 attention=flash no-transformer-engine optimizer=sgd-momentum vocab-multiple=1
reckon: axolotl.yaml:6:11: lora_foo: is not known, and may decide what the run costs, did you mean lora_r: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: axolotl.yaml:7:23: dataset_shard_degree: is not known, and may decide what the run costs: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: warning: axolotl.yaml:5:12: not known: wandb_foo: passed over, as others whose names begin so decide no cost
reckon: factory.yaml:3:11: use_lora: is not known, and may decide what the run costs, did you mean use_dora: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: nemo.yaml:2:89: model.use_lora: is not known, and may decide what the run costs: correct it, or say it by --set and this tool's keys, and --ignore it then; the vocabulary's size is in the files of the tokenizer; model.use_lora, model.hidden_size_of_foo may decide what the run costs: say them by --set and this tool's keys; and in one line: --vocabulary N --ignore model.use_lora,model.hidden_size_of_foo
reckon: nemo.yaml:2:127: model.hidden_size_of_foo: is not known, and may decide what the run costs, did you mean model.hidden_size: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: warning: nemo.yaml:2:104: not known: model.use_foo, exp_manager.foo: passed over, as others whose names begin so decide no cost
  plan: framework=deepspeed precision=fp32 dp8 mbs2 gbs16 zero2
precision  fp32   neither bf16 nor fp16 is enabled: --set bf16.enabled=true where the trainer is
  plan: framework=deepspeed precision=fp32 dp8 mbs2 gbs16 zero2 optimizer=lion
precision  fp32   neither bf16 nor fp16 is enabled: --set bf16.enabled=true where the trainer is
  plan: framework=deepspeed precision=fp32 dp8 mbs2 gbs16 zero2 optimizer=sgd
precision  fp32   neither bf16 nor fp16 is enabled: --set bf16.enabled=true where the trainer is
  plan: framework=deepspeed precision=fp32 dp8 mbs2 gbs16 zero2
precision  fp32   neither bf16 nor fp16 is enabled: --set bf16.enabled=true where the trainer is
=== stderr
reckon: new.toml:11:10: optimizer.foo_lr: is not known, did you mean optimizer: correct it, or give --ignore optimizer.foo_lr
reckon: warning: new.toml:6:13: model.norm_type np_layernorm: is not followed: norms are those of --model
reckon: new.toml:18:14: training.foo_degree: is not known, and may decide what the run costs, did you mean training: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: new.toml:36:13: activation_checkpoint.lora_rank: is not known, and may decide what the run costs, did you mean activation_checkpoint: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: new.toml:38:7: metrics.baz: is not known, did you mean metrics: correct it, or give --ignore metrics.baz
reckon: new.toml:40:8: what.ever: is not known: correct it, or give --ignore what.ever
reckon: warning: new.toml:31:7: not known: checkpoint.bar: passed over, as others whose names begin so decide no cost
reckon: warning: rope_factor 8: is not written: see that nanotron has it of this model
reckon: warning: attention flash3: cannot be expressed in nanotron: the run has flash
reckon: warning: transformer_engine yes: cannot be expressed in nanotron: the run has no
reckon: section.yaml:2:32: train_args.per_device_train_batch_size 4: this tool has the key without a name before it: this is another's file: give what is below train_args as a file of its own
reckon: forge.yaml:3:23: ref.training.local_batch_size 8: this tool has the key without a name before it: this is another's file: give what is below ref as a file of its own
reckon: note: opt.json is read as a configuration of DeepSpeed: reckon import deepspeed
reckon: note: opt.json is read as a configuration of DeepSpeed: reckon import deepspeed
reckon: note: opt.json is read as a configuration of DeepSpeed: reckon import deepspeed
reckon: note: opt.json is read as a configuration of DeepSpeed: reckon import deepspeed
reckon: warning: opt.json: optimizer.type: of one bit: what it sends is estimated as uncompressed
reckon: note: opt.json is read as a configuration of DeepSpeed: reckon import deepspeed
reckon: opt.json:1:48: optimizer.type Prodigy: must be one of adam|adamw|fusedadam|deepspeedcpuadam|muadam|muadamw|lamb|lion|sgd|musgd|adagrad|muon|onebitadam|zerooneadam|onebitlamb: correct it, or give --set optimizer.type=VALUE
reckon: many.yaml:2:5: a1: is not known: correct it, or give --ignore a1
reckon: many.yaml: correct all that are not known, or give --ignore a1,a2,a3,a4,a5,a6,a7,a8
reckon: many.yaml: these may decide what the run costs: say them by --set and this tool's keys: my_shard_degree
=== exit 3
