# Adapters have one width wherever nothing says it, and saying it changes nothing: PEFT's fp32 in FSDP and DeepSpeed.
on="-m llama3.1-8b -s h100 -g 1 gbs1 seq2048"
show() { python3 -c "import json, sys; a = json.load(sys.stdin); print($1)"; }
for framework in fsdp deepspeed; do
    for words in lora16 'lora16 lora-bytes=4'; do
        reckon predict $on framework=$framework $words -f json | show "a['rates']['step_s'], a['figures']['hbm_bytes'], a['plan']['lora_element_bytes'], a['plan_words']"
    done | uniq | wc -l
done
# the way of --tune is the plan that predict has of its words
reckon fits llama3.1-8b h100 --tune -f json >tune.json
words=$(show "next(w['plan_words'] for w in a['ways'] if w['method'] == 'LoRA')" <tune.json)
reckon predict -m llama3.1-8b -s h100 -g 1 seq8192 $words -f json | show "a['plan']['lora_element_bytes']"
# as the framework stores trained weights, said and read back
reckon predict $on framework=fsdp lora16 lora-bytes=0 | sed -n 's/^  plan: //p'
reckon predict $on framework=megatron lora16 -f json | show "a['plan']['lora_element_bytes']"
# where adapters go, all that is of them does
reckon diff 'gpus1 gbs1 seq2048 framework=fsdp lora16' +lora0 -m llama3.1-8b -s h100 | sed -n 's/^lora  *\([0-9]*  *[0-9]*\) .*cannot run.*/\1 cannot run alone/p'
=== stdout
1
1
4
framework=fsdp gbs1 seq2048 lora16 lora-bytes=0
0
