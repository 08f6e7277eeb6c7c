export FP8=True
export MICRO_BATCH_SIZE=1
export DGXNGPU=8
