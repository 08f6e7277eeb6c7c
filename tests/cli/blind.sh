#!/bin/sh
# reckon validate --blind predicts a source as if nobody had seen it: a copy of the catalog that has neither its
# rows nor the rules that match it alone, nor what was found from its figures, predicts it alike, to the last digit;
# so does the same copy without --blind the rows under names that nobody has seen, where no constant was fitted to
# the source. RECKON_SLOW=1 takes all sources.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
command -v python3 >/dev/null || exit 77
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
python3 - "$RECKON" "$root/data" "$work" "${RECKON_SLOW:-}" <<'END'
import csv, json, os, random, re, shutil, subprocess, sys
reckon, data, work, slow = sys.argv[1:]
tables = ("runs.csv", "memory.csv", "oom.csv", "finetune.csv")  # only times are compared: the others stay empty in copies
names = ("source", "id", "source_group")

def group(row):
    name = row.get("source_group") or row.get("id", "")
    return re.sub(r"[_-]+$", "", re.sub(r"(?<=.)[0-9]+$", "", name)) if not row.get("source_group") else name

def matches(pattern, text):
    if pattern.startswith("!"):
        return not matches(pattern[1:], text)
    flags = re.I if pattern.startswith("(?i)") else 0
    return re.search(pattern[4:] if flags else pattern, text, flags) is not None

def read(table):
    with open(f"{data}/measured/{table}", newline="") as file:
        return list(csv.DictReader(file))

rows = {table: read(table) for table in tables}
with open(f"{data}/measured/rules.json") as file:
    rules = json.load(file)
groups = sorted({group(row) for row in rows["runs.csv"]})
fitted = {source for constant in rules["fitted"] for source in constant["from"]}
seed = random.randrange(1 << 32)
print("seed", seed)
random.seed(seed)
some = random.sample([g for g in groups if g not in fitted], 6) + random.sample(sorted(fitted & set(groups)), 1)
if slow:
    some = groups

def sources_of(rule):
    """The sources whose rows a rule matches by their names; none where it does not look at names."""
    asked = [(key, value) for key, value in rule["when"].items() if key in names and not value.startswith("!")]
    return {group(row) for table in tables for row in rows[table]
            if asked and all(matches(value, row.get(key) or "") for key, value in asked)}

named = [sources_of(rule) for rule in rules["rules"]]

def write(path, table, keep):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[table][0].keys())
        writer.writeheader()
        writer.writerows(row for row in rows[table] if keep(row))

def copy_without(source):
    copy = f"{work}/copy of {source}"
    shutil.copytree(data, copy, symlinks=True)
    for table in tables:
        write(f"{copy}/measured/{table}", table, lambda row: table == "runs.csv" and group(row) != source)
    fewer = [rule for rule, of in zip(rules["rules"], named)
             if source not in rule.get("from", []) and of != {source}]
    with open(f"{copy}/measured/rules.json", "w") as file:
        json.dump({**rules, "rules": fewer}, file)
    return copy, len(rules["rules"]) - len(fewer)

def answers(path, source):
    """The rows of a source: the number at the end of its id, metric, and all that is predicted."""
    with open(path, newline="") as file:
        return [(re.search("[0-9]*$", row["id"])[0], row["metric"], row["predicted"], row["predicted_si"],
                 row["verdict"], row["open"]) for row in csv.DictReader(file) if row["source"] == source]

def predict(copy, table, *options):
    result = subprocess.run([reckon, "validate", *filter(None, [table]), "--brief", "--parts", "-o", f"{work}/out.csv", *options],
                            env={**os.environ, "RECKON_DATA": copy}, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{copy} {options}: {result.stderr}")

whole, _ = copy_without("")
predict(whole, "", "--blind")
os.rename(f"{work}/out.csv", f"{work}/blind.csv")
failed = compared = 0
for source in some:
    copy, deleted = copy_without(source)
    own = f"{work}/own.csv"
    write(own, "runs.csv", lambda row: group(row) == source)
    with open(own, newline="") as file:
        size = sum(1 for _ in csv.DictReader(file))
    expected = answers(f"{work}/blind.csv", source)
    same = []
    if source in fitted:
        predict(copy, own, "--blind")
        same.append(("deleted", answers(f"{work}/out.csv", source)))
    else:
        with open(own, newline="") as file:
            renamed = list(csv.DictReader(file))
        for row in renamed:
            row["id"] = "nobody_" + re.search("[0-9]*$", row["id"])[0]
            row["source"] = "somebody's cluster"
        with open(own, "w", newline="") as file:
            writer = csv.DictWriter(file, renamed[0].keys())
            writer.writeheader()
            writer.writerows(renamed)
        predict(copy, own)
        same.append(("deleted and renamed", answers(f"{work}/out.csv", "nobody")))
    for what, answer in same:
        compared += len(answer)
        wrong = [pair for pair in zip(expected, answer) if pair[0] != pair[1]]
        if wrong or not answer or len(answer) != len(expected):
            failed = 1
            print(f"{source}, {what}: {len(wrong)} of {len(answer)} rows differ, {wrong[:3]}")
    print(f"{source}: {size} rows, {deleted} rules deleted, {'fitted' if source in fitted else 'held out'}")
    shutil.rmtree(copy)
print(compared, "predictions compared")
sys.exit(failed)
END
