#!/bin/sh
# No path or host of one machine in the tree; one that is there is caught.
set -eu
check=$RECKON_SOURCE/tools/check-words
"$check" "$RECKON_SOURCE"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
home=home
for text in "open(\"/$home/someone/x\")" "see https://registry.np""mjs.org" "/wo""rk/x"; do
    printf '%s\n' "$text" >"$tree/a.c"
    if (cd "$tree" && GIT_CEILING_DIRECTORIES=$(dirname "$tree") "$check" "$tree") >/dev/null; then
        echo "not caught: $text"
        exit 1
    fi
done
