# The sizes of Llama 2 7B, and its published count.
cat >llama.yaml <<'END'
data: !include data/dclm.yaml
model:
  type: llama
  seq_len: 4096
  hidden_dim: 4096
  intermediate_dim: 11008
  num_layers: 32
  num_heads: 32
  num_kv_heads: 32
trainer:
  tracker: {type: wandb, project: p}
  mp: p=f32,c=bfloat16
  train_batch_size: 256
  per_device_parallelism: 2
  model_axis_size: 2
  tensor_parallel_axes: ["mlp", "heads"]
  fsdp_axis: "embed"
optimizer: {learning_rate: 4e-4}
END
reckon import levanter llama.yaml --gpus 32 --vocabulary 32000 2>/dev/null | sed -n '1,2p'
reckon import llama.yaml --gpus 32 --vocabulary 32000 2>&1 >/dev/null | head -n 1
printf 'initialize_from_hf: meta-llama/Llama-2-7b-hf\nuse_hf_model_config: true\ntrainer: {train_batch_size: 64, mp: "p=f32,c=bfloat16"}\n' >hub.yaml
reckon import levanter hub.yaml --gpus 8 | sed -n '1,2p'
for line in 'hidden_dimm: 8' 'type: hyena'; do sed "s/^  ${line%%:*}: .*//; s/^model:/model:\n  $line/" llama.yaml | grep -v "^  type: llama" >bad.yaml; reckon import levanter bad.yaml --gpus 8 --vocabulary 32000; done
echo 'train_urls: [a]' >data.yaml; reckon import levanter data.yaml --gpus 8
=== stdout
llama: 6,738,415,616 parameters, 32 GPUs with Levanter
  plan: framework=fsdp dp16 tp2 mbs2 gbs256 zero3 grad-overlap weight-overlap recompute=full
reckon: note: llama.yaml is read as a training of Levanter: reckon import levanter
hub: 6,738,415,616 parameters, 8 GPUs with Levanter
  plan: framework=fsdp dp8 mbs8 gbs64 zero3 grad-overlap weight-overlap recompute=full
=== stderr
reckon: bad.yaml:3:16: model.hidden_dimm: is not known, and may decide what the run costs, did you mean model.hidden_dim: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: bad.yaml:3:9: model.type: hyena is not covered: gpt2, llama, mistral, mixtral, qwen, qwen3, olmo2 and gemma are
reckon: data.yaml: has neither a model nor a trainer: data or an optimizer alone make no run
=== exit 3
