# As they come, then by two of them; a table without a step is refused
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/given.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/oom.csv"
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given nowhere.csv
=== stdout
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.86,7.698,10.29,6.47,20.85,-12.66,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.649,8.452,11.64,6.978,25.37,-13.51,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1879,1392,1923,633.2,2334,1.12,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,10.78,10.56,14.04,8.902,28.09,-23.02,compared,,
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.86,7.698,10.29,6.47,20.85,-12.66,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.649,8.452,11.64,6.978,25.37,-13.51,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1696,1465,1715,817.2,2032,12.05,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,11.1,10.88,14.31,9.181,28.34,-20.71,compared,,
=== stderr
reckon: --given: none of its rows has a time of a step that can be predicted
reckon: nowhere.csv: cannot open: No such file or directory; check the path
=== exit 3
