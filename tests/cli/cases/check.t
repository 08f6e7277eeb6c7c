reckon check -m llama3.1-70b -s h100-sxm5-80g -g 100 tp8 pp4 gbs512; echo $?; reckon check -m llama3.1-70b -s h100-sxm5-80g -g 128 tp16 pp4 cp3 split=20,20,20,19 gbs511; reckon check -m llama3.1-70b -s h100-sxm5-80g -g 128 tp8 pp4 gbs512 sp zero1; echo $?
=== stdout
error 2.product: gpus: 100 GPUs are not a multiple of tensor 8 * pipeline 4 = 32: use 96 or 128
llama3.1-70b on h100-sxm5-80g: 1 error
1
error 2.product: gpus: 128 GPUs are not a multiple of tensor 16 * context 3 * pipeline 4 = 192: use 192
error 4.context: cp 3: 8192 tokens are not a multiple of 2 * context 3: use a sequence of 8190 or 8196
error 6.layers: split: 79 of 80 blocks are on a stage: deal out 80
warning 9.tensor: tp 16: crosses domains of 8 ranks: use tensor 8 or a divisor of it
llama3.1-70b on h100-sxm5-80g: 3 errors, 1 warning
warning 14.waste: overlap tensor communication with products: would shorten the step by 20.1 %, 39.5 s to 31.6 s, with 44.5 of 79.2 GiB: tensor_overlap none -> ring
llama3.1-70b on h100-sxm5-80g: 1 warning
0
