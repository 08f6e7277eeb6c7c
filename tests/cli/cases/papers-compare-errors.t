# What is wrong with a script is told with its line; a requirement that fails is exit status 1.
cat >study.json <<'EOF'
{"framework": "calculon", "models": ["gpt2-1558m"], "systems": ["a100-80g-nvl8"], "gpus": 8, "batch": 8}
EOF
try() {
    printf '%s\n' "$1" >study.sql
    reckon study study.json --compare --quiet
    echo "exit $?"
}
reckon study study.json --quiet --compare; echo "exit $?"
try '-- @require three There are three points.
SELECT count(*) = 3, count(*) || " is there" FROM result;'
try '-- @table one Broken
SELECT nonsense FROM result;'
try '
-- @check two Too many rows
SELECT 1, 2 UNION SELECT 3, 4;'
try '-- @nosuch thing'
try '-- @expect values missing.csv'
try '-- @estimate one | gpt2-1558m | a100-80g-nvl8'
try '-- @estimate one | gpt9 | a100-80g-nvl8 | ./none.json'
try '-- @distribution all | 0 | gpt2-1558m | a100-80g-nvl8 | 8 | 8 | float16'
try '-- @setup
DELETE FROM search;'
printf 'a,b\n1\n' >values.csv
try '-- @expect values values.csv'
reckon study study.json --compare-with other.sql --quiet; echo "exit $?"
# a script that shows nothing
try 'SELECT 1;
-- @table one Below
SELECT 1;'
try '-- @tabel one Misspelt'
try '-- @ table one With a blank
SELECT 1 AS one;'
try '-- @setup
CREATE TEMP TABLE a AS SELECT 1;'
try ''
=== stdout
exit 2
three: There are three points.
  FAILED, because 1 is there

0 of 1 checks hold; 0 of 1 required ones.
exit 1
exit 3
exit 3
exit 3
exit 4
exit 3
exit 2
exit 3
exit 3
exit 3
exit 4
exit 3
exit 3
exit 3
exit 3
exit 3
=== stderr
reckon: study.sql: there is none: --compare reads the questions next to the study, --compare-with FILE others; reckon-compare(5)
reckon: study.sql:1: no such column: nonsense
reckon: study.sql:2: two: the query must yield one row (holds, because)
reckon: study.sql:1: no directive "@nosuch": reckon-compare(5) lists them
reckon: study.sql:1: missing.csv: cannot be read: No such file or directory
reckon: study.sql:1: @estimate NAME | MODEL | SYSTEM | STRATEGY
reckon: study.sql:1: unknown model "gpt9": did you mean "gpt2"? ("reckon models" lists them; a file's name ends in .json)
reckon: study.sql:1: bins, GPUs and batch are whole numbers above 0
reckon: study.sql:1: attempt to write a readonly database
reckon: study.sql:1: values.csv:2: has 1 cells, the first line 2
reckon: other.sql: cannot be read: No such file or directory
reckon: study.sql:1: SQL in front of the first directive is not run: put "-- @table NAME TEXT" above a query to have its rows shown, "-- @setup" above what only prepares
reckon: study.sql:1: no directive "@tabel": did you mean @table
reckon: study.sql:1: no directive "@": reckon-compare(5) lists them
reckon: study.sql: nothing in it is shown: a query is below "-- @table NAME TEXT"; reckon-compare(5) has the others
reckon: study.sql: nothing in it is shown: a query is below "-- @table NAME TEXT"; reckon-compare(5) has the others
