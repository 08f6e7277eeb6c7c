reckon timeline -m gpt3-175b -s a100-80g-nvl8 --framework calculon --tensor 8 --pipeline 8 --data 16 --batch 1536 --recompute selective --zero 1 --schedule zero-bubble --format json | sed -n '/"step_s"/p; /"schedule"/p; /"tightest/p; /"reason"/p'
=== stdout
  "schedule": "zb-h1",
  "step_s": 20.37177068172014,
  "tightest_stage": 0,
  "tightest_tier": 0,
    "schedule": "zero-bubble",
      "reason": "zb-h1 fills the bubble with weight gradients; the estimate has the bubble of 1F1B"
