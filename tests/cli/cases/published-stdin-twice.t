reckon predict --framework calculon --model - --system - </dev/null
=== stdout
=== stderr
reckon: standard input (-) can be read once: give files for the others
=== exit 2
