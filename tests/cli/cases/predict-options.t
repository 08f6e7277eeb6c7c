# options are words; those of before are read, and named
reckon predict -m gpt3-175b -s a100-80g-nvl8 --framework=calculon --tensor 8 --pipeline 8 --data 16 -b 1536 --interleaving 3 --recompute attention --optimizer-sharding --data-overlap=no --datatype float16 | head -n 3
reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 8 --tensor 2 tp4
echo "exit $?"
reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 8 --tensr 2
echo "exit $?"
# a strategy, by id, and what today's model makes of the same
reckon predict -m gpt3-175b -s a100-80g-selene --strategy gpt3-175b-selene-full | head -n 3
reckon predict -m gpt3-175b -s a100-80g-selene --plan gpt3-175b-selene-full framework=megatron tp-net=-1 pp-net=-1 dp-net=-1 | head -n 3
# words and names in conditions of before say so, too; the words of a plan name its axes in conditions
reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 16 tp2 pp2 interleaving=2 optimizer_sharding=yes precision=bfloat16 gbs32 | sed -n 2p
for condition in 'interleaving <= 2 and optimizer_sharding = 1' 'vpp <= 2 and zero = 1' 'chunks <= 2 and zero = 1 and gbs = 32' \
    'sequence-parallel = yes' 'sp = yes' 'sequence_parallel = yes' 'sequence-nothing = yes'; do
    reckon search -m llama3.1-8b -s h100-sxm5-80g -g 16 -b 32 -k1 --where "$condition" 2>remarks | sed -n '2s/ of them.*//p'
    grep -v ' plans settled in ' remarks >&2
done
=== stdout
gpt3-175b on a100-80g-nvl8, 1024 GPUs, by calculon: 20.97 s a step, 157.3 TFLOP/s a GPU, MFU 50.4 %
  plan: framework=calculon precision=fp16 dp16 tp8 pp8 vpp3 gbs1536 zero1 recompute=selective
  assumed: microbatch 1, sequence 2048 (the model's)
exit 2
exit 2
gpt3-175b on a100-80g-selene, 64 GPUs, by calculon: 18.03 s a step, 122.1 TFLOP/s a GPU, MFU 39.1 %
  plan: framework=calculon precision=fp16 tp8 pp8 vpp3 gbs64 recompute=full no-fused tp-net=0
  pp-net=1 dp-net=1
gpt3-175b on a100-80g-selene, 64 GPUs, by reckon: 18.88 s a step, 115.2 TFLOP/s a GPU, MFU 36.9 %
  plan: precision=fp16 tp8 pp8 vpp3 gbs64 recompute=full attention=flash no-fused
  assumed: sequence 2048 (the model's), attention flash
  plan: dp4 tp2 pp2 vpp2 gbs32 zero1
  101,677 plans, 63,581 can run, 18,231
  101,677 plans, 63,581 can run, 18,231
  101,677 plans, 63,581 can run, 18,231
  101,677 plans, 63,581 can run, 25,596
  101,677 plans, 63,581 can run, 25,596
  101,677 plans, 63,581 can run, 25,596
=== stderr
reckon: --interleaving is now --chunks
reckon: --optimizer-sharding is now --zero
reckon: --data-overlap is now --gradient-overlap
reckon: --datatype is now --precision
reckon: "tensor=2 tp4":1:10: tp is given twice: leave one out
reckon: "--tensr" is not known, did you mean --tensor? reckon predict --help lists all flags
reckon: interleaving=2 is now chunks=2
reckon: optimizer_sharding=yes is now zero=1
reckon: precision=bfloat16 is now precision=bf16
reckon: interleaving is now chunks
reckon: optimizer_sharding is now zero
reckon: --where: column 1 of "sequence-nothing = yes": unknown name sequence; did you mean sequence-parallel
