reckon check -m llama3.1-8b -s h100-sxm5-80g -g 16 --env WORLD_SIZE=8 --env RANK=9 --checkpoint "torch tensor=4 pipeline=1 layers=28" tp2 gbs64 zero1 sp
=== stdout
error 12.environment: CUDA_DEVICE_MAX_CONNECTIONS: is not set: must be 1 with tensor or context parallelism before Blackwell: set it to 1
error 12.environment: WORLD_SIZE 8: the plan is for 16 ranks: make them agree
error 12.environment: RANK 9: there are ranks 0 to 7: number ranks from 0
error 13.reshard: checkpoint torch: written with tensor 4, the plan has 2: this format is read in its own layout only: reckon reshard CHECKPOINT --to tp2
error 13.model: checkpoint layers 28: the model has 32
llama3.1-8b on h100-sxm5-80g: 5 errors
=== exit 1
