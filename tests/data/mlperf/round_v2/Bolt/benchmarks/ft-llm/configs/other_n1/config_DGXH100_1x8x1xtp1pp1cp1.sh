export MINIBS=2
export MBS=1
export TP=2
export DGXNNODES=1
export DGXNGPU=8
