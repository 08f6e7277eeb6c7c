#!/bin/sh
# Each public header compiles alone; one that does not is caught.
set -eu
check=$RECKON_SOURCE/tools/check-headers
command -v "${CXX:-g++}" >/dev/null || { echo "no C++ compiler"; exit 77; }
"$check" "$RECKON_SOURCE"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/include/reckon"
for text in 'size_t lacks_its_include(void);' 'int class;' 'struct s { int restrict; };'; do
    printf '%s\n' "$text" >"$tree/include/reckon/a.h"
    if "$check" "$tree" >/dev/null 2>&1; then
        echo "not caught: $text"
        exit 1
    fi
done
