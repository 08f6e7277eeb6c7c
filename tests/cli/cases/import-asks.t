# all that a script lacks stands in one message, and its options in one line
cat >train.sh <<'S'
source /nowhere/env.sh
if [ "$ENV" = dsw ]; then NNODES=1; elif [ "$ENV" = dlc ]; then NNODES=$WORLD; fi
torchrun --nnodes $NNODES --nproc_per_node $(nvidia-smi -L | wc -l) pretrain_gpt.py --num-layers $LAYERS --hidden-size 4096 \
  --num-attention-heads 32 --seq-length $SEQ $(python sizes.py) --micro-batch-size ${MBS} --frobnicate 2 --bf16
S
reckon import megatron train.sh
reckon import megatron train.sh --set ENV=dsw --set @3:44=8 --set LAYERS=32 --set SEQ=4096 --set MBS=1 --ignore frobnicate \
  --set "@4:46=--max-position-embeddings 4096 --vocab-size 32000" | sed -n 1,2p
cat >sft.sh <<'S'
torchrun --nnodes=2 --nproc_per_node=$GPUS sft.py --model_name_or_path $MODEL --per_device_train_batch_size $MBS --bf16 --frobnicate 3 --deepspeed ds.json
S
reckon import sft.sh
reckon import sft.sh --set GPUS=8 --set MODEL=meta-llama/Llama-3.1-8B --set MBS=2 --ignore frobnicate --set zero_optimization.stage=2 2>&1 | sed -n 2,3p
# two trainings
printf 'torchrun --nproc_per_node 8 a.py --model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 1 --max_length 2048\n' >two.sh
sed s/a.py/b.py/ two.sh | sed s/2048/4096/ >>two.sh
reckon import trainer two.sh
reckon import trainer two.sh --variant 2 | sed -n 2p
# whole names in the line, and none of what may decide the cost; the others are counted by name
printf 'per_device_train_batch_size: 1\nbf16: true\nmax_length: 2048\nmy_shard_degree: 4\n' >many.yaml
for i in 1 2 3 4 5 6 7 8 9 a b c; do echo "a_key_of_fifty_letters_that_is_of_no_tool_at_all_00$i: 1"; done >>many.yaml
reckon import trainer many.yaml -m llama3.1-8b 2>&1 | head -n 1
printf 'per_device_train_batch_size: 1\nbf16: true\nmy_shard_degree: 4\n' >cost.yaml; reckon import trainer cost.yaml -m llama3.1-8b 2>&1 | head -n 1
sed 's/--frobnicate 2/--frobnicate 2 --grumble 3/; s/"$ENV"/1/; s/\$(.*sizes.py)//' train.sh >more.sh; reckon import megatron more.sh --set @3:44=8 --set NNODES=1
=== stdout
train: 6,592,012,288 parameters, 8 GPUs with Megatron-LM
The arguments are those of Megatron Core 0.9 to 0.19
llama3.1-8b: 8,030,261,248 parameters, 16 GPUs with transformers
  plan: framework=deepspeed dp16 mbs2 gbs32 zero2 no-fused loss=padded
  plan: framework=fsdp precision=fp32 dp8 gbs8 seq4096 grad-overlap no-fused
reckon: many.yaml:4:18: my_shard_degree: is not known, and may decide what the run costs: correct it, or say it by --set and this tool's keys, and --ignore it then; nothing says how many GPUs are used; 12 more keys are not known; my_shard_degree may decide what the run costs: say it by --set and this tool's keys; and in one line: --gpus N --ignore NAMES, with commas, the 13 that are listed
reckon: cost.yaml:3:18: my_shard_degree: is not known, and may decide what the run costs: correct it, or say it by --set and this tool's keys, and --ignore it then; nothing says how many GPUs are used; my_shard_degree may decide what the run costs: say it by --set and this tool's keys; and in one line: --gpus N --ignore my_shard_degree
=== stderr
reckon: train.sh:2:1: $NNODES depends on the condition in line 2, which the script does not tell: give --set ENV=VALUE (it is compared with dsw, dlc); line 3:44: this is the output of a command, which is not run; line 3:98: $LAYERS is not set in this script; line 4:41: $SEQ is not set in this script; line 4:46: this is the output of a command, which is not run; line 4:84: $MBS is not set in this script; the vocabulary's size is in the files of the tokenizer; --max-position-embeddings: is missing: Megatron-LM needs it, at least 1; 1 key is not known; and in one line: --set ENV=dsw/dlc --set @3:44=VALUE --set LAYERS=VALUE --set SEQ=VALUE --set @4:46=VALUE --set MBS=VALUE --vocabulary N --ignore frobnicate
reckon: note: sft.sh is read as a training of Hugging Face: reckon import trainer
reckon: sft.sh:1:21: $GPUS is not set in this script: give --set GPUS=VALUE; --model is missing: model_name_or_path $MODEL is not a checkpoint of the catalog; per_device_train_batch_size: line 1: $MBS is not set in this script; --set deepspeed: ds.json is not next to this file; 1 key is not known; and in one line: --set GPUS=VALUE --model MODEL --set MBS=VALUE --set zero_optimization.stage=N --ignore frobnicate
reckon: two.sh:2:1: a second command trains, besides that of line 1: choose with --variant 1 to 2
reckon: more.sh:3:98: $LAYERS is not set in this script: give --set LAYERS=VALUE, or have /nowhere/env.sh next to the script, which it sources, for --num-layers: a whole number; line 4:41: $SEQ is not set in this script; line 4:66: $MBS is not set in this script; the vocabulary's size is in the files of the tokenizer; --max-position-embeddings: is missing: Megatron-LM needs it, at least 1; 2 keys are not known; and in one line: --set LAYERS=VALUE --set SEQ=VALUE --set MBS=VALUE --vocabulary N --ignore frobnicate,grumble
=== exit 3
