reckon report -o page.html; code=$?; ls; exit $code
=== stdout
=== stderr
reckon: nothing to report: give a plan (a file or words), the output of a search, the database of a study, or --search
=== exit 2
