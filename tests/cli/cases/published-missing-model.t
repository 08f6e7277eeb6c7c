reckon predict --framework calculon --system a100-80g-nvl8
=== stdout
=== stderr
reckon: --model is missing: reckon models lists what there is
=== exit 2
