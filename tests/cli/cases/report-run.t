# the whole run on a page: followed from failure to failure, and what happens around the first one
reckon report -m llama3.1-70b -s h100 -g 64 tp8 pp2 sp zero1 gbs128 --tokens 50G --price 2 --mtbf 2000 --charts charts
head -1 charts/run.csv; awk -F, 'NR > 1 { n[$3]++; if ($1 < day) back++; day = $1 } END { for (what in n) print what, n[what] | "sort"; close("sort"); print back + 0, "go back in time" }' charts/run.csv
tail -1 charts/run.csv
awk -F, 'NR > 1 { gsub(/"/, ""); s[$4] += $2 - $1 } END { for (what in s) printf "%s: %.0f s\n", what, s[what] | "sort" }' charts/failure.csv
reckon report -m llama3.1-70b -s h100 -g 64 tp8 pp2 sp zero1 gbs128 --tokens 50G --price 2 --mtbf never --charts never; ls never | grep -c failure.csv
reckon report -m llama3.1-70b -s h100 -g 64 tp8 pp2 sp zero1 gbs128 --tokens 50G --price ten -o page.html; ls page.html
# machines by cost over days
echo '{"models": ["llama3.1-8b"], "systems": ["h100-sxm5-80g", "a100-sxm4-80g"], "gpus": [64, 128], "batch": 256, "run": {"tokens": 1e12, "price": 2}}' >run.json
reckon study run.json -q --db run.db >/dev/null; reckon report run.db --charts study; cut -d, -f1,2,4,5 study/study-cost.csv
=== stdout
days,trained,what
failure 18
phase 1
trained 38
0 go back in time
12.578126308001423,1,trained
checkpoint: 988 s
done again later: 3112 s
noticing: 900 s
training: 33067 s
0
days,cost_usd,series,gpus
18.69955762372973,57445.04102009772,h100-sxm5-80g,64 GPUs
9.650144459276357,59290.48755779394,h100-sxm5-80g,128 GPUs
50.383599057619236,154778.41630500625,a100-sxm4-80g,64 GPUs
26.00274312058092,159760.8537328492,a100-sxm4-80g,128 GPUs
=== stderr
reckon: price: no offer "ten" of h100-sxm5-80g in the list: give US dollars for an hour, 2.5
ls: cannot access 'page.html': No such file or directory
