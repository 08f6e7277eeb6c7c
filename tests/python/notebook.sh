#!/bin/sh
# The example notebook, executed from start to end: no cell fails, and what it shows last is a launch script.
set -eu
for python in python3 /usr/bin/python3; do # nbconvert is Debian's
    "$python" -c 'import nbconvert, ipykernel' 2>/dev/null && break
    python=
done
[ -n "$python" ] || { echo "no nbconvert"; exit 77; }
[ -d "$RECKON_BUILD/python/reckon" ] || { echo "no module: build reckon_python"; exit 77; }
unset RECKON_DATA
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp -r "$RECKON_SOURCE/examples" "$place"
cd "$place/examples"
HOME=$place PYTHONPATH=$RECKON_BUILD/python PYTHONDONTWRITEBYTECODE=1 PYDEVD_DISABLE_FILE_VALIDATION=1 \
    "$python" -m nbconvert --log-level WARN --to notebook --execute --output "$place/done.ipynb" plan.ipynb
"$python" - "$place/done.ipynb" <<'TEXT'
import json, sys

cells = [cell for cell in json.load(open(sys.argv[1]))["cells"] if cell["cell_type"] == "code"]
assert len(cells) > 3 and all(cell["execution_count"] for cell in cells)
shown = "".join("".join(out.get("text", "")) for cell in cells for out in cell["outputs"])
html = "".join("".join(out["data"].get("text/html", "")) for cell in cells for out in cell["outputs"] if "data" in out)
assert "torchrun" in shown or "SBATCH" in shown, shown[-500:]
assert "<td" in html
TEXT
