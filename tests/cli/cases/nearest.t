# the three Nearest measured runs: one table, for people where they want it and for programs in any case
nearest='import json, sys
for r in json.load(sys.stdin).get("nearest", []):
    print(r["plan_of"], r["run"], r["published"], round(r["alike"], 1), r["gpus"], "measured" if r["measured_s"] > 0 and r["predicted_s"] > 0 else "not")'
plan="dp32 tp2 gbs256 zero1 sp"
reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 64 $plan --nearest | grep -A 1 "Nearest measured"
reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 64 $plan | grep -c "Nearest measured"
reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 64 $plan -f json | python3 -c "$nearest"
echo "# of both plans"
reckon diff "$RECKON_SOURCE/tests/data/megatron/llama3-70b.sh" --best -s h100-sxm5-80g -f json | python3 -c "$nearest"
echo "# of the published model there are none"
reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 64 $plan framework=calculon -f json | python3 -c "$nearest"
=== stdout
Nearest measured runs of three sources (alike: 1 is the same plan)
run            source                                    published  alike  system         GPUs    measured   predicted  error  plan
0
None dgxc_004 benchmark 0.7 64 measured
None mlperf_044 benchmark 0.5 128 measured
None flagmcore_002 ordinary 0.3 8 measured
# of both plans
A dgxc_032 benchmark 1 128 measured
A nemo2412_009 benchmark 0.5 64 measured
A mlmllama_002 benchmark 0.3 64 measured
B dgxc_032 benchmark 0.9 128 measured
B nemo2412_009 benchmark 0.4 64 measured
B mlmllama_002 benchmark 0.3 64 measured
# of the published model there are none
