# what users' own scripts were read wrong by: words of FSDP, files with computed names, names that may decide the cost
sft='swift sft --model Qwen/Qwen2.5-7B-Instruct --tuner_type full --torch_dtype bfloat16 --per_device_train_batch_size 1 --gradient_accumulation_steps 2 --max_length 4096'
echo "export NPROC_PER_NODE=8; $sft --fsdp fsdp2" >swift.sh
reckon import swift.sh 2>/dev/null | sed -n '2,3p'
sed 's/fsdp2/"full_shard auto_wrap"/' swift.sh >words.sh
reckon import words.sh 2>/dev/null | sed -n '2,3p'
sed 's/fsdp2/whole_shard/' swift.sh >wrong.sh
reckon import wrong.sh
cat >written.sh <<'EOF'
RUN=runs/$(date +%s)
FSDP=$RUN/fsdp.json
cat >"$FSDP" <<'JSON'
{"_purpose": "a trial", "fsdp": "full_shard auto_wrap offload", "fsdp_config": {"fsdp_version": 2, "activation_checkpointing": true}}
JSON
export NPROC_PER_NODE=8
EOF
echo "$sft --fsdp \$FSDP" >>written.sh
reckon import written.sh 2>/dev/null | sed -n "2,3p"
echo "--- keys that may decide the cost are not offered to --ignore"
train='--model_name_or_path Qwen/Qwen2.5-7B-Instruct --bf16 --gradient_accumulation_steps 2 --max_length 4096'
echo "torchrun --nproc_per_node 8 train.py $train --use_deepspeed" >zero.sh
reckon import zero.sh
echo "torchrun --nproc_per_node 8 train.py $train --per_device_train_batch 4" >short.sh
reckon import short.sh
echo "torchrun --nproc_per_node 8 main.py $train --options run.per_device_train_batch_size 4 run.mode sft" >options.sh
reckon import trainer options.sh
echo "torchrun --nproc_per_node 8 train.py $train --kl_coef 0.1" >rl.sh
reckon import rl.sh
echo "--- GPUs, a folder's name, the loss of --use_liger"
echo "CUDA_VISIBLE_DEVICES=0,1,2,3 llamafactory-cli train --stage sft --finetuning_type full --model_name_or_path Meta-Llama-3-8B-Instruct/ --bf16 --cutoff_len 4096 --per_device_train_batch_size 1" >visible.sh
reckon import visible.sh 2>/dev/null | sed -n '1,3p'
echo "accelerate launch --num_processes 4 run_sft.py $train --use_liger" >liger.sh
reckon import liger.sh 2>/dev/null | grep -o 'loss-in-chunks'
echo "--- what is started is named"
echo 'deepspeed --num_gpus 8 --module training.tune --config training.yaml' >module.sh
reckon import module.sh
printf 'if [ -z "${BASH_VERSION}" ]; then exit 1; fi\ndeepspeed --num_gpus 8 --module own.tune --zero_stage 3\n' >bash.sh
reckon import bash.sh
printf 'PIDS=$(ps aux | grep pretrain_own.py)\nsrun bash job/one.sh\n' >other.sh
reckon import other.sh
echo 'torchrun --nproc_per_node=4 run_own.py --config-file examples/one.yaml' >given.sh
reckon import given.sh
printf 'LAUNCH="accelerate launch --num_machines 2"\nPROGRAM="-m own.train configs/train.yaml"\nsrun bash -c "$LAUNCH $PROGRAM"\n' >parts.slurm
reckon import parts.slurm
echo 'accelerate launch --num_processes 2 LLaMA-Factory/src/train.py --stage sft --finetuning_type full --model_name_or_path Qwen/Qwen2.5-7B --bf16 --per_device_train_batch_size 1' >factory.sh
reckon import factory.sh 2>/dev/null | head -n 1
echo 'petro-train --stage sft --finetuning_type lora --num_train_epochs 3' >installed.sh
reckon import llama-factory installed.sh
printf 'python -m src.prepare_data --to x\ntorchrun --nproc_per_node 4 -m src.tune --config-name one\n' >prepared.sh
reckon import prepared.sh
printf 'source $TASK/params.sh\ntorchrun --nproc_per_node 8 pretrain_gpt.py ${PARAMS[@]} --use-mcore-models\n' >sourced.sh
reckon import sourced.sh
echo "--- an argument for traces does not make it DeepSpeed's"
echo 'torchrun --nproc_per_node 1 pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 2 --global-batch-size 2 --attention-backend auto --fp16 --vocab-size 50257 --tokenizer-type NullTokenizer --trace-dir traces' >trace.sh
reckon import trace.sh 2>/dev/null | head -n 1
=== stdout
  plan: framework=fsdp dp8 gbs16 seq4096 zero3 grad-overlap weight-overlap recompute=full
  recompute-to-end no-fused loss=padded
  plan: framework=fsdp dp8 gbs16 seq4096 zero3 grad-overlap weight-overlap flat-units
  recompute=full recompute-to-end no-fused loss=padded
  plan: framework=fsdp dp8 gbs16 seq4096 zero3 grad-overlap weight-overlap recompute=full
  recompute-to-end no-fused loss=padded offload-optimizer=1 offload-weights=1
--- keys that may decide the cost are not offered to --ignore
qwen2.5-7b: 7,615,616,512 parameters, 8 GPUs with transformers
  plan: framework=fsdp dp8 mbs4 gbs64 seq4096 grad-overlap no-fused loss=padded autocast

Assumed because the arguments do not state it
what                value                     why
gpus                8                         by torchrun
model_name_or_path  Qwen/Qwen2.5-7B-Instruct  the catalog's qwen2.5-7b
sharding            none                      neither DeepSpeed nor FSDP is named: every GPU keeps all weights
weights             fp32                      the trainer's: autocast computes in bf16
loss                padded                    that of transformers since 4.49
--- GPUs, a folder's name, the loss of --use_liger
llama3.1-8b: 8,030,261,248 parameters, 4 GPUs with LLaMA-Factory
  plan: framework=fsdp dp4 gbs4 seq4096 grad-overlap recompute=full recompute-to-end no-fused
  loss=padded autocast
loss-in-chunks
--- what is started is named
qwen2.5-7b: 7,615,616,512 parameters, 2 GPUs with LLaMA-Factory
--- an argument for traces does not make it DeepSpeed's
trace: 354,823,168 parameters, 1 GPU with Megatron-LM
=== stderr
reckon: note: wrong.sh is read as a script of ms-swift: reckon import ms-swift
reckon: --set fsdp: whole_shard is none of full_shard, shard_grad_op, no_shard, hybrid_shard, hybrid_shard_zero2, offload, auto_wrap
reckon: note: zero.sh is read as a training of Hugging Face: reckon import trainer
reckon: zero.sh: use_deepspeed: is not known, and may decide what the run costs, did you mean deepspeed: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: note: short.sh is read as a training of Hugging Face: reckon import trainer
reckon: warning: short.sh:1:141: per_device_train_batch: is taken as per_device_train_batch_size, as Python's argparse does
reckon: options.sh: options: is not known, and may decide what the run costs: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: note: rl.sh is read as a training of Hugging Face: reckon import trainer
reckon: rl.sh: kl_coef 0.1: answers are generated and rated alongside training, which plans do not cover: give --ignore kl_coef to estimate the run without it
reckon: note: module.sh is read as a script of DeepSpeed: reckon import deepspeed
reckon: module.sh: no command of this script starts DeepSpeed with a configuration file: it starts training.tune, a program of no tool that reckon reads: say model, batch and sharding as words of reckon predict
reckon: note: bash.sh is read as a script of DeepSpeed: reckon import deepspeed
reckon: bash.sh: no command of this script starts DeepSpeed with a configuration file: it starts own.tune, a program of no tool that reckon reads: say model, batch and sharding as words of reckon predict
reckon: other.sh: starts the script job/one.sh: give that one
reckon: given.sh: starts run_own.py, a program of no tool that reckon reads, with examples/one.yaml: give that file, or say model, batch and sharding as words of reckon predict
reckon: parts.slurm: starts own.train, a program of no tool that reckon reads, with configs/train.yaml: give that file, or say model, batch and sharding as words of reckon predict
reckon: installed.sh: no command of this script starts LLaMA-Factory: it starts petro-train, a program of no tool that reckon reads: say model, batch and sharding as words of reckon predict
reckon: prepared.sh: starts src.tune, a program of no tool that reckon reads: say model, batch and sharding as words of reckon predict; or give the format, reckon import FORMAT FILE
reckon: note: sourced.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: sourced.sh:2:45: $PARAMS is not set in this script: give --set PARAMS=VALUE, or have $TASK/params.sh next to the script, which it sources
