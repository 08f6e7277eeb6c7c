#!/bin/sh
# Several problems with --state: what is finished is not searched again, and the table is the same.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

fail() { echo "$*"; exit 1; }

table() # options
{
    "$RECKON" search --framework calculon -m megatron-1t,multi-1t,multi-128t -s h100-80g-nvl8 -g 64,1024..32768,15360 -b 1536 \
        --exhaustive --fused both --format csv --quiet "$@"
}
start=$(date +%s.%N)
table >expected || fail "the search fails"
seconds=$(echo "$start $(date +%s.%N)" | awk '{ print $2 - $1 }')
[ "$(wc -l <expected)" -eq 25 ] || fail "not 24 problems"

i=0 resumed=0
while [ $i -lt 12 ]; do
    i=$((i + 1))
    limit=$(awk -v i=$i -v t="$seconds" 'BEGIN { srand(i); printf "%.3f", 0.01 + rand() * t / 2 }')
    timeout --preserve-status -s KILL "$limit" "$RECKON" search --framework calculon -m megatron-1t,multi-1t,multi-128t \
        -s h100-80g-nvl8 -g 64,1024..32768,15360 -b 1536 --exhaustive --fused both --format csv \
        --quiet --state state >actual 2>err
    case $? in
        0) cmp expected actual || fail "the table differs" ;;
        137) [ ! -e state ] || resumed=$((resumed + 1)) ;;
        *) fail "exit status: $(cat err)" ;;
    esac
done
echo "$seconds s, stopped with a state $resumed times"
table --state state >actual || fail "the search fails at last"
cmp expected actual || fail "the table differs"
[ ! -e state ] || fail "the state is left"
