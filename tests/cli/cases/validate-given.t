# As they come, then by two of them; a table without a step is refused
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/given.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/oom.csv"
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given nowhere.csv
=== stdout
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.861,7.716,10.26,6.488,20.59,-12.66,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.658,8.482,11.62,7.004,25.08,-13.42,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1879,1396,1918,641.8,2327,1.13,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,10.78,10.58,14.01,8.927,27.76,-23,compared,,
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.861,7.716,10.26,6.488,20.59,-12.66,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.658,8.482,11.62,7.004,25.08,-13.42,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1696,1467,1713,825.1,2028,12.05,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,11.1,10.91,14.28,9.204,28.01,-20.71,compared,,
=== stderr
reckon: --given: none of its rows has a time of a step that can be predicted
reckon: nowhere.csv: cannot open: No such file or directory; check the path
=== exit 3
