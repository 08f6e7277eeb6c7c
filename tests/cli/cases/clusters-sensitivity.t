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
new - old,link,,,bandwidth_Bps 1.1696730527614176,1.1718422281634377
1.169673052761418
1.171842228163438
old,network,0,NVLink3,bandwidth_Bps 1.1681511187808487,1.173679367944135
1.168151118780849
1.173679367944135
Sensitivity of the best time: its relative change per relative change of the parameter
cluster    what                                  now            sensitivity  best time with 10 % more  with 10 % less
new        matrix engine: peak                   989.4 TFLOP/s  -0.433       1.124 s (-3.94 %)         1.226 s (+4.71 %)
new        matrix engine: efficiency             0.775          -0.359       1.134 s (-3.12 %)         1.218 s (+4.07 %)
new        network tier 0 (NVLink4): efficiency  0.809          -0.347       1.134 s (-3.12 %)         1.215 s (+3.82 %)
new        network tier 0 (NVLink4): bandwidth   450 GB/s       -0.303       1.139 s (-2.74 %)         1.21 s (+3.32 %)
old        matrix engine: peak                   312 TFLOP/s    -0.149       1.159 s (-0.98 %)         1.194 s (+2.00 %)
new        attention: efficiency                 0.65           -0.073       1.163 s (-0.66 %)         1.18 s (+0.80 %)
new - old: below 2.599 GB/s per node, several clusters are no better than one
exit 2
=== stderr
reckon: "--sensitivity" is not known: reckon predict --help-all lists all flags
