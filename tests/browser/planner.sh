#!/bin/sh
# The planner that `./dev page` makes: the same answers as the executable, in node and in Chromium, and
# the page used by pointer and keyboard (planner.js).
set -u
command -v node >/dev/null || { echo "there is no node"; exit 77; }
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
tests=$RECKON_SOURCE/tests/browser
node "$tests/questions.js" "${RECKON_QUESTIONS:-30}" || exit $?
exec node "$tests/planner.js"
