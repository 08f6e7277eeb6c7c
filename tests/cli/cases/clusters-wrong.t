# what does not go with several clusters, or says nothing, is refused by name
two="h100-sxm5-80g x16 + a100-sxm4-80g x16 link=100Gb/s@50us"
ask() { reckon "$@" -m llama3.1-8b -s "$two" >out; echo "exit $?"; }
ask search -b 64 -g 32
ask search -b 64 --layerwise
ask predict --layers -b 64 tp8
ask report -b 64 --threads 2
ask search -b 64 --banana
ask search -b 64 --sequence 4096 tp8 -k 1 -q
grep '^   1' out
ask search -b 64 --unstartable
ask search -b 64 --zero 1,2
ask search -b 64 --schedule 1f1b,gpipe
ask search -b 64 --tensor 3,5 -q
ask search -b 64 --split balanced
ask search -b 64 --framework calculon
ask search -b 64 --why --sort hbm
ask search -b 64,128 --pareto time,hbm
ask export ranks gbs64 -g 8
ask search -b 64 tp8 banana
ask search -b 64 gbs128
# words of the line that every stage of a file outdoes
cat >p.json <<'END'
{"batch": 64, "round": 8, "plan": "tp4", "stages": [
  {"layers": 20, "cluster": "0", "words": "tp4 dp4"}, {"layers": 12, "cluster": "1", "words": "tp2 dp8 recompute=full"}]}
END
ask predict --plan p.json tp8
ask predict --plan p.json dp2
ask predict --plan p.json recompute=selective
# what a file says twice, or of no effect
plan() { printf '%s' "$1" >w.json; ask predict --plan w.json; }
plan '{"batch": 128, "round": 8, "plan": "gbs64", "stages": [{"layers": 32, "cluster": "0", "words": "tp2 dp8"}]}'
plan '{"batch": 64, "round": 8, "plan": "tp2 banana", "stages": [{"layers": 32, "cluster": "0", "words": "dp8"}]}'
plan '{"batch": 64, "round": 8, "stages": [{"layers": 32, "parts": [{"cluster": "0", "layers": 7}, {"cluster": "1"}]}]}'
plan '{"batch": 64, "round": 8, "stages": [{"layers": [16, 16], "cluster": "0", "words": "tp2 dp8"}]}'
plan '{"batch": 64, "round": 8, "plan": "schedule=zero-bubble", "stages": [
  {"layers": [8, 8], "cluster": "0", "words": "tp2 dp8"}, {"layers": [8, 8], "cluster": "1", "words": "tp2 dp8"}]}'
plan '{"batch": 64, "round": 8, "stages": [{"layers": 32, "cluster": "0", "words": "tp2 dp8 recompute=full recompute-parts=mlp"}]}'
ask timeline --plan p.json --trace same --pytorch-csv same
# a link that is given twice; one of a pair outdoes that of all
two="h100-sxm5-80g x16 + a100-sxm4-80g x16 link=100Gb/s@50us link=1Gb/s"
ask search -b 64
two="h100-sxm5-80g x16 + a100-sxm4-80g x16 link:0-1=100Gb/s@50us link:1-0=1Gb/s"
ask search -b 64
for two in "h100-sxm5-80g x16 + a100-sxm4-80g x16 link:0-1=100Gb/s@50us link=1Gb/s" \
    "h100-sxm5-80g x16 + a100-sxm4-80g x16 link=100Gb/s@50us"; do ask predict --plan p.json; grep ^step out; done
cat >machine.json <<'END'
{"clusters": [{"name": "a", "system": "h100-sxm5-80g x16"}, {"name": "b", "system": "a100-sxm4-80g x16"}],
 "links": [{"between": ["a", "b"], "bandwidth_GBps": 12.5, "latency_us": 50},
           {"between": ["b", "a"], "bandwidth_GBps": 1}]}
END
two=./machine.json
ask search -b 64
# more layers than are dealt, at once
printf '{"name": "deep", "layers": 1000000, "hidden": 64, "feedforward": 128, "heads": 4, "head_dim": 16, "sequence": 512, "vocabulary": 1000}' >deep.json
reckon search -m deep.json -b 64 -s "h100-sxm5-80g x16 + a100-sxm4-80g x16 link=100Gb/s"; echo "exit $?"
# degrees that no stage can have, with the nearest that works
two="h100-sxm5-80g x16 name=a + a100-sxm4-80g x16 name=b link=100Gb/s@50us"
for words in tp3 cp3 cp64 ep8 precision=fp8-delayed; do ask search -q -b 64 $words; done
reckon search -q -m mixtral-8x7b -b 64 -s "$two" ep3; echo "exit $?"
reckon search -q -m mixtral-8x7b -b 64 -s "$two" tp8 ep8; echo "exit $?"
# words of a cluster: nearly right, twice, without effect; positions are those of the whole line
for line in "h100-sxm5-80g x8 nam=a + l4 x8 link=1Gb/s" "h100-sxm5-80g x8 + l4 x8 lnk=1Gb/s" "h100-sxm5-80g x8 name=a name=b + l4 x8 link=1Gb/s" "h100-sxm5-80g x8 + l4 x8 hbm=80 link=1Gb/s" "h100-sxm5-80g x8 + l4 x8 link=1Gb/s,cap=0Gb/s" "h100-sxm5-80g x8 + ./none.json x8 link=1Gb/s"
do reckon search -q -m gpt2-774m -b 64 -s "$line"; echo "exit $?"; done
# what is of one kind of machine, beside the other
ask search -b 64 --launchable --framework fsdp
reckon search -m llama3.1-8b -s "h100-sxm5-80g x16" -s "$two" -b 64 --launchable >out; echo "exit $?"
reckon search -m llama3.1-8b -s "h100-sxm5-80g x16" -s "$two" -b 64 --unstartable >out; echo "exit $?"
=== stdout
exit 2
exit 2
exit 2
exit 2
exit 2
exit 0
   1  1.5319        5347.6  39.65    15.4         32  gbs64 round4; 1: 5,5 layers tp8 dp2 mbs2; 0: 11,11 layers tp8 dp2 mbs2
exit 2
exit 2
exit 2
exit 1
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 3
exit 2
exit 0
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 2
exit 2
exit 2
exit 0
step       5.0739  100.0
step                5.0739 s
exit 0
step       5.0739  100.0
step                5.0739 s
exit 3
exit 2
exit 2
exit 2
exit 2
exit 2
exit 1
exit 2
mixtral-8x7b on h100-sxm5-80g x16 name=a + a100-sxm4-80g x16 name=b link=100Gb/s@50us, 32 GPUs, batch 64 of 8K tokens, megatron, bf16, detailed model
  0 plans simulated, the best of 0 exactly solved problems and what lies near them
  cluster a, h100-sxm5-80g x16, can be used by no stage: bad_degrees: ranks by pipeline * expert * expert_tensor (asked for 128, there is 32); leave it out, or change the words
exit 1
exit 2
exit 2
exit 2
exit 2
exit 2
exit 3
exit 2
exit 2
exit 2
=== stderr
reckon: --gpus does not go with several clusters: each says how many it has
reckon: --layerwise is about one cluster: over several each stage has choices of its own
reckon: --layers: each cluster has operations of its own: give one of them as the system
reckon: nothing to report: give a plan (a file or words), the output of a search, the database of a study, or --search
reckon: "--banana" is not known: reckon search --help-all lists all flags
reckon: --unstartable is about one cluster: over several all plans are searched, those too that no framework starts as one job (--launchable leaves them out)
reckon: zero: all stages over several clusters have one value: give one
reckon: schedule: all stages over several clusters have one value: give one
reckon: split: over several clusters layers are dealt to each stage by the search: leave it out
reckon: framework: the Calculon model covers only one cluster
reckon: --why is about the time, and the first row of another order is not the fastest: leave --sort out, and put time first in --pareto
reckon: --all, --pareto, --why and --sensitivity are about one problem: give one model, system, size and batch
reckon: --gpus does not go with several clusters: each says how many it has
reckon: "tp8 banana":1:5: unknown word "banana": there are tp, pp, cp, ep, dp, mbs, gbs, zero, sp, recompute and others, see reckon-plan(5)
reckon: "gbs128" says what is given already: give it once
reckon: p.json:1:52: stages: every stage has its own tensor, so a word for it in addition to the file changes nothing: leave it out, or change it here
reckon: data: the file says it stage by stage: leave it out
reckon: w.json:1:36: plan: gbs64, but "batch" is 128: leave one of them out
reckon: w.json:1:35: plan: column 5: unknown word "banana": there are tp, pp, cp, ep, dp, mbs, gbs, zero, sp, recompute and others, see reckon-plan(5)
reckon: w.json:1:90: stages[0].parts[0].layers: all parts have the layers of the stage
reckon: w.json:1:49: stages[0].layers: a stage alone has one run of layers: give their sum
reckon: w.json:2:14: stages[0].layers: stages of schedule zero-bubble have one run of layers: 1f1b and gpipe interleave
reckon: w.json:1:78: stages[0].words: only recompute=selective has parts
reckon: --trace and --pytorch-csv name the same file, same: give two names
reckon: "h100-sxm5-80g x16 + a100-sxm4-80g x16 link=100Gb/s@5...":1:57: link= is given twice: remove one, or name the clusters of each, link:A-B=...
reckon: "h100-sxm5-80g x16 + a100-sxm4-80g x16 link:0-1=100Gb...":1:66: the link between 1 and 0 is given twice: remove one
reckon: ./machine.json:3:24: links[1].between: the link between b and a is given twice: remove one
reckon: deep has 1000000 layers: at most 4096 are dealt to clusters by a search
reckon: tp3 divides the node of no cluster: tp2 is the nearest below that does
reckon: cp3 does not divide the tokens of a sample, 8192: cp2 does
reckon: tp1 cp64 of a stage need 64 accelerators, the largest cluster has 16: cp16 does
reckon: ep8: llama3.1-8b has no experts: leave ep out
reckon: ep3 does not divide the experts of the model, 8: ep2 does
reckon: "h100-sxm5-80g x8 nam=a + l4 x8 link=1Gb/s":1:18: unknown part "nam": did you mean "name="?
reckon: "h100-sxm5-80g x8 + l4 x8 lnk=1Gb/s":1:26: unknown part "lnk": did you mean "link="?
reckon: "h100-sxm5-80g x8 name=a name=b + l4 x8 link=1Gb/s":1:25: name= is given twice: remove one
reckon: "h100-sxm5-80g x8 + l4 x8 hbm=80 link=1Gb/s":1:30: "80" has no unit: write a size such as "80GiB"
reckon: "h100-sxm5-80g x8 + l4 x8 link=1Gb/s,cap=0Gb/s":1:41: a cap is above 0; without cap= there is none
reckon: ./none.json: cannot open: No such file or directory; check the path
reckon: --launchable is of plans that Megatron-LM launches: leave the framework out
reckon: --launchable is of several clusters: of one, plans that the framework cannot start are left out in any case (--unstartable takes them in)
reckon: --unstartable is about one cluster: over several all plans are searched, those too that no framework starts as one job (--launchable leaves them out)
