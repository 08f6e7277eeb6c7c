#!/bin/sh
# 150,000 of the best, and lists of all strategies, in bounded memory: the address space is
# limited, as a table of rows would not fit into it.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
! grep -q -a -e __asan_init -e __tsan_init "$RECKON" || { echo "sanitizers take memory"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
fail() { echo "$*"; exit 1; }

ulimit -v 131072 # KiB; the threads' stacks are in it
search()
{
    "$RECKON" search --framework calculon -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 96 --threads 2 --quiet "$@" ||
        fail "search $*: exit status $?"
}
search --top 150000 --format csv --tensor-comm rs_ag >out # a table of these would take 270 MiB
[ "$(wc -c <out)" -gt 30000000 ] || fail "csv: too short"
search --top 60000 --format table --tensor-comm rs_ag >out
[ "$(wc -c <out)" -gt 6000000 ] || fail "table: too short"
search --top 25000 --format json >out
[ "$(wc -l <out)" -gt 750000 ] || fail "json: too short"
search --top 60000 --sort hbm --format csv >out
[ "$(wc -l <out)" -eq 60001 ] || fail "--sort: not all rows"
search --top 1 --tensor 8 --pipeline 1,2 --all out.csv >/dev/null
[ "$(wc -l <out.csv)" -gt 100000 ] || fail "--all: too few rows"
search --top 1 --tensor 8 --pipeline 1,2 --all out.sqlite >/dev/null
