#!/bin/bash
#SBATCH -N 256
#SBATCH --gres=gpu:8
# DeepSeek-V3, 2,048 GPUs, uneven pipeline by layout (core 0.14 and later)

NODES=$SLURM_JOB_NUM_NODES
GPUS=${SLURM_GPUS_ON_NODE}

DIST="--nnodes $NODES --nproc_per_node $GPUS --rdzv_id $RANDOM"

MODEL='--num-layers 61 --hidden-size 7168 --ffn-hidden-size 18432
       --num-attention-heads 128 --kv-channels 128 --multi-latent-attention
       --q-lora-rank 1536 --kv-lora-rank 512 --qk-head-dim 128 --qk-pos-emb-head-dim 64
       --v-head-dim 128 --qk-layernorm --swiglu --normalization RMSNorm --norm-epsilon 1e-6
       --position-embedding-type rope --rotary-base 10000 --rotary-scaling-factor 40
       --disable-bias-linear --untie-embeddings-and-output-weights --mtp-num-layers 1
       --attention-dropout 0.0 --hidden-dropout 0.0 --vocab-size 129280
       --seq-length 4096 --max-position-embeddings 4096 --make-vocab-size-divisible-by 3232'

MOE=(
  --num-experts 256 --moe-router-topk 8 --moe-ffn-hidden-size 2048
  --moe-shared-expert-intermediate-size 2048 --moe-layer-freq "([0]*3+[1]*58)"
  --moe-router-num-groups 8 --moe-router-group-topk 4 --moe-router-topk-scaling-factor 2.5
  --moe-router-score-function sigmoid --moe-router-enable-expert-bias
  --moe-router-load-balancing-type seq_aux_loss --moe-aux-loss-coeff 1e-4
  --moe-router-dtype fp32 --moe-permute-fusion --moe-grouped-gemm
  --moe-token-dispatcher-type flex --moe-enable-deepep
)

torchrun $DIST pretrain_gpt.py $MODEL "${MOE[@]}" \
  --tensor-model-parallel-size 2 --pipeline-model-parallel-size 16 \
  --expert-model-parallel-size 64 --expert-tensor-parallel-size 1 --sequence-parallel \
  --pipeline-model-parallel-layout "Et*3|(tt|)*29,m|L" \
  --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather \
  --micro-batch-size 1 --global-batch-size 8192 \
  --recompute-granularity selective --recompute-modules mla_up_proj mlp moe_act layernorm \
  --bf16 --fp8-format e4m3 --fp8-recipe blockwise --fp8-param-gather \
  --use-precision-aware-optimizer --main-grads-dtype fp32 --main-params-dtype fp32 \
  --exp-avg-dtype bf16 --exp-avg-sq-dtype bf16 \
  --cross-entropy-loss-fusion --tokenizer-type NullTokenizer --mock-data \
  --train-iters 50 --lr 2.2e-4 --log-throughput
