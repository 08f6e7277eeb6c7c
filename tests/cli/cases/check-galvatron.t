printf "{\"pp_deg\": 2, \"tp_sizes_enc\": \"1,1,3\", \"tp_consecutive_flags\": \"1,1,1\", \"dp_types_enc\": \"0,0,2\", \"global_bsz\": 8, \"chunks\": 2, \"pp_division\": \"2,2\", \"embed_sdp\": 1}" >g.json; reckon check g.json -s a100-sxm4-80g; printf "{\"pp_deg\": 2, \"tp_sizes_enc\": \"1,1,1,1\", \"tp_consecutive_flags\": \"1,1,1\", \"dp_types_enc\": \"0,0,0,0\", \"global_bsz\": 8, \"chunks\": 1, \"pp_division\": \"3,0\", \"world_size\": 8}" >g.json; reckon check g.json -s a100-sxm4-80g
=== stdout
g.json:1:163: error 1.unknown: embed_sdp: is not known: the search writes it, the run reads vocab_sdp: rename it to vocab_sdp
g.json: error 1.missing: world_size: is missing: give it
g.json:1:89: error 1.value: dp_types_enc 0,0,2: must be a list of numbers from 0 to 1
g.json on a100-sxm4-80g: 3 errors
g.json:1:66: error 2.lists: tp_consecutive_flags: has 3 entries, there are 4 layers: give one for each
g.json on a100-sxm4-80g: 1 error
=== exit 1
