reckon program -m gpt2-124m -s a100-sxm4-80g -g 2 pp2 gbs2 --format json | tail -38
=== stdout
  },
  "classes": [
    {
      "stage": 0,
      "first_rank": 0,
      "ranks": 1,
      "instructions": 919,
      "messages": 2,
      "collectives": 1,
      "kernel_flop": 589550321664,
      "tensor_sent_bytes": 0,
      "context_sent_bytes": 0,
      "expert_sent_bytes": 0,
      "data_sent_bytes": 0,
      "message_bytes": 3145728,
      "parameters": 81911040,
      "state_bytes": 1474398720,
      "held_bytes": 323043328
    },
    {
      "stage": 1,
      "first_rank": 1,
      "ranks": 1,
      "instructions": 913,
      "messages": 2,
      "collectives": 1,
      "kernel_flop": 1063834877952,
      "tensor_sent_bytes": 0,
      "context_sent_bytes": 0,
      "expert_sent_bytes": 0,
      "data_sent_bytes": 0,
      "message_bytes": 3145728,
      "parameters": 81126144,
      "state_bytes": 1460270592,
      "held_bytes": 369725440
    }
  ]
}
