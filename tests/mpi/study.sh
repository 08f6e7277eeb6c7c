#!/bin/sh
# A study shared by 1, 2, 3 and 5 ranks has the results of one made alone; what is there is not made
# again; errors are said once.
mpi=$RECKON_BUILD/reckon-mpi
[ -x "$mpi" ] && command -v mpirun >/dev/null || exit 77
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM

cat >"$work/study.json" <<'STUDY'
{"framework": "calculon",
    "datatype": "float8", "batch": 512, "top": 3,
    "figures": [
        {"name": "sizes", "models": ["multi-1t", "gpt3-175b"],
         "systems": [{"base": "h100-80g-nvl8", "mem2": ["256GiB@100GB/s", "1TiB@unlimited"]}],
         "gpus": "256..2048 step 64"}
    ]
}
STUDY
"$RECKON" study "$work/study.json" --db "$work/alone.db" --quiet --export csv >"$work/alone.csv"
[ "$(wc -l <"$work/alone.csv")" -gt 100 ]
for ranks in 1 2 3 5; do
    mpirun --oversubscribe -n $ranks "$mpi" study "$work/study.json" --db "$work/$ranks.db" \
        --jobs 1 >"$work/out" 2>"$work/err"
    "$RECKON" study "$work/study.json" --db "$work/$ranks.db" --quiet --export csv >"$work/$ranks.csv"
    cmp "$work/alone.csv" "$work/$ranks.csv" || { echo "$ranks ranks differ"; exit 1; }
done
mpirun --oversubscribe -n 2 "$mpi" study "$work/study.json" --db "$work/2.db" >"$work/out" 2>"$work/err"
grep -q ' 0 to do' "$work/err" || { echo "made again:"; cat "$work/err"; exit 1; }
status=0
mpirun --oversubscribe -n 3 "$mpi" study "$work/none.json" --db "$work/x.db" >"$work/out" 2>"$work/err" ||
    status=$?
[ "$status" -eq 3 ] || { echo "a missing study: exit $status"; cat "$work/err"; exit 1; }
[ "$(grep -c 'none.json' "$work/err")" -eq 1 ] || { cat "$work/err"; exit 1; }
