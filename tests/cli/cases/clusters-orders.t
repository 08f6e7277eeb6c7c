# what is asked of plans over several clusters as of any others: orders, frontiers, files of all, states, lists, tables
two="h100-sxm5-80g x16 name=new price=2.5 + a100-sxm4-80g x16 name=old price=1.5 link=100Gb/s@50us"
ask() { reckon search -q -m llama3.1-8b -b 64 -s "$two" "$@"; }
rows() { sed -n '/^   [0-9 ]*[0-9]  [0-9]/p' | cut -c 1-150; }
echo "== another order: the best by it, also of machines with fewer nodes"
ask --sort hbm -k 2 | rows
ask --sort step_usd -k 2 | rows
ask --sort step_usd --where 'step < 4s' -k 1 | rows
# ... which is the cheapest of each part of the machine by itself
for part in "h100-sxm5-80g x16 name=new price=2.5 + a100-sxm4-80g x8 name=old price=1.5" "h100-sxm5-80g x8 name=new price=2.5 + a100-sxm4-80g x16 name=old price=1.5"
do reckon search -q -m llama3.1-8b -b 64 -s "$part link=100Gb/s@50us" --sort step_usd -k 1 | rows; done
echo "== frontiers"
ask --pareto time,step_usd | rows
ask --pareto time,hbm -f csv >frontier.csv; cut -d, -f 1,3,8 frontier.csv
python3 -c "
import csv
rows = [(float(r['step_s']), float(r['hbm_bytes'])) for r in csv.DictReader(open('frontier.csv'))]
print(len(rows) > 2, not any(a != b and a[0] <= b[0] and a[1] <= b[1] for a in rows for b in rows))"
echo "== all of them"
ask --all all.csv -k 2 | rows
python3 -c "
import csv
rows = list(csv.DictReader(open('all.csv')))
print(len(rows), list(rows[0]))
best = min(rows, key=lambda r: float(r['step_s']))
print(best['step_s'], best['plan'])"
ask --all all.sqlite --tensor 2,4 -k 1 >/dev/null; python3 -c "
import sqlite3
print(*sqlite3.connect('all.sqlite').execute('select count(*), min(step_s) from plan').fetchone())"
# words of a row are a plan: the same time
python3 -c "
import csv
for r in list(csv.DictReader(open('all.csv')))[:6:2]: print(r['plan'])" >words
while read -r words; do reckon predict -m llama3.1-8b -s "$two" $words --format json | grep -m 1 -o '"step_s": [0-9.]*'; done <words
echo "== systems of both kinds in one table"
reckon search -q -m llama3.1-8b -b 64 -g 16 -s h100-sxm5-80g -s "$two"; echo "exit $?"
reckon search -q -m llama3.1-8b -b 64 tp8 -s "h100-sxm5-80g x16" -s "$two" -s "a100-sxm4-80g x16" -f csv | cut -d, -f 2-4,8
reckon search -q -m llama3.1-8b -b 64 tp8 -s "h100-sxm5-80g x{8,16}" -f csv | cut -d, -f 2,3,8
reckon search -q -m llama3.1-8b,llama3.1-70b -b 64 tp8 -s "h100-sxm5-80g x{8,16} name=new + a100-sxm4-80g x8 name=old link=100Gb/s@50us" -f csv | cut -d, -f 1-3,7,8
echo "== refused"
ask -g 32; echo "exit $?"
ask --layerwise; echo "exit $?"
ask --sort cost; echo "exit $?"
ask --where 'split == 4'; echo "exit $?"
=== stdout
== another order: the best by it, also of machines with fewer nodes
   1  3.6232        4522.0  35.77    13.3         32       0.06441  gbs64 round1; old: 4 layers tp4 cp2 dp1 mbs1; old: 4 layers tp4 cp2 dp1 mbs1; new:
   2  4.1153        5308.4  35.78    15.1         24       0.05944  gbs64 round1; old: 4 layers tp4 cp2 dp1 mbs1; new: 15 layers tp4 cp2 dp1 mbs1; new
   1  3.4804        9414.9  48.98    54.2         16       0.03867  gbs64 round4; new: 5,6,6 layers tp1 cp2 dp4 mbs1; new: 5,5,5 layers tp1 cp2 dp4 mb
   2  3.4837        9406.2  48.93    55.8         16       0.03871  gbs64 round4; new: 8,9 layers tp1 cp2 dp4 mbs1; new: 7,8 layers tp1 cp2 dp4 mbs1
   1  3.4804        9414.9  48.98    54.2         16       0.03867  gbs64 round4; new: 5,6,6 layers tp1 cp2 dp4 mbs1; new: 5,5,5 layers tp1 cp2 dp4 mb
   1  3.4804        9414.9  48.98    54.2         16       0.03867  gbs64 round4; new: 5,6,6 layers tp1 cp2 dp4 mbs1; new: 5,5,5 layers tp1 cp2 dp4 mb
   1  7.2072        9093.1  47.30    57.3          8       0.04004  gbs64 round4; new: 32 layers tp2 dp4 mbs1
== frontiers
   1  2.8328        5783.7  45.75    56.0         32       0.05036  gbs64 round8; old: 8 layers tp1 cp2 dp8 mbs1; new: 24 layers tp1 cp2 dp8 mbs1
   2  3.2290        6765.3  45.60    63.7         24       0.04664  gbs64 round8; old: 4 layers tp1 dp8 mbs1; new: 28 layers tp1 cp2 dp8 mbs1
   3  3.4804        9414.9  48.98    54.2         16       0.03867  gbs64 round4; new: 5,6,6 layers tp1 cp2 dp4 mbs1; new: 5,5,5 layers tp1 cp2 dp4 mb
rank,step_s,hbm_bytes
1,2.8327983700758503,60122288087.04
2,3.0034890495972797,58044825477.12
3,3.0935346319509858,34249437757.44
4,3.4723784449130166,25823537725.44
5,3.6231596966213937,14283307745.28
True True
== all of them
   1  2.8328        5783.7  45.75    56.0         32       0.05036  gbs64 round8; old: 8 layers tp1 cp2 dp8 mbs1; new: 24 layers tp1 cp2 dp8 mbs1
   2  2.8922        5664.9  44.81    57.9         32       0.05142  gbs64 round8; old: 7 layers tp1 cp2 dp8 mbs1; new: 25 layers tp1 cp2 dp8 mbs1
39 ['index', 'step_s', 'samples_per_s', 'tokens_per_s', 'mfu', 'hbm_bytes', 'offload_bytes', 'matrix_s', 'attention_s', 'memory_s', 'recompute_s', 'tensor_s', 'context_s', 'expert_s', 'offload_s', 'launch_s', 'pipeline_s', 'bubble_s', 'data_s', 'optimizer_s', 'batch', 'plan']
2.8327983700758503 pp2 cp2 gbs64 stages=8:8@1/dp8,24/dp8 messages-sharded zero1 grad-overlap weight-overlap
42 3.004860639309059
"step_s": 2.8327983700758503
"step_s": 2.998189239329909
"step_s": 3.0490482650673156
== systems of both kinds in one table
exit 2
system,gpus,batch,step_s
h100-sxm5-80g x16,16,64,3.938015060414764
h100-sxm5-80g x16 name=new price=2.5 + a100-sxm4-80g x16 name=old price=1.5 link=100Gb/s@50us,32,64,4.178417605433298
a100-sxm4-80g x16,16,64,9.776424615491514
system,gpus,step_s
8,8,7.861561931223219
16,16,3.938015060414764
model,system,gpus,fits,step_s
llama3.1-8b,8,16,21,8.077577443536212
llama3.1-8b,16,24,22,4.846797165392648
llama3.1-70b,8,16,9,117.01054084402215
llama3.1-70b,16,24,6,40.003528861781504
== refused
exit 2
exit 2
exit 2
exit 2
=== stderr
reckon: --gpus does not go with several clusters: each says how many it has
reckon: --gpus does not go with several clusters: each says how many it has
reckon: --layerwise is about one cluster: over several each stage has choices of its own
reckon: --sort: cost follows from the GPUs that a plan uses of each cluster: say step_s, or step_usd where every cluster has its price
reckon: --where: split is not known over several clusters
