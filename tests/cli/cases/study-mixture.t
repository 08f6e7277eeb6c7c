# A study of today's plans: mixtures, a dense model, two batches; each point is what a search says.
cat >study.json <<'STUDY'
{
    "title": "Mixtures", "gpus": 16, "columns": ["plan", "rate = round(samples_per_s, 4)"],
    "figures": [
        {"name": "mixtral", "models": ["mixtral-8x7b"], "systems": ["h100-sxm5-80g"], "batch": [16, 32],
         "axes": {"tensor": [1, 2], "microbatch": 1, "schedule": "1f1b"}},
        {"name": "dense", "models": ["llama3.1-8b"], "systems": ["h100-sxm5-80g"], "batch": 32,
         "framework": "fsdp", "precision": "fp8-current", "sequence": 4096, "axes": {"tensor": 1, "pipeline": 1}}
    ]
}
STUDY
reckon study study.json -q --export csv
for batch in 16 32; do
    reckon search -m mixtral-8x7b -s h100-sxm5-80g -g 16 -b $batch --tensor 1,2 --microbatch 1 \
        --schedule 1f1b --top 1 -q --format csv | tail -n 1 | cut -d, -f4,10
done
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 16 -b 32 --framework fsdp --precision fp8-current \
    --sequence 4096 --tensor 1 --pipeline 1 --top 1 -q --format csv | tail -n 1 | cut -d, -f4,10
# plans that Megatron-LM does not start, too
cat >study.json <<'STUDY'
{"models": ["llama3.1-8b"], "systems": ["h100-sxm5-80g"], "gpus": 24, "batch": 48, "columns": ["rate = round(samples_per_s, 4)"],
 "figures": [{"name": "all", "unstartable": true, "axes": {"tensor": 1}}, {"name": "usual", "axes": {"tensor": 1}}]}
STUDY
reckon study study.json -q --db all.db --export csv | cut -d, -f1,10-
for flag in --unstartable ""; do
    reckon search -m llama3.1-8b -s h100-sxm5-80g -g 24 -b 48 --tensor 1 $flag --top 1 -q --format csv | tail -n 1 | cut -d, -f4
done
sed 's/"gpus"/"framework": "calculon", "gpus"/' study.json >wrong.json
reckon study wrong.json -q --db wrong.db --export csv; echo $?
reckon search -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 64 --framework calculon --unstartable; echo $?
=== stdout
figure,point,model,system,gpus,max_batch,datatype,framework,sequence,strategies,fits,plan,rate
mixtral,1,mixtral-8x7b,h100-sxm5-80g,16,16,bf16,megatron,8192,168157,31412,dp2 tp2 pp2 vpp8 cp2 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap,9.9623
mixtral,2,mixtral-8x7b,h100-sxm5-80g,16,32,bf16,megatron,8192,168157,31394,dp2 tp2 pp2 vpp8 cp2 ep8 etp1 gbs32 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap,10.3176
dense,1,llama3.1-8b,h100-sxm5-80g,16,32,fp8-current,fsdp,4096,320,256,framework=fsdp precision=fp8-current dp16 mbs2 gbs32 seq4096 zero3 grad-overlap weight-overlap keep-gathered,48.6415
9.962328547746212,dp2 tp2 pp2 vpp8 cp2 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap
10.31760211062226,dp2 tp2 pp2 vpp8 cp2 ep8 etp1 gbs32 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap
48.6414712153535,framework=fsdp precision=fp8-current dp16 mbs2 gbs32 seq4096 zero3 grad-overlap weight-overlap keep-gathered
figure,strategies,fits,rate
all,103926,43113,28.5692
usual,55713,23797,28.5692
28.569227032659594
28.569227032659594
3
2
=== stderr
reckon: wrong.json:2:45: figures[0].unstartable: no framework starts plans of the Calculon model: leave unstartable, or framework calculon, out
reckon: --unstartable: no framework starts plans of the Calculon model, so none are left out: leave it, or framework calculon, out
