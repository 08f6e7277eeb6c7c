#!/bin/sh
# study-damage.sh: a database with a flipped bit gives the same numbers or none; a run heals it.
# Environment: RECKON, the executable.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail() { echo "$*"; exit 1; }

cat >study.json <<'X'
{"figures": [{"name": "one", "models": ["llama3.1-8b"], "systems": ["h100-sxm5-80g"], "gpus": [8, 16],
              "batch": 32, "top": 3, "axes": {"tensor": [1, 2]}}]}
X
"$RECKON" study study.json -q >/dev/null || fail "the study"
"$RECKON" study study.json -q --export csv >good.csv || fail "the export"
cp study.db good.db
size=$(wc -c <good.db)

flip() { # position bit
    byte=$(od -An -tu1 -j "$1" -N 1 study.db)
    # shellcheck disable=SC2059
    printf "\\$(printf '%03o' $(((byte & ~(1 << $2)) | (~byte & (1 << $2)))))" |
        dd of=study.db bs=1 seek="$1" conv=notrunc 2>/dev/null
}

refused=0
i=0
while [ $i -lt 60 ]; do
    cp good.db study.db
    rm -f study.db-*
    flip $(((i * 99991 + 100) % size)) $((i % 8))
    if "$RECKON" study study.json -q --export csv >got.csv 2>err; then
        cmp -s got.csv good.csv || fail "flip $i: other numbers and exit status 0"
    else
        refused=$((refused + 1))
        grep -q study.db err || fail "flip $i: $(cat err)"
    fi
    i=$((i + 1))
done
[ $refused -lt 40 ] || fail "$refused of 60 refused: a run should heal most"

# a number of a result, exactly: whoever only reads says so, the next run makes it anew
cp good.db study.db
if command -v sqlite3 >/dev/null; then
    sqlite3 study.db 'UPDATE strategy SET step_s = step_s * 0.5 WHERE rank = 1'
    "$RECKON" report study.db -o page.html 2>err && fail "a report of damaged rows"
    grep -q 'is damaged' err || fail "report: $(cat err)"
    "$RECKON" study study.json -q --export csv | cmp -s - good.csv || fail "not healed"
fi
