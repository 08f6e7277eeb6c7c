#!/bin/sh
# Every plan that search, fits and --layerwise print is read by check as it is typed, words and the
# values of their tables; problems are drawn, the seed is printed.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
seed=${SEED:-30}
problems=6
[ -n "${RECKON_SLOW:-}" ] && problems=60
echo "seed $seed, problems $problems"

draw() # draw N: below N
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$((seed / 65536 % $1))
}

pick() # pick WORD...
{
    draw $#
    shift "$drawn"
    picked=$1
}

# Words that are refused (rules 1.*) or not read at all; what else is wrong is asked elsewhere.
try()
{
    # shellcheck disable=SC2086
    "$RECKON" check -m "$model" -s "$system" $1 >said 2>&1
    if [ $? -gt 1 ] || grep -qE 'error 1\.(unknown|twice|value|missing)' said; then
        echo "$model on $system: $1"
        cat said
        exit 1
    fi
    tried=$((tried + 1))
}

# The words of commands that are proposed, and of lines "plan:".
try_printed()
{
    sed -nE "s/^  reckon (predict|export megatron|fits|timeline) .*-g [0-9]+ //p; s/^ *plan: //p" "$1" >lines
    sed -nE "s/^  reckon export [a-z]+ -m [^ ]+ (gpus.*)/\1/p" "$1" >>lines
    while read -r line; do try "$line"; done <lines
    # of a table of layers: "tp2 zero0 recompute=layernorm+mlp"
    grep -oE '(tp[0-9]+ )(cp[0-9]+ )?(ep[0-9]+ )?zero[0-9]( recompute=[a-z_+:]+)?' "$1" | sort -u >lines
    while read -r line; do try "$line"; done <lines
    return 0
}

tried=0
n=0
while [ $n -lt $problems ]; do
    n=$((n + 1))
    pick llama3.1-8b mixtral-8x7b gpt3-13b deepseek-v2-lite qwen3-8b
    model=$picked
    pick h100-sxm5-80g a100-80g-nvl8 h800-sxm5-80g rtx4090
    system=$picked
    pick 8 16
    gpus=$picked
    pick megatron fsdp
    framework=$picked
    narrow="--microbatch 1 --framework $framework"
    # shellcheck disable=SC2086
    "$RECKON" search -m "$model" -s "$system" -g "$gpus" -b $((gpus * 4)) $narrow --top 5 >shown 2>/dev/null || continue
    try_printed shown
    # the words of all rows, and what their column of recomputation says
    # shellcheck disable=SC2086
    "$RECKON" search -m "$model" -s "$system" -g "$gpus" -b $((gpus * 4)) $narrow --top 10 -f csv >shown 2>/dev/null
    python3 -c 'import csv, sys
rows = list(csv.DictReader(sys.stdin))
print("\n".join(sorted({r["plan"] for r in rows} | {"recompute=" + r["recompute"] for r in rows})))' <shown >lines
    while read -r line; do try "$line"; done <lines
    "$RECKON" fits -m "$model" -s "$system" -g "$gpus" >shown 2>/dev/null && try_printed shown
done
model=llama3.1-8b
system=rtx4090
"$RECKON" search -m $model -s $system -g 8 -b 32 --layerwise >shown 2>/dev/null || exit 1
try_printed shown
"$RECKON" search -m $model -s h100-sxm5-80g -g 8 -b 16 --layerwise --microbatch 1 >shown 2>/dev/null || exit 1
try_printed shown

# over several clusters: a file, and what its stages share on one machine
machine="h100-sxm5-80g x16 + a100-sxm4-80g x16 link=100Gb/s@50us"
"$RECKON" search -m $model -b 128 -s "$machine" --save-plan plan.json >shown 2>/dev/null || exit 1
"$RECKON" check plan.json -m $model -s "$machine" >said 2>&1 || { cat said; exit 1; }
system=h100-sxm5-80g
sed -nE 's/^  reckon export megatron -m [^ ]+ //p' shown >lines
[ -s lines ] || { echo "nothing launches the best over two clusters"; exit 1; }
while read -r line; do try "$line"; done <lines
[ "$tried" -ge 10 ] || { echo "only $tried words were tried"; exit 1; }
echo "$tried words" >&2
