reckon timeline -m gpt3-175b -s a100-80g-nvl8 --framework calculon --tensor 8 --pipeline 8 --data 16 --batch 1536 --recompute selective --zero 1 --weight-offload --activation-offload --optimizer-offload --gradient-overlap no | sed -n '/^step/,/^$/p'
=== stdout
step: 59.0382 s simulated, 59.0382 s by the Calculon model: the same
idle: 6.7 % of the step on average, 6.7 % at most, 6.7 % on the busiest stage, whose bubble is 6.7 % by the Calculon model
tightest: stage 0, memory tier 1 (host): 30.15 GiB at most, 30.15 GiB by the Calculon model: the same; it has 512 GiB

