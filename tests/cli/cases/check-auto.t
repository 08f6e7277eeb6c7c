# "auto" of a DeepSpeed file is what the trainer's arguments say: no value is missing, and none is zero
cat >ds.json <<'JSON'
{"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "gradient_clipping": "auto",
 "bf16": {"enabled": "auto"}, "fp16": {"enabled": "auto", "loss_scale": 0}, "optimizer": {"type": "AdamW", "params": {"lr": "auto", "betas": "auto", "eps": "auto", "weight_decay": "auto"}},
 "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_min_lr": "auto", "warmup_max_lr": "auto", "warmup_num_steps": "auto", "total_num_steps": "auto"}},
 "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}, "reduce_bucket_size": "auto", "stage3_prefetch_bucket_size": "auto", "stage3_param_persistence_threshold": "auto"}}
JSON
reckon check ds.json -m llama3.1-8b -s h100-sxm5-80g -g 8; echo "exit $?"
reckon check ds.json -m llama3.1-8b -s h100-sxm5-80g -g 8 --set train_micro_batch_size_per_gpu=1 --set bf16.enabled=true; echo "exit $?"
echo '{"per_device_train_batch_size": 1, "gradient_accumulation_steps": 4, "bf16": true, "deepspeed": "ds.json"}' >named.json
printf '{"per_device_train_batch_size": 1, "gradient_accumulation_steps": 4, "bf16": true, "deepspeed": %s}' "$(cat ds.json)" >inline.json
for file in named inline; do
    reckon import trainer $file.json -m llama3.1-8b --gpus 8 2>&1 | sed -n 2,3p
    reckon check $file.json --as trainer -m llama3.1-8b -s h100-sxm5-80g -g 8; echo "exit $?"
done
=== stdout
ds.json: note 1.value: train_micro_batch_size_per_gpu auto: is filled in by the trainer: batch, precision and memory are not judged: give --set train_micro_batch_size_per_gpu=N --set bf16.enabled=true
llama3.1-8b on h100-sxm5-80g: 1 note
exit 0
llama3.1-8b on h100-sxm5-80g: nothing found
exit 0
  plan: framework=deepspeed dp8 gbs32 zero3 grad-overlap weight-overlap no-fused loss=padded
  offload-optimizer=1
named.json: note 5.stage: stage 0 71.1 GiB: unsure, P(fits) 63 %: 79 GiB are there: fused needs 55 GiB
llama3.1-8b on h100-sxm5-80g: 1 note
exit 0
  plan: framework=deepspeed dp8 gbs32 zero3 grad-overlap weight-overlap no-fused loss=padded
  offload-optimizer=1
inline.json: note 5.stage: stage 0 71.1 GiB: unsure, P(fits) 63 %: 79 GiB are there: fused needs 55 GiB
llama3.1-8b on h100-sxm5-80g: 1 note
exit 0
