#!/bin/sh
# tests/golden/results.csv is what `reckon validate -o -` writes: a change of the model shows as its diff, and is
# argued in the commit. --update writes it (RECKON names the executable), and before it the ranges that its rows have
# (ranges.sh holds that they are current).
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
golden=$root/tests/golden/results.csv
work=$(mktemp) || exit 1
trap 'rm -f "$work"' EXIT
if [ "${1:-}" = --update ]; then
    "$RECKON" validate --brief --learn "$root/data/measured/error_bars.json" --steps "$root/data/measured/steps.csv" >"$work" || exit 1
fi
LC_ALL=C "$RECKON" validate -o - >"$work" || exit 1
if [ "${1:-}" = --update ]; then
    cp "$work" "$golden"
elif ! cmp -s "$work" "$golden"; then
    diff -u "$golden" "$work" | head -60
    echo "predictions changed: read the diff; ./dev update results takes it over"
    exit 1
fi
