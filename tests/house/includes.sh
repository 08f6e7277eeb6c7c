#!/bin/sh
# The direction law holds for the tree, and a breach of each kind is caught.
set -eu
check=$RECKON_SOURCE/tools/check-includes
"$check" "$RECKON_SOURCE"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

# expect_breach FILE INCLUDE RULE: a tree with this one file is refused, naming file:line and rule.
expect_breach()
{
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/$(dirname "$1")"
    printf '/* first line */\n#include %s\n' "$2" >"$tree/$1"
    if "$check" "$tree" >"$tree/out"; then
        echo "not caught: $2 in $1"
        failed=1
    elif ! grep -q "^$1:2: .*$3" "$tree/out"; then
        echo "$2 in $1: expected \"$1:2: ... $3\", got:"
        cat "$tree/out"
        failed=1
    fi
}

expect_fine()
{
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/$(dirname "$1")"
    printf '#include %s\n' "$2" >"$tree/$1"
    "$check" "$tree" || { echo "wrongly refused: $2 in $1"; failed=1; }
}

expect_breach src/base/a.c '"machine/work.h"' 'base may not include machine'
expect_breach src/text/a.c '"catalog/catalog.h"' 'text may not include catalog'
expect_breach src/interop/a.c '"advise/changes.h"' 'interop may not include advise'
expect_breach src/machine/a.c '"workload/layers.h"' 'machine may not include workload'
expect_breach src/workload/a.c '"machine/work.h"' 'workload may not include machine'
expect_breach src/workload/a.h '  <reckon/system.h>' 'workload may not know reckon/system.h'
expect_breach src/estimate/a.c '"published/space.h"' 'src/published is closed'
expect_breach src/estimate/a.c '<stdio.h>' 'estimate may not include <stdio.h>'
expect_breach src/search/a.c '"catalog/load.h"' 'search may not include catalog'
expect_breach src/catalog/a.c '"search/engine.h"' 'catalog may not include search'
expect_breach src/catalog/a.c '<reckon/reckon.h>' 'catalog may not know reckon/reckon.h'
expect_breach src/study/a.c '"cli/cli.h"' 'study may not include cli'
expect_breach src/report/a.c '<reckon/search.h>' 'report may not know reckon/search.h'
expect_breach src/interop/a.c '"report/table.h"' 'interop may not include report'
expect_breach include/reckon/a.h '"machine/work.h"' 'include may not include machine'
expect_breach include/reckon/a.h '"status.h"' 'include includes <reckon/...> only'
expect_breach examples/a.c '"base/arena.h"' 'examples may not include base'
expect_breach src/machine/a.c '"../workload/block.h"' 'names its room from src/ on'

expect_fine src/estimate/a.c '"machine/work.h"'
expect_fine src/search/a.c '"estimate/fold.h"'
expect_fine src/search/predict.c '"published/predict.h"'
expect_fine src/interop/a.c '<reckon/check.h>'
expect_fine src/interop/a.c '"text/toml.h"'
expect_fine cli/a.c '"report/table.h"'
expect_fine src/machine/a.c '"work.h"'
expect_fine src/machine/a.c '<math.h>'

exit $failed
