#!/bin/sh
# The answer is the same for any number of threads and with or without pruning. Under the thread
# sanitizer (./dev tsan) this is what looks for races.
set -eu
[ -x "$RECKON" ] || { echo "there is no executable"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

search() # file options
{
    file=$1
    shift
    "$RECKON" search --framework calculon --model gpt3-175b --system h100-80g-nvl8 --gpus 64 --batch 96 \
        --precision fp16 --top 50 --format csv --quiet "$@" >"$work/$file"
}

search expected --threads 1
[ "$(wc -l <"$work/expected")" -gt 50 ] || { echo "not 50 strategies:"; cat "$work/expected"; exit 1; }
for threads in 2 3 7; do
    for mode in '' --exhaustive; do
        # shellcheck disable=SC2086
        search actual --threads $threads $mode
        cmp "$work/expected" "$work/actual" || { echo "$threads threads $mode differ"; exit 1; }
    done
done
# more than libgomp can start: a few, and the same answer
OMP_NUM_THREADS=100000 search actual
cmp "$work/expected" "$work/actual" || { echo "OMP_NUM_THREADS=100000 differs"; exit 1; }
