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
# Ranks that share a device, in a container, where NVML sees no process (huggingface/trl issue 3172).
cat >shared <<'E'
torch.OutOfMemoryError:
CUDA out of memory. Tried to allocate 130.00 MiB. GPU 0 has a total capacity of 79.10 GiB of which 12.81 MiB is free. Process 3427 has 0 bytes memory in use. Including non-PyTorch memory, this process has 0 bytes memory in use. Of the allocated memory 10.47 GiB is allocated by PyTorch, and 93.52 MiB is reserved by PyTorch but unallocated.
E
reckon doctor shared $plan | sed -n '1,2p;/^tensors/,/^of the/p'
# Two processes, of which the run's own is not told apart; PyTorch 2.1 misspells; another device.
echo "CUDA out of memory. Tried to allocate 1000.00 MiB. GPU 4 has a total capacty of 39.59 GiB of which 895.19 MiB is free. Process 8 has 0.50 GiB memory in use. Process 9 has 38.71 GiB memory in use. Of the allocated memory 36.11 GiB is allocated by PyTorch, and 1.02 GiB is reserved by PyTorch but unallocated." >two
reckon doctor two $plan | sed -n '2,3p;/^outside/,/^of the/p'
# The driver's own, without figures.
echo "torch.AcceleratorError: CUDA error: out of memory" >driver
reckon doctor driver $plan | head -n 1
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
change                                 saves  fits          P(fits)     step  line
                                         GiB                      %
recompute=full                          22.8  unsure             51  2.428 s  gradient_checkpointing: true; gradient_checkpointing_kwargs: use_reentrant: false
recompute=selective:moe_act+layernorm   11.7  does not fit        3  1.785 s  no line of trl: recompute all but matrix products and attention
recompute=full recompute-layers=16      11.4  does not fit        3  2.074 s  recompute half of the layers
base=nf4-dq                              9.6  does not fit        2  1.760 s  adapter: qlora; load_in_4bit: true
fused loss=usual                         8.9  does not fit        2  1.528 s  torch_compile: true
does not fit: tensors take 171.0 GiB at the predicted peak; other processes have 66.96 GiB of this device: leftovers, or ranks that share it (LOCAL_RANK, CUDA_VISIBLE_DEVICES); change first: recompute=full (recompute whole layers); in torchtitan's TOML: [activation_checkpoint] mode = "full"
  an out-of-memory error: tensors held 10.47 GiB when it asked for 130 MiB
tensors                          10.5      171.0  weights, states, activations
kept by the allocator             0.1        9.4  freed but not returned, fragments
outside the allocator             1.6        1.6  context, libraries, NCCL
of other processes               67.0          -  nvidia-smi names them
requested, and not available      0.1          -
free                              0.0          -
of the device                    79.1       79.2
  an out-of-memory error: tensors held 36.11 GiB when it asked for 1000 MiB
  the run's device has 39.59 GiB, which h100-sxm5-80g has not
outside the allocator             1.6        1.6  context, libraries, NCCL
requested, and not available      1.0          -
free                              0.9          -
of the device                    39.6       79.2
does not fit: tensors take 171.0 GiB at the predicted peak; change first: recompute=full (recompute whole layers); in torchtitan's TOML: [activation_checkpoint] mode = "full"
=== stderr
reckon: calls: the pickle names or calls something of Python, which is never done: a memory snapshot holds only numbers, texts, lists and dictionaries
reckon: cut: is damaged, or no pickle of plain data
=== exit 3
