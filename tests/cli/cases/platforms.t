# Devices of makers whose programs are no Megatron-LM: no launch file, no overlap of Transformer Engine; AMD's scripts name AMD's libraries.
for s in trainium2 gaudi3 max-1550; do
    reckon search -q -m llama3.1-8b -s $s -g 16 -b 64 pp1 cp1 --top 1 --save-script no.sh >out; echo "exit $?"; test ! -e no.sh || echo written
    reckon search -q -m llama3.1-8b -s $s -g 16 -b 64 pp1 cp1 --top 1 | grep -c "tp-overlap\|export megatron"
    reckon export megatron -m llama3.1-8b -s $s gpus16 tp8 gbs64 sp -o no.sh
    reckon predict -m llama3.1-8b -s $s gpus16 tp8 gbs64 sp tp-overlap | head -1
done
reckon export megatron -m llama3.1-8b gpus16 tp8 gbs64 sp tp-overlap -o tp.sh
for s in gaudi3 h100; do reckon check tp.sh -s $s --waste 100; done
reckon search -q -m llama3.1-8b -s mi355x -g 16 -b 64 pp1 cp1 tp8 zero1 --top 1 --save-script mi.sh >out; grep "CUDA_DEVICE\|CCL" mi.sh
reckon search -q -m llama3.1-8b -s h100 -g 16 -b 64 pp1 cp1 tp8 zero1 --top 1 --save-script h.sh >out; grep "CUDA_DEVICE\|CCL" h.sh
=== stdout
exit 1
0
cannot run: needs Transformer Engine, which does not run on trainium2: leave tp-overlap out
exit 1
0
cannot run: needs Transformer Engine, which does not run on gaudi3: leave tp-overlap out
exit 1
0
cannot run: needs Transformer Engine, which does not run on max-1550: leave tp-overlap out
tp.sh:65:5: error 12.needs: --tp-comm-overlap: needs Transformer Engine, which does not run on gaudi3: leave tp-overlap out
tp.sh on gaudi3: 1 error
tp.sh on h100-sxm5-80g: nothing found
export CUDA_DEVICE_MAX_CONNECTIONS=1 # as Megatron-LM asks for it
# The system calls what joins its nodes "NIC" and does not say what that is: RCCL looks.
export CUDA_DEVICE_MAX_CONNECTIONS=1 # Hopper and earlier; Blackwell needs none
# The system calls what joins its nodes "NIC" and does not say what that is: NCCL looks.
=== stderr
reckon: no launch file is written for trainium2: framework=megatron stands for its maker's programs there; give yours the degrees of the plan
reckon: no launch file is written for trainium2: framework=megatron stands for its maker's programs there; give yours the degrees of the plan
reckon: no launch file is written for gaudi3: framework=megatron stands for its maker's programs there; give yours the degrees of the plan
reckon: no launch file is written for gaudi3: framework=megatron stands for its maker's programs there; give yours the degrees of the plan
reckon: no launch file is written for max-1550: framework=megatron stands for its maker's programs there; give yours the degrees of the plan
reckon: no launch file is written for max-1550: framework=megatron stands for its maker's programs there; give yours the degrees of the plan
