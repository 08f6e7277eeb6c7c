echo "{\"model_type\": \"gemma3\"}" >config.json; reckon import hf config.json -o x.json; code=$?; ls; exit $code
=== stdout
config.json
=== stderr
reckon: config.json:1:16: model_type: "gemma3" is not known (did you mean "gemma"?); reckon import hf --help lists the types that are. If its layers are made like those of one of them, give --as TYPE
=== exit 3
