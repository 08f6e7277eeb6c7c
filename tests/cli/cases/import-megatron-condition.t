printf '%s\n' 'A=(--num-layers 8 --micro-batch-size 1)' 'if [ -e big ]; then A+=(--hidden-size 8192); fi' 'torchrun pretrain_gpt.py ${A[@]}' >x.sh; reckon import megatron x.sh
=== stdout
=== stderr
reckon: x.sh:2:25: --hidden-size depends on the condition in line 2, which the script does not tell: give the variables of that condition with --set NAME=VALUE
=== exit 3
