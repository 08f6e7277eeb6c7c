# Inputs of somebody new, taken for something else before.
on="-m llama3.1-8b -s h100 -g 8"
# commands that are proposed name the files that were given, and work
mkdir models
cat >models/config.json <<'TEXT'
{"model_type": "qwen3_moe", "hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 8, "num_attention_heads": 16,
 "num_key_value_heads": 4, "head_dim": 64, "num_experts": 16, "num_experts_per_tok": 2, "moe_intermediate_size": 512, "vocab_size": 32000}
TEXT
for model in models/config.json ./models/../models/config.json; do
    reckon search -m $model -s "h100 hbm=60GiB" -g 8 -b 32 -k 1 -q >best 2>/dev/null
    grep '^  reckon' best | cut -d ' ' -f 3-9
    grep '^  reckon' best | while read -r line; do eval "$line" 2>/dev/null | head -1; done
done
for model in models models/; do reckon predict -m $model -s h100 -g 8 2>/dev/null | head -1; reckon search -m $model -s h100 -g 8 -b 8 -q 2>/dev/null | grep -c "predict -m $model "; done
(cd models && reckon search -m ./config.json -s h100 -g 8 -b 32 --layerwise 2>/dev/null >best; head -1 best; eval "$(tail -1 best)" 2>/dev/null | head -1)
{ head -1 "$RECKON_SOURCE/data/measured/runs.csv"; grep ',H100-SXM5-80GB,' "$RECKON_SOURCE/data/measured/runs.csv" | head -5; } >mine.csv
for system in h100 'h100 x8' h100-sxm5-80g; do reckon calibrate "$system" --runs mine.csv | grep steps | cut -c1-19; done
reckon calibrate a100 --runs mine.csv; echo "exit $?"
# how many GPUs a run had is no guess, nor whether its log is of the plan
for i in 1 2 3 4; do echo " iteration $i/ 9 | elapsed time per iteration (ms): 9000.0 | global batch size: 512 |"; done >train.log
for words in "tp8 pp4 zero1 gbs512" "tp8 pp4 zero1 gbs256 gpus256" "tp8 pp4 vpp5 sp zero1 gbs512 gpus256"; do
    reckon calibrate h100-sxm5-80g --log train.log -m llama3.1-70b --plan "$words" -o mine.json 2>&1 | grep -E '^steps|^reckon' | cut -c1-90
done
reckon doctor train.log -m llama3.1-70b -s h100-sxm5-80g tp8 pp4 vpp5 sp zero1 gbs256 gpus256
# a folder that is called like a word of a plan is no plan
mkdir tp2 && reckon report $on tp2 zero1 -o folder.html && reckon diff $on tp2 tp4 | head -1
# where the machine has no network for so many
reckon fits llama3.1-70b "h100-pcie-80g x16" | head -1
reckon fits llama3.1-8b "h100-pcie-80g x16 net2=100Gb/s,size=16" | cut -d ' ' -f 1 | head -1
# figures are no conditions
for where in hbm 'hbm + 1GiB' 'time and tensor <= 4' 'not memory'; do reckon search $on -b 8 -q --where "$where"; echo "exit $?"; done
reckon search $on -b 8 -q -k 1 --where 'sequence_parallel and not tensor == 1' | grep -c 'of them satisfy'
# two answers in one file
reckon predict $on tp2 -o one.txt --save-plan one.txt; echo "exit $?"
reckon import megatron "$RECKON_SOURCE/tests/data/megatron/llama3-70b.sh" --save-plan p.json --model-output p.json; echo "exit $?"
reckon import megatron "$RECKON_SOURCE/tests/data/megatron/llama3-70b.sh" --save-plan p.json >/dev/null 2>&1; ls
# a file of another kind
printf '#!/bin/sh\npython pretrain_gpt.py\n' >run.sh
reckon predict $on --plan run.sh; echo "exit $?"
cp "$RECKON_SOURCE/data/models/llama3.1-8b.json" . && reckon validate llama3.1-8b.json; echo "exit $?"
: >empty.xml; reckon import hwloc empty.xml; echo "exit $?"
reckon budget -s h100 --days 3; echo "exit $?"
reckon budget -s h100 -g 8 --days nan; echo "exit $?"
reckon budget -s h100 -g 8 --cost 100 -m llama3.1-8b -f table | head -1
reckon timeline -m llama3.1-8b -s h100 | head -1
# a plan over several clusters is no plan of one
reckon search -q -m llama3.1-8b -s 'h100 x8 + a100 x8 link=100Gb/s@50us' -b 16 tp2 --save-plan c.json | tail -1
reckon predict -m llama3.1-8b -s h100 --plan c.json; echo "exit $?"
echo '{"batch": 16, "round": 8, "stages": [{"layers": 32, "cluster": "0", "words": "tp1 dp8"}]}' >d.json
reckon predict -m llama3.1-8b -s h100 --plan d.json; echo "exit $?"
reckon clusters -m llama3.1-8b -s 'h100 x8' -b 16; echo "exit $?"
# no heading twice
for c in fits predict search diff train; do reckon $c --help | grep -E '^[A-Z][A-Za-z ]*:$' | sort | uniq -d; done
reckon search -q -m llama3.1-8b -b 64 -s "h100-sxm5-80g x8 + a100-sxm4-80g x8 link=1Gb/s" tp8 | grep assumed
=== stdout
reckon export megatron -m models/config.json gpus8 dp8
reckon predict -m models/config.json -s 'h100-sxm5-80g hbm=60GiB'
#!/bin/bash
fits: P(fits) 100 %, 86.10 ms per step (50 % 77.55-129.3 ms), MFU 13.0 %, memory 9.2 of 60.0 GiB, 3.635 USD per 1B tokens
reckon export megatron -m ./models/../models/config.json gpus8 dp8
reckon predict -m ./models/../models/config.json -s 'h100-sxm5-80g hbm=60GiB'
#!/bin/bash
fits: P(fits) 100 %, 86.10 ms per step (50 % 77.55-129.3 ms), MFU 13.0 %, memory 9.2 of 60.0 GiB, 3.635 USD per 1B tokens
fits: P(fits) 100 %, 296.8 ms per step (50 % 261.0-489.5 ms), MFU 3.8 %, memory 8.3 of 79.2 GiB, 12.53 USD per 1B tokens
1
fits: P(fits) 100 %, 296.8 ms per step (50 % 261.0-489.5 ms), MFU 3.8 %, memory 8.3 of 79.2 GiB, 12.53 USD per 1B tokens
1
Best plan fits: P(fits) 100 %, 86.10 ms per step (50 % 77.55-129.3 ms), MFU 13.0 %, memory 9.2 of 79.2 GiB, 3.635 USD per 1B tokens
fits: P(fits) 100 %, 86.10 ms per step (50 % 77.55-129.3 ms), MFU 13.0 %, memory 9.2 of 79.2 GiB, 3.635 USD per 1B tokens
steps             5
steps             5
steps             5
exit 2
reckon: calibrate: --plan does not say on how many GPUs the run was: add gpus256, or dp8, 
reckon: train.log: its steps have a batch of 512, the plan one of 256: give gbs512
steps             4   117.7        117.7   88.0         88.0
A does not fit, B fits: B takes 15.3 % more time than A, 4.262 s against 3.697 s per step, 0.867 times the throughput
cannot run: the outermost network of h100-pcie-80g x16 joins 8 GPUs, the plan has 16: add a network to the machine: net2=100Gb/s,size=16
fits:
exit 2
exit 2
exit 2
exit 2
1
exit 2
exit 2
best
folder.html
mine.csv
mine.json
models
p.json
tp2
train.log
exit 3
exit 3
exit 3
exit 2
exit 2
not affordable: llama3.1-8b gets 1.436B tokens, the law asks for 160.6B, which take 23.4 days and 11.19k USD; more GPUs make it no cheaper
does not fit: memory tier 0 (HBM3) needs 180.1 GiB on stage 0, has 79.20 GiB: 100.9 GiB too little
  reckon predict -m llama3.1-8b -s 'h100 x8 + a100 x8 link=100Gb/s@50us' tp2 pp2 vpp2 cp2 gbs16 stages=2:4@1/dp2,11/dp2,5,12 messages-sharded sp tp-overlap zero1 grad-overlap weight-overlap
cannot run: the number of a cluster: got 0
  llama3.1-8b on h100-sxm5-80g, 16 GPUs, simulation
  plan: tp2 pp2 vpp2 cp2 gbs16 stages=2:4@1/dp2,11/dp2,5,12 messages-sharded sp tp-overlap zero1
  grad-overlap weight-overlap
  assumed: precision bf16, framework megatron, microbatch 1, sequence 8192 (the model's),
  attention flash3
exit 1
exit 3
exit 2
  assumed: messages between clusters have no latency where their link names none; state it after the rate, link=100Gb/s@50us
=== stderr
reckon: calibrate: 5 of 5 rows are left out; the first, mcore_002: another accelerator
reckon: calibrate: no row of --runs is a time on a100-sxm4-80g that can be predicted
reckon: train.log: its steps have a batch of 512, the plan one of 256: give gbs512
reckon: --where: column 1 of "hbm": this is not a condition: compare it, as in hbm < 60GiB
reckon: --where: column 1 of "hbm + 1GiB": this is not a condition: compare it, as in hbm < 60GiB
reckon: --where: column 1 of "time and tensor <= 4": this is not a condition: compare it, as in hbm < 60GiB
reckon: --where: column 5 of "not memory": this is not a condition: compare it, as in hbm < 60GiB
reckon: --output and --save-plan name the same file, one.txt: give two names
reckon: --output and --model-output name the same file, p.json: give two names
reckon: run.sh:1:1: is a script, expected a JSON object: reckon import megatron SCRIPT -o plan.json makes a plan of one of Megatron-LM
reckon: llama3.1-8b.json:1: looks like JSON: a table is needed here, with a line of column names and rows with a field per column, separated by commas
reckon: empty.xml:1:1: is empty: expected text
reckon: --gpus is missing: h100-sxm5-80g does not state a number: give --gpus 64, or --system "h100-sxm5-80g x64"
reckon: --days: "nan" is not a number: write a number such as 60, 3e-4 or 1.5T
reckon: d.json:1:15: unknown key "round": this looks like a plan over clusters, which reckon predict --plan takes, a plan is wanted here
reckon: unknown command "clusters": reckon --help lists them
