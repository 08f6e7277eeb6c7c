# As they come, then by two of them; a table without a step is refused
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/given.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/oom.csv"
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given nowhere.csv
=== stdout
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.86,7.69,10.29,6.47,20.48,-12.66,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.649,8.442,11.64,6.978,24.87,-13.51,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1879,1392,1926,645.9,2334,1.12,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,10.78,10.55,14.04,8.902,27.6,-23.02,compared,,
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.86,7.69,10.29,6.47,20.48,-12.66,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.649,8.442,11.64,6.978,24.87,-13.51,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1696,1465,1716,828.7,2032,12.05,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,11.1,10.87,14.31,9.181,27.85,-20.71,compared,,
=== stderr
reckon: --given: none of its rows has a time of a step that can be predicted
reckon: nowhere.csv: cannot open: No such file or directory; check the path
=== exit 3
