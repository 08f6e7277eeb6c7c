# diff --best changes keys of a torchtune recipe, and where no one change fits it goes on from the one that needs least memory
cat >tune.yaml <<'Y'
model:
  _component_: torchtune.models.llama3_1.llama3_1_8b
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 8192
dataset:
  _component_: torchtune.datasets.alpaca_dataset
batch_size: 2
optimizer:
  _component_: torch.optim.AdamW
loss:
  _component_: torchtune.modules.loss.LinearCrossEntropyLoss
gradient_accumulation_steps: 1
enable_activation_checkpointing: False
dtype: bf16
Y
best() { reckon diff "$@" --best 2>/dev/null | sed -n 's/: B takes.*//; s/: the plans.*/: the same/; 1p; /^Changes of the file/,/^$/s/^\([a-z_.]*\) .*\(true\|false\|True\|False\|[0-9]\) .*%.*/\1/p'; }
best tune.yaml -s 'rtx-a6000 x4'
sed 's/^batch_size: 2/batch_size: 16/' tune.yaml >large.yaml
best large.yaml -s 'rtx4090 x4'
best large.yaml -s 'v100-sxm2-16g x1'
=== stdout
A does not fit, B fits
enable_activation_checkpointing
compile
fsdp_reshard_after_forward
A does not fit, B fits
enable_activation_checkpointing
tensor_parallel_dim
batch_size
compile
A cannot run, B cannot run: the same
