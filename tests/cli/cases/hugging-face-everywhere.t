# Every command that takes a model takes the config.json of Hugging Face.
mkdir Llama; cp "$RECKON_SOURCE/tests/data/hf/llama-3.1-8b.json" Llama/config.json
m=Llama/config.json; on="-m $m -s h100-sxm5-80g -g 8"
reckon models $m | sed -n 2p
reckon predict $on zero3 | sed -n '1s/:.*//p'
reckon fits $on zero3 | sed -n '1s/:.*//p'
reckon search $on -b 32 --top 1 -q | sed -n '1s/ by.*//p'
reckon timeline $on zero3 | sed -n '2s/^  //p'
reckon report $on zero3 | grep -m1 -o "<title>[^<]*"
reckon diff 'zero3 gpus8' '+tp2' -m $m -s h100-sxm5-80g | sed -n 1p
reckon export megatron -m $m gpus8 zero1 2>/dev/null | grep num-layers
cat >study.json <<'STUDY'
{"title": "One", "gpus": 8, "columns": ["rate = round(samples_per_s, 4)"],
 "figures": [{"name": "one", "models": ["./Llama/config.json"], "systems": ["h100-sxm5-80g"], "batch": 32,
              "axes": {"tensor": 1, "pipeline": 1}}]}
STUDY
reckon study study.json -q --export csv
=== stdout
id               Llama
fits
fits
Llama on h100-sxm5-80g, 8 GPUs, detailed model
<title>Llama on h100-sxm5-80g
both fit: B takes 6.6 % more time than A, 4.198 s against 3.940 s per step, 0.939 times the throughput
    --num-layers 32
figure,point,model,system,gpus,max_batch,datatype,framework,sequence,strategies,fits,rate
one,1,./Llama/config.json,h100-sxm5-80g,8,32,bf16,megatron,8192,2695,980,9.502
=== stderr
reckon: Llama/config.json: sequence 8192: original_max_position_embeddings, before the context was stretched to 131072; --sequence sets another
reckon: warning: Llama/config.json: sequence 8192 is assumed (original_max_position_embeddings, before the context was stretched to 131072): give seqN
