#!/bin/sh
# No reader passes a key that nobody knows in silence: each file of other tools gets one in each of its sections,
# which has to be named; one that by its name decides what a run costs is refused; of many all are named in one run.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
cat >try.py <<'PY'
import copy, json, os, subprocess, sys

reckon = os.environ["RECKON"]

# Files as people have them, by reader; what the reader takes beside the file.
MODEL = ["-m", "llama3.1-8b", "--gpus", "64"]
NO_MODEL = ["--gpus", "64"]
shape = {"num_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "ffn_hidden_size": 14336, "num_query_groups": 8, "group_query_attention": True,
         "max_position_embeddings": 8192, "vocab_size": 32000, "swiglu": True, "normalization": "RMSNorm", "disable_bias_linear": True}
training = {"tensor_model_parallel_size": 2, "pipeline_model_parallel_size": 2, "micro_batch_size": 1, "global_batch_size": 64, "bf16": True,
            "use_distributed_optimizer": True, "lr": 1e-4, "train_iters": 100}
files = {
    "deepspeed": ("ds.json", MODEL, {
        "train_batch_size": 64, "train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": True}, "gradient_clipping": 1.0,
        "zero_optimization": {"stage": 3, "overlap_comm": True, "offload_optimizer": {"device": "cpu"}, "offload_param": {"device": "none"}},
        "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 10}},
        "activation_checkpointing": {"partition_activations": False}, "aio": {"block_size": 1048576}, "flops_profiler": {"enabled": False},
        "comms_logger": {"enabled": False}, "monitor_config": {"tensorboard": {"enabled": False}}, "tensorboard": {"enabled": False}, "data_types": {"grad_accum_dtype": "fp32"},
        "checkpoint": {"load_universal": False}, "elasticity": {"enabled": False}, "compile": {"enabled": False}, "tensor_parallel": {"autotp_size": 1}}),
    "torchtitan": ("job.toml", MODEL, {
        "job": {"dump_folder": "./outputs"}, "profiling": {"enable_profiling": False}, "metrics": {"log_freq": 10}, "model": {"name": "llama3", "flavor": "8B"},
        "optimizer": {"name": "AdamW", "lr": 3e-4}, "lr_scheduler": {"warmup_steps": 200}, "training": {"local_batch_size": 1, "seq_len": 8192, "steps": 1000},
        "parallelism": {"data_parallel_shard_degree": -1, "tensor_parallel_degree": 2}, "checkpoint": {"interval": 500}, "activation_checkpoint": {"mode": "selective"},
        "compile": {"enable": False}, "comm": {"init_timeout_seconds": 300}}),
    "accelerate": ("default_config.yaml", MODEL, {
        "compute_environment": "LOCAL_MACHINE", "distributed_type": "FSDP", "mixed_precision": "bf16", "num_machines": 8, "num_processes": 64, "debug": False,
        "fsdp_config": {"fsdp_version": 2, "fsdp_reshard_after_forward": True}, "dynamo_config": {"dynamo_backend": "NO"}, "parallelism_config": {"parallelism_config_tp_size": 1},
        "per_device_train_batch_size": 1}),
    "trainer": ("args.json", MODEL, {
        "per_device_train_batch_size": 1, "gradient_accumulation_steps": 4, "bf16": True, "gradient_checkpointing": True, "learning_rate": 1e-5, "output_dir": "out",
        "fsdp": "full_shard auto_wrap", "fsdp_config": {"backward_prefetch": "backward_pre"}, "accelerator_config": {"split_batches": False}}),
    "trainer ": ("deepspeed.json", MODEL, {
        "per_device_train_batch_size": 1, "bf16": True, "output_dir": "out",
        "deepspeed": {"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto"},
                      "optimizer": {"type": "AdamW", "params": {"lr": "auto"}}}}),
    "axolotl": ("axolotl.yaml", MODEL, {
        "base_model": "meta-llama/Llama-3.1-8B", "micro_batch_size": 1, "gradient_accumulation_steps": 4, "sequence_len": 4096, "bf16": True, "num_epochs": 1,
        "datasets": [{"path": "x", "type": "alpaca"}], "special_tokens": {"pad_token": "<pad>"}, "fsdp_config": {"reshard_after_forward": True}, "fsdp_version": 2, "wandb_project": "x"}),
    "llama-factory": ("factory.yaml", MODEL, {
        "model_name_or_path": "x", "stage": "pt", "finetuning_type": "full", "per_device_train_batch_size": 1, "gradient_accumulation_steps": 4, "bf16": True, "cutoff_len": 4096,
        "dataset": "x", "template": "llama3", "output_dir": "out", "learning_rate": 1e-5}),
    "gpt-neox": ("neox.yaml", NO_MODEL + ["--vocabulary", "50257"], {
        "num_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "seq_length": 4096, "max_position_embeddings": 4096, "train_micro_batch_size_per_gpu": 1,
        "gradient_accumulation_steps": 4, "pipe_parallel_size": 1, "model_parallel_size": 2, "precision": "bfloat16", "make_vocab_size_divisible_by": 128,
        "optimizer": {"type": "Adam", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": 1}, "train_iters": 100, "wandb_project": "x"}),
    "nanotron": ("nanotron.yaml", NO_MODEL, {
        "checkpoints": {"checkpoint_interval": 100, "checkpoints_path": "x"}, "data_stages": [{"name": "s", "start_training_step": 1, "data": {"dataset": None, "seed": 42, "num_loading_workers": 1}}],
        "general": {"project": "p", "run": "r", "seed": 42}, "lighteval": None, "logging": {"iteration_step_info_interval": 1, "log_level": "info"},
        "model": {"ddp_bucket_cap_mb": 25, "dtype": "bfloat16", "init_method": {"std": 0.02}, "make_vocab_size_divisible_by": 1,
                  "model_config": {"bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02, "intermediate_size": 14336, "is_llama_config": True,
                                   "max_position_embeddings": 4096, "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "rms_norm_eps": 1e-5, "rope_theta": 1e4,
                                   "tie_word_embeddings": False, "use_cache": True, "vocab_size": 32000}},
        "optimizer": {"accumulate_grad_in_fp32": True, "clip_grad": 1.0, "weight_decay": 0.01, "zero_stage": 0, "learning_rate_scheduler": {"learning_rate": 3e-4, "lr_warmup_steps": 2},
                      "optimizer_factory": {"name": "adamW", "adam_beta1": 0.9, "adam_beta2": 0.95, "adam_eps": 1e-8, "torch_adam_is_fused": True}},
        "parallelism": {"dp": 8, "expert_parallel_size": 1, "pp": 2, "pp_engine": "1f1b", "tp": 4, "tp_linear_async_communication": True, "tp_mode": "REDUCE_SCATTER"},
        "profiler": None, "tokenizer": {"tokenizer_name_or_path": "x"},
        "tokens": {"batch_accumulation_per_replica": 8, "limit_test_batches": 0, "limit_val_batches": 0, "micro_batch_size": 1, "sequence_length": 4096, "train_steps": 20, "val_check_interval": -1}}),
    "nemo": ("nemo.yaml", NO_MODEL + ["--vocabulary", "32000"], {
        "trainer": {"num_nodes": 8, "devices": 8, "precision": "bf16", "max_steps": 100}, "exp_manager": {"name": "x", "checkpoint_callback_params": {"save_top_k": 1}},
        "model": {"micro_batch_size": 1, "global_batch_size": 64, "encoder_seq_length": 8192, "max_position_embeddings": 8192, "num_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
                  "ffn_hidden_size": 14336, "tensor_model_parallel_size": 2, "tokenizer": {"library": "sentencepiece"}, "data": {"num_workers": 2, "data_prefix": None},
                  "optim": {"name": "distributed_fused_adam", "lr": 1e-4, "sched": {"name": "CosineAnnealing", "warmup_steps": 10}}}}),
    "nemo ": ("bridge.yaml", NO_MODEL, {
        "model": {"_target_": "megatron.bridge.models.llama.llama_provider.Llama31ModelProvider8B", "num_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "ffn_hidden_size": 14336,
                  "num_query_groups": 8, "seq_length": 8192, "vocab_size": 128256, "tensor_model_parallel_size": 2},
        "train": {"micro_batch_size": 1, "global_batch_size": 64, "train_iters": 100}, "optimizer": {"optimizer": "adam", "use_distributed_optimizer": True, "lr": 1e-4},
        "ddp": {"overlap_grad_reduce": True}, "scheduler": {"lr_decay_style": "cosine"}, "dataset": {"sequence_length": 8192}, "logger": {"log_interval": 10},
        "tokenizer": {"tokenizer_type": "NullTokenizer", "vocab_size": 128256}, "checkpoint": {"save": "x"}, "rng": {"seed": 1234}, "dist": {"distributed_backend": "nccl"}}),
    "megatron-yaml": ("megatron.yaml", NO_MODEL, {**shape, **training, "seq_length": 4096}),
    "primus": ("primus.yaml", NO_MODEL, {
        "work_group": "x", "user_name": "x", "exp_name": "x", "workspace": "./output",
        "modules": {"pre_trainer": {"framework": "megatron", "overrides": {**shape, **training, "seq_length": 4096}}}}),
    "mindspeed-fsdp2": ("fsdp2.yaml", MODEL, {
        "model": {"model_name_or_path": "x"}, "data": {"dataset": "x", "cutoff_len": 4096}, "parallel": {"fsdp_size": 64, "recompute": True},
        "training": {"per_device_train_batch_size": 1, "gradient_accumulation_steps": 4, "lr": 1e-5, "optimizer": "adamw"}, "optimization": {"use_flash_attn": True}}),
    "flagscale": ("flagscale.yaml", NO_MODEL, {
        "system": {"tensor_model_parallel_size": 2, "precision": {"bf16": True}, "logging": {"log_interval": 1}, "checkpoint": {"save_interval": 100}},
        "model": {**shape, "seq_length": 4096, "micro_batch_size": 1, "global_batch_size": 64, "optimizer": {"lr": 1e-4, "weight_decay": 0.1}},
        "data": {"data_path": "x", "tokenizer": {"tokenizer_type": "QwenTokenizerFS", "vocab_size": 32000}}}),
}


def toml(value, name=""):
    if not isinstance(value, dict):
        return json.dumps(value)
    plain = [f"{k} = {toml(v)}" for k, v in value.items() if not isinstance(v, dict)]
    tables = [toml(v, f"{name}.{k}" if name else k) for k, v in value.items() if isinstance(v, dict)]
    return "\n".join(([f"[{name}]"] if name else []) + plain + tables)


def write(path, value):
    with open(path, "w") as file:
        file.write(toml(value) if path.endswith(".toml") else json.dumps(value, indent=1))


def sections(value, place=()):
    if isinstance(value, dict):
        yield place
        for key, inner in value.items():
            yield from sections(inner, place + (key,))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from sections(inner, place + (i,))


def put(value, place, key, what):
    for step in place:
        value = value[step]
    value[key] = what


def ask(reader, path, beside):
    done = subprocess.run([reckon, "import", reader.strip(), path] + beside, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


failures = tried = 0


def fault(what, said):
    global failures
    failures += 1
    print(what)
    print("   ", "\n    ".join(said.split("\n")[:4]))


# A name of nothing; one as a rate or an interval would have it; one that decides a cost.
keys = [("zqx", 1, False), ("zqx_steps", 5, False), ("use_lora", True, True), ("zqx_degree", 3, True)]
for reader, (path, beside, value) in files.items():
    if reader == "torchtitan":
        places = [p for p in sections(value) if p]  # what stands above all tables is no file of it
    else:
        places = list(sections(value))
    write(path, value)
    status, said = ask(reader, path, beside)
    if status:
        fault(f"{reader}: the file itself is refused", said)
        continue
    for place in places:
        for key, what, decides in keys:
            other = copy.deepcopy(value)
            put(other, place, key, what)
            write(path, other)
            status, said = ask(reader, path, beside)
            tried += 1
            where = ".".join(map(str, place + (key,)))
            if key not in said and key.replace("_", "-") not in said:
                fault(f"{reader}: {where} is not named", said)
            elif decides and status != 3:
                fault(f"{reader}: {where} is not refused", said)
    other = copy.deepcopy(value)
    names = []
    for i, place in enumerate(places):
        names.append(f"zqx{chr(97 + i // 26)}{chr(97 + i % 26)}")
        put(other, place, names[-1], 1)
    write(path, other)
    status, said = ask(reader, path, beside)
    for name in names:
        if name not in said:
            fault(f"{reader}: of {len(names)} unknown keys {name} is not named", said)
            break
print(tried, "keys of", len(files), "readers")
sys.exit(1 if failures or tried < 300 else 0)
PY
python3 try.py || exit 1

# Two formats that no table reads: all that is not theirs is refused.
"$RECKON" export galvatron -m llama2-7b gpus8 tp2 dp4 gbs32 -o g.json || exit 1
sed -i '1s/.*/{ "zqx": 1, "use_lora": true,/' g.json
"$RECKON" check g.json -m llama2-7b -s a100-sxm4-80g >said && exit 1
for key in zqx use_lora; do grep -q "1.unknown: $key: " said || { echo "galvatron: $key is not named"; exit 1; }; done
echo "SwitchName=s0 Nodes=n[0-7] Zqx=1" >topology.conf
"$RECKON" import slurm topology.conf 2>said && exit 1
grep -q Zqx said || { echo "slurm: Zqx is not named"; exit 1; }
