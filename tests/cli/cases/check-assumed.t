# what a plan leaves open, check takes as predict does: the precision that the device has, all GPUs of the machine, the hosts' memory for what is offloaded
reckon check -m llama3.1-8b -s v100-sxm2-32g dp8 tp4 zero1; echo "exit $?"
reckon check -m llama3.1-8b -s "h100-sxm5-80g x64" pp8 gbs20; echo "exit $?"
reckon predict -m llama3.1-8b -s "h100-sxm5-80g x64" pp8 gbs20; echo "exit $?"
reckon check -m llama3.1-8b -s h200-sxm-141g dp8 gbs32 zero1 offload-optimizer=0.5 grad-overlap; echo "exit $?"
echo '{"data": 8, "batch": 32, "zero": 1, "optimizer_offload": 0.5, "gradient_overlap": true}' >plan.json
reckon check -m llama3.1-8b -s h200-sxm-141g plan.json; echo "exit $?"
=== stdout
error 5.stage: stage 0 63.2 GiB: does not fit, P(fits) 0 %: 32 GiB are there: recompute=full needs 18 GiB
llama3.1-8b on v100-sxm2-32g: 1 error
exit 1
error 3.divide: gbs 20: no multiple of 8 copies * microbatch 1: use 16 or 24
llama3.1-8b on h100-sxm5-80g x64: 1 error
exit 1
exit 2
warning 14.waste: keep the optimizer on the GPU: would shorten the step by 44.7 %, 5.47 s to 3.02 s, with 101.6 of 139.8 GiB: optimizer_offload 0.5 -> 0
llama3.1-8b on h200-sxm-141g mem2=1945GiB@50GB/s,update=614GB/s,capacity_shared_by=8: 1 warning
exit 0
plan.json: warning 14.waste: keep the optimizer on the GPU: would shorten the step by 44.7 %, 5.47 s to 3.02 s, with 101.6 of 139.8 GiB: optimizer_offload 0.5 -> 0
llama3.1-8b on h200-sxm-141g mem2=1945GiB@50GB/s,update=614GB/s,capacity_shared_by=8: 1 warning
exit 0
=== stderr
reckon: "pp8 gbs20":1:5: gbs 20: no multiple of 8 copies * microbatch 1: use 16 or 24
