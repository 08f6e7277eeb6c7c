cp "$SOURCE/tests/golden/galvatron/profiles.json" .
ask="--profiles profiles.json -m llama2-7b -s shipped-1x8 layers=32 sequence=2048"
reckon galvatron search $ask memory_GB=20 batch=32 chunks=4 default_dp_type=zero2 pipeline_type=pipedream_flush -o strategy.json --vocab-sdp
cat strategy.json
=== stdout
samples per s  11.74662
step s         2.7242 s
batch          32
chunks         4                 microbatches
pipeline       1                 stages
embedding      1-4*-2f           pipeline-split-data of embedding and head

Layers
layers  strategy   pipeline  tensor  ulysses  data  zero3  recompute
    22  1-4*-2f-c         1       4        1     2    yes        yes
     5  1-4*-2-c          1       4        1     2     no        yes
     4  1-4*-2f           1       4        1     2    yes         no
     1  1-4*-2            1       4        1     2     no         no

Stages
stage  first layer  layers  used MB  left MB
    0            0      32   20,448       32
{
    "pp_deg": 1,
    "tp_sizes_enc": "4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4",
    "tp_consecutive_flags": "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
    "dp_types_enc": "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0,0,0,0,0,1,1,1,1,0",
    "use_sp": "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0",
    "checkpoint": "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0,0,0,0,0",
    "world_size": 8,
    "global_bsz": 32,
    "chunks": 4,
    "pp_division": "32",
    "pipeline_type": "pipedream_flush",
    "default_dp_type": "zero2",
    "vtp": 4,
    "vsp": 0,
    "embed_sdp": 1,
    "vocab_sdp": 1
}
