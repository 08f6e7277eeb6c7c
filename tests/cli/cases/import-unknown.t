reckon import hff x
=== stdout
=== stderr
reckon: unknown command "hff": did you mean "hf"?
=== exit 2
