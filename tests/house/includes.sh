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

expect_breach core/base/a.c '"machine/work.h"' 'base may not include machine'
expect_breach core/text/a.c '"catalog/catalog.h"' 'text may not include catalog'
expect_breach formats/keys/a.c '"advise/changes.h"' 'keys may not include advise'
expect_breach core/machine/a.c '"workload/layers.h"' 'machine may not include workload'
expect_breach core/workload/a.c '"machine/work.h"' 'workload may not include machine'
expect_breach core/workload/a.h '  <reckon/system.h>' 'workload may not know reckon/system.h'
expect_breach core/estimate/a.c '"calculon/space.h"' 'estimate may not include calculon'
expect_breach cli/a.c '"calculon/space.h"' 'cli may not include calculon'
expect_breach core/estimate/a.c '<stdio.h>' 'estimate may not include <stdio.h>'
expect_breach core/search/a.c '"catalog/load.h"' 'search may not include catalog'
expect_breach core/catalog/a.c '"search/engine.h"' 'catalog may not include search'
expect_breach core/catalog/a.c '<reckon/reckon.h>' 'catalog may not know reckon/reckon.h'
expect_breach core/study/a.c '"cli/cli.h"' 'study may not include cli'
expect_breach core/report/a.c '<reckon/search.h>' 'report may not know reckon/search.h'
expect_breach formats/megatron/a.c '"report/table.h"' 'megatron may not include report'
expect_breach core/catalog/a.c '"huggingface/hf.h"' 'catalog may not include huggingface'
expect_breach include/reckon/a.h '"machine/work.h"' 'include may not include machine'
expect_breach include/reckon/a.h '"status.h"' 'include includes <reckon/...> only'
expect_breach examples/a.c '"base/arena.h"' 'examples may not include base'
expect_breach core/machine/a.c '"../workload/block.h"' 'names its room'

expect_fine core/estimate/a.c '"machine/work.h"'
expect_fine core/search/a.c '"estimate/fold.h"'
expect_fine published/commands/a.c '"calculon/space.h"'
expect_fine formats/keys/a.c '<reckon/check.h>'
expect_fine formats/trainers/a.c '"text/toml.h"'
expect_fine cli/a.c '"report/table.h"'
expect_fine core/machine/a.c '"work.h"'
expect_fine core/machine/a.c '<math.h>'

exit $failed
