/* The configurations of other tools: what each makes of a plan, and what it refuses. */
#include "keys/reader.h"

#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct notes notes; /* large */

static const struct plan_format *find(const char *name)
{
    for (const struct plan_format *format = plan_formats; format->name; format++)
        if (strcmp(format->name, name) == 0) return format;
    return NULL;
}

#define SHAPE                                                                                      \
    "num_layers: 8\nhidden_size: 1024\nnum_attention_heads: 16\nseq_length: 2048\n"                \
    "max_position_embeddings: 2048\n"

/* The words are those of the plan that the file makes, by hand. */
static const struct {
    const char *format, *path, *text;
    uint64_t gpus;
    const char *set, *words;
} rows[] = {
    {"deepspeed", "d.json",
     "{\"train_micro_batch_size_per_gpu\": 2, \"gradient_accumulation_steps\": 4, "
     "\"bf16\": {\"enabled\": true}, \"zero_optimization\": {\"stage\": 3, \"overlap_comm\": true, "
     "\"offload_optimizer\": {\"device\": \"cpu\"}}}",
     16, NULL,
     "framework=deepspeed dp16 mbs2 gbs128 zero3 grad-overlap weight-overlap offload-optimizer=1"},
    {"deepspeed", "d.json",
     "{\"train_micro_batch_size_per_gpu\": \"auto\", \"bf16\": {\"enabled\": true}, "
     "\"zero_optimization\": {\"stage\": 2}}",
     8, "train_micro_batch_size_per_gpu=4", "framework=deepspeed dp8 mbs4 gbs32 zero2"},
    {"torchtitan", "j.toml",
     "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[parallelism]\ntensor_parallel_degree = 2\n"
     "[training]\nlocal_batch_size = 1\nseq_len = 8192\n[activation_checkpoint]\nmode = \"full\"\n",
     8, NULL,
     "framework=fsdp dp4 tp2 gbs4 sp zero3 grad-overlap weight-overlap recompute=full no-fused"},
    /* config_hub/finetune/llama-3-8b/full.yaml and lora.yaml */
    {"litgpt", "f.yaml",
     "checkpoint_dir: checkpoints/meta-llama/Meta-Llama-3-8B\nprecision: bf16-true\ndevices: 4\n"
     "train: {global_batch_size: 64, micro_batch_size: 4, max_seq_length: 512, lr_warmup_steps: "
     "25}\n"
     "optimizer: {class_path: torch.optim.AdamW, init_args: {lr: 0.0002}}\n",
     0, NULL,
     "framework=fsdp dp4 mbs4 gbs64 seq512 zero3 grad-overlap weight-overlap flat-units "
     "recompute=full no-fused loss=narrow unsynced-grads weight-bytes=2 gradient-bytes=2 "
     "moment1-bytes=2 moment2-bytes=2 qkv-joined"},
    {"litgpt", "l.yaml",
     "precision: bf16-true\ndevices: 1\nquantize: bnb.nf4\nlora_r: 32\nlora_dropout: 0.05\n"
     "lora_key: false\ntrain: {global_batch_size: 8, micro_batch_size: 2, max_seq_length: 512}\n",
     0, NULL,
     "framework=fsdp mbs2 gbs8 seq512 grad-overlap no-fused loss=narrow lora32 lora-targets=q+v "
     "lora-dropout=0.05 lora-bytes=2 base=nf4 base-head qkv-joined"},
    /* configs/recipes/llama3_1/sft/8b_lora/train.yaml */
    {"oumi", "o.yaml",
     "model: {model_name: meta-llama/Llama-3.1-8B-Instruct, model_max_length: 2048, "
     "torch_dtype_str: bfloat16}\ntraining: {trainer_type: TRL_SFT, use_peft: true, "
     "per_device_train_batch_size: 2, gradient_accumulation_steps: 32, "
     "enable_gradient_checkpointing: true, optimizer: adamw_torch_fused}\n"
     "peft: {lora_r: 8, lora_target_modules: [q_proj, v_proj]}\n"
     "fsdp: {enable_fsdp: true, sharding_strategy: HYBRID_SHARD}\n",
     16, NULL,
     "framework=fsdp dp16 mbs2 gbs1024 seq2048 zero3 shard8 grad-overlap weight-overlap flat-units "
     "recompute=full no-fused loss=padded lora8 lora-targets=q+v lora-bytes=4"},
    /* examples/llm_finetune/qwen/qwen3_moe_30b_te_deepep.yaml's kind, in little */
    {"automodel", "a.yaml",
     "step_scheduler: {global_batch_size: 64, local_batch_size: 4}\nmodel: {torch_dtype: bf16}\n"
     "distributed: {strategy: fsdp2, tp_size: 2, cp_size: 1, pp_size: 1, dp_size: none, "
     "sequence_parallel: true, activation_checkpointing: true}\ndataset: {seq_len: 4096}\n"
     "loss_fn: {_target_: nemo_automodel.components.loss.masked_ce.MaskedCrossEntropy}\n"
     "optimizer: {_target_: torch.optim.Adam, lr: 1.0e-5}\n",
     8, NULL,
     "framework=fsdp dp4 tp2 mbs4 gbs64 seq4096 sp zero3 grad-overlap weight-overlap "
     "recompute=full no-fused loss=wide foreach-step unsynced-grads weight-bytes=2 "
     "gradient-bytes=2 moment1-bytes=2 moment2-bytes=2"},
    {"automodel", "b.yaml", /* moments of Transformer Engine's Adam are in fp32 */
     "step_scheduler: {global_batch_size: 64, local_batch_size: 2}\n"
     "distributed: {strategy: fsdp2, pp_size: 2, dp_replicate_size: 2, defer_fsdp_grad_sync: "
     "false,\n"
     "  pipeline: {pp_schedule: interleaved1f1b, pp_microbatch_size: 1, layers_per_stage: 8}}\n"
     "optimizer: {_target_: transformer_engine.pytorch.optimizers.fused_adam.FusedAdam}\n",
     16, NULL,
     "framework=fsdp dp8 pp2 vpp2 gbs64 zero3 shard4 grad-overlap weight-overlap no-fused "
     "weight-bytes=2 gradient-bytes=2 moment1-bytes=4 moment2-bytes=4"},
    /* scripts/train/yamls/finetune/7b_dolly_sft.yaml */
    {"llm-foundry", "m.yaml",
     "variables: {max_seq_len: 2048}\nmax_seq_len: ${variables.max_seq_len}\n"
     "model: {name: hf_causal_lm, pretrained_model_name_or_path: a/b}\n"
     "optimizer: {name: decoupled_lionw}\nglobal_train_batch_size: 64\n"
     "device_train_microbatch_size: 16\nprecision: amp_bf16\n"
     "fsdp_config: {sharding_strategy: FULL_SHARD, mixed_precision: PURE, "
     "activation_checkpointing: true}\n",
     8, NULL,
     "framework=fsdp dp8 mbs8 gbs64 seq2048 zero3 grad-overlap weight-overlap flat-units "
     "recompute=full loss=narrow optimizer=lion"},
    /* xtuner/configs/internlm/internlm2_chat_7b/internlm2_chat_7b_qlora_alpaca_e3.py */
    {"xtuner", "x.py",
     "from xtuner.model import SupervisedFinetune\nmax_length = 2048\nbatch_size = 1\n"
     "accumulative_counts = 16\noptim_type = AdamW\nmodel = dict(type=SupervisedFinetune,\n"
     "    llm=dict(torch_dtype=torch.float16, quantization_config=dict(load_in_4bit=True,\n"
     "        bnb_4bit_use_double_quant=True)),\n    lora=dict(type=LoraConfig, r=64))\n",
     8, "deepspeed=deepspeed_zero2",
     "framework=deepspeed precision=fp16 dp8 gbs128 seq2048 zero2 grad-overlap recompute=full "
     "no-fused loss=padded lora64 lora-bytes=2 base=nf4-dq"},
    {"torchtitan", "j.toml", /* an optimizer of one moment */
     "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[optimizer]\nname = \"Muon\"\n[training]\n"
     "local_batch_size = 1\nseq_len = 8192\n[activation_checkpoint]\nmode = \"full\"\n",
     8, NULL,
     "framework=fsdp dp8 gbs8 zero3 grad-overlap weight-overlap recompute=full no-fused "
     "optimizer=muon"},
    /* apps/main/configs/llama_7B.yaml */
    {"lingua", "l.yaml",
     "grad_acc_steps: 2\ndistributed: {fsdp_type: full_shard, compile: true, model_dtype: bf16, "
     "dp_shard: 8, dp_replicate: 4}\nmodel: {dim: 4096, n_layers: 32, n_heads: 32}\n"
     "data: {batch_size: 2, seq_len: 4096}\n",
     0, NULL,
     "framework=fsdp dp32 mbs2 gbs128 seq4096 zero3 shard8 grad-overlap weight-overlap "
     "keep-gathered loss=wide"},
    {"accelerate", "a.yaml",
     "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 8\nnum_machines: 1\n"
     "fsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n  fsdp_activation_checkpointing: true\n",
     0, "per_device_train_batch_size=2",
     "framework=fsdp dp8 mbs2 gbs16 zero3 grad-overlap weight-overlap flat-units recompute=full "
     "no-fused loss=padded"},
    {"accelerate", "a.yaml",
     "distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 16\n"
     "deepspeed_config:\n  zero_stage: 2\n  gradient_accumulation_steps: 4\n",
     0, NULL, "framework=deepspeed dp16 gbs64 zero2 no-fused loss=padded"},
    {"trainer", "t.json",
     "{\"per_device_train_batch_size\": 4, \"gradient_accumulation_steps\": 2, \"bf16\": true, "
     "\"gradient_checkpointing\": true, \"fsdp\": \"full_shard auto_wrap\", \"max_length\": 8192}",
     8, NULL,
     "framework=fsdp dp8 mbs4 gbs64 zero3 grad-overlap weight-overlap flat-units recompute=full "
     "recompute-to-end no-fused loss=padded"},
    {"trainer", "t.json",
     "{\"per_device_train_batch_size\": 1, \"bf16\": true, \"max_length\": 8192, \"optim\": "
     "\"adamw_torch\"}",
     1, NULL, "framework=fsdp gbs1 grad-overlap no-fused loss=padded foreach-step autocast"},
    {"trainer", "t.json",
     "{\"per_device_train_batch_size\": 1, \"fp16\": true, \"max_length\": 8192, \"dtype\": "
     "\"float16\"}",
     1, NULL, "framework=fsdp precision=fp16 gbs1 grad-overlap no-fused loss=padded autocast"},
    {"trainer", "t.json",
     "{\"per_device_train_batch_size\": 1, \"bf16\": true, \"max_length\": 8192, \"dtype\": "
     "\"bfloat16\", \"optim\": \"paged_adamw_32bit\"}",
     1, NULL,
     "framework=fsdp gbs1 grad-overlap no-fused loss=padded weight-bytes=2 gradient-bytes=2 "
     "moment1-bytes=4 moment2-bytes=4 optimizer-paged"},
    {"trainer", "t.json",
     "{\"per_device_train_batch_size\": 1, \"max_length\": 8192, \"use_peft\": true, "
     "\"model_name_or_path\": \"unsloth/m-bnb-4bit\"}",
     1, NULL,
     "framework=fsdp gbs1 grad-overlap no-fused loss=padded recompute=full recompute-to-end lora16 "
     "lora-targets=q+v lora-dropout=0.05 lora-bytes=2 base=nf4-dq"},
    {"axolotl", "x.yaml",
     "base_model: m\nsequence_len: 8192\nmicro_batch_size: 1\ngradient_accumulation_steps: 2\n"
     "bf16: auto\noptimizer: adamw_bnb_8bit\nlearning_rate: 2e-5\nfsdp:\n  - full_shard\n"
     "fsdp_config:\n  offload_params: true\n",
     8, NULL,
     "framework=fsdp dp8 gbs16 zero3 grad-overlap weight-overlap flat-units offload-optimizer=1 "
     "offload-weights=1 optimizer=adam-8bit embedding-fp32 no-fused loss=padded"},
    {"trainer", "t.json",
     "{\"per_device_train_batch_size\": 1, \"bf16\": true, \"max_length\": 8192, \"dtype\": "
     "\"bfloat16\", \"optim\": \"galore_adamw_8bit_layerwise\"}",
     1, NULL,
     "framework=fsdp gbs1 grad-overlap no-fused loss=padded weight-bytes=2 gradient-bytes=2 "
     "moment1-bytes=1.015625 optimizer=galore optimizer-rank=128 step-in-backward"},
    {"trainer", "t.json",
     "{\"per_device_train_batch_size\": 1, \"bf16\": true, \"max_length\": 8192, \"use_peft\": "
     "true, "
     "\"rl\": \"dpo\", \"ref_adapter_name\": \"reference\", \"dtype\": \"bfloat16\"}",
     1, NULL,
     "framework=fsdp gbs1 grad-overlap no-fused loss=padded recompute=full recompute-to-end lora16 "
     "lora-targets=q+v lora-dropout=0.05 lora-bytes=4 adapters=2 adapters-run=idle objective=dpo "
     "reference=adapter-off"},
    {"axolotl", "x.yaml",
     "base_model: m\nsequence_len: 8192\nmicro_batch_size: 1\ngradient_accumulation_steps: 2\n"
     "bf16: true\noptimizer: adamw_bnb_8bit\nadapter: qlora\nlora_r: 32\nload_in_4bit: true\n"
     "lora_target_linear: true\nlora_modules_to_save:\n  - embed_tokens\n  - model.lm_head\n",
     1, NULL,
     "framework=fsdp gbs2 grad-overlap lora32 lora-bytes=4 lora-whole=embedding+head "
     "lora-whole-bytes=2 base=nf4-dq optimizer=adam-8bit embedding-fp32 no-fused loss=padded"},
    {"llama-factory", "l.yaml",
     "model_name_or_path: m\nstage: sft\nfinetuning_type: lora\ncutoff_len: 8192\nbf16: true\n"
     "per_device_train_batch_size: 1\nlora_target: q_proj\nadditional_target: embed_tokens,norm\n",
     1, NULL,
     "framework=fsdp gbs1 grad-overlap recompute=full recompute-to-end no-fused loss=padded lora8 "
     "lora-targets=q lora-bytes=4 lora-whole=embedding"},
    {"llama-factory", "l.yaml",
     "model_name_or_path: m\nstage: sft\nfinetuning_type: full\ncutoff_len: 8192\nbf16: true\n"
     "per_device_train_batch_size: 1\nuse_apollo: true\napollo_rank: 256\napollo_layerwise: true\n",
     1, NULL,
     "framework=fsdp gbs1 grad-overlap recompute=full recompute-to-end no-fused loss=padded "
     "autocast "
     "optimizer=apollo optimizer-rank=256 step-in-backward"},
    {"llama-factory", "l.yaml",
     "model_name_or_path: m\nstage: sft\nfinetuning_type: full\ncutoff_len: 8192\nbf16: true\n"
     "per_device_train_batch_size: 1\ngradient_accumulation_steps: 8\nzero_optimization.stage: 3\n",
     8, NULL,
     "framework=deepspeed dp8 gbs64 zero3 weight-overlap grad-overlap recompute=full no-fused "
     "loss=padded"},
    {"llama-factory", "l.yaml",
     "model_name_or_path: m\nstage: sft\nfinetuning_type: full\ncutoff_len: 8192\nbf16: true\n"
     "per_device_train_batch_size: 1\n",
     1, NULL,
     "framework=fsdp gbs1 grad-overlap recompute=full recompute-to-end no-fused loss=padded "
     "autocast"},
    {"llama-factory", "l.yaml",
     "model_name_or_path: m\nstage: sft\nfinetuning_type: full\ncutoff_len: 8192\nbf16: true\n"
     "per_device_train_batch_size: 1\npure_bf16: true\n",
     1, NULL,
     "framework=fsdp gbs1 grad-overlap recompute=full recompute-to-end no-fused loss=padded "
     "weight-bytes=2 gradient-bytes=2 moment1-bytes=2 moment2-bytes=2"},
    {"llama-factory", "l.yaml",
     "model_name_or_path: m\nstage: sft\nfinetuning_type: lora\ncutoff_len: 8192\nbf16: true\n"
     "per_device_train_batch_size: 1\nquantization_bit: 4\nquantization_method: hqq\n"
     "use_unsloth: true\n",
     1, NULL,
     "framework=fsdp gbs1 grad-overlap recompute=full recompute-to-end loss-in-chunks "
     "offload-activations=1 lora8 lora-bytes=4 base=nf4"},
    {"axolotl", "x.yaml",
     "base_model: m\nsequence_len: 8192\nmicro_batch_size: 1\nbf16: true\n"
     "optimizer: paged_ademamix_8bit\ngradient_checkpointing: offload\nmax_memory:\n  0: 20GiB\n",
     1, NULL,
     "framework=fsdp gbs1 grad-overlap recompute=full recompute-to-end no-fused loss=padded "
     "offload-activations=1 optimizer-paged weight-bytes=2 gradient-bytes=2 "
     "moment1-bytes=2.03125 moment2-bytes=1.015625"},
    {"axolotl", "x.yaml",
     "base_model: m\nsequence_len: 8192\nmicro_batch_size: 1\nbf16: true\noptimizer: lion_8bit\n",
     1, NULL,
     "framework=fsdp gbs1 grad-overlap no-fused loss=padded optimizer=lion weight-bytes=2 "
     "gradient-bytes=2 moment1-bytes=1.015625"},
    {"gpt-neox", "n.yml",
     "{\"num-layers\": 8, \"hidden-size\": 1024, \"num-attention-heads\": 16, \"seq-length\": "
     "2048, "
     "\"max-position-embeddings\": 2048, \"pos-emb\": \"rotary\", \"pipe-parallel-size\": 2, "
     "\"model-parallel-size\": 2, \"train_micro_batch_size_per_gpu\": 4, \"precision\": "
     "\"bfloat16\", "
     "\"zero_optimization\": {\"stage\": 1}, \"checkpoint-activations\": true}",
     16, NULL,
     "framework=deepspeed dp4 tp2 pp2 mbs4 gbs16 zero1 recompute=full attention=unfused "
     "loss=cloned "
     "no-gradient-fusion no-transformer-engine vocab-multiple=128"},
    {"nanotron", "n.yaml",
     "model:\n  dtype: bfloat16\n  model_config:\n    num_hidden_layers: 8\n    hidden_size: 1024\n"
     "    intermediate_size: 2816\n    num_attention_heads: 16\n    num_key_value_heads: 4\n"
     "    vocab_size: 32000\n    tie_word_embeddings: true\nparallelism:\n  dp: 4\n  tp: 2\n  pp: "
     "2\n"
     "  tp_mode: REDUCE_SCATTER\ntokens:\n  micro_batch_size: 2\n"
     "  batch_accumulation_per_replica: 8\n  sequence_length: 2048\noptimizer:\n  zero_stage: 1\n",
     0, NULL,
     "dp4 tp2 pp2 mbs2 gbs64 schedule=gpipe sp zero1 attention=flash no-transformer-engine "
     "vocab-multiple=1"},
    {"nemo", "n.yaml",
     "trainer:\n  num_nodes: 2\n  devices: 8\n  precision: bf16\nmodel:\n  micro_batch_size: 1\n"
     "  global_batch_size: 32\n  tensor_model_parallel_size: 4\n  num_layers: 8\n  hidden_size: "
     "1024\n"
     "  num_attention_heads: 16\n  encoder_seq_length: 2048\n  sequence_parallel: true\n"
     "  activations_checkpoint_granularity: selective\n  optim:\n    name: "
     "distributed_fused_adam\n",
     0, NULL,
     "dp4 tp4 gbs32 sp zero1 recompute=selective:core_attn attention=flash3 vocab-multiple=128"},
    {"megatron-yaml", "m.yaml",
     SHAPE "micro_batch_size: 1\nglobal_batch_size: 8\nbf16: true\ntensor_model_parallel_size: 2\n"
           "add_bias_linear: false\nuse_distributed_optimizer: true\nfp16: false\n"
           "recompute_granularity: selective\nrecompute_modules: [mlp, layernorm]\n",
     16, NULL,
     "dp8 tp2 gbs8 zero1 recompute=selective:layernorm+mlp attention=flash3 vocab-multiple=128"},
    {"mindspeed-fsdp2", "m.yaml",
     "model: {model_id: llama}\ndata: {cutoff_len: 8192}\nparallel:\n  fsdp_size: 16\n  cp_size: "
     "2\n"
     "  cp_type: ring\n  recompute: True\n  recompute_modules: ['model.layers.{*}']\n"
     "training: {per_device_train_batch_size: 2, gradient_accumulation_steps: 4, lr: 1e-5}\n"
     "optimization: {use_fused_rmsnorm: True, chunk_loss_size: 1024}\n",
     16, NULL,
     "framework=fsdp dp8 cp2 mbs2 gbs64 zero3 grad-overlap weight-overlap recompute=full "
     "loss-in-chunks"},
    {"flagscale", "f.yaml",
     "experiment:\n  seed: 7\n  task: {type: train, backend: megatron, entrypoint: train_gpt.py}\n"
     "  runner: {nnodes: 2, nproc_per_node: 8}\ntrain:\n  system:\n    tensor_model_parallel_size: "
     "2\n"
     "    use_distributed_optimizer: True\n    precision: {bf16: True, fp16: False}\n    "
     "checkpoint:\n"
     "      load: ${experiment.load}\n  model:\n    num_layers: 8\n    hidden_size: 1024\n"
     "    num_attention_heads: 16\n    seq_length: 2048\n    max_position_embeddings: 2048\n"
     "    swiglu: true\n    multiple_of: 256\n    seed: ${experiment.seed}\n"
     "    recompute_granularity: selective\n    recompute_modules: [mlp, layernorm]\n"
     "    micro_batch_size: 2\n    global_batch_size: 64\n  data:\n    data_path: a\n",
     0, NULL, "dp8 tp2 mbs2 gbs64 zero1 recompute=selective:layernorm+mlp vocab-multiple=128"},
};

static enum rk_status read(const char *format, const char *path, const char *text, uint64_t gpus,
                           const char *set, const char *ignored, struct rk_model *model,
                           struct rk_plan *plan, struct rk_error *error)
{
    const struct config_source source = {.path = path,
                                         .text = text,
                                         .sets = &set,
                                         .set_count = set ? 1 : 0,
                                         .keys = {&ignored, ignored ? 1 : 0},
                                         .gpus = gpus,
                                         .vocabulary = 32000};
    notes = (struct notes){.count = 0};
    cr_assert_eq(rk_model_load("llama3.1-8b", model, error), RK_OK);
    return find(format)->read(&source, model, plan, &notes, error);
}

Test(readers, plans)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rk_model model;
        struct rk_plan plan, want;
        struct rk_error error = {.text = ""};
        char got[RK_PLAN_TEXT], expected[RK_PLAN_TEXT];
        cr_assert_eq(read(rows[i].format, rows[i].path, rows[i].text, rows[i].gpus, rows[i].set,
                          NULL, &model, &plan, &error),
                     RK_OK, "%s: %s", rows[i].format, error.text);
        cr_assert_eq(rk_plan_parse(rows[i].words, &want, &error), RK_OK, "%s", error.text);
        rk_plan_text(&plan, got, sizeof got);
        rk_plan_text(&want, expected, sizeof expected);
        cr_expect_str_eq(got, expected, "%s: %s", rows[i].format, got);
    }
}

static const struct {
    const char *format, *path, *text, *message;
} refusals[] = {
    {"deepspeed", "d.json", "{\"zero_optimisation\": {\"stage\": 3}}",
     "zero_optimisation.stage: is not known"},
    {"deepspeed", "d.json", "{\"train_micro_batch_size_per_gpu\": \"auto\"}",
     "--set train_micro_batch_size_per_gpu=N"},
    {"deepspeed", "d.json", "{\"train_batch_size\": \"auto\", \"fp16\": {\"enabled\": \"auto\"}}",
     "the file leaves a part of the run open: give --set bf16.enabled=true (or fp16.enabled) --set "
     "train_micro_batch_size_per_gpu=N"},
    {"ms-swift", "a.json", "{\"task_type\": \"embedding\", \"per_device_train_batch_size\": 1}",
     "a head of labels, of embeddings"},
    {"ms-swift", "a.json",
     "{\"train_type\": \"full\", \"lisa_activated_layers\": 2, \"per_device_train_batch_size\": 1}",
     "lisa_activated_layers 2: layers are trained in turn"},
    {"deepspeed", "d.json",
     "{\"train_micro_batch_size_per_gpu\": 1, \"zero_optimization\": {\"stage\": 3, "
     "\"stage3_param_persistence_threshold\": 1e7}}",
     "stay whole on each rank, which plans do not cover"},
    {"deepspeed", "d.json", "{\"train_micro_batch_size_per_gpu\": 1.5}", "must be a whole number"},
    {"deepspeed", "d.json", "{\"train_micro_batch_size_per_gpu\": CONFIG_MBSIZE}",
     "is filled in when the run starts: give --set train_micro_batch_size_per_gpu=VALUE"},
    {"deepspeed", "d.json", "{\"train_batch_size\": \"${BATCH}\"}",
     "is filled in when the run starts: give --set train_batch_size=VALUE"},
    {"maxtext", "m.yml", "model_name: llama2-7b\nper_device_batch_size: 1\nopt_type: kron\n",
     "opt_type: kron stores what plans do not have: give --ignore opt_type"},
    {"llm-foundry", "f.yaml",
     "model: {name: mosaic_bert}\nglobal_train_batch_size: 8\ndevice_train_microbatch_size: 1\n",
     "mosaic_bert is not covered"},
    {"lingua", "l.yaml", "model_type: hawk\ndata: {batch_size: 1, seq_len: 64}\n",
     "recurrent layers in place of attention"},
    {"oumi", "o.yaml", "fsdp: {enable_fsdp: true, sharding_strategy: SOME_SHARD}\n",
     "must be one of FULL_SHARD"},
    {"oumi", "o.yaml", "training: {trainer_type: TRL_GRPO, per_device_train_batch_size: 1}\n",
     "TRL_GRPO is not covered"},
    {"deepspeed", "d.json", "{\"a\": 1, \"a\": 2}", "is given twice"},
    {"deepspeed", "d.json", "[1]", "keys and values are expected"},
    {"deepspeed", "d.json", "{\"a\": [1,", "is neither YAML nor JSON"},
    {"torchtitan", "j.toml", "[model]\nname = \"flux\"\nflavor = \"flux-dev\"\n",
     "is not a language model"},
    {"torchtitan", "j.toml", "[model]\nname = \"llama3\"\nflavor = \"70B\"\n", "has 80 layers"},
    {"torchtitan", "j.toml", "[parallelism]\ntensor_paralel_degree = 2\n",
     "did you mean parallelism.tensor_parallel_degree"},
    {"axolotl", "x.yaml", "adapter: lora\nmicro_batch_size: 1\n", "needs a rank"},
    {"axolotl", "x.yaml", "adapter: llama-adapter\nmicro_batch_size: 1\n",
     "none of lora and qlora"},
    {"axolotl", "x.yaml", "rl: grpo\n", "more than one pass"},
    {"axolotl", "x.yaml", "deepspeed: absent/zero3.json\nmicro_batch_size: 1\n",
     "give --set deepspeed=PATH"},
    {"llama-factory", "l.yaml", "finetuning_type: oft\n", "none of full and lora"},
    {"llama-factory", "l.yaml", "finetuning_type: lora\nlora_target: q_proj,x_proj\n",
     "x_proj is not a matrix"},
    {"llama-factory", "l.yaml", "quantization_bit: 4\n", "cannot be trained"},
    {"nanotron", "n.yaml", "parallelism:\n  pp_engine: zb1\n", "zb1 is not covered"},
    {"mindspeed-fsdp2", "m.yaml", "parallel: {fsdp_size: 4}\n", "must be all 8 GPUs"},
    {"mindspeed-fsdp2", "m.yaml", "parallel: {fsdp_size: 8, tp_size: 2}\n", "tensor ranks"},
    {"mindspeed-fsdp2", "m.yaml", "parallel: {enable_chunk_batch: True}\n", "is cut within"},
    {"mindspeed-fsdp2", "m.yaml",
     "parallel: {recompute: True, recompute_modules: ['model.layers.{*}.mlp']}\n",
     "only whole layers"},
    {"mindspeed-fsdp2", "m.yaml", "parallel: {fsdp_sise: 8}\n", "did you mean parallel.fsdp_size"},
    {"flagscale", "f.yaml", "experiment:\n  task: {backend: vllm, type: serve}\n",
     "only training by megatron"},
    {"flagscale", "f.yaml", "experiment:\n  task: {entrypoint: train_llava.py}\n",
     "trains no decoder of text"},
    {"flagscale", "f.yaml", "system:\n  hetero:\n    enable_hetero: true\n",
     "stages on devices of several kinds"},
    {"flagscale", "f.yaml", "defaults:\n  - train: absent\n", "is not next to this file"},
    {"flagscale", "f.yaml", "model:\n  num_layers: ${experiment.layers}\n",
     "give --set model.num_layers=VALUE"},
    {"flagscale", "f.yaml", "systems:\n  a: 1\n", "systems.a: is not known"},
    {"primus", "p.yaml", "modules:\n  pre_trainer:\n    framework: jax\n",
     "megatron, torchtitan and maxtext are read"},
    {"primus", "p.yaml",
     "modules:\n  pre_trainer:\n    framework: megatron\n    overrides:\n      num_layers: 8\n"
     "      hidden_size: 64\n      num_attention_heads: 4\n      seq_length: 64\n"
     "      max_position_embeddings: 64\n      micro_batch_size: 1\n      global_batch_size: 8\n"
     "      vocab_size: 1024\n      pipeline_model_parallel_size: 2\n"
     "      patch_primus_pipeline: true\n      pp_algorithm: zero-bubble-heuristic\n",
     "pp_algorithm zero-bubble-heuristic is not read"},
    {"trainer", "t.yaml", "a: &a [*a]\n", "nested too deeply"},
    {"trainer", "t.yaml",
     "a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\n"
     "d: &d [*c,*c,*c,*c,*c,*c,*c,*c]\n",
     "aliases repeat more than 2000 values"},
};

Test(readers, refusals)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct rk_model model;
        struct rk_plan plan;
        struct rk_error error = {.text = ""};
        cr_expect_neq(read(refusals[i].format, refusals[i].path, refusals[i].text, 8, NULL, NULL,
                           &model, &plan, &error),
                      RK_OK, "%s", refusals[i].text);
        cr_expect(strstr(error.text, refusals[i].message), "%s: %s", refusals[i].text, error.text);
    }
}

/* Schedules of Primus' own pipeline, with the preset of a variable. */
Test(readers, algorithms)
{
    static const struct {
        const char *algorithm;
        enum rk_schedule schedule;
    } cases[] = {{"zbv-formatted", RK_V_ZERO},
                 {"${PRIMUS_PP_ALGO:v-half}", RK_V_HALF},
                 {"v-min", RK_V_MIN},
                 {"1f1b-interleaved", RK_1F1B}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rk_model model;
        struct rk_plan plan;
        struct rk_error error = {.text = ""};
        char text[1024];
        snprintf(text, sizeof text,
                 "modules:\n  pre_trainer:\n    framework: megatron\n    overrides:\n"
                 "      num_layers: 8\n      hidden_size: 64\n      num_attention_heads: 4\n"
                 "      seq_length: 64\n      max_position_embeddings: 64\n"
                 "      micro_batch_size: 1\n      global_batch_size: 8\n"
                 "      vocab_size: 1024\n      pipeline_model_parallel_size: 2\n"
                 "      num_virtual_stages_per_pipeline_rank: 2\n"
                 "      patch_primus_pipeline: true\n      pp_algorithm: %s\n",
                 cases[i].algorithm);
        cr_assert_eq(read("primus", "p.yaml", text, 8, NULL, NULL, &model, &plan, &error), RK_OK,
                     "%s: %s", cases[i].algorithm, error.text);
        cr_expect_eq(plan.schedule, cases[i].schedule, "%s: %s", cases[i].algorithm,
                     rk_schedule_name(plan.schedule));
        cr_expect_eq(plan.chunks, 2);
    }
}

/* A finding has its rule, its place, and what to do. */
Test(readers, findings)
{
    struct rk_model model;
    struct rk_plan plan;
    struct rk_error error;
    static const char text[] = "{\n  \"train_batch_size\": 8,\n  \"odd\": {\"key\": 1}\n}";
    cr_expect_eq(read("deepspeed", "d.json", text, 8, NULL, NULL, &model, &plan, &error),
                 RK_BAD_INPUT);
    cr_assert_eq(notes.count, 1);
    const struct rk_finding *f = &notes.note[0];
    cr_expect_str_eq(f->rule, "1.unknown");
    cr_expect(f->severity == NOTE_REFUSED && f->line == 3 && f->column == 18, "%d:%d", f->line,
              f->column);
    cr_expect_str_eq(f->fix, "correct it, or give --ignore odd.key");
    cr_expect_eq(read("deepspeed", "d.json", text, 8, NULL, "odd", &model, &plan, &error), RK_OK,
                 "%s", error.text);
}

Test(readers, keys)
{
    static const struct key known[] = {{"a.*", KEY_NONE, 0, NULL, NULL, NULL},
                                       {"a.b", KEY_FLAG, 0, NULL, NULL, NULL},
                                       {"*_steps", KEY_NONE, 0, NULL, NULL, NULL},
                                       {"*mid*", KEY_NONE, 0, NULL, NULL, NULL}};
    static const struct key_table keys = KEY_TABLE(known);
    cr_expect_eq(key_find(&keys, "a.b"), &known[1]);
    cr_expect_eq(key_find(&keys, "a.c.d"), &known[0]);
    cr_expect_eq(key_find(&keys, "a"), &known[0]);
    cr_expect_eq(key_find(&keys, "save_steps"), &known[2]);
    cr_expect_eq(key_find(&keys, "x_middle"), &known[3]);
    cr_expect_null(key_find(&keys, "ab"));
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct key *)a)->path, ((const struct key *)b)->path);
}

/* A row behind an equal one would never be read, be it of C or of data/formats. */
Test(readers, tables)
{
    static struct key known[1024];
    for (const struct plan_format *f = plan_formats; f->name; f++) {
        cr_assert(f->keys->count && f->keys->count <= sizeof known / sizeof *known, "%s", f->name);
        memcpy(known, f->keys->row, f->keys->count * sizeof *known);
        qsort(known, f->keys->count, sizeof *known, by_path);
        for (size_t i = 0; i < f->keys->count; i++) {
            const struct key *row = &known[i];
            const bool says = row->use == KEY_NOT_FOLLOWED || row->use == KEY_NOT_COVERED;
            cr_expect(!i || strcmp(row->path, row[-1].path) != 0, "%s: %s", f->name, row->path);
            cr_expect(!says || (row->why && *row->why), "%s: %s", f->name, row->path);
            cr_expect(row->use != KEY_NONE || !row->why, "%s: %s", f->name, row->path);
        }
    }
}

#define NEOX                                                                                       \
    "num_layers: 32\nhidden_size: 4096\nnum_attention_heads: 32\nseq_length: 4096\n"               \
    "max_position_embeddings: 4096\ntrain_micro_batch_size_per_gpu: 1\nprecision: bfloat16\n"      \
    "pos_emb: rotary\n"

/* The width inside a gated MLP of GPT-NeoX, by ParallelMLP of its transformer.py: Llama-2 7B is
 * written as 32768 there, 32768 * 2 / 3 = 21845, half of it to a multiple of 256: 11008. */
Test(readers, neox_widths)
{
    static const struct {
        const char *text;
        uint64_t width;
    } widths[] = {
        {NEOX "activation: swiglu\nintermediate_size: 32768\nmlp_multiple_of: 256\n", 11008},
        {NEOX "activation: swiglu\n", 5461}, /* 4 * 4096 * 2 / 3 = 10922, half of it */
        {NEOX "activation: geglu\nexpansion_factor: 6\nmlp_multiple_of: 64\n", 8192},
        {NEOX "activation: swiglu\nmlp_type: llama\nintermediate_size: 11008\n", 11008},
        {NEOX "activation: gelu\nintermediate_size: 11008\n", 11008},
        {NEOX, 16384},
    };
    struct rk_model model;
    struct rk_plan plan;
    struct rk_error error;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        cr_assert_eq(
            read("gpt-neox", "n.yml", widths[i].text, 8, NULL, NULL, &model, &plan, &error), RK_OK,
            "%s: %s", widths[i].text, error.text);
        cr_expect_eq(model.feedforward, widths[i].width, "%s: %llu", widths[i].text,
                     (unsigned long long)model.feedforward);
    }
    cr_expect_neq(read("gpt-neox", "n.yml", NEOX "attention_config: [[[\"rwkv\"], 32]]\n", 8, NULL,
                       NULL, &model, &plan, &error),
                  RK_OK);
    cr_expect(strstr(error.text, "layers of this kind"), "%s", error.text);
    cr_expect_neq(
        read("gpt-neox", "n.yml", "hidden_size: 64\n", 8, NULL, NULL, &model, &plan, &error),
        RK_OK);
    cr_expect(strstr(error.text, "or --set num_layers=VALUE"), "%s", error.text);
}

/* Values of NeMo that refer to others. */
Test(readers, nemo_references)
{
    static const char text[] =
        "trainer: {num_nodes: 2, devices: 8, precision: bf16}\nmodel:\n  micro_batch_size: 1\n"
        "  global_batch_size: 32\n  num_layers: 8\n  hidden_size: 1024\n  num_attention_heads: 16\n"
        "  ffn_hidden_size: ${multiply:3, ${.hidden_size}}\n  encoder_seq_length: 2048\n"
        "  max_position_embeddings: ${.encoder_seq_length}\n"
        "  tensor_model_parallel_size: 4\n"
        "  pipeline_model_parallel_size: ${divide_floor:${.num_layers}, "
        "${training.model.tensor_model_parallel_size}}\n"
        "  data:\n    seq_length: ${model.encoder_seq_length}\n";
    struct rk_model model;
    struct rk_plan plan;
    struct rk_error error;
    cr_assert_eq(read("nemo", "n.yaml", text, 0, NULL, NULL, &model, &plan, &error), RK_OK, "%s",
                 error.text);
    cr_expect(model.feedforward == 3072 && model.sequence == 2048);
    cr_expect(plan.tensor == 4 && plan.pipeline == 2);
    cr_expect_neq(read("nemo", "n.yaml",
                       "model:\n  num_layers: ${.layers}\n  layers: ${.num_layers}\n", 8, NULL,
                       NULL, &model, &plan, &error),
                  RK_OK);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    cr_assert(file, "%s", path);
    fputs(text, file);
    fclose(file);
}

/* Files that name others: of a key that two of them have; that extend each other without end. */
Test(readers, files_beside)
{
    static const char *const made[] = {"train/a.yaml",
                                       "train",
                                       "primus/configs/models/megatron/a",
                                       "primus/configs/models/megatron",
                                       "primus/configs/models",
                                       "primus/configs",
                                       "primus",
                                       ""};
    static const char run[] = "defaults:\n  - train: a\ntrain:\n  model:\n    num_layers: 4\n";
    char folder[] = "reckon-readers-XXXXXX", path[256];
    struct rk_model model;
    struct rk_plan plan;
    struct rk_error error;
    cr_assert(mkdtemp(folder));
    for (int i = (int)(sizeof made / sizeof *made) - 2; i > 0; i--) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        if (i != 2) cr_assert_eq(mkdir(path, 0700), 0, "%s", path);
    }
    write_file(folder, made[0],
               "model:\n  num_layers: 8\n  hidden_size: 1024\n  num_attention_heads: 16\n"
               "  seq_length: 2048\n  max_position_embeddings: 2048\n  micro_batch_size: 1\n"
               "  global_batch_size: 8\n");
    write_file(folder, made[2], "extends: [a]\n");
    snprintf(path, sizeof path, "%s/run.yaml", folder);
    cr_expect_neq(read("flagscale", path, run, 8, NULL, NULL, &model, &plan, &error), RK_OK);
    cr_expect(strstr(error.text, "is 4 here and 8 in"), "%s", error.text);
    cr_expect_eq(
        read("flagscale", path, run, 8, "train.model.num_layers=8", NULL, &model, &plan, &error),
        RK_OK, "%s", error.text);
    cr_expect_eq(model.layers, 8);
    cr_expect_neq(read("primus", path,
                       "modules:\n  pre_trainer:\n    framework: megatron\n    model: a\n", 8, NULL,
                       NULL, &model, &plan, &error),
                  RK_OK);
    cr_expect(strstr(error.text, "without end"), "%s", error.text);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        remove(path);
    }
}
