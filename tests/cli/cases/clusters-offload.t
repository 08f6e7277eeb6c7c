# Where hosts have memory, what a stage offloads is searched; the plan that is written is the one that was found.
machine='gh200-96g x4 net0.size=2 hbm=24GiB name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us'
reckon search -q -m llama3.1-8b -b 32 -s "$machine" -k 3 --why --save-plan plan.json || exit
# ... with one choice in all stages
one() { reckon search -q -m llama3.1-8b -b 32 -s "$machine" -k 1 $1 --format json | python3 -c "
import json, sys
a = json.load(sys.stdin)
if not a['best']: sys.exit(print(sys.argv[1], 'nothing fits'))
print(sys.argv[1], '%.4f' % a['bounds']['bound_s'], *[s['cluster'] for s in a['placement']])" $1; }
for words in tp1 tp2 tp4 tp8 recompute=none recompute=selective recompute=full offload-activations=0; do one $words; done
reckon search -q -m llama3.1-8b -b 32 -s "$machine" tp4 | tail -1
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
llama3.1-8b on gh200-96g x4 net0.size=2 hbm=24GiB name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us, 12 GPUs, batch 32 of 8K tokens, megatron, bf16, detailed model
  13 plans simulated, the best of 24 exactly solved problems and what lies near them
  headroom new 2.7 of 24.0 GiB, old 2.3 of 20.0 GiB
  Megatron-LM does not launch it: its stages differ in more than their layers
  the best that it launches takes 5.1212 s per step, 84.6 % more: dp2 tp2 pp2 gbs32 split=16*2 sp zero1 grad-overlap weight-overlap recompute=full offload-optimizer=1 on old, new (--launchable makes it the answer)

Best plans
rank    step  tokens/s/GPU    MFU  memory  offloaded  GPUs used  plan
           s                    %     GiB        GiB
   1  2.7743        7874.1  40.67    20.9       21.5         12  gbs32 round2; new: 12 layers tp1 cp2 dp2 mbs1 activation-offload=1 optimizer-offload=1; old: 20 layers tp2 cp2 dp2 mbs1 activation-offload=1 optimizer-offload=1
   2  2.9093        7508.8  38.79    20.8       19.1         12  gbs32 round2; old: 22 layers tp2 cp2 dp2 mbs1 activation-offload=1 optimizer-offload=1; new: 10 layers tp1 cp2 dp2 mbs1 activation-offload=1 optimizer-offload=1
   3  2.9289        7458.6  38.53    20.2       17.1         12  gbs32 round1; new: 7 layers tp1 cp2 dp1 mbs1 activation-offload=0.5 optimizer-offload=1; new: 6 layers tp1 cp2 dp1 mbs1 optimizer-offload=1; old: 19 layers tp4 cp2 dp1 mbs1 optimizer-offload=1

Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  new          12      2     4   1   2   1   2    1  none         46.07     94.79     21.57  37.83    20.9       76  #####################...
    1  old          20      1     8   2   2   1   2    1  none         51.14     98.90      0.00  25.69    17.2       76  #####################...

What is in memory tier 1
stage  activations  optimizer state
                 %                %
    0          100              100
    1          100              100

Communication of a step
stage  to the next one over  each way  both ways  gradients of a GPU  their collectives
                                              ms                                     ms
    0  new - old             2.00 GiB    345.197           11.71 GiB            132.410
    1  -                            -          -            9.10 GiB             31.261

Proved about the fastest plan
objective  2.7867 s          of the best plan: sum c + (m - 1) max c + the end
bound      2.7867 s          no plan has an objective below: proved
floor      2.1483 s          no step is shorter, interleaved or not, stages each in one cluster: proved
gap        0.45 %            the objective above the simulation
problems   24                orders of clusters and rounds, each solved exactly
labels     209               partial plans kept
simulated  13                plans simulated

Each cluster by itself
machine                                  GPUs  objective  over the best
                                                       s              %
new: gh200-96g x4 net0.size=2 hbm=24GiB     4     7.2804          161.3
old: h100-80g-nvl8 x8 hbm=20GiB             8     4.1827           50.1

Where the ranks of the best plan run, and its time:
  reckon export ranks -m llama3.1-8b -s 'gh200-96g x4 net0.size=2 hbm=24GiB name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us' pp2 cp2 gbs32 stages=2:12/dp2,20@1/dp2/tp2/sp messages-sharded zero1 grad-overlap weight-overlap offload-activations=1 offload-optimizer=1
  reckon predict -m llama3.1-8b -s 'gh200-96g x4 net0.size=2 hbm=24GiB name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us' pp2 cp2 gbs32 stages=2:12/dp2,20@1/dp2/tp2/sp messages-sharded zero1 grad-overlap weight-overlap offload-activations=1 offload-optimizer=1

Single changes that make a plan with 1 % more samples per second feasible
change                                                                      step  samples/s  plan
                                                                               s
24 GiB more of new: memory tier 0 (HBM3): 48 GiB instead of 24 GiB        2.7360     11.696  pp2 cp2 gbs32 stages=2:12/dp2,20@1/dp2/tp2/sp/offload-activations=1/offload-optimizer=1 messages-sharded zero1 grad-overlap weight-overlap
more of new: memory tier 1 (LPDDR5X): no amount helps                          -          -  -
a larger domain of new: network tier 0 (NVLink4): no size helps                -          -  -
2.500 GiB more of old: memory tier 0 (HBM3): 22.50 GiB instead of 20 GiB  2.6947     11.875  pp2 cp2 gbs32 stages=2:11/dp2,21@1/dp2/tp2/sp messages-sharded zero1 grad-overlap weight-overlap offload-activations=1 offload-optimizer=1
more of old: memory tier 1 (host): no amount helps                             -          -  -
a larger domain of old: network tier 0 (NVLink4): no size helps                -          -  -
tp1 5.1135 old new new
tp2 2.8540 old new
tp4 nothing fits
tp8 nothing fits
recompute=none 2.7867 new old
recompute=selective 2.8825 new old
recompute=full 3.4548 new old
offload-activations=0 3.8094 new new old
  cluster new, gh200-96g x4 net0.size=2 hbm=24GiB, can be used by no stage: tp4 does not divide its nodes of 2; leave it out, or give another tp
step                2.7743 s
does not fit: memory tier 1 (LPDDR5X) needs 21.54 GiB on stage 0, has 8 GiB: 13.54 GiB too little
  llama3.1-8b on gh200-96g x4 net0.size=2 hbm=24GiB mem2=8GiB@450GB/s name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us, 12 GPUs, simulation
  plan: pp2 cp2 gbs32 stages=2:12/dp2,20@1/dp2/tp2/sp messages-sharded zero1 grad-overlap
  weight-overlap offload-activations=1 offload-optimizer=1
  assumed: precision bf16
  with recompute=full moment1-bytes=2 moment2-bytes=2 it fits, 1.4 GiB of memory tier 1 (LPDDR5X) left, and takes 25.1 % longer (the cheapest change; reckon fits shows others)
plan.json: error 5.stage: memory tier 1 21.54 GiB: a GPU of stage 0 has 8.00 GiB: reckon fits lists what makes room
llama3.1-8b over 2 clusters: 1 error
does not fit: memory tier 1 (LPDDR5X) needs 21.54 GiB on stage 0, has 8 GiB: 13.54 GiB too little
   1  2.9283        7460.1  38.53    18.9       19.1         12  gbs32 round2; old: 22 layers tp2 cp2 dp2 mbs1 activation-offload=1 optimizer-offload=1; new: 10 layers tp2 dp2 mbs1 optimizer-offload=1
What is in memory tier 1
stage  activations  optimizer state
                 %                %
    0          100              100
    1            0              100

objective  2.9495 s          of the best plan: sum c + (m - 1) max c + the end
bound      2.9495 s          no plan has an objective below: proved
floor      2.1483 s          no step is shorter, interleaved or not, stages each in one cluster: proved
gap        0.72 %            the objective above the simulation
    --tensor-model-parallel-size 8
    --pipeline-model-parallel-size 2
    --pipeline-model-parallel-layout "Et*9|t*23L"
=== stderr
reckon: --save-script: Megatron-LM does not run it as one job: its stages differ in more than their layers; reckon search --launchable finds the best that it does
