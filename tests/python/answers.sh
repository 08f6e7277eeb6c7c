#!/bin/sh
# What the module for Python gives beyond the command line's text.
set -eu
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
unset RECKON_DATA
PYTHONPATH=$RECKON_BUILD/python PYTHONDONTWRITEBYTECODE=1 \
    python3 "$RECKON_SOURCE/tests/python/test_answers.py"
