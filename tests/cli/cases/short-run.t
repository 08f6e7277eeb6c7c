# spare nodes: predict, a study and a budget ask the same of runs so short that no node may fail
words="dp2 tp4 gbs64 zero1 grad-overlap weight-overlap"
cat > study.sh <<'F'
printf '{"framework":"megatron","batch":64,"gpus":8,"models":["llama3.1-8b"],"systems":["h100-80g"],"columns":["days","gpu_hours","cost_usd","energy_kWh","plan"],"run":{"tokens":%s,"price":2},"axes":{"tensor":4,"pipeline":1,"context":1,"microbatch":1}}' $1 >s.json
reckon study s.json -q --db s.db --export csv | tail -1 >row
F
for tokens in 2e10 4e10 1e12; do
    sh study.sh $tokens
    reckon predict -m llama3.1-8b -s h100-80g -g 8 $(sed 's/.*,//' row) --tokens $tokens --price 2 --format json |
        python3 -c 'import json, sys; r = json.load(sys.stdin)["run"]; print(*(r[k] for k in ("spares", "days", "gpu_hours", "cost_usd", "energy_kWh")))' >p
    cut -d, -f 12-15 row | tr , ' ' | paste -d' ' - p | awk '{ d = 0; for (i = 1; i <= 4; i++) { e = $i / $(i + 5) - 1; if (e < 0) e = -e; if (e > d) d = e } print $5 " spare nodes, differ: " (d < 1e-3 ? "no" : d) }'
done
reckon budget -m gpt2-124m -s h100-80g --cost 100 --price 2 -g 8 | head -1 | grep -o 'in .*USD[^;]*'
reckon budget -m llama3.1-8b -s h100-80g --cost 30000 --price 2 -g 8 | head -1 | grep -o 'in .*USD[^;]*'
=== stdout
0 spare nodes, differ: no
0 spare nodes, differ: no
0 spare nodes, differ: no
in 0.2604 days and 100 USD
in 78.13 days and 30k USD
