#include "trainers/nanotron.h"
#include "keys/target.h"

#include <inttypes.h>

static const char *yes(bool flag)
{
    return flag ? "true" : "false";
}

static uint64_t tokens_of(const struct rk_model *m, const struct rk_plan *p)
{
    return p->sequence ? p->sequence : m->sequence;
}

static uint64_t groups_of(const struct rk_model *m)
{
    return m->kv_heads ? m->kv_heads : m->heads;
}

/* ---- the file ---- */

/* Data are made up, for a few steps, until a dataset is named. */
static void write_general(FILE *file)
{
    fprintf(file, "general:\n  project: reckon\n  run: reckon\n  seed: 42\n"
                  "checkpoints:\n  checkpoint_interval: 1000\n  checkpoints_path: checkpoints\n"
                  "data_stages:\n- name: made up # until a dataset is given\n"
                  "  start_training_step: 1\n  data:\n    dataset: null\n"
                  "    num_loading_workers: 1\n    seed: 42\n"
                  "logging:\n  iteration_step_info_interval: 1\n  log_level: info\n"
                  "  log_level_replica: info\n"
                  "tokenizer:\n  tokenizer_name_or_path: null\n");
}

static const char *attention(const struct rk_plan *p)
{
    if (p->context == 1) return "flash_attention_2";
    return p->context_kind == RK_GATHER ? "llama3_ring_attention" : "ring_flash_triton";
}

static void write_experts(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    if (!m->experts) return;
    fprintf(file,
            "    moe_config:\n      num_experts: %" PRIu64 "\n      top_k: %" PRIu64
            "\n      moe_intermediate_size: %" PRIu64
            "\n      enable_shared_expert: false\n      token_dispatcher_type: %s\n",
            m->experts, m->active_experts, m->expert_feedforward,
            p->dispatcher == RK_ALL_GATHER_TOKENS ? "allgather" : "alltoall");
}

static void write_model(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    const bool known = m->rotary_base > 0 && m->norm_epsilon > 0;
    fprintf(file,
            "model:\n  dtype: %s\n  init_method:\n    std: 0.02\n"
            "  make_vocab_size_divisible_by: %" PRIu64 "\n  model_config:\n"
            "    is_qwen2_config: true%s\n"
            "    num_hidden_layers: %" PRIu64 "\n    hidden_size: %" PRIu64
            "\n    intermediate_size: %" PRIu64 "\n    num_attention_heads: %" PRIu64
            "\n    num_key_value_heads: %" PRIu64 "\n    vocab_size: %" PRIu64
            "\n    max_position_embeddings: %" PRIu64
            "\n    tie_word_embeddings: %s\n    attention_bias: %s\n    hidden_act: silu\n"
            "    _attn_implementation: %s\n",
            p->precision == RK_FP16 ? "float16" : "bfloat16",
            p->vocabulary_multiple ? p->vocabulary_multiple : 1,
            known ? "" : " # rope_theta and rms_norm_eps: as your model has them", m->layers,
            m->hidden, m->feedforward, m->heads, groups_of(m), m->vocabulary, tokens_of(m, p),
            yes(m->tied_embeddings), yes(m->qkv_biases), attention(p));
    if (m->rotary_base > 0) fprintf(file, "    rope_theta: %.10g\n", m->rotary_base);
    if (m->norm_epsilon > 0) fprintf(file, "    rms_norm_eps: %g\n", m->norm_epsilon);
    if (p->context > 1 && p->context_kind == RK_GATHER)
        fprintf(file, "    ring_attn_heads_k_stride: 1\n");
    write_experts(file, m, p);
}

static void write_training(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    fprintf(file,
            "optimizer:\n  zero_stage: %d\n  accumulate_grad_in_fp32: %s\n  clip_grad: 1.0\n"
            "  weight_decay: 0.1\n  learning_rate_scheduler:\n    learning_rate: 0.0003\n"
            "    lr_warmup_steps: 2\n    lr_warmup_style: linear\n    lr_decay_style: cosine\n"
            "    min_decay_lr: 0.00003\n  optimizer_factory:\n    name: adamW\n"
            "    adam_beta1: 0.9\n    adam_beta2: 0.95\n    adam_eps: 1.0e-08\n"
            "    torch_adam_is_fused: true\n",
            p->zero > 0, yes(p->gradient_element_bytes != 2));
    fprintf(file,
            "parallelism:\n  dp: %" PRIu64 "\n  pp: %" PRIu64 "\n  tp: %" PRIu64
            "\n  context_parallel_size: %" PRIu64 "\n  expert_parallel_size: 1\n"
            "  pp_engine: %s\n  tp_mode: %s\n  tp_linear_async_communication: %s\n"
            "  recompute_layer: %s\n",
            rk_plan_data(p), p->pipeline, p->tensor, p->context,
            p->schedule == RK_GPIPE ? "afab" : "1f1b",
            p->sequence_parallel ? "REDUCE_SCATTER" : "ALL_REDUCE",
            yes(p->sequence_parallel && p->tensor_overlap), yes(p->recompute == RK_WHOLE));
    fprintf(file,
            "tokens:\n  sequence_length: %" PRIu64 "\n  train_steps: 20\n"
            "  micro_batch_size: %" PRIu64 "\n  batch_accumulation_per_replica: %" PRIu64 "\n",
            tokens_of(m, p), p->microbatch, p->batch / (p->microbatch * rk_plan_data(p)));
}

static void write_file(FILE *file, const struct rk_model *m, const struct rk_plan *p,
                       uint64_t gpus_per_node)
{
    (void)gpus_per_node;
    write_general(file);
    write_model(file, m, p);
    write_training(file, m, p);
}

static void write_head(FILE *file, const struct rk_model *m, const struct rk_plan *p)
{
    (void)m;
    (void)p;
    fprintf(file,
            "# nanotron 0.4, written by reckon %s, for\n"
            "# torchrun ... run_train.py --config-file " NANOTRON_FILE "\n",
            RECKON_VERSION);
}

static const char *const outside[] = {
    "gradient_overlap", "weight_overlap", "imbalance", "natural_load",
    "gathered_copies",  "compiled_rows",  "grouped",   NULL};
static const char *const conventions[] = {"sequence",    "no_dropout",       "flash_attention",
                                          "causal_skip", "count_embeddings", "router_biases",
                                          "rotary_base", "norm_epsilon",     NULL};

const struct target nanotron_target = {.name = "nanotron",
                                       .file = NANOTRON_FILE,
                                       .who = BY_NANOTRON,
                                       .write = write_file,
                                       .head = write_head,
                                       .read = nanotron_read,
                                       .outside = outside,
                                       .conventions = conventions};
