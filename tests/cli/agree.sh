#!/bin/sh
# What every command, the module for Python and the page say of the same plan, and what the lines do
# that answers print: agree.py.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
PYTHONPATH=${RECKON_BUILD:-$root/build}/python PYTHONDONTWRITEBYTECODE=1 exec python3 "$root/tests/cli/agree.py"
