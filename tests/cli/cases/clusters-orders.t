# what is asked of plans over several clusters as of any others: orders
two="h100-sxm5-80g x16 name=new price=2.5 + a100-sxm4-80g x16 name=old price=1.5 link=100Gb/s@50us"
ask() { reckon search -q -m llama3.1-8b -b 64 -s "$two" "$@"; }
rows() { sed -n '/^   [0-9 ]*[0-9]  [0-9]/p' | cut -c 1-150; }
echo "== another order: the best by it, also of machines with fewer nodes"
ask --sort hbm -k 2 | rows
ask --sort step_usd -k 2 | rows
ask --sort step_usd --where 'step < 4s' -k 1 | rows
# ... which is the cheapest of each part of the machine by itself
for part in "h100-sxm5-80g x16 name=new price=2.5 + a100-sxm4-80g x8 name=old price=1.5" "h100-sxm5-80g x8 name=new price=2.5 + a100-sxm4-80g x16 name=old price=1.5"
do reckon search -q -m llama3.1-8b -b 64 -s "$part link=100Gb/s@50us" --sort step_usd -k 1 | rows; done
echo "== refused"
ask -g 32; echo "exit $?"
ask --layerwise; echo "exit $?"
ask --sort cost; echo "exit $?"
ask --where 'split == 4'; echo "exit $?"
=== stdout
== another order: the best by it, also of machines with fewer nodes
   1  4.3500        3766.4  29.79    12.5         32       0.07733  gbs64 round1; new: 14 layers tp4 cp2 dp1 mbs1 recompute=full; new: 11 layers tp4 c
   2  4.4024        3721.6  29.44    12.5         32       0.07827  gbs64 round1; new: 14 layers tp4 cp2 dp1 mbs1 recompute=full; new: 11 layers tp4 c
   1  3.3152        9884.2  51.42    68.8         16       0.03684  gbs64 round16; new: 32 layers tp1 dp16 mbs1 zero2
   2  6.6857        9802.4  50.99    69.4          8       0.03714  gbs64 round8; new: 32 layers tp1 dp8 mbs1 zero3
   1  3.3152        9884.2  51.42    68.8         16       0.03684  gbs64 round16; new: 32 layers tp1 dp16 mbs1 zero2
   1  3.3152        9884.2  51.42    68.8         16       0.03684  gbs64 round16; new: 32 layers tp1 dp16 mbs1 zero2
   1  6.6857        9802.4  50.99    69.4          8       0.03714  gbs64 round8; new: 32 layers tp1 dp8 mbs1 zero3
== refused
exit 2
exit 2
exit 2
exit 2
=== stderr
reckon: --gpus does not go with several clusters: each says how many it has
reckon: --layerwise is about one cluster: over several each stage has choices of its own
reckon: --sort: cost follows from the GPUs that a plan uses of each cluster: say step_s, or step_usd where every cluster has its price
reckon: --where: split is not known over several clusters
