W="gpus8 tp4 gbs64 mbs4 zero2 sp grad-overlap weight-overlap stages=22/zero3/recompute=full~10/zero3"
reckon export galvatron -m llama2-7b $W -o s.json
reckon galvatron check s.json
step() { reckon predict -m llama2-7b -s a100-sxm4-80g -f json "$@" | grep '"step_s"'; }
step $W >words
step $(reckon galvatron plan s.json) | cmp - words && echo same
echo "# what it cannot say"
reckon export galvatron -m llama3.1-8b gpus8 gbs64 stages=5/tp2/sp/zero3/recompute=selective:layernorm~11/zero1~16/cp8/cp-kind=ring/offload-activations=0.5 | grep -E 'tp_sizes|use_sp|dp_types|default|vtp'
no() { reckon export galvatron -m llama3.1-8b gbs96 "$@"; echo $?; }
no gpus16 tp4 cp2
no gpus12 tp4
no gpus8 pp2 vpp2
no gpus8 pp2 schedule=zero-bubble
no gpus8 pp8 mbs16
no gpus8 pp2 split=32,0
=== stdout
batch      64
chunks     8                 microbatches
pipeline   1                 stages
embedding  1-4*-2            pipeline-split-data of embedding and head

Layers
layers  strategy   pipeline  tensor  ulysses  data  zero3  recompute
    22  1-4*-2f-c         1       4        1     2    yes        yes
    10  1-4*-2f           1       4        1     2    yes         no

Stages
stage  first layer  layers
    0            0      32
same
# what it cannot say
    "tp_sizes_enc": "2,2,2,2,2,1,1,1,1,1,1,1,1,1,1,1,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8",
    "dp_types_enc": "1,1,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0",
    "use_sp": "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
    "default_dp_type": "zero2",
    "vtp": 1,
1
1
1
1
1
1
=== stderr
reckon: warning: layers 0-4: recompute selective: cannot be expressed in a strategy file of Galvatron's: the run has none
reckon: warning: layers 0-4: recompute_parts layernorm: cannot be expressed in a strategy file of Galvatron's: the run has none
reckon: warning: layers 5-15: zero 1: cannot be expressed in a strategy file of Galvatron's: the run has 2
reckon: warning: layers 16-31: context_kind ring: cannot be expressed in a strategy file of Galvatron's: the run has ulysses
reckon: warning: layers 16-31: activation_offload 0.5: cannot be expressed in a strategy file of Galvatron's: the run has 0
reckon: warning: embedding and head: zero 0: cannot be expressed in a strategy file of Galvatron's: the run has 2
reckon: the nearest plan is written: --system SYSTEM shows its time and whether it fits
reckon: embedding and head: tensor 4 and context 2 at once cannot be said in a strategy file: a layer is split one way, give tp8 cp1 or tp1 cp8
reckon: embedding and head: split over 4 ranks, 3 data ranks: a strategy file has powers of two
reckon: interleaving cannot be said in a strategy file: give vpp1
reckon: the schedule cannot be said in a strategy file: give schedule=1f1b or schedule=gpipe
reckon: fewer microbatches than stages cannot be said in a strategy file: give a larger gbs or a smaller mbs
reckon: a stage without layers cannot be said in a strategy file: give each stage a layer
