# Where ranks are: groups of experts in racks of 72, nodes that are not whole, graphs of what has a fixed shape.
W="gpus128 dp128 etp1 gbs256 seq4096 zero1 grad-overlap weight-overlap"
reckon predict -m qwen3-30b-a3b -s gb300 $W ep64 | grep placed
reckon predict -m qwen3-30b-a3b -s gb300 $W ep8 | grep placed || echo whole
reckon export megatron -m qwen3-30b-a3b -s gb300 $W ep64 --launcher slurm -o rack.sh 2>err
grep "nodes=\|segment" rack.sh; reckon check rack.sh -s gb300 --waste 100
reckon predict -m llama3.1-8b -s h100 gpus20 tp4 gbs20 sp | grep nodes
reckon export megatron -m llama3.1-8b -s h100 gpus20 tp4 gbs20 sp --launcher slurm -o nodes.sh 2>err; grep "nodes=\|gpus-per" nodes.sh
reckon predict -m llama3.1-8b -s gb300 gpus22 tp2 gbs22 sp | grep nodes
for w in "" "graph-parts=attn+moe_router+moe_preprocess" "capacity=1 capacity-padded"; do
    reckon check -m qwen3-30b-a3b -s gb300 $W ep64 cuda-graphs $w --waste 100
done
=== stdout
  placed: 64 of the 72 GPUs of each domain, 2 domains, so that no group of experts is split
whole
#SBATCH --nodes=32
#SBATCH --segment=16
rack.sh on gb300-nvl72: nothing found
  20 GPUs are not whole nodes of 8: a launcher starts the same number on each node, give 16 or 24
  the network matters: 50 GB/s per GPU between nodes is assumed; with a quarter of it the step takes 1.555 s (-s "h100-sxm5-80g net1=100Gb/s" is that quarter, reckon calibrate --nccl a measured rate)
#SBATCH --nodes=5
#SBATCH --gpus-per-node=4
  22 GPUs are not whole nodes of 4: a launcher starts the same number on each node, give 20 or 24
error 12.needs: cuda-graphs: of whole steps need experts that take a fixed number of tokens: the host waits for their counts (Megatron-LM #1598, #6152): give graph-parts=attn+moe_router+moe_preprocess, or capacity=1 capacity-padded
qwen3-30b-a3b on gb300-nvl72: 1 error
qwen3-30b-a3b on gb300-nvl72: nothing found
qwen3-30b-a3b on gb300-nvl72: nothing found
