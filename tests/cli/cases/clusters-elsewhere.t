# budgets, inference and watching a run take machines of several clusters
pair="h100-sxm5-80g x8 name=new price=2.5 + a100-sxm4-80g x8 name=old price=1.5 link=100Gb/s@50us"
reckon budget -s "$pair" --days 20 -m llama3.1-8b -b 64 --format csv | cut -d, -f1,3,12,13
reckon budget -s "$pair" -g 8 --days 20; echo "exit $?"
reckon serve -m llama3.1-8b -s "$pair" --search --format csv | cut -d, -f1-3,9
# each cluster serves what it serves alone, and the sum is theirs
alone() { reckon serve -m llama3.1-8b -s "$1 x8" --search --top 1 --format json | python3 -c "import json, sys; print(json.load(sys.stdin)['layouts'][0]['tokens_per_s'])"; }
reckon serve -m llama3.1-8b -s "$pair" --search --format json | python3 -c "
import json, sys
answer = json.load(sys.stdin)
rates = [c['tokens_per_s'] for c in answer['clusters']]
print(rates == [float(a) for a in sys.argv[1:]], abs(sum(rates) - answer['all']['tokens_per_s']) < 1e-6)" $(alone h100-sxm5-80g) $(alone a100-sxm4-80g)
reckon serve -m llama3.1-8b -s "$pair" -b 8; echo "exit $?"
reckon search -m llama3.1-8b -s "$pair" -b 64 -q -k 1 --save-plan p.json >/dev/null
for i in $(seq 1 40); do
    if [ "$i" -gt 20 ]; then echo "{\"step\": $i, \"step_s\": 8.2, \"compute_s\": 4.9, \"data_s\": 3}"
    else echo "{\"step\": $i, \"step_s\": 5.3, \"compute_s\": 4.9, \"data_s\": 0.02}"; fi
done | reckon adapt -m llama3.1-8b -s "$pair" --plan p.json --steps 20000 | python3 -c "
import json, sys
for line in sys.stdin:
    event = json.loads(line)
    print(event['event'], event['step'], event.get('to', ''))"
echo '{"step": 1, "step_s": 5.3, "gpus": 8}' | reckon adapt -m llama3.1-8b -s "$pair" --plan p.json; echo "exit $?"
# nothing fits without the host's memory; questions about the time beside another order
reckon search -m llama3.1-70b -s h100-sxm5-80g -g 8 -b 64 -q -k 1 | grep -e assumed -e '^   1'
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 64 --sort hbm --why; echo "exit $?"
=== stdout
model,step_s,affordable,plan
llama3.1-8b,5.115567180139328,true,"tp2 pp2 vpp2 gbs64 stages=4:4@1/dp4
exit 2
cluster,gpus,batch,plan
new,8,1024,gpus8 tp1 pp1
old,8,1024,gpus8 tp1 pp1
True True
exit 2
belief 22 
switch 26 gbs64 stages=8:32/dp8 messages-sharded zero3 grad-overlap weight-overlap
belief 30 
exit 3
  nothing in the space fits without offload; assumed: host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system) at 50 GB/s each, its processors at 614 GB/s together
   1  109.6584        597.64  27.14    67.5       98.6       77                yes
exit 2
=== stderr
reckon: --gpus does not go with several clusters: each says how many it has
reckon: --batch does not go with several clusters: each says how many GPUs it has, and serves the batch that is best for it
40 records, 1 switches, 0 forced
reckon: gpus: of several clusters it does not say which one has lost or won some: start again on the machine that is left
reckon: --why is about the time, and the first row of another order is not the fastest: leave --sort out, and put time first in --pareto
