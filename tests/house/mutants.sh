#!/bin/sh
# Each fault of tools/mutants stands once in the code of today and names tests that are there; one that
# does not is caught.
set -eu
mutate=$RECKON_SOURCE/tools/mutate
"$mutate" -n

table=$(mktemp)
trap 'rm -f "$table"' EXIT
expect() { # mark, or none; text; tests
    printf '= a fault\n@ core/base/extremes.h\n%% %s\n- %s\n+ \n' "$3" "$2" >"$table"
    if said=$("$mutate" -n -m "$table"); then mark=none; else mark=${said%% *}; fi
    [ "$mark" = "$1" ] || { echo "expected $1 of \"$2\" and tests $3: $said"; exit 1; }
}
expect none '#ifndef RECKON_BASE_EXTREMES_H' 'fold.*|plan'
expect MOVED 'no such text' plan
expect MOVED RECKON_BASE_EXTREMES_H plan
expect LOST '#ifndef RECKON_BASE_EXTREMES_H' 'plan|no_such_test'
