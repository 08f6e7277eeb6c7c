# options are words; those of before are refused with what is near
reckon predict -m gpt3-175b -s a100-80g-nvl8 --framework=calculon --tensor 8 --pipeline 8 --data 16 -b 1536 --chunks 3 --recompute selective --zero 1 --gradient-overlap=no --precision fp16 | head -n 4
for old in '--interleaving 3' '--optimizer-sharding' '--datatype float16' '--strategy plan.json' '--recompute attention' interleaving=2 optimizer_sharding=yes precision=bfloat16; do
    reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 16 tp2 pp2 $old; echo "exit $? $old"
done
reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 8 --tensor 2 tp4
echo "exit $?"
reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 8 --tensr 2
echo "exit $?"
# a published plan, and what today's model makes of the same
plan="precision=fp16 tp8 pp8 vpp3 gbs64 recompute=full no-fused"
reckon predict -m gpt3-175b -s a100-80g-selene framework=calculon $plan tp-net=0 pp-net=1 dp-net=1 | head -n 4
reckon predict -m gpt3-175b -s a100-80g-selene $plan | head -n 4
# the words of a plan name its axes in conditions
for condition in 'interleaving <= 2 and zero = 1' 'vpp <= 2 and zero = 1' 'chunks <= 2 and zero = 1 and gbs = 32' \
    'sequence-parallel = yes' 'sp = yes' 'sequence_parallel = yes' 'sequence-nothing = yes'; do
    reckon search -m llama3.1-8b -s h100-sxm5-80g -g 16 -b 32 -k1 --where "$condition" 2>remarks | sed -n '/feasible/s/ of them.*//p'
    grep -v ' plans evaluated in ' remarks >&2
done
=== stdout
fits: 20.97 s per step, MFU 50.4 %, memory 38.2 of 80.0 GiB
  gpt3-175b on a100-80g-nvl8, 1024 GPUs, Calculon model
  plan: framework=calculon precision=fp16 dp16 tp8 pp8 vpp3 gbs1536 zero1 recompute=selective
  assumed: microbatch 1, sequence 2048 (the model's)
exit 2 --interleaving 3
exit 2 --optimizer-sharding
exit 2 --datatype float16
exit 2 --strategy plan.json
exit 2 --recompute attention
exit 2 interleaving=2
exit 2 optimizer_sharding=yes
exit 2 precision=bfloat16
exit 2
exit 2
fits: 18.03 s per step, MFU 39.1 %, memory 48.1 of 80.0 GiB
  gpt3-175b on a100-80g-selene, 64 GPUs, Calculon model
  plan: framework=calculon precision=fp16 tp8 pp8 vpp3 gbs64 recompute=full no-fused tp-net=0
  pp-net=1 dp-net=1
fits: P(fits) 84 %, 18.93 s per step (50 % 17.56-23.07 s), MFU 36.8 %, memory 55.1 of 80.0 GiB on stage 0 of 0-7
  gpt3-175b on a100-80g-selene, 64 GPUs, detailed model
  plan: precision=fp16 tp8 pp8 vpp3 gbs64 recompute=full attention=flash no-fused
  assumed: framework megatron, microbatch 1, sequence 2048 (the model's), attention flash
  261,882 plans, 144,694 feasible, 53,953
  261,882 plans, 144,694 feasible, 53,953
  261,882 plans, 144,694 feasible, 81,424
  261,882 plans, 144,694 feasible, 81,424
  261,882 plans, 144,694 feasible, 81,424
=== stderr
reckon: "--interleaving" is not known, did you mean --interval? reckon predict --help-all lists all flags
reckon: "--optimizer-sharding" is not known, did you mean --optimizer? reckon predict --help-all lists all flags
reckon: "--datatype" is not known, did you mean --data? reckon predict --help-all lists all flags
reckon: "--strategy" is not known: reckon predict --help-all lists all flags
reckon: "recompute=attention tp2 pp2":1:11: recompute must be one of none, selective, full; got "attention"
reckon: "tp2 pp2 interleaving=2":1:9: unknown word "interleaving=2": there are tp, pp, cp, ep, dp, mbs, gbs, zero, sp, recompute and others, see reckon-plan(5)
reckon: "tp2 pp2 optimizer_sharding=yes":1:9: unknown word "optimizer_sharding": did you mean "optimizer"?
reckon: "tp2 pp2 precision=bfloat16":1:19: precision must be one of fp32, tf32, fp16, bf16, fp8-delayed, fp8-current, fp8-row, fp8-block, mxfp8, nvfp4, int8; got "bfloat16"
reckon: "tensor=2 tp4":1:10: tp is given twice: leave one out
reckon: "--tensr" is not known, did you mean --tensor? reckon predict --help-all lists all flags
reckon: --where: column 1 of "interleaving <= 2 and zero = 1": unknown name interleaving: give a figure or an axis, such as time, hbm, mfu or tensor (reckon-search(1) lists them)
reckon: --where: column 1 of "sequence-nothing = yes": unknown name sequence; did you mean sequence-parallel
