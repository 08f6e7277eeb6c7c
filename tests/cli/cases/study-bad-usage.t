# Each line is refused with one message and an exit status; no database is made.
cp "$SOURCE/tests/data/cases/study/study.json" .
while read -r words; do
    # shellcheck disable=SC2086
    reckon study $words </dev/null
    echo "$? $words"
done <<'LIST'

--jobs 2
study.json --jobs 0
study.json --jobs 1025
study.json --figure third
study.json --export xml
study.json --db
study.json other.json
-
missing.json
LIST
ls
=== stdout
2 
2 --jobs 2
2 study.json --jobs 0
2 study.json --jobs 1025
2 study.json --figure third
2 study.json --export xml
2 study.json --db
2 study.json other.json
2 -
3 missing.json
study.json
=== stderr
reckon: FILE is missing: Study file, see reckon-study(5); - is standard input; reckon study --help says more
reckon: FILE is missing: Study file, see reckon-study(5); - is standard input; reckon study --help says more
reckon: --jobs: 0 is too small: give at least 1
reckon: --jobs: 1025 is too large: give at most 1024
reckon: --figure: third is not in the study, whose first one is first; --list shows all
reckon: --export: "xml" is not known: give one of: table, json, csv
reckon: --db needs a value: --db FILE, Database of the results (default: FILE with .db for .json)
reckon: too many arguments: "other.json" is not expected: --help shows the usage
reckon: --db is missing: a study from standard input has no place of its own
reckon: missing.json: cannot open: No such file or directory; check the path
