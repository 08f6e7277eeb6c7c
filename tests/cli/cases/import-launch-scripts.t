# launch scripts and configurations as people have them: what one message asks for, and what is refused by name
gpt='--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 --bf16'
echo "--- GPUs of the degrees and the vocabulary, in one line"
echo "torchrun --nnodes 1 --nproc_per_node 8 pretrain_gpt.py $gpt --tensor-model-parallel-size 8 --pipeline-model-parallel-size 16" >big.sh
reckon import big.sh
echo "--- experts of Megatron-DeepSpeed are over GPUs, too"
echo "deepspeed pretrain_gpt.py $gpt --vocab-size 32000 --num-experts 64 --moe-expert-parallel-size 16 --deepspeed" >experts.sh
reckon import experts.sh
echo "--- what has all the arguments; all files that are sourced and missing"
echo 'python -u $CODE/pretrain_gpt.py $PARAMS' >params.sh
reckon import params.sh
printf '. ./one.sh\nsource ./two.sh\nsource ./one.sh\ntorchrun --nproc_per_node 8 pretrain_gpt.py %s --vocab-size 32000 --kv-channels $KV\n' "$gpt" >sourced.sh
reckon import sourced.sh
echo "--- commands that all train what is not covered need no choice"
printf 'if [ -d $A ]; then\ntorchrun multimodal/train.py %s\nelse\ntorchrun multimodal/train.py %s --sequence-parallel\nfi\n' "$gpt" "$gpt" >pictures.sh
reckon import pictures.sh
echo "--- fp8 of GPT-NeoX is that of te_fp8_mha"
cat >neox.yml <<'EOF'
{"pipe_parallel_size": 1, "model_parallel_size": 1, "num_layers": 16, "hidden_size": 2048, "num_attention_heads": 16, "seq_length": 2048,
 "max_position_embeddings": 2048, "pos_emb": "rotary", "precision": "bfloat16", "te_layernorm_mlp": true, "te_fp8_format": "hybrid", "te_fp8_mha": false,
 "train_micro_batch_size_per_gpu": 4, "deepspeed_slurm": true, "no_save_optim": true}
EOF
reckon import neox.yml --gpus 8 --vocabulary 50304 | grep plan:
reckon import neox.yml --gpus 8 --vocabulary 50304 --set te_fp8_mha=true 2>/dev/null | grep plan:
echo "--- a section that is not covered is one refusal"
echo '{"train_batch_size": 8, "compression_training": {"weight_quantization": {"shared_parameters": {"enabled": true, "schedule_offset": 5}}}}' >compressed.json
reckon import compressed.json -m llama3.1-8b --gpus 8
reckon import compressed.json -m llama3.1-8b --gpus 8 --ignore compression_training 2>/dev/null | grep plan:
echo "--- --ignore passes the whole name alone"
long=a_key_of_somebody_with_a_very_long_name_that_does_not_end_at_sixty_letters
printf 'base_model: meta-llama/Llama-3.1-8B\ndatasets: []\nsequence_len: 2048\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\nbf16: true\n%s_one: 1\n%s_two: 1\n' $long $long >long.yaml
reckon import long.yaml --gpus 8 --ignore ${long}_one 2>&1 | grep 'is not known'
echo "--- no tool's program; what samples"
printf 'sudo cp train.py /opt/train.py\nif [ -f "$HOME/conda.sh" ]; then source "$HOME/conda.sh"; fi\npython -m own.sft\n' >own.sh
reckon import own.sh
echo 'tune run --nnodes 2 dev/grpo_full_finetune_distributed --config dev/3B_full_grpo' >grpo.sh
reckon import grpo.sh
=== stdout
--- GPUs of the degrees and the vocabulary, in one line
--- experts of Megatron-DeepSpeed are over GPUs, too
--- what has all the arguments; all files that are sourced and missing
--- commands that all train what is not covered need no choice
--- fp8 of GPT-NeoX is that of te_fp8_mha
  plan: framework=deepspeed dp8 mbs4 gbs32 attention=unfused no-gradient-fusion
  plan: framework=deepspeed precision=fp8-delayed dp8 mbs4 gbs32 no-gradient-fusion
--- a section that is not covered is one refusal
  plan: framework=deepspeed precision=fp32 dp8 gbs8
--- --ignore passes the whole name alone
reckon: long.yaml:8:81: a_key_of_somebody_with_a_very_long_name_that_does_not_end_at_sixty_letters_two: is not known: correct it, or give --ignore a_key_of_somebody_with_a_very_long_name_that_does_not_end_at_sixty_letters_two
--- no tool's program; what samples
=== stderr
reckon: note: big.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: big.sh: the vocabulary's size is in the files of the tokenizer: give --vocabulary N; line 1:245: --tensor-model-parallel-size: 8 GPUs are not a multiple of tensor 8 * pipeline 16 = 128: use 128; and in one line: --vocabulary N --gpus 128
reckon: note: experts.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: experts.sh: nothing says how many GPUs are used (a multiple of 16): give --gpus N
reckon: note: params.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: params.sh:1:33: $PARAMS is not set in this script: give --set PARAMS=VALUE
reckon: note: sourced.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: sourced.sh:4:238: $KV is not set in this script: give --set KV=VALUE, or have ./one.sh, ./two.sh next to the script, which it sources, for --kv-channels: a whole number
reckon: note: pictures.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: pictures.sh:2:1: multimodal/train.py trains a model of images and text, which models here do not describe
reckon: note: neox.yml is read as a configuration of GPT-NeoX: reckon import gpt-neox
reckon: warning: neox.yml:2:101: te_layernorm_mlp true: is not followed: its MLP is that of Transformer Engine
reckon: note: compressed.json is read as a configuration of DeepSpeed: reckon import deepspeed
reckon: compressed.json:1:107: compression_training: the model is quantized or pruned while it trains, which plans do not cover: give --ignore compression_training to estimate the run without it
reckon: own.sh: starts own.sft, a program of no tool that reckon reads: say model, batch and sharding as words of reckon predict; or give the format, reckon import FORMAT FILE
reckon: grpo.sh: this is a torchtune recipe of reinforcement learning; reckon does not read it: sampling between steps is not covered: say the policy and its batch as words of reckon predict, framework=fsdp
=== exit 3
