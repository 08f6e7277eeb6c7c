sed "s/\"num_hidden_layers\": 32/\"num_hidden_layers\": \"32\"/" "$RECKON_SOURCE/tests/data/hf/mistral-7b.json" >config.json; reckon import hf config.json -o x.json; code=$?; ls; exit $code
=== stdout
config.json
=== stderr
reckon: config.json:8:24: num_hidden_layers: must be an integer, got the string "32"
=== exit 3
