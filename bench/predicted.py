"""Medians of bench/predicted.sh: FOLDER has the rows and, of each row and round, what reckon train printed."""
import json
import statistics
import sys

folder, rounds = sys.argv[1], int(sys.argv[2])
shown = ("matrix", "attention", "comm", "waits", "messages", "data", "optimizer", "memory")
least = 0.01  # of a step: what is less is shown, and not judged
bars = {"step": 7, "matrix": 5, "attention": 5, "comm": 5, "messages": 5, "data": 5, "optimizer": 5}
within = {part: [0, 0] for part in bars}


def tables(path):
    with open(path) as file:
        return json.JSONDecoder().raw_decode(file.read())[0]


def figures(runs, part, by):
    return [run[part][by] for run in runs if part in run and run[part].get(by)]


def middle(values):
    return statistics.median(values) if values else None


def off(runs, part, by):
    return middle([100 * (run[part]["predicted_s"] / run[part][by] - 1) for run in runs
                   if part in run and run[part].get("predicted_s") and run[part].get(by)])


def percent(value):
    return "" if value is None else "%.1f %%" % value


def share(runs, part):
    return middle([run[part]["clock_s"] / run["step"]["clock_s"] for run in runs
                   if part in run and run[part].get("clock_s")]) or 0


def judged(runs, part):
    value = off(runs, part, "clock_s")
    if part == "waits":  # ranks are taken to be alike: the time itself, of the step's
        return percent(100 * share(runs, part)) if share(runs, part) else ""
    if part in bars and value is not None and share(runs, part) < least:
        return "(%s)" % percent(value)
    if part in bars and value is not None:
        within[part][0] += abs(value) <= bars[part]
        within[part][1] += 1
    return percent(value)


def peak(run):
    for row in run.get("memory", []):
        if row["memory"].startswith("a step") and row.get("predicted_bytes"):
            return 100 * (row["predicted_bytes"] / row["counted_bytes"] - 1)
    return None


print("| | predicted, ms | clock, ms | step | step by wall | %s | peak |" % " | ".join(shown))
print("|---" * (6 + len(shown)) + "|")
with open(folder + "/rows") as rows:
    for number, row in enumerate(rows, 1):
        read = [tables("%s/%d.%d" % (folder, number, turn + 1)) for turn in range(rounds)]
        runs = [{part["part"]: part for part in run["parts"]} for run in read]
        cells = [row.split("|")[0]]
        cells += ["%.1f" % (1e3 * middle(figures(runs, "step", by))) for by in ("predicted_s", "clock_s")]
        more = middle(figures(runs, "step, as routed", "predicted_s"))
        cells[1] += ", as routed %.1f" % (1e3 * more) if more else ""
        routed = [{"step": run.get("step, as routed", run["step"])} for run in runs]
        cells += [judged(routed, "step"), percent(off(routed, "step", "passed_s"))]
        cells += [judged(runs, part) for part in shown] + [percent(peak(read[0]))]
        print("| %s |" % " | ".join(cells))
print("\nIn brackets: less than 1 % of the step, not judged. Of waits: their share of the step. As routed: with the "
      "imbalance that the router brought.")
print("within the bars: " + ", ".join("%s %d of %d (%d %%)" % (part, *within[part], bars[part])
                                         for part in bars if within[part][1]))
