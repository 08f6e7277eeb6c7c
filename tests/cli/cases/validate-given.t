# As they come, then by two of them; a table without a step is refused
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/given.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/oom.csv"
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given nowhere.csv
=== stdout
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.85,7.586,10.3,5.928,17.81,-12.78,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.653,8.332,11.69,6.344,21.4,-13.47,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1881,1389,1954,754.3,2573,0.99,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,10.77,10.42,14.08,8.175,24.11,-23.04,compared,,
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.85,7.586,10.3,5.928,17.81,-12.78,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.653,8.332,11.69,6.344,21.4,-13.47,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1696,1463,1728,922.6,2173,12,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,11.1,10.74,14.35,8.445,24.4,-20.74,compared,,
=== stderr
reckon: --given: none of its rows has a time of a step that can be predicted
reckon: nowhere.csv: cannot open: No such file or directory; check the path
=== exit 3
