# Points leave the memory that reckon search leaves; headroom "none" is another search, and a row says which plan it is.
study() {
    cat >study.json <<STUDY
{"models": ["mixtral-8x7b"], "systems": ["h100-sxm5-80g"], "gpus": 64, "batch": 256, "headroom": "$1",
 "mode": ${2:-\"pruned\"}, "columns": ["gib = round(hbm_bytes / 1073741824.0, 1)", "rate = round(samples_per_s, 3)"]}
STUDY
    reckon study study.json --db study.db --export csv
}
for room in learned none learned; do
    study $room 2>&1 >table.csv | sed -n 's/ evaluated.*//p'
    cut -d, -f3- table.csv
done
study learned '["exhaustive"]' 2>/dev/null | cut -d, -f3-
study some; echo $?
=== stdout
reckon: 1 search, 4,205,068 plans
model,system,gpus,max_batch,datatype,framework,sequence,strategies,fits,gib,rate
mixtral-8x7b,h100-sxm5-80g,64,256,bf16,megatron,8192,4205068,864771,69.7,46.843
reckon: 1 search, 4,205,068 plans
model,system,gpus,max_batch,datatype,framework,sequence,strategies,fits,gib,rate
mixtral-8x7b,h100-sxm5-80g,64,256,bf16,megatron,8192,4205068,864771,77.1,47.578
model,system,gpus,max_batch,datatype,framework,sequence,strategies,fits,gib,rate
mixtral-8x7b,h100-sxm5-80g,64,256,bf16,megatron,8192,4205068,864771,69.7,46.843
model,system,gpus,max_batch,datatype,framework,sequence,strategies,fits,gib,rate
mixtral-8x7b,h100-sxm5-80g,64,256,bf16,megatron,8192,4205068,864771,69.7,46.843
3
=== stderr
reckon: study.json:1:98: headroom: must be one of learned, none; got the string "some"; did you mean "none"?
