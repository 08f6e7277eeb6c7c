reckon import fsdp x
=== stdout
=== stderr
reckon: unknown command "fsdp": reckon import --help lists them
=== exit 2
