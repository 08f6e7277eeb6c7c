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
# merged maps that merge others, and lists of them; the nearest wins, then the first
printf 'c: &c {micro_batch_size: 3, sequence_len: 1024, bf16: true}\nb: &b {<<: *c, micro_batch_size: 2}\nbase_model: Qwen/Qwen3-8B\n<<: *b\n' >nested.yaml
reckon import nested.yaml --gpus 8 --ignore b,c 2>/dev/null | grep plan:
printf 'x: &x {micro_batch_size: 2}\ny: &y {micro_batch_size: 8, sequence_len: 512}\nbase_model: Qwen/Qwen3-8B\nbf16: true\n<<: [*x, *y]\n---\n' >list-of.yaml
reckon import list-of.yaml --gpus 8 --ignore x,y 2>/dev/null | grep plan:
printf 'base_model: Qwen/Qwen3-8B\n<<: [*x, 3]\n' | sed 's/\*x/{bf16: true}/' >number.yaml; reckon import axolotl number.yaml --gpus 8
printf 'base_model: Qwen/Qwen3-8B\nx: &x {<<: *x}\n' >round.yaml; reckon import axolotl round.yaml --gpus 8
printf 'base_model: Qwen/Qwen3-8B\n---\n---\nmicro_batch_size: 2\n' >third.yaml; reckon import axolotl third.yaml --gpus 8
# a key that decides what a run costs is no variable, whoever refers to it, but where a key is nothing else
printf 'per_device_train_batch_size: 1\nbf16: true\nseq_len: 1024\nmax_length: ${seq_len}\n' >whole.yaml; reckon import trainer whole.yaml -m llama3.1-8b --gpus 8 2>/dev/null | grep plan:
printf 'per_device_train_batch_size: 1\nbf16: true\nmax_length: 2048\ncontext_parallel_degree: 4\noutput_dir: out_${context_parallel_degree}_${note}\nnote: a\n' >degree.yaml; reckon import trainer degree.yaml -m llama3.1-8b --gpus 8
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
  plan: framework=fsdp dp8 mbs2 gbs16 seq1024 grad-overlap no-fused loss=padded weight-bytes=2
  plan: framework=fsdp dp8 mbs2 gbs16 seq512 grad-overlap no-fused loss=padded weight-bytes=2
  plan: framework=fsdp dp8 gbs8 seq1024 grad-overlap no-fused loss=padded autocast
=== stderr
reckon: note: refer.yaml is read as a training of axolotl: reckon import axolotl
reckon: note: refer.yaml is read as a training of axolotl: reckon import axolotl
reckon: note: merge.yaml is read as a training of axolotl: reckon import axolotl
reckon: warning: merge.yaml:1:42: training_defaults.micro_batch_size 2: is left out, as --ignore says: by its name it may decide what the run costs
reckon: warning: merge.yaml:1:71: training_defaults.sequence_len 2048: is left out, as --ignore says: by its name it may decide what the run costs
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
reckon: number.yaml:2:20: maps are expected in the list after <<
reckon: round.yaml:2:4: nested too deeply
reckon: third.yaml:4:1: another document begins here: give one of them as a file
reckon: degree.yaml:4:26: context_parallel_degree: is not known, and may decide what the run costs: correct it, or say it by --set and this tool's keys, and --ignore it then
=== exit 3
