cat >x.yaml <<E
base_model: meta-llama/Llama-3.1-8B
sequence_len: 8192
micro_batch_size: 1
gradient_accumulation_steps: 2
bf16: true
optimizer: adamw_torch_fused
fsdp: [full_shard, auto_wrap]
learning_rate: 2e-5
E
reckon import axolotl x.yaml --model llama3.1-8b --gpus 8; printf "adapter: lora\n" >>x.yaml; reckon import axolotl x.yaml --model llama3.1-8b --gpus 8; printf "{\"zero_optimisation\": {\"stage\": 3}}" >d.json; reckon import deepspeed d.json --model llama3.1-8b
# a plugin alone: Cut Cross Entropy is on, Liger and others say what becomes of them
for plugin in cut_cross_entropy.CutCrossEntropyPlugin liger.LigerPlugin grokfast.GrokfastPlugin; do
  sed /^adapter/d x.yaml >p.yaml; printf "plugins:\n  - axolotl.integrations.$plugin\n" >>p.yaml
  reckon import axolotl p.yaml --model llama3.1-8b --gpus 8 | sed -n '2,3p;/cross/p'
done
=== stdout
llama3.1-8b: 8,030,261,248 parameters, 8 GPUs with axolotl
  plan: framework=fsdp dp8 gbs16 zero3 grad-overlap weight-overlap flat-units no-fused loss=padded

Assumed because the arguments do not state it
what          value   why
fsdp_version  1       accelerate's where none is said
loss          padded  that of transformers since 4.49
  plan: framework=fsdp dp8 gbs16 zero3 grad-overlap weight-overlap flat-units no-fused
  loss-in-chunks
cut_cross_entropy  true   its plugin's preset
  plan: framework=fsdp dp8 gbs16 zero3 grad-overlap weight-overlap flat-units no-fused loss=padded

  plan: framework=fsdp dp8 gbs16 zero3 grad-overlap weight-overlap flat-units no-fused loss=padded

=== stderr
reckon: x.yaml:9:10: adapter: needs a rank: give --set lora_r=16
reckon: d.json:1:33: zero_optimisation.stage: is not known, did you mean zero_optimization.stage: correct it, or give --ignore zero_optimisation.stage; the file leaves a part of the run open; and in one line: --gpus N --set train_micro_batch_size_per_gpu=N --ignore zero_optimisation.stage
reckon: warning: p.yaml:10:5: plugins axolotl.integrations.liger.LigerPlugin: changes nothing alone: liger_fused_linear_cross_entropy, liger_rms_norm and the like turn its kernels on
reckon: warning: p.yaml:10:5: plugins axolotl.integrations.grokfast.GrokfastPlugin: is not followed: what it changes is not known
