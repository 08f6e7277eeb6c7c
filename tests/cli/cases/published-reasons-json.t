reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 64 --pipeline 1 --data 2 --batch 6 --microbatch 3 --tensor-network 0 -f json
=== stdout
{
  "command": "predict",
  "by": "calculon",
  "fits": false,
  "verdict": "bad_tensor",
  "outcome": "cannot run",
  "plan_words": "framework=calculon dp2 tp64 mbs3 gbs6 tp-net=0",
  "assumed": "precision bf16, sequence 2048 (the model's)",
  "tightest_stage": null,
  "slowest_stage": null,
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
  "plan": {
    "framework": "calculon",
    "precision": "bf16",
    "training": true,
    "gpus": 128,
    "tensor": 64,
    "pipeline": 1,
    "chunks": 1,
    "context": 1,
    "data": 2,
    "expert": 1,
    "expert_tensor": 0,
    "order": "tp-cp-dp-pp",
    "microbatch": 3,
    "batch": 6,
    "sequence": 0,
    "packed": 0,
    "padded": 0,
    "schedule": "1f1b",
    "microbatch_group": 0,
    "split": null,
    "stages": null,
    "first_layers": 0,
    "last_layers": 0,
    "embedding_counts": false,
    "head_counts": false,
    "messages_sharded": false,
    "pipeline_blocking": false,
    "deferred_wgrad": 0,
    "sequence_parallel": false,
    "regather": false,
    "tensor_overlap": "none",
    "context_kind": "ring",
    "context_contiguous": false,
    "ulysses": 0,
    "sequence_chunks": 1,
    "zero": 0,
    "shard_ranks": 0,
    "whole_gradients": false,
    "gradient_overlap": false,
    "weight_overlap": false,
    "bucket": 0,
    "keep_gathered": false,
    "flat_units": false,
    "xla": false,
    "dispatcher": "alltoall",
    "capacity_factor": 0,
    "capacity_padded": false,
    "imbalance": 1,
    "expert_overlap": false,
    "grouped": true,
    "recompute": "none",
    "recompute_parts": null,
    "recompute_layers": 0,
    "recompute_every": 0,
    "recompute_stride": 0,
    "recompute_to_end": false,
    "checkpoint_sharded": false,
    "attention": "flash3",
    "attention_fp8": false,
    "full_attention": false,
    "fused": true,
    "activation_fused": true,
    "activation_fp8": false,
    "gradient_fusion": true,
    "whole_logits": false,
    "loss_compiled": false,
    "loss_in_place": false,
    "loss_in_chunks": false,
    "logits_linger": false,
    "transformer_engine": true,
    "cuda_graphs": false,
    "graph_parts": null,
    "loss": "usual",
    "objective": "next-token",
    "reference": "none",
    "optimizer": "adam",
    "optimizer_rank": 0,
    "optimizer_paged": false,
    "foreach_step": false,
    "step_in_backward": false,
    "unsynced_gradients": false,
    "weight_element_bytes": 0,
    "gradient_element_bytes": 0,
    "master_element_bytes": -1,
    "moment1_element_bytes": 0,
    "moment2_element_bytes": 0,
    "frozen": false,
    "lora": 0,
    "lora_targets": null,
    "lora_dropout": 0,
    "lora_element_bytes": 0,
    "dora": false,
    "mixed_units": false,
    "base": "plain",
    "base_head": false,
    "frozen_inputs": false,
    "inputs_linger": false,
    "autocast": false,
    "residual_fp32": false,
    "cache_kept": false,
    "qkv_kept": false,
    "qkv_joined": false,
    "weights_fp8": false,
    "activation_offload": 0,
    "optimizer_offload": 0,
    "weight_offload": 0,
    "recompute_rest": false,
    "tensor_network": 0,
    "pipeline_network": -1,
    "data_network": -1,
    "vocabulary_multiple": 0
  },
  "reasons": [
    {
      "reason": "bad_tensor",
      "message": "heads is 96, not divisible by the tensor degree 64",
      "tier": null,
      "what": "heads",
      "need": 96,
      "have": 64
    },
    {
      "reason": "network_too_small",
      "message": "network tier 0 (NVLink3) joins 8 ranks, what runs on it takes 64: use a lower degree or a wider tier",
      "tier": 0,
      "what": "network",
      "need": 64,
      "have": 8
    },
    {
      "reason": "memory_exceeded",
      "message": "memory tier 0 (HBM2e) needs 117.7 GiB, has 80 GiB: 37.75 GiB too little",
      "tier": 0,
      "what": "memory",
      "need": 126428741632,
      "have": 85899345920
    }
  ]
}
=== exit 1
