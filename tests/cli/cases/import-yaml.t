# What YAML's files of tools do besides keys and values: references, merged maps, documents, lists, other files.
printf 'base_model: Qwen/Qwen3-8B\nmicro_batch_size: ${oc.env:MBS,4}\ngradient_accumulation_steps: ${oc.decode:${oc.env:GAS,2}}\nsequence_len: ${length}\nlength: 4096\noutput_dir: ${base}/out\nbase: /tmp\nbf16: true\n' >refer.yaml
reckon import refer.yaml --gpus 8 | grep plan:
reckon import refer.yaml --gpus 8 --set MBS=1 --set length=2048 | grep plan:
# what stands in the map itself wins over what it takes in
printf 'training_defaults: &d {micro_batch_size: 2, bf16: true, sequence_len: 2048}\nbase_model: Qwen/Qwen3-8B\n<<: *d\nmicro_batch_size: 8\n' >merge.yaml
reckon import merge.yaml --gpus 8 --ignore training_defaults | grep plan:
printf 'base_model: Qwen/Qwen3-8B\nmicro_batch_size: 1\n---\nbase_model: Qwen/Qwen3-8B\nmicro_batch_size: 8\n' >two.yaml; reckon import two.yaml --gpus 8
printf -- '- base_model: Qwen/Qwen3-8B\n  micro_batch_size: 1\n' >list.yaml; reckon import list.yaml --gpus 8
printf 'base_model: Qwen/Qwen3-8B\nmicro_batch_size: {{ size }}\n' >template.yaml; reckon import template.yaml --gpus 8
printf 'defaults:\n- base\n- _self_\nbase_model: Qwen/Qwen3-8B\nmicro_batch_size: 1\n' >defaults.yaml; reckon import defaults.yaml --gpus 8
# GPT-NeoX: no dropout unless it is given; its offload is the plan's
printf '{"num_layers": 2, "hidden_size": 512, "num_attention_heads": 8, "seq_length": 512, "pipe_parallel_size": 1, "train_micro_batch_size_per_gpu": 4, "fp16": {"enabled": true}, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}}' >neox.yml
reckon import neox.yml --gpus 8 --vocabulary 50257 | grep -A 2 -e plan: -e dropout
reckon import neox.yml --gpus 8 --vocabulary 50257 --set optimizer.type=OneBitAdam
# one of its files: all that the others say, at once
printf '{"pipe_parallel_size": 1, "num_layers": 2, "hidden_size": 512}' >part.yml; reckon import gpt-neox part.yml
=== stdout
  plan: framework=fsdp dp8 mbs4 gbs64 seq4096 grad-overlap no-fused loss=padded weight-bytes=2
  plan: framework=fsdp dp8 gbs16 seq2048 grad-overlap no-fused loss=padded weight-bytes=2
  plan: framework=fsdp dp8 mbs8 gbs64 seq2048 grad-overlap no-fused loss=padded weight-bytes=2
  plan: framework=deepspeed precision=fp16 dp8 mbs4 gbs32 zero2 attention=unfused
  no-gradient-fusion no-transformer-engine loss=cloned gradient-bytes=2 offload-optimizer=1
  vocab-multiple=128
--
no dropout  yes               trained without dropout

Assumed because the arguments do not state it
=== stderr
reckon: note: refer.yaml is read as a training of axolotl: reckon import axolotl
reckon: note: refer.yaml is read as a training of axolotl: reckon import axolotl
reckon: note: merge.yaml is read as a training of axolotl: reckon import axolotl
reckon: note: two.yaml is read as a training of axolotl: reckon import axolotl
reckon: two.yaml:4:1: another document begins here: give one of them as a file
reckon: note: list.yaml is read as a training of axolotl: reckon import axolotl
reckon: list.yaml:1:1: keys and values are expected here, not a list: give one of its elements
reckon: note: template.yaml is read as a training of axolotl: reckon import axolotl
reckon: template.yaml:2:20: a key must be a word: fill in what a template left
reckon: note: defaults.yaml is read as a training of axolotl: reckon import axolotl
reckon: defaults.yaml:2:3: defaults.0 base: is a file whose keys count, too: merge it into this file, or give --ignore defaults.0
reckon: note: neox.yml is read as a configuration of GPT-NeoX: reckon import gpt-neox
reckon: note: neox.yml is read as a configuration of GPT-NeoX: reckon import gpt-neox
reckon: --set optimizer.type: OneBitAdam is not covered: give --set optimizer.type=VALUE, one of adam, adamw, sgd, lion, to estimate the run with it
reckon: part.yml: num_attention_heads is not in this file: give the files of the run merged into one, or --set num_attention_heads=VALUE --set seq_length=VALUE --set train_micro_batch_size_per_gpu=VALUE --vocabulary N --gpus N
=== exit 3
