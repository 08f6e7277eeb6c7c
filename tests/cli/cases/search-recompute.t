# What is computed again is what the framework can be told: Megatron-LM names parts (moe_act with experts alone), torchtitan
# has one selection, DeepSpeed whole layers; --unstartable has all that the model has.
for model in llama3.1-8b mixtral-8x7b; do
    for flags in '--framework megatron' '--framework fsdp' '--framework deepspeed' '--framework fsdp --unstartable'; do
        echo "$model $flags: $(reckon search -m $model -s h200 -g 64 -b 64 $flags --headroom none -q -k 100000 --pipeline 1 --context 1 \
            --zero 3 --recompute-layers 0 --microbatch 1 --format csv | tr , '\n' | sed -n 's/.*recompute=//p' | sed 's/ .*//' | LC_ALL=C sort -u | tr '\n' ' ')"
    done
done
for framework in megatron fsdp deepspeed; do
    echo "$framework: $(reckon fits llama3.1-8b h100 -g 8 framework=$framework dp8 zero1 gbs64 mbs4 | grep -o '^recompute=selective[^ ]*' | tr '\n' ' ')"
done
=== stdout
llama3.1-8b --framework megatron: full selective selective:layernorm selective:layernorm+mlp selective:mlp 
llama3.1-8b --framework fsdp: full selective:moe_act+layernorm 
llama3.1-8b --framework deepspeed: full 
llama3.1-8b --framework fsdp --unstartable: full selective selective:layernorm selective:layernorm+mlp selective:mlp selective:moe_act selective:moe_act+layernorm 
mixtral-8x7b --framework megatron: full selective selective:layernorm selective:layernorm+moe selective:moe selective:moe_act selective:moe_act+layernorm 
mixtral-8x7b --framework fsdp: full selective:moe_act+layernorm 
mixtral-8x7b --framework deepspeed: full 
mixtral-8x7b --framework fsdp --unstartable: full selective selective:layernorm selective:layernorm+moe selective:moe selective:moe_act selective:moe_act+layernorm 
megatron: recompute=selective:mlp recompute=selective:layernorm recompute=selective:core_attn 
fsdp: recompute=selective:moe_act+layernorm 
deepspeed: 
