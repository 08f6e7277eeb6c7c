reckon timeline -m gpt3-175b -s a100-80g-nvl8 --framework calculon --tensor 8 --pipeline 4 --batch 16 --training no | sed -n '/^schedule/,/^$/p'
=== stdout
schedule 1f1b: 4 stages of 1 chunk each, 16 microbatches, 64 passes; messages charged
step: 2.68267 s simulated, 2.68273 s by the Calculon model: 0.0022 % less
  why: the estimate keeps a message's latency in the bubble of forward passes
idle: 15.8 % of the step on average, 15.8 % at most, 15.8 % on the busiest stage, whose bubble is 15.8 % by the Calculon model
tightest: stage 0, memory tier 0 (HBM2e): 10.74 GiB at most, 10.74 GiB by the Calculon model: the same; it has 80 GiB

