cat >s.json <<'F'
{"title": "each layer in its own way", "models": ["llama3.1-8b"], "systems": ["a100-sxm4-40g"], "gpus": [8], "batch": 64, "mode": ["pruned", "layerwise"],
 "axes": {"schedule": "1f1b", "chunks": 1}, "columns": ["step_s", "plan"]}
F
reckon study s.json -q --db s.db --export csv >out.csv
cut -d, -f2,5 out.csv
# no slower than layers that are alike, and its plan is predicted as it was
awk -F, 'NR > 1 { t[NR] = $12 } END { for (i = 2; i <= 3; i += 2) print (t[i + 1] <= t[i]) ? "no slower" : "slower" }' out.csv
grep -c 'stages=' out.csv
for mode in '"layer"' '["pruned", "pruned"]' '[]'; do
    sed 's/"mode": .*"layerwise"\]/"mode": '"$mode"'/' s.json >wrong.json
    reckon study wrong.json --db wrong.db --export csv; echo $?
done
echo '{"models": ["calculon-megatron-22b"], "systems": ["calculon-a100-80g"], "framework": "calculon", "gpus": 8, "batch": 8, "mode": "layerwise"}' >wrong.json
reckon study wrong.json --db wrong.db --export csv; echo $?
=== stdout
point,gpus
1,8
2,8
no slower
1
3
3
3
3
=== stderr
reckon: wrong.json:1:131: mode: must be one of pruned, exhaustive, layerwise; got the string "layer"; did you mean "layerwise"?
reckon: wrong.json:1:142: mode[1]: stands there twice: remove one of the two
reckon: wrong.json:1:131: mode: must have at least 1 element, has 0
reckon: wrong.json:1:129: mode: the Calculon model runs all layers alike: leave layerwise, or framework calculon, out
