# What newcomers stumbled over, each by what must hold whatever the predictor says.
on="-m llama3.1-8b -s h100 -g 8"
show() { python3 -c "import json, sys; a = json.load(sys.stdin); print($1)"; } # of an answer in JSON
# executed FLOP are never fewer than the model's
for plan in 'gbs32 zero3' 'gbs32 tp8 recompute=full' 'gbs32 tp2 zero1 recompute=selective' 'gbs32 cp2 pp2 zero1'; do
    reckon predict $on $plan -f json | show 'a["rates"]["hfu"] >= a["rates"]["mfu"] > 0 and a["figures"]["executed_flop"] >= a["figures"]["model_flop"]'
done
# a search recommends what the framework starts, and axes that the model has
reckon search $on -b 32 -q -k 5 >best
grep -c -e zero-bubble -e dualpipe best
sed -n '/common to all/,/^$/p' best | grep -c expert
grep -A 2 '^To launch' best | cut -c1-32
# ... which predict takes back: the same time
eval "$(sed -n 's/^  \(reckon predict .*\)/\1/p' best) -f json" | show 'a["rates"]["step_s"]' >again
reckon search $on -b 32 -q -k 1 -f json | show 'a["best"][0]["step_s"]' | cmp - again && echo 'the same step'
# batches by an option, as words say them
reckon fits llama3.1-8b h100 -g 8 -b 32 | grep -o gbs32 | head -1
# a plan that does not fit: the cheapest change that helps; nothing fits: what would
reckon predict -m llama3.1-70b -s h100 -g 64 tp4 pp8 zero1 | grep -c '^  remedy: '
reckon search -m llama3.1-405b -s h100 -g 8 -b 32 -q | grep -e '^Single changes' -e '^more GPUs' | cut -d: -f1
# one kernel for a script and for its plan
script=$RECKON_SOURCE/tests/data/megatron/llama3-70b.sh
reckon import megatron "$script" -s h100 -f json >imported.json
reckon diff "$script" --best -s h100 --save-plan best.json -f json >diff.json
{ show 'a["rates"]["step_s"]' <imported.json; show 'a["a_step_s"]' <diff.json; } | uniq | wc -l
reckon predict -m llama3.1-70b -s h100 --plan best.json | grep -c '^MFU'
# the first of the shapes splits
reckon shapes --params 11T -f json | show 'a["shapes"][0]["splits"] > 4'
# nothing there: said, and not 0
reckon validate --only gpu=H900; echo "exit $?"
reckon report nofile.db; echo "exit $?"
reckon search $on -b 32 -o nodir/best.csv; echo "exit $?"
# a million layers end; the time that is said is all of it
echo '{"layers": 1000000, "hidden": 1024, "feedforward": 4096, "heads": 16, "sequence": 1024, "vocabulary": 50304, "source": "made up"}' >million.json
timeout 200 reckon search -m million.json -s h100 -g 64 -b 64 -k 1 2>said | head -1; grep -c 's in all$' said
timeout 200 reckon fits million.json h100 -g 64 | head -1 | cut -c1-40
=== stdout
True
True
True
True
0
0
To launch the best plan, and to 
  reckon export megatron -m llam
  reckon predict -m llama3.1-8b 
the same step
gbs32
1
Single changes that make a plan feasible
more GPUs
1
1
True
exit 2
exit 3
exit 4
no plan can run: memory tier 0 (HBM3) is too small
1
does not fit: memory tier 0 (HBM3) needs
=== stderr
reckon: --only: no row has gpu=H900; the nearest is gpu=A100 (--by gpu lists all)
reckon: nofile.db: cannot open: No such file or directory; check the path
reckon: nodir/best.csv: cannot write: folder nodir: No such file or directory
