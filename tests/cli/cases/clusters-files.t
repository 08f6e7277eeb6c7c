# over several clusters --plan is read once and never left out: standard input, a file that is not there, stages said twice, the plan of an answer whose stages have other numbers of replicas
two="a100-sxm4-80g x24 name=a + h100-sxm5-80g x8 name=b link=100Gb/s@50us"
echo '{"batch": 64, "round": 8, "plan": "zero1", "stages": [{"layers": 10, "cluster": "a", "words": "dp8"}, {"layers": 22, "cluster": "b", "words": "tp2 dp4"}]}' >stages.json
reckon predict -m llama3.1-8b -s "$two" --plan stages.json -o file.txt; reckon predict -m llama3.1-8b -s "$two" --plan - <stages.json | cmp - file.txt && echo same
reckon predict -m llama3.1-8b -s "$two" --plan nothing.json pp2 gbs64 stages=16:20/dp4,12/dp4; echo "exit $?"
reckon predict -m llama3.1-8b -s "$two" --plan stages.json pp2 stages=16:20/dp4,12/dp4; echo "exit $?"
echo '{"tensor": 2, "data": 0}' >wrong.json
reckon predict -m llama3.1-8b -s "$two" --plan wrong.json; echo "exit $?"
words="precision=fp16 pp3 gbs8 schedule=zero-bubble stages=8:10/dp4,15/dp4,7/dp8 zero1"
reckon predict -m llama3.1-8b -s "$two" $words -f json >said.json
python3 -c "import json; print(json.dumps({k: v for k, v in json.load(open('said.json'))['plan'].items() if v is not None}))" >plan.json
reckon predict -m llama3.1-8b -s "$two" --plan plan.json -f json | cmp - said.json && echo same
=== stdout
same
exit 3
exit 2
exit 3
same
=== stderr
reckon: the plan cannot be launched: 12.needs tensor_overlap: on cluster a: needs sequence parallelism: give sp
reckon: the plan cannot be launched: 12.needs tensor_overlap: on cluster a: needs sequence parallelism: give sp
reckon: nothing.json: cannot open: No such file or directory; check the path
reckon: pipeline: the file says it stage by stage: leave it out
reckon: wrong.json:1:23: data: must be >= 1, got 0
reckon: the plan cannot be launched: 3.fill batch 8: on cluster a: 1 microbatches for 3 stages: some always idle: a batch of 24 fills them; and 2 more: reckon check lists all
reckon: the plan cannot be launched: 3.fill batch 8: on cluster a: 1 microbatches for 3 stages: some always idle: a batch of 24 fills them; and 2 more: reckon check lists all
