reckon timeline -m gpt3-175b -s a100-80g-nvl8 --framework calculon --tensor 8 --pipeline 8 --data 16 --batch 1536 --recompute selective --zero 1 --schedule gpipe | sed -n '/^tightest/,/^$/p'
=== stdout
tightest: stage 0, memory tier 0 (HBM2e): 279.2 GiB at most, 31.67 GiB by the Calculon model: 8.81 times; it has 80 GiB: it does not fit
  why: gpipe has all microbatches in flight; the estimate has at most one per stage

