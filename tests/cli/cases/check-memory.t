reckon check -m llama3.1-405b -s h100-sxm5-80g -g 64 tp8 pp8 gbs64 zero1 sp; reckon check -m llama3.1-8b -s h100-sxm5-80g -g 8 zero3 framework=fsdp seq=1048576 gbs8; reckon check -m llama3.1-8b -s h100-sxm5-80g -g 64 gbs512 zero1; echo $?; reckon check -m llama3.1-8b -s h100-sxm5-80g -g 64 gbs512 zero1 --exact-memory; echo $?

# the verdict is that of predict; in lower memory, too
plan='-m llama3.1-8b gpus16 tp2 gbs128 zero1'
for words in 'mbs1' 'mbs2' 'mbs4' 'mbs8'; do
    reckon predict $plan -s h100-sxm5-80g $words | sed 's/[:,].*//; q'; reckon check $plan -s h100-sxm5-80g $words --format json | grep -o '"severity": "[a-z]*"\|"need": "[a-z ]*, P(fits)'
done
reckon check $plan -s 'h100-sxm5-80g mem2=16GiB@50GB/s' offload-optimizer offload-activations

# what is certain not to fit stops what follows
reckon check -m llama3.1-8b -s h100-sxm5-80g framework=deepspeed dp8 mbs4 gbs64 zero2 grad-overlap && echo starts
=== stdout
error 5.states: stage 0 111.3 GiB: 79 GiB are there for weights, gradients and optimizer: no single change is enough: reckon fits lists what saves
llama3.1-405b on h100-sxm5-80g: 1 error
error 5.stage: stage 0 5194.0 GiB: does not fit, P(fits) 0 %: 79 GiB are there: no single change is enough: reckon fits lists what saves
llama3.1-8b on h100-sxm5-80g: 1 error
warning 5.stage: stage 0 91.7 GiB: does not fit, P(fits) 13 %: 79 GiB are there: cp2 needs 71 GiB
llama3.1-8b on h100-sxm5-80g: 1 warning
0
error 5.stage: stage 0 91.7 GiB: does not fit: 79 GiB are there: cp2 needs 71 GiB
llama3.1-8b on h100-sxm5-80g: 1 error
1
fits
unsure
"severity": "note"
"need": "unsure, P(fits)
does not fit
"severity": "error"
"need": "does not fit, P(fits)
does not fit
"severity": "error"
"need": "does not fit, P(fits)
error 5.stage: memory tier 1 of stage 0 28.7 GiB: does not fit: 16 GiB are there: offload less
llama3.1-8b on h100-sxm5-80g mem2=16GiB@50GB/s: 1 error
error 5.stage: stage 0 200.0 GiB: does not fit, P(fits) 0 %: 79 GiB are there: recompute=full needs 64 GiB
llama3.1-8b on h100-sxm5-80g: 1 error
=== exit 1
