reckon tokenizer
reckon tokenizer train -v 257 -c case a.txt
=== stdout
=== stderr
reckon: tokenizer: say which: reckon tokenizer train
reckon: --vocabulary: at least 258 for --cut case
=== exit 2
