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

# What is wrong is named before anything is measured.
refused() # EXIT WORDS ARGUMENT...
{
    wanted=$1 words=$2 status=0
    shift 2
    "$RECKON" measure --seconds 3600 "$@" 2>"$work/said" >&2 || status=$?
    [ "$status" -eq "$wanted" ] && grep -q -e "$words" "$work/said" || { echo "$*: exit $status"; cat "$work/said"; exit 1; }
}
refused 2 'no-such-model' --profile no-such-model
refused 2 'give --profile' -g 4
refused 2 'no memory tiers' --profile gpt2-124m --drives "$work"
refused 4 'cannot be written to' --drives "$work/nowhere"
