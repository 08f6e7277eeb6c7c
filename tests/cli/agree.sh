#!/bin/sh
# What every command, the module for Python and the page say of the same plan, and what the lines do
# that answers print: agree.py.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
export PYTHONPATH="${RECKON_BUILD:-$root/build}/python" PYTHONDONTWRITEBYTECODE=1
# a python3 without the sanitizers does not load a library with them
python3 -c 'import reckon; reckon.predict("gpt2-124m", "a100-sxm4-80g", "gbs8")' 2>/dev/null || export PYTHONPATH=
exec python3 "$root/tests/cli/agree.py"
