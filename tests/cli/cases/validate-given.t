# As they come, then by two of them; a table without a step is refused
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/given.csv" --rows --format csv
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given "$SOURCE/tests/data/cases/validate-given/oom.csv"
reckon validate "$SOURCE/tests/data/cases/validate-given/runs.csv" --given nowhere.csv
=== stdout
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.85,7.705,10.23,6.48,19.71,-12.78,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.653,8.477,11.59,7,23.94,-13.47,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1881,1401,1921,673.8,2330,0.99,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,10.77,10.58,13.97,8.923,26.64,-23.04,compared,,
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
step_1,step,A100-SXM4-80GB,iter_time_s,9,7.85,7.705,10.23,6.48,19.71,-12.78,compared,,
step_2,step,A100-SXM4-80GB,iter_time_s,10,8.653,8.477,11.59,7,23.94,-13.47,compared,,
step_3,step,A100-SXM4-80GB,tokens_per_s_per_gpu,1900,1696,1469,1714,853.1,2028,12,compared,,
step_4,step,A100-SXM4-80GB,iter_time_s,14,11.1,10.9,14.25,9.202,26.9,-20.74,compared,,
=== stderr
reckon: --given: none of its rows has a time of a step that can be predicted
reckon: nowhere.csv: cannot open: No such file or directory; check the path
=== exit 3
