#!/bin/sh
# The miniature of the multi-trillion study says what the same searches say one by one. The data degrees
# are limited to those whose batch is 3,072, so that it does not matter that a search ranks by time.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >study.json <<'EOF'
{
    "framework": "calculon", "datatype": "float8", "batch": 3072,
    "models": ["multi-1t", "multi-26t"],
    "systems": [{"base": "h100-80g-isca2023", "mem2": ["none", "2TiB@100GB/s"]}],
    "gpus": [4096, 12288],
    "axes": {"tensor_overlap": ["none", "pipe"], "data": "1..1024"},
    "columns": ["mfu", "tensor", "pipeline", "data", "microbatch"]
}
EOF
"$RECKON" study study.json --quiet --export csv -o grid.csv
failures=0
for model in multi-1t multi-26t; do
    for mem2 in none 2TiB@100GB/s; do
        for gpus in 4096 12288; do
            "$RECKON" search --framework calculon -m $model -s "h100-80g-isca2023 mem2=$mem2" -g $gpus -b 3072 --precision fp8-current \
                --tensor-overlap none,pipe --data 1..1024 --top 1 --quiet --format json >one.json || true
            total=$(sed -n 's/.*"plans": \([0-9]*\).*/\1/p' one.json | head -n 1)
            fits=$(sed -n 's/.*"fits": \([0-9]*\).*/\1/p' one.json | head -n 1)
            mfu=$(sed -n 's/.*"mfu": \([0-9.e-]*\).*/\1/p' one.json | head -n 1)
            grep -F "$model,\"h100-80g-isca2023 mem2=$mem2\",$gpus," grid.csv >row ||
                grep -F "$model,h100-80g-isca2023 mem2=$mem2,$gpus," grid.csv >row || true
            if ! grep -q "float8,calculon,[0-9]*,$total,$fits,$mfu" row; then
                echo "$model $mem2 $gpus: search says $total $fits $mfu, study $(cat row)"
                failures=1
            fi
        done
    done
done
exit $failures
