cp "$SOURCE/tests/golden/galvatron/profiles.json" .
try() { reckon galvatron search "$@"; echo "exit $?"; }
ask="--profiles profiles.json -m llama2-7b -s shipped-1x8 layers=32"
try $ask sequence=2048 memory_GB=12 batch=32 chunks=4
try $ask sequence=2048 memory_GB=12 batch=33 chunks=4
try $ask sequence=1024 memory_GB=12 batch=32
try $ask sequence=2048 memory=12
try $ask sequence=2048 memory_GB=12 default_dp_type=zero3
try $ask memory_GB=12
try --profiles profiles.json layers=32 sequence=2048 memory_GB=12
try -m llama2-7b layers=32
echo '{"cases": [{"input": {"model": "gpt2"}}]}' >cases.json
try --profiles profiles.json --cases cases.json
echo '{"cases": [{"input": {"model": "gpt2", "hardware": "shipped-1x8", "layers": [2], "sequence": [512], "memory_GB": 8}}]}' >cases.json
try --profiles profiles.json --cases cases.json
=== stdout
exit 1
exit 1
exit 3
exit 2
exit 2
exit 2
exit 2
exit 2
exit 3
exit 3
=== stderr
reckon: nothing fits in 12 GB: the smallest memory that does is memory_GB=16
reckon: no strategy divides the batch: give a batch that chunks divide into samples for every data rank, or leave chunks out
reckon: profiles.json:393:9: models.llama2-7b.time: has 0 batch sizes of "layertype_0_...", and its time mode needs 8: profile more, or choose another mode
reckon: the words: unknown key "memory"; did you mean "memory_GB"?
reckon: the words: default_dp_type: must be ddp or zero2: ZeRO-3 is always searched too
reckon: the words: missing key "sequence" (tokens of a sample, for each kind): add it
reckon: profiles.json has several, or none, under "models": name one with --model
reckon: give --profiles FILE: what was measured
reckon: cases.json:1:22: cases[0].input: missing key "hardware" (profile of the machine): add it
reckon: profiles.json:2:11: models: has no model "gpt2"
