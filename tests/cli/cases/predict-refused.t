P="reckon predict -m llama3.1-70b -s h100-sxm5-80g -g 64"
for words in ep2 vpp2 "pp4 vpp2 schedule=dualpipe" "pp4 schedule=dualpipe gbs16" "pp32 vpp3" "pp4 first-layers=50 last-layers=50" "pp4 split=20,20,20,21" offload-optimizer "cp4 seq=8190" "framework=deepspeed zero3 pp4"; do
    $P --verbose $words | sed -n '1p;/^bad/p'
done
reckon predict -m mixtral-8x7b -s h100-sxm5-80g -g 64 ep16 | head -n 1
for ep in 96 64 32; do reckon predict -m "mixtral-8x7b experts=96" -s h100-sxm5-80g -g 64 ep$ep 2>&1 | grep -o "use .*"; done
reckon predict -m mixtral-8x7b -s "h100-sxm5-80g x32" -g 64 | head -n 1
reckon predict -m llama3.1-8b -s v100-sxm2-32g -g 8 precision=fp8-delayed | head -n 1
$P ep2 -f json | sed -n '/reasons/,/]/p'
$P ep2 >/dev/null
=== stdout
cannot run: expert 2: expert parallelism of a model without experts: leave ep out
bad_option  expert 2: expert parallelism of a model without experts: leave ep out
cannot run: 2 virtual stages of a rank without a pipeline: give pp, or leave vpp out
bad_pipeline  2 virtual stages of a rank without a pipeline: give pp, or leave vpp out
cannot run: 2 virtual stages of a rank: only 1f1b and gpipe can have more than 1
bad_pipeline  2 virtual stages of a rank: only 1f1b and gpipe can have more than 1
cannot run: batch 16: 1 microbatches for 4 stages of dualpipe: it needs at least two per stage, and an even number: a batch of 128 fills them
bad_pipeline  batch 16: 1 microbatches for 4 stages of dualpipe: it needs at least two per stage, and an even number: a batch of 128 fills them
cannot run: pipeline 32: 80 layers for 96 stages of all chunks: one has none: give vpp2 or less
bad_pipeline  pipeline 32: 80 layers for 96 stages of all chunks: one has none: give vpp2 or less
cannot run: the first and the last stage are to have 100 blocks, the model has 80
bad_pipeline  the first and the last stage are to have 100 blocks, the model has 80
cannot run: 81 of 80 blocks are on a stage: deal out 80
bad_pipeline  81 of 80 blocks are on a stage: deal out 80
does not fit: memory tier 0 (HBM3) needs 583.7 GiB on stage 0, has 79.20 GiB: 504.5 GiB too little
cannot run: context 4: 8190 tokens are not a multiple of 2 * context 4: use a sequence of 8184 or 8192
bad_option  context 4: 8190 tokens are not a multiple of 2 * context 4: use a sequence of 8184 or 8192
cannot run: zero 3: DeepSpeed's pipeline shards the optimizer only: give zero1
bad_option  zero 3: DeepSpeed's pipeline shards the optimizer only: give zero1
cannot run: expert 16: 8 experts over 16 ranks: use 8
use a divisor of 64 that divides their number
use 32
use more GPUs, or `reckon search`, which tries all choices together
cannot run: the plan needs 64 GPUs, h100-sxm5-80g x32 has 32
cannot run: precision fp8-delayed: v100-sxm2-32g does not multiply it: use fp16
  "reasons": [
    {
      "reason": "bad_option",
      "message": "expert 2: expert parallelism of a model without experts: leave ep out",
      "tier": null,
      "what": "expert parallelism of a dense model",
      "need": 2,
      "have": 1
    }
  ]
=== stderr
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
=== exit 1
