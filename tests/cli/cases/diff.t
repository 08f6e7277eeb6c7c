reckon diff 'gpus64 tp8 pp4 sp zero1 gbs128' '+vpp4 grad-overlap' -m llama3.1-70b -s h100-sxm5-80g | grep -v '[0-9]\.[0-9]'
=== stdout
  plan: dp2 tp8 pp4 gbs128 sp zero1
  plan: dp2 tp8 pp4 vpp4 gbs128 sp zero1 grad-overlap

Differences, and the effect of each key: A with it alone, B without it
key               A   B    alone   memory     without

Path from A to B, the most helpful change first
change                         step     saved  of A  memory
                                  s        ms     %     GiB

Where the time of a step goes
                 A        B      B - A
                 s        s         ms

Memory of the fullest GPU
                   A      B  B - A
                 GiB    GiB    GiB
