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
Best plan fits: P(fits) 75 %, 2.541 s per step, MFU 44.4 %, memory 21.3 of 24.0 GiB on stage 0 of 0-1
llama3.1-8b on gh200-96g x4 net0.size=2 hbm=24GiB name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us, 12 GPUs, batch 32 of 8K tokens, megatron, bf16, detailed model
  29 plans simulated, the best of 24 exactly solved problems and what lies near them
  headroom new 2.5 of 24.0 GiB, old 2.0 of 20.0 GiB
  Megatron-LM does not launch it: its stages differ in more than their layers
  the best that it launches takes 3.8853 s per step, 52.9 % more: tp4 cp2 gbs32 split=32 sp tp-overlap zero2 grad-overlap weight-overlap offload-optimizer=1 on old (--launchable makes it the answer)

Best plans
rank    step  tokens/s/GPU    MFU  memory  offloaded  GPUs used  plan
           s                    %     GiB        GiB
   1  2.5414        8595.7  44.40    21.3       16.0         12  gbs32 round2; new: 6,6 layers tp2 dp2 mbs1 activation-offload=1; old: 10,10 layers tp4 dp2 mbs1 activation-offload=1 optimizer-offload=1
   2  2.5975        8410.0  43.44    20.8       22.1         12  gbs32 round2; old: 11,11 layers tp4 dp2 mbs1 activation-offload=1 optimizer-offload=1; new: 5,5 layers tp2 dp2 mbs1 activation-offload=1
   3  2.6041        8388.7  43.33    21.3       16.0         12  gbs32 round2; new: 6,6 layers tp2 dp2 mbs1 activation-offload=1; old: 10,10 layers tp4 dp2 mbs1 recompute=selective activation-offload=1 optimizer-offload=1

Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  new          12      2     4   2   1   1   2    1  none         49.54     97.52     43.15  26.88    21.3       75  #####################...
    1  old          20      1     8   4   1   1   2    1  none         50.13     95.60     21.57  16.42    10.7       95  #############...........

What is in memory tier 1
stage  activations  optimizer state
                 %                %
    0          100                0
    1          100              100

Communication of a step
stage  to the next one over  each way  both ways  gradients of a GPU  their collectives
                                              ms                                     ms
    0  new - old             4.00 GiB    690.395            5.85 GiB            105.552
    1  old - new             2.00 GiB    345.197            4.55 GiB             10.680

interleaved: each stage has 2 runs of layers

Proved about the fastest plan
objective bound  2.6754 s          no plan without interleaving has a smaller objective; steps may take less: proved
floor            2.0761 s          no step is shorter, interleaved or not, stages each in one cluster: proved
problems         24                orders of clusters and rounds, each solved exactly
labels           576               partial plans kept
simulated        29                plans simulated

the best plan without interleaving takes 2.6754 s per step; interleaved are the plans that were simulated, so none is proved to be the best of those: a better one could save 18.3 %, no more

Each cluster by itself
machine                                  GPUs    step  over the best
                                                    s              %
new: gh200-96g x4 net0.size=2 hbm=24GiB     4  9.7838          285.0
old: h100-80g-nvl8 x8 hbm=20GiB             8  3.6939           45.3

Best plan: no interval, because no class of measured runs is over several clusters
Where the ranks of the best plan run, and its time:
  reckon export ranks -m llama3.1-8b -s 'gh200-96g x4 net0.size=2 hbm=24GiB name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us' tp2 pp2 vpp2 gbs32 stages=2:6/dp2,10@1/dp2/tp4/offload-optimizer=1,6,10 messages-sharded sp tp-overlap zero1 grad-overlap weight-overlap offload-activations=1
  reckon predict -m llama3.1-8b -s 'gh200-96g x4 net0.size=2 hbm=24GiB name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us' tp2 pp2 vpp2 gbs32 stages=2:6/dp2,10@1/dp2/tp4/offload-optimizer=1,6,10 messages-sharded sp tp-overlap zero1 grad-overlap weight-overlap offload-activations=1

Single changes that make a plan with 1 % more samples per second feasible
change                                                                step  samples/s  plan
                                                                         s
more of new: memory tier 0 (HBM3): no amount helps                       -          -  -
more of new: memory tier 1 (LPDDR5X): no amount helps                    -          -  -
a larger domain of new: network tier 0 (NVLink4): no size helps          -          -  -
20 GiB more of old: memory tier 0 (HBM3): 40 GiB instead of 20 GiB  2.5122     12.738  tp2 pp2 vpp2 gbs32 stages=2:5/dp2,10@1/dp2/cp2/offload-activations=0/offload-optimizer=1,6,11 messages-sharded sp tp-overlap zero1 grad-overlap weight-overlap offload-activations=1
more of old: memory tier 1 (host): no amount helps                       -          -  -
a larger domain of old: network tier 0 (NVLink4): no size helps          -          -  -
tp1 4.4958 old
tp2 2.8048 new old
tp4 nothing fits
tp8 nothing fits
recompute=none 2.6754 new old
recompute=selective 2.7721 new old
recompute=full 3.3639 new old
offload-activations=0 3.0524 new new old
  cluster new, gh200-96g x4 net0.size=2 hbm=24GiB, can be used by no stage: tp4 does not divide its nodes of 2; leave it out, or give another tp
step                2.5414 s
does not fit: memory tier 1 (LPDDR5X) needs 15.95 GiB on stage 0, has 8 GiB: 7.952 GiB too little
  llama3.1-8b on gh200-96g x4 net0.size=2 hbm=24GiB mem2=8GiB@450GB/s name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us, 12 GPUs, simulation
  plan: tp2 pp2 vpp2 gbs32 stages=2:6/dp2,10@1/dp2/tp4/offload-optimizer=1,6,10 messages-sharded
  sp tp-overlap zero1 grad-overlap weight-overlap offload-activations=1
  assumed: precision bf16
  remedy: recompute=full recompute-layers=4: fits, 2.1 GiB of memory tier 1 (LPDDR5X) left, 16.7 % more time per step (`reckon fits` lists others)
plan.json: error 5.stage: memory tier 1 of stage 0 16.0 GiB: does not fit: 8 GiB are there: reckon fits lists what makes room
llama3.1-8b over 2 clusters: 1 error
does not fit: memory tier 1 (LPDDR5X) needs 15.95 GiB on stage 0, has 8 GiB: 7.952 GiB too little
   1  2.6691        8184.7  42.28    20.0        7.7         12  gbs32 round1; old: 11,12 layers tp4 cp2 dp1 mbs1 optimizer-offload=1; new: 4,5 layers tp2 cp2 dp1 mbs1 activation-offload=0.5
What is in memory tier 1
stage  activations  optimizer state
                 %                %
    0            0              100
    1           50                0

objective bound  2.6984 s          no plan without interleaving has a smaller objective; steps may take less: proved
floor            2.1217 s          no step is shorter, interleaved or not, stages each in one cluster: proved
problems         24                orders of clusters and rounds, each solved exactly
labels           737               partial plans kept
simulated        32                plans simulated

the best plan without interleaving takes 2.6976 s per step; interleaved are the plans that were simulated, so none is proved to be the best of those: a better one could save 20.5 %, no more

Each cluster by itself
machine                                                                  GPUs    step  over the best
                                                                                    s              %
new: gh200-96g x4 net0.size=2 hbm=24GiB mem2=8GiB@450GB/s, nothing fits     4       -              -
old: h100-80g-nvl8 x8 hbm=20GiB                                             8  3.6939           38.4

Best plan: no interval, because no class of measured runs is over several clusters
Where the ranks of the best plan run, and its time:
  reckon export ranks -m llama3.1-8b -s 'gh200-96g x4 net0.size=2 hbm=24GiB mem2=8GiB@450GB/s name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us' tp4 pp2 vpp2 cp2 gbs32 stages=1:11@1/dp1,4/dp1/tp2/offload-activations=0.5/offload-optimizer=0,12,5 messages-sharded sp tp-overlap zero1 grad-overlap weight-overlap offload-optimizer=1
  reckon predict -m llama3.1-8b -s 'gh200-96g x4 net0.size=2 hbm=24GiB mem2=8GiB@450GB/s name=new + h100-80g-nvl8 x8 hbm=20GiB name=old link=100Gb/s@50us' tp4 pp2 vpp2 cp2 gbs32 stages=1:11@1/dp1,4/dp1/tp2/offload-activations=0.5/offload-optimizer=0,12,5 messages-sharded sp tp-overlap zero1 grad-overlap weight-overlap offload-optimizer=1
    --tensor-model-parallel-size 8
    --pipeline-model-parallel-size 2
    --pipeline-model-parallel-layout "Et*5|t*11|t*5|t*11L"
=== stderr
reckon: --save-script: Megatron-LM does not run it as one job: its stages differ in more than their layers; reckon search --launchable finds the best that it does
