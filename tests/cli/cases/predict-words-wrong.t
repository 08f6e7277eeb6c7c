P="reckon predict -m llama3.1-70b -s h100-sxm5-80g -g 64"
$P tp8 pq2
$P "tp8 pp2" sp zero4
$P tp8 fsdp
$P plan.json gbs64
$P tp8 tp4
$P tp6
$P gpus32
$P tp8 gbs100
$P recompute=selective:mlpp
$P tp8 pp2 split=40,40,0
$P tp8 zero
$P tp8 seq128Ki
$P tp
$P tp=
=== stdout
=== stderr
reckon: "tp8 pq2":1:5: unknown word "pq": did you mean "pp"?
reckon: "tp8 pp2 sp zero4":1:16: zero must be >= 0 and <= 3, got "4"
reckon: "tp8 fsdp":1:5: "fsdp" is a value: write framework=fsdp
reckon: "plan.json gbs64":1:1: "plan.json" is a file, not a word: give a plan's file with --plan
reckon: "tp8 tp4":1:5: tp is given twice: leave one out
reckon: --gpus: 64 GPUs are not a multiple of tensor 6 * pipeline 1 = 6: use 60 or 66
reckon: --gpus: 64, but the words say gpus32: leave one out
reckon: "tp8 gbs100":1:5: gbs 100: no multiple of 8 copies * microbatch 1: use 96 or 104
reckon: "recompute=selective:mlpp":1:21: recompute-parts must be one of core_attn, moe_act, layernorm, mla_up_proj, mlp, moe, shared_experts; got "mlpp"; did you mean "mlp"?
reckon: "tp8 pp2 split=40,40,0":1:9: split 3 entries: pipeline 2 * chunks 1 needs one for each virtual stage: give 2
reckon: "tp8 zero":1:9: zero needs a number: zero3
reckon: "tp8 seq128Ki":1:8: seq must be a number, got "128Ki": write out its digits
reckon: "tp":1:3: tp needs a number: tp8
reckon: "tp=":1:4: tp needs a number: tp8
=== exit 2
