#!/bin/sh
# reckon calculon end to end: what the published tool prints and writes, and what is refused.
set -u
[ -x "${RECKON:-}" ] || exit 77

golden=$RECKON_SOURCE/tests/golden
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
failed=0

fail() {
    echo "FAILED: $*"
    failed=1
}

# run EXIT ARGUMENTS...: standard output in out, standard error in err.
run() {
    expected=$1
    shift
    "$RECKON" calculon "$@" >out 2>err
    code=$?
    [ $code -eq "$expected" ] || fail "exit $code instead of $expected: $* ($(head -c 200 err))"
}

says() { grep -qF -- "$2" "$1" || fail "no \"$2\" in $1: $(head -c 300 "$1")"; }
absent() { [ ! -e "$1" ] || fail "$1 was written"; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }

model=$golden/models/megatron-1T.json
execution=$golden/llm/execution.json
system=$golden/systems/a100_80g.json
small=$golden/models/megatron-126M.json
nomem2=$golden/systems/h100_nomem2.json

# ---- llm ----

run 0 llm "$model" "$execution" "$system" -
diff -u "$golden/llm/text" out || failed=1
run 0 llm "$model" "$execution" "$system" stats.json -l -p peers.json
[ "$(grep -c '"name":' stats.json)" -eq 24 ] || fail "not 24 operations"
says stats.json '"total_time": 131.9'
says peers.json '"3071": {'
run 0 llm "$model" "$execution" "$system" stats.json.gz
gzip -dc stats.json.gz | tr ',' '\n' >unpacked
says unpacked '"block_fw_flops": 32648923709440'
run 0 llm - "$execution" "$system" - <"$model"
gzip -c "$model" >model.json.gz
run 0 llm model.json.gz "$execution" "$system" -

sed 's/"tensor_par_net": 0/"tensor_par_net": 1/; s/"pipeline_par_net": 1/"pipeline_par_net": 0/' \
    "$execution" >network.json
run 1 llm "$model" network.json "$system" none.json
[ "$(cat err)" = "ERROR: Network tier0 isn't big enough" ] || fail "$(cat err)"
absent none.json
sed 's/"activation_recompute": "full"/"activation_recompute": "none"/' "$execution" >memory.json
run 1 llm "$model" memory.json "$system" none.json -p none-peers.json
says err 'ERROR: Mem tier1 needs '
says err ' but only has 80.000 GiB'
absent none.json
absent none-peers.json

sed 's/"num_procs": 3072/"num_procs": 3073/' "$execution" >invalid.json
run 3 llm "$model" invalid.json "$system" none.json
says err 'reckon: invalid.json:2:16: num_procs: must be tensor_par * pipeline_par * data_par'
sed 's/float16/bfloat16/' "$execution" >datatype.json
run 3 llm "$model" datatype.json "$system" none.json
says err "the system's matrix engine does not have the datatype"
run 3 llm "$model" "$execution" "$model" none.json
run 3 llm nothing.json "$execution" "$system" none.json
run 2 llm "$model" "$execution" "$system" none.txt
run 2 llm "$model" "$execution" "$system" none.json -p peers.csv
run 2 llm - - "$system" none.json
run 2 llm "$model"
run 2 llm "$model" "$execution" "$system" none.json --unknown
run 4 llm "$model" "$execution" "$system" no/such/folder.json
run 4 llm "$model" "$execution" "$system" kept.json -p no/such/peers.json
absent none.json
absent kept.json

# ---- searches ----

run 0 loe "$small" 8 8 float16 "$nomem2" best.json -t 3
says out 'Total executions: '
says out 'Output: best.json'
says best.json '"2": {'
says best.json '"sample_rate": '
run 0 llm-optimal-execution "$small" 8 8 float16 "$nomem2" best1.json -t 3 -c 1
same best.json best1.json
run 0 loe "$small" 8 8 float16 "$nomem2" best2.json -t 3 -m
same best.json best2.json
run 0 loe "$small" 8 8 float16 "$nomem2" best.csv -t 3 -f both --no-tp-overlap --no-dp-overlap
[ "$(wc -l <best.csv)" -eq 4 ] || fail "best.csv has not 4 lines"
says best.csv ',num_procs,tensor_par,'
! grep -q ',ring,\|,pipe,' best.csv || fail "overlap in best.csv"
run 0 loe "$small" 8 8 float16 "$nomem2" best.csv.gz -l
gzip -dc best.csv.gz >unpacked
says unpacked ',layers'
says unpacked '""name"": ""AttnBlock_Fork""'
run 0 loe "$small" 8 8 float16 "$nomem2" debug.json -d
absent debug.json

# Each data degree has its own batch here; what counts is the rate.
run 0 loe "$small" 6 5 float16 "$nomem2" odd.csv -t 100000
cut -d, -f1 odd.csv | sed 1d | sort -nc || fail "odd.csv is not in order"
[ "$(cut -d, -f9 odd.csv | sed 1d | sort -u | wc -l)" -gt 1 ] || fail "one batch only in odd.csv"
awk -F, 'NR > 1 { if (NR > 2 && $NF > last * (1 + 1e-12)) exit 1; last = $NF }' odd.csv ||
    fail "rates rise in odd.csv"

sed 's/"GiB": 80/"GiB": 0.001/' "$nomem2" >tiny.json
run 1 loe "$small" 8 8 float16 tiny.json none.json
absent none.json
run 0 loe "$small" 8 8 float16 tiny.json nothing.json -n
[ "$(cat nothing.json)" = "{}" ] || fail "nothing.json: $(cat nothing.json)"
run 3 loe "$small" 8 8 float32 "$nomem2" none.json
run 2 loe "$small" 8 8 float64 "$nomem2" none.json
run 2 loe "$small" eight 8 float16 "$nomem2" none.json
run 2 loe "$small" 0 8 float16 "$nomem2" none.json
run 2 loe "$small" 8 8 float16 "$nomem2" none.txt
run 2 loe "$small" 8 8 float16 "$nomem2" none.json -t 0
run 2 loe "$small" 8 8 float16 "$nomem2" none.json -f maybe
absent none.json

run 0 lae "$small" 4 4 float16 "$nomem2" all.csv -f all
good=$(sed -n 's/^Good executions: //p' out)
[ "$(wc -l <all.csv)" -eq $((good + 1)) ] || fail "all.csv has not $good rows"
run 0 llm-all-executions "$small" 4 4 float16 "$nomem2" all1.csv -f '*' -c 1
same all.csv all1.csv
run 2 lae "$small" 4 4 float16 "$nomem2" all.json
run 1 lae "$small" 8 8 float16 tiny.json none.csv
absent none.csv

# The best of all is what the search for the best finds.
run 0 loe "$small" 4 4 float16 "$nomem2" best4.csv -f both
awk -F, 'NR == 1 || $NF > best { if (NR > 1) { best = $NF; row = $0 } } END { print row }' \
    all.csv | cut -d, -f1-23 >expected
sed -n 2p best4.csv | cut -d, -f2-24 >actual
same expected actual

# ---- parameters ----

run 0 lpc "$model"
[ "$(cat out)" = 'megatron-1T   -> 1.008 T' ] || fail "$(cat out)"
run 0 llm-parameter-calculator "$model" -a 20
[ "$(cat out)" = 'megatron-1T          -> 1.008 T' ] || fail "$(cat out)"
run 2 nonsense
run 2

ls -A | grep part- && failed=1
exit $failed
