# As they come, then by two of them; a table without a step is refused
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/given.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/oom.csv"
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given nowhere.csv
=== stdout
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.85,7.281,9.567,6.112,14.66,-12.78,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.653,7.962,10.77,6.562,17.27,-13.47,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1881,1509,2046,936.9,2487,0.99,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,10.77,10.01,13.09,8.424,19.92,-23.04,compared,,
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.85,7.281,9.567,6.112,14.66,-12.78,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.653,7.962,10.77,6.562,17.27,-13.47,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1696,1524,1767,1060,2095,12,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,11.1,10.33,13.38,8.706,20.25,-20.74,compared,,
=== stderr
reckon: --given: none of its rows has a time of a step that can be predicted
reckon: nowhere.csv: cannot open: No such file or directory; check the path
=== exit 3
