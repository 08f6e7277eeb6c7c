# a submission of MLPerf Training as measured runs, and its prediction; what is no row says why
round="$RECKON_SOURCE/tests/data/mlperf/round_v0"
reckon import mlperf "$round" -o rows.csv
reckon import mlperf "$round/Acme/results/dgx_n2" -o - | tr ',' '\n' | grep -E '^(llama|LLAMA|fp8|0.51|NVIDIA)'
reckon validate rows.csv -o rows.out >out && cut -d, -f1-5,8 rows.out
mkdir none && reckon import mlperf none; echo "exit $?"
=== stdout
result                          gpus  tp  pp  cp  dp  batch  precision     step  from
                                                                              s
Acme/results/dgx_n2/llama31_8b  16    2   1   1   8   32     fp8         0.5100  its configuration
Acme/results/tpu_n4/gpt3        16    -   -   -   -   2048   -          12.0500  no configuration

No rows
result                         why
Acme/results/quiet/llama31_8b  its logs tell no time of a step that no evaluation is in, or no batch

3 results, 2 with the time of a step, 1 with a configuration
LLAMA3.1-8B (MLPerf)
NVIDIA H100-SXM5-80GB
fp8
0.5100
id,source,gpu,metric,measured,high50
round_v0_001,round_v0,H100-SXM5-80GB,iter_time_s,0.51,1.576
round_v0_003,round_v0,TPU v5p,iter_time_s,,
exit 3
=== stderr
reckon: none: no result of a language model: no folder SUBMITTER/results/SYSTEM/BENCHMARK with result_0.txt, BENCHMARK one of gpt3, llama2_70b_lora, llama31_405b, llama31_8b, gpt_oss_20b and deepseekv3_671b
