# the line that the note on the network names is the quarter that it speaks of: with it a step takes what the note says
plan='dp64 tp4 mbs2 gbs512 sp zero3 grad-overlap weight-overlap'
note=$(reckon predict -m qwen3-32b -s h100 -g 256 $plan | tr '\n' ' ' | sed 's/  */ /g; s/.*\(the network matters[^(]*([^)]*)\).*/\1/')
echo "$note"
line=$(echo "$note" | sed 's/.*-s "\([^"]*\)".*/\1/')
reckon predict -m qwen3-32b -s "$line" -g 256 $plan | sed 's/.* \([0-9.]* s per step\).*/\1/; q'
# where a plan is chosen it stands, too
reckon fits qwen3-32b h100 -g 256 $plan | grep -c 'network matters'
reckon search -q -m qwen3-32b -s h100 -g 256 -b 512 -k 1 --where 'tensor = 4 and pipeline = 1' | grep -c 'network matters'
=== stdout
the network matters: 50 GB/s per GPU between nodes is assumed; with a quarter of it the step takes 12.36 s (-s "h100-sxm5-80g net1=100Gb/s" is that quarter, reckon calibrate --nccl a measured rate)
12.36 s per step
1
1
