# the plan of several clusters as what launchers take: the one that was found, of a file, or layer by layer; what cannot be said is refused
two="h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us"
export_() { target=$1; shift; reckon export "$target" -m llama3.1-8b -s "$two" "$@"; }
reckon search -q -m llama3.1-8b -s "$two" -b 64 --save-plan p.json --save-script s.sh >/dev/null
export_ megatron gbs64 | cmp - s.sh && export_ megatron --plan p.json | cmp - s.sh && grep -n 'parallel-size\|pipeline' s.sh
cat >uneven.json <<'END'
{"batch": 64, "round": 8, "stages": [
  {"layers": 20, "cluster": "new", "words": "tp2 dp8 recompute=full"}, {"layers": 12, "cluster": "old", "words": "tp2 dp8"}]}
END
sed 's/"layers": 12.*/"layers": 12, "cluster": "old", "words": "tp1 dp8"}]}/' uneven.json >ranks.json
export_ galvatron --plan uneven.json zero2 | grep -n 'checkpoint\|pp_div'
export_ megatron --plan uneven.json; echo $?
export_ galvatron --plan ranks.json zero2; echo $?
export_ deepspeed gbs64; echo $?
export_ megatron gbs64 dp8 | grep 'model-parallel\|^# plan'
export_ megatron gbs64 pp2; echo $?
export_ megatron gbs64 -g 32; echo $?
export_ megatron; echo $?
reckon export megatron -m llama3.1-8b -s "${two% link=*}" gbs64; echo $?
=== stdout
7:    "checkpoint": "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0",
11:    "pp_division": "20,12",
2
2
1
# plan:  dp8 pp2 vpp2 cp2 gbs64 split=4,11,5,12 zero1 grad-overlap weight-overlap
    --tensor-model-parallel-size 1
    --pipeline-model-parallel-size 2
    --pipeline-model-parallel-layout "Et*4|t*11|t*5|t*12L"
2
2
2
2
=== stderr
reckon: --save-script: Megatron-LM does not run it as one job: its stages differ in more than their layers; reckon search --launchable finds the best that it does
cmp: s.sh: No such file or directory
reckon: over 2 clusters: 2.731 s per step, the best plan whose stages are alike; reckon export ranks writes its hosts in their order
reckon: over 2 clusters: 4.261 s per step, as its stages are said; reckon export ranks writes its hosts in their order
reckon: the plan's stages differ in more than their layers, or have replicas on several clusters, which this target does not say
reckon: the plan's stages have different numbers of GPUs, or replicas on several clusters, which this target does not say
reckon: over 2 clusters: 2.731 s per step, the best plan whose stages are alike; reckon export ranks writes its hosts in their order
reckon: pipeline: 2 stages need a model that is written as a PipelineModule: no ds_config.json makes them. Give a plan with pipeline 1, or export to megatron
reckon: over 2 clusters: 2.731 s per step, the best plan whose stages are alike; reckon export ranks writes its hosts in their order
reckon: pipeline: over several clusters the stages are chosen: leave it out
reckon: --gpus does not go with several clusters: each says how many it has
reckon: --batch is missing: add --batch 256, or the word gbs256
reckon: "h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=...":1:56: no link between new and old: add link=100Gb/s@50us, or link:new-old=...
