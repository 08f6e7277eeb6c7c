reckon predict --framework calculon --system a100-80g-nvl8
=== stdout
=== stderr
reckon: --model is missing: give an id, such as llama3.1-70b (`reckon models` lists them), or a config.json
=== exit 2
