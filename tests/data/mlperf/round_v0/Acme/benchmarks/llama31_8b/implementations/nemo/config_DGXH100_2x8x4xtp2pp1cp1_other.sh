source $(dirname ${BASH_SOURCE[0]})/config_common.sh
: "${MINIBS:=4}"
export TENSOR_MODEL_PARALLEL=2
export MICRO_BATCH_SIZE=1
export TP_COMM_OVERLAP=True
export MCORE_CUDA_GRAPH=1
export DGXNNODES=2
