reckon import hff x
=== stdout
=== stderr
reckon: "hff" is no command, did you mean hf?
=== exit 2
