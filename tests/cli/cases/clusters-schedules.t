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
  Megatron-LM does not launch it: its stages differ in more than their layers
  the best that it launches takes 2.7307 s per step, 0.4 % more: dp8 pp2 vpp2 cp2 gbs64 split=4,11,5,12 zero1 grad-overlap weight-overlap on old, new (--launchable makes it the answer)

   1  2.7192        6025.2  47.66    60.5         32  gbs64 round8; old: 4,5 layers tp2 dp8 mbs1; new: 11,12 layers tp1 cp2 dp8 mbs1
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  old           9      2    16   2   1   1   8    1  none         97.95    203.12     86.10  30.25    24.0      100  #######.................
    1  new          23      2    16   1   2   1   8    1  none         98.23    200.24     43.05  43.76    60.5       80  ##################......

== gpipe
  Megatron-LM does not launch it: its stages differ in more than their layers
  leave the schedule out, and the best that it launches is named here

   1  3.5191        4655.8  36.83    64.3         32  gbs64 round8; old: 5,5 layers tp1 cp2 dp8 mbs1; new: 11,11 layers tp1 cp2 dp8 mbs1 recompute=full
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  old          10      2    16   1   2   1   8    1  none        103.89    221.89     86.10  51.60    64.3       78  ###################.....
    1  new          22      2    16   1   2   1   8    1  full         94.47    274.87     43.05  42.20    60.5       80  ##################......

== zero-bubble
  Megatron-LM does not launch it: its stages differ in more than their layers
  leave the schedule out, and the best that it launches is named here

   1  2.6688        6139.2  48.56    69.5         32  gbs64 round8; old: 8 layers tp2 dp8 mbs1; new: 24 layers tp1 cp2 dp8 mbs1
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  old           8      2    16   2   1   1   8    1  none         87.28    180.80     43.05  28.96    19.6      100  ######..................
    1  new          24      2    16   1   2   1   8    1  none        101.98    208.21      0.00  45.31    69.5       76  #####################...

== zero-bubble-2p
  Megatron-LM does not launch it: its schedule is not 1F1B
  leave the schedule out, and the best that it launches is named here

   1  2.7272        6007.6  47.52    67.0         32  gbs64 round8; old: 8 layers tp2 dp8 mbs1; new: 24 layers tp2 dp8 mbs1
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  old           8      2    16   2   1   1   8    1  none         87.28    180.80     43.05  28.96    24.1      100  #######.................
    1  new          24      2    16   2   1   1   8    1  none        108.71    215.22      0.00  26.89    67.0       77  ####################....

fits: P(fits) 91 %, 2.858 s per step, MFU 45.3 %, memory 46.7 of 79.2 GiB on stage 1 of 0-1, 108.5 USD per 1B tokens
  llama3.1-8b on h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us, 32 GPUs, simulation
  plan: tp2 pp2 vpp2 gbs64 stages=8:4@1/dp8,13/dp8,4,11 messages-sharded sp tp-overlap zero1
  grad-overlap weight-overlap
  cost: 2.49 USD per GPU-hour on new (cheapest listed: neocloud, 2026-01-15),
  1.99 USD per GPU-hour on old (cheapest listed: neocloud, 2026-01-15),
  of all GPUs of all clusters, without failures
  time: no interval, because no class of measured runs is over several clusters
  memory: 90 % interval 36.7-86.0 of 79.2 GiB (cross-validated on megatron, dense: 556 runs from 8 sources); P(fits) 91 %

Where the time of a step goes
             time  share
                s      %
matrix     1.9018   66.5  matrix products                                               ################
attention  0.3708   13.0  attention kernels                                             ###
memory     0.1843    6.4  memory-bound operations: norms, activations, casts            ##
tensor     0.1346    4.7  exposed tensor-parallel communication                         #
bubble     0.2375    8.3  pipeline bubble (fill, drain, imbalance)                      ##
data       0.0152    0.5  exposed data-parallel communication of gradients and weights
optimizer  0.0138    0.5  optimizer step
step       2.8580  100.0

Communication of the slowest stage
                 link time   exposed  of step  sent, all GPUs
                        ms        ms        %             TiB
tensor parallel   269.0566  134.6135      4.7            1.27
data parallel      96.1778   15.2006      0.5               -

Throughput
step                2.8580 s
tokens per second   183.449 K
... per GPU         5.733 K
samples per second  22.3936
FLOP/s per GPU      295.1 TFLOP/s     model FLOP: three times forward
... executed        295.1 TFLOP/s     model FLOP, with recomputation
MFU                 45.35 %           model FLOP over peak of the plan's precision
HFU                 45.35 %           model FLOP with recomputation over peak
... in full         51.02 %           MFU that also counts masked attention scores
... Megatron-LM's   45.35 %           MFU as its log counts FLOP: half of all token pairs, the padded vocabulary

Stages: a microbatch, and the memory of a GPU
stage  blocks  parameters  forward  backward  in flight  state  activations  rest  total   left
                        B       ms        ms               GiB          GiB   GiB    GiB    GiB
0           8        1.14   87.282   180.797        2.5   8.20        10.85  2.78  21.83  57.37  #######.................
1          24        2.88  108.714   215.224        1.5  21.09        22.20  3.40  46.69  32.51  ##############..........

Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  old           8      2    16   2   1   1   8    1  none         87.28    180.80     86.10  28.96    21.8      100  #######.................
    1  new          24      2    16   2   1   1   8    1  none        108.71    215.22     43.05  26.89    46.7       91  ##############..........

Communication of a step
stage  to the next one over  each way  both ways  gradients of a GPU  their collectives
                                              ms                                     ms
    0  old - new             8.00 GiB    688.795            4.23 GiB             96.178
    1  new - old             4.00 GiB    344.397           10.73 GiB             83.202

interleaved: each stage has 2 runs of layers
        {"from": 0, "to": 1, "over": "link", "net_name": "Socket", "bytes_of_a_step_each_w
        {"from": 1, "to": 0, "over": "link", "net_name": "Socket", "bytes_of_a_step_each_w
step                2.9316 s
exit 3
exit 2
exit 2
   1  830.8716        4929.8  39.00    27.9         64  gbs32 round8; new: 13,13 layers tp8 dp4 mbs2; old: 3,3 layers tp8 dp4 mbs2
interleaved: each stage has 2 runs of layers
the best plan without interleaving takes 0.8980 s per step; interleaved are the plans that were simulated, so none is proved to be the best of those: a better one could save 20.6 %, no more
  reckon export megatron -m llama3.1-8b dp4 tp8 pp2 vpp2 mbs2 gbs32 split=13,3,13,3 sp tp-overlap zero1 grad-overlap weight-overlap
    "stages": "8:13/dp4,3@1/dp4,13,3",
step       830.8716  100.0
step                830.8716 ms
interleaved: each stage has 2 runs of layers
=== stderr
reckon: wrong.json:3:14: stages[1].layers: stages have the same number of runs of layers: here 3
reckon: chunks: over several clusters the search tries interleaved stages itself; in a plan file each stage lists its layers, "layers": [10, 8]: leave it out
reckon: schedule: dualpipe needs each stage twice, at both ends: 1f1b, gpipe, zero-bubble and zero-bubble-2p run over clusters
