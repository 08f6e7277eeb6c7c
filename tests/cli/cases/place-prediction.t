# One plan has one memory: what place and fits --place add to it or take from it is a row.
plan='-m memo-7b -s a800-memo -g 8 cp8 zero3 gbs1 seq1048576 loss-in-chunks offload-activations=0.41 recompute-rest'
reckon predict $plan | sed -n '/^Memory of a GPU, tier/,/^memory tier 0/p'
reckon place $plan --lasting | sed -n '/^From/,$p'
reckon place $plan --two-level --format json | grep two_level_peak
reckon fits $plan --place | sed -n '/^total/p; /^The tightest/,$p'
=== stdout
Memory of a GPU, tier by tier
                       needed  capacity  share
                          GiB       GiB      %
memory tier 0 (HBM2e)   65.90     79.20   83.2  ####################....
From the predicted memory to the peak
part
                 GiB
predicted      65.90  as reckon predict counts this stage
context        -1.50  context of the device, of no allocator
fragmentation  -2.79  fragmentation that is assumed
moments        -7.71  parts at the moment of most live bytes, less the peak of each part
addresses       0.00  lost between buffers
peak           53.90  peak as placed
      "two_level_peak": 62580260864,
total          65.90
The tightest stage by allocator: fragmentation of the step's buffers, in place of the assumed fragmentation
allocator            predicted   lost  of live bytes  in all   left
                           GiB    GiB              %     GiB    GiB
fixed addresses          63.11   0.00           0.00   63.11  16.09  planned; no plan is lower
expandable segments      63.11   0.70           1.29   63.80  15.40  PyTorch's, expandable_segments:True
caching allocator        63.11  12.39          23.00   75.50   3.70  PyTorch's default
... under pressure       63.11   1.26           2.34   64.37  14.83  the least capacity that it runs in: segments that are wholly free are returned first
