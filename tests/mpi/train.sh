#!/bin/sh
# A training run over MPI has the bits of one with threads, and its checkpoint goes on with threads; a wrong
# number of processes is said.
mpi=$RECKON_BUILD/reckon-mpi
[ -x "$mpi" ] && [ -x "$RECKON_BUILD/reckon-run" ] && command -v mpirun >/dev/null || exit 77
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
data=$root/data/corpus/declaration/en.txt
model=$root/examples/train/tiny.json

bits() { sed 's/, "seconds.*//' "$1"; }

common="-m $model -d $data gbs4 mbs1 seq16 -q"
for plan in 'tp2 sp pp2 dp1' 'cp2 zero2 dp2'; do
    # shellcheck disable=SC2086
    "$RECKON" train -n 2 $common $plan --log "$work/threads" >/dev/null
    rm -rf "$work/save"
    # shellcheck disable=SC2086
    mpirun --oversubscribe -n 4 "$RECKON" train -n 2 $common $plan --log "$work/mpi" --save "$work/save" >/dev/null
    bits "$work/threads" >"$work/a"
    bits "$work/mpi" >"$work/b"
    cmp "$work/a" "$work/b" || { echo "threads and MPI differ: $plan"; exit 1; }
done
# shellcheck disable=SC2086
"$RECKON" train -n 3 $common dp1 --load "$work/save" >/dev/null
# --ranks makes them threads, of each process its own
export common work
# shellcheck disable=SC2016
mpirun --oversubscribe -n 2 sh -c '"$RECKON" train -n 2 $common --ranks 4 tp2 sp pp2 dp1 --log "$work/each$OMPI_COMM_WORLD_RANK"' >/dev/null
for rank in 0 1; do
    [ "$(bits "$work/each$rank" | wc -l)" = 2 ] || { echo "--ranks does not make threads"; exit 1; }
done

# so has an evaluation
"$RECKON" eval -m "$model" -l "$work/save" -p 'tp2 dp2' --sequence 16 --format csv "$data" >"$work/a"
mpirun --oversubscribe -n 4 "$mpi" eval -m "$model" -l "$work/save" -p 'tp2 dp2' --sequence 16 --format csv "$data" >"$work/b"
cmp "$work/a" "$work/b" || { echo "threads and MPI score otherwise"; exit 1; }

# shellcheck disable=SC2086
if mpirun --oversubscribe -n 2 "$mpi" train -n 2 $common gpus4 >"$work/out" 2>&1; then
    echo "two processes run a plan of four ranks"
    exit 1
fi
grep -q 'has 4 ranks, and 2 processes run' "$work/out" || { cat "$work/out"; exit 1; }

# a rank that comes no further is named when the others are asked to end, as launchers do before they kill
# shellcheck disable=SC2016,SC2086
mpirun --oversubscribe -n 2 sh -c 'echo $$ >"$work/pid$OMPI_COMM_WORLD_RANK"; exec "$RECKON_BUILD/reckon-mpi" train -n 1000000 --repeat $common dp2 --log "$work/long"' >"$work/out" 2>&1 &
run=$!
while [ ! -s "$work/long" ] && kill -0 $run; do sleep 0.1; done
kill -STOP "$(cat "$work/pid1")"
kill -TERM "$(cat "$work/pid0")"
said='^reckon: rank 0 is asked to end while it waits for ".*" of rank 1, in step [0-9]*$'
while ! grep -q "$said" "$work/out" && kill -0 $run 2>/dev/null; do sleep 0.1; done
kill -KILL "$(cat "$work/pid1")" || true # where the launcher has ended, so has it
if wait $run; then echo 'a run without one of its ranks ends well'; exit 1; fi
grep -q "$said" "$work/out" && exit 0
cat "$work/out"
! grep -q ORTE_ERROR_LOG "$work/out" || exit 77 # the launcher lost what a rank said, and says so
exit 1
