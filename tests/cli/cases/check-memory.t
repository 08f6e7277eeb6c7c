reckon check -m llama3.1-405b -s h100-sxm5-80g -g 64 tp8 pp8 gbs64 zero1 sp; reckon check -m llama3.1-8b -s h100-sxm5-80g -g 8 zero3 framework=fsdp seq=1048576 gbs8; reckon check -m llama3.1-8b -s h100-sxm5-80g -g 64 gbs512 zero1; echo $?; reckon check -m llama3.1-8b -s h100-sxm5-80g -g 64 gbs512 zero1 --exact-memory; echo $?
=== stdout
error 5.states: stage 0 111.3 GiB: 80 GiB are there for weights, gradients and optimizer: no single change is enough: reckon fits lists what saves
llama3.1-405b on h100-sxm5-80g: 1 error
error 5.stage: stage 0 5194.0 GiB: 80 GiB are there for all that is held at the peak: no single change is enough: reckon fits lists what saves
llama3.1-8b on h100-sxm5-80g: 1 error
note 5.stage: stage 0 91.7 GiB: 80 GiB are there for all that is held at the peak: zero3 needs 55 GiB
llama3.1-8b on h100-sxm5-80g: 1 note
0
error 5.stage: stage 0 91.7 GiB: 80 GiB are there for all that is held at the peak: zero3 needs 55 GiB
llama3.1-8b on h100-sxm5-80g: 1 error
1
