# A loop over the script's arguments, of which there are none; an unknown name next to a text that would go on with it.
cat >run.sh <<'END'
TP=2
while [[ "$1" != "" ]]; do
    case $1 in
        --tp) shift; TP=$1 ;;
        *) echo "Unknown argument ${1}"; exit 1 ;;
    esac
    shift
done
OUT=/runs/${SLURM_JOB_ID}_out
CMD="pretrain_gpt.py --num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size ${MB}0 --vocab-size 32000 --tensor-model-parallel-size $TP --save $OUT"
srun bash -c "torchrun --nproc_per_node 8 $CMD --bf16"
END
reckon import run.sh
reckon import run.sh --set MB=2 | sed -n '1,3p;/^1 /p'
sed 's/\[\[ "$1" != "" \]\]/[ -n "$1" ]/' run.sh >b.sh; reckon import b.sh --set MB=2 | sed -n 3p
sed 's/while .* do/if [[ "$1" != "" ]]; then/; s/^done/fi/' run.sh >c.sh; reckon import c.sh --set MB=2
=== stdout
run: 135,636,992 parameters, 8 GPUs with Megatron-LM
The arguments are those of Megatron Core 0.9 to 0.19
  plan: dp4 tp2 mbs20 gbs80 vocab-multiple=128
1                                      not set           the script asks for it and does not set it: give --set 1=VALUE otherwise
  plan: dp4 tp2 mbs20 gbs80 vocab-multiple=128
=== stderr
reckon: note: run.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: run.sh:11:14: $MB is not set in this script: give --set MB=VALUE, for --micro-batch-size: a whole number
reckon: note: run.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: note: b.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: note: c.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: c.sh:2:1: $TP depends on the condition in line 2, which the script does not tell: give --set 1=VALUE (it is compared with --tp), for --tensor-model-parallel-size: a whole number
=== exit 3
