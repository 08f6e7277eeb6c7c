cp "$RECKON_SOURCE/tests/data/megatron/mixtral-8x7b.sh" .
reckon import megatron mixtral-8x7b.sh --system h100-sxm5-80g | sed -n '1,4p;/^Assumed/,/^$/p' | sed 's/: .*//'
# Transformer Engine takes the kernel that the device has: of Ampere not that of Hopper.
reckon import megatron mixtral-8x7b.sh --system a100-sxm4-80g 2>/dev/null | sed -n 1p | sed 's/: .*//'
=== stdout
fits
mixtral-8x7b
The arguments are those of Megatron Core 0.9 to 0.19
  plan
Assumed because the arguments do not state it
what                   value    why
WANDB_API_KEY          not set  the script asks for it and does not set it
--kv-channels          128      not given
--vocab-size           32000    not given
--moe-ffn-hidden-size  14336    not given
--num-experts          even     the busiest expert rank is taken to have its share of the tokens and no more
--attention-backend    auto     Transformer Engine takes the fastest kernel of the device

fits
=== stderr
reckon: warning: mixtral-8x7b.sh:85:5: --sequence-parallel: has no effect: tensor parallelism is 1
