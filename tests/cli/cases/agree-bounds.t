# A plan whose messages the link cannot pass in time is bounded by the link: interleaved stages over a slow network
# are within a tenth of the simulation, where they were at a twentieth of it; V-shaped ones, too.
plan='llama3.1-8b "rtx-a6000 x16" framework=fsdp dp4 pp2 vpp16 cp2 gbs64 zero2 grad-overlap weight-overlap recompute=full'
eval "reckon timeline $plan" | sed -n 's/.*s simulated, .*model: \([0-9.]*\) % [a-z]*$/\1/p' | awk '{ print ($1 < 10 ? "within a tenth" : $0) }'
reckon timeline llama3.1-8b "rtx-a6000 x16" pp4 vpp2 schedule=v-zero gbs64 zero1 | sed -n 's/.*s simulated, .*model: \([0-9.]*\) % [a-z]*$/\1/p' | awk '{ print ($1 < 1 ? "as simulated" : $0) }'
# The machine's framework holds in each layer, and over several clusters.
reckon predict llama3.1-8b tpu-v5p -g 8 pp2 gbs32 zero1 stages=16/tp2/sp,16/tp1/cp2 | grep -c 'framework=fsdp'
reckon fits llama3.1-8b 'tpu-v5p x16 + tpu-v4 x16 link=100Gb/s@50us' -b 256 -f json >fits.json; echo "exit $?"
reckon search -q -m llama3.1-8b -s 'tpu-v5p x16 + tpu-v4 x16 link=100Gb/s@50us' -b 256 -k 1 >several; grep -c ', fsdp, ' several; grep -c 'Megatron-LM' several
# The base of a checkpoint is the same in predict, diff, check and the exported file.
on='-m unsloth/llama-3-8b-bnb-4bit -s rtx4090'
reckon predict $on framework=fsdp gbs1 seq1024 lora16 | grep -o 'base=[a-z0-9-]*'
reckon diff $on 'gpus1 framework=fsdp gbs1 seq1024 lora16' +seq2048 | grep -o 'base=[a-z0-9-]*' | sort -u
reckon export trl -m unsloth/llama-3-8b-bnb-4bit gpus1 framework=fsdp gbs1 seq1024 lora16 2>/dev/null | grep load_in_4bit
# One price: of the cost of tokens and of the whole run, as the machine's line names it.
reckon fits llama3.1-8b 'h100-sxm5-80g price=reserved' -g 8 tp2 zero1 gbs32 --tokens 1T | grep -o '[0-9.]* USD per GPU-hour'
reckon import megatron "$RECKON_SOURCE/tests/data/megatron/llama3-70b.sh" -s 'h100-sxm5-80g price=reserved' | grep -o '[0-9.]* USD per GPU-hour (.*)'
# A plan that does not fit by the bounds given has no price, on its page as in the terminal.
reckon fits llama3.1-70b h100-sxm5-80g -g 64 tp4 pp8 sp zero1 gbs256 --sure 90,80 | sed -n '1s/ [0-9].*//p'
reckon fits llama3.1-70b h100-sxm5-80g -g 64 tp4 pp8 sp zero1 gbs256 --sure 90,80 -o fits.html; grep -c 'does not fit' fits.html
reckon fits llama3.1-8b 'h100-sxm5-80g price=reserved' -g 8 tp2 zero1 gbs32 --tokens 1T | grep -c 'per 1B tokens'
=== stdout
within a tenth
as simulated
2
exit 0
1
0
base=nf4-dq
base=nf4-dq
load_in_4bit: true
4.916 USD per GPU-hour
4.916 USD per GPU-hour (listed: reserved, 2024-12-01)
does not fit: P(fits)
8
0
=== exit 1
