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
{"models": [{"name": "m", "layers": 96, "hidden": 12288, "feedforward": 49152, "heads": 96, "sequence": 2048}],
 "systems": ["matrix.float16=300TFLOP/s vector.float16=80TFLOP/s hbm=80GiB@2TB/s net0=300GB/s,size=8 net1=25GB/s,size=65536"],
 "gpus": "8..8192 step 8", "batch": "2000..2063"}
JSON

kept() # how many searches are finished
{
    "$RECKON" study study.json --dry-run >/dev/null 2>kept || exit 1
    sed -n 's/.*: \([0-9]*\) finished before.*/\1/p' kept
}

# Background jobs of a shell without job control ignore SIGINT, so timeout sends it: later when no
# search was finished yet.
for seconds in 1 2 4 8 16; do
    timeout --foreground -s INT $seconds "$RECKON" study study.json >out 2>err
    status=$?
    finished=$(kept)
    grep -q 'to do' err && [ "${finished:-0}" -gt 0 ] && break
done
[ $status -eq 124 ] || { echo "exit status $status"; cat err; exit 1; }
grep -q 'interrupted: the same command goes on where it stopped' err || { cat err; exit 1; }
[ ! -s out ] || { echo "something was printed"; exit 1; }

[ "${finished:-0}" -gt 0 ] || { echo "nothing was kept"; cat err; exit 1; }

timeout --foreground -s INT --preserve-status $seconds "$RECKON" study study.json >out 2>err
[ $? -eq 130 ] || { echo "the second exit status is not 130"; exit 1; }
again=$(sed -n 's/.*: \([0-9]*\) finished before.*/\1/p' err)
[ "$again" = "$finished" ] || { echo "$finished were kept, $again were found"; exit 1; }
ls | grep -q -- '-wal$' && { echo "a journal was left"; exit 1; }
exit 0
