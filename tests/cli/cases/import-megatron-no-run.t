printf 'echo hello\n' >x.sh; reckon import megatron x.sh; : >empty.sh; reckon import megatron empty.sh
=== stdout
=== stderr
reckon: x.sh: no command with arguments of Megatron-LM (--num-layers, --micro-batch-size, ...) trains in this script
reckon: empty.sh: no command with arguments of Megatron-LM (--num-layers, --micro-batch-size, ...) trains in this script: it has no commands at all
=== exit 3
