#!/bin/sh
# simumax.sh [RECKON]: the 37 runs on eight B200 that [simumax2026] predicts itself (its release v1.2 without
# DeepSeek-V2, which it does not count), each predicted, beside its own predictions; docs/accuracy.md has the table.
#
# simumax.csv has the published times and peaks, and in notes what SimuMax predicts (simumax_ms, simumax_gib). It is no
# part of the catalog's rows: 23 of the 37 are, `sustained` of the B200 is fitted to the 17 dense ones of these.
set -eu
here=$(dirname "$0")
reckon=${1:-$here/../build/reckon}
"$reckon" validate "$here/simumax.csv" --rows --format csv | python3 -c '
import csv, re, sys
here = sys.argv[1]
rows = {r["id"]: r for r in csv.DictReader(open(here + "/simumax.csv"))}
predicted = {}
for r in csv.DictReader(sys.stdin):
    if r["predicted"]:
        predicted.setdefault(r["id"], {})[r["metric"]] = float(r["error_pct"])
print("%-50s %9s %7s %7s %8s %7s %7s" % ("case", "s", "ours", "its", "GiB", "ours", "its"))
print("%-50s %9s %7s %7s %8s %7s %7s" % ("", "", "%", "%", "", "%", "%"))
sums = [0] * 4
for key, row in rows.items():
    said = {k: float(v) for k, v in re.findall(r"(\w+)=([0-9.]+)", row["notes"])}
    time, peak = float(row["metric_value"]), said["peak_alloc_gib"]
    errors = (predicted[key]["iter_time_s"], 100 * (said["simumax_ms"] / 1e3 / time - 1),
              predicted[key]["memory.allocated"], 100 * (said["simumax_gib"] / peak - 1))
    sums = [s + abs(e) for s, e in zip(sums, errors)]
    print("%-50s %9.4f %7.1f %7.1f %8.2f %7.2f %7.2f" % (row["table_or_fig"], time, *errors[:2], peak, *errors[2:]))
print("%-50s %9s %7.2f %7.2f %8s %7.2f %7.2f" % ("mean of %d" % len(rows), "", *[s / len(rows) for s in sums[:2]], "",
                                                *[s / len(rows) for s in sums[2:]]))
' "$here"
