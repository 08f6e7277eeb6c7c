/* config_words.c - configurations that describe model and run as Megatron-LM's arguments do, under
 * their own names: GPT-NeoX, nanotron, NeMo, Megatron-Bridge.
 *
 * Keys: gpt-neox' megatron/neox_arguments, nanotron's config/config.py and models_config.py, NeMo's
 * megatron_gpt_config.yaml, Megatron-Bridge's training/config.py. */
#include "interop/config_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* clang-format off */
static const struct key neox_rows[] = {
    VALUE("num_layers", "--num-layers"), VALUE("hidden_size", "--hidden-size"), VALUE("num_attention_heads", "--num-attention-heads"),
    VALUE("num_kv_heads", "--num-key-value-heads"), READ("intermediate_size", KEY_COUNT, width), READ("expansion_factor", KEY_NUMBER, expansion), VALUE("seq_length", "--seq-length"),
    VALUE("max_position_embeddings", "--max-position-embeddings"), VALUE("make_vocab_size_divisible_by", "--make-vocab-size-divisible-by"),
    MAP("pos_emb", "learned=|rotary=--position-embedding-type rope|alibi=--position-embedding-type alibi|none=--position-embedding-type none"),
    MAP("norm", "layernorm=--normalization LayerNorm|rmsnorm=--normalization RMSNorm|te_rmsnorm=--normalization RMSNorm|te_layernorm=--normalization LayerNorm"),
    MAP("activation", "gelu=|swiglu=--swiglu|geglu=--glu-activation geglu|reglu=--glu-activation reglu"), MAP("mlp_type", "regular=|llama=--swiglu"),
    ON("no_weight_tying", "--untie-embeddings-and-output-weights"), OFF("use_bias_in_mlp", "--disable-bias-linear"),
    ON("use_qk_layernorm", "--qk-layernorm"), VALUE("sliding_window_width", "--window-size"), READ("gpt_j_residual", KEY_FLAG, parallel),
    VALUE("hidden_dropout", "--hidden-dropout"), VALUE("attention_dropout", "--attention-dropout"),
    READ("pipe_parallel_size", KEY_COUNT, pipeline), READ("model_parallel_size", KEY_COUNT, tensor), ON("sequence_parallel", "--sequence-parallel"), READ("context_parallel_size", KEY_COUNT, context),
    READ("train_micro_batch_size_per_gpu", KEY_COUNT, microbatch), READ("gradient_accumulation_steps", KEY_COUNT, accumulation), READ("gas", KEY_COUNT, accumulation), READ("train_batch_size", KEY_COUNT, batch),
    READ("mlp_multiple_of", KEY_COUNT, multiple),
    READ("checkpoint_activations", KEY_FLAG, checkpointing), READ("checkpoint_num_layers", KEY_COUNT, every), ON("partition_activations", "--partition-activations"),
    READ("global_num_gpus", KEY_COUNT, gpus), READ("num_gpus", KEY_COUNT, devices), READ("num_nodes", KEY_COUNT, nodes),
    {"zero_optimization.stage", KEY_WORD, AT(zero), "0|1|2|3", NULL},
    MAP("precision", "bfloat16=--bf16|fp16=--fp16|fp32="), ON("bf16.enabled", "--bf16"), NONE("fp16.*"), /* see interpret_neox */
    NONE("attention_config.*"), /* see interpret_neox */ VALUE("moe_num_experts", "--num-experts"), VALUE("moe_top_k", "--topk"),
    VALUE("moe_expert_parallel_size", "--moe-expert-parallel-size"), VALUE("expert_interval", "--expert-interval"),
    VALUE("tokenizer_type", "--tokenizer-type"), VALUE("vocab_file", "--vocab-file"), ON("use_bnb_optimizer", "--use-bnb-optimizer"), ON("te_mha", "--use-flash-attn"),
#include "interop/formats/gpt-neox.h"
};

static const struct key nanotron_rows[] = {
    VALUE("model.model_config.num_hidden_layers", "--num-layers"), VALUE("model.model_config.hidden_size", "--hidden-size"), VALUE("model.model_config.intermediate_size", "--ffn-hidden-size"),
    VALUE("model.model_config.num_attention_heads", "--num-attention-heads"), VALUE("model.model_config.num_key_value_heads", "--num-key-value-heads"), VALUE("model.model_config.head_dim", "--kv-channels"),
    VALUE("model.model_config.vocab_size", "--vocab-size"), OFF("model.model_config.tie_word_embeddings", "--untie-embeddings-and-output-weights"),
    MAP("model.model_config.hidden_act", "silu=--swiglu|gelu=--quick-geglu"), ON("model.model_config.attention_bias", "--add-qkv-bias"), ON("model.model_config.use_qk_norm", "--qk-layernorm"),
    VALUE("model.model_config.sliding_window_size", "--window-size"),
    VALUE("model.model_config.moe_config.num_experts", "--num-experts"), VALUE("model.model_config.moe_config.top_k", "--moe-router-topk"), VALUE("model.model_config.moe_config.moe_intermediate_size", "--moe-ffn-hidden-size"),
    VALUE("model.model_config.moe_config.shared_expert_intermediate_size", "--moe-shared-expert-intermediate-size"), MAP("model.model_config.moe_config.token_dispatcher_type", "alltoall=--moe-token-dispatcher-type alltoall|allgather=--moe-token-dispatcher-type allgather"),
    VALUE("model.model_config.moe_num_experts", "--num-experts"), VALUE("model.model_config.num_experts_per_tok", "--moe-router-topk"), VALUE("model.model_config.moe_capacity_factor", "--moe-expert-capacity-factor"),
    MAP("model.model_config._attn_implementation", "flash_attention_2=|sdpa=|flex_attention=|ring=|ring_flash_triton=|llama3_ring_attention=--cp-comm-type all_gather"),
    MAP("model.dtype", "bfloat16=--bf16|float16=--fp16|float32="), VALUE("model.make_vocab_size_divisible_by", "--make-vocab-size-divisible-by"),
    READ("parallelism.dp", KEY_COUNT, data), READ("parallelism.tp", KEY_COUNT, tensor), READ("parallelism.pp", KEY_COUNT, pipeline), READ("parallelism.context_parallel_size", KEY_COUNT, context), VALUE("parallelism.expert_parallel_size", "--expert-model-parallel-size"),
    MAP("parallelism.pp_engine", "1f1b=|afab="), MAP("parallelism.tp_mode", "REDUCE_SCATTER=--sequence-parallel|ALL_REDUCE=|TensorParallelLinearMode.REDUCE_SCATTER=--sequence-parallel|TensorParallelLinearMode.ALL_REDUCE="), ON("parallelism.tp_linear_async_communication", "--tp-comm-overlap"),
    READ("parallelism.recompute_layer", KEY_FLAG, checkpointing), READ("parallelism.moe_layer_recompute", KEY_FLAG, moe_checkpointing),
    READ("tokens.micro_batch_size", KEY_COUNT, microbatch), READ("tokens.batch_accumulation_per_replica", KEY_COUNT, accumulation), VALUE("tokens.sequence_length", "--seq-length"),
    {"optimizer.zero_stage", KEY_WORD, AT(zero), "0|1", NULL}, MAP("optimizer.accumulate_grad_in_fp32", "true=--accumulate-allreduce-grads-in-fp32|false=--grad-reduce-in-bf16"),
#include "interop/formats/nanotron.h"
};

static const struct key nemo_rows[] = {
    READ("trainer.num_nodes", KEY_COUNT, nodes), READ("trainer.devices", KEY_COUNT, devices), READ("dist.num_nodes", KEY_COUNT, nodes),
    MAP("trainer.precision", "bf16=--bf16|bf16-mixed=--bf16|16=--fp16|16-mixed=--fp16|fp16=--fp16|32=|32-true="),
    READ("model.micro_batch_size", KEY_COUNT, microbatch), READ("model.global_batch_size", KEY_COUNT, batch), READ("train.micro_batch_size", KEY_COUNT, microbatch), READ("train.global_batch_size", KEY_COUNT, batch),
    READ("model.tensor_model_parallel_size", KEY_COUNT, tensor), READ("model.pipeline_model_parallel_size", KEY_COUNT, pipeline), READ("model.context_parallel_size", KEY_COUNT, context), VALUE("model.expert_model_parallel_size", "--expert-model-parallel-size"), VALUE("model.expert_tensor_parallel_size", "--expert-tensor-parallel-size"),
    VALUE("model.virtual_pipeline_model_parallel_size", "--num-virtual-stages-per-pipeline-rank"), ON("model.sequence_parallel", "--sequence-parallel"), ON("model.account_for_embedding_in_pipeline_split", "--account-for-embedding-in-pipeline-split"), ON("model.account_for_loss_in_pipeline_split", "--account-for-loss-in-pipeline-split"),
    VALUE("model.num_layers_in_first_pipeline_stage", "--decoder-first-pipeline-num-layers"), VALUE("model.num_layers_in_last_pipeline_stage", "--decoder-last-pipeline-num-layers"), VALUE("model.pipeline_model_parallel_layout", "--pipeline-model-parallel-layout"),
    VALUE("model.encoder_seq_length", "--seq-length"), VALUE("model.seq_length", "--seq-length"), VALUE("dataset.sequence_length", "--seq-length"), VALUE("dataset.seq_length", "--seq-length"), VALUE("model.max_position_embeddings", "--max-position-embeddings"),
    VALUE("model.num_layers", "--num-layers"), VALUE("model.hidden_size", "--hidden-size"), VALUE("model.ffn_hidden_size", "--ffn-hidden-size"), VALUE("model.num_attention_heads", "--num-attention-heads"), VALUE("model.num_query_groups", "--num-key-value-heads"), VALUE("model.kv_channels", "--kv-channels"),
    MAP("model.activation", "gelu=|swiglu=--swiglu|fast-swiglu=--swiglu|geglu=--quick-geglu|fast-geglu=--quick-geglu|squared-relu=--squared-relu"), ON("model.gated_linear_unit", "--swiglu"), MAP("model.normalization", "layernorm=|rmsnorm=--normalization RMSNorm|LayerNorm=|RMSNorm=--normalization RMSNorm|layernorm1p="),
    OFF("model.bias", "--disable-bias-linear"), OFF("model.add_bias_linear", "--disable-bias-linear"), ON("model.add_qkv_bias", "--add-qkv-bias"), ON("model.qkv_bias", "--add-qkv-bias"), ON("model.qk_layernorm", "--qk-layernorm"), OFF("model.share_embeddings_and_output_weights", "--untie-embeddings-and-output-weights"),
    MAP("model.position_embedding_type", "learned_absolute=|rope=--position-embedding-type rope|yarn=--position-embedding-type rope|alibi=--position-embedding-type alibi|none=--position-embedding-type none"), VALUE("model.hidden_dropout", "--hidden-dropout"), VALUE("model.attention_dropout", "--attention-dropout"), VALUE("model.make_vocab_size_divisible_by", "--make-vocab-size-divisible-by"), VALUE("model.vocab_size", "--vocab-size"),
    VALUE("model.num_moe_experts", "--num-experts"), VALUE("model.moe_router_topk", "--moe-router-topk"), VALUE("model.moe_ffn_hidden_size", "--moe-ffn-hidden-size"), VALUE("model.moe_shared_expert_intermediate_size", "--moe-shared-expert-intermediate-size"), VALUE("model.moe_token_dispatcher_type", "--moe-token-dispatcher-type"), ON("model.moe_grouped_gemm", "--moe-grouped-gemm"), VALUE("model.moe_expert_capacity_factor", "--moe-expert-capacity-factor"), ON("model.moe_pad_expert_input_to_capacity", "--moe-pad-expert-input-to-capacity"), VALUE("model.moe_layer_freq", "--moe-layer-freq"), VALUE("model.mtp_num_layers", "--mtp-num-layers"),
    ON("model.multi_latent_attention", "--multi-latent-attention"), VALUE("model.q_lora_rank", "--q-lora-rank"), VALUE("model.kv_lora_rank", "--kv-lora-rank"), VALUE("model.qk_head_dim", "--qk-head-dim"), VALUE("model.qk_pos_emb_head_dim", "--qk-pos-emb-head-dim"), VALUE("model.v_head_dim", "--v-head-dim"),
    VALUE("model.activations_checkpoint_granularity", "--recompute-granularity"), VALUE("model.activations_checkpoint_method", "--recompute-method"), VALUE("model.activations_checkpoint_num_layers", "--recompute-num-layers"), VALUE("model.recompute_granularity", "--recompute-granularity"), VALUE("model.recompute_method", "--recompute-method"), VALUE("model.recompute_num_layers", "--recompute-num-layers"), VALUE("model.recompute_modules.0", "--recompute-modules"), VALUE("model.recompute_modules.*", NULL),
    ON("model.ub_tp_comm_overlap", "--tp-comm-overlap"), ON("comm_overlap.tp_comm_overlap", "--tp-comm-overlap"), ON("model.use_flash_attention", "--use-flash-attn"), VALUE("model.attention_backend", "--attention-backend"),
    ON("model.fp8", "--fp8-hybrid"), VALUE("mixed_precision.fp8", "--fp8-format"), VALUE("mixed_precision.fp8_recipe", "--fp8-recipe"), MAP("mixed_precision", "bf16_mixed=--bf16|fp16_mixed=--fp16|bf16_with_fp8_delayed_scaling_mixed=--bf16 --fp8-format hybrid|bf16_with_fp8_current_scaling_mixed=--bf16 --fp8-format hybrid --fp8-recipe tensorwise|bf16_with_mxfp8_mixed=--bf16 --fp8-format e4m3 --fp8-recipe mxfp8|bf16_with_fp8_subchannel_scaling_mixed=--bf16 --fp8-format e4m3 --fp8-recipe blockwise|bf16_with_nvfp4_mixed=--bf16 --fp4-format e2m1 --fp4-recipe nvfp4"), ON("mixed_precision.bf16", "--bf16"), ON("mixed_precision.fp16", "--fp16"),
    MAP("model.optim.name", "fused_adam=|adam=|adamw=|distributed_fused_adam=--use-distributed-optimizer|mcore_distributed_optim=--use-distributed-optimizer"), ON("ddp.use_distributed_optimizer", "--use-distributed-optimizer"), ON("optimizer.use_distributed_optimizer", "--use-distributed-optimizer"), ON("ddp.overlap_grad_reduce", "--overlap-grad-reduce"), ON("ddp.overlap_param_gather", "--overlap-param-gather"), ON("ddp.use_megatron_fsdp", "--use-megatron-fsdp"), VALUE("ddp.data_parallel_sharding_strategy", "--data-parallel-sharding-strategy"), ON("ddp.grad_reduce_in_fp32", "--accumulate-allreduce-grads-in-fp32"), ON("model.optim.overlap_grad_sync", "--overlap-grad-reduce"), ON("model.optim.overlap_param_sync", "--overlap-param-gather"), ON("optimizer.optimizer_cpu_offload", "--optimizer-cpu-offload"),
    VALUE("model.override_vocab_size", "--vocab-size"), ON("model.moe_router_enable_expert_bias", "--moe-router-enable-expert-bias"), VALUE("model.moe_router_score_function", "--moe-router-score-function"), VALUE("model.moe_router_num_groups", "--moe-router-num-groups"), VALUE("model.moe_router_group_topk", "--moe-router-group-topk"), VALUE("model.moe_router_topk_scaling_factor", "--moe-router-topk-scaling-factor"), ON("model.moe_shared_expert_overlap", "--moe-shared-expert-overlap"),
    ON("model.tp_comm_overlap", "--tp-comm-overlap"), VALUE("model.cp_comm_type", "--cp-comm-type"), VALUE("model.microbatch_group_size_per_vp_stage", "--microbatch-group-size-per-virtual-pipeline-stage"), OFF("model.overlap_p2p_comm", "--no-overlap-p2p-communication"), ON("model.distribute_saved_activations", "--distribute-saved-activations"), VALUE("model.cuda_graph_impl", "--cuda-graph-impl"), VALUE("model.rotary_base", "--rotary-base"), VALUE("model.layernorm_epsilon", "--norm-epsilon"),
    MAP("model.activation_func", "silu=|gelu="), ON("model.cross_entropy_loss_fusion", "--cross-entropy-loss-fusion"), OFF("model.bias_activation_fusion", "--no-bias-swiglu-fusion"), OFF("model.apply_rope_fusion", "--no-rope-fusion"), ON("dist.use_tp_pp_dp_mapping", "--use-tp-pp-dp-mapping"), VALUE("ddp.num_distributed_optimizer_instances", "--num-distributed-optimizer-instances"), VALUE("optimizer.optimizer_offload_fraction", "--optimizer-offload-fraction"), VALUE("checkpoint.ckpt_format", "--ckpt-format"), VALUE("model.window_size.0", "--window-size"), ON("model.enable_cuda_graph", "--enable-cuda-graph"), READ("model.mcore_customization_config.parallel_attention", KEY_FLAG, parallel),
    MAP("model.attention_type", "multihead="),
#include "interop/formats/nemo.h"
};
/* clang-format on */

const struct key_table gpt_neox_keys = KEY_TABLE(neox_rows);
const struct key_table nanotron_keys = KEY_TABLE(nanotron_rows);
const struct key_table nemo_keys = KEY_TABLE(nemo_rows);

/* ---- lists of words ---- */

void words_put(struct list *l, const char *text, size_t length, const struct setting *at)
{
    if (l->count == MOST_WORDS || l->used + length + 1 > sizeof l->text) {
        l->full = true;
        return;
    }
    char *copy = l->text + l->used;
    memcpy(copy, text, length);
    copy[length] = '\0';
    l->used += length + 1;
    l->word[l->count++] =
        (struct shell_word){.text = copy, .place = {at ? at->line : 0, at ? at->column : 0}};
}

void words_put_all(struct list *l, const char *text, size_t length, const struct setting *at)
{
    while (length) {
        const char *blank = memchr(text, ' ', length);
        const size_t n = blank ? (size_t)(blank - text) : length;
        if (n) words_put(l, text, n, at);
        text += n + (blank != NULL);
        length -= n + (blank != NULL);
    }
}

void words_format(struct list *l, const char *format, ...)
{
    char text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    words_put_all(l, text, strlen(text), NULL);
}

/* "silu=--swiglu|gelu=": what the value stands for. */
static enum rk_status put_mapped(struct list *l, const struct key *row, const struct setting *s)
{
    const size_t n = strlen(s->text);
    for (const char *p = row->words; *p;) {
        const size_t length = strcspn(p, "|");
        if (strncasecmp(p, s->text, n) == 0 && p[n] == '=') {
            words_put_all(l, p + n + 1, length - n - 1, s);
            return RK_OK;
        }
        p += length + (p[length] == '|');
    }
    return settings_fail(l->settings, s, l->error,
                         "%.60s is not covered: of %.240s only what stands "
                         "in front of '='",
                         s->text, row->words);
}

enum rk_status words_row(struct list *l, const struct key *row, const struct setting *s)
{
    const int flag = key_flag(s->text);
    if (s->null) return RK_OK;
    if (row->use == KEY_MAP) return put_mapped(l, row, s);
    if (row->use == KEY_ON || row->use == KEY_OFF) {
        if (flag == (row->use == KEY_ON)) words_put_all(l, row->why, strlen(row->why), s);
        return RK_OK;
    }
    if (row->use != KEY_VALUE || (row->why && !*row->why)) return RK_OK;
    if (row->why) words_put(l, row->why, strlen(row->why), s); /* NULL: goes on with a list */
    words_put(l, s->text, strlen(s->text), s);
    return RK_OK;
}

static enum rk_status put_rows(struct list *l, const struct key_table *table)
{
    enum rk_status status = RK_OK;
    for (size_t i = 0; status == RK_OK && i < l->settings->count; i++) {
        const struct setting *s = &l->settings->setting[i];
        const struct key *row = key_find(table, s->key);
        if (row) status = words_row(l, row, s);
    }
    return status;
}

/* ---- the end of all of them ---- */

static void put_degrees(struct list *l, const struct run *run, uint64_t *gpus)
{
    const uint64_t t = run->tensor ? run->tensor : 1, p = run->pipeline ? run->pipeline : 1;
    const uint64_t c = run->context ? run->context : 1, model = t * p * c;
    words_format(l,
                 "--tensor-model-parallel-size %" PRIu64 " --pipeline-model-parallel-size %" PRIu64
                 " --context-parallel-size %" PRIu64,
                 t, p, c);
    if (run->microbatch) words_format(l, "--micro-batch-size %" PRIu64, run->microbatch);
    if (!*gpus && run->gpus) *gpus = run->gpus;
    if (!*gpus && run->nodes && run->devices) *gpus = run->nodes * run->devices;
    if (!*gpus && run->data) *gpus = run->data * model;
    uint64_t batch = run->batch;
    if (!batch && *gpus && model && *gpus % model == 0)
        batch = *gpus / model * run->microbatch * (run->accumulation ? run->accumulation : 1);
    if (batch) words_format(l, "--global-batch-size %" PRIu64, batch);
}

enum rk_status words_finish(struct list *l, const char *tool, uint64_t gpus,
                            struct megatron_import *import)
{
    const struct megatron_options options = {.gpus = gpus,
                                             .vocabulary = l->source->vocabulary,
                                             .ignored = l->source->keys.ignored,
                                             .ignored_count = l->source->keys.ignored_count};
    if (l->full)
        return rk_fail(l->error, RK_BAD_INPUT, l->settings->path, 0, 0, "has too many keys");
    return megatron_read_list(l->settings->path, tool, strcmp(tool, "GPT-NeoX") == 0, l->word,
                              l->count, &options, import, l->error);
}

enum rk_status words_read(const struct config_source *source, const struct key_table *table,
                          words_interpreter *interpret, struct rk_model *model,
                          struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    struct words_reading *r = calloc(1, sizeof *r);
    if (!r) return rk_fail(error, RK_NO_MEMORY, source->path, 0, 0, "out of memory");
    enum rk_status status = settings_read(&r->settings, source->path, source->text, source->sets,
                                          source->set_count, error);
    if (status == RK_OK) status = settings_refer(&r->settings, error);
    settings_underscore(&r->settings); /* "pipe-parallel-size" is "pipe_parallel_size" */
    r->list.source = source;
    r->list.settings = &r->settings;
    r->list.notes = notes;
    r->list.error = error;
    const bool read = status == RK_OK;
    if (read) status = keys_read(&r->settings, table, &source->keys, &r->run, notes, error);
    if (read) { /* what is wrong with arguments is said beside what is wrong with keys */
        struct rk_error later;
        r->list.error = status == RK_OK ? error : &later;
        const enum rk_status second = interpret(r, source, r->list.error);
        if (status == RK_OK) status = second;
        for (int i = 0; i < r->import.notes.count && notes->count < NOTES_MAX; i++)
            notes->note[notes->count++] = r->import.notes.note[i];
    }
    if (status == RK_OK) {
        *model = r->import.model;
        *plan = r->import.plan;
    }
    settings_release(&r->settings);
    free(r);
    return status;
}

/* ---- GPT-NeoX ---- */

/* The width inside the MLP. Of a gated one two thirds, of which one half each for gate and value,
 * so that a gate costs nothing (ParallelMLP of megatron/model/transformer.py, since 2024); the MLP
 * of `mlp_type: llama`, before that, took the width as it is. */
static void put_neox_width(struct words_reading *r)
{
    const struct setting *activation = settings_find(&r->settings, "activation");
    const struct setting *hidden = settings_find(&r->settings, "hidden_size");
    const bool glu = activation && strstr(activation->text, "glu");
    const bool gated = glu && !settings_find(&r->settings, "mlp_type");
    const uint64_t h = hidden ? strtoull(hidden->text, NULL, 10) : 0;
    const uint64_t multiple = r->run.multiple ? r->run.multiple : 1;
    const uint64_t all = r->run.width           ? r->run.width
                         : r->run.expansion > 0 ? (uint64_t)(r->run.expansion * (double)h)
                                                : 4 * h;
    const uint64_t one = gated ? all * 2 / 3 / 2 : all;
    if (!gated && !r->run.width && !(r->run.expansion > 0)) return; /* 4 h */
    const uint64_t width = multiple * ((one + multiple - 1) / multiple);
    words_format(&r->list, "--ffn-hidden-size %" PRIu64, width);
    if (!gated) return;
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, width);
    notes_add(
        &r->import.notes, NOTE_ASSUMED, 0, 0, "intermediate_size", text,
        "a gated MLP has a third of it for gate and for value, as GPT-NeoX has it since 2024");
}

/* "[[["flash"], 32]]": the kinds of layers; only those that attend to all tokens are covered. */
static enum rk_status check_neox_layers(const struct words_reading *r, struct rk_error *error)
{
    for (size_t i = 0; i < r->settings.count; i++) {
        const struct setting *s = &r->settings.setting[i];
        const bool kind = strncmp(s->key, "attention_config", 16) == 0;
        const bool number = strspn(s->text, "0123456789") == strlen(s->text);
        if (!kind || number || s->null || strcmp(s->text, "all") == 0 ||
            strcmp(s->text, "global") == 0 || strcmp(s->text, "flash") == 0)
            continue;
        return settings_fail(&r->settings, s, error,
                             "layers of this kind, which plans do not cover");
    }
    return RK_OK;
}

/* One file of several has not all of it. */
static enum rk_status need_neox(const struct words_reading *r, struct rk_error *error)
{
    static const char *const names[] = {"num_layers", "hidden_size", "num_attention_heads",
                                        "seq_length"};
    const char *missing = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !missing; i++)
        if (!settings_find(&r->settings, names[i])) missing = names[i];
    if (!missing && !r->run.microbatch) missing = "train_micro_batch_size_per_gpu";
    if (!missing) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, r->settings.path, 0, 0,
                   "%s is not in this file: give the files of the run merged into one, or --set "
                   "%s=VALUE",
                   missing, missing);
}

static enum rk_status interpret_neox(struct words_reading *r, const struct config_source *source,
                                     struct rk_error *error)
{
    uint64_t gpus = source->gpus;
    enum rk_status status = put_rows(&r->list, &gpt_neox_keys);
    const struct setting *fp16 = settings_find(&r->settings, "fp16.enabled");
    const struct setting *type = settings_find(&r->settings, "fp16.type");
    if (status == RK_OK) status = check_neox_layers(r, error);
    if (status == RK_OK) status = need_neox(r, error);
    if (!r->run.pipeline) r->run.pipeline = 1; /* 0: no pipeline module */
    put_neox_width(r);
    if (fp16 && key_flag(fp16->text) == 1 && !settings_find(&r->settings, "precision"))
        words_format(&r->list, type && strcmp(type->text, "bfloat16") == 0 ? "--bf16" : "--fp16");
    put_degrees(&r->list, &r->run, &gpus);
    words_format(&r->list, "--deepspeed --zero-stage %d", r->run.zero);
    if (r->run.checkpointing)
        words_format(&r->list, "--checkpoint-activations --checkpoint-num-layers %" PRIu64,
                     r->run.every ? r->run.every : 1);
    const struct setting *flash = settings_find(&r->settings, "attention_config.0.0.0");
    if (flash && strncmp(flash->text, "flash", 5) == 0) words_format(&r->list, "--use-flash-attn");
    if (status == RK_OK) status = words_finish(&r->list, "GPT-NeoX", gpus, &r->import);
    r->import.model.parallel_block = r->run.parallel; /* attention and MLP beside each other */
    return status;
}

enum rk_status gpt_neox_read(const struct config_source *source, struct rk_model *model,
                             struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    return words_read(source, &gpt_neox_keys, interpret_neox, model, plan, notes, error);
}

/* ---- nanotron ---- */

static enum rk_status interpret_nanotron(struct words_reading *r,
                                         const struct config_source *source, struct rk_error *error)
{
    uint64_t gpus = source->gpus;
    enum rk_status status = put_rows(&r->list, &nanotron_keys);
    put_degrees(&r->list, &r->run, &gpus);
    words_format(&r->list,
                 "--normalization RMSNorm --disable-bias-linear --position-embedding-type "
                 "rope --attention-dropout 0 --hidden-dropout 0 --transformer-impl local "
                 "--use-flash-attn");
    if (r->run.zero) words_format(&r->list, "--use-distributed-optimizer");
    if (r->run.checkpointing)
        words_format(&r->list, "--recompute-granularity full --recompute-method uniform "
                               "--recompute-num-layers 1");
    else if (r->run.moe_checkpointing)
        words_format(&r->list, "--moe-layer-recompute");
    const struct setting *act = settings_find(&r->settings, "model.model_config.hidden_act");
    const struct setting *engine = settings_find(&r->settings, "parallelism.pp_engine");
    const struct setting *multiple =
        settings_find(&r->settings, "model.make_vocab_size_divisible_by");
    if (!act) words_format(&r->list, "--swiglu");
    if (!multiple) words_format(&r->list, "--make-vocab-size-divisible-by 1");
    if (status == RK_OK) status = words_finish(&r->list, "nanotron", gpus, &r->import);
    if (r->run.pipeline > 1 && (!engine || strcasecmp(engine->text, "afab") == 0))
        r->import.plan.schedule = RK_GPIPE; /* all forward, all backward */
    (void)error;
    return status;
}

enum rk_status nanotron_read(const struct config_source *source, struct rk_model *model,
                             struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    return words_read(source, &nanotron_keys, interpret_nanotron, model, plan, notes, error);
}

/* ---- NeMo ---- */

static enum rk_status interpret_nemo(struct words_reading *r, const struct config_source *source,
                                     struct rk_error *error)
{
    uint64_t gpus = source->gpus;
    enum rk_status status = put_rows(&r->list, &nemo_keys);
    put_degrees(&r->list, &r->run, &gpus);
    if (status == RK_OK) status = words_finish(&r->list, "NeMo", gpus, &r->import);
    r->import.model.parallel_block = r->run.parallel;
    (void)error;
    return status;
}

enum rk_status nemo_read(const struct config_source *source, struct rk_model *model,
                         struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    return words_read(source, &nemo_keys, interpret_nemo, model, plan, notes, error);
}
