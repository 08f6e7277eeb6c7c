# a problem among several has the answer that it has alone: where nothing fits without offload, into the memory of the nodes
on='-m mixtral-8x7b -b 64 -q'
best() { reckon search $on "$@" -f json | python3 -c "
import json, sys
answer = json.load(sys.stdin)
for row in answer.get('rows') or answer.get('problems') or answer['best'][:1]: print('%.6f' % row['step_s'], row['plan'])"; }
best -s h800-sxm5-80g -g 8 -k 1
best -s h800-sxm5-80g -g 8,16
best -s h100-sxm5-80g -s h800-sxm5-80g -g 8
reckon search $on -s h800-sxm5-80g -g 8,16 | sed -n '/assumed/p'
=== stdout
39.218055 dp4 cp2 ep8 etp1 gbs64 zero2 grad-overlap weight-overlap ep-overlap offload-optimizer=1
39.218055 dp4 cp2 ep8 etp1 gbs64 zero2 grad-overlap weight-overlap ep-overlap offload-optimizer=1
6.240296 dp2 tp2 pp2 vpp8 cp2 ep8 etp1 gbs64 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap
39.093091 dp4 cp2 ep8 etp1 gbs64 zero2 grad-overlap weight-overlap ep-overlap offload-optimizer=1
39.218055 dp4 cp2 ep8 etp1 gbs64 zero2 grad-overlap weight-overlap ep-overlap offload-optimizer=1
  assumed, where plans offload: host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system) at 50 GB/s each, its processors at 614 GB/s together
