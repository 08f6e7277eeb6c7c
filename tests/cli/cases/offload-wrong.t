# what is refused, and how it says so
put() { printf '%s\n' "$1" >x.json; reckon offload x.json; echo "exit $?"; }
reckon offload; echo "exit $?"
reckon offload none.csv; echo "exit $?"
put '{}'
put '{"cases": [{"tokens": 0}], "gpus_sharing_the_sequence": 8, "bandwidth_Bps": 1, "achieved_FLOPps": 1, "host_bytes_per_gpu": 1, "layers": 2, "hidden": 4}'
put '{"cases": [{}], "gpus_sharing_the_sequence": 8, "bandwidth_Bps": 1, "achieved_FLOPps": 1, "host_bytes_per_gpu": 1, "layers": 2, "hidden": 4}'
put '{"cases": [{"tokens": 1}], "gpus_sharing_the_sequence": 8, "bandwidth_Bps": 0, "achieved_FLOPps": 1, "host_bytes_per_gpu": 1}'
put '{"cases": [{"tokens": 1}], "gpus_sharing_the_sequence": 8, "bandwidth_Bps": 1, "achieved_FLOPps": 1, "host_bytes_per_gpu": 1}'
put '{"attention": {"forward_ms": 1}, "layers": 2}'
printf 'layers,hidden\n1,x\n' >x.csv
reckon offload x.csv; echo "exit $?"
=== stdout
exit 2
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
=== stderr
reckon: say which plan, --model and --system, or which file of cases
reckon: none.csv: cannot open: No such file or directory; check the path
reckon: x.json:1:1: neither a tree of modules ("attention", "mlp") nor "cases" with "tokens"; reckon offload --help has both
reckon: x.json:1:23: cases[0].tokens: must be > 0, got 0
reckon: x.json:1:12: cases[0]: a case says its "tokens"
reckon: x.json:1:77: bandwidth_Bps: must be > 0, got 0
reckon: x.json:1:1: say "layers" and "hidden", or both in "model": "7b: 32 layers, hidden 4096"
reckon: x.json:1:15: attention: missing key "bytes_MB" (saved bytes): add it
reckon: x.csv:2:2: hidden: must be a number above 0, got "x"
