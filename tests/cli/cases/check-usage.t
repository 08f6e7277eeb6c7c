reckon check; reckon check -s h100-sxm5-80g tp8; reckon check -m llama3.1-8b -s h100-sxm5-80g --env X tp1; reckon check -m llama3.1-8b -s h100-sxm5-80g --checkpoint "torch size=3" tp1; reckon check none.json -m llama3.1-8b -s h100-sxm5-80g
reckon check -m llama3.1-8b -s h100-sxm5-80g tp1 --set x; reckon check -s h100-sxm5-80g dir/run.sh tp8; reckon check --logs nowhere; reckon check -m llama3.1-8b -s h100-sxm5-80g tp1 --version 9
=== stdout
=== stderr
reckon: check: give --system, and for a plan --model; or --logs, --cases
reckon: a plan needs a model: give --model
reckon: --env: "X" is not NAME=VALUE
reckon: --checkpoint: size is not known
reckon: none.json: cannot open: No such file or directory; check the path
reckon: --set: "x" is not NAME=VALUE
reckon: "dir/run.sh" looks like a file, and there is more: give one file, or words of a plan
reckon: nowhere: cannot open: No such file or directory; check the path
reckon: --version: "9" is not known: give core_v0.9 to core_v0.19
=== exit 2
