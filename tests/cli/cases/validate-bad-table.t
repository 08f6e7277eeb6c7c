printf "id,gpu\nx\n" >t.csv; reckon validate t.csv; reckon validate missing.csv; printf "{\"rules\": [{\"when\": {\"gpu\": \"(\"}, \"why\": \"\"}]}" >r.json; reckon validate --rules r.json
=== stdout
=== stderr
reckon: t.csv:2: has 1 fields where the first line names 2 columns: put text with commas in quotes
reckon: missing.csv: cannot open: No such file or directory; check the path
reckon: r.json:1:29: rules[0].when.gpu: not a regular expression: Unmatched ( or \(
=== exit 3
