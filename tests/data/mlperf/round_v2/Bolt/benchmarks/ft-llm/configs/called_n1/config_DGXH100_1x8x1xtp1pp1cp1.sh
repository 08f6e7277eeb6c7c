export MINIBS=1
export MBS=1
export TP=1
export FP8=True
export DGXNNODES=1
export DGXNGPU=8
