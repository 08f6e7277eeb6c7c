#!/bin/sh
# results.csv is what `reckon validate -o -` writes: a change of the model shows as its diff, and is
# argued in the commit. --update writes it (RECKON names the executable).
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp) || exit 1
trap 'rm -f "$work"' EXIT
LC_ALL=C "$RECKON" validate -o - >"$work" || exit 1
if [ "${1:-}" = --update ]; then
    cp "$work" "$root/results.csv"
elif ! cmp -s "$work" "$root/results.csv"; then
    diff -u "$root/results.csv" "$work" | head -60
    echo "predictions changed: look at the diff, then tests/cli/results.sh --update"
    exit 1
fi
