# options that would change nothing are refused by name: of serve, of a search over clusters or by layers, of a report of one plan
two="h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100Gb/s@50us"
on="-m llama3.1-8b -s h100-sxm5-80g"
ask() { reckon "$@" -o out; echo "exit $?"; }
ask serve $on tp2 --rows
ask serve $on tp2 --headroom 8GiB
ask serve $on tp2 --token-ms 20
ask serve --validate $on tp2
ask serve -m llama3.1-8b -s "$two" --search tp2
ask serve -m llama3.1-8b -s "$two" --search --top 3
ask serve -m llama3.1-8b -s "$two" --headroom 8GiB
ask serve -m llama3.1-8b -s "$two" recompute=full
ask search -m llama3.1-8b -s "$two" -b 64 --exhaustive
ask search -m llama3.1-8b -s "$two" -b 64 --nearest
for more in "--top 4" --exhaustive --nearest --explain; do ask search $on -g 8 -b 64 --layerwise $more; done
ask report $on tp8 --top 3
ask report $on -g 8 -b 64 --search --addresses
ask report $on "gpus8 tp8 gbs64" "gpus8 tp4 gbs64" --addresses
ls out
=== stdout
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
=== stderr
reckon: --rows goes with --validate or --measured: give one
reckon: --first-ms, --token-ms, --top and --headroom go with --search: add it
reckon: --first-ms, --token-ms, --top and --headroom go with --search: add it
reckon: --validate and --measured compare a table whose rows have all that is asked: leave model, system, plan and --search out
reckon: --search chooses tensor itself: leave it out of the plan
reckon: --top is of one cluster: of several each has its best layout
reckon: --first-ms, --token-ms, --top and --headroom go with --search: add it
reckon: the plan says recompute, which reckon serve has no use for (nothing is trained): leave it out
reckon: --exhaustive is about one cluster: over several a bound says how far the best plan is from any other
reckon: --nearest is about one cluster: no measured run over several is compared
reckon: --layerwise answers with one plan, by a search of its own: leave --top, --exhaustive, --nearest and --explain out
reckon: --layerwise answers with one plan, by a search of its own: leave --top, --exhaustive, --nearest and --explain out
reckon: --layerwise answers with one plan, by a search of its own: leave --top, --exhaustive, --nearest and --explain out
reckon: --layerwise answers with one plan, by a search of its own: leave --top, --exhaustive, --nearest and --explain out
reckon: --batch, --sequence, --framework, --where, --headroom, --sort, --top, --threads and the axes are for --search: say a plan in words, "tp8 gbs512"
reckon: --addresses: buffers are of one plan: give that plan, in words or as a file
reckon: --addresses: buffers are of one plan: give that plan, in words or as a file
ls: cannot access 'out': No such file or directory
=== exit 2
