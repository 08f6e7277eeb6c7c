# what public launch scripts were read wrong by, or not at all
M='torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 8 --bf16'
# MindSpeed's: GELU with a gate; the first layers stay dense, whatever every how many-th has experts
echo "$M --vocab-size 32000 --gelu-tanh --use-flash-attn --geglu" >gate.sh; reckon import gate.sh 2>/dev/null | grep gated
sed -i 's/ --geglu//' gate.sh; reckon import gate.sh 2>/dev/null | grep gated
echo "$M --vocab-size 32000 --num-experts 8 --moe-router-topk 2 --first-k-dense-replace 3 --moe-layer-freq 1" >dense.sh; reckon import dense.sh 2>/dev/null | grep dense
echo "$M --vocab-size 32000 --stage dpo --use-fused-swiglu" >dpo.sh; reckon import dpo.sh
# Megatron-LM's other optimizers, read and written
echo "$M --vocab-size 32000 --optimizer lion" >lion.sh; reckon import lion.sh 2>/dev/null | sed -n 3p
reckon import lion.sh -o lion.json >/dev/null 2>&1; reckon export megatron llama2-7b --plan lion.json 2>/dev/null | grep -o 'optimizer .*'
reckon export megatron llama2-7b -s "h100-sxm5-80g x8" optimizer=sgd-momentum 2>/dev/null | grep -o 'optimizer .*'
# a list of tokens of one's own has not the length of GPT-2's
echo "$M --tokenizer-type GPT2BPETokenizer --vocab-file /data/nordic-131072/vocab.json --merge-file /data/nordic-131072/merges.txt" >list.sh; reckon import list.sh
sed -i 's:nordic-131072:gpt2:g' list.sh; reckon import list.sh 2>/dev/null | grep vocab-size
# what may decide the cost is not offered to --ignore
echo "$M --vocab-size 32000 --pipe-parallel-size 4 --odd-thing 3" >pipe.sh; reckon import pipe.sh
# a folder's name says nothing of adapters; a program's does
T='--model_name_or_path meta-llama/Llama-3.1-8B --max_length 1024 --bf16 true'
printf '{"zero_optimization":{"stage":2},"bf16":{"enabled":true}}' >z2.json
echo "torchrun --nproc_per_node 8 train_lora.py $T --per_device_train_batch_size 2 --deepspeed z2.json --output_dir out_lora" >lora.sh; reckon import lora.sh
# "auto" of accelerate is the trainer's; adapters where the program says
printf 'distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 2\n  gradient_accumulation_steps: auto\nmixed_precision: bf16\n' >z2.yaml
echo "accelerate launch --config_file z2.yaml --num_processes 8 sft.py $T --per_gpu_train_batch_size 2 --gradient_accumulation_steps 4 --use_lora true --lora_r 8 --lora_target_modules auto" >auto.sh; reckon import auto.sh
reckon import auto.sh --set lora_target_modules=all-linear 2>/dev/null | sed -n 2,4p
# preferences by their key; texts that are told from others
echo "torchrun --nproc_per_node 8 train.py $T --per_device_train_batch_size 2 --deepspeed z2.json --dpo_beta 0.1 --dpo_token_weight 2" >pref.sh; reckon import pref.sh 2>/dev/null | sed -n 2,4p
echo "torchrun --nproc_per_node 8 train.py $T --per_device_train_batch_size 2 --number_neg 31" >neg.sh; reckon import neg.sh
# a word of another tool: what the script starts; arguments for another script
printf 'per_device_batch_size=64\naccelerate launch src/ppo.py --batch_size $per_device_batch_size\n' >ppo.sh; reckon import ppo.sh
printf 'export base="--bf16 True --per_device_train_batch_size 1 --learning_rate 2e-5"\n' >base.sh; reckon import base.sh
echo 'python3 train.py --global_train_batch_size 1 --set_model_config_manually 0' >galvatron.sh; reckon import galvatron.sh
# a trainer's script with a model's shape is no script of Megatron-LM; a batch of one's own
echo "deepspeed --num_gpus 8 train.py --deepspeed z2.json $T --per_device_train_batch_size 1 --num_layers 4 --hidden_size 6400 --num_attention_heads 80" >shape.sh; reckon import shape.sh 2>&1 | sed -n 1,5p
echo "deepspeed --num_gpus 8 train.py $T --gradient_accumulation_steps 2 --train_batch_size 16" >batch.sh; reckon import trainer batch.sh
# LLaVA's adapters are on all matrices, and its first stage trains none of the model; those of other programs are theirs to say
echo "deepspeed --num_gpus 8 train_mem.py --deepspeed z2.json $T --per_device_train_batch_size 4 --lora_enable True --lora_r 128" >llava.sh; reckon import llava.sh 2>/dev/null | grep -e lora128 -e all-linear
sed -i 's/lora_enable True --lora_r 128/tune_mm_mlp_adapter True/' llava.sh; reckon import llava.sh
echo "deepspeed --num_gpus 8 t.py --deepspeed z2.json $T --per_device_train_batch_size 4 --use_lora True --lora_rank 8" >own.sh; reckon import own.sh
# how many GPUs the degrees need; what the given would leave missing; ranks that a batch is divided by
S='--num-layers 16 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1'
echo "python pretrain_gpt.py $S --tensor-model-parallel-size 2 --pipeline-model-parallel-size 4 --num-experts 64 --expert-model-parallel-size 16 --expert-tensor-parallel-size 1 --global-batch-size 512 --bf16 --vocab-size 32000" >gpus.sh; reckon import gpus.sh
echo 'torchrun --nnodes $1 --nproc_per_node 8 pretrain_gpt.py --use-checkpoint-args --micro-batch-size 1 --seq-length 2048' >load.sh; reckon import load.sh
echo "python pretrain_gpt.py $S --tensor-model-parallel-size 2 --pipeline-model-parallel-size 4 --global-batch-size \$((4 * \$WORLD / 8)) --bf16 --vocab-size 32000 --world-size \$WORLD --odd-thing 3 --use-quantize-comm" >world.sh; reckon import world.sh
# a count of arguments that ends a call without them; a file that decides which command runs; a training in tools/
echo "if [ \$# -ne 2 ]; then echo usage; exit 1; fi; torchrun --nproc_per_node 8 train.py $T --per_device_train_batch_size \$2" >usage.sh; reckon import usage.sh
printf "if [ -f last.txt ]; then\n C='$M --vocab-size 32000 --load x'\nelse\n C='$M --vocab-size 32000'\nfi\n\$C\n" >file.sh; reckon import file.sh; reckon import file.sh --set @1:9=false 2>&1 | grep plan:
echo "$M --vocab-size 32000" | sed 's:pretrain_gpt:tools/pretrain_code:' >tools.sh; reckon import tools.sh 2>&1 | grep plan:
# words that no value standing there is the reason of; what is frozen; assignments
echo "$M --vocab-size \$V --recompute-granularity full --recompute-method chunk --recompute-num-layers 1" >chunk.sh; reckon import chunk.sh
echo "torchrun --nproc_per_node 8 train.py $T --per_device_train_batch_size 2 --tune_type_llm frozen --frozen_part 3" >frozen.sh; reckon import frozen.sh
printf 'PROGRAM=dpo/train.py\npython $PROGRAM model=x\n' >assigned.sh; reckon import assigned.sh
# images and sound by the names; a program that a variable's arguments are for; run_clm.py's words are not trl's, and its fp16 counts
echo "torchrun --nproc_per_node 8 train.py $T --per_device_train_batch_size 2 --vision_encoder siglip --image_merge_size 2 --fps 1" >media.sh; reckon import media.sh
printf 'A="--learning_rate 1e-5 --precision 16 --strategy deepspeed_stage_3"\npython3 finetune_tnews.py $A\n' >fs.sh; reckon import fs.sh
echo "accelerate launch --config_file z2.yaml --num_processes 8 run_llmmt.py --model_name_or_path meta-llama/Llama-3.1-8B --do_train --fp16 --use_peft --lora_rank 16 --per_device_train_batch_size 4 --gradient_accumulation_steps 4 --max_length 512" >clm.sh; reckon import clm.sh 2>/dev/null | sed -n 2,10p
sed -i 's/steps: auto/steps: 1/' z2.yaml; reckon import clm.sh
# check asks for the command as well as for the model; DeepSpeed-Chat overlaps
echo "torchrun --nproc_per_node 4 sft.py --model_name_or_path my/model --per_device_train_batch_size 2 --bf16 true" >two.sh; sed 's/4/8/' two.sh >>two.sh; reckon check two.sh -s h100-sxm5-80g; reckon check two.sh -s h100-sxm5-80g --variant 1
echo 'deepspeed --num_gpus 8 main.py --model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 4 --max_seq_len 512 --zero_stage 2 --deepspeed' >chat.sh; reckon import chat.sh 2>/dev/null | grep plan:
# the older switch of an optimizer; programs of JAX; images in Megatron-LM's scripts
echo "torchrun --nproc_per_node 8 run_clm.py $T --do_train --per_device_train_batch_size 2 --adafactor" >fac.sh; reckon import fac.sh 2>/dev/null | grep optimizer=
echo "python run_clm_flax.py $T --per_device_train_batch_size 2" >flax.sh; reckon import flax.sh
echo "$M --vocab-size 32000 --odd-thing 3 --vision-seq-length 1024" >vlm.sh; reckon import vlm.sh
echo "torchrun --nproc_per_node 8 train.py $T --per_device_train_batch_size 2 --tensor_parallel_size 1" >one.sh; reckon import one.sh 2>&1 | grep degree
=== stdout
gated mlp        yes               a gate next to the MLP's first matrix
gated mlp        yes               a gate next to the MLP's first matrix
dense: 429,458,432 parameters, of which 177,646,592 active, 8 GPUs with MindSpeed
id               dense
experts             8                 routed experts of a layer; 0: dense
dense layers        3                 layers, the first ones, with a dense MLP
  plan: dp8 gbs8 optimizer=lion vocab-multiple=128
optimizer lion
optimizer sgd
--vocab-size                           50257             not given: as the tokenizer gpt2 has it (openai-community/gpt2, vocab.json)
  plan: framework=deepspeed dp8 mbs2 gbs64 seq1024 zero2 recompute=full no-fused loss=padded lora8

Assumed because the arguments do not state it
  plan: framework=deepspeed dp8 mbs2 gbs16 seq1024 zero2 no-fused loss=padded objective=dpo

Assumed because the arguments do not state it
reckon: note: shape.sh is read as a training of Hugging Face: reckon import trainer
reckon: warning: shape.sh: num_layers 4: is not followed: the shape is that of --model
reckon: warning: shape.sh: hidden_size 6400: is not followed: the shape is that of --model
reckon: warning: shape.sh: num_attention_heads 80: is not followed: the shape is that of --model
llama3.1-8b: 8,030,261,248 parameters, 8 GPUs with transformers
  lora128
target_modules          all-linear               LLaVA's find_all_linear_names, where none are said
  plan: dp8 gbs8 vocab-multiple=128
  plan: dp8 gbs8 vocab-multiple=128
  plan: framework=deepspeed precision=fp16 dp8 mbs4 gbs128 seq512 zero2 no-fused loss=padded
  lora16 lora-targets=q+v

Assumed because the arguments do not state it
what                value                    why
model_name_or_path  meta-llama/Llama-3.1-8B  the catalog's llama3.1-8b
target_modules      q_proj, v_proj           PEFT's of Llama, Mistral, Qwen and Gemma where none are said
loss                padded                   that of transformers since 4.49
  plan: framework=deepspeed precision=fp16 dp8 mbs4 gbs32 seq512 zero2 grad-overlap no-fused
  optimizer=adafactor autocast
reckon: warning: one.sh: tensor_parallel_size 1: is not known: passed over, since a degree of one divides nothing
=== stderr
reckon: note: dpo.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: dpo.sh:1:230: --stage dpo: pairs of answers next to a reference model are not covered with Megatron-LM: say model and batch as words of reckon predict, framework=fsdp objective=dpo
reckon: note: list.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: list.sh:1:220: the vocabulary's size is in the files of the tokenizer GPT2BPETokenizer: give --vocabulary N
reckon: note: pipe.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: pipe.sh:1:222: --pipe-parallel-size: is not known to Megatron-LM or its relatives, and may decide what the run costs: correct it, or say model, batch and degrees as words of reckon predict
reckon: warning: pipe.sh:1:222: --pipe-parallel-size: is not known
reckon: warning: pipe.sh:1:245: --odd-thing: is not known
reckon: note: lora.sh is read as a training of Hugging Face: reckon import trainer
reckon: lora.sh:1:29: train_lora.py by its name trains adapters, of which the command says nothing: give --set use_peft=true --set lora_r=N, or --set use_peft=false
reckon: note: auto.sh is read as a training of Hugging Face: reckon import trainer
reckon: --set lora_target_modules: auto is not a matrix of a block that is known: q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj, lm_head and other names of these are: give --set lora_target_modules=all-linear, or those that have adapters
reckon: note: neg.sh is read as a training of Hugging Face: reckon import trainer
reckon: neg.sh: number_neg 31: texts are ranked or embedded, which plans do not cover: give --ignore number_neg to estimate the run without it
reckon: ppo.sh: starts src/ppo.py, a program of no tool that reckon reads: say model, batch and sharding as words of reckon predict; or give the format, reckon import FORMAT FILE
reckon: note: base.sh is read as a training of Hugging Face: reckon import trainer
reckon: base.sh: no command trains in this script: it only sets base, arguments for the script that reads it: give that one
reckon: galvatron.sh: this is a Galvatron script; reckon does not read it: say model, batch and degrees as words of reckon predict; its keys, by their names, say gbs=1
reckon: --set train_batch_size: says not whether it counts the samples of one GPU or of all: give --set per_device_train_batch_size=N
reckon: note: llava.sh is read as a training of Hugging Face: reckon import trainer
reckon: llava.sh: tune_mm_mlp_adapter True: only the projector between images and text is trained, which plans do not cover: give --ignore tune_mm_mlp_adapter to estimate the run without it
reckon: note: own.sh is read as a training of Hugging Face: reckon import trainer
reckon: --set use_lora: trains adapters on matrices that the program's own code names: give --set lora_target_modules=all-linear, or q_proj,v_proj and the like
reckon: note: gpus.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: gpus.sh: nothing says how many GPUs are used (a multiple of 64): give --gpus N
reckon: note: load.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: load.sh:1:19: $1 is not set in this script: give --set 1=VALUE; --num-layers is missing; and in one line: --set 1=VALUE
reckon: note: world.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: world.sh:1:238: $WORLD is not set in this script: give --set WORLD=VALUE, for --global-batch-size: a whole number; nothing says how many GPUs are used (a multiple of 8); line 1:318: --use-quantize-comm: gradients or activations that travel in 8 bits, which plans do not cover; 1 key is not known; and in one line: --set WORLD=VALUE --gpus N --ignore odd-thing,use-quantize-comm
reckon: note: usage.sh is read as a training of Hugging Face: reckon import trainer
reckon: usage.sh: per_device_train_batch_size: line 1: $2 is not set in this script: give --set 2=VALUE
reckon: note: file.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: file.sh:1:1: $C depends on the condition in line 1, which the script does not tell: give --set @1:9=VALUE (it is compared with true, false)
reckon: note: chunk.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: chunk.sh:1:216: $V is not set in this script: give --set V=VALUE, for --vocab-size: a whole number; line 1:267: --recompute-method: "chunk" is not known; and in one line: --set V=VALUE
reckon: note: frozen.sh is read as a training of Hugging Face: reckon import trainer
reckon: frozen.sh: tune_type_llm frozen: the language model is not trained whole, which plans do not cover: give --ignore tune_type_llm to estimate the run without it; frozen_part may decide what the run costs: say it by --set and this tool's keys; and in one line: --ignore tune_type_llm,frozen_part
reckon: frozen.sh: frozen_part: is not known, and may decide what the run costs: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: assigned.sh: starts dpo/train.py, a program of no tool that reckon reads: say model, batch and sharding as words of reckon predict; or give the format, reckon import FORMAT FILE
reckon: note: media.sh is read as a training of Hugging Face: reckon import trainer
reckon: media.sh: vision_encoder: is of images, video or sound, which plans do not cover: give --ignore vision_encoder to estimate the text's model alone; image_merge_size: is of images, video or sound, which plans do not cover; 1 key is not known; and in one line: --ignore vision_encoder,image_merge_size,fps
reckon: media.sh: image_merge_size: is of images, video or sound, which plans do not cover: give --ignore image_merge_size to estimate the text's model alone
reckon: media.sh: fps: is not known: correct it, or give --ignore fps
reckon: fs.sh: starts finetune_tnews.py, a program of no tool that reckon reads: say model, batch and sharding as words of reckon predict; or give the format, reckon import FORMAT FILE
reckon: note: clm.sh is read as a training of Hugging Face: reckon import trainer
reckon: --set deepspeed_config.gradient_accumulation_steps: is not the gradient_accumulation_steps of the training, 4, so that the trainer does not start: give --set deepspeed_config.gradient_accumulation_steps=4
reckon: warning: clm.sh: not known: do_train: passed over, as others whose names begin so decide no cost
reckon: two.sh:2:1: a second command trains, besides that of line 1: choose with --variant 1 to 2; and give --model
reckon: --model is missing: model_name_or_path my/model is not a checkpoint of the catalog: give its config.json, or an id of reckon models
reckon: note: flax.sh is read as a training of Hugging Face: reckon import trainer
reckon: flax.sh:1:8: run_clm_flax.py by its name trains with JAX, of which only MaxText and Levanter are read: say model, batch and sharding as words of reckon predict
reckon: note: vlm.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: vlm.sh:1:236: --vision-seq-length: is of images, video or sound, which plans do not cover: give --ignore odd-thing,vision-seq-length to estimate the text's model alone
reckon: warning: vlm.sh:1:222: --odd-thing: is not known
reckon: warning: vlm.sh:1:236: --vision-seq-length: is not known
