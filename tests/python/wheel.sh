#!/bin/sh
# The wheel: made without a network, twice with equal bytes, installed in a fresh virtual environment,
# where it answers from its own library and catalog.
set -eu
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
python3 -c 'import ensurepip' 2>/dev/null || { echo "no python3-venv"; exit 77; }
unset RECKON_DATA PYTHONPATH
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

python3 -m venv "$place/venv"
pip="$place/venv/bin/pip --disable-pip-version-check --quiet"
cd "$RECKON_SOURCE"
$pip wheel --no-index --wheel-dir "$place/one" .
$pip wheel --no-index --wheel-dir "$place/two" .
cmp "$place"/one/*.whl "$place"/two/*.whl
$pip install --no-index "$place"/one/*.whl

cd "$place"
"$place/venv/bin/python" - "$place" <<'TEXT'
import sys
import reckon

assert reckon.__file__.startswith(sys.argv[1]), reckon.__file__
p = reckon.predict("llama3.1-8b", "h100-sxm5-80g", "tp8 gbs32")
assert p.fits and p.step_s > 0, p
with open("/proc/self/maps") as maps:
    libraries = {line.split()[-1] for line in maps if "libreckon" in line}
assert len(libraries) == 1 and libraries.pop().startswith(sys.argv[1]), libraries
TEXT
$pip uninstall --yes reckon
