#!/bin/sh
# ./dev says how far what takes minutes has come, also where no terminal is, fails where that fails, and says what tests took.
set -eu
[ -d "${RECKON_SOURCE:-}" ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed '/^cd /d; /^command=/,$d' "$RECKON_SOURCE/dev" >"$work/dev" # without running anything
cd "$work"
# shellcheck disable=SC1091
. ./dev
is() { [ "$1" = "$2" ] || { echo "\"$1\" instead of \"$2\""; exit 1; }; }

printf 'Selecting previously unselected package a.\nUnpacking a (1) ...\nUnpacking b (1) ...\nSetting up a (1) ...\n' >log
is "$(progress_of log)" '2 packages unpacked, 1 set up'
printf '[1/9] Building\n[2/9] Building\nwarning: [3/4]\n' >log
is "$(progress_of log)" '2 of 9 steps'
printf '[1/9] Building\r[5/9] Building' >log
is "$(progress_of log)" '5 of 9 steps'
: >log
is "$(progress_of log)" begun

say_every_s=0.1
waits() { echo '[1/2] half'; while [ "$(grep -c 'half done: 1 of 2 steps, [0-9]* s' said)" -lt 3 ]; do sleep 0.1; done; return "$1"; }
: >said
slowly 'half done' log waits 0 2>said
is "$(head -n 1 said)" 'dev: half done (all of it: log)'
if slowly 'half done' log waits 1 2>said; then echo 'a failure is lost'; exit 1; fi
is "$(tail -n 1 said)" 'dev: failed: waits 1'
grep -qx '\[1/2\] half' said || { echo 'what the command said is not shown'; exit 1; }

# What tests took of a processor stands in their lines, sorted, and who took too long is named: more on a slow machine.
mkdir -p folder/tests/seconds
printf '0m0.000s 0m0.000s\n1m2.500s 0m0.250s\n' >folder/tests/seconds/unit.long
printf '0m0.000s 0m0.000s\n0m1.500s 0m0.000s\n' >folder/tests/seconds/cli.short
is "$(seconds_of folder | tr -s ' ')" ' 62.75 unit.long
 1.50 cli.short'
is "$(echo '1/2 Test #10: unit.long ...   Passed    3.00 sec' | with_seconds folder)" \
    '1/2 Test #10: unit.long ...   Passed    3.00 sec, 62.75 of a processor'
is "$(echo '    Start 10: unit.long' | with_seconds folder)" '    Start 10: unit.long'
[ "$(slowness | awk "{ print (\$1 >= 1) }")" = 1 ] || { echo "slowness: $(slowness)"; exit 1; }
most_s=20
printf '1\n1.2\n1\n' >slowness
is "$(too_long folder slowness 2>said)" 1
is "$(cat said)" 'dev: unit.long took 62.75 s of a processor, more than 24'
printf '1\n10\n4\n' >slowness
is "$(too_long folder slowness 2>said)" 0
