# Figures change with the predictor; what is said does not.
reckon search -m gpt3-175b -s h100-sxm5-80g -g 128 -b 256 --layerwise -q --save-plan plan.json | sed 's/[0-9][0-9.,]*/N/g; s/  */ /g' | grep -v '^ *N\|reckon predict'
reckon predict -m gpt3-175b -s h100-sxm5-80g --plan plan.json -f json | grep -c '"segments"'
=== stdout
Best plan fits: P(fits) N %, N s per step (N % N-N s), MFU N %, memory N of N GiB on stage N of N-N Nk USD per NB tokens
 `reckon export megatron` cannot say layers N-N: tensor N (the run has N),
 layers N-N: tensor N (the run has N), layer N: tensor N (the run has N),
 layers N-N: tensor N (the run has N), layers N-N: tensor N (the run has N),
 layers N-N: tensor N (the run has N), layers N-N: tensor N (the run has N),
 layers N-N: tensor N (the run has N), layers N-N: tensor N (the run has N),
 embedding and head: tensor N (the run has N)
 the best plan that the file can say, of reckon search without --layerwise: N s
gptN-Nb on hN-sxmN-Ng, N GPUs, batch N each layer in its own way, detailed model
 cost: N USD per GPU-hour (cheapest listed: neocloud, N-N-N), without failures

step N s as predicted
all layers alike N s the best plan whose layers are run alike, NFNB without interleaving
any schedule N s the best plan of reckon search: layers alike, interleaved or not
gain N % of the step, less than that
virtual stages N on each rank, to which its layers are dealt; below they are side by side
bound N s no plan of this search is predicted to take less within this memory
certificate within N % of the bound
bi-objective walk N % of the sums that the search goes by, above those of this mix: between balanced memory and balanced time
shapes N numbers of stages, virtual stages and microbatches in flight
excluded N ... pruned by a bound
unfit N ... infeasible, or not faster
ways N to run a layer, of all shapes
labels N kept
judged N mixes, by the prediction of their plan

Layers and their choices
stage first layers run data microbatch

 embedding and head: tpN zeroN

Stages
stage layers forward backward memory in flight
 GiB

The same plan by schedule
schedule predicted simulated gap fits
 s s %
gpipe N N N no
zero-bubble N N N yes

Memory and time of a stage
stage memory microbatch layers
 GiB


To see where its time goes:
0
=== exit 1
