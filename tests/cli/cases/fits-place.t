# the tightest stage at fixed addresses, and in PyTorch's allocator
reckon fits llama3.1-70b h100-sxm5-80g gpus64 tp4 pp8 sp zero1 gbs32 --place | sed -n '/by allocator/,$p'
reckon fits llama3.1-70b h100-sxm5-80g gpus64 tp4 pp8 sp zero1 gbs32 --place --format json | sed -n '/"placed"/,$p' | head -9
# a snapshot of the step, which doctor reads
plan='llama3.1-8b h100-sxm5-80g gpus8 framework=fsdp zero3 gbs8 seq1024 recompute=full'
reckon fits $plan --snapshot step.pickle | head -n 1 | cut -d: -f1; reckon doctor step.pickle $plan | sed -n 2p
reckon fits $plan --snapshot no/step.pickle; echo "exit $?"
reckon fits llama3.1-8b h100-sxm5-80g -g 1 lora16 framework=fsdp gbs1 --snapshot step.pickle; echo "exit $?"
reckon fits llama3.1-8b h100-sxm5-80g -g 1 --tune --snapshot step.pickle; echo "exit $?"
=== stdout
The tightest stage by allocator: fragmentation of the step's buffers, in place of the assumed fragmentation
allocator            predicted  lost  of live bytes  in all  left
                           GiB   GiB              %     GiB   GiB
fixed addresses          71.00  0.11           0.16   71.11  8.09  planned
expandable segments      71.00  1.60           2.32   72.60  6.60  PyTorch's, expandable_segments:True
caching allocator        71.00  3.71           5.37   74.71  4.49  PyTorch's default
... under pressure       71.00  3.01           4.36   74.01  5.19  the least capacity that it runs in: segments that are wholly free are returned first
  "placed": [
    {
      "allocator": "fixed addresses",
      "predicted_bytes": 76236062720,
      "lost_bytes": 117440512,
      "over_live": 0.0015838811806278604,
      "need_bytes": 76353503232,
      "left_bytes": 8686849228.800003,
      "what": "planned"
fits
  a memory snapshot: tensors held 14.96 GiB
exit 4
exit 1
exit 2
=== stderr
reckon: no/step.pickle: cannot write: No such file or directory
reckon: the plan cannot be lowered: adapters, weights of 4 and 8 bits and passes of a reference are not lowered; leave lora, base and reference out
reckon: --snapshot is of one plan and --tune compares many: give the plan of one of them
