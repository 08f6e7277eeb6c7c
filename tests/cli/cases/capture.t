# A script that asks Python and starts ranks through srun and a shell: what torchrun would get.
cat >run.sh <<'END'
N=$(python3 -c "print(4 * 2)")
mkdir -p there && cd there
export CUDA_DEVICE_MAX_CONNECTIONS=1
srun -N 2 --ntasks-per-node 1 bash -c "torchrun --nnodes 2 --nproc_per_node $N pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 --tensor-model-parallel-size 2 --vocab-size 32000 --tokenizer-type NullTokenizer --bf16 --data-path 'a b' --extra \"it's\""
python3 evaluate.py --last
echo done
END
mkdir tmp; export TMPDIR=$PWD/tmp
reckon capture -o started.sh -- bash run.sh
sed "s|^cd .*/there'|cd there|" started.sh
reckon import started.sh --ignore extra -s h100-sxm5-80g 2>/dev/null | sed -n '1,2p;4p'
echo "--- another one; nothing; no such command"
reckon capture --started 2 -- bash run.sh 2>/dev/null | tail -n 1
reckon capture -- true; echo "exit $?"
reckon capture -- ./none.sh; echo "exit $?"
reckon capture
ls tmp
=== stdout
#!/bin/bash
# recorded by reckon capture: Megatron-LM
cd there
export CUDA_DEVICE_MAX_CONNECTIONS=1
srun -N 2 --ntasks-per-node 1 torchrun --nnodes 2 --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 --tensor-model-parallel-size 2 --vocab-size 32000 --tokenizer-type NullTokenizer --bf16 --data-path 'a b' --extra 'it'\''s'
fits: P(fits) 76 %, 1.719 s per step (50 % 1.592-2.141 s), MFU 41.1 %, memory 69.5 of 79.2 GiB, 72.58 USD per 1B tokens
started: 6,592,012,288 parameters, 16 GPUs of h100-sxm5-80g with Megatron-LM
  plan: dp8 tp2 gbs64 vocab-multiple=128
--- another one; nothing; no such command
python3 evaluate.py --last
exit 1
exit 4
=== stderr
done
reckon: started 1 (taken): srun -N 2 --ntasks-per-node 1 torchrun --nnodes 2 --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 ...
reckon: started 2: python3 evaluate.py --last
reckon: nothing was started by torchrun, srun, mpirun, deepspeed, accelerate, axolotl, llamafactory-cli or python: is it called by another name, or with a path?
reckon: ./none.sh: No such file or directory
reckon: ./none.sh: a command was not found
reckon: COMMAND is missing: reckon capture -- bash run.sh
