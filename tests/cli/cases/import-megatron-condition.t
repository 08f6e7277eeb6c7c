printf '%s\n' 'A=(--num-layers 8 --micro-batch-size 1)' 'if [ -e big ]; then A+=(--hidden-size 8192); fi' 'torchrun pretrain_gpt.py ${A[@]}' >x.sh; reckon import megatron x.sh
=== stdout
=== stderr
reckon: x.sh:2:25: --hidden-size depends on the condition in line 2, which the script does not tell: give --set @2:9=VALUE (it is compared with true, false); --hidden-size is missing; and in one line: --set @2:9=true/false
=== exit 3
