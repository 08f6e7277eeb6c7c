P="reckon predict -m llama3.1-70b -s h100-sxm5-80g -g 64"
for words in ep2 vpp2 "pp4 vpp2 schedule=dualpipe" "pp4 schedule=dualpipe gbs16" "pp32 vpp3" "pp4 first-layers=50 last-layers=50" "pp4 split=20,20,20,21" offload-optimizer "cp4 seq=8190" "framework=deepspeed zero3 pp4"; do
    $P $words | sed -n '1p;/^bad/p'
done
reckon predict -m mixtral-8x7b -s h100-sxm5-80g -g 64 ep16 | tail -n 1
reckon predict -m mixtral-8x7b -s "h100-sxm5-80g x32" -g 64 | tail -n 1
reckon predict -m llama3.1-8b -s v100-sxm2-32g -g 8 precision=fp8-delayed | tail -n 1
$P ep2 -f json | sed -n '/reasons/,/]/p'
$P ep2 >/dev/null
=== stdout
llama3.1-70b on h100-sxm5-80g, 64 GPUs, by reckon: this plan cannot run
bad_option  the expert degree is 2, but the model has no experts: leave ep out
llama3.1-70b on h100-sxm5-80g, 64 GPUs, by reckon: this plan cannot run
bad_pipeline  2 virtual stages of a rank without a pipeline: give pp, or leave vpp out
llama3.1-70b on h100-sxm5-80g, 64 GPUs, by reckon: this plan cannot run
bad_pipeline  2 virtual stages of a rank: only 1f1b and gpipe can have more than 1
llama3.1-70b on h100-sxm5-80g, 64 GPUs, by reckon: this plan cannot run
bad_pipeline  dualpipe needs an even number of microbatches, 8 at least; there are 1: change gbs
llama3.1-70b on h100-sxm5-80g, 64 GPUs, by reckon: this plan cannot run
bad_pipeline  96 virtual stages, but only 80 blocks: lower pp or vpp
llama3.1-70b on h100-sxm5-80g, 64 GPUs, by reckon: this plan cannot run
bad_pipeline  the first and the last stage are to have 100 blocks, the model has 80
llama3.1-70b on h100-sxm5-80g, 64 GPUs, by reckon: this plan cannot run
bad_pipeline  all stages together have 81 blocks, the model has 80
llama3.1-70b on h100-sxm5-80g mem2=2048GiB@50GB/s,capacity_shared_by=8, 64 GPUs, by reckon: this plan cannot run
llama3.1-70b on h100-sxm5-80g, 64 GPUs, by reckon: this plan cannot run
bad_option  sequence is 8190, not divisible by context * tensor = 4: change one of them
llama3.1-70b on h100-sxm5-80g, 64 GPUs, by reckon: this plan cannot run
bad_option  DeepSpeed's pipeline, which shards the optimizer only (zero 1): got 3
bad_option  experts: the 8 of mixtral-8x7b are not divisible by the expert degree 16
bad_degrees  the plan needs 64 GPUs, h100-sxm5-80g x32 has 32
bad_datatype  v100-sxm2-32g cannot multiply in fp8-delayed: give another precision
  "reasons": [
    {
      "reason": "bad_option",
      "message": "the expert degree is 2, but the model has no experts: leave ep out",
      "tier": null,
      "what": "expert parallelism of a dense model",
      "need": 2,
      "have": 1
    }
  ]
=== exit 1
