# a run's tokens, days and money: one answer everywhere
pair="reckon predict -m llama3.1-8b -s 'h100 x16 price=2' gbs64 zero3 recompute=full framework=fsdp objective=dpo"
eval $pair --tokens 1G --spares 0 --mtbf never -f json >p.json; python3 -c "
import json; d = json.load(open('p.json')); rates, run = d['rates'], d['run']
print('tokens of a sample', rates['tokens_per_s'] / rates['samples_per_s'])
print('steps', run['steps'], -(-10**9 // (64 * 2 * 8192)))"
eval $pair | grep -E 'pair|per 1B' | cut -c 1-200
eval $pair --tokens 1G --spares 0 --mtbf never | grep -E '^cost in'
reckon search -q -m llama3.1-8b -s 'h100 x16 price=2' -b 64 zero3 recompute=full framework=fsdp objective=dpo tp1 cp1 pp1 mbs1 dp16 -k 1 -f csv | cut -d, -f 3-5
# minutes on two nodes: no spare one; a year: one
for tokens in 10M 10T; do reckon predict -m llama3.1-8b -s 'h100 x16' gbs16 zero1 recompute=full --tokens $tokens | grep '^spare'; done
=== stdout
tokens of a sample 16384.0
steps 954 954
fits: P(fits) 96 %, 11.65 s per step (50 % 11.56-15.18 s), MFU 29.3 %, memory 38.2 of 79.2 GiB, 98.79 USD per 1B tokens
  tokens of both answers of a pair
... Megatron-LM's   29.25 %           MFU as its log counts FLOP: half of all token pairs, the padded vocabulary
  a sample is a pair of answers: tokens are those of both
cost in USD                    99.253            spare nodes included
step_s,samples_per_s,tokens_per_s
11.004853720553848,5.8156156933250935,95283.04751943833
spare nodes                    0
spare nodes                    0
