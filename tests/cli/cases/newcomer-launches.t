# Documented launches of trl, LLaMA-Factory and torchtune; files that are not there; sizes as words.
printf 'compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n  fsdp_sharding_strategy: FULL_SHARD\n  fsdp_offload_params: true\nmixed_precision: bf16\nnum_machines: 1\nnum_processes: 2\n' >acc.yaml
# switches of HfArgumentParser, "--no_X"
cat >trl.sh <<'TEXT'
accelerate launch --config_file=acc.yaml trl/scripts/dpo.py --dataset_name d --model_name_or_path meta-llama/Llama-3.1-8B-Instruct \
    --per_device_train_batch_size 2 --gradient_accumulation_steps 8 --gradient_checkpointing --output_dir o --no_remove_unused_columns
TEXT
reckon import trl.sh -s "rtx-a6000 x2" 2>/dev/null | grep 'plan:'
sed 's/--no_remove_unused_columns/--no_such_key/' trl.sh >unknown.sh
reckon check unknown.sh -s "rtx-a6000 x2" 2>&1; echo "exit $?"
# a program of any name, by the file that it is given
printf 'model_name_or_path: Qwen/Qwen3-32B\nquantization_bit: 4\nstage: sft\ndo_train: true\nfinetuning_type: lora\nlora_rank: 8\ndataset: identity\ntemplate: qwen3\ncutoff_len: 2048\noutput_dir: saves\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 8\nbf16: true\n' >sft.yaml
echo 'CUDA_VISIBLE_DEVICES=0,1 accelerate launch --config_file acc.yaml src/train.py sft.yaml' >sft.sh
reckon import sft.sh -s "rtx-a6000 x2" 2>&1 | grep -E 'read as|plan:'
reckon check sft.sh -s "rtx-a6000 x2" | tail -1
# a length that the file does not say
printf 'model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\ntokenizer:\n  _component_: torchtune.models.llama3.llama3_tokenizer\n  path: t\n  max_seq_len: null\ndataset:\n  _component_: torchtune.datasets.alpaca_dataset\nbatch_size: 2\noptimizer:\n  _component_: torch.optim.AdamW\n  fused: true\nloss:\n  _component_: torchtune.modules.loss.LinearCrossEntropyLoss\n' >tune.yaml
reckon import tune.yaml -s "rtx-a6000 x4" 2>/dev/null | grep -A1 'rests on'
reckon import tune.yaml -s "rtx-a6000 x4" --set tokenizer.max_seq_len=512 2>/dev/null | grep -c 'rests on'
# files that are not there
reckon check nofile.yml -s h100 2>&1; reckon doctor nofile.log sft.sh -s h100 2>&1
cp tune.yaml tune && reckon check tune -s "rtx-a6000 x4" 2>&1 | tail -1
# words that are options
reckon search llama3.1-8b h100 gpus8 gbs64 seq2048 --top 1 -q 2>/dev/null | sed -n 2p
reckon search llama3.1-8b h100 -g 8 gpus8 gbs64 2>&1
# causes that the script rules out, and a gap that nothing explains
cp "$SOURCE/tests/data/megatron/llama3-70b.sh" run.sh
reckon doctor run.sh -s h100-sxm5-80g --tflops 5 2>/dev/null | head -1 | sed 's/.*; //'
reckon doctor run.sh -s h100-sxm5-80g --tflops 300 2>/dev/null | grep -c 'recomputed' || true
=== stdout
  plan: framework=fsdp dp2 mbs2 gbs32 seq1024 zero3 grad-overlap weight-overlap flat-units
reckon: unknown.sh: no_such_key: is not known: correct it, or give --ignore no_such_key
exit 3
reckon: note: sft.sh is read as a training of LLaMA-Factory: reckon import llama-factory
  plan: framework=fsdp dp2 gbs16 seq2048 zero3 grad-overlap weight-overlap flat-units
qwen3-32b on rtx-a6000 x2: nothing found
  the verdict rests on samples of 8192 tokens, which are assumed (the model's,
  which bounds it: tokenizer.max_seq_len is not given): give their length
0
reckon: nofile.yml: cannot open: No such file or directory; check the path
reckon: nofile.log: there is no such file
llama3.1-8b on rtx-a6000 x4: 1 error
llama3.1-8b on h100-sxm5-80g, 8 GPUs, batch 64 of 2K tokens, megatron, bf16, detailed model
reckon: "gpus8" says what is given already: give it once
nothing that is known explains half of the gap
0
