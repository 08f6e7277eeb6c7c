reckon program -m gpt2-124m -s a100-sxm4-80g -g 8 tp2 pp2 gbs8 stages=6,3~3/tp4/mbs2
=== stdout
gpt2-124m on a100-sxm4-80g, 8 GPUs: 2 programs
  plan: dp2 tp2 pp2 gbs8 stages=6,3~3/tp4/mbs2 attention=flash
  assumed: precision bf16, framework megatron, microbatch 1, sequence 1024 (the model's),
  attention flash

Classes of ranks
stage  first rank  ranks  instructions  messages  collectives  kernels  tensor  context  experts    data  stages  parameters   state    held
                                                                 TFLOP     MiB        B        B     MiB     MiB                 MiB     MiB
    0           0      4          2024         4          108     0.59  150.00     0.00     0.00  157.79   12.00  41,362,944  710.04  199.80
    1           4      4          2075         4          125     1.06  306.05     0.00     0.00  114.21   12.00  35,265,600  605.37  225.05
