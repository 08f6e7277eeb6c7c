# Words of a plan are what all plans of a search have, whichever predictor answers; also those for fewer GPUs.
best() { reckon search -q -k1 "$@" | sed -n '/ plans, /,/^$/p'; }
best -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 32 tp2 no-fused zero1 no-sp
best -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 64 framework=calculon tp8 sp
best -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 64 framework=calculon cp2
best -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 32 --plan 'tp2 no-fused' zero1 no-sp
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 32 -q --tensor 2 tp4
# A plan file says what all plans have beside its size.
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 32 -q -k1 tp2 zero1 --save-plan plan.json -o answer.txt
best -m llama3.1-8b -s h100-sxm5-80g -g 16 -b 64 --plan plan.json
reckon models llama3.1-8b -o model.txt && reckon models llama3.1-8b | cmp - model.txt
for words in tp1 'tp8 pp4 mbs1'; do
    reckon search -m llama3.1-8b -s h100-sxm5-80g -g 128 -b 512 -q -k1 $words --tokens 1T --elastic --spares 0 | tr '\n' ' ' | grep -o 'it goes on with.*pace'
done
=== stdout
  8492 plans, 3871 feasible
  headroom 8.1 of 79.2 GiB, which three of four measured runs like it keep
  with --headroom none: 4.399 s (1.2 % less) at 73.9 GiB; P(fits) 65 %
  plan: tensor 2, context 1, pipeline 2, data 2, order tp-cp-dp-pp, microbatch 1,
  sequence-parallel no, tensor-overlap none, precision bf16, attention flash3, sequence-chunks 1,
  recompute none, chunks 16, split balanced, pipeline-blocking no, schedule 1f1b, zero 1,
  shard-ranks 0, gradient-overlap yes, weight-overlap yes, activation-offload no,
  optimizer-offload no, weight-offload no

  363,744 plans, 128,205 feasible
  plan: tensor 8, pipeline 1, data 8, microbatch 8, tensor-overlap ring, precision bf16,
  recompute core_attn, zero 1, gradient-overlap yes, activation-offload yes,
  optimizer-offload yes, weight-offload yes, tensor-comm rs_ag, regather no, fused yes,
  tensor-network 0, pipeline-network 0, data-network 1

  8492 plans, 3871 feasible
  headroom 8.1 of 79.2 GiB, which three of four measured runs like it keep
  with --headroom none: 4.399 s (1.2 % less) at 73.9 GiB; P(fits) 65 %
  plan: tensor 2, context 1, pipeline 2, data 2, order tp-cp-dp-pp, microbatch 1,
  sequence-parallel no, tensor-overlap none, precision bf16, attention flash3, sequence-chunks 1,
  recompute none, chunks 16, split balanced, pipeline-blocking no, schedule 1f1b, zero 1,
  shard-ranks 0, gradient-overlap yes, weight-overlap yes, activation-offload no,
  optimizer-offload no, weight-offload no

  32,114 plans, 19,056 feasible
  headroom 8.1 of 79.2 GiB, which three of four measured runs like it keep
  with --headroom none: 3.398 s (0.4 % less) at 74.3 GiB; P(fits) 63 %
  plan: tensor 2, context 1, pipeline 1, data 8, order tp-cp-dp-pp, microbatch 2,
  sequence-parallel yes, tensor-overlap ring, precision bf16, attention flash3, sequence-chunks 1,
  recompute layernorm, zero 1, shard-ranks 0, gradient-overlap yes, weight-overlap yes,
  activation-offload no, optimizer-offload no, weight-offload no

it goes on with 120 GPUs   at 93.7 % of its pace
it goes on with 96 GPUs at   73.2 % of its pace
=== stderr
reckon: framework calculon has no context: leave it out
reckon: --tensor and a word of the plan say the same: give one of them
