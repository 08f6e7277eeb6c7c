# As they come, then by two of them; a table without a step is refused
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/given.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/oom.csv"
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given nowhere.csv
=== stdout
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.85,7.095,9.697,6.112,15.44,-12.78,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.653,7.738,10.93,6.562,18.28,-13.47,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1881,1486,2106,884.3,2487,0.99,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,10.77,9.755,13.26,8.424,20.96,-23.04,compared,,
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.85,7.095,9.697,6.112,15.44,-12.78,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.653,7.738,10.93,6.562,18.28,-13.47,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1696,1512,1792,1021,2101,12,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,11.1,10.08,13.55,8.704,21.28,-20.74,compared,,
=== stderr
reckon: --given: none of its rows has a time of a step that can be predicted
reckon: nowhere.csv: cannot open: No such file or directory; check the path
=== exit 3
