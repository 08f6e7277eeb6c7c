#!/bin/sh
# reckon-mpi gives the bytes of reckon for 1, 2, 3 and 5 ranks, also when ranks are uneven.
mpi=$RECKON_BUILD/reckon-mpi
[ -x "$mpi" ] && command -v mpirun >/dev/null || exit 77
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
machine='h100-80g-nvl8 mem2=1TiB@100GB/s'

search() # ranks threads options...
{
    ranks=$1 threads=$2
    shift 2
    mpirun --oversubscribe -n "$ranks" "$mpi" search --framework calculon -m multi-1t -s "$machine" -g 4096 -b 3072 \
        --precision fp8-current --format json --threads "$threads" "$@" 2>>"$work/err"
}

for options in '--top 20' '--top 3000' '--top 5 --exhaustive' '--tensor 8 --fused both'; do
    # shellcheck disable=SC2086
    "$RECKON" search --framework calculon -m multi-1t -s "$machine" -g 4096 -b 3072 --precision fp8-current --format json \
        --quiet $options >"$work/one"
    case $options in '--top 20') several='1 2 3 5' ;; *) several=3 ;; esac
    for ranks in $several; do
        # shellcheck disable=SC2086
        search $ranks 1 $options >"$work/many"
        cmp "$work/one" "$work/many" || { echo "$ranks ranks differ: $options"; exit 1; }
    done
    # shellcheck disable=SC2086
    search 2 2 $options >"$work/many"
    cmp "$work/one" "$work/many" || { echo "2 ranks x 2 threads differ: $options"; exit 1; }
done

# Uneven: one rank has three threads, the other one.
mpirun --oversubscribe \
    -n 1 "$mpi" search --framework calculon -m multi-1t -s "$machine" -g 4096 -b 3072 --precision fp8-current --format json \
    --threads 3 --top 20 : \
    -n 1 "$mpi" search --framework calculon -m multi-1t -s "$machine" -g 4096 -b 3072 --precision fp8-current --format json \
    --threads 1 --top 20 >"$work/many" 2>>"$work/err"
"$RECKON" search --framework calculon -m multi-1t -s "$machine" -g 4096 -b 3072 --precision fp8-current --format json --quiet \
    --top 20 >"$work/one"
cmp "$work/one" "$work/many" || { echo "uneven ranks differ"; exit 1; }

# Each rank's share is said, and errors are said once.
grep -q '^rank 1: ' "$work/err" || { echo "no rate of rank 1"; exit 1; }
status=0
search 3 1 --no-such-flag >"$work/many" 2>"$work/wrong" || status=$?
: >"$work/err"
[ "$status" -eq 2 ] || { echo "a wrong flag: exit $status"; exit 1; }
[ "$(grep -c 'no-such-flag' "$work/err" "$work/wrong" | awk -F: '{s += $2} END {print s}')" -le 1 ]

# The space of today's plans too, also with a condition and with a frontier.
modern() { printf '%s\n' search -m mixtral-8x7b -s h100-sxm5-80g -g 32 -b 64 --microbatch 1 --format json "$@"; }
for options in '--top 20' '--where hbm<=60GiB --sort mfu' '--pareto time,hbm'; do
    # shellcheck disable=SC2046,SC2086
    "$RECKON" $(modern $options) --quiet >"$work/one"
    for ranks in 2 3; do
        # shellcheck disable=SC2046,SC2086
        mpirun --oversubscribe -n "$ranks" "$mpi" $(modern $options) --threads 1 >"$work/many" 2>>"$work/err"
        cmp "$work/one" "$work/many" || { echo "$ranks ranks differ: modern $options"; exit 1; }
    done
done
