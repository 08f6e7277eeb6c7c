printf '{"train_batch_size": 10, "train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}}' >d.json; reckon import deepspeed d.json -m llama3.1-8b --gpus 8; printf '{"zero_optimization": {"stage": 4}}' >d.json; reckon import deepspeed d.json -m llama3.1-8b
=== stdout
=== stderr
reckon: d.json: train_batch_size 10 is not train_micro_batch_size_per_gpu 4 * gradient_accumulation_steps * 8 data-parallel GPUs: correct one of them, or give --gpus
reckon: d.json:1:33: zero_optimization.stage 4: must be 0 to 3
=== exit 3
