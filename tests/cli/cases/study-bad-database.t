# Databases that are none, of others, of other versions, in places that cannot be had.
cp "$SOURCE/tests/data/cases/study/study.json" .
try() { reckon study study.json -q --db "$1"; echo $?; }
mkdir folder
try folder
try folder/none/study.db
printf 'this is a text that is long enough to be told from a database by its first bytes' >text.db
cat text.db text.db text.db text.db text.db text.db text.db >long.db
try text.db
try long.db
try study.json
=== stdout
4
4
3
3
3
=== stderr
reckon: folder: cannot be written: Is a directory; give another --db, in a folder you may write to
reckon: folder/none/study.db: cannot be written: No such file or directory; give another --db, in a folder you may write to
reckon: text.db: is not a database: give another --db, or remove the file
reckon: long.db: is not a database: give another --db, or remove the file
reckon: study.json: is not a database: give another --db, or remove the file
