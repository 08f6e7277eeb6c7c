# What files of people have that those of the tools do not: another trainer's beta, words twice, names of their own.
# GRPO's beta is no preference's, and what it generates is not a part of the step
printf 'model_name_or_path: Qwen/Qwen2.5-3B-Instruct\nbf16: true\nper_device_train_batch_size: 1\nbeta: 0.001\nnum_generations: 8\nmax_completion_length: 1024\nmax_length: 2048\n' >grpo.yaml; reckon import grpo.yaml
reckon import grpo.yaml --gpus 8 --ignore num_generations | grep -A 1 plan:
# SimPO has no reference; a preference's longest sample is trl's own
printf 'model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct\nbf16: true\nper_device_train_batch_size: 2\nbeta: 2.0\ngamma_beta_ratio: 0.5\nmax_length: 2048\n' >simpo.yaml; reckon import simpo.yaml --gpus 8 | grep -A 1 plan:
printf 'model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct\nbf16: true\nper_device_train_batch_size: 2\nbeta: 0.1\n' >dpo.yaml; reckon import dpo.yaml --gpus 8 --set rl=dpo | grep -e plan: -e max_length
# the last of two counts, words and sections, and the answer says so
printf 'base_model: Qwen/Qwen3-8B\nmicro_batch_size: 2\nbf16: true\nfsdp_config: {fsdp_offload_params: true}\nsequence_len: 2048\nmicro_batch_size: 4\nfsdp_config: {fsdp_version: 2}\n' >twice.yaml; reckon import twice.yaml --gpus 8 | grep -A 1 plan:
# one line for all: elements as their list, names that may decide, which the answer warns of
printf 'base_model: Qwen/Qwen3-8B\nmicro_batch_size: 2\nbf16: true\nsequence_len: 2048\nmy_words: [a, b, c]\nmy_global_batch_size: 96\n' >own.yaml; reckon import own.yaml
reckon import own.yaml --gpus 8 --ignore my_words,my_global_batch_size | grep plan:
# of names that are longer than a message shows, what it shows
printf '{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2}, "a_section_of_somebody": {"with_a_longer_name": {"and_another_one": {"lora_rank": 8}}}}' >long.json
reckon import long.json -m llama3.1-8b --gpus 8
reckon import long.json -m llama3.1-8b --gpus 8 --ignore a_section_of_somebody.with_a_longer_name.and_another_one.lora_rank | grep plan:
# axolotl's checkpoints that go to the host, a kernel of the Hub
printf 'base_model: Qwen/Qwen3-8B\nmicro_batch_size: 2\nbf16: true\nsequence_len: 2048\ngradient_checkpointing: offload\nattn_implementation: kernels-community/vllm-flash-attn3\n' >offload.yaml; reckon import offload.yaml --gpus 8 | grep -A 2 plan:
# nanotron: bf16 where no type is said; a shape under the section's wildcard is refused
printf 'model:\n  model_config: {hidden_size: 1024, num_hidden_layers: 8, num_attention_heads: 16, num_kv_heads: 4, intermediate_size: 2816, vocab_size: 32000, my_head_dim: 64}\nparallelism: {dp: 4, tp: 1, pp: 1}\ntokens: {micro_batch_size: 4, batch_accumulation_per_replica: 1, sequence_length: 1024}\n' >nano.yaml; reckon import nano.yaml
reckon import nano.yaml --set model.model_config.head_dim=64 --ignore model.model_config.my_head_dim | grep -e parameters, -e plan: -e dtype
# whose files they are
printf 'policy:\n  model_name: a\n  dtensor_cfg:\n    automodel_kwargs: {backend: {_target_: nemo_automodel.x}}\ncluster: {gpus_per_node: 8}\n' >rl.yaml; reckon import rl.yaml
printf 'display_name: a\ninstance_types: [ml.p5.48xlarge]\ntraining_config:\n  training_args: {train_batch_size: 128}\n' >hyperpod.yaml; reckon import hyperpod.yaml
printf 'data: {instruct_data: a}\nmodel_id_or_path: b\nlora: {rank: 64}\nseq_len: 32768\nbatch_size: 1\nckpt_freq: 100\n' >finetune.yaml; reckon import finetune.yaml
printf 'max_steps = 10\n[ckpt]\n[model]\nname = "a"\n[data]\nbatch_size = 4\nseq_len = 1024\n' >sft.toml; reckon import sft.toml
printf 'model_name_or_path: a\nadapter_name_or_path: b\nexport_dir: c\n' >merge.yaml; reckon import merge.yaml
printf '{"tuner_type": "full", "per_device_train_batch_size": 1, "model_type": "qwen3", "max_length": 2048, "bf16": true, "adapter_act": "gelu", "lora_ga_batch_size": 2, "my_size": null}' >args.json; reckon import args.json -m qwen3-8b --gpus 8 | grep plan:
printf '{"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 512, "hidden_act": "silu", "rms_norm_eps": 1e-6, "tie_word_embeddings": false}' >config.json; reckon import config.json
reckon import config.json --as llama | grep parameters
=== stdout
  plan: framework=fsdp dp8 gbs8 seq2048 grad-overlap no-fused loss=padded autocast

  plan: framework=fsdp dp8 mbs2 gbs16 seq2048 grad-overlap no-fused loss=padded objective=simpo
  autocast
  plan: framework=fsdp dp8 mbs2 gbs16 seq1024 grad-overlap no-fused loss=padded objective=dpo
max_length          1024                                 trl's default of preferences
  plan: framework=fsdp dp8 mbs4 gbs32 seq2048 zero3 grad-overlap weight-overlap no-fused
  loss=padded
  plan: framework=fsdp dp8 mbs2 gbs16 seq2048 grad-overlap no-fused loss=padded weight-bytes=2
  plan: framework=deepspeed precision=fp32 dp8 gbs8 zero2
  plan: framework=fsdp dp8 mbs2 gbs16 seq2048 grad-overlap recompute=full recompute-to-end
  attention=flash3 no-fused loss=padded weight-bytes=2 gradient-bytes=2 moment1-bytes=2
  moment2-bytes=2 offload-activations=1
nano: 155,730,944 parameters, 4 GPUs with nanotron
  plan: dp4 mbs4 gbs16 attention=flash no-transformer-engine vocab-multiple=1
model.dtype  bfloat16  nanotron's default
  plan: framework=fsdp dp8 gbs8 seq2048 grad-overlap recompute=full recompute-to-end no-fused
95,040 parameters
parameters       95.04 K           trainable parameters
=== stderr
reckon: note: grpo.yaml is read as a training of Hugging Face: reckon import trainer
reckon: grpo.yaml:5:18: num_generations 8: answers are generated between the steps (GRPO), which plans do not cover: give --ignore num_generations to estimate the run without it; nothing says how many GPUs are used; and in one line: --gpus N --ignore num_generations
reckon: warning: grpo.yaml:6:24: max_completion_length 1024: is not followed: give the longest prompt with its answer with --set max_length=N
reckon: note: grpo.yaml is read as a training of Hugging Face: reckon import trainer
reckon: warning: grpo.yaml:6:24: max_completion_length 1024: is not followed: give the longest prompt with its answer with --set max_length=N
reckon: note: simpo.yaml is read as a training of Hugging Face: reckon import trainer
reckon: note: dpo.yaml is read as a training of Hugging Face: reckon import trainer
reckon: note: twice.yaml is read as a training of axolotl: reckon import axolotl
reckon: warning: twice.yaml:6:19: micro_batch_size 4: is given twice: that of line 2 is dropped, as the tool does
reckon: warning: twice.yaml:7:29: fsdp_config.fsdp_version 2: is given twice: that of line 4 is dropped, as the tool does
reckon: note: own.yaml is read as a training of axolotl: reckon import axolotl
reckon: own.yaml:5:12: my_words.0: is not known: correct it, or give --ignore my_words.0; nothing says how many GPUs are used; 2 more keys are not known; my_global_batch_size may decide what the run costs: say it by --set and this tool's keys; and in one line: --gpus N --ignore my_words,my_global_batch_size
reckon: own.yaml:5:15: my_words.1: is not known: correct it, or give --ignore my_words.1
reckon: own.yaml:5:18: my_words.2: is not known: correct it, or give --ignore my_words.2
reckon: own.yaml:6:23: my_global_batch_size: is not known, and may decide what the run costs: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: note: own.yaml is read as a training of axolotl: reckon import axolotl
reckon: warning: own.yaml:6:23: my_global_batch_size 96: is left out, as --ignore says: by its name it may decide what the run costs
reckon: note: long.json is read as a configuration of DeepSpeed: reckon import deepspeed
reckon: long.json:1:156: a_section_of_somebody.with_a_longer_name.and_another_one.lora_rank: is not known, and may decide what the run costs: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: note: long.json is read as a configuration of DeepSpeed: reckon import deepspeed
reckon: warning: long.json:1:156: a_section_of_somebody.with_a_longer_name.and_another_one.lora_rank 8: is left out, as --ignore says: by its name it may decide what the run costs
reckon: note: offload.yaml is read as a training of axolotl: reckon import axolotl
reckon: note: nano.yaml is read as a training of nanotron: reckon import nanotron
reckon: nano.yaml:2:158: model.model_config.my_head_dim: is not known, and may decide what the run costs, did you mean model.model_config.head_dim: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: note: nano.yaml is read as a training of nanotron: reckon import nanotron
reckon: rl.yaml: this is a NeMo RL configuration; reckon does not read it: say model, batch and degrees as words of reckon predict
reckon: hyperpod.yaml: this is a SageMaker HyperPod recipe; reckon does not read it: say model, batch and sharding as words of reckon predict, framework=fsdp
reckon: finetune.yaml: this is a mistral-finetune configuration; reckon does not read it: say model, batch and lora as words of reckon predict, framework=fsdp; its keys, by their names, say seq=32768 mbs|gbs=1
reckon: sft.toml: this is a prime-rl configuration; reckon does not read it: give the sizes and degrees of its trainer as a plan, framework=fsdp
reckon: merge.yaml: this is a LLaMA-Factory file of an export or a server; reckon does not read it: it trains nothing: give the YAML of the training
reckon: note: args.json is read as a file of arguments of ms-swift: reckon import ms-swift
reckon: note: config.json is read as a config.json of Hugging Face: reckon import hf
reckon: config.json:1:1: missing key "model_type": add it, or give --as TYPE; reckon import hf --help lists the types
reckon: note: config.json is read as a config.json of Hugging Face: reckon import hf
