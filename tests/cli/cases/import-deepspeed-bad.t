printf '{"train_batch_size": 10, "train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}}' >d.json; reckon import deepspeed d.json -m llama3.1-8b --gpus 8; printf '{"zero_optimization": {"stage": 4}}' >d.json; reckon import deepspeed d.json -m llama3.1-8b; printf '{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}, "bf16": {"enabled": true}, "optimizer": {"type": "Muon"}}' >d.json; reckon import deepspeed d.json -m llama3.1-8b --gpus 8
=== stdout
=== stderr
reckon: d.json: train_batch_size 10 is not train_micro_batch_size_per_gpu 4 * gradient_accumulation_steps * 8 data-parallel GPUs: correct one of them, or give --gpus
reckon: d.json:1:33: zero_optimization.stage 4: must be 0 to 3
reckon: d.json:1:123: optimizer.type Muon: DeepSpeed's Muon is not known, only those of Megatron-LM and of FSDP: give --ignore optimizer.type to estimate the run with AdamW
=== exit 3
