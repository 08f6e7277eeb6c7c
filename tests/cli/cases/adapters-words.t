# words of adapters in lines, files and answers; what cannot go together is refused by name
reckon predict -m llama2-7b -s a100-sxm4-80g -g 8 framework=fsdp zero3 lora16 lora-targets=q+v lora-dropout=0.05 lora-bytes=2 base=nf4-dq gbs8 --save-plan plan.json >answer; grep -E "lora|base" plan.json
reckon predict -m llama2-7b -s a100-sxm4-80g -g 8 --plan plan.json | sed -n 3,5p
refused() { reckon predict -m llama2-7b -s a100-sxm4-80g -g 8 gbs8 "$@" --verbose | sed -n '/^bad/p'; }
reckon predict -m llama2-7b -s a100-sxm4-80g -g 8 framework=fsdp zero3 gbs8 objective=dpo | grep -o "reference[ =][a-z-]*"
reckon predict -m llama2-7b -s a100-sxm4-80g -g 8 framework=fsdp zero3 gbs8 objective=dpo lora16 | grep -o "reference[ =][a-z-]*"
reckon predict -m llama2-7b -s a100-sxm4-80g -g 8 framework=fsdp zero3 gbs8 objective=dpo reference=none | grep -o "reference[ =][a-z-]*"
refused base=nf4
refused lora-targets=q
refused lora16 lora-targets=q+qkv
refused frozen gradient-bytes=2
refused lora16 optimizer=muon
refused framework=deepspeed optimizer=muon
refused framework=fsdp adapters=2
refused framework=fsdp embedding-fp32
refused framework=fsdp pp2 optimizer-paged
refused framework=fsdp optimizer=galore
refused framework=fsdp reference=copy
refused framework=fsdp objective=dpo reference=adapter-off
refused loss=padded
reckon predict -m llama2-7b -s a100-sxm4-80g -g 8 gbs16 framework=fsdp step-in-backward --verbose | sed -n "/^bad/p"
refused framework=fsdp unsynced-grads
refused framework=fsdp zero3 autocast
refused framework=fsdp flat-units
refused framework=fsdp packed=8192
reckon predict -m llama2-7b -s a100-sxm4-80g -g 8 gbs8 lora-targets=x lora4; echo "exit $?"
reckon program -m llama2-7b -s a100-sxm4-80g framework=fsdp lora16 gbs1; echo "exit $?"
=== stdout
    "lora": 16,
    "lora_targets": ["q", "v"],
    "lora_dropout": 0.05,
    "lora_element_bytes": 2,
    "base": "nf4-dq"
  plan: framework=fsdp dp8 gbs8 zero3 lora16 lora-targets=q+v lora-dropout=0.05 lora-bytes=2
  base=nf4-dq
  assumed: precision bf16, microbatch 1, sequence 4096 (the model's),
reference copy
reference copy
reference adapter-off
reference adapter-off
reference=none
bad_option  base nf4: weights of so few bits cannot be trained: give lora=16, or leave base out
bad_option  lora 0: lora-targets, lora-dropout, lora-bytes, lora-whole and dora are of adapters, and there are none: give lora=16, or leave them out
bad_option  qkv is one adapter of all three: with q, k or v there would be two: leave qkv, or the others, out
bad_option  frozen weights have no gradients, master copy or moments; lora-bytes is of adapters: leave them out
bad_option  optimizer muon: is not known of adapters: leave it out
bad_option  muon is known of Megatron-LM and of FSDP only: give framework=megatron or fsdp, or leave it out
bad_option  adapters-run is of several adapters, and these are of lora: give lora=16 adapters=2, or leave them out
bad_option  embedding_fp32 adam: embedding-fp32 is of optimizers of 8 and 4 bits: give optimizer=adam-8bit, or leave it out
bad_option  managed memory is of bitsandbytes' optimizers, without stages and runs of layers: leave it out
bad_option  optimizer galore: needs the rank that gradients are projected to: give optimizer-rank=128
bad_option  reference copy: objective next-token has no reference: give objective=dpo, or leave it out
bad_option  reference adapter-off: there are no adapters to switch off: give lora=16, or reference=copy
bad_option  loss padded: is of trainers whose model returns logits, not of Megatron-LM: leave it out
bad_option  steps with the gradients of one microbatch: it cannot sum over several: give a larger microbatch, or leave it out
bad_option  means something to sharded gradients of fsdp only: leave it out
bad_option  means something to whole fp32 weights of fsdp in 16 bits only: leave it out
bad_option  means something to sharded weights of fsdp only: leave it out
bad_option  packed 8192: needs texts shorter than the 4096 tokens of a sample, and a kernel that does not attend across texts: leave it out
exit 2
exit 1
=== stderr
reckon: "gbs8 lora-targets=x lora4":1:19: lora-targets must be one of q, k, v, qkv, o, gate, up, down, head; got "x"; did you mean "q"?
reckon: the plan cannot be lowered: adapters, weights of 4 and 8 bits and passes of a reference are not lowered; leave lora, base and reference out
