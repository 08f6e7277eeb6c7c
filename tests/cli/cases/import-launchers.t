# what launchers and programs say beside their arguments
printf '{"zero_optimization":{"stage":2},"bf16":{"enabled":true}}' >z2.json
ARGS='--model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 2 --max_length 2048 --bf16 true'
# accelerate's configuration beside a script
printf 'compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\nmixed_precision: bf16\nnum_processes: 8\n' >z3.yaml
echo "accelerate launch --config_file z3.yaml scripts/dpo.py $ARGS --beta 0.1" >acc.sh; reckon import acc.sh 2>&1 | sed -n 2,4p
# the objective by the program's name
echo "torchrun --nproc_per_node 8 --nnodes=2 kto.py $ARGS --deepspeed z2.json" >kto.sh; reckon import kto.sh 2>&1 | sed -n 3p
printf 'model_name_or_path: meta-llama/Llama-3.1-8B\nper_device_train_batch_size: 2\nloss_type: sigmoid\nbf16: true\n' >d.yaml
echo 'trl dpo --config d.yaml --num_processes 8 --accelerate_config zero2' >trl.sh; reckon import trl.sh 2>&1 | sed -n 1,4p
echo "torchrun --nproc_per_node 8 reward_modeling.py $ARGS" >rm.sh; reckon import rm.sh
# processes by the environment, by a hostfile
echo "NPROC_PER_NODE=4 NNODES=2 swift sft --model Qwen/Qwen2.5-7B --train_type full --per_device_train_batch_size 2 --deepspeed zero2" >swift.sh
reckon import swift.sh 2>&1 | sed -n 2p
printf 'n1 slots=8\n# n3 slots=8\nn2 slots=4\n' >hosts
echo "deepspeed --hostfile hosts train.py $ARGS --deepspeed z2.json" >ds.sh; reckon import ds.sh 2>&1 | sed -n 2p
sed -i 's/hosts/hosts --num_gpus 2/' ds.sh; reckon import ds.sh 2>&1 | sed -n 2p
# of its hosts, and of GPUs that are named without a hostfile
for h in '--hostfile=hosts --include="n1:0,1"' '--hostfile hosts -e n1:0,1@n2' '--include localhost:0,1,2' '--hostfile hosts -i n9'; do
    echo "deepspeed $h train.py $ARGS --deepspeed z2.json" >ds.sh; reckon import ds.sh 2>&1 | sed -n 2p
done
# trl's own name for FSDP2; a command that there is not
sed 's/zero2/fsdp2/' trl.sh >fsdp2.sh; reckon import fsdp2.sh 2>&1 | sed -n 3,4p
printf "torchrun --nproc_per_node %s sft.py $ARGS\n" 4 8 >two.sh; reckon import trainer two.sh --variant 2 | sed -n 1p; reckon import trainer two.sh --variant 3
# MiniCPM-V's: the language model is frozen, unless adapters are on it
echo "torchrun --nproc_per_node 8 finetune.py $ARGS --tune_llm false" >llm.sh; reckon import trainer llm.sh
reckon import trainer llm.sh --set use_lora=true --set lora_r=64 --set lora_target_modules=q_proj | grep -o 'lora64 .*'
# DeepSpeed-Chat's own words; a command within a command
echo "ssh node1 \"cd run; deepspeed --num_gpus 8 main.py --model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 4 --max_seq_len 512 --zero_stage 3 --lora_dim 16 --deepspeed\"" >chat.sh
reckon import chat.sh 2>&1 | sed -n 2,4p
sed -i 's/stage 3/stage 3 --offload/' chat.sh; reckon import chat.sh 2>/dev/null | sed -n 3p
# check takes what import takes
reckon check kto.sh -s h100-sxm5-80g; echo '--rollout-batch-size 32 --actor-num-nodes 1 --num-layers 4' >slime.sh; reckon check slime.sh -s h100-sxm5-80g
# a program of one's own, by its name; sums of old; a configuration that is not at hand
echo 'torchrun --nproc_per_node 8 torchrun_main.py --model_config c.json --batch_size 64' >own.sh; reckon import own.sh
echo "N=8; torchrun --nproc_per_node \$N t.py $ARGS --gradient_accumulation_steps \$[128 / (\$N * 2)] --deepspeed z2.json" >old.sh; reckon import old.sh 2>&1 | sed -n 3p
sed -i s/z3.yaml/z9.yaml/ acc.sh; reckon import acc.sh
reckon import acc.sh --ignore config_file --set distributed_type=FSDP --set num_processes=8 2>&1 | sed -n 3p
=== stdout
llama3.1-8b: 8,030,261,248 parameters, 8 GPUs with transformers
  plan: framework=deepspeed dp8 mbs2 gbs16 seq2048 zero3 grad-overlap weight-overlap no-fused
  loss=padded objective=dpo
  plan: framework=deepspeed dp16 mbs2 gbs32 seq2048 zero2 no-fused loss=padded objective=kto
reckon: note: trl.sh is read as a training of Hugging Face: reckon import trainer
llama3.1-8b: 8,030,261,248 parameters, 8 GPUs with transformers
  plan: framework=deepspeed dp8 mbs2 gbs16 seq1024 zero2 no-fused loss=padded objective=dpo

qwen2.5-7b: 7,615,616,512 parameters, 8 GPUs with ms-swift
llama3.1-8b: 8,030,261,248 parameters, 12 GPUs with transformers
llama3.1-8b: 8,030,261,248 parameters, 4 GPUs with transformers
llama3.1-8b: 8,030,261,248 parameters, 2 GPUs with transformers
llama3.1-8b: 8,030,261,248 parameters, 6 GPUs with transformers
llama3.1-8b: 8,030,261,248 parameters, 3 GPUs with transformers
reckon: ds.sh: nothing says how many GPUs are used: give --gpus N
  plan: framework=fsdp dp8 mbs2 gbs16 seq1024 zero3 grad-overlap weight-overlap no-fused
  loss=padded objective=dpo
llama3.1-8b: 8,030,261,248 parameters, 8 GPUs with transformers
lora64 lora-targets=q
reckon: warning: chat.sh: lora_dim: is followed for the matrices alone: embeddings and norms are trained, too, unless the program is told only_optimize_lora
llama3.1-8b: 8,030,261,248 parameters, 8 GPUs with transformers
  plan: framework=deepspeed precision=fp16 dp8 mbs4 gbs32 seq512 zero3 grad-overlap weight-overlap
  no-fused loss=padded lora16 offload-optimizer=1 offload-weights=1
kto.sh: note 5.stage: stage 0 70.8 GiB: unsure, P(fits) 64 %: 79 GiB are there: fused needs 63 GiB
kto.sh: warning 14.waste: compiled kernels: would shorten the step by 13.1 %, 0.956 s to 0.83 s, with 60.7 of 79.2 GiB: torch_compile = true
llama3.1-8b on h100-sxm5-80g: 1 warning, 1 note
  plan: framework=deepspeed dp8 mbs2 gbs128 seq2048 zero2 no-fused loss=padded
  plan: framework=fsdp dp8 mbs2 gbs16 seq2048 zero3 grad-overlap weight-overlap flat-units
=== stderr
reckon: note: rm.sh is read as a training of Hugging Face: reckon import trainer
reckon: rm.sh:1:29: reward_modeling.py by its name generates answers or trains a model of rewards, which plans do not cover: give --set rl=dpo (or kto, orpo, simpo, cpo) where it does not
reckon: --variant: only 2 commands train
reckon: --set tune_llm: freezes the language model, and what is trained next to it plans do not cover: give --set tune_llm=true to estimate the run with all of it trained
reckon: slime.sh: this is a slime script; reckon does not read it: give the sizes and degrees of its actor as a plan
reckon: own.sh: starts torchrun_main.py, a program of no tool that reckon reads: say model, batch and sharding as words of reckon predict; or give the format, reckon import FORMAT FILE
reckon: note: acc.sh is read as a training of Hugging Face: reckon import trainer
reckon: acc.sh:1:33: z9.yaml is not at hand: give --ignore config_file and what it says with --set distributed_type=FSDP (or DEEPSPEED with --set deepspeed_config.zero_stage=3); nothing says how many GPUs are used; and in one line: --gpus N --ignore config_file
