cat > run.json <<'F'
{"title": "Which machine trains Llama 3.1 70B", "models": ["llama3.1-70b"], "systems": ["h100-sxm5-80g", "a100-sxm4-80g"], "gpus": [256, 1024],
 "batch": 1024, "run": {"tokens": 15e12}, "columns": ["step_s", "days", "gpu_hours", "cost_usd", "energy_kWh", "tokens_per_day"]}
F
study() { reckon study run.json -q --db run.db --export csv; }
study | awk -F, 'NR == 1 { print; next } { for (i = 12; i <= NF; i++) $i = sprintf("%.4g", $i); print }'
# what a search of the point says
reckon search -q -k 1 -m llama3.1-70b -s a100-sxm4-80g -g 256 -b 1024 --tokens 15T | sed -n '/^days  /p;/^GPU-h/p;/^cost/p;/^energy/p'
# another price: nothing is searched again
sed -i 's/15e12/15e12, "price": 1, "never": true/' run.json
reckon study run.json --db run.db --export csv 2>&1 >/dev/null | grep -c 'plans evaluated'
study | awk -F, 'NR > 1 { printf "%.6f %.6f\n", $15 / $14, $14 / $13 / 24 }'
sed -i 's/"cost_usd"/"cost_per_day = cost_usd \/ days"/' run.json; study | sed -n 1p
for wrong in '{"tokens": -1}' '{"toke": 1}' '{"offer": "x"}' '{"failures": "q"}' '{"mtbf_h": -1}' '{"spares": -1}' 3; do
    echo '{"models": ["llama3.1-70b"], "systems": ["h100"], "gpus": [64], "batch": 64, "run": '"$wrong"'}' >wrong.json
    reckon study wrong.json --db wrong.db --export csv; echo $?
done
=== stdout
figure,point,model,system,gpus,max_batch,datatype,framework,sequence,strategies,fits,step_s,days,gpu_hours,cost_usd,energy_kWh,tokens_per_day
study 1 llama3.1-70b h100-sxm5-80g 256 1024 bf16 megatron 8192 1078677 193654 29.03 608.9 3.741e+06 9.606e+06 3.696e+06 2.463e+10
study 2 llama3.1-70b h100-sxm5-80g 1024 1024 bf16 megatron 8192 1051882 246810 7.363 155.2 3.813e+06 9.643e+06 3.666e+06 9.668e+10
study 3 llama3.1-70b a100-sxm4-80g 256 1024 bf16 megatron 8192 1078677 188156 75.73 1588 9.76e+06 2.003e+07 5.545e+06 9.443e+09
study 4 llama3.1-70b a100-sxm4-80g 1024 1024 bf16 megatron 8192 1051882 239181 19.02 400.9 9.852e+06 1.991e+07 5.587e+06 3.742e+10
days                           1588              expected, failures and checkpoints included
GPU-hours                      9.760 M
cost in USD                    20.029 M          spare nodes included
energy in kWh                  5.545 M           boards at the load of the step, times factors for hosts, network and cooling (--prices)
0
1.000000 256.000000
1.000000 1024.000000
1.000000 256.000000
1.000000 1024.000000
figure,point,model,system,gpus,max_batch,datatype,framework,sequence,strategies,fits,step_s,days,gpu_hours,cost_per_day,energy_kWh,tokens_per_day
3
3
3
3
3
3
3
=== stderr
reckon: wrong.json:1:96: run.tokens: must be >= 0 and <= 1e+18, got -1
reckon: wrong.json:1:86: run: unknown key "toke"; did you mean "tokens"?
reckon: wrong.json:1:85: run: price: no offer "x" of h100-sxm5-80g in the list: give US dollars for an hour, 2.5
reckon: wrong.json:1:85: run: failures: no logbook "q": one of llama3, opt-175b, bloom
reckon: wrong.json:1:96: run.mtbf_h: must be >= 0 h and <= 1000000000000 h, got -1
reckon: wrong.json:1:96: run.spares: must be >= 0 and <= 100000, got -1
reckon: wrong.json:1:85: run: must be an object, {...}, got 3
