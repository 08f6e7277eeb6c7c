# memories made of drives, in a line and in a file; what is refused, and how it says so
reckon systems 'a100-pcie-40g mem2=100GiB@25GB/s ssd=4*micron-9550-max-6.4tb,raid=5' | grep -A 6 '^Memory'
for line in 'ssd=4' 'ssd=0*samsung-980pro-1tb' 'ssd=2*samsung-980pro-9tb' 'ssd=3*samsung-980pro-1tb,raid=10' \
    'ssd=4*samsung-980pro-1tb,raid=7' 'mem2=1TiB' 'mem2=1TiB@5GB/s,endurance=0B' 'mem2=1TiB@5GB/s,write_amplification=0.5'; do
    reckon systems "a100-pcie-40g $line" >/dev/null
    echo "exit $?"
done
memory() {
    awk -v m="$1" '/"memory": \[/ { within = 1 } within && /^    \]/ { print "        , " m; within = 0 } { print }' \
        "$RECKON_SOURCE/data/systems/a10g.json" >s.json
    reckon systems ./s.json 2>&1 >/dev/null | sed 's/:[0-9]*:[0-9]*:/:/'
}
memory '{"drive": "samsung-980pro-1tb"}'
memory '{"drive": "samsung-980pro-1tb", "drives": 4, "raid": "6"}'
memory '{"drive": "samsung-980pro-1tb", "drives": 3, "raid": "10"}'
memory '{"drive": "samsung-980pro-1tb", "drives": 4, "write_amplification": 0}'
memory '{"capacity_GiB": 100, "bandwidth_GBps": 5, "efficiency_from_MB": [[0, 1]], "endurance_PB": 0}'
memory '{"capacity_GiB": 100, "efficiency_from_MB": [[0, 1]]}'
memory '{"capacity_GiB": 100, "bandwidth_GBps": 5, "efficiency_from_MB": [[0, 1]], "endurence_PB": 1}'
memory '{"drive": "samsung-980pro-1tb", "drives": 4, "raid": "5", "through_host": true, "retention_gain": 86}'
=== stdout
Memory of a device
tier  name                       capacity   bandwidth  achieved
                                                              %
   0  HBM2                       39.5 GiB   1.55 TB/s      90.0
   1  mem2                      100.0 GiB  25.00 GB/s     100.0
   2  4x micron-9550-max-6.4tb   17.5 TiB  30.00 GB/s     100.0

exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
reckon: ./s.json: memory[1]: missing key "drives" (of one accelerator, or of those that share them): add it
reckon: ./s.json: memory[1].raid: must be one of 0, 1, 5, 10; got the string "6"; did you mean "0"?
reckon: ./s.json: memory[1]: raid 10 takes an even number of drives, 4 or more, got 3
reckon: ./s.json: memory[1].write_amplification: must be >= 1, got 0
reckon: ./s.json: memory[1].endurance_PB: must be > 0 PB, got 0
reckon: ./s.json: memory[1]: missing key "bandwidth_GBps" (peak rate, reads and writes together): add it
reckon: ./s.json: memory[1]: unknown key "endurence_PB"; did you mean "endurance_PB"?
=== stderr
reckon: "a100-pcie-40g ssd=4":1:19: write ssd=4*samsung-980pro-1tb: how many of which drive an accelerator has
reckon: "a100-pcie-40g ssd=0*samsung-980pro-1tb":1:19: write ssd=4*samsung-980pro-1tb: how many of which drive an accelerator has
reckon: "a100-pcie-40g ssd=2*samsung-980pro-9tb":1:19: unknown drive "samsung-980pro-9tb": did you mean "samsung-980pro-1tb"? (or give a file's path; a file's name ends in .json)
reckon: "a100-pcie-40g ssd=3*samsung-980pro-1tb,raid=10":1:19: raid 10 takes an even number of drives, 4 or more, got 3
reckon: "a100-pcie-40g ssd=4*samsung-980pro-1tb,raid=7":1:40: drives have raid=0, 1, 5 or 10, path=gds or host, write_amplification=N and retention_gain=N of at least 1, capacity_shared_by=N and bandwidth_shared_by=N
reckon: "a100-pcie-40g mem2=1TiB":1:24: a new memory needs a rate: 1TiB@100GB/s
reckon: "a100-pcie-40g mem2=1TiB@5GB/s,endurance=0B":1:41: must be > 0
reckon: "a100-pcie-40g mem2=1TiB@5GB/s,write_amplification=0....":1:51: must be >= 1, got 0.5
