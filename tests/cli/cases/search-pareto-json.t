reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 96 --tensor 8 --pipeline 8 --microbatch 1 --pareto 'time,bubble_s / step_s' --where 'hbm < 40GiB' -q --format json | sed -n '/"problem"/,/"model"/p; /"frontier"/,$p'
=== stdout
  "problem": {
    "gpus": 64,
    "batch": 96,
    "sequence": 2048,
    "framework": "calculon",
    "precision": "bf16"
  },
  "query": {
    "where": "hbm < 40GiB",
    "sort": null,
    "pareto": "time,bubble_s / step_s"
  },
  "counts": {
    "plans": 5472,
    "fits": 3834,
    "repeated": 0,
    "matches": 2004
  },
  "model": {
  "frontier": [
    {
      "rank": 1,
      "index": 4933,
      "step_s": 40.005010591048205,
      "samples_per_s": 2.399699402191425,
      "tokens_per_s": 4914.584375688039,
      "tokens_per_s_gpu": 76.7903808701256,
      "mfu": 0.26435385587752763,
      "hbm_bytes": 40192081920,
      "offload_bytes": 14112915456,
      "plan": "framework=calculon tp8 pp8 vpp12 gbs96 sp regather tp-overlap recompute=selective offload-activations=1 offload-weights=1 tp-net=0 pp-net=1 dp-net=0",
      "fits_share": null,
      "days": null,
      "cost_usd": null,
      "bubble_s / step_s": 0.006036437418947464,
      "tensor": 8,
      "pipeline": 8,
      "data": 1,
      "microbatch": 1,
      "tensor_overlap": "ring",
      "precision": "bf16",
      "recompute": "core_attn",
      "chunks": 12,
      "zero": 0,
      "gradient_overlap": false,
      "activation_offload": true,
      "optimizer_offload": false,
      "weight_offload": true,
      "tensor_comm": "rs_ag",
      "regather": true,
      "fused": true,
      "tensor_network": 0,
      "pipeline_network": 1,
      "data_network": 0
    }
  ],
  "outcomes": [
    {
      "outcome": "fits",
      "tier": null,
      "where": null,
      "plans": 3834,
      "share": 0.7006578947368421
    },
    {
      "outcome": "network_too_small",
      "tier": 0,
      "where": "NVLink3",
      "plans": 1368,
      "share": 0.25
    },
    {
      "outcome": "memory_exceeded",
      "tier": 0,
      "where": "HBM2e",
      "plans": 270,
      "share": 0.049342105263157895
    }
  ]
}
