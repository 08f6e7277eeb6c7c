# Profiles as predicted for one machine, fitted by another one: its constants come back.
reckon galvatron profile -m llama2-7b -s a100-sxm4-80g -g 8 -o p.json
reckon calibrate h100-sxm5-80g --galvatron p.json -m llama2-7b -f csv -o mine.json | cut -d, -f1-3,6
for s in a100-sxm4-80g mine.json; do reckon systems $s -f json | grep -E '"(base_us|hop_us|ramp_MB)"' | head -3; done
# messages alone
reckon calibrate h100-sxm5-80g --galvatron p.json | sed -n 4p | cut -c1-30
cp "$SOURCE/tests/golden/galvatron/profiles.json" all.json
no() { reckon calibrate h100-sxm5-80g --galvatron "$@"; echo $?; }
no all.json
no all.json -m llama2-7b
sed 's/"pp_size_2": .*/"pp_size_2": -1,/' p.json >wrong.json
no wrong.json
echo '{"models": {}}' >empty.json
no empty.json -m llama2-7b
echo '{"hardware": {"x": {"nodes": 1}}}' >short.json
no short.json
no missing.json
=== stdout
of,network,measurements,after_mean
layers,,8,0.00023640218774834132
collectives,0,74,5.830754514013492e-05

constant,network,before
matrix_efficiency,,0.775
memory_efficiency,,0.88
efficiency,0,0.809
base_us,0,4.2
hop_us,0,0.76
ramp_MB,0,6.7
in_network,0,0.61
      "base_us": 9.3,
      "hop_us": 0.59,
      "ramp_MB": 7.4,
      "base_us": 9.3,
      "hop_us": 0.59,
      "ramp_MB": 7.4,
collectives        0          
3
3
3
3
3
3
=== stderr
reckon: all.json:888:13: hardware: has 4 members: keep the one that is calibrated
reckon: all.json:888:13: hardware: has 4 members: keep the one that is calibrated
reckon: wrong.json:103:18: hardware.a100-sxm4-80g.p2p.pp_size_2: must be a number above 0
reckon: empty.json:1:12: models: has 0 members: keep the one that is calibrated
reckon: short.json:1:20: hardware.x: has no "gpus_per_node"
reckon: missing.json: cannot open: No such file or directory; check the path
