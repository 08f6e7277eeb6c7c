#!/bin/sh
# The sizes of the sources are within their bounds, and what goes beyond one is named.
set -eu
check=$RECKON_SOURCE/tools/check-sizes
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
"$check" "$RECKON_SOURCE" | tail -5

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

# expect WHAT NAMED: the tree that stands is beyond this bound, and NAMED is listed below it.
expect()
{
    if "$check" "$tree" >"$tree/out"; then
        echo "not caught: $1"
        failed=1
    elif ! grep -A 99 "$1, at most" "$tree/out" | grep -q "^        $2"; then
        echo "$1: expected $2, got:"
        cat "$tree/out"
        failed=1
    fi
    rm -rf "${tree:?}"/*
}

lines() { i=0; while [ $i -lt "$1" ]; do echo "    x++;"; i=$((i + 1)); done; }

mkdir -p "$tree/core/base"
{ printf 'void f(void)\n{\n'; lines 60; echo '}'; } >"$tree/core/base/a.c"
expect 'functions of more than 60 lines' 'core/base/a.c:2: void f(void): 62'

mkdir -p "$tree/core/base"
for i in 1 2 3 4 5 6 7 8 9; do lines 601 >"$tree/core/base/a$i.h"; done
expect 'files of more than 600 lines' 'core/base/a1.h: 601'

mkdir -p "$tree/cli" "$tree/core/base"
for i in $(seq 41); do
    echo "#include \"base/a$i.h\"" >>"$tree/cli/a.c"
    : >"$tree/core/base/a$i.h"
done
expect 'internal headers that cli includes' 'base/a41.h'

mkdir -p "$tree/core/base"
for i in $(seq 13); do echo "#include \"base/a$((i % 13 + 1)).h\"" >"$tree/core/base/a$i.h"; done
expect 'modules in circles' core/base/a13

mkdir -p "$tree/core/base" "$tree/core/text"
echo '#include "text/b.h"' >"$tree/core/base/a.h"
echo '#include "base/a.h"' >"$tree/core/text/c.h"
: >"$tree/core/text/b.h"
expect 'rooms in circles' core/text

exit $failed
