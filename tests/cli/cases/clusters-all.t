# what is asked of plans over several clusters as of any others: frontiers, files of all, words, tables of systems of both kinds
two="h100-sxm5-80g x16 name=new price=2.5 + a100-sxm4-80g x16 name=old price=1.5 link=100Gb/s@50us"
ask() { reckon search -q -m llama3.1-8b -b 64 -s "$two" "$@"; }
rows() { sed -n '/^   [0-9 ]*[0-9]  [0-9]/p' | cut -c 1-150; }
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
=== stdout
== frontiers
   1  2.7192        6025.2  47.66    60.5         32       0.04834  gbs64 round8; old: 4,5 layers tp2 dp8 mbs1; new: 11,12 layers tp1 cp2 dp8 mbs1
   2  3.2247        6774.5  45.66    63.7         24       0.04658  gbs64 round8; old: 4 layers tp2 dp4 mbs2; new: 28 layers tp1 cp2 dp8 mbs1
   3  3.3152        9884.2  51.42    68.8         16       0.03684  gbs64 round16; new: 32 layers tp1 dp16 mbs1 zero2
rank,step_s,hbm_bytes
1,2.6968874009115944,83563730534.4
2,2.719249530380159,65004701491.2
3,2.726561743503854,35823812034.56
4,2.8117627446927527,35814225428.48
5,2.8153014199371813,27544460820.48
6,2.8877941380008223,26599748567.04
7,2.915846977359068,21049034506.24
8,2.948864656481073,21044241203.2
9,3.1667585672984084,20236774932.48
10,3.18407810377848,18977158594.56
11,3.415395275834803,18161887477.76
12,3.4170559200721744,16532878131.2
13,3.5588059200721736,16528710041.6
14,3.623421016427833,16214533734.4
15,3.659355898424393,16135898890.24
16,3.7944963211193383,15575865098.24
17,3.7986963211193383,15571974881.28
18,4.350028477623723,13440295239.68
True True
== all of them
   1  2.7192        6025.2  47.66    60.5         32       0.04834  gbs64 round8; old: 4,5 layers tp2 dp8 mbs1; new: 11,12 layers tp1 cp2 dp8 mbs1
   2  2.7254        6011.7  47.55    60.5         32       0.04845  gbs64 round8; old: 4,5 layers tp2 cp2 dp4 mbs2; new: 11,12 layers tp1 cp2 dp8 mbs1
784 ['index', 'step_s', 'samples_per_s', 'tokens_per_s', 'mfu', 'hbm_bytes', 'offload_bytes', 'matrix_s', 'attention_s', 'memory_s', 'recompute_s', 'tensor_s', 'context_s', 'expert_s', 'offload_s', 'launch_s', 'pipeline_s', 'bubble_s', 'data_s', 'optimizer_s', 'batch', 'plan']
2.7192495303801589 tp2 pp2 vpp2 gbs64 stages=8:4@1/dp8,11/dp8/tp1/cp2/no-sp/no-tp-overlap,5,12 messages-sharded sp tp-overlap zero1 grad-overlap weight-overlap
754 2.726561743503854
"step_s": 2.719249530380159
"step_s": 2.726561743503854
"step_s": 2.7319393811645303
== systems of both kinds in one table
exit 2
system,gpus,batch,step_s
h100-sxm5-80g x16,16,64,3.938015060414764
h100-sxm5-80g x16 name=new price=2.5 + a100-sxm4-80g x16 name=old price=1.5 link=100Gb/s@50us,32,64,3.125031263463474
a100-sxm4-80g x16,16,64,9.776424615491514
system,gpus,step_s
x8,8,7.861561931223219
x16,16,3.938015060414764
model,system,gpus,fits,step_s
llama3.1-8b,x8,16,18,6.0296286965472365
llama3.1-8b,x16,24,30,3.693573083198922
llama3.1-70b,x8,16,7,99.38256574514959
llama3.1-70b,x16,24,14,32.68042210820963
=== stderr
reckon: --gpus does not go with several clusters: each says how many it has
