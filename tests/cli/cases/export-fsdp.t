reckon export fsdp -m llama3.1-8b framework=fsdp gpus8 gbs64 zero2 stages=12/zero3/recompute=full~8/recompute=selective:layernorm+mlp~12/recompute=selective:moe_act/offload-activations=0.5 -o units.py
sed -n '/^UNITS/,/^ENDS/p' units.py
reckon export fsdp -m llama3.1-8b framework=fsdp gpus16 gbs64 pp2 zero3 recompute=full recompute-layers=4 | sed -n '/^UNITS/,/^ENDS/p'
reckon export fsdp -m llama3.1-8b tp8 gbs64
echo $?
=== stdout
UNITS = [
    (0, 12, True, [""]),
    (12, 8, False, ["attention_norm", "ffn_norm", "feed_forward"]),
    (20, 12, False, []),
]
ENDS = False  # embedding, last norm and head
UNITS = [
    (0, 4, True, [""]),
    (4, 12, True, []),
    (16, 4, True, [""]),
    (20, 12, True, []),
]
ENDS = True  # embedding, last norm and head
1
=== stderr
reckon: warning: layers 20-31: recompute selective: cannot be expressed in units of FSDP: the run has none
reckon: warning: layers 20-31: recompute_parts moe_act: cannot be expressed in units of FSDP: the run has none
reckon: warning: layers 20-31: activation_offload 0.5: cannot be expressed in units of FSDP: the run has 0
reckon: one data rank: there is nothing to shard; give more gpus or smaller degrees
