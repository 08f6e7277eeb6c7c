cp "$RECKON_SOURCE/tests/data/megatron/gpt3-175b.sh" run.sh; reckon diff run.sh "+sp tp-overlap" --system h100-sxm5-80g -o run2.sh >all; sed -n "/Changes of the script/,\$p" all; diff run.sh run2.sh

# FSDP does not start beside one queue: the script is changed so that check finds nothing
cp "$RECKON_SOURCE/tests/data/megatron/llama3-70b.sh" run.sh; reckon diff run.sh "+tp8 pp1 cp1 mbs2 zero2" --system h100-sxm5-80g -o run2.sh >/dev/null; diff run.sh run2.sh | grep CONN; reckon check run2.sh --system h100-sxm5-80g
sed 's/^export CUDA_DEVICE_MAX_CONNECTIONS=1/# &/' run.sh >free.sh; reckon diff free.sh "+tp8 pp1 cp1 mbs2 zero2" --system h100-sxm5-80g -o run2.sh | grep -c CONN
(cat run.sh; echo 'CUDA_DEVICE_MAX_CONNECTIONS=1') >twice.sh; reckon diff twice.sh "+tp8 pp1 cp1 mbs2 zero2" --system h100-sxm5-80g -o run2.sh >/dev/null; echo "exit $?"

# what a shell would read is in quotes
reckon diff run.sh '+vpp8 split=2,3*17,2*13,1' --system h100-sxm5-80g -o run2.sh >/dev/null; echo "exit $?"; grep -o "pipeline-model-parallel-layout [^ ]*" run2.sh
echo "--- what Megatron-LM refuses alone has no worth alone: overlap of tensor messages without sequence parallelism"
reckon export megatron -m llama3.1-70b gpus64 tp8 pp4 gbs128 zero1 grad-overlap weight-overlap -o alone.sh
reckon diff alone.sh --best -s h100-sxm5-80g | grep -e '^--tp-comm-overlap' -e '^sequence_parallel no'
=== stdout
Changes of the script
argument             from       to    alone       memory
--sequence-parallel  not given  give  -0.5 %      -21.30 GiB
--tp-comm-overlap    not given  give  cannot run  -
37c37
<     --micro-batch-size 1
---
>     --sequence-parallel --tp-comm-overlap --micro-batch-size 1
< export CUDA_DEVICE_MAX_CONNECTIONS=1
> export CUDA_DEVICE_MAX_CONNECTIONS=8
run2.sh: note 5.stage: stage 0 77.0 GiB: unsure, P(fits) 54 %: 79 GiB are there: zero3 needs 63 GiB
run2.sh on h100-sxm5-80g: 1 note
0
exit 3
exit 0
pipeline-model-parallel-layout 'Et*2|(t*3|)*17(t*2|)*13tL'
--- what Megatron-LM refuses alone has no worth alone: overlap of tensor messages without sequence parallelism
sequence_parallel no -> yes, tensor_overlap none -> ring  16.1866   3.4793  17.9   48.22
--tp-comm-overlap                     -  not given  give                cannot run            -
=== stderr
reckon: warning: run.sh:39:25: --rampup-batch-size: is not followed: the step is that of the full batch
reckon: twice.sh:71: CUDA_DEVICE_MAX_CONNECTIONS: does not stand where it could be changed: change it by hand
