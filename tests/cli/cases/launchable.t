# every command that proposes a plan of a model that no file launches says so in its first lines
at="gemma2-9b -s h100-80g -g 8"
says() { grep -A1 'no file launches it' | tr '\n' ' '; echo; }
reckon search -m $at -b 64 -k 1 -q tp4 zero1 | says
reckon predict -m $at -b 64 tp4 zero1 | says
reckon fits -m $at -b 64 tp4 zero1 | says
reckon budget -m $at --days 90 | says
reckon longest -m $at | sed -n 4,5p
printf '%s' '{"batch":64,"gpus":8,"framework":"megatron","figures":[{"name":"f","models":["gemma2-9b","llama3.1-8b"],"systems":["h100-80g"],"axes":{"tensor":4,"pipeline":1}}]}' >s.json
reckon study s.json -j 1 2>/dev/null | says
printf '%s\n' '{"step": 1, "step_s": 10}' | reckon adapt -m $at gbs64 tp4 zero1 2>&1 >/dev/null | grep 'no file'
reckon predict -m llama3.1-8b -s h100-80g -g 8 -b 64 tp4 zero1 | grep -c 'no file'
# adapters are torch's where no framework is said; the search has what a file of a trainer says
for plan in lora16 "lora16 base=nf4" "lora16 offload-activations=1"; do reckon search -m llama3.1-8b -s rtx4090 -g 4 -b 64 -k 1 -q $plan --sequence 2048 | grep -E '^  .?reckon export'; done
reckon predict -m llama3.1-8b -s h100-80g -g 8 -b 64 lora16 | sed -n 3,4p
reckon predict -m llama3.1-8b -s h100-80g -g 8 -b 64 lora16 framework=megatron | grep -A1 'no file'
reckon search -m llama3.1-8b -s h100-80g -g 8 -b 64 -k 1 -q tp1 cp1 mbs1 lora16 framework=megatron | grep -E 'no file|export'
# asked for, other degrees are searched all the same
reckon search -m llama3.1-8b -s h100-80g -g 8 -b 64 -k 1 -q tp2 cp1 mbs1 lora16 | grep 'reckon predict'
# the first layers alone are recomputed by units of FSDP
reckon search -m llama3.1-8b -s h100-80g -g 8 -b 64 -k 1 -q mbs1 zero3 recompute=full recompute-layers=4 framework=fsdp | grep 'reckon export'
# what no plan of a framework has is refused before anything is searched
reckon search -m llama3.1-8b -s h100-80g -g 8 -b 64 framework=megatron objective=dpo
reckon fits -m llama3.1-8b -s h100-80g -g 8 -b 64 framework=megatron objective=dpo
=== stdout
  no file launches it: `reckon export megatron` refuses it: block_norms: Megatron-LM has two norms   a block; framework=fsdp has files of this model 
  no file launches it: `reckon export megatron` refuses it: block_norms: Megatron-LM has two norms   a block; framework=fsdp has files of this model 
  no file launches it: `reckon export megatron` refuses it: block_norms: Megatron-LM has two norms   a block; framework=fsdp has files of this model 
  no file launches it: `reckon export megatron` refuses it: block_norms: Megatron-LM has two norms   a block; framework=fsdp has files of this model 
  `reckon export deepspeed` cannot say sequence 327680 (left to the training code),
  sequence_chunks 5 (the run has 1), recompute full (left to the training code),
  gemma2-9b: no file launches it: `reckon export megatron` refuses it: block_norms: Megatron-LM   has two norms a block; framework=fsdp has files of this model 
reckon: no file launches it: `reckon export megatron` refuses it: block_norms: Megatron-LM has two norms a block; framework=fsdp has files of this model
0
  reckon export axolotl -m llama3.1-8b gpus4 framework=fsdp dp4 mbs2 gbs64 seq2048 grad-overlap lora16 offload-activations=1
  `reckon export trl` cannot say lora_element_bytes 4 (the run has 2)
  reckon export trl -m llama3.1-8b gpus4 framework=fsdp dp4 gbs64 seq2048 grad-overlap lora16 base=nf4
  reckon export axolotl -m llama3.1-8b gpus4 framework=fsdp dp4 mbs2 gbs64 seq2048 grad-overlap lora16 offload-activations=1
  plan: framework=fsdp dp8 gbs64 lora16
  assumed: precision bf16, framework fsdp, microbatch 1, sequence 8192 (the model's),
  no file launches it: no argument of Megatron-LM says its adapters,
  base or objective; framework=fsdp has files of them
  no file launches it: no argument of Megatron-LM says its adapters,
  reckon predict -m llama3.1-8b -s h100-80g -g 8 framework=fsdp dp4 tp2 gbs64 sp grad-overlap lora16
  reckon export fsdp -m llama3.1-8b gpus8 framework=fsdp dp8 gbs64 zero3 grad-overlap weight-overlap keep-gathered recompute=full recompute-layers=4
=== stderr
reckon: objective=dpo is of trainers around torch, not of Megatron-LM: give framework=fsdp
reckon: objective=dpo is of trainers around torch, not of Megatron-LM: give framework=fsdp
=== exit 2
