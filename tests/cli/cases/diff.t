reckon diff 'gpus64 tp8 pp4 sp zero1 gbs128' '+vpp4 grad-overlap' -m llama3.1-70b -s h100-sxm5-80g | grep -v '[0-9]\.[0-9]'
=== stdout
  plan: dp2 tp8 pp4 gbs128 sp zero1
  of such runs (Hopper, dense, megatron: 253 of 18 sources,
  plan: dp2 tp8 pp4 vpp4 gbs128 sp zero1 grad-overlap
  of such runs (Hopper, dense, megatron: 253 of 18 sources,

What differs, and what each key is worth: A with it alone, B without it
key               A   B    alone   memory     without

The way from A to B, what helps most first
change                         step     saved  of A  memory
                                  s        ms     %     GiB

Where the time of a step goes
                 A        B      B - A
                 s        s         ms

What the fullest GPU holds
                   A      B  B - A
                 GiB    GiB    GiB
