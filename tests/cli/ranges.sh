#!/bin/sh
# The catalog's ranges and measured steps are those that validate writes, and ranges hold of sources that were left out what docs/accuracy.md says: 40 to 62 and
# 82 to 97 % by source, of the sources that nobody had read when they came as well, one by one, a third of them at a time and each from those that came before; their score is better than
# that of one range for all (of peaks within 15 % of it), and at most 1.15 times that of the best one range that could be chosen with all answers known.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
command -v python3 >/dev/null || exit 77
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$RECKON" validate --learn "$work/learned.json" --steps "$work/steps.csv" --brief --format json >"$work/report.json" || exit 1
if ! cmp -s "$root/data/measured/steps.csv" "$work/steps.csv"; then
    diff "$root/data/measured/steps.csv" "$work/steps.csv" | head -10
    echo "measured/steps.csv is not current: ./dev update results"
    exit 1
fi
python3 - "$root/data/measured/error_bars.json" "$work/learned.json" "$work/report.json" <<'END_OF_PYTHON'
import json, sys
kept, learned, report = (json.load(open(path)) for path in sys.argv[1:])
wrong = []

def same(where, a, b):
    """Numbers are rounded to 3 digits, whose last one may be another where a library's logarithm is."""
    if isinstance(a, dict) and isinstance(b, dict):
        if a.keys() != b.keys():
            wrong.append(f"{where}: {sorted(a.keys() ^ b.keys())}")
        for key in a.keys() & b.keys():
            same(f"{where}.{key}", a[key], b[key])
    elif isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            wrong.append(f"{where}: {len(a)} and {len(b)}")
        for i, pair in enumerate(zip(a, b)):
            same(f"{where}[{i}]", *pair)
    elif isinstance(a, float) and isinstance(b, float):
        if abs(a - b) > 0.00101:
            wrong.append(f"{where}: {a} and {b}")
    elif a != b:
        wrong.append(f"{where}: {a} and {b}")

same("error_bars.json", kept, learned)
if wrong:
    print("not current, write it with reckon validate --learn data/measured/error_bars.json:", *wrong[:10], sep="\n")
rows = report["bars"]
for i, row in enumerate(rows):
    print(row)
    if i < 4:
        if not (0.40 <= row["half"] <= 0.62 and 0.82 <= row["most"] <= 0.97):
            wrong.append(f"{row}: outside of 40 to 62 and 82 to 97 %")
        if row["score"] > 1.15 * row["best"]:
            wrong.append(f"{row}: worse than 1.15 of the best one range")
    # Peaks are within a few percent of one range for all (1.05, 1.09) since frameworks' errors are alike: no worse than that.
    most = 1 if i < 4 else 1.15
    if not row["score"] < most * row["one"] and not row["of"].startswith("  the newest"):
        wrong.append(f"{row}: no better than {most} of one range for all")
print(*wrong, sep="\n")
sys.exit(bool(wrong))
END_OF_PYTHON
