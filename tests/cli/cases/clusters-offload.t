# Where hosts have memory, what a stage offloads is searched; the plan that is written is the one that was found.
machine='gh200-96g x4 net0.size=2 hbm=24GiB name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us'
reckon search -q -m llama3.1-8b -b 32 -s "$machine" -k 3 --why --save-plan plan.json || exit
# ... with one choice in all stages
one() { reckon search -q -m llama3.1-8b -b 32 -s "$machine" -k 1 $1 --format json | python3 -c "
import json, sys
a = json.load(sys.stdin)
print(sys.argv[1], '%.4f' % a['bounds']['bound_s'], *[s['cluster'] for s in a['placement']])" $1; }
for words in tp1 tp2 tp4 tp8 recompute=none recompute=selective recompute=full offload-activations=0; do one $words; done
reckon predict -m llama3.1-8b -s "$machine" --plan plan.json | sed -n '/^step .* s$/p'
# In less of it the same plan does not fit, every command says which tier, and the search finds another.
less='gh200-96g x4 net0.size=2 hbm=24GiB mem2=8GiB@450GB/s name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us'
reckon predict -m llama3.1-8b -s "$less" --plan plan.json
reckon check plan.json -m llama3.1-8b -s "$less"
reckon fits -m llama3.1-8b -s "$less" --plan plan.json | head -1
reckon search -q -m llama3.1-8b -b 32 -s "$less" | sed -n '/^   1  /p;/^What is in memory/,/^$/p;/^objective/,/^gap/p'
# Its stages differ, so no script; that of stages which are alike but for their layers.
reckon search -q -m llama3.1-8b -b 32 -s "$machine" -f csv -k 1 --save-script - | cut -d, -f 1,3
reckon search -q -m llama3.1-8b -b 32 -s 'h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us' tp8 cp1 recompute=none --save-script - | grep -e parallel-size -e layout
=== stdout
llama3.1-8b on gh200-96g x4 net0.size=2 hbm=24GiB name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us, 12 GPUs, batch 32 of 8192 tokens, megatron, bf16, by the model of today's plans
  13 plans simulated, the best of 24 exactly solved problems and what lies near them
  headroom new 3.4 of 24.0 GiB, old 2.8 of 20.0 GiB
  Megatron-LM does not launch it: its stages differ in more than their layers
  the best that it launches takes 5.1124 s a step, 79.8 % more: dp2 tp2 pp2 gbs32 split=16*2 sp zero1 grad-overlap weight-overlap recompute=full offload-optimizer=1 on old, new (--launchable makes it the answer)

The best plans
rank    step  tokens/s/GPU    MFU  memory  offloaded  GPUs used  plan
           s                    %     GiB        GiB
   1  2.8432        7683.5  39.69    20.0       18.3         12  gbs32 round2; old: 21 layers tp2 cp2 dp2 mbs1 activation-offload=1 optimizer-offload=1; new: 11 layers tp2 dp2 mbs1 optimizer-offload=1
   2  2.9283          7460  38.53    20.2       17.1         12  gbs32 round1; new: 7 layers tp1 cp2 dp1 mbs1 activation-offload=0.5 optimizer-offload=1; new: 6 layers tp1 cp2 dp1 mbs1 optimizer-offload=1; old: 19 layers tp4 cp2 dp1 mbs1 optimizer-offload=1
   3  2.9946        7294.8  37.68    18.1       15.2         12  gbs32 round2; new: 12 layers tp2 dp2 mbs1 activation-offload=0.5 optimizer-offload=1; old: 20 layers tp4 dp2 mbs1 optimizer-offload=1

Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  old          21      1     8   2   2   1   2    1  none         48.38     95.89     21.57  26.75    16.7       76  ####################....
    1  new          11      2     4   2   1   1   2    1  none         56.46    107.93      0.00  25.97    20.0       76  ####################....

What is in memory tier 1
stage  activations  optimizer state
                 %                %
    0          100              100
    1            0              100

What a step sends
stage  to the next one over  each way  both ways  gradients of a GPU  their collectives
                                              ms                                     ms
    0  old - new             2.00 GiB    345.197            9.51 GiB             32.632
    1  -                            -          -            5.45 GiB             98.371

What is proved of the fastest
objective  2.8446 s          of the best plan: sum c + (m - 1) max c + the end
bound      2.8446 s          no plan has an objective below: proved
floor      2.1580 s          no step is shorter, interleaved or not, stages each in one cluster: proved
gap        0.05 %            the objective above the simulation
problems   24                orders of clusters and rounds, each solved exactly
labels     119               partial plans kept
simulated  13                plans simulated

Each cluster by itself
machine                                  GPUs  objective  over the best
                                                       s              %
new: gh200-96g x4 net0.size=2 hbm=24GiB     4     7.2617          155.3
old: h100-80g-nvl8 x8 hbm=20GiB             8     4.1781           46.9

Where the ranks of the best run, and its time:
  reckon export ranks -m llama3.1-8b -s 'gh200-96g x4 net0.size=2 hbm=24GiB name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us' tp2 pp2 cp2 gbs32 stages=2:21@1/dp2,11/dp2/cp1/offload-activations=0 messages-sharded sp zero1 grad-overlap weight-overlap offload-activations=1 offload-optimizer=1
  reckon predict -m llama3.1-8b -s 'gh200-96g x4 net0.size=2 hbm=24GiB name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us' tp2 pp2 cp2 gbs32 stages=2:21@1/dp2,11/dp2/cp1/offload-activations=0 messages-sharded sp zero1 grad-overlap weight-overlap offload-activations=1 offload-optimizer=1

What single change would admit a plan with 1 % more samples per second
change                                                                      step  samples/s  plan
                                                                               s
12 GiB more of new: memory tier 0 (HBM3): 36 GiB instead of 24 GiB        2.7669     11.565  tp2 pp2 cp2 gbs32 stages=2:20@1/dp2,12/dp2/tp1/no-sp/offload-activations=0 messages-sharded sp zero1 grad-overlap weight-overlap offload-activations=1 offload-optimizer=1
more of new: memory tier 1 (LPDDR5X): no amount helps                          -          -  -
a larger domain of new: network tier 0 (NVLink4): no size helps                -          -  -
2.500 GiB more of old: memory tier 0 (HBM3): 22.50 GiB instead of 20 GiB  2.6941     11.878  pp2 cp2 gbs32 stages=2:11/dp2,21@1/dp2/tp2/sp messages-sharded zero1 grad-overlap weight-overlap offload-activations=1 offload-optimizer=1
more of old: memory tier 1 (host): no amount helps                             -          -  -
a larger domain of old: network tier 0 (NVLink4): no size helps                -          -  -
tp1 5.4923 old new new
tp2 2.8446 old new
recompute=none 2.8446 old new
recompute=selective 2.9292 old new
recompute=full 3.4710 new old
offload-activations=0 3.8088 new new old
step                2.8432 s
llama3.1-8b on gh200-96g x4 net0.size=2 hbm=24GiB mem2=8GiB@450GB/s name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us, 12 GPUs, by simulation: this plan cannot run
  plan: tp2 pp2 cp2 gbs32 stages=2:21@1/dp2,11/dp2/cp1/offload-activations=0 messages-sharded sp
  zero1 grad-overlap weight-overlap offload-activations=1 offload-optimizer=1
  assumed: precision bf16
  time: no class of measured runs is over several clusters: no range
  memory: of such runs (megatron, dense: 556 of 8 sources, each unseen) 90 % need 12.1 to 27.9 of 20.0 GiB; it fits in 76 %
  outside what was validated: offload-optimizer: no compared run had it

Why it cannot run
reason           message
memory_exceeded  memory tier 1 (LPDDR5X) needs 8.171 GiB on stage 1, has 8 GiB: 175.5 MiB too little

  with moment1-bytes=2 moment2-bytes=2 it fits, 2.6 GiB of memory tier 1 (host) left, and takes 0.0 % longer (the cheapest change; reckon fits shows others)

Where the time of a step goes
             time  share
                s      %
matrix     1.8474   65.0  matrix products                                                ################
attention  0.3376   11.9  attention kernels                                              ###
memory     0.1948    6.9  operations that memory limits: norms, activations, casts       ##
tensor     0.2504    8.8  tensor-parallel communication that is waited for               ##
bubble     0.1861    6.5  stages that wait for others: start, end, imbalance             ##
data       0.0031    0.1  gradients and weights of data parallelism that are waited for
optimizer  0.0236    0.8  optimizer step
step       2.8432  100.0

Communication of the slowest stage
                 on the link  waited for  of the step  sent, all GPUs
                          ms          ms            %             GiB
tensor parallel     250.4160    250.4160          8.8          650.01
data parallel        32.6318      3.1317          0.1               -

What it achieves
step                2.8432 s
tokens per second   92.202 K
... of a GPU        7.683 K
samples per second  11.2551
FLOP/s of a GPU     395.5 TFLOP/s     that the model needs: three times forward
... executed        395.5 TFLOP/s     the same, with what is computed again
MFU                 39.69 %           the former over the peak of the plan's precision
HFU                 39.69 %           the latter over it
... in full         44.65 %           MFU with what a causal mask hides
... Megatron-LM's   39.69 %           MFU of the FLOP that its log counts: half of all pairs, the padded vocabulary

Stages: a microbatch, and the memory of a GPU
stage  blocks  parameters  forward  backward  in flight  state  activations  rest  total  left
                        B       ms        ms               GiB          GiB   GiB    GiB   GiB
0          21        2.55   48.379    95.888          2  14.50         0.64  1.57  16.71  3.29  ####################....
1          11        1.46   56.462   107.929          1   9.08         8.91  2.04  20.03  3.97  ####################....

Memory of a GPU, tier by tier
                      needed  capacity  share
                         GiB       GiB      %
memory tier 0 (HBM3)   16.71     20.00   83.6  ####################....
  weights               4.76         -   23.8
  gradients             9.51         -   47.6
  attention             0.08         -    0.4
  mlp                   0.33         -    1.6
  norms                 0.12         -    0.6
  embedding             0.00         -    0.0
  working               0.11         -    0.5
  communication         0.23         -    1.2
  context               1.53         -    7.7
  fragmentation         0.04         -    0.2
memory tier 1 (host)   18.30    512.00    3.6  #.......................

Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  old          21      1     8   2   2   1   2    1  none         48.38     95.89     21.57  26.75    16.7       76  ####################....
    1  new          11      2     4   2   1   1   2    1  none         56.46    107.93      0.00  25.97    20.0       76  ####################....

What is in memory tier 1
stage  activations  optimizer state
                 %                %
    0          100              100
    1            0              100

What a step sends
stage  to the next one over  each way  both ways  gradients of a GPU  their collectives
                                              ms                                     ms
    0  old - new             2.00 GiB    345.197            9.51 GiB             32.632
    1  -                            -          -            5.45 GiB             98.371
plan.json: error 5.stage: memory tier 1 8.17 GiB: a GPU of stage 1 has 8.00 GiB: reckon fits lists what makes room
llama3.1-8b over 2 clusters: 1 error
llama3.1-8b on gh200-96g x4 net0.size=2 hbm=24GiB mem2=8GiB@450GB/s name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us, 12 GPUs: does not fit: memory tier 1 (LPDDR5X) needs 8.171 GiB on stage 1, has 8 GiB: 175.5 MiB too little; 2.843 s a step
   1  3.1099        7024.5  36.28    20.4        7.4         12  gbs32 round1; new: 5 layers tp2 dp1 mbs1 activation-offload=0.5; new: 7 layers tp1 cp2 dp1 mbs1 activation-offload=1; old: 20 layers tp4 cp2 dp1 mbs1 optimizer-offload=1
What is in memory tier 1
stage  activations  optimizer state
                 %                %
    0           50                0
    1          100                0
    2            0              100

objective  3.1121 s          of the best plan: sum c + (m - 1) max c + the end
bound      3.1121 s          no plan has an objective below: proved
floor      2.1585 s          no step is shorter, interleaved or not, stages each in one cluster: proved
gap        0.07 %            the objective above the simulation
    --tensor-model-parallel-size 8
    --pipeline-model-parallel-size 2
    --pipeline-model-parallel-layout "Et*9|t*23L"
=== stderr
Traceback (most recent call last):
  File "<string>", line 4, in <module>
KeyError: 'bounds'
Traceback (most recent call last):
  File "<string>", line 4, in <module>
KeyError: 'bounds'
reckon: --save-script: Megatron-LM does not run it as one job: its stages differ in more than their layers; --launchable finds the best that it does
