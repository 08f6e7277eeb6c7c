#!/bin/sh
# Where an output ends early - a signal, a full disk - nothing is left of it, and an error says which file and why.
set -u
[ -x "${RECKON:-}" ] || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
fail() { echo "$1"; cat said; exit 1; }
cp "$RECKON_SOURCE/data/corpus/works/en.txt" .
for i in 1 2 3 4 5 6 7 8; do cat en.txt; done >text

# a reader that waits for more
mkfifo endless
stopped() { # signal status
    mkdir out
    # what a shell starts in the background ignores SIGINT, and would go on
    env --default-signal=INT "$RECKON" tokenize -o out/ids endless 2>said &
    run=$!
    exec 3>endless
    while [ -z "$(ls out)" ] && kill -0 $run; do sleep 0.1; done
    kill -s "$1" $run
    wait $run
    status=$?
    exec 3>&-
    [ $status -eq "$2" ] || fail "exit status $status after SIG$1"
    [ -z "$(ls out)" ] || fail "left by SIG$1: $(ls out)"
    rmdir out
}
stopped INT 130
stopped TERM 143

full() { # of what
    what=$1
    mkdir out
    shift
    (ulimit -f 64; "$RECKON" "$@" -o out/file >/dev/null 2>said)
    [ $? -eq 4 ] || fail "$what: no error without room on the disk"
    [ "$(cat said)" = 'reckon: out/file: cannot write: File too large' ] || fail "$what: another error"
    [ -z "$(ls out)" ] || fail "$what: left $(ls out)"
    rmdir out
}
"$RECKON" tokenize -o ids text || exit 1
full ids tokenize text
full shard tokenize --as bin text
full text tokenize -d ids

# no file can be opened any more: the remedy is no path
mkdir out
(ulimit -n 4; exec "$RECKON" tokenize -o out/ids text) >/dev/null 2>said
[ $? -eq 4 ] || fail 'no error without descriptors'
[ "$(cat said)" = 'reckon: text: cannot open: Too many open files; raise the limit (ulimit -n)' ] || fail 'descriptors: another error'
[ -z "$(ls out)" ] || fail "left without descriptors: $(ls out)"
