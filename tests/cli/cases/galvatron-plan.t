cp "$SOURCE/tests/golden/galvatron/profiles.json" .
search() { reckon galvatron search --profiles profiles.json -m llama2-7b pipeline_type=pipedream_flush default_dp_type=zero2 layers=32 sequence=2048 -o s.json "$@" >/dev/null; }
search -s shipped-1x8 memory_GB=20 batch=32 chunks=4
reckon galvatron plan s.json
reckon predict -m llama2-7b -s a100-sxm4-80g -f json $(reckon galvatron plan s.json) | grep -c '"verdict": "fits"'
reckon galvatron plan s.json -o plan.json
reckon predict -m llama2-7b -s a100-sxm4-80g -f json $(reckon galvatron plan s.json) | grep '"step_s"' >words
reckon predict -m llama2-7b -s a100-sxm4-80g -f json --plan plan.json | grep '"step_s"' | cmp - words && echo same
search -s shipped-2x8 memory_GB=12 batch=64 chunks=4
reckon galvatron plan s.json
search -s shipped-1x8 memory_GB=24 batch=56 chunks=4 fine_grained=0
reckon galvatron plan s.json
=== stdout
dp2 tp4 mbs4 gbs32 stages=22/recompute=full~5/zero2/recompute=full~4~1/zero2 sp zero3 grad-overlap weight-overlap
1
same
dp4 tp4 mbs4 gbs64 stages=30/tp8/recompute=full~2/tp8 sp zero2 grad-overlap weight-overlap
dp2 tp4 mbs7 gbs56 stages=32/recompute=full sp zero3 grad-overlap weight-overlap
