# What a script starts is the plan that was predicted: graphs of layers and of steps, layers dealt by a list,
# what the file cannot say next to the command that writes it, and our own files are told apart.
plan='-m gpt2-124m -g 8 dp8 gbs64 cuda-graphs'
for parts in '' graph-parts=attn+mlp; do
    reckon export megatron $plan $parts > run.sh
    grep -e graph -e check-for-nan run.sh
    reckon import megatron run.sh | grep plan:
done
reckon export megatron -m llama3.1-70b -g 256 dp8 tp4 pp4 vpp8 cp2 gbs512 embedding-counts head-counts sp | grep -e cannot -e layout
reckon search qwen3-30b-a3b 'h100-sxm5-80g x256' -b 512 --framework fsdp --top 1 2>/dev/null | grep -A 1 'export torchtitan'
reckon export bridge $plan > bridge.yaml
reckon import bridge.yaml -s 'h100-sxm5-80g x8' 2>&1 | grep -e note: -e plan:
# Buckets below the usual ones are more messages, the usual one is what nothing said is.
for bucket in '' bucket=512000000 bucket=10000000 bucket=1; do
    reckon predict gpt2-124m 'h100-sxm5-80g x512' dp512 gbs512 zero1 grad-overlap weight-overlap $bucket | grep '^data parallel'
done
=== stdout
# plan:  dp8 gbs64 cuda-graphs
    --cuda-graph-impl full_iteration
    --no-check-for-nan-in-loss-and-grad
  plan: dp8 gbs64 cuda-graphs
# plan:  dp8 gbs64 cuda-graphs graph-parts=attn+mlp
    --cuda-graph-impl transformer_engine
    --cuda-graph-modules attn mlp
  plan: dp8 gbs64 cuda-graphs graph-parts=attn+mlp
    --pipeline-model-parallel-layout "Et*2|(t*3|)*17(t*2|)*13tL"
reckon: note: bridge.yaml is read as a file of overrides of Megatron-Bridge: reckon import nemo
  plan: dp8 gbs64 cuda-graphs vocab-multiple=1
data parallel     4.0464   4.1532     12.6
data parallel     4.0464   4.1532     12.6
data parallel     8.5157  816.4768      2.8
data parallel    21.3536   3.0985      9.7
