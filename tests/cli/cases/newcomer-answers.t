# Answers that contradicted each other or gave no reason, each by what must hold.
show() { python3 -c "import json, sys; a = json.load(sys.stdin); print($1)"; } # of an answer in JSON
# a change is judged by the whole question: half the batch is half the step, and the run as long
days="-m llama3.1-8b -s h100-sxm5-80g -g 64 --tokens 15T"
reckon search $days -b 256 --where 'days <= 150' -q --format json >why.json
show "*[(c['change'], c['helps']) for c in a['changes'] if 'batch' in c['change']]" <why.json
# the nearest miss is the best plan of the question without the condition
reckon search $days -b 256 -q --format json >best.json
python3 -c "
import json
miss, best = json.load(open('why.json'))['nearest_misses'][0], json.load(open('best.json'))['best'][0]
print(miss['condition'], miss['step_s'] == best['step_s'], float(miss['nearest']) > 150)"
# what a plan needs is the same wherever it is said
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 32 --sequence 1048576 -q --format json >nothing.json
plan=$(show "a['misses'][0]['plan']" <nothing.json)
need=$(show "a['misses'][0]['need']" <nothing.json)
reckon fits llama3.1-8b h100-sxm5-80g -g 8 $plan --format json | show "a['need_bytes'] == $need"
# two changes are looked for in the memory that is assumed, and in what needs code of one's own
reckon fits llama3.1-8b h100-sxm5-80g -g 8 $plan --format json |
    show "*[(c['change'], c['outcome']) for c in a['together']]"
# a change that does not fit although memory is left says which other memory is too small
reckon fits llama3.1-8b 'rtx4090 x2' framework=fsdp dp2 gbs2 zero3 recompute=full loss-in-chunks \
    offload-optimizer=1 offload-weights=1 --format json |
    show "*[c['what'] for c in a['changes'] if c['outcome'] == 'does not fit' and c['left_bytes'] > 0]"
# two consumers' GPUs have one host: what is assumed of it is what the same host would be if stated
offloads='framework=fsdp dp2 gbs2 zero3 recompute=full loss-in-chunks offload-optimizer=1 offload-weights=1'
stated='rtx4090 mem2=128GiB@25GB/s,update=50GB/s,capacity_shared_by=2'
for system in rtx4090 "$stated"; do
    reckon fits llama3.1-8b "$system" -g 2 $offloads --format json | show "a['step_s']"
done | uniq | wc -l
# a model that is not predicted is the reason, and nothing of the machine
reckon search -m deepseek-v3.2 -s h100-sxm5-80g -g 256 -b 256 -q --format json >blind.json
show "a.get('changes'), a.get('misses')" <blind.json
reckon search -m deepseek-v3.2 -s h100-sxm5-80g -g 256 -b 256 -q | head -1
# words without effect, in check and in predict
idle='sp tp-overlap cp-kind=ulysses ulysses=4 dispatcher=deepep messages-sharded capacity=1.2 imbalance=1.5 recompute-layers=4'
reckon check -m llama3.1-8b -s b200 -g 1 gbs8 $idle | grep 12.effect
reckon predict -m llama3.1-8b -s b200 -g 1 gbs8 $idle 2>&1 >/dev/null | grep -c 'has no effect'
reckon check -m mixtral-8x7b -s h100-sxm5-80g -g 8 tp2 ep4 gbs8 sp tp-overlap dispatcher=deepep imbalance=1.5 | grep -c 12.effect
exit 0
=== stdout
('smaller_batch', False) ('larger_batch', False)
days <= 150 True True
True
('gradient-bytes=2 loss-in-chunks', 'unsure')
shard gradients too; does not fit: memory tier 1 (mem2) has 14.29 GiB too little offload activations to memory tier 1; does not fit: memory tier 1 (mem2) has 2.496 GiB too little offload half the activations to memory tier 1; does not fit: memory tier 1 (mem2) has 935.1 MiB too little
1
None None
no plan can run: deepseek-v3.2 has attention to chosen tokens, counted but not predicted
note 12.effect: messages-sharded: has no effect: no tensor ranks send to another stage
note 12.effect: sp: has no effect: tensor parallelism is 1
note 12.effect: tp-overlap: has no effect: tensor parallelism is 1
note 12.effect: cp-kind: has no effect: context parallelism is 1
note 12.effect: capacity: has no effect: the model has no experts
note 12.effect: recompute-layers: has no effect: whole layers are not recomputed
note 12.effect: ulysses: has no effect: context parallelism is 1
note 12.effect: dispatcher: has no effect: no experts are on other ranks
note 12.effect: imbalance: has no effect: the model has no experts
9
0
