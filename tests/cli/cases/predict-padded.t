# experts padded to the busiest, as torch's grouped product takes them: how busy it is, is given or assumed; Megatron-LM pads to a capacity alone
for words in framework=fsdp "framework=fsdp imbalance=1.3" framework=megatron; do
    reckon predict mixtral-8x7b h100-sxm5-80g gpus16 zero3 recompute=full gbs32 seq4096 capacity-padded $words >said
    echo "exit $?"
    grep -o 'assumed: .*\|  to which .*' said
done
=== stdout
exit 0
assumed: precision bf16, microbatch 1, imbalance 2 (of the busiest expert,
  to which all are padded), gradients and weights not overlapped (fsdp overlaps by itself: say
exit 0
assumed: precision bf16, microbatch 1, gradients and weights not overlapped (fsdp overlaps by
exit 0
assumed: precision bf16, microbatch 1, attention flash3
=== stderr
reckon: the plan cannot be launched: 12.needs capacity_padded: needs a capacity: give capacity=1
