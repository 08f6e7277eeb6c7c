export MINIBS=2
export MICRO_BATCH_SIZE=2
export BUCKET_SIZE=768000000
export DGXNNODES=1
export DGXNGPU=8
export FP4=True
export FP8=False
export FP8_PARAM_GATHER=False
