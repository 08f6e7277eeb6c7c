cp "$SOURCE/tests/golden/galvatron/profiles.json" .
ask="-m llama2-7b -s shipped-1x8 layers=32 sequence=2048 default_dp_type=zero2 pipeline_type=pipedream_flush"
reckon galvatron search --profiles profiles.json $ask memory_GB=20 batch=32 chunks=4 -o strategy.json | sed -n 1,2p
reckon galvatron check strategy.json
reckon galvatron check strategy.json --profiles profiles.json $ask memory_GB=20 async_grad_reduce=true | sed -n 1,2p
reckon galvatron check strategy.json --profiles profiles.json $ask memory_GB=16 | tail -1
try() { echo "$1" >bad.json; reckon galvatron check bad.json; echo "exit $?"; }
try '{"pp_deg": 1, "tp_sizes_enc": "2,2", "dp_types_enc": "0,0", "checkpoint": "0,0", "world_size": 8, "global_bsz": 8, "chunks": 2}'
try '{"pp_deg": 1, "tp_sizes_enc": "2,3", "dp_types_enc": "0,0", "checkpoint": "0,0", "world_size": 8, "global_bsz": 8, "chunks": 2, "pp_division": "2"}'
try '{"pp_deg": 3, "tp_sizes_enc": "2,2", "dp_types_enc": "0,0", "checkpoint": "0,0", "world_size": 8, "global_bsz": 8, "chunks": 2, "pp_division": "2"}'
try '{"pp_deg": 1, "tp_sizes_enc": "2,2", "dp_types_enc": "0,0", "checkpoint": "0,0", "world_size": 8, "global_bsz": 8, "chunks": 2, "pp_division": "2", "vocab_spd": 1}'
reckon galvatron check strategy.json --profiles profiles.json -m llama2-7b -s shipped-2x8 layers=32 sequence=2048 memory_GB=20
reckon galvatron check strategy.json --profiles profiles.json -m llama2-7b -s shipped-1x8 layers=24 sequence=2048 memory_GB=20
=== stdout
samples per s  11.74662
step s         2.7242 s
batch      32
chunks     4                 microbatches
pipeline   1                 stages
embedding  1-4*-2f           pipeline-split-data of embedding and head

Layers
layers  strategy   pipeline  tensor  ulysses  data  zero3  recompute
    22  1-4*-2f-c         1       4        1     2    yes        yes
     5  1-4*-2-c          1       4        1     2     no        yes
     4  1-4*-2f           1       4        1     2    yes         no
     1  1-4*-2            1       4        1     2     no         no

Stages
stage  first layer  layers
    0            0      32
samples per s  11.74662
step s         2.7242 s
    0            0      32   20,448    -4064
exit 3
exit 3
exit 3
exit 3
=== stderr
reckon: embed_sdp is what the search writes: the runtime reads vocab_sdp, which is not there
reckon: embed_sdp is what the search writes: the runtime reads vocab_sdp, which is not there
reckon: embed_sdp is what the search writes: the runtime reads vocab_sdp, which is not there
reckon: bad.json:1:1: missing key "pp_division" (layers of each stage): add it
reckon: bad.json:1:31: tp_sizes_enc: entry 2 is 3: pp_deg 1 times it must divide world_size 8, and it must be a power of two
reckon: bad.json:1:12: pp_deg: 3 does not divide world_size 8
reckon: bad.json:1:149: unknown key "vocab_spd"; did you mean "vocab_sdp"?
reckon: profiles.json:1063:16: hardware.shipped-2x8: has 16 ranks, world_size of the strategy file is 8
reckon: the strategy file has 32 layers, layers= says 24
=== exit 2
