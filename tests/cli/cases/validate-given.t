# As they come, then by two of them; a table without a step is refused
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/given.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/oom.csv"
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given nowhere.csv
=== stdout
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.85,7.112,9.861,6.112,16.35,-12.78,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.653,7.758,11.13,6.562,19.48,-13.47,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1881,1459,2100,829.7,2487,0.99,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,10.77,9.778,13.48,8.424,22.17,-23.04,compared,,
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.85,7.112,9.861,6.112,16.35,-12.78,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.653,7.758,11.13,6.562,19.48,-13.47,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1696,1499,1790,976.2,2101,12,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,11.1,10.11,13.77,8.704,22.49,-20.74,compared,,
=== stderr
reckon: --given: none of its rows has a time of a step that can be predicted
reckon: nowhere.csv: cannot open: No such file or directory; check the path
=== exit 3
