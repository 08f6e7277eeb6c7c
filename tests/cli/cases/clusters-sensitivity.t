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
new - old,link,,,bandwidth_Bps 0.8471453293565102,0.8558220309645911
0.8471453293565102
0.8558220309645911
old,network,0,NVLink3,bandwidth_Bps 0.8497908386060914,0.8525800180788872
0.8497908386060914
0.8525800180788871
Sensitivity of the best time: its relative change per relative change of the parameter
cluster    what                                  now            sensitivity  best time with 10 % more  with 10 % less
new        matrix engine: peak                   989.4 TFLOP/s  -0.417       0.8168 s (-4.03 %)        0.8878 s (+4.31 %)
new        matrix engine: efficiency             0.775          -0.327       0.8251 s (-3.05 %)        0.8809 s (+3.50 %)
new        network tier 0 (NVLink4): efficiency  0.809          -0.279       0.8323 s (-2.20 %)        0.8799 s (+3.39 %)
new        network tier 0 (NVLink4): bandwidth   450 GB/s       -0.252       0.834 s (-2.00 %)         0.877 s (+3.05 %)
old        matrix engine: peak                   312 TFLOP/s    -0.130       0.8383 s (-1.50 %)        0.8604 s (+1.10 %)
new        attention: efficiency                 0.65           -0.103       0.8432 s (-0.92 %)        0.8607 s (+1.13 %)
new - old: below 3.408 GB/s per node, several clusters are no better than one
exit 2
=== stderr
reckon: "--sensitivity" is not known: reckon predict --help-all lists all flags
