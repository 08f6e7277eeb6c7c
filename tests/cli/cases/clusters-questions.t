# every question of a plan is asked of one over several clusters, too
two="h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us"
cat >a.json <<'END'
{"batch": 64, "round": 8, "stages": [
  {"layers": 8, "cluster": "old", "words": "tp2 dp8"},
  {"layers": 24, "cluster": "new", "words": "tp2 dp8"}]}
END
sed 's/"round": 8/"round": 16/; s/: 24, "cluster": "new", "words": "tp2 dp8"/: 24, "cluster": "new", "words": "tp4 dp4"/' a.json >b.json
sed 's/: 8, "cl/: [4, 4], "cl/; s/: 24, "cl/: [12, 12], "cl/' a.json >chunks.json
echo "== timeline"
reckon timeline -m llama3.1-8b -s "$two" --plan a.json --trace t.json --pytorch-csv t.csv
grep -c '"ph"' t.json; cut -c 1-60 t.csv
reckon timeline -m llama3.1-8b -s "$two" --plan chunks.json | grep ^step:
reckon timeline -m llama3.1-8b -s "$two" --plan a.json schedule=zero-bubble | grep ^step:
reckon timeline -m llama3.1-8b -s "$two" --plan a.json --trace - | sed -n '$p'
reckon timeline -m llama3.1-8b -s "$two" --plan a.json --trace - -o told.txt | sed -n '$p'; grep ^step: told.txt
reckon predict -m llama3.1-8b -s "$two" --plan a.json | sed -n '/^step .* s$/p'
reckon timeline -m llama3.1-8b -s "$two" --plan a.json --window 1s..2s; echo "exit $?"
echo "== fits"
reckon fits -m llama3.1-8b -s "$two" --plan a.json
reckon fits -m llama3.1-70b -s "$two" --plan a.json; echo "exit $?"
sed 's/80g/40g/; s/"new", "words": "tp2 dp8"/"new", "words": "tp1 dp8"/' a.json >tight.json
reckon fits -m llama3.1-8b -s "$two" --plan tight.json seq=32768 | sed -n '1p;/^Memory/,/^$/p'
# no tensor group leaves its node; nothing that takes room instead of making it
sed 's/tp2 dp8/tp8 dp2/' a.json >node.json
reckon fits -m llama3.1-8b -s "$two" --plan node.json | grep -o '^zero.\|^tensor\|^context'
reckon fits -m llama3.1-8b -s "$two" --plan node.json zero3 | grep -o '^zero.\|^tensor\|^context'
echo "== diff"
reckon diff -m llama3.1-8b -s "$two" a.json b.json
reckon diff -m llama3.1-8b -s "$two" a.json chunks.json | sed -n '1p;/^Differences/,/^$/p'
reckon diff -m llama3.1-8b -s "$two" a.json a.json | sed -n '1p;/^Differences/,/^$/p'
reckon diff -m llama3.1-8b -s "$two" a.json; echo "exit $?"
sed 's/"batch": 64/"batch": 128/' a.json >twice.json
reckon diff -m llama3.1-8b -s "$two" a.json twice.json | sed -n '1p;/^Differences/,/^$/p'
sed 's/dp8"}]/dp8 recompute=selective:mlp"}]/' a.json >mlp.json; sed 's/:mlp/:layernorm/' mlp.json >norm.json
reckon diff -m llama3.1-8b -s "$two" mlp.json norm.json | sed -n '/^Layers that/,/^$/p'
cat >speed.json <<'END'
{"batch": 64, "round": 16, "stages": [
  {"layers": 32, "parts": [{"cluster": "new", "words": "tp2 dp4"}, {"cluster": "old", "words": "tp2 dp4"}]}]}
END
sed 's/"layers": 32/"layers": 32, "shares": "equal"/' speed.json >equal.json
reckon diff -m llama3.1-8b -s "$two" speed.json equal.json | sed -n '/^Layers that/,/^$/p'
echo "== check"
reckon check -m llama3.1-8b -s "$two" a.json; echo "exit $?"
sed 's/"batch": 64/"batch": 8/' a.json >few.json
reckon check -m llama3.1-8b -s "$two" few.json --env NCCL_NET=IB; echo "exit $?"
reckon check -m llama3.1-8b -s "$two" speed.json --env NCCL_NET=IB | tail -1
reckon check -m llama3.1-8b -s "$two" tight.json seq=65536; echo "exit $?"
reckon check -m llama3.1-8b -s "$two" tp8; echo "exit $?"
reckon check -m llama3.1-8b -s "$two" a.json -g 32; echo "exit $?"
echo "== the run"
priced="h100-sxm5-80g x16 name=new price=2.5 + a100-sxm4-80g x16 name=old link=100Gb/s@50us,price=0.01"
reckon predict -m llama3.1-8b -s "$priced" --plan a.json --tokens 1T | sed -n '/^The run/,/^cost/p;/^The run, cluster/,/^bytes/p'
reckon predict -m llama3.1-8b -s "$priced" --plan a.json --tokens 1T --elastic; echo "exit $?"
for price in 9 reserved 2.50; do reckon predict -m llama3.1-8b -s "$priced" --plan a.json --tokens 1T --price $price >o && sed -n '/^GPU-hours/p;/^cost/p' o; done
reckon search -q -m llama3.1-8b -b 64 -s "$priced" --tokens 1T --price 9; echo "exit $?"
reckon predict -m llama3.1-8b -s "$priced" --plan a.json --spares 1; echo "exit $?"
echo "== the best plans"
reckon search -q -m llama3.1-8b -b 64 -s "$priced" --top 4 | sed -n '/^Best plans/,/^$/p'
reckon search -q -m llama3.1-8b -b 64 -s "$priced" -k 99 --format json | python3 -c "
import json, sys
plans = json.load(sys.stdin)['best']
print(len(plans) == len({p['plan'] for p in plans}), [p['step_s'] for p in plans] == sorted(p['step_s'] for p in plans))"
reckon predict -m llama3.1-8b -s "$priced" --plan a.json --top 3; echo "exit $?"
reckon search -q -m llama3.1-8b -b 64 -s "h100-sxm5-80g x{8,16} + a100-sxm4-80g x8 link=1Gb/s" --save-plan p.json; echo "exit $?"
echo "== program"
reckon program -m llama3.1-8b -s "$two" --plan a.json | sed -n '1,2p;6,$p'
reckon program -m llama3.1-8b -s "$two" --plan b.json; echo "exit $?"
# words of its stages are the program's; those that differ have their own, and what ranks send is received
reckon program -m llama3.1-8b -s "$two" --plan mlp.json; echo "exit $?"
sed 's/dp8/dp8 recompute=selective:mlp gradient-bytes=2/' a.json >all.json
reckon program -m llama3.1-8b -s "$two" --plan all.json | sed -n 2,3p
echo "== many machines"
reckon search -q -m llama3.1-8b -b 64 -s "h100-sxm5-80g x{8,16} + a100-sxm4-80g x8 link=1Gb/s" --price 3; echo "exit $?"
reckon search -q -m llama3.1-8b -b 64 -s "h100-sxm5-80g x16 name=new price=2.5 + a100-sxm4-80g x{8,16} name=old price=1.5 link={25Gb/s,100Gb/s}@50us"
reckon search -m llama3.1-70b -b 8 -s "h100-sxm5-80g x{8,16} + a100-sxm4-80g x8 link=1Gb/s" precision=fp32 zero0 -q -f csv | cut -d, -f 2,3,6-8
reckon search -q -m llama3.1-8b -b 64 -s "h100-sxm5-80g x{8,16 + a100-sxm4-80g x8 link=1Gb/s"; echo "exit $?"
reckon search -q -m llama3.1-8b -b 64 -s "h100-sxm5-80g x{8,12} + a100-sxm4-80g x8 link=1Gb/s"; echo "exit $?"
reckon search -q -m llama3.1-8b -b 64 -s "h100-sxm5-80g x{8,16} + a100-sxm4-80g x8 link=1Gb/s" --why; echo "exit $?"
cat >uneven.json <<'END'
{"batch": 64, "round": 8, "stages": [
  {"layers": 20, "cluster": "new", "words": "tp2 dp8 recompute=full"}, {"layers": 12, "cluster": "old", "words": "tp1 dp8"}]}
END
reckon program -m llama3.1-8b -s "$two" --plan b.json --all logs | sed -n 2,4p
reckon check --logs logs
reckon program -m llama3.1-8b -s "$two" --plan uneven.json; echo "exit $?"
rm -r logs; reckon program -m llama3.1-8b -s "$two" --plan uneven.json --all logs
reckon check --logs logs
reckon program -m llama3.1-8b -s "$two" --plan uneven.json --rank 24; echo "exit $?"
reckon program -m llama3.1-8b -s "$two" --plan speed.json | sed -n '1,3p;8,$p'
rm -r logs; reckon program -m llama3.1-8b -s "$two" --plan speed.json --all logs
reckon check --logs logs
sed 's/"old", "words": "tp2 dp4"/"old", "words": "tp4 dp4"/' speed.json >shards.json
reckon program -m llama3.1-8b -s "$two" --plan shards.json; echo "exit $?"
sed 's/: 20, /: 6, /; s/: 12, /: 6, /' uneven.json >tied.json
reckon program -m gpt2-124m -s "$two" --plan tied.json | sed -n '4,$p'
rm -r logs; reckon program -m gpt2-124m -s "$two" --plan tied.json --all logs
reckon check --logs logs
grep -h 'tied' logs/rank-16.log | cut -d ' ' -f 1-4,8 | sort | uniq -c
reckon check --logs logs -m gpt2-124m -s "$two" tied.json
reckon check --logs logs -m gpt2-124m -s "$two" tied.json seq=512 | tail -1
reckon check --logs logs -m gpt2-124m -s "$two" a.json; echo "exit $?"
reckon check -m llama3.1-8b -s "$two" speed.json --checkpoint 'layers=30 hidden=4096'; echo "exit $?"
sed '/^recv 2 .*r:tied/d' logs/rank-16.log >less; mv less logs/rank-16.log
reckon check --logs logs >told; code=$?; tail -2 told; echo "exit $code"
=== stdout
== timeline
fits: P(fits) 96 %, 2.932 s per step, MFU 44.2 %, memory 39.9 of 79.2 GiB on stage 1 of 0-1
  llama3.1-8b on h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us, 32 GPUs, simulation
  plan: tp2 pp2 gbs64 stages=8:8@1/dp8,24/dp8 messages-sharded sp tp-overlap zero1 grad-overlap
  weight-overlap
schedule 1f1b: 2 stages of 1 chunk each, 8 microbatches, 32 passes; messages beside
step: 2.9316 s simulated, 2.9316 s by the simulation: the same
idle: 12.4 % of the step on average, 14.1 % at most, 10.7 % on the busiest stage, whose bubble is 10.6 % by the simulation
tightest: stage 1, memory tier 0 (HBM3): 39.93 GiB at most, 39.93 GiB by the simulation: the same; it has 79.20 GiB
trace: t.json, all of the step
PyTorch schedule: t.csv

Peak memory
memory                tightest stage       peak   estimate  difference   capacity  first at  in flight
                                                                     %                   ms
memory tier 0 (HBM3)               1  39.93 GiB  39.93 GiB        0.00  79.20 GiB  108.8072          1  microbatches

Stages
cluster  stage  blocks  compute  offload  messages  reduce  optimizer      idle  of step   peak  of HBM
                              s        s         s       s         ms        ms        %    GiB       %
old          0       8   2.4890   0.0000    0.0000  0.0000    28.9624  413.6045     14.1  19.58    24.7  ######..................
new          1      24   2.5915   0.0000    0.0000  0.0000    26.8865  313.2048     10.7  39.93    50.4  ############............
165
0F0,0F1,,0B0,0F2,0B1,0F3,0B2,0F4,0B3,0F5,0B4,0F6,0B5,0F7,0B6
,1F0,1B0,1F1,1B1,1F2,1B2,1F3,1B3,1F4,1B4,1F5,1B5,1F6,1B6,1F7
step: 2.87025 s simulated, 2.87025 s by the simulation: the same
step: 2.76634 s simulated, 2.76634 s by the simulation: the same
]}
]}
step: 2.9316 s simulated, 2.9316 s by the simulation: the same
step                2.9316 s
exit 2
== fits
fits: P(fits) 96 %, 2.932 s per step, MFU 44.2 %, memory 39.9 of 79.2 GiB on stage 1 of 0-1, 111.3 USD per 1B tokens
  llama3.1-8b on h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us, 32 GPUs, simulation
  plan: tp2 pp2 gbs64 stages=8:8@1/dp8,24/dp8 messages-sharded sp tp-overlap zero1 grad-overlap
  weight-overlap
  cost: 2.49 USD per GPU-hour on new (cheapest listed: neocloud, 2026-01-15),
  1.99 USD per GPU-hour on old (cheapest listed: neocloud, 2026-01-15),
  of all GPUs of all clusters, without failures
  time: no interval, because no class of measured runs is over several clusters
  memory: 90 % interval 31.4-73.5 of 79.2 GiB (cross-validated on megatron, dense: 556 runs from 8 sources); P(fits) 96 %

Memory of a GPU, stage by stage
               stage 0  stage 1
                   GiB      GiB
weights           2.11     5.36  weights in the datatype they are stored in
gradients         4.23    10.73  weight gradients
optimizer         1.59     4.02  master copy and moments
attention         1.26     1.89  activations of attention
mlp               5.25     7.88  activations of dense MLPs
norms             2.00     3.00  activations of norms and the residual stream
embedding         0.00     2.02  activations of embedding, head and loss
working           0.22     1.04  temporary buffers of the current operation
communication     0.89     1.44  buffers of collectives and messages
context           1.50     1.59  the GPU's context, libraries and their workspaces
fragmentation     0.53     0.95  fragmentation
total            19.58    39.93
capacity         79.20    79.20  of the device
left             59.62    39.27

Single changes that save memory
change                             saves   left  fits  P(fits)   step  slower by
                                     GiB    GiB              %      s          %
recompute=full                     12.73  52.00  fits      100  3.791       29.3  recompute whole layers
zero3                              12.10  51.37  fits      100  3.080        5.1  shard weights too
zero2                               8.96  48.23  fits      100  2.989        2.0  shard gradients too
recompute=selective:mlp             8.35  47.62  fits      100  3.502       19.5  recompute dense MLPs
tp4 stages=8:8@1/dp4,24/dp4         7.64  46.91  fits       99  3.003        2.4  double tensor, halve data parallelism
gradient-bytes=2                    5.36  44.64  fits       98  2.922       -0.3  store gradients in 16 bits
recompute=full recompute-layers=8   4.24  43.52  fits       98  3.517       20.0  recompute half of the layers
recompute=selective:layernorm       1.59  40.86  fits       97  2.952        0.7  recompute norms
moment1-bytes=2 moment2-bytes=2     1.34  40.61  fits       96  2.931        0.0  store moments in 16 bits
recompute=selective:core_attn       0.01  39.28  fits       96  3.036        3.5  recompute attention's core

Offloading is not tried: not every cluster has a second memory.
exit 3
does not fit: memory tier 0 (HBM3) needs 177.6 GiB on stage 1, has 79.20 GiB: 98.45 GiB too little
Memory of a GPU, stage by stage
               stage 0  stage 1
                   GiB      GiB
weights           2.11    10.73  weights in the datatype they are stored in
gradients         4.23    21.46  weight gradients
optimizer         1.59     8.05  master copy and moments
attention         5.03    15.09  activations of attention
mlp              21.00    63.00  activations of dense MLPs
norms             8.00    24.00  activations of norms and the residual stream
embedding         0.00    16.16  activations of embedding, head and loss
working           0.88     8.08  temporary buffers of the current operation
communication     2.95     1.88  buffers of collectives and messages
context           1.50     1.59  the GPU's context, libraries and their workspaces
fragmentation     2.11     7.61  fragmentation
total            49.40   177.65
capacity         79.20    79.20  of the device
left             29.80   -98.45

context
zero3
zero2
context
== diff
both fit: B takes 12.0 % more time than A, 3.282 s against 2.932 s per step, 0.893 times the throughput
llama3.1-8b on h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us
A  a.json: 2.932 s per step, 39.93 GiB
  plan: tp2 pp2 gbs64 stages=8:8@1/dp8,24/dp8 messages-sharded sp tp-overlap zero1 grad-overlap
  weight-overlap
  no interval, because no class of measured runs is over several clusters
B  b.json: 3.282 s per step, 50.57 GiB
  plan: tp2 pp2 gbs64 stages=16:8@1/dp8,24/dp4/tp4 messages-sharded sp tp-overlap zero1
  grad-overlap weight-overlap
  no interval, because no class of measured runs is over several clusters

Differences, and the effect of each key: A with it alone, B without it
key     A                                          B                                               alone    memory      without
stages  tp2/sp/tp-overlap/zero1: 8:8@1/dp8,24/dp8  tp2/sp/tp-overlap/zero1: 16:8@1/dp8,24/dp4/tp4  +12.0 %  +10.64 GiB  -10.7 %

Layers that are run differently, and the effect of each run of layers
stage  layers  change                                        alone   memory      without
    -  all     samples of a round 8 -> 16                    +9.6 %  +17.53 GiB  -8.4 %
    1  8-31    new tp2 cp1 dp8 none -> new tp4 cp1 dp4 none  +2.6 %  -7.64 GiB   -2.1 %

Path from A to B, the most helpful change first
change                                                                                                step      saved   of A  memory
                                                                                                         s         ms      %     GiB
stages tp2/sp/tp-overlap/zero1: 8:8@1/dp8,24/dp8 -> tp2/sp/tp-overlap/zero1: 16:8@1/dp8,24/dp4/tp4  3.2821  -350.5268  -12.0   50.57

Where the time of a step goes
                A       B     B - A
                s       s        ms
matrix     1.9018  1.8998   -1.9379  matrix products
attention  0.3708  0.3698   -1.0752  attention kernels
memory     0.1843  0.1810   -3.3152  memory-bound operations: norms, activations, casts
tensor     0.1346  0.1873   52.7262  exposed tensor-parallel communication
bubble     0.3111  0.6153  304.1290  pipeline bubble (fill, drain, imbalance)
data       0.0152  0.0152    0.0000  exposed data-parallel communication of gradients and weights
optimizer  0.0138  0.0138    0.0000  optimizer step
step       2.9316  3.2821  350.5268  all changes

Memory of the fullest GPU
                   A      B  B - A
                 GiB    GiB    GiB
weights         5.36   2.68  -2.68  weights in the datatype they are stored in
gradients      10.73   5.37  -5.36  weight gradients
optimizer       4.02   4.02   0.00  master copy and moments
attention       1.89   3.77   1.89  activations of attention
mlp             7.88  15.75   7.88  activations of dense MLPs
norms           3.00   6.00   3.00  activations of norms and the residual stream
embedding       2.02   4.04   2.02  activations of embedding, head and loss
working         1.04   2.21   1.17  temporary buffers of the current operation
communication   1.44   3.22   1.78  buffers of collectives and messages
context         1.59   1.59   0.00  the GPU's context, libraries and their workspaces
fragmentation   0.95   1.91   0.96  fragmentation
all            39.93  50.57  10.64  of the device
both fit: B takes 2.1 % less time than A, 2.870 s against 2.932 s per step, 1.02 times the throughput
Differences, and the effect of each key: A with it alone, B without it
key     A                                          B                                               alone   memory     without
stages  tp2/sp/tp-overlap/zero1: 8:8@1/dp8,24/dp8  tp2/sp/tp-overlap/zero1: 8:4@1/dp8,12/dp8,4,12  -2.1 %  +6.76 GiB  +2.1 %

both fit: the plans are the same
both fit: B takes 7.2 % less time than A, 2.719 s against 2.932 s per step, 1.08 times the throughput
llama3.1-8b on h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us
A  a.json: 2.932 s per step, 39.93 GiB
  plan: tp2 pp2 gbs64 stages=8:8@1/dp8,24/dp8 messages-sharded sp tp-overlap zero1 grad-overlap
  weight-overlap
  no interval, because no class of measured runs is over several clusters
B  best: 2.719 s per step, 60.54 GiB
  plan: tp2 pp2 vpp2 gbs64 stages=8:4@1/dp8,11/dp8/tp1/cp2/no-sp/no-tp-overlap,5,12
  messages-sharded sp tp-overlap zero1 grad-overlap weight-overlap
  no interval, because no class of measured runs is over several clusters

Differences, and the effect of each key: A with it alone, B without it
key     A                                          B                                                                           alone   memory      without
stages  tp2/sp/tp-overlap/zero1: 8:8@1/dp8,24/dp8  tp2/sp/tp-overlap/zero1: 8:4@1/dp8,11/dp8/tp1/cp2/no-sp/no-tp-overlap,5,12  -7.2 %  +20.61 GiB  +7.8 %

Path from A to B, the most helpful change first
change                                                                                                                            step     saved  of A  memory
                                                                                                                                     s        ms     %     GiB
stages tp2/sp/tp-overlap/zero1: 8:8@1/dp8,24/dp8 -> tp2/sp/tp-overlap/zero1: 8:4@1/dp8,11/dp8/tp1/cp2/no-sp/no-tp-overlap,5,12  2.7192  212.3487   7.2   60.54

Where the time of a step goes
                A       B      B - A
                s       s         ms
matrix     1.9018  1.7667  -135.0645  matrix products
attention  0.3708  0.4523    81.4969  attention kernels
memory     0.1843  0.0920   -92.2958  memory-bound operations: norms, activations, casts
tensor     0.1346  0.0844   -50.2102  exposed tensor-parallel communication
launch     0.0000  0.0132    13.1578  host launch overhead
bubble     0.3111  0.2804   -30.7189  pipeline bubble (fill, drain, imbalance)
data       0.0152  0.0152    -0.0359  exposed data-parallel communication of gradients and weights
optimizer  0.0138  0.0151     1.3220  optimizer step
step       2.9316  2.7192  -212.3487  all changes

Memory of the fullest GPU
                   A      B  B - A
                 GiB    GiB    GiB
weights         5.36  10.32   4.96  weights in the datatype they are stored in
gradients      10.73  20.65   9.92  weight gradients
optimizer       4.02   3.87  -0.15  master copy and moments
attention       1.89   2.71   0.83  activations of attention
mlp             7.88  11.32   3.45  activations of dense MLPs
norms           3.00   4.31   1.31  activations of norms and the residual stream
embedding       2.02   2.02   0.00  activations of embedding, head and loss
working         1.04   1.01  -0.03  temporary buffers of the current operation
communication   1.44   1.45   0.00  buffers of collectives and messages
context         1.59   1.59   0.00  the GPU's context, libraries and their workspaces
fragmentation   0.95   1.29   0.33  fragmentation
all            39.93  60.54  20.61  of the device
exit 0
both fit: B takes 88.4 % more time than A, 5.523 s against 2.932 s per step, 1.06 times the throughput
Differences, and the effect of each key: A with it alone, B without it
key    A   B    alone    memory     without
batch  64  128  +88.4 %  +0.00 GiB  -46.9 %

Layers that are run differently, and the effect of each run of layers
stage  layers  change                                            alone    memory     without
    1  8-31    new tp2 cp1 dp8 mlp -> new tp2 cp1 dp8 layernorm  -14.4 %  +6.76 GiB  +16.8 %

Layers that are run differently, and the effect of each run of layers
stage  layers  change                                                                                                    alone                  memory      without
    0  0-31    new tp2 cp1 dp4 none + old tp2 cp1 dp4 none -> new tp2 cp1 dp4 none + old tp2 cp1 dp4 none, equal shares  +41.3 %, does not fit  -21.97 GiB  -29.3 %, does not fit

== check
llama3.1-8b over 2 clusters: nothing found
exit 0
few.json:2:3: warning 3.fill: batch 8: on cluster old: 1 microbatches for 2 stages: some always idle: a batch of 16 fills them
few.json:3:3: warning 3.fill: batch 8: on cluster new: 1 microbatches for 2 stages: some always idle: a batch of 16 fills them
few.json: error 12.environment: NCCL_NET IB: messages between clusters need sockets: a network of each group, as reckon export ranks --ranks-format nccl has them, instead of one of all: unset NCCL_NET
few.json: warning 12.environment: NCCL_SOCKET_IFNAME not set: the interface that joins the clusters: without it NCCL takes the first it finds: NCCL_SOCKET_IFNAME=eth0
llama3.1-8b over 2 clusters: 1 error, 3 warnings
exit 1
llama3.1-8b over 2 clusters: 1 error, 2 warnings
tight.json:2:3: warning 5.stage: stage 0 89.2 GiB: does not fit, P(fits) 15 %: 79 GiB are there: reckon fits lists what makes room
tight.json:3:3: error 5.stage: stage 1 312.1 GiB: does not fit, P(fits) 0 %: 79 GiB are there: reckon fits lists what makes room
tight.json:3:3: error 12.needs: tensor_overlap: on cluster new: needs sequence parallelism: give sp
llama3.1-8b over 2 clusters: 2 errors, 1 warning
exit 1
exit 2
exit 2
== the run
The run
tokens                         1.000 T
steps                          1,907,349
days                           65.56             expected, failures and checkpoints included
... with few failures          64.82             10th percentile, of failures alone; the step has a range of its own
... with many failures         67.04             90th percentile
of it training                 64.72
goodput                        98.71 %           training over all of it
a failure every                65.99 days
failures                       0.984             expected
noticing, restarting, waiting  0.98 %
work done again                0.16 %
checkpoints                    0.16 %
a checkpoint every             4.97 h            the best, or that of --interval; a step at least
... by Young's formula         4.97 h
... by Daly's                  4.97 h
spare nodes                    0
a checkpoint has               104.70 GiB
... and takes                  28.11 s
GPU-hours                      50.351 K
cost in USD                    277.135 K         spare nodes included
The run, cluster by cluster
The run, cluster by cluster
cluster  GPUs used  GPU-hours  USD per hour  cost in USD  W per GPU
cluster  GPUs used  GPU-hours  USD per hour  cost in USD  W per GPU
                            K                          K
                            K                          K
new             16     25.175          2.50       62.938      617.1
new             16     25.175          2.50       62.938      617.1
old             16     25.175          1.99       50.099      325.1  of the list; price= in the system says another
old             16     25.175          1.99       50.099      325.1  of the list; price= in the system says another


bytes over links: 164.1k USD of it, of steps done twice, too
bytes over links: 164.1k USD of it, of steps done twice, too

Stages: a microbatch, and the memory of a GPU
stage  blocks  parameters  forward  backward  in flight  state  activations  rest  total   left
                        B       ms        ms               GiB          GiB   GiB    GiB    GiB
0           8        1.14   87.282   180.797          2   8.14         8.73  2.71  19.58  59.62  ######..................
1          24        2.88  108.714   215.224          1  21.03        15.82  3.08  39.93  39.27  ############............

Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  old           8      2    16   2   1   1   8    1  none         87.28    180.80     43.05  28.96    19.6      100  ######..................
    1  new          24      2    16   2   1   1   8    1  none        108.71    215.22      0.00  26.89    39.9       96  ############............

Communication of a step
stage  to the next one over  each way  both ways  gradients of a GPU  their collectives
                                              ms                                     ms
    0  old - new             4.00 GiB    344.397            4.23 GiB             96.178
    1  -                            -          -           10.73 GiB             83.202

a step costs 0.1185 USD: GPU-hours used, bytes over links
exit 2
GPU-hours                      50.351 K
cost in USD                    289.975 K         spare nodes included
exit 2
exit 2
== the best plans
Best plans
rank    step  tokens/s/GPU    MFU  memory  GPUs used  USD per step  plan
           s                    %     GiB
   1  2.7192        6025.2  47.66    60.5         32        0.2879  gbs64 round8; old: 4,5 layers tp2 dp8 mbs1; new: 11,12 layers tp1 cp2 dp8 mbs1
   2  2.7254        6011.7  47.55    60.5         32        0.2880  gbs64 round8; old: 4,5 layers tp2 cp2 dp4 mbs2; new: 11,12 layers tp1 cp2 dp8 mbs1
   3  2.7266        6009.0  47.53    33.4         32        0.2880  gbs64 round4; old: 4,5 layers tp4 dp4 mbs1; new: 11,12 layers tp2 cp2 dp4 mbs1
   4  2.7307        6000.0  47.46    60.5         32        0.2880  gbs64 round8; old: 4,5 layers tp1 cp2 dp8 mbs1; new: 11,12 layers tp1 cp2 dp8 mbs1

True True
exit 2
exit 2
== program
llama3.1-8b on h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us, 32 GPUs: 2 programs
  plan: tp2 pp2 gbs64 stages=8:8@1/dp8,24/dp8 messages-sharded sp tp-overlap zero1 grad-overlap

Classes of ranks
stage  first rank  ranks  instructions  messages  collectives  kernels  tensor  context  experts   data  stages     parameters  state   held
                                                                 PFLOP     GiB        B        B    GiB     MiB                   GiB    GiB
    0           0     16          8689         8          682     0.40   20.50     0.00     0.00   5.55  256.00  1,135,149,056   7.93   8.51
    1          16     16        25,757         8         2043     1.32   60.75     0.00     0.00  14.08  256.00  2,880,114,688  20.12  14.78
llama3.1-8b on h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us, 32 GPUs: 2 programs
  plan: tp2 pp2 gbs64 stages=16:8@1/dp8,24/dp4/tp4 messages-sharded sp tp-overlap zero1
  grad-overlap weight-overlap
  stage 0: old, 8 layers, tp2 cp1 dp8 mbs2
  stage 1: new, 24 layers, tp4 cp1 dp4 mbs4

Classes of ranks
stage  first rank  ranks  instructions  messages  collectives  kernels  tensor  context  experts  data  stages     parameters  state   held
                                                                 PFLOP     GiB        B        B   GiB     MiB                   GiB    GiB
    0           0     16          4425         8          354     0.40   20.50     0.00     0.00  5.55  256.00  1,135,149,056   7.93  17.02
    1          16     16        13,065         8         1059     1.32  182.25     0.00     0.00  6.04  256.00  1,440,157,696  12.07  29.56
exit 0
llama3.1-8b on h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us, 32 GPUs: 2 programs
  plan: tp2 pp2 gbs64 stages=8:8@1/dp8,24/dp8/recompute=selective:mlp messages-sharded sp
  tp-overlap zero1 grad-overlap weight-overlap
  stage 0: old, 8 layers, tp2 cp1 dp8 mbs1
  stage 1: new, 24 layers, tp2 cp1 dp8 mbs1

Classes of ranks
stage  first rank  ranks  instructions  messages  collectives  kernels  tensor  context  experts   data  stages     parameters  state  held
                                                                 PFLOP     GiB        B        B    GiB     MiB                   GiB   GiB
    0           0     16          8689         8          682     0.40   20.50     0.00     0.00   5.55  256.00  1,135,149,056   7.93  8.51
    1          16     16        29,405         8         2427     1.59   72.75     0.00     0.00  14.08  256.00  2,880,114,688  20.12  6.91
exit 0
  plan: tp2 pp2 gbs64 stages=8:8@1/dp8,24/dp8 messages-sharded sp tp-overlap zero1 grad-overlap
  weight-overlap recompute=selective:mlp gradient-bytes=2
== many machines
exit 2
most tokens per second: x16, link=100Gb/s; fits: P(fits) 80 %, 2.719 s per step, MFU 47.7 %, memory 60.5 of 79.2 GiB on stage 1 of 0-1
  plan: tp2 pp2 vpp2 gbs64 stages=8:4@1/dp8,11/dp8/tp1/cp2/no-sp/no-tp-overlap,5,12
  messages-sharded sp tp-overlap zero1 grad-overlap weight-overlap
llama3.1-8b on 4 systems, detailed model: 4 of 4 problems have a plan

Best plan of each problem
system             GPUs  plans  fits    step  tokens/s/GPU    MFU  memory  fits in  GPUs used  USD per step  best plan
                                           s                    %     GiB        %
x8, link=25Gb/s      24     18    18  3.3152        9884.2  51.42    68.8       76         16       0.03684  gbs64 stages=16:32/dp16 messages-sharded zero2 grad-overlap weight-overlap
x8, link=100Gb/s     24     27    27  3.2247        6774.5  45.66    63.7       79         24       0.04658  tp2 pp2 gbs64 stages=8:4@1/dp4,28/dp8/tp1/cp2/no-sp/no-tp-overlap messages-sharded sp tp-overlap zero1 grad-overlap weight-overlap
x16, link=25Gb/s     32     18    18  3.1038        5278.8  41.76    24.2      100         32       0.05518  tp4 pp2 vpp2 cp2 gbs64 stages=2:13/dp2,3@1/dp2,13,3 messages-sharded sp tp-overlap zero1 grad-overlap weight-overlap
x16, link=100Gb/s    32     23    23  2.7192        6025.2  47.66    60.5       80         32       0.04834  tp2 pp2 vpp2 gbs64 stages=8:4@1/dp8,11/dp8/tp1/cp2/no-sp/no-tp-overlap,5,12 messages-sharded sp tp-overlap zero1 grad-overlap weight-overlap
system,gpus,plans,fits,step_s
x8,16,4,4,187.5536582888906
x16,24,5,5,72.29302207975275
exit 2
exit 2
exit 2
logs of 32 ranks: nothing found
llama3.1-8b on h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us, 24 GPUs: 2 programs
  plan: tp2 pp2 gbs64 stages=8:20/dp8,12@1/dp8/tp1/no-sp/recompute=none messages-sharded sp
  tp-overlap zero1 grad-overlap weight-overlap recompute=full
  stage 0: new, 20 layers, tp2 cp1 dp8 mbs1
  stage 1: old, 12 layers, tp1 cp1 dp8 mbs1

Classes of ranks
stage  first rank  ranks  instructions  messages  collectives  kernels  tensor  context  experts   data  stages     parameters  state   held
                                                                 PFLOP     GiB        B        B    GiB     MiB                   GiB    GiB
    0           0     16        31,085         8         2318     1.34   70.50     0.00     0.00  11.95  256.00  2,443,870,208  17.07   1.25
    1          16      8          6553        16           26     1.42    0.00     0.00     0.00  15.37  512.00  3,142,684,672  21.95  16.80
exit 0
logs of 24 ranks: nothing found
exit 2
llama3.1-8b on h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us, 16 GPUs: 2 programs
  plan: tp2 gbs64 stages=16:32/dp4~@1/dp4 messages-sharded sp tp-overlap zero1 grad-overlap
  weight-overlap
                                                                 PFLOP     GiB        B        B    GiB       B                   GiB    GiB
    0           0      8        17,360         0         1413     2.58  121.88     0.00     0.00  19.63    0.00  4,015,263,744  28.05  57.11
    0           8      8        17,360         0         1413     0.86   40.63     0.00     0.00  19.63    0.00  4,015,263,744  28.05  19.04
logs of 16 ranks: nothing found
exit 1
  stage 0: new, 6 layers, tp2 cp1 dp8 mbs1
  stage 1: old, 6 layers, tp1 cp1 dp8 mbs1

Classes of ranks
stage  first rank  ranks  instructions  messages  collectives  kernels  tensor  context  experts    data  stages  parameters   state    held
                                                                 TFLOP     MiB        B        B     MiB     MiB                 MiB     MiB
    0           0      8        10,065         9          708     1.57  516.00     0.00     0.00  207.10   15.20  41,362,944  295.85    9.77
    0           2      1        10,067        10          708     1.57  516.00     0.00     0.00  207.10   15.20  41,362,944  295.85    9.77
    0           3      1        10,067        10          708     1.57  516.00     0.00     0.00  207.10   15.20  41,362,944  295.85    9.77
    0           6      1        10,067        10          708     1.57  516.00     0.00     0.00  207.10   15.20  41,362,944  295.85    9.77
    0           7      1        10,067        10          708     1.57  516.00     0.00     0.00  207.10   15.20  41,362,944  295.85    9.77
    0          10      1        10,067        10          708     1.57  516.00     0.00     0.00  207.10   15.20  41,362,944  295.85    9.77
    0          11      1        10,067        10          708     1.57  516.00     0.00     0.00  207.10   15.20  41,362,944  295.85    9.77
    0          14      1        10,067        10          708     1.57  516.00     0.00     0.00  207.10   15.20  41,362,944  295.85    9.77
    0          15      1        10,065         9          708     1.57  516.00     0.00     0.00  207.10   15.20  41,362,944  295.85    9.77
    1          16      1          3668        18           14     4.26    0.00     0.00     0.00  406.18   30.40  81,126,144  580.26  352.60
    1          17      1          3670        19           14     4.26    0.00     0.00     0.00  406.18   30.40  81,126,144  580.26  352.60
    1          18      1          3670        19           14     4.26    0.00     0.00     0.00  406.18   30.40  81,126,144  580.26  352.60
    1          19      1          3670        19           14     4.26    0.00     0.00     0.00  406.18   30.40  81,126,144  580.26  352.60
    1          20      1          3670        19           14     4.26    0.00     0.00     0.00  406.18   30.40  81,126,144  580.26  352.60
    1          21      1          3670        19           14     4.26    0.00     0.00     0.00  406.18   30.40  81,126,144  580.26  352.60
    1          22      1          3670        19           14     4.26    0.00     0.00     0.00  406.18   30.40  81,126,144  580.26  352.60
    1          23      1          3670        19           14     4.26    0.00     0.00     0.00  406.18   30.40  81,126,144  580.26  352.60
logs of 24 ranks: nothing found
      1 alloc r:tied.head.0 stream=gpu layer=head bytes=19298688
      1 free r:tied.head.0 stream=gpu
      1 recv 0 fp32 2412384 pass=step
      1 recv 2 fp32 2412288 pass=step
      1 run add_tied stream=gpu reads=r:tied.head.0,g.head op=41
      1 send 0 fp32 2412384 pass=step
      1 send 2 fp32 2412288 pass=step
logs of 24 ranks: nothing found
logs of 24 ranks: 120 errors
exit 3
speed.json:2:3: warning 5.stage: stage 0 101.8 GiB: does not fit, P(fits) 5 %: 79 GiB are there: reckon fits lists what makes room
speed.json: error 13.model: checkpoint layers 30: the model has 32
llama3.1-8b over 2 clusters: 1 error, 1 warning
exit 1
logs/rank-2.log:10034: error 7.deadlock: send to 16 fp32 2412288 tag=33: rank 2 gpu waits in line 10034 for send to 16 fp32 2412288 tag=33: it never comes on rank 16
logs of 24 ranks: 2 errors
exit 1
=== stderr
reckon: --window, --stages and --full choose what goes into a trace: give it a file with --trace
reckon: a.json:1:37: stages: 32 layers in all, the model has 80
reckon: the plan cannot be launched: 12.needs tensor_overlap: on cluster new: needs sequence parallelism: give sp
reckon: over several clusters a plan is a file, as reckon search --save-plan writes it, or words that say its stages, stages=16:20/dp4,12@1/dp8
reckon: --gpus does not go with several clusters
reckon: --elastic does not go with several clusters
reckon: price: 9 is not the price=2.5 that h100-sxm5-80g x16 has in its line: leave one of them out
reckon: price: reserved is not the price=2.5 that h100-sxm5-80g x16 has in its line: leave one of them out
reckon: price: 9 is not the price=2.5 that h100-sxm5-80g x16 has in its line: leave one of them out
reckon: --spares is of a whole run: say on how many tokens, --tokens 15T or usual
reckon: "--top" is not known: reckon predict --help-all lists all flags
reckon: --save-plan and --save-script take the best plan of one problem: give one model, system, size and batch
reckon: --price is of a whole run: say on how many tokens, --tokens 15T or usual
reckon: --system:1:16: { without }: x{64,128}
reckon: "h100-sxm5-80g x12 + a100-sxm4-80g x8 link=1Gb/s":1:1: x12 is not a whole number of nodes of 8: x16 is the nearest that is
reckon: --all, --pareto, --why and --sensitivity are about one problem: give one model, system, size and batch
reckon: there is no rank 24: the plan's are 0 to 23
reckon: the plan cannot be lowered: stage 0: its replicas have different tensor or context degrees, whose shards no group of ranks can reduce; give all the same
reckon: a.json:1:37: stages: 32 layers in all, the model has 12
