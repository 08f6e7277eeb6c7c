reckon corpus
reckon corpus clean x.txt
reckon corpus clean -o c --near 2 x.txt
reckon corpus clean -o c missing.txt
=== stdout
=== stderr
reckon: corpus: say which: reckon corpus clean or blend
reckon: corpus clean: say where the corpus goes: -o FOLDER
reckon: --near: "2" is not a number from 0 to 1
reckon: missing.txt: cannot open: No such file or directory; check the path
=== exit 3
