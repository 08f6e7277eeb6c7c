q="reckon search -m llama3.1-70b -s h100 -g 64 -b 256 -q -k 2"
$q | sed -n '/^Best plan[^:]*$/,/^ *2/p;/unsure/p;/--headroom/p'
for room in 8GiB 10% learned; do
    $q --headroom $room | sed -n '3,4p;/unsure/p'
done
$q --headroom 30GiB --where 'tensor < 3' | sed -n 3,4p
reckon search -m llama3.1-70b -s h100,h200 -g 64 -b 256 -q --headroom 20% | grep '^h'
for room in 90GiB x -3GiB 120% ''; do
    $q --headroom "$room"; echo $?
done
# ties: one row for plans of the same time and memory; a frontier cut at -k
reckon search -m deepseek-v3 -s h800 -g 2048 -b 15360 -q -k 6 --zero 1 --microbatch 1 --schedule 1f1b | sed -n '/^Best plan[^:]*$/,/left out/p;/unsure/p;/--headroom/p'
$q --pareto time,hbm | sed -n '/^The first/,/^ *2/p'
# The default leaves what was learned and says what that costs; `none` does not, nor does a condition on memory; where no
# plan leaves so much, the memory is filled.
q="reckon search -m mixtral-8x7b -s h100 -g 64 -b 256 -q -k1"
best() { "$@" | sed -n '2,5{/headroom/p};/^ *1 /p;/unsure/p'; }
best $q
best $q --headroom none
best $q --headroom 0
best $q --where 'hbm <= 79GiB'
best reckon search -m deepseek-v3 -s h800 -g 2048 -b 15360 -q -k1 --recompute none --tensor 2 --pipeline 32 --expert 8 --zero 1 --context 1 --schedule 1f1b --expert-tensor 1 --data 32 --split even --microbatch 1 --chunks 1
show() { python3 -c "import json, sys; a = json.load(sys.stdin); print($1)"; } # of an answer in JSON
$q --format json | show 'a["headroom"]'
reckon search -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 64 --framework calculon -q -k1 --format json | show 'a.get("headroom"), a["best"][0]["step_s"]'
# ... every row of a table, a chosen plan, and the best that a plan is compared with, which may be as full as that one
$q -s h200 --format json | show '*([p["hbm_bytes"], p["fits_share"]] for p in a["problems"]), sep="\n"'
for room in learned none 30GiB; do
    reckon fits mixtral-8x7b h100 -g 64 gbs256 --headroom $room | grep -E '^mixtral|fastest'
    reckon diff 'gpus64 dp64 zero3 gbs256 recompute=full' --best -m mixtral-8x7b -s h100 --headroom $room | grep '^B  '
done
reckon diff 'gpus64 dp64 zero3 gbs256 recompute=selective:moe_act grad-overlap weight-overlap' --best -m mixtral-8x7b -s h100 | grep '^[AB]  '
# Of a plan that is given: does it fit and leave so much, and how many such runs fit?
for room in none 10GiB 40GiB 10% learned; do
    reckon fits llama3.1-70b h100-sxm5-80g --gpus 64 tp8 pp4 sp zero1 --headroom $room >fits; code=$?
    echo "exit $code: $(sed -n 1p fits)"; grep headroom fits
done
reckon fits mixtral-8x7b h100 -g 64 dp64 --headroom none --format json | sed -n '/"headroom"/,/}/p'
reckon diff 'gpus64 dp64 gbs256' +zero3 -m mixtral-8x7b -s h100 --headroom none
# The default is --headroom learned, plan by plan, whether the answer is among the best of all or has to be searched.
q="reckon search -m mixtral-8x7b -s h100 -g 64 -b 256 -q --format csv"
for top in 10 1000; do
    $q -k $top >default.csv
    $q -k $top --headroom learned | cmp - default.csv && wc -l <default.csv
done
=== stdout
Best plans
rank     step  tokens/s/GPU    MFU  memory  fits in  chunks
            s                    %     GiB        %
   1  28.9766        1130.8  51.34    65.1       78       8
   2  28.9867        1130.5  51.33    64.7       78      10
  cost: 2.49 USD per GPU-hour (cheapest listed: neocloud, 2026-01-15), without failures
  1,495,644 plans, 150,737 feasible
  cost: 2.49 USD per GPU-hour (cheapest listed: neocloud, 2026-01-15), without failures
  1,495,644 plans, 150,737 feasible
  cost: 2.49 USD per GPU-hour (cheapest listed: neocloud, 2026-01-15), without failures
  1,495,644 plans, 150,737 feasible
  cost: 2.49 USD per GPU-hour (cheapest listed: neocloud, 2026-01-15), without failures
  1,495,644 plans, 150,737 feasible, 31,262 of them satisfy tensor < 3
h100-sxm5-80g    64  1,495,644  150,737  29.2461        1120.4  50.87    62.2       79  dp2 tp4 pp4 vpp8 cp2 gbs256 embedding-counts head-counts sp tp-overlap zero1 grad-overlap weight-overlap recompute=selective:layernorm
h200-sxm-141g    64  1,495,644  334,022  25.9957        1260.5  57.23   109.4       79  dp16 tp4 mbs2 gbs256 sp tp-overlap zero3 grad-overlap weight-overlap recompute=selective:layernorm
2
2
2
2
2
  with --headroom none: 24.16 s (0.5 % less) at 74.2 GiB; P(fits) 63 %
Best plans
rank     step  tokens/s/GPU    MFU  memory  fits in  pipeline  data  chunks  split
            s                    %     GiB        %
   1  24.2692        1265.8  31.96    65.5       77         8   128       4  ends
   2  24.2747        1265.5  31.95    65.5       77         8   128       4  even
   3  24.5092        1253.4  31.65    63.3       79        16    64       2  ends
   4  24.5164        1253.0  31.64    63.3       79        16    64       2  even

not shown: 2 plans of the same time and memory as a plan above
Best plan: 50 % interval 22.79-31.00 s, 90 % interval 17.28-59.29 s (cross-validated on Hopper, experts, megatron: 87 runs from 10 sources); 50 % interval of tuned benchmarks 22.35-31.10 s, of ordinary runs 22.88-31.10 s
  the network matters: 50 GB/s per GPU between nodes is assumed; with a quarter of it the step takes 70.05 s (-s "h800-sxm5-80g net1=100Gb/s" is that quarter, reckon calibrate --nccl a measured rate)
To launch the best plan, and to see where its time goes:
  reckon export megatron -m deepseek-v3 gpus2048 dp128 tp2 pp8 vpp4 ep32 etp1 gbs15360 embedding-counts head-counts sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act+layernorm+mla_up_proj
  reckon predict -m deepseek-v3 -s h800-sxm5-80g -g 2048 dp128 tp2 pp8 vpp4 ep32 etp1 gbs15360 embedding-counts head-counts sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act+layernorm+mla_up_proj
The first 2 of the 82 plans of the frontier
rank     step  tokens/s/GPU    MFU  memory  fits in  chunks
            s                    %     GiB        %
   1  28.9766        1130.8  51.34    65.1       78       8
   2  28.9867        1130.5  51.33    64.7       78      10
  headroom 8.1 of 79.2 GiB, which three of four measured runs like it keep
   1  5.4651        5995.9  50.26    69.7       76
Best plan is unsure: P(fits) 53 %, 5.381 s per step (50 % 5.128-6.489 s), MFU 51.0 %, memory 77.1 of 79.2 GiB, 113.6 USD per 1B tokens
  --headroom learned keeps plans with more free memory, --headroom 8GiB with 8 GiB
   1  5.3806          6090  51.04    77.1       53
Best plan is unsure: P(fits) 53 %, 5.381 s per step (50 % 5.128-6.489 s), MFU 51.0 %, memory 77.1 of 79.2 GiB, 113.6 USD per 1B tokens
  --headroom learned keeps plans with more free memory, --headroom 8GiB with 8 GiB
   1  5.3806          6090  51.04    77.1       53
Best plan is unsure: P(fits) 53 %, 5.381 s per step (50 % 5.128-6.489 s), MFU 51.0 %, memory 77.1 of 79.2 GiB, 113.6 USD per 1B tokens
  --headroom learned keeps plans with more free memory, --headroom 8GiB with 8 GiB
   1  5.3806          6090  51.04    77.1       53
Best plan is unsure: P(fits) 57 %, 32.27 s per step (50 % 30.00-42.85 s), MFU 24.0 %, memory 75.8 of 79.2 GiB on stage 2 of 0-31, 583.6 USD per 1B tokens
   1  32.2726        951.89  24.03    75.8        4.0       57                yes
{'usable_bytes': 76337838833.75224, 'left_out_step_s': 5.380603592333031, 'left_out_hbm_bytes': 82786098257.92, 'left_out_plan': 'dp64 ep8 etp1 gbs256 zero2 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act'}
None 9.215829965530471
[74847100497.92, 0.7557037703145876]
[123847691253.76, 0.7752046442738451]
  fastest that leaves 8.1 GiB), framework megatron, sequence 8192 (the model's), attention flash3
B  best that leaves 8.1 GiB: 5.465 s per step, 69.71 GiB
  fastest that fits), framework megatron, sequence 8192 (the model's), attention flash3
B  best: 5.381 s per step, 77.10 GiB, unsure: P(fits) 53 %
  fastest that leaves 30.0 GiB), framework megatron, sequence 8192 (the model's), attention flash3
B  best that leaves 30.0 GiB: 5.698 s per step, 47.41 GiB
A  gpus64 dp64 zero3 gbs256 ...: 6.363 s per step, 76.09 GiB, unsure: P(fits) 57 %
B  best that leaves 3.1 GiB: 5.393 s per step, 72.86 GiB, unsure: P(fits) 68 %
exit 0: fits: P(fits) 88 %, 39.46 s per step (50 % 36.35-49.85 s), MFU 37.7 %, memory 49.6 of 79.2 GiB on stage 0 of 0-3, 832.9 USD per 1B tokens
  headroom 0.000 GiB is left: 29.579 of 79.2 GiB are free; P(fits) 88 %
exit 0: fits: P(fits) 88 %, 39.46 s per step (50 % 36.35-49.85 s), MFU 37.7 %, memory 49.6 of 79.2 GiB on stage 0 of 0-3, 832.9 USD per 1B tokens
  headroom 10.000 GiB is left: 29.579 of 79.2 GiB are free; P(fits) 88 %
exit 1: fits: P(fits) 88 %, 39.46 s per step (50 % 36.35-49.85 s), MFU 37.7 %, memory 49.6 of 79.2 GiB on stage 0 of 0-3, 832.9 USD per 1B tokens
  headroom 40.000 GiB is not left: 29.579 of 79.2 GiB are free; P(fits) 88 %
exit 0: fits: P(fits) 88 %, 39.46 s per step (50 % 36.35-49.85 s), MFU 37.7 %, memory 49.6 of 79.2 GiB on stage 0 of 0-3, 832.9 USD per 1B tokens
  headroom 7.920 GiB is left: 29.579 of 79.2 GiB are free; P(fits) 88 %
exit 0: fits: P(fits) 88 %, 39.46 s per step (50 % 36.35-49.85 s), MFU 37.7 %, memory 49.6 of 79.2 GiB on stage 0 of 0-3, 832.9 USD per 1B tokens
  headroom 8.105 GiB is left: 29.579 of 79.2 GiB are free; P(fits) 88 %
  "headroom": {
    "asked_bytes": 0,
    "left_bytes": -827244149800.96,
    "leaves": "no",
    "fits": 0
  },
11
1001
=== stderr
reckon: --headroom: h100-sxm5-80g has 79.2 GiB, of which 90GiB leaves nothing
reckon: --headroom must be a size such as 8GiB, a share such as 10%, learned or none; got "x"
reckon: --headroom must be a size such as 8GiB, a share such as 10%, learned or none; got "-3GiB"
reckon: --headroom must be a size such as 8GiB, a share such as 10%, learned or none; got "120%"
reckon: --headroom: the value is empty
reckon: --headroom is for the best plan (--best): B is as it is
