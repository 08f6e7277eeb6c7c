reckon export megatron -m llama3.1-8b --target core_v0.9 gpus16 tp2 sp zero1 gbs64 precision=mxfp8 schedule=dualpipe cp-kind=gather cp2 offload-activations=0.5 -o run.sh; sed -n '/cannot/,/^$/p' run.sh
=== stdout
# What the target cannot express:
#   precision mxfp8: cannot be expressed in Megatron Core 0.9: the run has bf16
#   context_kind gather: cannot be expressed in Megatron Core 0.9: the run has ring
#   activation_offload 0.5: cannot be expressed in Megatron Core 0.9: the run has 0

=== stderr
reckon: warning: precision mxfp8: cannot be expressed in Megatron Core 0.9: the run has bf16
reckon: warning: context_kind gather: cannot be expressed in Megatron Core 0.9: the run has ring
reckon: warning: activation_offload 0.5: cannot be expressed in Megatron Core 0.9: the run has 0
reckon: the plan cannot be launched: 12.needs pipeline: dualpipe needs an even number of stages, there are 1: change pp
