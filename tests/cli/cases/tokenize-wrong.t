sed 's/"Ġ",/"Ġx",/' "$SOURCE/tests/data/tokens/default.json" >wrong.json
echo text | reckon tokenize -t wrong.json
=== stdout
=== stderr
reckon: wrong.json:470:4: model.merges[2]: contradicts the vocabulary, which has no "Ġx": do both come from one training?
=== exit 3
