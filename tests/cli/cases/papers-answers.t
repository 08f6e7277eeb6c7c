# scripts that ask commands: each answer a row with its JSON, from words or from a query; other scripts; charts; what experiments left
cat >study.json <<'END'
{"framework": "calculon", "models": ["gpt2-1558m"], "systems": ["a100-80g-nvl8"], "gpus": 8, "batch": 8}
END
mkdir measured
printf '# kept\nwhat,seconds\nslow,2\nfast,1\n' >measured/x.csv
cat >part.sql <<'END'
-- @note From another file.
END
cat >study.sql <<'END'
-- @include part.sql
-- @answer one | eight | reckon predict -m "gpt2-124m layers=6" -s a100-sxm4-80g -g 8 tp8
-- @answer many
SELECT printf('tp%d', t), printf('reckon predict -m ''gpt2-124m layers=6'' -s a100-sxm4-80g -g 8 tp%d', t) FROM (SELECT 1 AS t UNION ALL SELECT 4);
-- @table asked Layers and whether it fits
SELECT label, code, json_extract(json, '$.model.layers') AS layers, json_extract(json, '$.fits') AS fits FROM (SELECT * FROM one UNION ALL SELECT * FROM many);
-- @chart drawn lines Not in text
SELECT 'a' AS series, 1 AS x, 2 AS y;
-- @measured kept measured/x.csv | 5 | sh x.sh
-- @table seconds What was kept
SELECT * FROM kept;
-- @check known Nobody can say.
SELECT NULL, 'of a reason';
END
reckon study study.json --compare --quiet
reckon study study.json --compare --quiet -o page.html && grep -c 'Not in text' page.html
try() { printf '%s\n' "$1" >study.sql; reckon study study.json --compare --quiet; echo "exit $?"; }
try '-- @answer one | bad | reckon predict -m nosuch -s a100-sxm4-80g -g 8'
try '-- @answer one two'
try '-- @chart c pie Round
SELECT 1, 2, 3;'
try '-- @chart c lines Two
SELECT 1, 2;'
try '-- @measured m x.csv | soon | true'
try '-- @include study.sql'
reckon papers holms; echo "exit $?"
=== stdout
  From another file.

Layers and whether it fits
label  code  layers  fits
eight     1       6     0
tp1       0       6     1
tp4       0       6     1

What was kept
what  seconds
slow        2
fast        1

known: Nobody can say.
  cannot be known here, because of a reason


The command of each row
answers  row    command
one      eight  reckon predict -m "gpt2-124m layers=6" -s a100-sxm4-80g -g 8 tp8
many     tp1    reckon predict -m 'gpt2-124m layers=6' -s a100-sxm4-80g -g 8 tp1
many     tp4    reckon predict -m 'gpt2-124m layers=6' -s a100-sxm4-80g -g 8 tp4

Experiments (--run makes them again)
experiment  made  takes s  command
kept        kept        5  sh x.sh


0 of 1 checks hold; 0 of 0 required ones.
3
exit 2
exit 3
exit 3
exit 3
exit 3
exit 3
exit 2
=== stderr
reckon: study.sql:1: unknown model "nosuch" ("reckon models" lists them; a file's name ends in .json)
reckon: study.sql:1: @answer TABLE | LABEL | WORDS
reckon: study.sql:1: @chart NAME KIND TEXT: KIND of c is lines, points or bars
reckon: study.sql:1: c: the query of a chart must yield three columns
reckon: study.sql:1: m: give the seconds as a number above 0
reckon: study.sql:1: study.sql:1: study.sql:1: study.sql:1: study.sql:1: study.sql:1: study.sql:1: study.sql:1: study.sql:1: study.sql: scripts include each other
reckon: no paper "holms": did you mean holmes
