# fine-tuning: each tool's file has data and a rate that suit what is trained
E="llama3.1-8b gpus8 framework=fsdp dp8 gbs64 zero3 recompute=full"
for t in axolotl llama-factory trl torchtune; do
  for w in "" lora16 objective=dpo "objective=dpo lora16"; do
    echo "== $t $w"
    reckon export $t $E $w 2>&1 | grep -E '^# (tune|trl) |path:|dataset:|_name:|_dataset|learning_rate|^  lr|^rl:|objective|reference'
  done
done
# what trains something else is refused, not remarked
reckon export trl $E objective=simpo -o refused.yaml; echo "exit $?"
for t in torchtitan megatron nanotron; do reckon export $t llama3.1-8b gpus8 dp8 gbs64 lora16 -o refused; echo "exit $?"; done
ls refused* 2>/dev/null
# a refusal names the tools whose files, read back, have the value
for w in objective=orpo objective=simpo "lora16 lora-whole=head" adapters=4; do for t in trl torchtune megatron; do
  echo "== $t $w"; reckon export $t $E $w 2>&1 | grep 'trains something else'
done; done
# trl's trainers of preferences have no `packing`; the objective is its command: a comment says it
for w in "" packed=300 objective=dpo "objective=kto packed=300"; do
  echo "== trl $w"; reckon export trl $E $w 2>/dev/null -o trl.yaml; grep -E 'packing|packed|objective' trl.yaml
  reckon import trl.yaml -m llama3.1-8b --gpus 8 2>&1 | grep -E 'objective|packed'
done
# torchtune has no recipe of one device for DPO of all weights
for w in objective=dpo "objective=dpo lora16" ""; do
  reckon export torchtune llama3.1-8b gpus1 framework=fsdp gbs8 $w 2>/dev/null | grep '^# tune'
done
# whatever is written is known when it is read
for t in axolotl llama-factory trl torchtune; do
  for w in "" objective=dpo objective=kto "packed=300 length-grouped" weight-bytes=2 "lora16 lora-whole=embedding+head" "lora16 base=nf4 dora"; do
    rm -f own.yaml; reckon export $t $E $w -o own.yaml 2>/dev/null && reckon import own.yaml -m llama3.1-8b --gpus 8 2>&1 | grep 'not known'
  done
done
# a file beside the training code leaves it to that
reckon export accelerate $E lora16 2>&1 >/dev/null | grep lora
# --save-script takes the tool that says it, or refuses
P="reckon predict llama3.1-8b h100-sxm5-80g -g 8 framework=fsdp zero3 recompute=full gbs64"
$P lora16 --tokens 50M --save-script lora.sh >/dev/null 2>&1; grep -E '^# The run|^(cat|use_peft|lora_r)|-m ' lora.sh
$P objective=dpo --save-script dpo.sh >/dev/null 2>&1; grep -E '^(cat|rl)|-m ' dpo.sh
reckon predict llama3.1-8b h100-sxm5-80g -g 8 framework=megatron lora16 --save-script refused.sh >/dev/null; echo "exit $?"
=== stdout
== axolotl 
  - path: tatsu-lab/alpaca
learning_rate: 2.0e-5
== axolotl lora16
  - path: tatsu-lab/alpaca
learning_rate: 2.0e-4
== axolotl objective=dpo
  - path: Intel/orca_dpo_pairs
learning_rate: 5.0e-7
rl: dpo
== axolotl objective=dpo lora16
  - path: Intel/orca_dpo_pairs
learning_rate: 2.0e-4
rl: dpo
== llama-factory 
model_name_or_path: llama3.1-8b # your checkpoint of it
dataset: alpaca_en_demo
learning_rate: 1.0e-5
== llama-factory lora16
model_name_or_path: llama3.1-8b # your checkpoint of it
dataset: alpaca_en_demo
learning_rate: 1.0e-4
== llama-factory objective=dpo
model_name_or_path: llama3.1-8b # your checkpoint of it
dataset: dpo_en_demo
learning_rate: 5.0e-7
== llama-factory objective=dpo lora16
model_name_or_path: llama3.1-8b # your checkpoint of it
dataset: dpo_en_demo
learning_rate: 5.0e-6
== trl 
# trl 0.23 and later, written by reckon 0.2.0, for
# trl sft --config trl.yaml --num_processes 8
model_name_or_path: llama3.1-8b # your checkpoint of it
dataset_name: trl-lib/Capybara
learning_rate: 2.0e-5
== trl lora16
# trl 0.23 and later, written by reckon 0.2.0, for
# trl sft --config trl.yaml --num_processes 8
model_name_or_path: llama3.1-8b # your checkpoint of it
dataset_name: trl-lib/Capybara
learning_rate: 2.0e-4
== trl objective=dpo
# trl 0.23 and later, written by reckon 0.2.0, for
# trl dpo --config trl.yaml --num_processes 8
# reckon: objective=dpo
model_name_or_path: llama3.1-8b # your checkpoint of it
dataset_name: trl-lib/ultrafeedback_binarized
learning_rate: 5.0e-7
== trl objective=dpo lora16
# trl 0.23 and later, written by reckon 0.2.0, for
# trl dpo --config trl.yaml --num_processes 8
# reckon: objective=dpo
model_name_or_path: llama3.1-8b # your checkpoint of it
dataset_name: trl-lib/ultrafeedback_binarized
learning_rate: 5.0e-6
== torchtune 
# tune run --nproc_per_node 8 full_finetune_distributed --config torchtune.yaml
dataset:
  _component_: torchtune.datasets.alpaca_cleaned_dataset
  lr: 2.0e-5
== torchtune lora16
# tune run --nproc_per_node 8 lora_finetune_distributed --config torchtune.yaml
dataset:
  _component_: torchtune.datasets.alpaca_cleaned_dataset
  lr: 3.0e-4
== torchtune objective=dpo
# tune run --nproc_per_node 8 full_dpo_distributed --config torchtune.yaml
dataset:
  _component_: torchtune.datasets.stack_exchange_paired_dataset
  lr: 2.0e-5
== torchtune objective=dpo lora16
# tune run --nproc_per_node 8 lora_dpo_distributed --config torchtune.yaml
dataset:
  _component_: torchtune.datasets.stack_exchange_paired_dataset
  lr: 5.0e-4
exit 1
exit 1
exit 1
exit 1
== trl objective=orpo
reckon: objective orpo: cannot be expressed in trl: the run has next-token and trains something else: files that train it: reckon export axolotl, llama-factory
== torchtune objective=orpo
reckon: objective orpo: cannot be expressed in torchtune: the run has next-token and trains something else: files that train it: reckon export axolotl, llama-factory
== megatron objective=orpo
reckon: objective orpo: cannot be expressed in Megatron Core 0.19: the run has next-token and trains something else: files that train it: reckon export axolotl, llama-factory
== trl objective=simpo
reckon: objective simpo: cannot be expressed in trl: the run has next-token and trains something else: files that train it: reckon export axolotl, llama-factory
== torchtune objective=simpo
reckon: objective simpo: cannot be expressed in torchtune: the run has next-token and trains something else: files that train it: reckon export axolotl, llama-factory
== megatron objective=simpo
reckon: objective simpo: cannot be expressed in Megatron Core 0.19: the run has next-token and trains something else: files that train it: reckon export axolotl, llama-factory
== trl lora16 lora-whole=head
== torchtune lora16 lora-whole=head
reckon: lora_whole head: cannot be expressed in torchtune: the run has none and trains something else: files that train it: reckon export axolotl, llama-factory, trl
== megatron lora16 lora-whole=head
reckon: lora 16: cannot be expressed in Megatron Core 0.19: the run has 0 and trains something else: files that train it: reckon export axolotl, llama-factory, trl, torchtune
reckon: lora_whole head: cannot be expressed in Megatron Core 0.19: the run has none and trains something else: files that train it: reckon export axolotl, llama-factory, trl
== trl adapters=4
reckon: adapters 4: cannot be expressed in trl: the run has 1 and trains something else: no file of reckon export says it: leave it out
== torchtune adapters=4
reckon: adapters 4: cannot be expressed in torchtune: the run has 1 and trains something else: no file of reckon export says it: leave it out
== megatron adapters=4
reckon: adapters 4: cannot be expressed in Megatron Core 0.19: the run has 1 and trains something else: no file of reckon export says it: leave it out
== trl 
packing: false
== trl packed=300
# reckon: packed=300
packing: true
reckon: warning: trl.yaml:6:10: packing true: is not followed: samples hold several texts (reckon predict --lengths says how long these are, --batching packed or joined)
  plan: framework=fsdp dp8 gbs64 packed=300 zero3 grad-overlap weight-overlap recompute=full
packed  300    a comment of the file says so
== trl objective=dpo
# reckon: objective=dpo
  plan: framework=fsdp dp8 gbs64 zero3 grad-overlap weight-overlap recompute=full objective=dpo
objective  dpo    a comment of the file says so
== trl objective=kto packed=300
# packed 300: cannot be expressed in trl: the run has 0
# reckon: objective=kto
  plan: framework=fsdp dp8 gbs64 zero3 grad-overlap weight-overlap recompute=full objective=kto
objective  kto    a comment of the file says so
# tune run --nproc_per_node 1 full_dpo_distributed --config torchtune.yaml
# tune run --nproc_per_node 1 lora_dpo_single_device --config torchtune.yaml
# tune run --nproc_per_node 1 full_finetune_single_device --config torchtune.yaml
reckon: warning: lora 16: is not decided by accelerate: see to it in the training code
reckon: warning: lora_element_bytes 4: is not decided by accelerate: see to it in the training code
# The run: 96 steps, 0.05 billion tokens, 524288 a step.
cat > trl.yaml <<'RECKON'
use_peft: true
lora_r: 16
    -m trl.scripts.sft --config trl.yaml --save_steps 96 --max_steps 96 "$@"
cat > axolotl.yaml <<'RECKON'
# torchrun --nproc-per-node 8 -m axolotl.cli.train axolotl.yaml
rl: dpo
    -m axolotl.cli.train axolotl.yaml --save_steps 2856 "$@"
exit 1
=== stderr
reckon: objective simpo: cannot be expressed in trl: the run has next-token and trains something else: files that train it: reckon export axolotl, llama-factory
reckon: warning: gradient_overlap no: is not decided by trl: see to it in the training code
reckon: warning: weight_overlap no: is not decided by trl: see to it in the training code
reckon: lora 16: cannot be expressed in torchtitan's TOML: the run has 0 and trains something else: files that train it: reckon export axolotl, llama-factory, trl, torchtune (framework=fsdp)
reckon: warning: framework megatron: cannot be expressed in torchtitan's TOML: the run has fsdp
reckon: warning: gradient_overlap no: cannot be expressed in torchtitan's TOML: the run has yes
reckon: warning: attention flash3: is not decided by torchtitan's TOML: see to it in the training code
reckon: lora 16: cannot be expressed in Megatron Core 0.19: the run has 0 and trains something else: files that train it: reckon export axolotl, llama-factory, trl, torchtune (framework=fsdp)
reckon: lora 16: cannot be expressed in nanotron: the run has 0 and trains something else: files that train it: reckon export axolotl, llama-factory, trl, torchtune (framework=fsdp)
reckon: warning: rope_factor 8: is not written: see that nanotron has it of this model
reckon: warning: attention flash3: cannot be expressed in nanotron: the run has flash
reckon: warning: transformer_engine yes: cannot be expressed in nanotron: the run has no
reckon: lora 16: cannot be expressed in Megatron Core 0.19: the run has 0 and trains something else: files that train it: reckon export axolotl, llama-factory, trl, torchtune (framework=fsdp)
