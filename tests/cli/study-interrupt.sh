#!/bin/sh
# SIGINT ends a study with exit status 130 and keeps what is finished; the same command goes on.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
export OMP_TOOL=disabled # a tool that the thread sanitizer loads does not expect searches on many threads

cat >study.json <<'JSON'
{"framework": "calculon", "models": [{"name": "m", "layers": 96, "hidden": 12288, "feedforward": 49152, "heads": 96, "sequence": 2048}],
 "systems": ["matrix.float16=300TFLOP/s vector.float16=80TFLOP/s hbm=80GiB@2TB/s net0=300GB/s,size=8 net1=25GB/s,size=65536"],
 "gpus": "8..8192 step 8", "batch": "2000..2063 +1"}
JSON

kept() # how many searches are finished
{
    "$RECKON" study study.json --dry-run >/dev/null 2>kept || exit 1
    sed -n 's/.*: \([0-9]*\) finished before.*/\1/p' kept
}

# Background jobs of a shell without job control ignore SIGINT, so timeout sends it: later when the
# program has not said yet what it finds. Sets status, and before: what was finished when it began.
stop_when_it_says() # text
{
    for seconds in 1 2 4 8 16; do
        before=$(kept)
        timeout --foreground -s INT --preserve-status $seconds "$RECKON" study study.json >out 2>err
        status=$?
        grep -q "$1" err && return
    done
}
finished=0
for attempt in 1 2 3 4 5; do
    stop_when_it_says 'to do'
    finished=$(kept)
    [ "${finished:-0}" -gt 0 ] && break
done
[ $status -eq 130 ] || { echo "exit status $status"; cat err; exit 1; }
grep -q 'interrupted: the same command goes on where it stopped' err || { cat err; exit 1; }
[ ! -s out ] || { echo "something was printed"; exit 1; }
[ "${finished:-0}" -gt 0 ] || { echo "nothing was kept"; cat err; exit 1; }

stop_when_it_says 'finished before'
[ $status -eq 130 ] || { echo "the second exit status is $status, not 130"; exit 1; }
again=$(sed -n 's/.*: \([0-9]*\) finished before.*/\1/p' err)
[ "$again" = "$before" ] || { echo "$before were kept, $again were found"; exit 1; }
ls | grep -q -- '-wal$' && { echo "a journal was left"; exit 1; }
exit 0
