# What import and check say of a file agrees: its GPUs are those of the system where it names none, and
# both name what has no effect.
cat > run.sh <<'END'
python pretrain_gpt.py --tensor-model-parallel-size 2 --num-layers 32 --hidden-size 4096 --num-attention-heads 32 \
  --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 --bf16 \
  --use-distributed-optimizer --use-flash-attn --vocab-size 32000 --train-iters 100 --lr 1e-4
END
echo '{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3}, "bf16": {"enabled": true}}' > ds.json
reckon import run.sh -s 'h100-sxm5-80g x16' 2>&1 | grep -e 'no effect' -e ' GPUs of ' -e '^gpus'
reckon check run.sh -s 'h100-sxm5-80g x16' --waste 100 | grep -e 'no effect' -e h100
reckon import run.sh -s h100-sxm5-80g 2>&1 | grep -i gpus
reckon check run.sh -s h100-sxm5-80g
reckon import ds.json -m llama3.1-8b -s 'h100-sxm5-80g x8' 2>&1 | grep -e ' GPUs of ' -e '^gpus'
=== stdout
reckon: warning: run.sh:3:31: --use-flash-attn: has no effect on models of Megatron Core: --attention-backend flash has
run: 6,592,012,288 parameters, 16 GPUs of h100-sxm5-80g x16 with Megatron-LM
gpus                                   16                all of the system
run.sh:3:31: note 12.effect: --use-flash-attn: has no effect on models of Megatron Core: --attention-backend flash has
run.sh on h100-sxm5-80g x16: 2 notes
reckon: run.sh: nothing says how many GPUs are used (a multiple of 2): give --gpus N
llama3.1-8b: 8,030,261,248 parameters, 8 GPUs of h100-sxm5-80g x8 with DeepSpeed
gpus       8      all of the system
=== stderr
reckon: run.sh: nothing says how many GPUs are used (a multiple of 2): give --gpus N
