# Paths that a template leaves open, out of comments and of defaults of the environment.
cat >run.sh <<'END'
# /path/to/nothing
DATA=${DATA:-/path/to/data}
torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 16 --hidden-size 2048 --num-attention-heads 32 \
  --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 64 --lr 1e-4 \
  --train-iters 100 --bf16 --tokenizer-type NullTokenizer --vocab-size 32000 --use-distributed-optimizer \
  --data-path $DATA --save /path/to/checkpoints --save-interval 10 # --load /path/to/else
END
reckon check run.sh -s h100-sxm5-80g --waste 100; echo "exit $?"
sed -i 's,--save ,--load /path/to/start --save ,' run.sh
reckon check run.sh -s h100-sxm5-80g --waste 100
sed -i 's, /path/to/\(start\|checkpoints\), /data/\1,' run.sh
sed -i 's, /path/to/\(start\|checkpoints\), /data/\1,' run.sh
reckon check run.sh -s h100-sxm5-80g --waste 100
=== stdout
run.sh:6:28: warning 1.value: /path/to/checkpoints: is a placeholder: give the path
run.sh on h100-sxm5-80g: 1 warning
exit 0
run.sh:6:28: warning 1.value: /path/to/start: is a placeholder: give the path, and those like it
run.sh on h100-sxm5-80g: 1 warning
run.sh on h100-sxm5-80g: nothing found
