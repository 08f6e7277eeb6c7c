# attention in 8 bits: read from arguments and from NeMo's recipe, and needs what Transformer Engine needs
reckon import megatron --gpus 16 -- --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --vocab-size 32000 --micro-batch-size 1 --global-batch-size 64 --bf16 --tensor-model-parallel-size 2 --sequence-parallel --fp8-format hybrid --fp8-recipe delayed --fp8-dot-product-attention | grep 'plan:'
reckon predict llama3.1-8b h100-sxm5-80g --gpus 8 zero1 attention-fp8 2>&1; echo "exit $?"
for words in "" attention-fp8; do
    reckon predict llama3.1-8b h100-sxm5-80g --gpus 8 zero1 seq32768 cp8 cp-kind=ulysses precision=fp8-delayed $words --verbose | grep '^attention '
done
# a variable of Transformer Engine puts it back, and one that nothing reads is named
for variable in NVTE_DPA_FP8_RECIPE=F16 NVTE_FP8_DPA_BWD=0 NVTE_FP8_DPA=1; do
    printf '%s\n' "export $variable" "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 \\" "  --seq-length 4096 --max-position-embeddings 4096 --vocab-size 32000 --micro-batch-size 1 --global-batch-size 64 --bf16 \\" "  --fp8-format hybrid --fp8-recipe delayed --fp8-dot-product-attention" >run.sh
    reckon import megatron run.sh 2>&1 | grep -e 'plan:' -e NVTE
done
=== stdout
  plan: precision=fp8-delayed dp8 tp2 gbs64 sp attention-fp8 vocab-multiple=128
does not fit: memory tier 0 (HBM3) needs 99.97 GiB on stage 0, has 79.20 GiB: 20.77 GiB too little
  llama3.1-8b on h100-sxm5-80g, 8 GPUs, detailed model
  plan: dp8 gbs32 zero1 attention-fp8
  assumed: precision bf16, framework megatron, microbatch 1, batch 32 (4 * gpus * microbatch),
  sequence 8192 (the model's), attention flash3
  remedy: tp2: fits, 18.5 GiB left, 7.9 % more time per step (`reckon fits` lists others)
reckon: the plan cannot be launched: 12.needs attention_fp8: needs Transformer Engine's fused attention (attention=flash3) and precision fp8-delayed, fp8-current, mxfp8 or nvfp4: leave attention-fp8 out
exit 1
attention   7.1009   44.1  attention kernels                                             ###########
attention   4.5811   33.5  attention kernels                                             ########
reckon: warning: run.sh: NVTE_DPA_FP8_RECIPE F16: puts attention back to 16 bits, whatever --fp8-dot-product-attention says
  plan: precision=fp8-delayed dp8 gbs64 vocab-multiple=128
reckon: warning: run.sh: NVTE_FP8_DPA_BWD 0: has backward in 16 bits, which is counted in 8
  plan: precision=fp8-delayed dp8 gbs64 attention-fp8 vocab-multiple=128
reckon: warning: run.sh: NVTE_FP8_DPA 1: is read by nothing: --fp8-dot-product-attention is what multiplies in 8 bits
  plan: precision=fp8-delayed dp8 gbs64 attention-fp8 vocab-multiple=128
