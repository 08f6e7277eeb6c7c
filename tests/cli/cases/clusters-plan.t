# what the search saves is predicted the same; by hand, with replicas of several kinds; what is wrong is pointed at
two="h100-sxm5-80g x32 name=new price=2.5 + a100-sxm4-80g x32 name=old price=1.5 link=100Gb/s@50us"
reckon search -q -m llama3.1-8b -b 512 -s "$two" precision=fp16 --save-plan p.json -f json >found.json
cat p.json
reckon predict -m llama3.1-8b -s "$two" --plan p.json -f json >told.json
for figure in '"step_s"' '"bytes"' '"gradient_bytes"' '"collectives_s"'
do sed '1,/"best"/d;/"rank": 2,/,/"placement"/d;/"launchable"/,$d' found.json | grep -o "$figure.*" >a; grep -o "$figure.*" told.json | head -$(wc -l <a) >b; [ -s a ] && cmp a b && echo "$figure same"; done
reckon search -q -m llama3.1-8b -b 512 -s "$two" precision=fp16 recompute=selective:mlp --save-plan - -o parts.txt | tee parts.json
reckon predict -m llama3.1-8b -s "$two" --plan parts.json | sed -n '/^step .* s$/p'
grep '^   1  ' parts.txt
cat >mixed.json <<'END'
{"batch": 512, "round": 16, "plan": "zero1", "stages": [
  {"layers": 20, "parts": [{"cluster": "new", "words": "tp4 dp4"}, {"cluster": "old", "words": "tp4 dp4 recompute=full"}]},
  {"layers": 12, "cluster": "new", "words": "tp2 cp2 dp4 offload-optimizer=0.5"}]}
END
sed -i 's/ offload-optimizer=0.5//' mixed.json
reckon predict -m llama3.1-8b -s "$two" --plan mixed.json
reckon predict -m llama3.1-8b -s "$two" --plan mixed.json precision=fp32 | sed -n '/^step .* s$/p'
wrong() { sed "$1" mixed.json >w.json; reckon predict -m llama3.1-8b -s "$two" --plan w.json; echo "exit $?"; }
wrong 's/"old"/"odd"/'
wrong 's/dp4 recompute=full/dp4 pp2/'
wrong 's/recompute=full/recompute=ful/'
wrong 's/"layers": 12/"layers": 13/'
wrong 's/"round": 16/"round": 15/'
wrong 's/"round": 16/"rounds": 16/'
wrong 's/"layers": 12, "cluster"/"layers": 12, "clusters"/'
wrong 's/tp2 cp2 dp4/tp3/'
wrong 's/tp2 cp2 dp4/tp8 dp8/'
wrong 's/tp2 cp2 dp4/tp1 dp3/'
wrong 's/"batch": 512, //'
reckon predict -m llama3.1-8b -s "$two" --plan mixed.json seq=1048576; echo "exit $?"
reckon export ranks -m llama3.1-8b -s "$two" --plan mixed.json | sed -n "1p;17p;33p"
reckon export ranks -m llama3.1-8b -s "$two" --plan mixed.json --ranks-format nccl; echo "exit $?"
sed "s/\"layers\": 20,/\"layers\": 20, \"shares\": \"equal\",/" mixed.json >equal.json
reckon export ranks -m llama3.1-8b -s "$two" --plan equal.json --ranks-format nccl | grep -o "\"kind\".*\"net_name\": \"[A-Za-z]*\"\|\"from\".*Socket\""
reckon search -m llama3.1-8b -b 512 -s "$two" --plan mixed.json --sensitivity; echo "exit $?"
reckon search -m llama3.1-8b -b 512 -s "$two" --plan p.json; echo "exit $?"
# a cluster no longer than one stage
printf '{"batch": 8, "round": 2, "stages": [{"layers": 16, "cluster": "0", "words": "tp4 dp2"}, {"layers": 16, "cluster": "1", "words": "tp4 dp2"}]}' >short.json
reckon predict -m llama3.1-8b -s "h100-sxm5-80g x8 net1=none + h100-sxm5-80g x8 net1=none link=1Gb/s" --plan short.json | sed -n '/^step .* s$/p'
# drawn: every rank once, on a device of its own, in racks of four nodes
reckon export ranks -m llama3.1-8b -s "h100-sxm5-80g x32 leaf=16,over=2 name=new + a100-sxm4-80g x32 name=old link=100Gb/s@50us" --plan p.json -o map.html
grep -o '"rank [0-9]*' map.html | sort -u | wc -l
grep '"rank [0-9]*' map.html | grep '^\["stage' | sed 's/.*",null//' | sort -u | wc -l
grep -c '^\["rack"' map.html; grep '^\["over the link' map.html; grep '^\["cluster' map.html
reckon export ranks -m llama3.1-8b -s "$two" --plan mixed.json -o map.html; echo "exit $?"
# experts: each stage has its own degrees; what other choices cost; time against price
both="h100-sxm5-80g x16 price=2.5 + a100-sxm4-80g x16 price=1.5 link=100Gb/s@50us"
reckon search -q -m mixtral-8x7b -b 64 -s "$both" --save-plan moe.json | sed -n '/^Where the stages/,/^$/p'
reckon predict -m mixtral-8x7b -s "$both" --plan moe.json | sed -n '/^step .* s$/p'
one() { reckon search -q -m llama3.1-8b -b 128 -s "$both" -k 1 $1 --format json | python3 -c "
import json, sys
a = json.load(sys.stdin)
print(sys.argv[1], '%.4f' % a['bounds']['bound_s'], *[s['cluster'] for s in a['placement']])" $1; }
for words in tp1 tp2 tp4 tp8 recompute=none recompute=selective recompute=full; do one $words; done
reckon search -q -m llama3.1-8b -b 128 -s "$both" -k 1 --why | sed -n '/^Single changes/,$p'
reckon search -q -m llama3.1-8b -b 128 -s "$both" --pareto time,step_usd -f csv | cut -d, -f 1,3,14-
reckon search -q -m llama3.1-8b -b 64 -s "h100-sxm5-80g x8 + a100-sxm4-80g x8 link=1Gb/s" --pareto time,step_usd; echo "exit $?"
# the plan as words of a launcher, where all stages are alike but for their layers
words=$(reckon search -q -m llama3.1-8b -b 64 -s "$both" tp4 | sed -n 's/^  reckon export megatron //p')
echo "$words"
reckon export megatron $words | grep -o 'pipeline-model-parallel-layout.*'
# the same as a page
reckon report -m llama3.1-8b -s "$two" --plan p.json -o page.html precision=fp16; echo "exit $?"
grep -o -E '<h3>[^<]*|<h1>[^<]*' page.html; grep -c '"rank [0-9]' page.html
reckon predict -m llama3.1-8b -s "$two" --plan p.json precision=fp16 -o again.html && cmp page.html again.html && echo same
# a cluster that no stage can use
reckon search -q -m gpt3-175b -b 64 -s "h100-sxm5-80g x64 + l4 x8 hbm=1GiB name=small link=10Gb/s"; echo "exit $?"
=== stdout
{
    "precision": "fp16",
    "pipeline": 2,
    "chunks": 2,
    "context": 2,
    "batch": 512,
    "stages": "16:4@1/dp16,11/dp16,5,12",
    "messages_sharded": true,
    "zero": 1,
    "gradient_overlap": true,
    "weight_overlap": true
}
"bytes" same
"gradient_bytes" same
"collectives_s" same
{
    "precision": "fp16",
    "pipeline": 2,
    "chunks": 2,
    "context": 2,
    "batch": 512,
    "stages": "16:4@1/dp16,11/dp16,5,12",
    "messages_sharded": true,
    "zero": 1,
    "gradient_overlap": true,
    "weight_overlap": true,
    "recompute": "selective",
    "recompute_parts": ["mlp"]
}
step                11.7808 s
   1  11.7808        5562.9  44.00    36.3         64        0.4189  gbs512 round16; old: 4,5 layers tp1 cp2 dp16 mbs1 recompute=selective; new: 11,12 layers tp1 cp2 dp16 mbs1 recompute=selective
fits: P(fits) 90 %, 18.86 s per step, MFU 31.2 %, memory 48.1 of 79.2 GiB on stage 0 of 0-1, 179.1 USD per 1B tokens
  llama3.1-8b on h100-sxm5-80g x32 name=new price=2.5 + a100-sxm4-80g x32 name=old price=1.5 link=100Gb/s@50us, 48 GPUs, simulation
  plan: tp4 pp2 gbs512 stages=16:20/dp4~@1/dp4/recompute=full,12/dp4/tp2/cp2 messages-sharded sp
  tp-overlap zero1 grad-overlap weight-overlap
  cost: 2.49 USD per GPU-hour on new (cheapest listed: neocloud, 2026-01-15),
  1.99 USD per GPU-hour on old (cheapest listed: neocloud, 2026-01-15),
  of all GPUs of all clusters, without failures
  time: no interval, because no class of measured runs is over several clusters
  memory: 90 % interval 37.8-88.5 of 79.2 GiB (cross-validated on megatron, dense: 556 runs from 8 sources); P(fits) 90 %

Where the time of a step goes
              time  share
                 s      %
matrix      8.0270   42.6  matrix products                                               ##########
attention   2.0129   10.7  attention kernels                                             ###
memory      0.3813    2.0  memory-bound operations: norms, activations, casts
recompute   3.4993   18.6  recomputation in backward                                     ####
tensor      0.5226    2.8  exposed tensor-parallel communication                         #
launch      0.0498    0.3  host launch overhead
pipeline    1.3776    7.3  exposed messages between stages                               ##
bubble      0.2203    1.2  pipeline bubble (fill, drain, imbalance)
data        2.7568   14.6  exposed data-parallel communication of gradients and weights  ####
optimizer   0.0114    0.1  optimizer step
step       18.8590  100.0

Communication of the slowest stage
                 link time  exposed  of step  sent, all GPUs
                         s        s        %             TiB
tensor parallel     2.8342   0.5226      2.8           24.66
data parallel       2.9084   2.7568     14.6               -

Throughput
step                18.8590 s
tokens per second   222.404 K
... per GPU         4.633 K
samples per second  27.1489
FLOP/s per GPU      238.5 TFLOP/s     model FLOP: three times forward
... executed        250.1 TFLOP/s     model FLOP, with recomputation
MFU                 31.23 %           model FLOP over peak of the plan's precision
HFU                 32.76 %           model FLOP with recomputation over peak
... in full         35.14 %           MFU that also counts masked attention scores
... Megatron-LM's   31.23 %           MFU as its log counts FLOP: half of all token pairs, the padded vocabulary

Stages: a microbatch, and the memory of a GPU
stage  blocks  parameters  forward  backward  in flight  state  activations  rest  total   left
                        B       ms        ms               GiB          GiB   GiB    GiB    GiB
0          20        1.22  111.304   341.598          2  10.38        32.28  5.41  48.07  31.13  ###############.........
1          12        1.57  119.516   233.641          1  12.01        18.88  3.89  34.79  44.41  ###########.............

Where the stages run
stage  cluster    layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages   end  memory  fits in
                                                                            ms        ms        ms     s     GiB        %
    0  new + old      20      4    32   4   1   1   8    3  none        111.30    341.60     43.05  2.77    48.1       90  ###############.........
    1  new            12      2    16   2   2   1   4    4  none        119.52    233.64      0.00  0.02    34.8       98  ###########.............

Communication of a step
stage  to the next one over   each way  both ways  gradients of a GPU  their collectives
                                                s                                      s
    0  new                   32.00 GiB      1.378            4.55 GiB              2.908
    1  -                             -          -            5.85 GiB              0.046

Replicas of several kinds, and their samples per round
stage  cluster  replicas  tp  cp  samples, least  most  both passes
                                                                 ms
    0  new             4   4   1               3     3       380.67
    0  old             4   4   1               1     1       452.90

a step costs 0.5448 USD: GPU-hours used, bytes over links
step                429.6587 s
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
cannot run: stage 1, on cluster new: nodes of the cluster: asked for 10, there is 4
  llama3.1-8b on h100-sxm5-80g x32 name=new price=2.5 + a100-sxm4-80g x32 name=old price=1.5 link=100Gb/s@50us, 96 GPUs, simulation
  plan: tp4 pp2 gbs512 stages=16:20/dp4~@1/dp4/recompute=full,12/dp8/tp8 messages-sharded sp
  tp-overlap zero1 grad-overlap weight-overlap
exit 1
exit 3
exit 2
does not fit: memory tier 0 (HBM3) needs 6.043 TiB on stage 0, has 79.20 GiB: 5.966 TiB too little
  llama3.1-8b on h100-sxm5-80g x32 name=new price=2.5 + a100-sxm4-80g x32 name=old price=1.5 link=100Gb/s@50us, 48 GPUs, simulation
  plan: tp4 pp2 gbs512 seq1048576 stages=16:20/dp4~@1/dp4/recompute=full,12/dp4/tp2/cp2
  messages-sharded sp tp-overlap zero1 grad-overlap weight-overlap
  remedy: no change of one or two choices makes it fit: use more GPUs, or `reckon search`, which tries all choices together
exit 1
rank 0=new-0 slot=0
rank 16=old-0 slot=0
rank 32=new-2 slot=0
exit 2
"kind": "tensor", "stage": 0, "cluster": "new", "over": "node", "net_name": "IB"
"kind": "data", "stage": 0, "cluster": "new", "over": "link", "net_name": "Socket"
"kind": "tensor", "stage": 1, "cluster": "new", "over": "node", "net_name": "IB"
"kind": "context", "stage": 1, "cluster": "new", "over": "node", "net_name": "IB"
"kind": "data", "stage": 1, "cluster": "new", "over": "cluster", "net_name": "IB"
"kind": "gradients", "stage": 1, "cluster": "new", "over": "cluster", "net_name": "IB"
"from": 0, "to": 1, "over": "link", "net_name": "Socket"
exit 3
exit 2
step                9.0307 s
64
64
3
["over the link","stage 0 to 1","","64 GiB",68719476736,558,30,114,48]]}</script>
["cluster","new: h100-sxm5-80g x32 leaf=16,over=2","","new: h100-sxm5-80g x32 leaf=16,over=2",null,0,362,0,102],
["cluster","old: a100-sxm4-80g x32","","old: a100-sxm4-80g x32",null,402,588,0,146],
exit 0
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  0            23      2    16   2   2   8   4    1  none        107.02    177.33     64.72  47.78    68.3       76  #####################...
    1  1             9      2    16   2   2   8   4    1  none         90.38    191.82     43.15  33.76    25.6      100  ########................

step                4.7760 s
tp1 5.3143 1 0
tp2 5.4986 1 0
tp4 5.6324 1 0
tp8 6.2966 1 0
recompute=none 5.3143 1 0
recompute=selective 5.5094 1 0
recompute=full 6.8304 1 0
Single changes that make a plan with 1 % more samples per second feasible
change
more of 0: memory tier 0 (HBM3): no amount helps
a larger domain of 0: network tier 0 (NVLink4): no size helps
more of 1: memory tier 0 (HBM2e): no amount helps
a larger domain of 1: network tier 0 (NVLink3): no size helps
rank,step_s,gpus,step_usd,stages
1,5.118423280518131,0.8034301211853949,,,32,0.09099419165365567,"gbs128 round8; 1: 4,5 layers tp1 cp2 dp8 mbs1; 0: 11,12 layers tp1 cp2 dp8 mbs1"
2,6.081383925143706,,24,0.08784221225207575,gbs128 round8; 1: 4 layers tp2 dp4 mbs2; 0: 28 layers tp1 cp2 dp8 mbs1
3,6.581406070055476,16,0.07312673411172751,gbs128 round16; 0: 32 layers tp1 dp16 mbs1 zero2
exit 2
-m llama3.1-8b dp4 tp4 pp2 vpp2 gbs64 split=4,11,5,12 sp tp-overlap zero1 grad-overlap weight-overlap
pipeline-model-parallel-layout "Et*4|t*11|t*5|t*12L"
exit 0
<h1>llama3.1-8b on h100-sxm5-80g x32 name=new price=2.5 + a100-sxm4-80g x32 name=old price=1.5 link=100Gb/s@50us
<h3>Where the time of a step goes
<h3>Time by part
<h3>Memory against its capacity
<h3>Memory of every stage against its capacity
<h3>Stages: a microbatch, and the memory of a GPU
<h3>Where the stages run
<h3>Communication of a step
<h3>Single changes that save memory
<h3>How the step begins
<h3>How the step ends
<h3>Transfers that overlap with computation
<h3>What each stage does with the step
<h3>Memory of stage 1 over time
<h3>Placement of the ranks
<h3>Model
<h3>System
<h3>Clusters
<h3>Links
<h3>Sources, as the inputs name them
64
same
gpt3-175b on h100-sxm5-80g x64 + l4 x8 hbm=1GiB name=small link=10Gb/s, 72 GPUs, batch 64 of 2K tokens, megatron, bf16, detailed model
  14 plans simulated, the best of 28 exactly solved problems and what lies near them
  cluster small, l4 x8 hbm=1GiB, can be used by no stage: not even one layer fits; leave it out, or give words such as zero3 or recompute=full
exit 1
=== stderr
cmp: EOF on b after byte 29, line 1
reckon: w.json:2:80: stages[0].parts[1].cluster: the machine has no cluster "odd": the nearest is "old"
reckon: w.json:2:96: stages[0].parts[1].words: pipeline is the same for all stages
reckon: w.json:2:96: stages[0].parts[1].words: column 19: recompute must be one of none, selective, full; got "ful"; did you mean "full"?
reckon: w.json:1:56: stages: 33 layers in all, the model has 32
reckon: w.json:1:25: round: does not divide the batch, 512: 16 does
reckon: w.json:1:16: unknown key "rounds"; did you mean "round"?
reckon: w.json:3:18: stages[1]: unknown key "clusters"; did you mean "cluster"?
reckon: w.json:3:3: stages[1]: tensor 3 does not divide the node, 8: 2 does
reckon: w.json:3:3: stages[1]: dp3 does not divide the round, 16: dp2 does
reckon: how many samples has a step? add "batch": 256 to the file, or the word gbs256
reckon: ranks: replicas of a stage have different shares of the samples: messages are listed with "shares": "equal" in the plan
reckon: mixed.json:1:16: unknown key "round": this looks like a plan over clusters, which reckon predict --plan takes, a plan is wanted here
reckon: "stages" is not a word of a search: give --split, or the whole plan to reckon predict
reckon: --pareto: step_usd: every cluster needs its price, as price=2.5 (USD for an accelerator and hour): cluster 0 has none
