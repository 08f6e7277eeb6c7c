reckon export nanotron -m llama3.1-8b --launcher slurm gpus16 tp2 zero3 gbs128 attention=flash no-transformer-engine cuda-graphs recompute=selective | grep "^# [a-z_]* [a-z0-9:_]*: "; reckon export nanotron -m qwen3-8b tp8 gbs16; echo $?
=== stdout
# rope_factor 8: is not written: see that nanotron has it of this model
# zero 3: cannot be expressed in nanotron: the run has 1
# recompute selective: cannot be expressed in nanotron: the run has none
# recompute_parts core_attn: cannot be expressed in nanotron: the run has none
# cuda_graphs yes: cannot be expressed in nanotron: the run has no
1
=== stderr
reckon: warning: rope_factor 8: is not written: see that nanotron has it of this model
reckon: warning: zero 3: cannot be expressed in nanotron: the run has 1
reckon: warning: recompute selective: cannot be expressed in nanotron: the run has none
reckon: warning: recompute_parts core_attn: cannot be expressed in nanotron: the run has none
reckon: warning: cuda_graphs yes: cannot be expressed in nanotron: the run has no
reckon: qk_norm: norms on the heads of query and key: nanotron has no such model
