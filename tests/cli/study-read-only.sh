#!/bin/sh
# A finished study is read from a folder that only can be read, also where SQLite's log was in use; one whose log has
# something is refused with what to do.
set -u
[ -x "${RECKON:-}" ] || exit 77
work=$(mktemp -d) || exit 1
trap 'chmod 755 "$work/kept %?#" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
chmod 755 .
fail() { echo "$1"; cat said; exit 1; }
# a user who may not write there: root may everywhere but in a namespace where it is nobody
if [ "$(id -u)" -eq 0 ] && ! unshare -U true 2>/dev/null; then
    echo 'root alone, and no namespace where it is nobody'
    exit 77
fi
as_reader() { if [ "$(id -u)" -eq 0 ]; then unshare -U "$@"; else "$@"; fi; }
folder='kept %?#'
mkdir "$folder"
db="$folder/run.db"
cat >run.json <<'F'
{"title": "A point", "models": ["llama3.1-8b"], "systems": ["h100-sxm5-80g"], "gpus": 8, "batch": 64, "columns": ["step_s"]}
F
chmod 644 run.json
export_it() { as_reader "$RECKON" study run.json -q --db "$db" --export csv; }
"$RECKON" study run.json -q --db "$db" --export csv >right || exit 1
mode() { # journal mode, a table, the log as it was while that was open
    python3 - "$db" "$@" <<'F'
import shutil, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("pragma journal_mode=" + sys.argv[2])
if len(sys.argv) > 3:
    db.execute("create table " + sys.argv[3] + " (a)")
    db.commit()
    shutil.copy(sys.argv[1] + "-wal", "log")
db.close()
if len(sys.argv) > 3:
    shutil.copy("log", sys.argv[1] + "-wal")
F
}
chmod 555 "$folder"
if as_reader test -w "$folder"; then echo 'nobody here who may not write'; exit 77; fi
for journal in delete wal; do
    chmod 755 "$folder"
    mode $journal || exit 1
    chmod 555 "$folder"
    export_it >now 2>said || fail "$journal: not read"
    cmp now right || fail "$journal: read otherwise"
done
chmod 755 "$folder"
mode wal other || exit 1
chmod 555 "$folder"
as_reader "$RECKON" study run.json --list --db "$db" >now 2>said && fail 'read without its log'
grep -q 'has its log next to it, which only who may write there can read .*: copy both to a folder of yours$' said || fail 'another error'
