printf "{\"train_micro_batch_size_per_gpu\": 1, \"bf16\": {\"enabled\": true}, \"zero_optimization\": {\"stage\": 3}}" >peak.json; for m in llama3.1-8b llama3.1-70b; do reckon check peak.json -m $m -s h100-sxm5-80g -g 16; done; printf "%s" "{\"train_batch_size\": 500, \"train_micro_batch_size_per_gpu\": 1, \"gradient_accumulation_steps\": 10, \"bf16\": {\"enabled\": true}, \"fp16\": {\"enabled\": true}, \"zero_optimization\": {\"stage\": 1, \"offload_param\": {\"device\": \"cpu\"}}}" >ds.json; reckon check ds.json -m llama3.1-8b -s h100-sxm5-80g -g 48; printf "{\"zero_optimisation\": {\"stage\": 3}}" >ds.json; reckon check ds.json --as deepspeed -m llama3.1-8b -s h100-sxm5-80g -g 48
echo "--- stages of ZeRO are changes, too; the file alone is judged by what it holds for certain"
for stage in 0 2 3; do printf '{"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": %d}}' $stage >stage.json; reckon check stage.json -m llama3.1-8b -s rtx4090 -g 8; done
echo "--- what it advises is an option of its own"
printf '{"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimisation": {"stage": 3}, "zero_optimization": {"stage": 3}}' >ds.json
reckon check ds.json -m llama3.1-8b -s h100-sxm5-80g -g 16 && echo passed; reckon check ds.json -m llama3.1-8b -s h100-sxm5-80g -g 16 --ignore zero_optimisation.stage && echo passed
=== stdout
llama3.1-8b on h100-sxm5-80g: nothing found
peak.json: warning 5.stage: stage 0 261.9 GiB: does not fit, P(fits) 0 %: 79 GiB are there; the program may recompute more: no single change is enough: reckon fits lists what saves
llama3.1-70b on h100-sxm5-80g: 1 warning
ds.json: error 3.divide: train_batch_size: 500 is not microbatch 1 * accumulation 10 * 48 copies: use 480 or 960
ds.json: error 12.needs: zero_optimization.offload_param: parameters can be offloaded with stage 3 only: use stage 3
ds.json: error 12.excludes: fp16.enabled: cannot be on with bf16.enabled: turn one of them off
llama3.1-8b on h100-sxm5-80g: 3 errors
ds.json:1:33: error 1.unknown: zero_optimisation.stage: is not known, did you mean zero_optimization.stage: correct it, or give --ignore zero_optimisation.stage
llama3.1-8b on h100-sxm5-80g: 1 error
--- stages of ZeRO are changes, too; the file alone is judged by what it holds for certain
stage.json: error 5.states: stage 0 119.7 GiB: 24 GiB are there for weights, gradients and optimizer: zero3 needs 15 GiB for them
llama3.1-8b on rtx4090: 1 error
stage.json: error 5.states: stage 0 28.0 GiB: 24 GiB are there for weights, gradients and optimizer: zero3 needs 15 GiB for them
llama3.1-8b on rtx4090: 1 error
stage.json: warning 5.stage: stage 0 63.3 GiB: does not fit, P(fits) 0 %: 24 GiB are there; the program may recompute more: no single change is enough: reckon fits lists what saves
llama3.1-8b on rtx4090: 1 warning
--- what it advises is an option of its own
ds.json:1:97: error 1.unknown: zero_optimisation.stage: is not known, did you mean zero_optimization.stage: correct it, or give --ignore zero_optimisation.stage
llama3.1-8b on h100-sxm5-80g: 1 error
llama3.1-8b on h100-sxm5-80g: nothing found
passed
