# What a person has in hand when a run breaks: a traceback, a summary of memory, a snapshot.
cp $SOURCE/fuzz/corpus/memory_report/* .
plan='-m llama3.1-8b -s h100-sxm5-80g --gpus 8 framework=fsdp zero3 mbs4 gbs32'
reckon doctor oom-2 $plan | sed -n '1,2p;/^Memory of the run/,/^$/p;/^change first/p'
echo; reckon doctor oom-1 $plan | head -n 1
echo; reckon doctor summary $plan | sed -n '1,4p'
echo; reckon doctor snapshot-2 $plan | sed -n '1p;/^Allocations/,/^$/p'
reckon doctor snapshot-4 $plan | head -n 1
# Adapters are of other trainers than torchtitan, whose lines these are.
reckon doctor oom-1 -m llama3.1-8b -s rtx4090 --gpus 1 framework=fsdp lora16 gbs1 seq4096 no-fused loss=padded | sed -n '1p;/^Changes/,/^$/p' | cut -c1-200
# A snapshot is data: what would run code is refused, what is damaged is said to be.
reckon doctor calls $plan
reckon doctor cut $plan
=== stdout
does not fit: tensors take 171.0 GiB at the predicted peak; change first: recompute=full (recompute whole layers); in torchtitan's TOML: [activation_checkpoint] mode = "full"
  an out-of-memory error: tensors held 74.01 GiB when it asked for 1.960 GiB, at model.py:87, forward
Memory of the run and prediction of its tightest stage
part                          the run  predicted  what
                                  GiB        GiB
tensors                          74.0      171.0  weights, states, activations
kept by the allocator             2.4        9.4  freed but not returned, fragments
outside the allocator             1.6        1.6  context, libraries, NCCL
requested, and not available      2.0          -
free                              1.1          -
of the device                    79.1       79.2


does not fit: tensors take 171.0 GiB at the predicted peak; change first: recompute=full (recompute whole layers); in torchtitan's TOML: [activation_checkpoint] mode = "full"

does not fit: tensors take 171.0 GiB at the predicted peak; change first: recompute=full (recompute whole layers); in torchtitan's TOML: [activation_checkpoint] mode = "full"
  a summary of memory: tensors held 60.10 GiB
  1 allocations failed, 4 were tried again after a flush
  the allocator keeps 21 % of what it reserved: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True

does not fit: tensors take 171.0 GiB at the predicted peak; change first: recompute=full (recompute whole layers); in torchtitan's TOML: [activation_checkpoint] mode = "full"
Allocations that are held at the end
asked by              bytes  blocks
                        GiB
model.py:87, forward  10.00       1
train.py:40, step      8.00       1

does not fit: tensors take 171.0 GiB at the predicted peak; change first: recompute=full (recompute whole layers); in torchtitan's TOML: [activation_checkpoint] mode = "full"
does not fit: tensors take 43.10 GiB at the predicted peak; change first: recompute=full (recompute whole layers); in trl: gradient_checkpointing: true; gradient_checkpointing_kwargs: use_reentrant: f
Changes, the first one first
change                                 saves  fits     step  line
                                         GiB
recompute=full                          22.8   yes  2.188 s  gradient_checkpointing: true; gradient_checkpointing_kwargs: use_reentrant: false
recompute=selective:moe_act+layernorm   11.7    no  1.614 s  recompute all but matrix products and attention
recompute=full recompute-layers=16      11.4    no  1.869 s  recompute half of the layers
base=nf4-dq                              9.6    no  1.589 s  load_in_4bit: true; use_bnb_nested_quant: true
fused                                    5.9    no  1.323 s  torch_compile: true
=== stderr
reckon: calls: the pickle names or calls something of Python, which is never done: a memory snapshot holds only numbers, texts, lists and dictionaries
reckon: cut: is damaged, or no pickle of plain data
=== exit 3
