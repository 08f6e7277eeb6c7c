reckon import hf nowhere.json
=== stdout
=== stderr
reckon: nowhere.json: cannot open: No such file or directory; check the path
=== exit 3
