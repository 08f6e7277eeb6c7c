reckon export torchtitan -m llama3.1-8b --launcher kubernetes framework=fsdp gpus16 zero3 grad-overlap weight-overlap gbs64 | grep -v "written by"
=== stdout
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: reckon
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: OnFailure
      template:
        spec:
          containers:
            - name: pytorch
              image: IMAGE # yours
              command: ["/bin/bash", "-c"]
              args:
                - |
                  cat > job.toml <<'RECKON'

                  [model]
                  name = "llama3"
                  flavor = "8B"

                  [parallelism]
                  data_parallel_replicate_degree = 1
                  data_parallel_shard_degree = 16
                  fsdp_reshard_after_forward = "always"
                  tensor_parallel_degree = 1
                  enable_async_tensor_parallel = false

                  [training]
                  local_batch_size = 1
                  global_batch_size = 64
                  seq_len = 8192
                  mixed_precision_param = "bfloat16"
                  mixed_precision_reduce = "float32"
                  enable_cpu_offload = false
                  steps = 20 # a trial: --tokens says the run

                  [activation_checkpoint]
                  mode = "none"

                  [compile]
                  enable = true
                  RECKON
                  torchrun --nnodes 2 --nproc_per_node 8 --node_rank $RANK --master_addr $MASTER_ADDR --master_port $MASTER_PORT -m torchtitan.train --job.config_file job.toml --checkpoint.enable
              resources:
                limits:
                  nvidia.com/gpu: 8
    Worker:
      replicas: 1
      restartPolicy: OnFailure
      template:
        spec:
          containers:
            - name: pytorch
              image: IMAGE # yours
              command: ["/bin/bash", "-c"]
              args:
                - |
                  cat > job.toml <<'RECKON'

                  [model]
                  name = "llama3"
                  flavor = "8B"

                  [parallelism]
                  data_parallel_replicate_degree = 1
                  data_parallel_shard_degree = 16
                  fsdp_reshard_after_forward = "always"
                  tensor_parallel_degree = 1
                  enable_async_tensor_parallel = false

                  [training]
                  local_batch_size = 1
                  global_batch_size = 64
                  seq_len = 8192
                  mixed_precision_param = "bfloat16"
                  mixed_precision_reduce = "float32"
                  enable_cpu_offload = false
                  steps = 20 # a trial: --tokens says the run

                  [activation_checkpoint]
                  mode = "none"

                  [compile]
                  enable = true
                  RECKON
                  torchrun --nnodes 2 --nproc_per_node 8 --node_rank $RANK --master_addr $MASTER_ADDR --master_port $MASTER_PORT -m torchtitan.train --job.config_file job.toml --checkpoint.enable
              resources:
                limits:
                  nvidia.com/gpu: 8
