# near the size of the memory: how sure, and what makes it sure; no such lines where --sure says never, or where it surely fits
unsure() { reckon fits llama3.1-8b "a100-sxm4-80g x8" framework=fsdp zero3 gbs8 mbs1 "$@" >answer; code=$?; sed -n "1s/ (50.*//p; /To be sure/p" answer; echo "exit $code"; }
unsure seq7168 no-fused
unsure seq8192 no-fused --sure 50
unsure seq8192 recompute=full
unsure seq57344 recompute=full --sure 90,20
=== stdout
unsure: P(fits) 36 %, 2.332 s per step
  it needs 99 % of the memory; unsure is a P(fits) below 75 % and not below 20 %. To be sure: fused surely fits (step -7.0 %); or measure one step on the tightest stage (torch.cuda.max_memory_reserved)
exit 2
exit 1
fits: P(fits) 100 %, 2.986 s per step
exit 0
unsure: P(fits) 77 %, 38.71 s per step
  it needs 83 % of the memory; unsure is a P(fits) below 90 % and not below 20 %. To be sure: cp2 surely fits (step +1.0 %); or measure one step on the tightest stage (torch.cuda.max_memory_reserved)
exit 2
