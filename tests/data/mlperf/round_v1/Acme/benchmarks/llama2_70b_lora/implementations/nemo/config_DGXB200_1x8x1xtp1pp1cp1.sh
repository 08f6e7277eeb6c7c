source $(dirname ${BASH_SOURCE[0]})/config_common.sh
export MINIBS=1
export TP=1
export CP=1
export SP=0
export FP8_ACT=1
export FP8_DPA=1
export CPU_OFFLOADING=1
export CPU_OFFLOADING_NUM_LAYERS="${OFFLOAD_LAYERS:=11}"
export DGXNNODES=1
export DGXNGPU=8
