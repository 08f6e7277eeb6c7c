# sharded weights, context parallelism and a head that is a stage's: what is waited for stands in its place
reckon timeline -m mixtral-8x7b -s h100-sxm5-80g -g 64 cp2 pp4 ep4 zero2 schedule=zero-bubble grad-overlap gbs64 recompute=full --format json | sed -n '/"step/p; /"schedule"/p; /"tightest/p; /"reason"/p; /"reduce_s/p; /in_flight/p; /verdict/p'
=== stdout
  "schedule": "zero-bubble",
  "step_s": 2.561559069528185,
  "step_difference": -0.0028011513100462127,
  "tightest_stage": 3,
  "tightest_tier": 0,
        "reduce_scatter": "1",
        "reduce_scatter": "1",
    "schedule": "zero-bubble",
    "step_in_backward": false,
      "figure": "step",
      "reason": "work of a stage after its last pass runs while earlier stages drain; the formula leaves messages out of that time"
      "figure": "step",
      "reason": "weight gradients fill the bubble where they fit; the formula is that of equal stages"
      "in_flight": 1.9365853658536587,
      "reduce_s": 0.20465980103063836,
      "reduce_s": 0.20015916311071033,
      "reduce_s": 0.20015916311071033,
      "reduce_s": 0.20465994141665417,
