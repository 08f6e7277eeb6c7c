#!/bin/sh
# What ends a run early, or would: too little memory, a signal, a full disk.
set -u
[ -x "${RECKON:-}" ] && [ -x "${RECKON_BUILD:-}/reckon-run" ] || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
fail() { echo "$1"; cat said; exit 1; }
cp "$RECKON_SOURCE/examples/train/tiny.json" "$RECKON_SOURCE/data/corpus/declaration/en.txt" .
# `timeout` for what once never ended
train() { timeout -s KILL 300 "$RECKON" train -q -m tiny.json -d en.txt gbs2 dp2 seq16 "$@"; }

# OpenBLAS maps 128 MiB a thread, and where it cannot it asks again for ever; sanitizers need more themselves
if (ulimit -v 250000; "$RECKON" --version) >/dev/null 2>&1; then
    (ulimit -v 250000; train -n 1 >out 2>said)
    [ $? -eq 4 ] || fail "no error without memory"
    grep -q '^reckon: no memory for the buffers of OpenBLAS: 2 threads.* 1 of them fit: ' said || fail "another error without memory"
fi

# a signal: a checkpoint, and the status that says which
stop() { # signal status
    rm -rf saved log
    "$RECKON" train -q -m tiny.json -d en.txt gbs2 dp2 seq16 -n 1000000 --repeat --log log --save saved >out 2>said &
    run=$!
    while [ ! -s log ] && kill -0 $run; do sleep 0.1; done
    kill -s "$1" $run
    wait $run
    status=$?
    [ $status -eq "$2" ] || fail "exit $status after SIG$1"
    grep -q -- '--load saved goes on from there' said || fail "SIG$1: nothing is said"
}
stop TERM 143
stop USR1 0

# the log goes on where the run does
rm -rf saved log
train -n 4 --save-every 2 --save saved --log log >out 2>said || fail "4 steps"
rm -r saved/step-00000004
train -n 5 --load saved --save saved --log log >out 2>said || fail "from step 2 to 5"
[ "$(sed 's/.*"step": \([0-9]*\).*/\1/' log | tr '\n' ' ')" = '1 2 3 4 5 ' ] || fail "steps of the log: $(cut -c 1-12 log)"

# a disk that is full for a checkpoint on the way is no end; for the last it is, and nothing is left there
rm -rf saved log
(ulimit -f 6000; train -n 3 --save-every 1 --save saved --log log >out 2>said)
[ $? -eq 4 ] || fail "no error without room on the disk"
[ "$(wc -l <log)" -eq 3 ] || fail "$(wc -l <log) steps of 3"
[ "$(grep -c 'warning: saved/step-0000000[123].part/.*File too large: step [123] is not saved, and the run goes on$' said)" -eq 3 ] || fail "warnings"
[ -z "$(ls saved)" ] || fail "left: $(ls saved)"
