#!/bin/sh
# Every question for every kind of plan: dense, a mixture, FSDP, DeepSpeed, context parallelism, the published
# model. None is refused, the first two lines say by which model it is answered, and what is asked twice
# in two ways agrees: the state of a search, the list of all plans, the study of one point.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

fail() { echo "$kind: $*"; [ -s stderr ] && cat stderr; exit 1; }

# The options of a search and words of one of its plans, by kind.
machine="-s h100-sxm5-80g -g 16"
options()
{
    case $1 in
    dense) echo "-m llama3.1-8b $machine -b 32 --microbatch 1" ;;
    mixture) echo "-m mixtral-8x7b $machine -b 32 --tensor 1 --microbatch 1" ;;
    fsdp) echo "-m llama3.1-8b $machine -b 32 --framework fsdp --microbatch 1" ;;
    deepspeed) echo "-m llama3.1-8b $machine -b 32 --framework deepspeed --microbatch 1" ;;
    context) echo "-m llama3.1-8b $machine -b 32 --sequence 32768 --context 2..4 --tensor 2 --microbatch 1" ;;
    published) echo "-m gpt3-13b -s a100-80g-nvl8 -g 16 -b 32 --framework calculon --chunks 1..4 --microbatch 1" ;;
    esac
}

words()
{
    case $1 in
    dense) echo "dp2 tp4 pp2 gbs32 sp zero1" ;;
    mixture) echo "dp8 cp2 ep8 etp1 gbs32 zero3 recompute=full" ;;
    fsdp) echo "framework=fsdp dp16 gbs32 zero3" ;;
    deepspeed) echo "framework=deepspeed dp16 gbs32 zero2 recompute=full" ;;
    context) echo "dp2 tp2 cp4 gbs32 seq32768 sp zero1" ;;
    published) echo "framework=calculon dp2 tp4 pp2 gbs32 sp zero1 recompute=full" ;;
    esac
}

# Answers into the file `answer`; its first two lines name the model.
ask() # command option...
{
    "$RECKON" "$@" >answer 2>stderr || fail "$*: exit status $?"
    case $kind in published) model="calculon|Calculon model" ;; *) model="detailed model" ;; esac
    sed -n '1,/^$/p' answer | grep -Eq "$model" || fail "$*: the first paragraph names another model: $(sed -n '1,/^$/p' answer)"
}

for kind in dense mixture fsdp deepspeed context published; do
    # shellcheck disable=SC2046 # words
    set -- $(options $kind)
    ask search "$@" -q --why --sensitivity --explain
    grep -q 'reckon predict' answer || fail "no line to look closer"
    grep -q 'one constraint' answer || fail "no why"
    best=$(sed -n 's/^ *reckon predict //p' answer)
    ask search "$@" -q --where 'hbm <= 60GiB' --sort hbm --top 3
    ask search "$@" -q --pareto time,hbm
    ask search "$@" -q --headroom 4GiB
    ask search "$@" -q --where 'hbm < 1GiB or tokens_per_s > 1' --top 1 --tokens 1T
    "$RECKON" search "$@" -q --top 5 -j1 >once 2>stderr || fail "search: $?"
    "$RECKON" search "$@" -q --top 5 --state state >twice 2>stderr || fail "search --state: $?"
    cmp -s once twice || fail "--state changes the answer"
    "$RECKON" search "$@" -q --all all.csv --top 1 --headroom none >answer 2>stderr || fail "search --all: $?"
    listed=$(($(wc -l <all.csv) - 1))
    counted=$(sed -n 's/.* plans, \([0-9,]*\) feasible.*/\1/p' answer | tr -d ,)
    [ "$listed" = "$counted" ] || fail "$listed plans listed, $counted counted"

    # several GPUs and batches are one table
    echo "$@" | sed 's/-g 16 -b 32/-g 8,16 -b 32,64/' >several
    # shellcheck disable=SC2046 # words
    "$RECKON" search $(cat several) -q --format csv >answer 2>stderr || fail "ranges: $?"
    [ "$(wc -l <answer)" = 5 ] || fail "not four problems: $(cat answer)"

    # the best, as it was printed, is looked at by every command that takes a plan
    # shellcheck disable=SC2086 # words
    ask predict $best
    # shellcheck disable=SC2046 # words
    set -- -m "$2" -s "$4" $(words $kind)
    ask predict "$@"
    [ $kind = published ] || grep -Eq '50 % interval' answer || fail "no error bar"
    ask predict "$@" --layers
    ask timeline "$@" --trace trace.json
    "$RECKON" report "$@" -o plan.html >answer 2>stderr || fail "report: $?"
    # shellcheck disable=SC2046 # words
    "$RECKON" report "$(words $kind)" "$(words $kind | sed s/gbs32/gbs64/)" -m "$2" -s "$4" -o two.html \
        >answer 2>stderr || fail "report of two plans: $?"
    # shellcheck disable=SC2046 # words
    "$RECKON" report $(options $kind) --pipeline 1 --search -o search.html >answer 2>stderr ||
        fail "report of a search: $?"
    for page in plan two search; do grep -q '</html>' $page.html || fail "$page.html is cut"; done
done

# one study over all of them
kind=study
cat >study.json <<'STUDY'
{
    "batch": 32, "gpus": [16, 32],
    "figures": [
        {"name": "dense", "models": ["llama3.1-8b"], "systems": ["h100-sxm5-80g"]},
        {"name": "mixture", "models": ["mixtral-8x7b"], "systems": ["h100-sxm5-80g"],
         "axes": {"tensor": 1, "microbatch": 1}},
        {"name": "fsdp", "models": ["llama3.1-8b"], "systems": ["h100-sxm5-80g"], "framework": "fsdp"},
        {"name": "deepspeed", "models": ["llama3.1-8b"], "systems": ["h100-sxm5-80g"], "framework": "deepspeed"},
        {"name": "context", "models": ["llama3.1-8b"], "systems": ["h100-sxm5-80g"],
         "sequence": 32768, "axes": {"context": [2, 8], "tensor": 1, "microbatch": 1}},
        {"name": "published", "models": ["gpt3-13b"], "systems": ["a100-80g-nvl8"],
         "framework": "calculon", "axes": {"chunks": [1, 4]}}
    ]
}
STUDY
cat >study.sql <<'SQL'
-- @table points Of each kind of plan
SELECT figure, count(*) AS points, min(fits) > 0 AS fit FROM result GROUP BY figure;
SQL
"$RECKON" study study.json -q --compare >answer 2>stderr || fail "study --compare: $?"
[ "$(grep -c ' 2  *1$' answer)" = 6 ] || fail "not two points of six figures: $(cat answer)"
"$RECKON" report study.db -o study.html >answer 2>stderr || fail "report of the study: $?"
echo "every question was answered"
