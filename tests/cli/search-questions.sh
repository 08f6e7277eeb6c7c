#!/bin/sh
# --all, --where, --sort, --pareto and --top against each other, and against awk on the list of all
# strategies: whatever selects must select the same.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

fail() { echo "$*"; exit 1; }

search() # options
{
    "$RECKON" search --framework calculon -m gpt3-13b -s "a100-80g x16 nvl4 hbm=24GiB mem2=96GiB@30GB/s" -g 16 -b 32 --precision fp16 \
        --tensor-comm rs_ag --quiet "$@" || fail "search $*: exit status $?"
}

# Values of named columns of a CSV file, one line a row.
columns() # file name...
{
    file=$1
    shift
    awk -F, -v names="$*" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(names, name, " "); next }
        { for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? " " : "\n" }' "$file"
}

search --all all.csv --top 1000000 --format csv >top.csv
fits=$(($(wc -l <all.csv) - 1))
echo "$fits strategies fit"
[ $fits -gt 1000 ] || fail "too few for a test"

# the order of the enumeration, each strategy once
columns all.csv index >all.index
sort -n -u all.index | cmp - all.index || fail "--all is not in the order of the enumeration"

# the same strategies with the same figures as in the list of the best
[ "$(wc -l <top.csv)" -eq $((fits + 1)) ] || fail "--top 1000000 has another number"
figures="index step_s samples_per_s mfu hbm_bytes offload_bytes tensor pipeline data chunks
    recompute zero tensor_comm regather gradient_overlap tensor_overlap
    weight_offload activation_offload optimizer_offload fused microbatch tensor_network"
# shellcheck disable=SC2086
columns top.csv $figures | sort -n >top.sorted
# shellcheck disable=SC2086
columns all.csv $figures >all.sorted
paste -d ' ' top.sorted all.sorted | awk '
    { n = NF / 2; for (i = 1; i <= n; i++) if ($i != $(n + i) && $i + 0 != $(n + i) + 0) bad = 1 }
    END { exit bad }' || fail "--all and --top differ"

# any number of threads, compressed or not
search --all one.csv --threads 1 --top 1 >/dev/null
search --all three.csv.gz --threads 3 --top 1 >/dev/null
cmp all.csv one.csv || fail "--all depends on the threads"
gzip -dc three.csv.gz | cmp all.csv - || fail "--all compressed differs"

# --where
search --where 'hbm <= 30GiB and tensor <= 2 and (recompute == none or mfu > 0.3)' \
    --all where.csv --top 1000000 --format csv >where-top.csv
columns all.csv index hbm_bytes tensor recompute mfu | awk '
    $2 <= 30 * 1024 ^ 3 && $3 <= 2 && ($4 == "none" || $5 > 0.3) { print $1 }' >where.expected
[ "$(wc -l <where.expected)" -gt 10 ] || fail "the condition is too narrow for a test"
columns where.csv index | cmp where.expected - || fail "--where with --all"
columns where-top.csv index | sort -n | cmp where.expected - || fail "--where with --top"

# --sort: least first; most first where more is better; ties by the index
search --sort 'hbm + mem2' --top 50 --format csv >sort.csv
columns all.csv hbm_bytes offload_bytes index | awk '{ printf "%.0f %s\n", $1 + $2, $3 }' |
    sort -n -k1,1 -k2,2 | head -50 | cut -d' ' -f2 >sort.expected
columns sort.csv index | cmp sort.expected - || fail "--sort"
search --sort mfu --top 20 --format csv >mfu.csv
columns all.csv mfu index | sort -k1,1gr -k2,2n | head -20 | cut -d' ' -f2 >mfu.expected
columns mfu.csv index | cmp mfu.expected - || fail "--sort of a figure of which more is better"

# --pareto: no other is at least as good everywhere; of equal ones the first
search --pareto time,hbm,mem2 --format csv >pareto.csv
columns all.csv step_s hbm_bytes offload_bytes index | sort -k1,1g -k2,2g -k3,3g -k4,4n | awk 'BEGIN { n = 0 }
    { for (i = 0; i < n; i++) if (time[i] <= $1 && hbm[i] <= $2 && mem2[i] <= $3) next
      time[n] = $1; hbm[n] = $2; mem2[n] = $3; n++
      print $4 }' >pareto.expected
[ "$(wc -l <pareto.expected)" -gt 5 ] || fail "the frontier is too short for a test"
columns pareto.csv index | cmp pareto.expected - || fail "--pareto"
search --pareto 'mfu, bubble_s + data_s' --format csv >two.csv
head -1 two.csv | grep -q ',offload_bytes,plan,fits_share,days,cost_usd,bubble_s + data_s,tensor' ||
    fail "the objectives are no columns: $(head -1 two.csv)"
columns all.csv mfu bubble_s data_s index |
    awk '{ printf "%s %.17g %s\n", $1, $2 + $3, $4 }' | sort -k1,1gr -k2,2g -k3,3n | awk 'BEGIN { n = 0 }
    { for (i = 0; i < n; i++) if (mfu[i] >= $1 && wait[i] <= $2) next
      mfu[n] = $1; wait[n] = $2; n++
      print $3 }' >two.expected
columns two.csv index | cmp two.expected - || fail "--pareto with a figure of which more is better"

# the counts that are printed
search --where 'tensor == 2' --format json >where.json
matches=$(columns all.csv tensor | grep -c '^2$')
grep -q "\"matches\": $matches$" where.json || fail "matches is not $matches: $(grep match where.json)"
grep -q "\"fits\": $fits,$" where.json || fail "fits is not $fits"
