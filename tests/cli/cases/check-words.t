reckon check -m llama3.1-70b -s h100-sxm5-80g -g 128 tq8 pp4 zero5 gbs512 batch=256 recompute=selective:core_atn
=== stdout
error 1.unknown: tq8: unknown word "tq": did you mean "tp"?
error 1.twice: batch=256: is given twice: leave one out
error 1.value: zero5: zero must be >= 0 and <= 3, got "5"
error 1.value: recompute=selective:core_atn: recompute-parts must be one of core_attn, moe_act, layernorm, mla_up_proj, mlp, moe, shared_experts; got "core_atn"; did you mean "core_attn"?
llama3.1-70b on h100-sxm5-80g: 4 errors
=== exit 1
