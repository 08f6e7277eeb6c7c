# schedules that need a microbatch for each stage: over clusters, too, the search finds none without
echo '{"name": "q", "layers": 14, "heads": 4, "head_dim": 64, "hidden": 1280, "feedforward": 6144, "sequence": 1024, "vocabulary": 16139, "position": "rope", "tied_embeddings": true, "gated_mlp": true}' >q.json
at="-m q.json -s 'a100-sxm4-40g x24 name=a + v100-sxm2-32g x8 name=b link=100Gb/s@5us'"
plan=$(eval reckon search $at -q -b 8 precision=fp16 schedule=zero-bubble -f json | python3 -c 'import json, sys; print(json.load(sys.stdin)["best"][0]["plan"])')
eval reckon check $at $plan | grep -c 3.fill; echo "$plan" | grep -o 'gbs8.*stages=[^ ]*'
=== stdout
0
gbs8 schedule=zero-bubble stages=8:14/dp8
