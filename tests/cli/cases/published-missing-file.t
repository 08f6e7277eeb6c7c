reckon predict --framework calculon --model ./none.json --system a100-80g-nvl8
=== stdout
=== stderr
reckon: ./none.json: cannot open: No such file or directory; check the path
=== exit 3
