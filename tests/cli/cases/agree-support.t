# support and predict give one interval.
case='llama3.1-70b h100-sxm5-80g -g 64 tp4 pp4 gbs256 zero1'
reckon support $case | grep '^  time: ' >support
reckon predict $case --verbose | grep '^  time: ' >predict
cmp support predict && wc -l <support
reckon support $case --format json | grep -A 8 '"error_bar": ' >support
reckon predict $case --format json | grep -A 8 '"error_bar": ' >predict
cmp support predict && head -2 support | tail -1
=== stdout
1
    "class": "Hopper, dense, megatron",
