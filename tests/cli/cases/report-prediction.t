# a mixture's plan as a page: its times, its stages, its pipeline
reckon predict -m mixtral-8x7b -s h100-sxm5-80g -g 64 tp2 pp4 ep8 zero1 --save-plan plan.json >/dev/null
reckon report --plan plan.json -m mixtral-8x7b -s h100-sxm5-80g -o page.html --charts charts
echo "exit $?"
ls charts
grep -o '<h[23][^>]*>[^<]*</h[23]>' page.html | sed 's/<[^>]*>//g'
grep -o 'Simulated event by event[^<]*' page.html | head -n 1
reckon report best.json --plan plan.json -m mixtral-8x7b -s h100-sxm5-80g -o page.html
echo "exit $?"
=== stdout
exit 0
flame.csv
flame.json
layout.csv
layout.json
links.csv
links.json
memory-stages.csv
memory-stages.json
memory.csv
memory.json
roofline.csv
roofline.json
schedule-end.csv
schedule-end.json
schedule.csv
schedule.json
stage-memory.csv
stage-memory.json
stages.csv
stages.json
time.csv
time.json
Time of a step
Where the time of a step goes
Time by part
Memory of a GPU
Memory against its capacity
Memory of every stage against its capacity
Stages: a microbatch, and the memory of a GPU
Single changes that save memory
The pipeline
How the step begins
How the step ends
Transfers that overlap with computation
What each stage does with the step
Memory of stage 0 over time
Ranks over the network
All ranks
Groups
Operations of the layers
One microbatch through all layers
Operations against the roofs of the machine
Operations of a layer of each kind, one microbatch on one GPU
Launch it
Every figure
Nearest measured runs of three sources (alike: 1 is the same plan)
Inputs
Model
System
Engines, best case
Memory of a device
Networks, per device; what each of p ranks moves of n bytes, over n
Efficiencies
Sources, as the inputs name them
Simulated event by event the step takes 7.6286 s, as the estimate says.
exit 2
=== stderr
reckon: the plan cannot be launched: 12.needs expert: experts with tensor parallelism need sequence parallelism: give sp
reckon: "best.json":1:1: "best.json" is a file, not a word: give a plan's file with --plan
