# what the best step over two clusters depends on, and the same by changing the machine by hand
machine() { echo "h100-sxm5-80g x16 name=new net1.bandwidth=$1GB/s + a100-sxm4-80g x16 name=old net0.bandwidth=$2GB/s link=$3Gb/s@50us"; }
ask() { reckon search -q -m llama3.1-8b -b 16 -s "$@" tp8; }
ask "$(machine 50 300 100)" --sensitivity --format csv >rows.csv
grep -v '^part' rows.csv | grep -c '^new,\|^old,\|^new - old,'
said() { grep "^$1," rows.csv | cut -d, -f 8,9; }
step() { ask "$(machine "$@")" --format json | python3 -c "import json, sys; print('%.16g' % json.load(sys.stdin)['best'][0]['step_s'])"; }
by_hand() { printf '%s %s\n' "$1" "$(said "$1")"; step $2; step $3; }
by_hand 'new - old,link,,,bandwidth_Bps' "50 300 110" "50 300 90"
by_hand 'old,network,0,NVLink3,bandwidth_Bps' "50 330 100" "50 270 100"
ask "$(machine 50 300 100)" --sensitivity >told; sed -n '/^Sensitivity of the best/,/^$/p' told | head -8; tail -1 told
reckon predict -m llama3.1-8b -s "$(machine 50 300 100)" --plan a.json --sensitivity; echo "exit $?"
=== stdout
28
new - old,link,,,bandwidth_Bps 0.8548745473729105,0.8635512489809916
0.8548745473729106
0.8635512489809916
old,network,0,NVLink3,bandwidth_Bps 0.8554909590427102,0.8688727466963203
0.8554909590427102
0.8688727466963203
Sensitivity of the best time: its relative change per relative change of the parameter
cluster    what                                  now            sensitivity  best time with 10 % more  with 10 % less
new        matrix engine: peak                   989.4 TFLOP/s  -0.482       0.8168 s (-4.89 %)        0.8995 s (+4.74 %)
new        matrix engine: efficiency             0.775          -0.382       0.8251 s (-3.92 %)        0.8907 s (+3.71 %)
old        matrix engine: peak                   312 TFLOP/s    -0.279       0.8383 s (-2.39 %)        0.8861 s (+3.18 %)
new        network tier 0 (NVLink4): efficiency  0.809          -0.249       0.8435 s (-1.78 %)        0.8863 s (+3.21 %)
new        network tier 0 (NVLink4): bandwidth   450 GB/s       -0.182       0.8513 s (-0.87 %)        0.8825 s (+2.76 %)
old        network tier 0 (NVLink3): efficiency  0.766          -0.088       0.8553 s (-0.41 %)        0.8704 s (+1.36 %)
new - old: below 3.408 GB/s per node, several clusters are no better than one
exit 2
=== stderr
reckon: "--sensitivity" is not known: reckon predict --help-all lists all flags
