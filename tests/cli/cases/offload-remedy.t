# where no rule fits, the change with which one does, and it does
on='llama3.1-8b'; machine='h100 x8 mem2=2TB@50GB/s,capacity_shared_by=8'; plan='tp2 cp4 gbs1 seq524288 sp zero1'
reckon offload $on "$machine" $plan; echo "exit $?"
reckon offload $on "$machine" $plan loss-in-chunks | head -1
# nothing helps
reckon offload $on 'h100 x1' gbs1 seq4194304 | tail -2
=== stdout
does not fit by any rule; as the plan says: HBM3 too small: 377.4 GiB of 79.20 GiB
  remedy: add loss-in-chunks: by rule MEMO, fits: P(fits) 80 %,
  61.10 s per step (50 % 57.31-73.32 s), MFU 49.6 %, memory 61.3 of 79.2 GiB
exit 1
fastest rule: MEMO; fits: P(fits) 80 %, 61.10 s per step (50 % 57.31-73.32 s), MFU 49.6 %, memory 61.3 of 79.2 GiB
  no rule fits with loss-in-chunks, zero3, or optimizer and weights offloaded by FSDP either: take
  more GPUs, a shorter sequence, or see what `reckon longest` reaches
