# Where nothing forbids the launch, what would shorten the step by 3 percent and more is a warning.
check() { reckon check "$@" -m llama3.1-8b -s h100-sxm5-80g; }
echo "--- recomputation without need, gradients that wait, a microbatch of 1"; check gpus64 tp2 zero1 gbs512 recompute=full
echo "--- with a threshold; an error leaves no warning of waste"; check --waste 15 gpus64 tp2 zero1 gbs512 recompute=full; check gpus64 tp3 gbs512 recompute=full
echo "--- of a script, with its lines; nothing is left of one that is changed as it says"
reckon export megatron -m llama3.1-8b gpus8 tp2 gbs32 zero1 recompute=full grad-overlap weight-overlap -o run.sh
reckon check run.sh -s h100-sxm5-80g
reckon diff run.sh --best -s h100-sxm5-80g -o best.sh >/dev/null && reckon check best.sh -s h100-sxm5-80g | grep -c waste; :
echo "--- as CSV, a change of several flags whole"; reckon check run.sh -s h100-sxm5-80g --format csv
echo "--- as CSV; nothing found is a header"; check gpus64 tp2 zero1 gbs512 recompute=full --format csv; check gpus64 tp2 zero1 gbs512 --waste 90 --format csv
echo "--- no CUDA graphs where Megatron Core cannot say them"; reckon check -m qwen3-30b-a3b -s h100-sxm5-80g dp2 tp4 ep8 etp1 mbs2 gbs32 sp tp-overlap zero2 grad-overlap weight-overlap recompute=full
=== stdout
--- recomputation without need, gradients that wait, a microbatch of 1
warning 14.waste: recompute nothing: would shorten the step by 23.6 %, 9.48 s to 7.24 s, with 51.7 of 79.2 GiB: recompute full -> none
warning 14.waste: recompute attention alone: would shorten the step by 21.0 %, 9.48 s to 7.48 s, with 51.7 of 79.2 GiB: recompute full -> selective, recompute_parts none -> core_attn
warning 14.waste: halve tensor parallelism: would shorten the step by 10.3 %, 9.48 s to 8.5 s, with 57.8 of 79.2 GiB: tensor 2 -> 1
llama3.1-8b on h100-sxm5-80g: 3 warnings
--- with a threshold; an error leaves no warning of waste
warning 14.waste: recompute nothing: would shorten the step by 23.6 %, 9.48 s to 7.24 s, with 51.7 of 79.2 GiB: recompute full -> none
warning 14.waste: recompute attention alone: would shorten the step by 21.0 %, 9.48 s to 7.48 s, with 51.7 of 79.2 GiB: recompute full -> selective, recompute_parts none -> core_attn
llama3.1-8b on h100-sxm5-80g: 2 warnings
error 2.product: gpus: 64 GPUs are not a multiple of tensor 3 * pipeline 1 = 3: use 63 or 66
error 4.heads: tp 3: heads: 32 over 3 ranks is not whole: use 2 or 4
error 4.kv_heads: tp 3: kv_heads: 8 over 3 ranks is not whole: use 2 or 4
error 4.feedforward: tp 3: feedforward: 14336 over 3 ranks is not whole: use 2 or 4
error 4.hidden: tp 3: hidden: 4096 over 3 ranks is not whole: use 2 or 4
warning 9.tensor: tp 3: crosses domains of 8 ranks: use tensor 1 or a divisor of it
llama3.1-8b on h100-sxm5-80g: 5 errors, 1 warning
--- of a script, with its lines; nothing is left of one that is changed as it says
run.sh:73: warning 14.waste: recompute nothing: would shorten the step by 23.8 %, 4.7 s to 3.59 s, with 61.5 of 79.2 GiB: remove --recompute-granularity, remove --recompute-method, remove --recompute-num-layers
run.sh:73: warning 14.waste: recompute attention alone: would shorten the step by 21.2 %, 4.7 s to 3.71 s, with 61.5 of 79.2 GiB: --recompute-granularity full -> selective, remove --recompute-method, remove --recompute-num-layers, add --recompute-modules core_attn
run.sh:62: warning 14.waste: halve tensor parallelism: would shorten the step by 10.1 %, 4.7 s to 4.23 s, with 67.6 of 79.2 GiB: --tensor-model-parallel-size 2 -> 1
run.sh on h100-sxm5-80g: 3 warnings
0
--- as CSV, a change of several flags whole
rule,severity,file,line,column,rank,what,have,need,fix
14.waste,warning,run.sh,73,,,recompute nothing,,"would shorten the step by 23.8 %, 4.7 s to 3.59 s, with 61.5 of 79.2 GiB","remove --recompute-granularity, remove --recompute-method, remove --recompute-num-layers"
14.waste,warning,run.sh,73,,,recompute attention alone,,"would shorten the step by 21.2 %, 4.7 s to 3.71 s, with 61.5 of 79.2 GiB","--recompute-granularity full -> selective, remove --recompute-method, remove --recompute-num-layers, add --recompute-modules core_attn"
14.waste,warning,run.sh,62,,,halve tensor parallelism,,"would shorten the step by 10.1 %, 4.7 s to 4.23 s, with 67.6 of 79.2 GiB",--tensor-model-parallel-size 2 -> 1
--- as CSV; nothing found is a header
rule,severity,file,line,column,rank,what,have,need,fix
14.waste,warning,,,,,recompute nothing,,"would shorten the step by 23.6 %, 9.48 s to 7.24 s, with 51.7 of 79.2 GiB",recompute full -> none
14.waste,warning,,,,,recompute attention alone,,"would shorten the step by 21.0 %, 9.48 s to 7.48 s, with 51.7 of 79.2 GiB","recompute full -> selective, recompute_parts none -> core_attn"
14.waste,warning,,,,,halve tensor parallelism,,"would shorten the step by 10.3 %, 9.48 s to 8.5 s, with 57.8 of 79.2 GiB",tensor 2 -> 1
rule,severity,file,line,column,rank,what,have,need,fix
--- no CUDA graphs where Megatron Core cannot say them
note 5.stage: stage 0 71.9 GiB: unsure, P(fits) 72 %: 79 GiB are there: mbs1 needs 69 GiB
qwen3-30b-a3b on h100-sxm5-80g: 1 note
