# The plan that is written is the one that was best: predict says the same time.
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 16 -b 128 --tensor 1,2 --top 1 -q -f csv --save-plan plan.json >best.csv
reckon predict -m llama3.1-8b -s h100-sxm5-80g --plan plan.json -f csv >predicted.csv
column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }' "$2"; }
[ -n "$(column step_s best.csv)" ] && [ "$(column step_s best.csv)" = "$(column step_s predicted.csv)" ] && echo the same step time
=== stdout
the same step time
