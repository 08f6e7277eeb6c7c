# As they come, then by two of them; a table without a step is refused
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/given.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/oom.csv"
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given nowhere.csv
=== stdout
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.85,7.323,9.697,6.246,15.66,-12.78,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.653,8.013,10.93,6.721,18.57,-13.47,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1881,1486,2033,870.8,2428,0.99,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,10.77,10.06,13.26,8.605,21.25,-23.04,compared,,
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.85,7.323,9.697,6.246,15.66,-12.78,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.653,8.013,10.93,6.721,18.57,-13.47,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1696,1512,1762,1006,2057,12,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,11.1,10.39,13.55,8.89,21.57,-20.74,compared,,
=== stderr
reckon: --given: none of its rows has a time of a step that can be predicted
reckon: nowhere.csv: cannot open: No such file or directory; check the path
=== exit 3
