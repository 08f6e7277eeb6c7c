# What reckon export calls a tool, reckon import takes, too.
reckon export trl -m qwen3-8b gpus2 framework=fsdp gbs2 grad-overlap lora16 lora-bytes=4 -o trl.yaml; reckon import trl trl.yaml -m qwen3-8b -g 2 | head -1
reckon export bridge -m qwen3-8b gpus8 gbs8 zero2 -o bridge.yaml; reckon import bridge bridge.yaml -g 8 | head -1
! reckon import --help | grep "^  trl\|^  bridge "
=== stdout
qwen3-8b: 8,190,735,360 parameters, 2 GPUs with transformers
bridge: 8,190,735,360 parameters, 8 GPUs with NeMo
