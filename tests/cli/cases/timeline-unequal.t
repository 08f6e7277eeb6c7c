# 96 blocks on 7 stages, and a last round of 5: the difference is said, with its reasons
reckon timeline -m gpt3-175b -s a100-80g-nvl8 --framework calculon --tensor 8 --pipeline 7 --chunks 2 --batch 47 --gradient-overlap no | grep -E '^(step|idle|  why)'
=== stdout
step: 11.4982 s simulated, 11.7446 s by the Calculon model: 2.1 % less
  why: some stages have a block less; the estimate takes half a block's time for each off the bubble
  why: the stages do not divide the microbatches; the estimate lets all chunks wait for a full last round
idle: 7.4 % of the step on average, 12.0 % at most, 5.6 % on the busiest stage, whose bubble is 7.5 % by the Calculon model
