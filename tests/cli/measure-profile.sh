#!/bin/sh
# Profiles of layers: what is kept of a sample is exact (bytes of 128 tokens and 128 channels), tensor ranks share it, and
# Galvatron's search takes them, as calibrate does.
[ -x "${RECKON:-}" ] && [ -x "${RECKON_BUILD:-}/reckon-run" ] || exit 77
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
"$RECKON" measure --profile "$root/examples/train/tiny.json" -g 2 -o "$work/p.json"
for line in '"checkpoint": 0.0625' '"1": 1.06640625' '"2": 0.533203125' '"parameter_size": 0.813476562' '"layertype_0_bsz8_seq128"'; do
    grep -q "$line" "$work/p.json" || { echo "no $line"; cat "$work/p.json"; exit 1; }
done
"$RECKON" galvatron search --profiles "$work/p.json" layers=4 sequence=128 memory_GB=8 batch=16 chunks=2 precision=fp32 |
    grep -q '^samples per s'

# A model that there is not is named before anything is measured.
status=0
"$RECKON" measure --profile no-such-model --seconds 3600 2>"$work/said" || status=$?
[ "$status" -eq 2 ] && grep -q 'no-such-model' "$work/said" || { cat "$work/said"; exit 1; }
