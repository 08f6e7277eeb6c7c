# every schedule over clusters: searched, and given with several runs of layers to a stage
two="h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us"
for schedule in 1f1b gpipe zero-bubble zero-bubble-2p
do echo "== $schedule"; reckon search -q -m llama3.1-8b -b 64 -s "$two" schedule=$schedule -k 2 | sed -n '/Megatron/,/^$/p;/^   1  /p;/^Where the stages/,/^$/p'; done
cat >chunks.json <<'END'
{"batch": 64, "round": 8, "stages": [
  {"layers": [4, 4], "cluster": "old", "words": "tp2 dp8"},
  {"layers": [13, 11], "cluster": "new", "words": "tp2 dp8"}]}
END
reckon predict -m llama3.1-8b -s "$two" --plan chunks.json
reckon export ranks -m llama3.1-8b -s "$two" --plan chunks.json --ranks-format nccl | grep '"from"' | cut -c 1-90
sed 's/\[4, 4\]/8/; s/\[13, 11\]/24/' chunks.json >plain.json
reckon predict -m llama3.1-8b -s "$two" --plan plain.json | sed -n '/^step .* s /p;/^step .* s$/p'
sed 's/\[4, 4\]/[4, 3, 1]/' chunks.json >wrong.json
reckon predict -m llama3.1-8b -s "$two" --plan wrong.json; echo "exit $?"
reckon search -q -m llama3.1-8b -b 64 -s "$two" vpp2; echo "exit $?"
reckon search -q -m llama3.1-8b -b 64 -s "$two" schedule=dualpipe; echo "exit $?"
# interleaved where that is faster, and written so
fast="h100-sxm5-80g x32 name=new + a100-sxm4-80g x32 name=old link=400Gb/s@10us"
reckon search -q -m llama3.1-8b -b 32 -s "$fast" tp8 --save-plan i.json | grep -E '^   1  |^interleaved|^the best|export megatron'
grep stages i.json
reckon predict -m llama3.1-8b -s "$fast" --plan i.json | grep -E '^step  |^interleaved|^the best'
=== stdout
== 1f1b
   1  2.8328        5783.7  45.75    56.0         32  gbs64 round8; old: 8 layers tp1 cp2 dp8 mbs1; new: 24 layers tp1 cp2 dp8 mbs1
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  old           8      2    16   1   2   1   8    1  none         83.47    178.23     43.05  46.50    25.5      100  ########................
    1  new          24      2    16   1   2   1   8    1  none        101.98    208.21      0.00  45.31    56.0       94  #################.......

== gpipe
  Megatron-LM does not launch it: its stages differ in more than their layers
  leave the schedule out, and the best that it launches is named here

   1  3.5748        4583.2  36.25    63.8         32  gbs64 round8; old: 8 layers tp1 cp2 dp8 mbs1; new: 24 layers tp1 cp2 dp8 mbs1 recompute=full
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  old           8      2    16   1   2   1   8    1  none         83.47    178.23     43.05  46.50    52.6       96  ################........
    1  new          24      2    16   1   2   1   8    1  full        101.98    298.32      0.00  45.31    63.8       84  ###################.....

== zero-bubble
  Megatron-LM does not launch it: its schedule is not 1F1B
  leave the schedule out, and the best that it launches is named here

   1  2.6743        6126.4  48.46    69.5         32  gbs64 round8; old: 8 layers tp1 cp2 dp8 mbs1; new: 24 layers tp1 cp2 dp8 mbs1
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  old           8      2    16   1   2   1   8    1  none         83.47    178.23     43.05  46.50    25.5      100  ########................
    1  new          24      2    16   1   2   1   8    1  none        101.98    208.21      0.00  45.31    69.5       77  #####################...

== zero-bubble-2p
  Megatron-LM does not launch it: its stages differ in more than their layers
  leave the schedule out, and the best that it launches is named here

   1  2.7633        5929.1  46.90    63.9         32  gbs64 round8; old: 9 layers tp1 cp2 dp8 mbs1; new: 23 layers tp2 dp8 mbs1
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  old           9      2    16   1   2   1   8    1  none         93.68    200.06     43.05  49.01    33.1      100  ##########..............
    1  new          23      2    16   2   1   1   8    1  none        111.11    216.65      0.00  26.02    63.9       83  ###################.....

fits: P(fits) 99 %, 3.283 s per step, MFU 39.5 %, memory 46.1 of 80.0 GiB on stage 1 of 0-1
  llama3.1-8b on h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us, 32 GPUs, simulation
  plan: tp2 pp2 vpp2 gbs64 stages=8:4@1/dp8,13/dp8,4,11 messages-sharded sp zero1 grad-overlap
  weight-overlap
  time: no interval, because no class of measured runs is over several clusters
  memory: 90 % interval 35.7-66.5 of 80.0 GiB (cross-validated on megatron, dense: 556 runs from 8 sources); P(fits) 99 %

Where the time of a step goes
             time  share
                s      %
matrix     1.9018   57.9  matrix products                                               ##############
attention  0.3708   11.3  attention kernels                                             ###
memory     0.1843    5.6  memory-bound operations: norms, activations, casts            #
tensor     0.2691    8.2  exposed tensor-parallel communication                         ##
pipeline   0.3444   10.5  exposed messages between stages                               ###
bubble     0.1836    5.6  pipeline bubble (fill, drain, imbalance)                      #
data       0.0152    0.5  exposed data-parallel communication of gradients and weights
optimizer  0.0138    0.4  optimizer step
step       3.2829  100.0

Communication of the slowest stage
                 link time   exposed  of step  sent, all GPUs
                        ms        ms        %             TiB
tensor parallel   269.0566  269.0566      8.2            1.27
data parallel      96.1778   15.2006      0.5               -

Throughput
step                3.2829 s
tokens per second   159.700 K
... per GPU         4.991 K
samples per second  19.4947
FLOP/s per GPU      256.9 TFLOP/s     model FLOP: three times forward
... executed        256.9 TFLOP/s     model FLOP, with recomputation
MFU                 39.48 %           model FLOP over peak of the plan's precision
HFU                 39.48 %           model FLOP with recomputation over peak
... in full         44.42 %           MFU that also counts masked attention scores
... Megatron-LM's   39.48 %           MFU as its log counts FLOP: half of all token pairs, the padded vocabulary

Stages: a microbatch, and the memory of a GPU
stage  blocks  parameters  forward  backward  in flight  state  activations  rest  total   left
                        B       ms        ms               GiB          GiB   GiB    GiB    GiB
0           8        1.14   90.874   186.184        2.5   8.20        10.85  2.15  21.21  58.79  ######..................
1          24        2.88  115.422   225.321        1.5  21.09        22.20  2.77  46.07  33.93  ##############..........

Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  old           8      2    16   2   1   1   8    1  none         90.87    186.18     86.10  28.96    21.2      100  ######..................
    1  new          24      2    16   2   1   1   8    1  none        115.42    225.32     43.05  26.89    46.1       99  ##############..........

Communication of a step
stage  to the next one over  each way  both ways  gradients of a GPU  their collectives
                                              ms                                     ms
    0  old - new             8.00 GiB    688.795            4.23 GiB             96.178
    1  new - old             4.00 GiB    344.397           10.73 GiB             83.202

interleaved: each stage has 2 runs of layers
        {"from": 0, "to": 1, "over": "link", "net_name": "Socket", "bytes_of_a_step_each_w
        {"from": 1, "to": 0, "over": "link", "net_name": "Socket", "bytes_of_a_step_each_w
step                3.0750 s
exit 3
exit 2
exit 2
   1  1.1000        3723.5  29.45    25.8         64  gbs32 round8; new: 12,13 layers tp8 dp4 mbs2; old: 3,4 layers tp8 dp4 mbs2
interleaved: each stage has 2 runs of layers
the best plan without interleaving takes 1.1626 s per step; interleaved are the plans that were simulated, so none is proved to be the best of those: a better one could save 20.9 %, no more
  reckon export megatron -m llama3.1-8b dp4 tp8 pp2 vpp2 mbs2 gbs32 split=12,3,13,4 sp zero1 grad-overlap weight-overlap
    "stages": "8:12/dp4,3@1/dp4,13,4",
step       1.1000  100.0
step                1.1000 s
interleaved: each stage has 2 runs of layers
=== stderr
reckon: wrong.json:3:14: stages[1].layers: stages have the same number of runs of layers: here 3
reckon: chunks: over several clusters the search tries interleaved stages itself; in a plan file each stage lists its layers, "layers": [10, 8]: leave it out
reckon: schedule: dualpipe needs each stage twice, at both ends: 1f1b, gpipe, zero-bubble and zero-bubble-2p run over clusters
