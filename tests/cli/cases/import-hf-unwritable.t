reckon import hf "$RECKON_SOURCE/tests/data/hf/gpt2.json" -o nowhere/x.json
=== stdout
=== stderr
reckon: nowhere/x.json: cannot write: folder nowhere: No such file or directory
=== exit 4
