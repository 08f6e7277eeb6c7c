#!/bin/sh
# What reckon measure writes is a system; a run with it shows every part predicted beside measured.
[ -x "${RECKON:-}" ] && [ -x "${RECKON_BUILD:-}/reckon-run" ] || exit 77
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
"$RECKON" measure --seconds 1 -o "$work/here.json"
"$RECKON" systems "$work/here.json" >/dev/null
"$RECKON" train -m "$root/examples/train/tiny.json" -d "$root/data/corpus/declaration/en.txt" -s "$work/here.json" \
    -n 2 tp2 pp2 dp1 mbs1 gbs2 seq32 -q --format csv >"$work/table"
for part in matrix attention memory comm messages optimizer step; do
    grep -qE "^$part,[0-9.e-]+,[0-9.e-]+,[0-9.e-]+,-?[0-9.e-]+$" "$work/table" ||
        grep -qE "^$part,[0-9.e-]+,[0-9.e-]+,[0-9.e-]+,$" "$work/table" || { echo "$part is missing"; cat "$work/table"; exit 1; }
done
