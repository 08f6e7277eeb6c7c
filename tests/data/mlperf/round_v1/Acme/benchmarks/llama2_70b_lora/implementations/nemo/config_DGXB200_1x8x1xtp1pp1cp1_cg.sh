source $(dirname ${BASH_SOURCE[0]})/config_DGXB200_1x8x1xtp1pp1cp1.sh
export MCORE_CUDA_GRAPH=1
