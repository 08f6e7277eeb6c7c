printf '{\n  "layers": 3,\n  "hiden": 4\n}\n' >model.json
reckon predict --framework calculon --model ./model.json --system a100-80g-nvl8
=== stdout
=== stderr
reckon: ./model.json:3:3: unknown key "hiden"; did you mean "hidden"?
=== exit 3
