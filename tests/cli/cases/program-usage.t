reckon program -m gpt2-124m -s a100-sxm4-80g -g 8 tp3 pp2; reckon program -m gpt2-124m -s a100-sxm4-80g -g 8 tp2 --rank 9; reckon program -m gpt2-124m -s a100-sxm4-80g -g 8 --rank 1..2; reckon program -m gpt2-124m -s a100-sxm4-80g -g 8 --against x; reckon program -m gpt2-124m -s a100-sxm4-80g --all d -o f; reckon program --from nowhere; printf 'run x stream=gpu\njump\n' > t; reckon program --from t; reckon program -m gpt2-124m -s a100-sxm4-80g -g 8 framework=calculon gbs8; : > e; reckon program --from e; reckon program -m gpt2-124m -s a100-sxm4-80g -g 8 tp2 --rank 0 -f json
# A layer has one name: what the program has not, or spelt otherwise, would be another tensor's when it is written.
for layer in 0 head 1 00 predict0; do
    printf 'run program stream=gpu rank=0 ranks=1 stage=0 layers=1 predict=0 microbatches=1\nalloc w.%s stream=gpu shape=8x1 dtype=bf16 bytes=16\n' $layer >a.log
    reckon program --from a.log -o b.log && cmp a.log b.log && echo "$layer: the same"
done
# What is read has no plan, and what is compared no output: words that nothing asks for are refused.
from() { reckon program --from b.log "$@"; echo "exit $?"; }
from --rank 0
from -m gpt2-124m
from -s a100-sxm4-80g
from -g 8
from --plan plan.json
from tp2 pp2
from --classes
from --against b.log -o c.log
from --against b.log
reckon program -m gpt2-124m -s a100-sxm4-80g -g 2 tp2 gbs2 --rank 0 --against b.log -o c.log; echo "exit $?"; ls
reckon program -m gpt2-124m -s a100-sxm4-80g -g 2 tp2 gbs2 --rank 0 --classes; echo "exit $?"
reckon program -m gpt2-124m -s a100-sxm4-80g -g 2 gbs2 zero3 framework=fsdp step-in-backward --rank 0; echo "exit $?"
=== stdout
0: the same
head: the same
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 0
exit 2
a.log
b.log
e
t
exit 2
exit 1
=== stderr
reckon: --gpus: 8 GPUs are not a multiple of tensor 3 * pipeline 2 = 6: use 6 or 12
reckon: there is no rank 9: the plan's are 0 to 7
reckon: --rank: give one rank, or --all DIR
reckon: --against compares one program: give --rank, or --from FILE
reckon: --all writes many programs: leave out --rank, --from and --output
reckon: nowhere: cannot open: No such file or directory; check the path
reckon: t:2: no instruction of a program: "jump"
reckon: the plan cannot be lowered: framework calculon has no list of kernels; give another framework
reckon: e: has no instructions
reckon: --format is of the table: programs are text; leave it out, or --rank, --all and --from
reckon: a.log:2: no name of a tensor, KIND:NAME.LAYER.MICROBATCH: "w.1"
reckon: a.log:2: no name of a tensor, KIND:NAME.LAYER.MICROBATCH: "w.00"
reckon: a.log:2: no name of a tensor, KIND:NAME.LAYER.MICROBATCH: "w.predict0"
reckon: --from reads a program, not a plan to make one of: leave out --rank
reckon: --from reads a program, not a plan to make one of: leave out --model
reckon: --from reads a program, not a plan to make one of: leave out --system
reckon: --from reads a program, not a plan to make one of: leave out --gpus
reckon: --from reads a program, not a plan to make one of: leave out --plan
reckon: --from reads a program, not a plan to make one of: leave out tp2
reckon: --from reads a program, not a plan to make one of: leave out --classes
reckon: --against prints what differs: leave out --output
reckon: --against prints what differs: leave out --output
reckon: --classes is of all ranks, --rank of one: leave out one of them
reckon: the plan cannot be lowered: steps of the optimizer within backward are not lowered; leave step-in-backward out
