# What is offloaded is counted, and changes no bit of the loss; drives need a folder.
cp "$SOURCE/data/corpus/declaration/en.txt" en.txt
cp "$SOURCE/examples/train/tiny.json" tiny.json
train() { reckon train -q -m tiny.json -d en.txt gbs4 mbs4 seq64 -n 3 "$@" >table || cat table; }
train --log here
train --log away --drives . offload-activations=2 offload-optimizer=0.5 offload-weights=1
cut -d, -f1-4 here >a
cut -d, -f1-4 away | cmp - a && echo "the same bits"
reckon train -q -m tiny.json -d en.txt gbs4 mbs4 seq64 -n 3 --drives . offload-activations=2 offload-optimizer=0.5 --format json |
    sed -n 's/.*"\(activations\|optimizer\|handed\|written\|read\)_bytes": \([0-9.e+]*\).*/\1 \2/p'
ls -a | grep -c reckon-
# the second step, instruction by instruction
train offload-activations=1 --trace trace
tr ',' '\n' <trace | sed -n 's/.*"name":"\(.*offload.*\|.*fetch.*\|keep\)"/\1/p' | sort | uniq -c | sed 's/^ *//'
tail -c 4 trace
train offload-activations=2
train offload-activations=2 --drives /nonexistent
train offload-activations=1 --drives . recompute-rest
=== stdout
the same bits
optimizer 3538944
activations 0
handed 0
written 3538944
read 3538944
optimizer 0
activations 9060352
handed 2363392
written 6696960
read 6696960
0
7 fetch
3 keep
7 offload
7 wait for offloading
7 wait for what is fetched

]}
=== stderr
reckon: memory tier 2 of the machine assumed without --system is made of drives: say where their files go, --drives FOLDER
reckon: /nonexistent: no file for what is offloaded: No such file or directory
