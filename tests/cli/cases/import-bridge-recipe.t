cp $SOURCE/fuzz/corpus/readers/recipe llama3.py
cat >>llama3.py <<'END'


SEQUENCE: int = 16384


def llama3_8b_long_pretrain_config():
    cfg = llama3_8b_pretrain_config()
    cfg.model.context_parallel_size = 4  # of 16 GPUs
    cfg.model.seq_length = SEQUENCE
    cfg.model.recompute_granularity = (
        "selective"
    )
    cfg.mixed_precision = bf16_with_fp8_current_scaling_mixed()
    return cfg


def llama3_8b_peft_config(peft="lora"):
    cfg = _peft_common()
    return cfg


def llama3_8b_computed_config(size):
    cfg = llama3_8b_pretrain_config()
    cfg.model.pipeline_model_parallel_size = size // 2
    return cfg


def llama3_8b_if_config(size):
    cfg = llama3_8b_pretrain_config()
    if size > 2:
        cfg.train.micro_batch_size = 2
    return cfg


def llama3_8b_members_config():
    cfg = llama3_8b_pretrain_config()
    cfg.mixed_precision = MixedPrecisionConfig(
        bf16=True, params_dtype=torch.bfloat16,
    )
    cfg.comm_overlap = CommOverlapConfig(tp_comm_overlap=False)
    return cfg


def llama3_8b_again_config():
    cfg = llama3_8b_pretrain_config()
    cfg.mixed_precision = get_mixed_precision_config(cfg.mixed_precision)
    cfg.mixed_precision.grad_reduce_in_fp32 = False
    return cfg


def llama3_8b_unknown_config():
    cfg = llama3_8b_pretrain_config()
    cfg.mixed_precision = precision_of(cfg)
    return cfg
END
reckon import bridge-recipe llama3.py --gpus 16
for config in llama3_8b_pretrain_config llama3_8b_long_pretrain_config; do
    reckon import llama3.py --gpus 16 --set config=$config 2>/dev/null | sed -n '1,2p'
done
for config in llama3_8b_members_config llama3_8b_again_config; do
    reckon import llama3.py --gpus 16 --set config=$config 2>/dev/null | sed -n 2p
done
for config in llama3_8b_unknown_config llama3_8b_peft_config llama3_8b_computed_config llama3_8b_if_config; do
    reckon import bridge-recipe llama3.py --gpus 16 --set config=$config
done
reckon import bridge-recipe llama3.py --gpus 16 --set config=llama3_8b_computed_config --set model.pipeline_model_parallel_size=2 2>/dev/null | sed -n 2p
sed '/seq_length/a\    cfg.optimizer.use_precision_aware_optimizer = True\n    cfg.optimizer.exp_avg_dtype = torch.bfloat16\n    cfg.optimizer.exp_avg_sq_dtype = torch.bfloat16\n    cfg.optimizer.main_grads_dtype = torch.bfloat16' $SOURCE/fuzz/corpus/readers/recipe >aware.py
reckon import bridge-recipe aware.py --gpus 16 2>/dev/null | sed -n 2,3p
printf 'train:\n  global_batch_size: 64\n  micro_batch_size: 1\nddp:\n  overlap_grad_reduce: true\ncheckpoint:\n  save: x\nlogger:\n  log_interval: 1\nmodel:\n  tensor_model_parallel_size: 2\n  seq_length: 4096\n' >overrides.yaml
reckon import overrides.yaml --gpus 16
=== stdout
llama3: 8,030,261,248 parameters, 16 GPUs with Megatron-Bridge
  plan: dp8 cp2 gbs512 zero1 grad-overlap weight-overlap vocab-multiple=1
llama3: 8,030,261,248 parameters, 16 GPUs with Megatron-Bridge
  plan: precision=fp8-current dp4 cp4 gbs512 seq16384 zero1 grad-overlap weight-overlap
  plan: dp8 cp2 gbs512 zero1 grad-overlap weight-overlap vocab-multiple=1
  plan: dp8 cp2 gbs512 zero1 grad-overlap weight-overlap vocab-multiple=1
  plan: dp4 pp2 cp2 gbs512 zero1 grad-overlap weight-overlap vocab-multiple=1
  plan: dp8 cp2 gbs512 zero1 grad-overlap weight-overlap gradient-bytes=2 master-bytes=2
  moment1-bytes=2 moment2-bytes=2 vocab-multiple=1
=== stderr
reckon: llama3.py: has 8 recipes: give one with --set config=NAME (llama3_8b_pretrain_config, llama3_8b_long_pretrain_config, llama3_8b_peft_config, llama3_8b_computed_config, llama3_8b_if_config, llama3_8b_members_config, llama3_8b_again_config, llama3_8b_unknown_config)
reckon: llama3.py:71: mixed_precision: is computed: give its value with --set
reckon: llama3.py:36: _peft_common: only adapters are trained, which plans do not cover
reckon: llama3.py:42: model.pipeline_model_parallel_size: is computed: give its value with --set
reckon: llama3.py:49: train.micro_batch_size: stands under a condition: give its value with --set
reckon: note: overrides.yaml is read as a configuration of Megatron-Bridge: reckon import nemo
reckon: overrides.yaml: model.num_layers is missing: a file that only overrides a recipe does not say the model: give the recipe to reckon import bridge-recipe, and what this file overrides with --set
=== exit 3
