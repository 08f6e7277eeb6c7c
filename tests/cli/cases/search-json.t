reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 --gpus 64 --batch 96 --top 2 --tensor 4,8 --recompute none -q --format json
=== stdout
{
  "command": "search",
  "predictor": "calculon",
  "complete": true,
  "problem": {
    "gpus": 64,
    "batch": 96,
    "sequence": 2048,
    "framework": "calculon",
    "precision": "bf16"
  },
  "counts": {
    "plans": 1118208,
    "fits": 197349,
    "repeated": 0
  },
  "model": {
    "id": "gpt3-175b",
    "parameters": 174615846912,
    "layers": 96,
    "hidden": 12288,
    "feedforward": 49152,
    "heads": 96,
    "head_dim": 128,
    "sequence": 2048,
    "vocabulary": 51200,
    "attention": "multihead",
    "position": "learned",
    "tied_embeddings": true,
    "biases": true,
    "embedding_norm": false
  },
  "system": {
    "id": "a100-80g-nvl8",
    "devices": null,
    "processing": "no_overlap",
    "engines": [
      {
        "datatype": "float16",
        "matrix_FLOPps": 312000000000000,
        "matrix_efficiency": 0.95,
        "vector_FLOPps": 78000000000000,
        "vector_efficiency": 0.95
      },
      {
        "datatype": "bfloat16",
        "matrix_FLOPps": 312000000000000,
        "matrix_efficiency": 0.95,
        "vector_FLOPps": 78000000000000,
        "vector_efficiency": 0.95
      }
    ],
    "memories": [
      {
        "tier": 0,
        "name": "HBM2e",
        "capacity_bytes": 85899345920,
        "bandwidth_Bps": 2048000000000,
        "efficiency": 0.9
      },
      {
        "tier": 1,
        "name": "host",
        "capacity_bytes": 549755813888,
        "bandwidth_Bps": 32000000000,
        "efficiency": 0.95
      }
    ],
    "networks": [
      {
        "tier": 0,
        "name": "NVLink3",
        "size": 8,
        "bandwidth_Bps": 300000000000,
        "efficiency": 0.65,
        "latency_s": 1e-05,
        "must_be_filled": true,
        "processor_usage": 0.15,
        "reduce_scatter": "1.5 - 1.5/p",
        "all_gather": "1.5 - 1.5/p",
        "all_reduce": "2 - 2/p",
        "point_to_point": "1"
      },
      {
        "tier": 1,
        "name": "InfiniBand",
        "size": 65536,
        "bandwidth_Bps": 25000000000,
        "efficiency": 0.9,
        "latency_s": 2e-05,
        "must_be_filled": false,
        "processor_usage": 0.02,
        "reduce_scatter": "1",
        "all_gather": "1",
        "all_reduce": "1",
        "point_to_point": "1"
      }
    ],
    "efficiencies": [
      {
        "of": "matrix float16",
        "achieved": "0.95 from 128 GFLOP, 0.9 from 16 GFLOP, 0.6 from 1 GFLOP, 0.1 below"
      },
      {
        "of": "vector float16",
        "achieved": "0.95 from 16 GFLOP, 0.5 from 1 GFLOP, 0.1 below"
      },
      {
        "of": "matrix bfloat16",
        "achieved": "0.95 from 128 GFLOP, 0.9 from 16 GFLOP, 0.6 from 1 GFLOP, 0.1 below"
      },
      {
        "of": "vector bfloat16",
        "achieved": "0.95 from 16 GFLOP, 0.5 from 1 GFLOP, 0.1 below"
      },
      {
        "of": "memory 0",
        "achieved": "0.9 from 95.37 MiB, 0.75 from 9.537 MiB, 0.6 from 976.6 KiB, 0.3 below"
      },
      {
        "of": "memory 1",
        "achieved": "0.95 from 95.37 MiB, 0.9 from 9.537 MiB, 0.7 from 976.6 KiB, 0.3 below"
      }
    ]
  },
  "best": [
    {
      "rank": 1,
      "index": 1108561,
      "step_s": 14.708961258451726,
      "samples_per_s": 6.526633547616334,
      "tokens_per_s": 13366.545505518252,
      "tokens_per_s_gpu": 208.8522735237227,
      "mfu": 0.718982028597586,
      "hbm_bytes": 83320995840,
      "offload_bytes": 0,
      "plan": "framework=calculon tp8 pp8 vpp4 gbs96 sp tp-overlap tp-net=0 pp-net=1 dp-net=0",
      "fits_share": null,
      "days": null,
      "cost_usd": null,
      "tensor": 8,
      "pipeline": 8,
      "data": 1,
      "microbatch": 1,
      "tensor_overlap": "ring",
      "precision": "bf16",
      "recompute": "none",
      "chunks": 4,
      "zero": 0,
      "gradient_overlap": false,
      "activation_offload": false,
      "optimizer_offload": false,
      "weight_offload": false,
      "tensor_comm": "rs_ag",
      "regather": false,
      "fused": true,
      "tensor_network": 0,
      "pipeline_network": 1,
      "data_network": 0
    },
    {
      "rank": 2,
      "index": 1103953,
      "step_s": 14.7376846594314,
      "samples_per_s": 6.513913292245989,
      "tokens_per_s": 13340.494422519785,
      "tokens_per_s_gpu": 208.44522535187164,
      "mfu": 0.717580749524121,
      "hbm_bytes": 85655126016,
      "offload_bytes": 0,
      "plan": "framework=calculon tp8 pp8 vpp3 gbs96 sp tp-overlap tp-net=0 pp-net=1 dp-net=0",
      "fits_share": null,
      "days": null,
      "cost_usd": null,
      "tensor": 8,
      "pipeline": 8,
      "data": 1,
      "microbatch": 1,
      "tensor_overlap": "ring",
      "precision": "bf16",
      "recompute": "none",
      "chunks": 3,
      "zero": 0,
      "gradient_overlap": false,
      "activation_offload": false,
      "optimizer_offload": false,
      "weight_offload": false,
      "tensor_comm": "rs_ag",
      "regather": false,
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
      "plans": 197349,
      "share": 0.1764868432348901
    },
    {
      "outcome": "network_too_small",
      "tier": 0,
      "where": "NVLink3",
      "plans": 442368,
      "share": 0.3956043956043956
    },
    {
      "outcome": "memory_exceeded",
      "tier": 0,
      "where": "HBM2e",
      "plans": 424145,
      "share": 0.3793077853136447
    },
    {
      "outcome": "memory_exceeded",
      "tier": 1,
      "where": "host",
      "plans": 54346,
      "share": 0.0486009758470696
    }
  ]
}
