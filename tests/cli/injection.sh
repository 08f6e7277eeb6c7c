#!/bin/sh
# What stands in a model's or a machine's file becomes no part of a page (injection.py).
set -u
[ -x "${RECKON:-}" ] && command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
python3 "$RECKON_SOURCE/tests/cli/injection.py" "$RECKON" "$RECKON_DATA"
