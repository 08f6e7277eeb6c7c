#!/usr/bin/env bash
# allocation.sh MINIMALLOC: the challenging instances of MiniMalloc at their capacity, by its published
# solver (the executable named, built elsewhere) and by reckon, one after the other on one core. Each
# of reckon's answers is checked by `reckon place --check`. Lines of JSON; `ratio` is theirs over ours.
# Environment: RECKON, the executable (build/reckon).
set -euo pipefail
cd "$(dirname "$0")/.."
solver=${1:?say where MiniMalloc is: bench/allocation.sh MINIMALLOC}
reckon=${RECKON:-build/reckon}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

seconds() { # of a command
    local begin=$EPOCHREALTIME
    "$@" >"$work/said" 2>&1
    awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.4f", b - a }'
}

for file in tests/golden/allocation/[A-K].*.csv; do
    ours=$(seconds "$reckon" place "$file" --capacity 1048576 -o "$work/ours.csv")
    "$reckon" place "$work/ours.csv" --check --capacity 1048576 >/dev/null
    theirs=$(seconds "$solver" --capacity=1048576 --input="$file" --output="$work/theirs.csv")
    "$reckon" place "$work/theirs.csv" --check --capacity 1048576 >/dev/null
    awk -v f="$(basename "$file")" -v a="$theirs" -v b="$ours" 'BEGIN {
        printf "{\"instance\": \"%s\", \"minimalloc_s\": %.3f, \"reckon_s\": %.3f, \"ratio\": %.1f}\n", f, a, b, a / b }'
done
