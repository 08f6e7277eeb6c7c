reckon import megatron; reckon import megatron x.sh -- --num-layers 8; reckon import megatron nowhere.sh; echo $?
=== stdout
3
=== stderr
reckon: import megatron: give a script, or arguments after --, and not both
reckon: import megatron: give a script, or arguments after --, and not both
reckon: nowhere.sh: cannot open: No such file or directory; check the path
