# A study of machines of several clusters beside one of one: rows, resuming, threads; what does not hold over clusters is refused.
export OMP_TOOL=disabled
pair='h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old'
cat >study.json <<STUDY
{
    "title": "What the link is worth", "models": ["llama3.1-8b"], "batch": 64, "axes": {"tensor": 8},
    "columns": ["step = round(step_s, 4)", "rate = round(tokens_per_s)", "mfu = round(mfu, 4)", "gib = round(hbm_bytes / 1073741824, 1)",
                "usd = round(step_usd, 4)", "clusters", "pipeline", "data", "plan"],
    "figures": [
        {"name": "link", "systems": ["$pair link={25,100,400}Gb/s@50us,price=0.02"]},
        {"name": "beside", "gpus": [16, 32], "systems": ["h100-sxm5-80g", {"name": "near", "base": "$pair", "link": ["100Gb/s@5us"]}]}
    ]
}
STUDY
reckon study study.json -q -j 1 --export csv | tee one.csv
reckon study study.json -q --db more.db -j 4 --export csv | cmp - one.csv
# the search of clusters says the same
for rate in 25 100 400
do reckon search -q -m llama3.1-8b -b 64 tp8 -k 1 -s "$pair link=${rate}Gb/s@50us,price=0.02" --format json |
    grep -o '"step_s": [0-9.]*\|"step_usd": [0-9.]*' | head -2 | awk '{ printf "%.4f ", $2 } END { print "" }'; done
# another link is the only new search
sed -i 's/400}/400,800}/' study.json
reckon study study.json --export csv 2>&1 >/dev/null | head -n 1
reckon study study.json -q --figure link
reckon report study.db -o page.html && grep -c 'name=old' page.html
# a whole run says what the search of clusters says; another price is another search, as is no other run
priced='h100-sxm5-80g x16 name=new price=2.5 + a100-sxm4-80g x16 name=old price=1.5 link=100Gb/s@50us,price=0.02'
cat >run.json <<STUDY
{"title": "A run", "models": ["llama3.1-8b"], "batch": 64, "axes": {"tensor": 8}, "systems": ["$priced"], "run": {"tokens": 1e12},
 "columns": ["rundays = days", "hours = gpu_hours", "usd = cost_usd", "kwh = energy_kWh", "rate = tokens_per_day"]}
STUDY
# the best three, each with its own plan, as the search of clusters lists them, and what both leave of the memory
cat >top.json <<STUDY
{"title": "The best", "models": ["llama3.1-8b"], "batch": 64, "top": 3, "systems": ["$priced"], "columns": ["rank", "step = round(step_s, 4)", "usd = round(step_usd, 4)", "plan"]}
STUDY
reckon study top.json -q --db top.db --export csv | cut -d, -f 6-
reckon search -q -m llama3.1-8b -b 64 -s "$priced" --top 3 | sed -n '/^Best plans/,/^   3/p'
said() { reckon study run.json -q --db run.db --export csv | awk -F, 'NR > 1 { printf "%.4g %.4g %.4g %.4g %.4g\n", $(NF-4), $(NF-3), $(NF-2), $(NF-1), $NF }'; }
said
reckon search -q -m llama3.1-8b -b 64 tp8 -s "$priced" --tokens 1T | sed -n '/^days  /p;/^GPU-h/p;/^cost/p;/^energy/p'
reckon study run.json --db run.db 2>&1 | head -n 1
sed -i 's/price=2.5/price=2/' run.json
reckon study run.json --db run.db 2>&1 | head -n 1
said
sed -i 's/1e12/1e12, "price": 1/' run.json # neither cluster's
reckon study run.json -q --db run.db; echo "exit $?"
try() {
    echo '{"models": ["llama3.1-8b"], "batch": 64, "systems": ["'"${2:-$pair link=100Gb/s@50us}"'"], '"$1"'"title": "x"}' >wrong.json
    reckon study wrong.json --db wrong.db; echo $?
}
try '"gpus": 32, '
try '"mode": ["pruned", "exhaustive"], '
try '"framework": "calculon", '
try '"unstartable": true, '
try '"run": {"failures": "x", "tokens": 1e12}, '
try '"axes": {"zero": [1, 2]}, '
try '"axes": {"pipeline": 2}, '
try '"axes": {"tensor": 3}, '
try '"precision": "fp8-current", '
try '' "$pair"
try '' "$pair link={100,200Gb/s"
ls wrong.db
# several values of an axis: each stage has one of them
echo '{"models": ["llama3.1-8b"], "batch": 64, "systems": ["'"$pair link=100Gb/s@50us"'"], "axes": {"tensor": [4, 8]}, "columns": ["step = round(step_s, 4)", "plan"]}' >lists.json
reckon study lists.json -q --db lists.db --export csv | cut -d, -f 12-
reckon search -q -m llama3.1-8b -b 64 --tensor 4,8 -k 1 -s "$pair link=100Gb/s@50us" | grep '^   1'
=== stdout
figure,point,model,system,gpus,max_batch,datatype,framework,sequence,strategies,fits,step,rate,mfu,gib,usd,clusters,pipeline,data,plan
link,1,llama3.1-8b,"h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=25Gb/s@50us,price=0.02",32,64,bf16,megatron,8192,19,19,3.5673,146969,0.3633,20.9,0.1718,"old, new",2,2,gbs64 round4; old: 6 layers tp8 dp2 mbs2; new: 26 layers tp8 dp2 mbs2
link,2,llama3.1-8b,"h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us,price=0.02",32,64,bf16,megatron,8192,22,22,3.125,167770,0.4147,21.6,0.5154,"old, new",2,2,"gbs64 round4; old: 5,5 layers tp8 dp2 mbs2; new: 11,11 layers tp8 dp2 mbs2"
link,3,llama3.1-8b,"h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=400Gb/s@50us,price=0.02",32,64,bf16,megatron,8192,42,42,3.0648,171066,0.4229,21.6,0.5154,"old, new",2,2,"gbs64 round4; old: 5,5 layers tp8 dp2 mbs2; new: 11,11 layers tp8 dp2 mbs2"
beside,1,llama3.1-8b,h100-sxm5-80g,16,64,bf16,megatron,8192,6084,4033,3.938,133135,0.4329,61.4,,,1,2,dp2 tp8 mbs8 gbs64 sp tp-overlap zero1 grad-overlap weight-overlap
beside,2,llama3.1-8b,h100-sxm5-80g,32,64,bf16,megatron,8192,28062,20317,1.9748,265483,0.4316,58.6,,,1,4,dp4 tp8 mbs8 gbs64 sp tp-overlap zero1 grad-overlap weight-overlap
beside,3,llama3.1-8b,near,32,64,bf16,megatron,8192,22,22,3.1247,167790,0.4148,21.6,,"old, new",2,2,"gbs64 round4; old: 5,5 layers tp8 dp2 mbs2; new: 11,11 layers tp8 dp2 mbs2"
3.5673 0.1718 
3.1250 0.5154 
3.0648 0.5154 
reckon: 7 points, 7 searches: 6 finished before, 1 to do
4 of 4 points are finished, 4 can run; highest MFU 42.4 %: llama3.1-8b on h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=800Gb/s@50us,price=0.02, 32 GPUs
What the link is worth

figure  points  finished  can run  plans  fits
link         4         4        4    123   123

The best plan of each figure, by MFU
figure  model        system                                                                                gpus  max batch  step s    MFU  memory  plan
                                                                                                                                 s      %     GiB
link    llama3.1-8b  h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=800Gb/s@50us,price=0.02    32         64    3.05  42.44   36.13  gbs64 round8; old: 3,3,4 layers tp8 dp2 mbs4; new: 7,7,8 layers tp8 dp2 mbs4
87
max_batch,datatype,framework,sequence,strategies,fits,rank,step,usd,plan
32,64,bf16,megatron,8192,23,23,1,2.7192,0.5637,"gbs64 round8; old: 4,5 layers tp2 dp8 mbs1; new: 11,12 layers tp1 cp2 dp8 mbs1"
32,64,bf16,megatron,8192,23,23,2,2.7254,0.5638,"gbs64 round8; old: 4,5 layers tp2 cp2 dp4 mbs2; new: 11,12 layers tp1 cp2 dp8 mbs1"
32,64,bf16,megatron,8192,23,23,3,2.7266,0.5639,"gbs64 round4; old: 4,5 layers tp4 dp4 mbs1; new: 11,12 layers tp2 cp2 dp4 mbs1"
Best plans
rank    step  tokens/s/GPU    MFU  memory  GPUs used  USD per step  plan
           s                    %     GiB
   1  2.7192        6025.2  47.66    60.5         32        0.5637  gbs64 round8; old: 4,5 layers tp2 dp8 mbs1; new: 11,12 layers tp1 cp2 dp8 mbs1
   2  2.7254        6011.7  47.55    60.5         32        0.5638  gbs64 round8; old: 4,5 layers tp2 cp2 dp4 mbs2; new: 11,12 layers tp1 cp2 dp8 mbs1
   3  2.7266        6009.0  47.53    33.4         32        0.5639  gbs64 round4; old: 4,5 layers tp4 dp4 mbs1; new: 11,12 layers tp2 cp2 dp4 mbs1
69.89 5.367e+04 1.092e+06 3.737e+04 1.431e+10
days                           69.89             expected, failures and checkpoints included
GPU-hours                      53.673 K
cost in USD                    1.092 M           spare nodes included
energy in kWh                  37.372 K          boards at the load of the step, times factors for hosts, network and cooling (--prices)
reckon: 1 point, 1 search: 1 finished before, 0 to do
reckon: 1 point, 1 search: 0 finished before, 1 to do
69.89 5.367e+04 1.079e+06 3.737e+04 1.431e+10
exit 2
3
3
3
3
3
3
3
3
3
3
3
step,plan
2.7924,"gbs64 round4; old: 4,5 layers tp4 dp4 mbs1; new: 11,12 layers tp4 dp4 mbs1"
   1  2.7924        5867.4  46.41    25.7         32  gbs64 round4; old: 4,5 layers tp4 dp4 mbs1; new: 11,12 layers tp4 dp4 mbs1
=== stderr
reckon: price: 1 is not the price=2 that h100-sxm5-80g x16 has in its line: leave one of them out
reckon: wrong.json:1:140: gpus: systems of several clusters say how many accelerators each has: leave it out
reckon: wrong.json:1:140: mode: the search over several clusters has one way to search, pruned; leave it out, or put the systems of several clusters into a figure of their own
reckon: wrong.json:1:145: framework: framework calculon covers only one cluster; leave it out, or put the systems of several clusters into a figure of their own
reckon: wrong.json:1:147: unstartable: the search over several clusters takes what frameworks start; leave it out, or put the systems of several clusters into a figure of their own
reckon: wrong.json:1:139: run: failures: no logbook "x": one of llama3, opt-175b, bloom
reckon: wrong.json:1:140: axes: zero: all stages over several clusters have one value: give one
reckon: wrong.json:1:140: axes: pipeline: over several clusters the stages are chosen: leave it out
reckon: wrong.json:1:140: axes: tp3 divides the node of no cluster: tp2 is the nearest below that does
reckon: wrong.json:1:1: h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us does not have fp8-current on both engines: give another "precision"
reckon: wrong.json:1:54: systems[0]: "h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=...":1:56: no link between new and old: add link=100Gb/s@50us, or link:new-old=...
reckon: wrong.json:1:54: systems[0]: { without }: x{64,128}, at "{100,200Gb/s"
ls: cannot access 'wrong.db': No such file or directory
