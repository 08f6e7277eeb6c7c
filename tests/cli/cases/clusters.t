# stages over two clusters; where the second is not worth it; what is wrong is pointed at
two="h100-sxm5-80g x32 name=new price=2.5 + a100-sxm4-80g x32 name=old price=1.5 link=100Gb/s@50us"
reckon search -q -m llama3.1-8b -b 512 -s "$two" -k 3
stages() { python3 -c "
import json, sys
for s in json.load(sys.stdin)['placement']: print(*[s[k] for k in ('cluster', 'layers', 'gpus', 'tensor', 'context', 'expert', 'data')])"; }
reckon search -q -m llama3.1-8b -b 64 -s "$two" --format json | stages
link() { reckon search -q -m llama3.1-8b -b 128 tp2 -s "h100-sxm5-80g x16 + a100-sxm4-80g x16 link=$1@50us" -k 1 $2; }
link 100Gb/s --sensitivity | grep -e 'link: bandwidth' -e 'no better than one'
link '{25,50,200,400,102400}Gb/s' "-f csv" | cut -d, -f 2,8
reckon search -q -m llama3.1-70b -b 64 -s "a100-sxm4-80g x8 + v100-sxm2-32g x8 link=100Gb/s"
echo "exit $?"
for system in \
  "h100-sxm5-80g x8 + a100-sxm4-80g x8 link=0Gb/s" \
  "h100-sxm5-80g x8 + a100-sxm4-80g x12 link=1Gb/s" \
  "h100-sxm5-80g x8 name=a + a100-sxm4-80g x8 name=a link=1Gb/s" \
  "h100-sxm5-80g x8 + h10-sxm5-80g x8 link=1Gb/s" \
  "h100-sxm5-80g x8 + a100-sxm4-80g x8" \
  "h100-sxm5-80g x8 + a100-sxm4-80g x8 link=1Gb/s,cup=3"
do reckon search -q -m llama3.1-8b -b 8 -s "$system"; echo "exit $?"; done
reckon search -q -m llama3.1-8b -b 8 -s "$two" pp2; echo "exit $?"
reckon search -q -m llama3.1-8b -s "$two"; echo "exit $?"
reckon search -q -m llama3.1-8b -b 8 -s "$two" tp6; echo "exit $?"
reckon search -q -m deepseek-v3 -b 8 -s "$two"; echo "exit $?"
# layers of several kinds: attention, state spaces and MLPs in turn
reckon search -q -m nemotron-h-8b -b 64 -s "$two" tp2 --format json | stages
reckon predict -m llama3.1-8b -s "$two" dp8; echo "exit $?"
reckon predict -m llama3.1-8b -s "$two" gbs64 dp8 cp2 | sed -n 2,3p
# where the ranks run
small="h100-sxm5-80g x8 name=new + a100-sxm4-80g x8 name=old link=100Gb/s@50us"
for format in mpi hostfile mpich slurm torchrun nccl
do reckon export ranks -m llama3.1-8b gbs64 -s "$small" --ranks-format $format | cut -c 1-110 | head -12; done
# which adapters; groups of experts, of tied embeddings
named="h100-sxm5-80g x8 name=new adapters=mlx5_0,mlx5_1 interface=eth0 + h100-sxm5-80g x8 name=old interface=ens3 link=400Gb/s@5us"
cat >tied.json <<'END'
{"batch": 64, "round": 8, "stages": [{"layers": 18, "cluster": "new", "words": "tp2 cp2 dp2"}, {"layers": 18, "cluster": "old", "words": "tp2 cp2 dp2"}]}
END
for format in torchrun nccl; do reckon export ranks -m gpt2-774m -s "$named" --plan tied.json --ranks-format $format; done
cat >experts.json <<'END'
{"batch": 64, "round": 8, "stages": [{"layers": 16, "cluster": "new", "words": "tp2 dp4 ep4 etp1 recompute=full"}, {"layers": 16, "cluster": "old", "words": "dp8 ep4 recompute=full"}]}
END
reckon export ranks -m mixtral-8x7b -s "$named" --plan experts.json --ranks-format nccl | grep expert
reckon search -q -m gpt2-774m -b 64 -s "h100-sxm5-80g x8 adapters=mlx5_0,, + h100-sxm5-80g x8 link=1Gb/s"; echo "exit $?"
reckon search -q -m gpt2-774m -b 64 -s "h100-sxm5-80g x8 interface=a,b + h100-sxm5-80g x8 link=1Gb/s"; echo "exit $?"
reckon search -q -m llama3.1-8b -b 64 -s "h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100Gb/s@-1us"; echo "exit $?"
# what Megatron-LM launches, and what that costs, in the first lines and as JSON; as the answer, and as files
uneven="h100-sxm5-80g x8 name=new + v100-sxm2-32g x16 name=old link=100Gb/s@50us"
asked() { command=$1; shift; reckon $command -m llama3.1-8b -s "$uneven" "$@"; }
asked search -q -b 128 precision=fp16 | sed -n '1,/^$/p;/^   1/p'
asked search -q -b 128 precision=fp16 --format json | sed -n '/"launchable"/,/}/p'
asked search -q -b 128 precision=fp16 --launchable --save-plan launched.json --save-script run.sh | grep -e '^  Megatron' -e '^   1' -e 'export megatron'
grep -o 'pipeline-model-parallel-[sl].*' run.sh; asked check launched.json
reckon export megatron -m llama3.1-8b -s "$uneven" gbs128 precision=fp16 | grep -o 'pipeline-model-parallel-[sl].*'
asked search -q -b 128 precision=fp16 --save-script none.sh >/dev/null; echo "exit $?"
# a plan that is predicted is saved as the search saves it; nothing is written of one that no job runs
asked predict --plan launched.json --save-script predicted.sh >/dev/null; cmp run.sh predicted.sh; echo "exit $?"
asked predict pp2 gbs128 precision=fp16 "stages=8:24/dp8,8@1/tp2/dp8" --save-plan none.json --save-script none.sh >/dev/null; echo "exit $?"
ls none.json none.sh 2>&1 | grep -c "No such file"
asked search -q -b 128 precision=fp16 --framework fsdp | grep -e '^  Megatron' -A 1 -e '^  reckon export'
asked search -q -b 128 --plan launched.json --launchable; echo "exit $?"
asked search -q -b 128 --plan tied.json; echo "exit $?"
asked search -q -b 128 precision=fp16 cp1 schedule=zero-bubble | grep -A 1 Megatron
=== stdout
Best plan fits: P(fits) 82 %, 9.893 s per step, MFU 52.4 %, memory 58.6 of 79.2 GiB on stage 1 of 0-1, 93.93 USD per 1B tokens
llama3.1-8b on h100-sxm5-80g x32 name=new price=2.5 + a100-sxm4-80g x32 name=old price=1.5 link=100Gb/s@50us, 64 GPUs, batch 512 of 8K tokens, megatron, bf16, detailed model
  cost: 2.49 USD per GPU-hour on new (cheapest listed: neocloud, 2026-01-15),
  1.99 USD per GPU-hour on old (cheapest listed: neocloud, 2026-01-15),
  of all GPUs of all clusters, without failures
  36 plans simulated, the best of 40 exactly solved problems and what lies near them
  headroom new 8.1 of 79.2 GiB, old 8.1 of 79.2 GiB

Best plans
rank     step  tokens/s/GPU    MFU  memory  GPUs used  USD per step  plan
            s                    %     GiB
   1   9.8932        6624.4  52.40    58.6         64        0.3518  gbs512 round16; old: 4,5 layers tp1 cp2 dp16 mbs1; new: 11,12 layers tp1 cp2 dp16 mbs1
   2   9.9423        6591.6  52.14    58.6         64        0.3535  gbs512 round16; old: 4,5 layers tp2 dp16 mbs1; new: 11,12 layers tp1 cp2 dp16 mbs1
   3  10.0816        6500.6  51.42    58.6         64        0.3585  gbs512 round16; old: 4,5 layers tp4 dp8 mbs2; new: 11,12 layers tp1 cp2 dp16 mbs1

Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits in
                                                                          ms        ms        ms     ms     GiB        %
    0  old           9      4    32   1   2   1  16    1  none         93.68    200.06     86.10  48.25    29.7      100  #########...............
    1  new          23      4    32   1   2   1  16    1  none         98.23    200.24     43.05  41.33    58.6       82  ##################......

Communication of a step
stage  to the next one over   each way  both ways  gradients of a GPU  their collectives
                                                s                                     ms
    0  old - new             64.00 GiB      2.755            9.27 GiB            147.127
    1  new - old             32.00 GiB      1.378           20.65 GiB             90.393

interleaved: each stage has 2 runs of layers
a step costs 0.3518 USD: GPU-hours used, bytes over links

Proved about the fastest plan
objective bound  10.2768 s         no plan without interleaving has a smaller objective; steps may take less: proved
floor            8.8426 s          no step is shorter, interleaved or not, stages each in one cluster: proved
problems         40                orders of clusters and rounds, each solved exactly
labels           4820              partial plans kept
simulated        35                plans simulated

the best plan without interleaving takes 10.2768 s per step; interleaved are the plans that were simulated, so none is proved to be the best of those: a better one could save 10.6 %, no more

Each cluster by itself
machine                 GPUs     step  over the best
                                    s              %
new: h100-sxm5-80g x32    32  13.1181           32.6
old: a100-sxm4-80g x32    32  35.4584          258.4

Best plan: no interval, because no class of measured runs is over several clusters
To launch the best plan, where its ranks run, and its time:
  reckon export megatron -m llama3.1-8b dp16 pp2 vpp2 cp2 gbs512 split=4,11,5,12 zero1 grad-overlap weight-overlap
  reckon export ranks -m llama3.1-8b -s 'h100-sxm5-80g x32 name=new price=2.5 + a100-sxm4-80g x32 name=old price=1.5 link=100Gb/s@50us' pp2 vpp2 cp2 gbs512 stages=16:4@1/dp16,11/dp16,5,12 messages-sharded zero1 grad-overlap weight-overlap
  reckon predict -m llama3.1-8b -s 'h100-sxm5-80g x32 name=new price=2.5 + a100-sxm4-80g x32 name=old price=1.5 link=100Gb/s@50us' pp2 vpp2 cp2 gbs512 stages=16:4@1/dp16,11/dp16,5,12 messages-sharded zero1 grad-overlap weight-overlap
new 26 32 2 2 1 8
old 6 32 2 2 1 8
0 - 1    link: bandwidth                       12.50 GB/s     -0.012       5.283 s (-0.11 %)         5.296 s (+0.14 %)
0 - 1: below 1.686 GB/s per node, several clusters are no better than one
system,step_s
link=25Gb/s,6.1150364862974405
link=50Gb/s,5.567470203362681
link=200Gb/s,5.241291344595304
link=400Gb/s,5.184703668380882
link=102400Gb/s,5.125677426206189
llama3.1-70b on a100-sxm4-80g x8 + v100-sxm2-32g x8 link=100Gb/s, 16 GPUs, batch 64 of 8K tokens, megatron, bf16, detailed model
  0 plans simulated, the best of 7 exactly solved problems and what lies near them
  cluster 1, v100-sxm2-32g x8, can be used by no stage: bad_datatype: bf16 (asked for 1, there is 0); leave it out, or change the words
exit 1
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
deepseek-v3 on h100-sxm5-80g x32 name=new price=2.5 + a100-sxm4-80g x32 name=old price=1.5 link=100Gb/s@50us, 64 GPUs, batch 8 of 4K tokens, megatron, bf16, detailed model
  0 plans simulated, the best of 16 exactly solved problems and what lies near them
  no plan fits: each stage holds at least one layer, with everything computed again; add nodes, or words such as zero3, ep8, cp2
exit 1
new 42 32 2 1 1 16
old 10 32 2 1 1 16
exit 2
  llama3.1-8b on h100-sxm5-80g x32 name=new price=2.5 + a100-sxm4-80g x32 name=old price=1.5 link=100Gb/s@50us, 64 GPUs, simulation
  plan: tp2 pp2 vpp2 cp2 gbs64 stages=8:13/dp8,3@1/dp8,13,3 messages-sharded sp tp-overlap zero1
rank 0=old-0 slot=0
rank 1=old-0 slot=1
rank 2=old-0 slot=2
rank 3=old-0 slot=3
rank 4=old-0 slot=4
rank 5=old-0 slot=5
rank 6=old-0 slot=6
rank 7=old-0 slot=7
rank 8=new-0 slot=0
rank 9=new-0 slot=1
rank 10=new-0 slot=2
rank 11=new-0 slot=3
old-0 slots=8
new-0 slots=8
old-0:8
new-0:8
old-0
old-0
old-0
old-0
old-0
old-0
old-0
old-0
new-0
new-0
new-0
new-0
old-0: torchrun --nnodes=2 --node-rank=0 --nproc-per-node=8 --master-addr=old-0 --master-port=29500
new-0: torchrun --nnodes=2 --node-rank=1 --nproc-per-node=8 --master-addr=old-0 --master-port=29500
{
    "groups": [
        {"kind": "tensor", "stage": 0, "cluster": "old", "over": "node", "net_name": "IB", "ranks": [[0, 1], [
        {"kind": "data", "stage": 0, "cluster": "old", "over": "node", "net_name": "IB", "ranks": [[0, 2, 4, 6
        {"kind": "context", "stage": 1, "cluster": "new", "over": "node", "net_name": "IB", "ranks": [[8, 9], 
        {"kind": "data", "stage": 1, "cluster": "new", "over": "node", "net_name": "IB", "ranks": [[8, 10, 12,
        {"kind": "gradients", "stage": 1, "cluster": "new", "over": "node", "net_name": "IB", "ranks": [[8, 9,
    ],
    "messages": [
        {"from": 0, "to": 1, "over": "link", "net_name": "Socket", "bytes_of_a_step_each_way": 8589934592, "re
        {"from": 1, "to": 0, "over": "link", "net_name": "Socket", "bytes_of_a_step_each_way": 4294967296, "re
    ]
new-0: NCCL_IB_HCA==mlx5_0,mlx5_1 NCCL_SOCKET_IFNAME==eth0 torchrun --nnodes=2 --node-rank=0 --nproc-per-node=8 --master-addr=new-0 --master-port=29500
old-0: NCCL_SOCKET_IFNAME==ens3 torchrun --nnodes=2 --node-rank=1 --nproc-per-node=8 --master-addr=new-0 --master-port=29500
{
    "groups": [
        {"kind": "tensor", "stage": 0, "cluster": "new", "over": "node", "net_name": "IB", "ranks": [[0, 1], [2, 3], [4, 5], [6, 7]]},
        {"kind": "context", "stage": 0, "cluster": "new", "over": "node", "net_name": "IB", "ranks": [[0, 2], [1, 3], [4, 6], [5, 7]]},
        {"kind": "data", "stage": 0, "cluster": "new", "over": "node", "net_name": "IB", "ranks": [[0, 4], [1, 5], [2, 6], [3, 7]]},
        {"kind": "gradients", "stage": 0, "cluster": "new", "over": "node", "net_name": "IB", "ranks": [[0, 2, 4, 6], [1, 3, 5, 7]]},
        {"kind": "tensor", "stage": 1, "cluster": "old", "over": "node", "net_name": "IB", "ranks": [[8, 9], [10, 11], [12, 13], [14, 15]]},
        {"kind": "context", "stage": 1, "cluster": "old", "over": "node", "net_name": "IB", "ranks": [[8, 10], [9, 11], [12, 14], [13, 15]]},
        {"kind": "data", "stage": 1, "cluster": "old", "over": "node", "net_name": "IB", "ranks": [[8, 12], [9, 13], [10, 14], [11, 15]]},
        {"kind": "gradients", "stage": 1, "cluster": "old", "over": "node", "net_name": "IB", "ranks": [[8, 10, 12, 14], [9, 11, 13, 15]]},
        {"kind": "embedding", "stages": [0, 1], "over": "link", "net_name": "Socket", "ranks": [[0, 8], [1, 9], [2, 10], [3, 11], [4, 12], [5, 13], [6, 14], [7, 15]]}
    ],
    "environment": [
        {"cluster": "new", "NCCL_IB_HCA": "=mlx5_0,mlx5_1", "NCCL_SOCKET_IFNAME": "=eth0"},
        {"cluster": "old", "NCCL_SOCKET_IFNAME": "=ens3"}
    ],
    "messages": [
        {"from": 0, "to": 1, "over": "link", "net_name": "Socket", "bytes_of_a_step_each_way": 167772160, "replicas_and_samples": [[0, 0, 4], [1, 1, 4]]}
    ]
}
        {"kind": "expert", "stage": 0, "cluster": "new", "over": "node", "net_name": "IB", "ranks": [[0, 1, 2, 3], [4, 5, 6, 7]]},
        {"kind": "expert gradients", "stage": 0, "cluster": "new", "over": "node", "net_name": "IB", "ranks": [[0, 4], [1, 5], [2, 6], [3, 7]]},
        {"kind": "expert", "stage": 1, "cluster": "old", "over": "node", "net_name": "IB", "ranks": [[8, 9, 10, 11], [12, 13, 14, 15]]},
        {"kind": "expert gradients", "stage": 1, "cluster": "old", "over": "node", "net_name": "IB", "ranks": [[8, 12], [9, 13], [10, 14], [11, 15]]}
exit 2
exit 2
exit 2
Best plan fits: P(fits) 82 %, 10.64 s per step, MFU 51.2 %, memory 58.0 of 79.2 GiB on stage 1 of 0-1
llama3.1-8b on h100-sxm5-80g x8 name=new + v100-sxm2-32g x16 name=old link=100Gb/s@50us, 24 GPUs, batch 128 of 8K tokens, megatron, fp16, detailed model
  19 plans simulated, the best of 32 exactly solved problems and what lies near them
  headroom new 8.1 of 79.2 GiB, old 3.2 of 31.7 GiB
  Megatron-LM does not launch it: its stages differ in more than their layers
  the best that it launches takes 11.3005 s per step, 6.2 % more: precision=fp16 dp4 pp3 cp2 gbs128 split=3*2,26 zero1 grad-overlap weight-overlap on old, new (--launchable makes it the answer)

   1  10.6403        4106.1  51.16    58.0         24  gbs128 round4; old: 3,4 layers tp4 dp4 mbs1; new: 12,13 layers tp1 cp2 dp4 mbs1
  "launchable": {
    "step_s": 11.30046616312518,
    "slower": 0.06203941452583095,
    "clusters": "old, new",
    "plan": "gbs128 round4; old: 3 layers tp1 cp2 dp4 mbs1; old: 3 layers tp1 cp2 dp4 mbs1; new: 26 layers tp1 cp2 dp4 mbs1",
    "words": "precision=fp16 dp4 pp3 cp2 gbs128 split=3*2,26 zero1 grad-overlap weight-overlap"
  },
   1  11.3005        3866.3  48.17    52.6         24  gbs128 round4; old: 3 layers tp1 cp2 dp4 mbs1; old: 3 layers tp1 cp2 dp4 mbs1; new: 26 layers tp1 cp2 dp4 mbs1
  reckon export megatron -m llama3.1-8b precision=fp16 dp4 pp3 cp2 gbs128 split=3*2,26 zero1 grad-overlap weight-overlap
pipeline-model-parallel-size 3
pipeline-model-parallel-layout "E(t*3|)*2t*26L"
llama3.1-8b over 2 clusters: nothing found
pipeline-model-parallel-size 3
pipeline-model-parallel-layout "E(t*3|)*2t*26L"
exit 2
exit 0
exit 2
2
  Megatron-LM does not launch it: it is of another framework
  leave the framework out, and the best that it launches is named here
--
  reckon export ranks -m llama3.1-8b -s 'h100-sxm5-80g x8 name=new + v100-sxm2-32g x16 name=old link=100Gb/s@50us' framework=fsdp precision=fp16 tp2 pp2 cp2 gbs128 stages=4:7@1/dp4,25/dp4/tp1/no-sp messages-sharded sp zero1 grad-overlap weight-overlap
  reckon predict -m llama3.1-8b -s 'h100-sxm5-80g x8 name=new + v100-sxm2-32g x16 name=old link=100Gb/s@50us' framework=fsdp precision=fp16 tp2 pp2 cp2 gbs128 stages=4:7@1/dp4,25/dp4/tp1/no-sp messages-sharded sp zero1 grad-overlap weight-overlap
exit 2
exit 3
  Megatron-LM does not launch it: its stages differ in more than their layers
  leave the schedule out, and the best that it launches is named here
=== stderr
reckon: "h100-sxm5-80g x8 + a100-sxm4-80g x8 link=0Gb/s":1:42: a link needs a bandwidth above 0; clusters that nothing joins are searched one by one
reckon: "h100-sxm5-80g x8 + a100-sxm4-80g x12 link=1Gb/s":1:20: x12 is not a whole number of nodes of 8: x16 is the nearest that is
reckon: "h100-sxm5-80g x8 name=a + a100-sxm4-80g x8 name=a li...":1:27: two clusters are named "a": rename one
reckon: "h100-sxm5-80g x8 + h10-sxm5-80g x8 link=1Gb/s":1:20: unknown system "h10-sxm5-80g": did you mean "h100-sxm5-80g"? ("reckon systems" lists them; a file's name ends in .json)
reckon: "h100-sxm5-80g x8 + a100-sxm4-80g x8":1:36: no link between 0 and 1: add link=100Gb/s@50us, or link:0-1=...
reckon: "h100-sxm5-80g x8 + a100-sxm4-80g x8 link=1Gb/s,cup=3":1:48: expected cap=RATE or price=USD (of a GB): link=100Gb/s@50us,cap=400Gb/s,price=0.02
reckon: pipeline: over several clusters the stages are chosen: leave it out
reckon: --batch is missing: give the samples of a step, over all GPUs
reckon: tp6 divides the node of no cluster: tp4 is the nearest below that does
reckon: --batch is missing: add --batch 256, or the word gbs256
reckon: "h100-sxm5-80g x8 adapters=mlx5_0,, + h100-sxm5-80g x...":1:27: adapters are names such as mlx5_0,mlx5_1
reckon: "h100-sxm5-80g x8 interface=a,b + h100-sxm5-80g x8 li...":1:28: an interface is a name such as eth0
reckon: "h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100Gb/s@-1u...":1:50: a latency is 0 or more
reckon: over 2 clusters: 11.3 s per step, the best plan whose stages are alike; reckon export ranks writes its hosts in their order
reckon: --save-script: Megatron-LM does not run it as one job: its stages differ in more than their layers; reckon search --launchable finds the best that it does
reckon: --save-script: Megatron-LM does not run it as one job: its stages differ in more than their layers; reckon search --launchable finds the best that it does
reckon: "stages" is not a word of a search: give --split, or the whole plan to reckon predict
reckon: tied.json:1:15: unknown key "round": this looks like a plan over clusters, which reckon predict --plan takes, a plan is wanted here
