# days and dollars of a row are those of the plan's own run, also where failures are rare and the interval of checkpoints is not that of a step of a second
on="-m gpt3-13b -s mi300x -g 16"
run="--tokens 92G --price 1.2 --storage 2GB/s"
same() { reckon search $on -b 2048 -q -k 1 $run $* -f json >found.json; reckon predict $on $(python3 -c "import json; print(json.load(open('found.json'))['best'][0]['plan'])") $run $* -f json >said.json
python3 -c "
import json
row, run = json.load(open('found.json'))['best'][0], json.load(open('said.json'))['run']
print(*('same' if abs(row[x] - run[x]) <= 1e-9 * run[x] else (x, row[x], run[x]) for x in ('days', 'cost_usd')))"; }
same
same --mtbf never
same --checkpoints async
# hours in thousands, as every number of an option
for hours in 50k 50000; do reckon predict $on tp2 $run --mtbf $hours >$hours.txt; done; cmp 50k.txt 50000.txt && echo same
# a condition goes by the days of the rows: the fastest is within its own, and none that it lists is outside
for where in 'days > 37.3 and days <= 40' 'not (days <= 37.3) and (days < 37.5 or cost < 17270)' 'gpu_hours <= 3850.0818431820477'; do
    reckon search $on -b 2048 -q -k 20 $run --mtbf never --headroom none --where "$where" -f csv | python3 -c "
import csv, sys
rows = list(csv.DictReader(sys.stdin)); days = [float(r['days']) for r in rows]
print(len(rows), min(days) > 37.3, max(days) <= 40)"
done
=== stdout
same same
same same
same same
same
20 True True
20 True True
20 False True
