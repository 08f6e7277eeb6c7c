/* maxtext.c - configurations of MaxText (YAML): of models, of runs, and the arguments that override
 * them, KEY=VALUE after the file.
 *
 * Keys and presets: src/maxtext/configs/base.yml and configs/models of 2026; how the axes of the
 * mesh fill the devices: src/maxtext/utils/max_utils.py (fill_unspecified_mesh_axes), the batch:
 * configs/pyconfig.py (calculate_global_batch_sizes) [maxtext].
 */
#include "keys/key_rows.h"
#include "keys/model_numbers.h"
#include "keys/optimizers.h"
#include "keys/reader.h"
#include "plan/members.h"
#include <reckon/catalog.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The axes of the mesh that plans know; the others must be 1. */
enum axis { DATA, FSDP, TRANSPOSE, CONTEXT, TENSOR, SEQUENCE, PIPELINE, EXPERT, AXES };

struct job {
    const char *name, *decoder, *policy, *quantization, *attention, *context_kind;
    const char *dtype, *weight_dtype, *hardware;
    int64_t inner[AXES], outer[AXES], slices;
    uint64_t hidden, heads, kv_heads, mlp, layers, head_dim, vocabulary, sequence;
    uint64_t experts, active, shared, dense, predict;
    uint64_t q_rank, kv_rank, nope, rope, value, window;
    int64_t expert_mlp_said, groups, active_groups, microbatches, repeats;
    uint64_t accumulation, vocabulary_tiles, per_stage;
    double per_device, capacity;
    bool tied, qkv_bias, qk_norm, host_optimizer, host_weights, sharded_optimizer, megablox;
    bool post_attention, routed_bias;
};

#define AT(member) offsetof(struct job, member)

/* clang-format off */
static const struct key rows[] = {
#include "tables/maxtext.h"
};

/* What every model of a decoder has; others are known by the catalog's models alone. */
static const struct decoder {
    const char *name;
    bool experts, latent, qk_norm, qkv_bias, gelu, classic;
} decoders[] = {
#define ROW(...) {__VA_ARGS__},
#include "tables/maxtext-decoders.h"
#undef ROW
};

/* model_name, and what the catalog calls it where that is another. */
static const struct { const char *theirs, *id; } names[] = {
#define ROW(model, id) {model, id},
#include "tables/maxtext-models.h"
#undef ROW
};
/* clang-format on */

const struct key_table maxtext_keys = KEY_TABLE(rows);

enum { MOST = 1000000000 };

struct reading {
    struct job j;
    READING_MEMBERS;
};

static enum rk_status fail_key(const struct reading *r, const char *key, const char *text)
{
    return settings_fail_key(&r->settings, key, r->error, "%s", text);
}

/* ---- the model ---- */

static enum rk_status by_catalog(struct reading *r, const char *name, const char *key)
{
    struct rk_error ignored;
    const char *id = name;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].theirs, name) == 0) id = names[i].id;
    if (rk_model_load(id, r->m, &ignored) != RK_OK)
        return settings_fail_key(&r->settings, key, r->error,
                                 strcmp(key, "model_name") == 0
                                     ? "%.60s is not a model of the catalog: import its file of "
                                       "configs/models, with the run's keys given by --set"
                                     : "its layers have more than the keys say, and the catalog "
                                       "has no %.60s, the file's name: give --set model_name=NAME",
                                 name);
    notes_add(r->notes, NOTE_ASSUMED, 0, 0, key, name, "the catalog's %s", id);
    struct job *j = &r->j;
    if (strcmp(j->decoder, "gemma2") == 0) j->layers *= 2; /* each a local one and a whole one */
    if ((j->hidden && j->hidden != r->m->hidden) || (j->layers && j->layers != r->m->layers))
        return settings_fail_key(
            &r->settings, j->hidden != r->m->hidden ? "base_emb_dim" : "base_num_decoder_layers",
            r->error, "is not that of %s: a model changed so is not known", id);
    return RK_OK;
}

static const struct decoder *decoder_of(const char *name)
{
    for (size_t i = 0; i < sizeof decoders / sizeof *decoders; i++)
        if (strcmp(decoders[i].name, name) == 0) return &decoders[i];
    return NULL;
}

/* "configs/models/gemma2-9b.yml": gemma2-9b */
static void stem_of(const char *path, char *to, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(to, size, "%.80s", slash ? slash + 1 : path);
    char *dot = strrchr(to, '.');
    if (dot && (strcmp(dot, ".yml") == 0 || strcmp(dot, ".yaml") == 0)) *dot = '\0';
}

static void set_experts(struct reading *r)
{
    const struct job *j = &r->j;
    struct rk_model *m = r->m;
    if (j->experts < 2) return;
    m->experts = j->experts;
    m->active_experts = j->active;
    m->expert_feedforward = j->expert_mlp_said > 0 ? (uint64_t)j->expert_mlp_said : j->mlp;
    m->shared_experts = j->shared;
    m->dense_layers = j->dense;
    m->router_biases = j->routed_bias;
    if (j->groups > 1 && j->active_groups > 0) {
        m->expert_groups = (uint64_t)j->groups;
        m->active_groups = (uint64_t)j->active_groups;
    }
}

/* ["silu", "linear"]: a gate, and what it multiplies. */
static void set_activation(struct reading *r)
{
    const struct setting *first = settings_find(&r->settings, "mlp_activations.0");
    if (!first) return;
    r->m->gated_mlp = settings_find(&r->settings, "mlp_activations.1") != NULL;
    r->m->activation = strcmp(first->text, "gelu") == 0   ? RK_GELU
                       : strcmp(first->text, "relu") == 0 ? RK_RELU
                                                          : RK_SILU;
}

static void set_shape(struct reading *r, const struct decoder *d)
{
    const struct job *j = &r->j;
    struct rk_model *m = r->m;
    *m = (struct rk_model){.layers = j->layers,
                           .hidden = j->hidden,
                           .heads = j->heads,
                           .feedforward = j->mlp,
                           .vocabulary = j->vocabulary,
                           .sequence = j->sequence,
                           .head_dim = d->latent ? j->nope : j->head_dim};
    m->kv_heads = d->latent || j->kv_heads == j->heads ? 0 : j->kv_heads;
    m->position = d->classic ? RK_POSITION_LEARNED : RK_POSITION_ROPE;
    m->norm = d->classic ? RK_LAYER_NORM : RK_RMS_NORM;
    m->gated_mlp = !d->classic;
    m->activation = d->gelu ? RK_GELU : RK_SILU;
    set_activation(r);
    m->tied_embeddings = j->tied;
    m->biases = d->classic;
    m->qkv_biases = !d->classic && (d->qkv_bias || j->qkv_bias);
    m->qk_norm = d->qk_norm || j->qk_norm;
    m->no_dropout = m->flash_attention = m->causal_skip = m->count_embeddings = true;
    m->predict_layers = j->predict;
    if (d->latent) {
        m->q_rank = j->q_rank;
        m->kv_rank = j->kv_rank;
        m->rope_dim = j->rope;
        m->value_dim = j->value;
    }
    set_experts(r);
}

static enum rk_status check_shape(const struct reading *r)
{
    const struct job *j = &r->j;
    if (!j->heads || !j->kv_heads || j->heads % j->kv_heads)
        return fail_key(r, "base_num_kv_heads", "must divide base_num_query_heads");
    if (!j->head_dim || !j->mlp || !j->vocabulary)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "head_dim, base_mlp_dim and vocab_size must be at least 1");
    if (j->experts > 1 && (!j->active || j->active > j->experts))
        return fail_key(r, "num_experts_per_tok", "must be 1 to num_experts");
    return RK_OK;
}

/* By its sizes, where the decoder is one that they describe; else by its name. */
static enum rk_status read_model(struct reading *r)
{
    struct job *j = &r->j;
    char stem[96];
    const struct decoder *d = decoder_of(j->decoder);
    const bool named = *j->name && strcmp(j->name, "default") != 0;
    if (named) return by_catalog(r, j->name, "model_name");
    if (!j->hidden && !j->layers && !*j->name)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "names no model: give --set model_name=NAME (default: that of base.yml)");
    if (!d || j->post_attention || j->window) {
        stem_of(r->settings.path, stem, sizeof stem);
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "decoder_block", j->decoder,
                  "its layers have more than the keys say: by the file's name");
        return by_catalog(r, stem, d ? "sliding_window_size" : "decoder_block");
    }
    if (!settings_find(&r->settings, "base_emb_dim"))
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "model_name", "default",
                  "sizes that are not given are those of base.yml: 16 layers, 2048 wide");
    if (!j->hidden) j->hidden = 2048;
    if (!j->layers) j->layers = 16;
    const enum rk_status status = check_shape(r);
    if (status != RK_OK) return status;
    set_shape(r, d);
    return model_numbers_check(r->m, r->settings.path, r->error);
}

/* ---- the mesh ---- */

static int64_t product(const int64_t *axes, int *open)
{
    int64_t all = 1;
    *open = -1;
    for (int i = 0; i < AXES; i++)
        if (axes[i] == -1)
            *open = *open < 0 ? i : AXES;
        else if (axes[i] < 1 || axes[i] > 1 << 24 || (all *= axes[i]) > 1 << 24)
            return 0;
    return all;
}

/* What -1 stands for: the rest of the slices, or of the devices of a slice. */
static enum rk_status fill(struct reading *r, int64_t gpus)
{
    struct job *j = &r->j;
    int open_in, open_out;
    const int64_t in = product(j->inner, &open_in), out = product(j->outer, &open_out);
    int64_t slices = j->slices > 0 ? j->slices : open_out < 0 ? out : 1;
    if (!in || !out || open_in == AXES || open_out == AXES)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "ici_ and dcn_ axes must be at least 1, and one of each may be -1");
    if (open_out >= 0 && open_in < 0 && j->slices <= 0) slices = gpus / in;
    if (open_out >= 0 && slices % out == 0) j->outer[open_out] = slices / out;
    if (slices < 1 || gpus % slices || (open_in >= 0 && gpus / slices % in))
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "the mesh does not fill %" PRId64 " devices: ici_ axes take %" PRId64
                       ", dcn_ axes %" PRId64,
                       gpus, in, out);
    if (open_in >= 0) j->inner[open_in] = gpus / slices / in;
    const int64_t all = product(j->inner, &open_in) * product(j->outer, &open_out);
    if (open_in >= 0 || open_out >= 0 || all != gpus)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "the axes of the mesh take %" PRId64 " devices, not %" PRId64
                       ": give --gpus, or the axes by --set",
                       all, gpus);
    return RK_OK;
}

static uint64_t axis(const struct reading *r, enum axis which)
{
    return (uint64_t)(r->j.inner[which] * r->j.outer[which]);
}

static enum rk_status read_mesh(struct reading *r)
{
    struct rk_plan *p = r->p;
    int open_in, open_out;
    const int64_t in = product(r->j.inner, &open_in), out = product(r->j.outer, &open_out);
    const bool whole = open_in < 0 && open_out < 0;
    uint64_t gpus = r->source->gpus;
    if (!gpus && whole) gpus = (uint64_t)(in * out);
    if (!gpus) gpus = notes_machine(r->notes, r->source->machine);
    if (!gpus)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "one axis is -1, the rest of the devices: give --gpus N");
    const enum rk_status status = fill(r, (int64_t)gpus);
    if (status != RK_OK) return status;
    const uint64_t shards = axis(r, FSDP) * axis(r, TRANSPOSE);
    p->ranks = gpus;
    p->tensor = axis(r, TENSOR) * axis(r, SEQUENCE);
    p->sequence_parallel = p->tensor > 1;
    p->pipeline = axis(r, PIPELINE);
    p->context = axis(r, CONTEXT);
    p->expert = axis(r, EXPERT);
    const bool ring = r->j.context_kind && strcmp(r->j.context_kind, "ring") == 0;
    p->context_kind = ring ? RK_RING : RK_GATHER;
    p->zero = shards > 1 ? 3 : r->j.sharded_optimizer ? 1 : 0;
    p->gradient_overlap = p->xla = true;
    p->weight_overlap = p->zero > 0;
    if (shards > 1 && axis(r, DATA) > 1)
        p->shard_ranks = gpus / (p->tensor * p->pipeline) / axis(r, DATA);
    notes_add(r->notes, NOTE_ASSUMED, 0, 0, "overlap", "yes",
              "XLA starts collectives ahead of their use; how far is not known");
    return RK_OK;
}

/* ---- the batch ---- */

static enum rk_status read_batch(struct reading *r)
{
    const struct job *j = &r->j;
    struct rk_plan *p = r->p;
    const double all = j->per_device * (double)p->ranks;
    const uint64_t copies = p->ranks / (p->tensor * p->pipeline * p->context);
    uint64_t parts = j->accumulation ? j->accumulation : 1;
    if (!settings_find(&r->settings, "per_device_batch_size"))
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "per_device_batch_size", "12", "base.yml's preset");
    if (!(all >= 1) || all > 1e9 || fabs(all - round(all)) > 1e-6)
        return settings_fail_key(&r->settings, "per_device_batch_size", r->error,
                                 "times the %" PRIu64 " devices is not a whole number of samples",
                                 p->ranks);
    if (p->pipeline > 1) parts *= j->microbatches > 0 ? (uint64_t)j->microbatches : p->pipeline;
    const uint64_t each = p->pipeline * (j->per_stage ? j->per_stage : 1);
    if (p->pipeline > 1) p->chunks = j->repeats > 0 ? (uint64_t)j->repeats : r->m->layers / each;
    if (p->pipeline > 1 && (!p->chunks || r->m->layers % (p->chunks * p->pipeline)))
        return settings_fail_key(&r->settings, "num_layers_per_pipeline_stage", r->error,
                                 "%" PRIu64 " layers are not whole on the stages", r->m->layers);
    const uint64_t once = (uint64_t)round(all), again = j->accumulation ? j->accumulation : 1;
    if (once % copies || once / copies % (parts / again))
        return settings_fail_key(&r->settings, "per_device_batch_size", r->error,
                                 "%" PRIu64 " samples of a pass are not whole on %" PRIu64
                                 " copies with their microbatches",
                                 once, copies);
    if (once > MOST / again) return fail_key(r, "gradient_accumulation_steps", "is too many");
    p->batch = once * again;
    p->microbatch = p->batch / copies / parts;
    p->sequence = j->sequence == r->m->sequence ? 0 : j->sequence;
    return j->sequence && p->microbatch ? RK_OK
                                        : fail_key(r, "max_target_length", "must be at least 1");
}

/* ---- how it computes ---- */

/* Tensors that a policy names: where each is until backward. Its layers' inputs are kept always. */
enum { INPUT, CONTEXT_OUT, QUERY, KEY, VALUE, QKV, OUT, UP, UP_0, UP_1, DOWN, TENSORS };
enum stay { REMAT, DEVICE, OFFLOAD };

static const char *const tensors[TENSORS] = {
    [INPUT] = "decoder_layer_input",
    [CONTEXT_OUT] = "context",
    [QUERY] = "query_proj",
    [KEY] = "key_proj",
    [VALUE] = "value_proj",
    [QKV] = "qkv_proj",
    [OUT] = "out_proj",
    [UP] = "mlpwi",
    [UP_0] = "mlpwi_0",
    [UP_1] = "mlpwi_1",
    [DOWN] = "mlpwo",
};

#define BIT(tensor)  (1u << (tensor))
#define ATTENTION_IN (BIT(QUERY) | BIT(KEY) | BIT(VALUE) | BIT(QKV))

/* clang-format off */
static const struct policy {
    const char *name;
    enum stay where;
    bool kept[TENSORS];
} policies[] = {
#define ROW(policy, where, context, query, key, value, qkv, out, up, up_0, up_1, down) \
    {policy, where, {[CONTEXT_OUT] = context, [QUERY] = query, [KEY] = key, [VALUE] = value, [QKV] = qkv, \
                     [OUT] = out, [UP] = up, [UP_0] = up_0, [UP_1] = up_1, [DOWN] = down}},
#include "tables/maxtext-policies.h"
#undef ROW
};
/* clang-format on */

static enum rk_status custom_tensor(struct reading *r, int tensor, enum stay *stay)
{
    static const char *const words[] = {"remat", "device", "offload"};
    const struct setting *said = settings_find(&r->settings, tensors[tensor]);
    for (int i = 0; said && i < 3; i++)
        if (strcmp(said->text, words[i]) == 0) {
            *stay = (enum stay)i;
            return RK_OK;
        }
    return said ? fail_key(r, tensors[tensor], "must be remat, device or offload") : RK_OK;
}

static enum rk_status stays_of(struct reading *r, enum stay stay[TENSORS])
{
    const char *name = r->j.policy;
    enum rk_status status = RK_OK;
    stay[INPUT] = DEVICE;
    if (strcmp(name, "custom") == 0) {
        for (int i = 0; i < TENSORS && status == RK_OK; i++)
            status = custom_tensor(r, i, &stay[i]);
        return status;
    }
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        if (strcmp(name, policies[i].name) != 0) continue;
        for (int t = 0; t < TENSORS; t++)
            if (policies[i].kept[t]) stay[t] = policies[i].where;
        return RK_OK;
    }
    return settings_fail_key(
        &r->settings, "remat_policy", r->error,
        "%.60s is not known: give --set remat_policy=custom with what it keeps, "
        "or full, minimal or none, whichever is nearest",
        name);
}

/* Of what the plan keeps, the share that goes to the host: elements a token. */
static double share_offloaded(const struct rk_model *m, const enum stay stay[TENSORS],
                              unsigned counted)
{
    const double h = (double)m->hidden,
                 d = m->head_dim ? (double)m->head_dim : h / (double)m->heads;
    const double q = (double)m->heads * d, k = (double)(m->kv_heads ? m->kv_heads : m->heads) * d;
    const double f = (double)m->feedforward;
    const double width[TENSORS] = {h, q, q, k, k, q + 2 * k, h, f, f, f, h};
    double all = 0, away = 0;
    for (int i = 0; i < TENSORS; i++) {
        if (!(counted & BIT(i)) || stay[i] == REMAT) continue;
        all += width[i];
        away += stay[i] == OFFLOAD ? width[i] : 0;
    }
    return all > 0 ? away / all : 0;
}

static void offload(struct rk_plan *p, double share)
{
    for (int of = RK_SHARE_ATTENTION; of <= RK_SHARE_CHECKPOINTS; of++)
        p->share[of][0] = share;
}

/* What a plan has no word for is recomputed. Outputs of a block that only the residual stream
 * reads are not kept, though named: JAX keeps what backward reads. */
static enum rk_status read_policy(struct reading *r)
{
    struct rk_plan *p = r->p;
    enum stay stay[TENSORS] = {REMAT};
    if (strcmp(r->j.policy, "none") == 0) return RK_OK;
    const enum rk_status status = stays_of(r, stay);
    if (status != RK_OK) return status;
    const bool qkv = stay[QKV] || (stay[QUERY] && stay[KEY] && stay[VALUE]);
    const bool mlp = stay[UP] || stay[UP_0];
    unsigned said = 0, counted = BIT(INPUT) | (qkv ? ATTENTION_IN : 0);
    for (int i = 0; i < TENSORS; i++)
        said |= stay[i] ? BIT(i) : 0;
    p->recompute = qkv && mlp ? RK_SELECTIVE : RK_WHOLE;
    p->qkv_kept = qkv && !mlp && !r->m->kv_rank;
    if (p->recompute == RK_SELECTIVE) {
        p->recompute_parts = 1u << RK_PART_ACTIVATION | 1u << RK_PART_NORM;
        counted = BIT(TENSORS) - 1;
    }
    offload(p, share_offloaded(r->m, stay, counted));
    said &= ~(counted | (r->m->gated_mlp || p->qkv_kept ? BIT(DOWN) : 0));
    if (p->recompute == RK_SELECTIVE || (said && !p->qkv_kept) || said & BIT(CONTEXT_OUT))
        notes_add(r->notes, NOTE_WARNING, 0, 0, "remat_policy", r->j.policy,
                  p->recompute == RK_SELECTIVE
                      ? "is estimated as computing norms and activations again"
                  : p->qkv_kept ? "is estimated as keeping queries, keys and values alone: less "
                                  "memory and more time than the run"
                                : "is estimated as full: less memory and more time than the run");
    return RK_OK;
}

static enum rk_status read_precision(struct reading *r)
{
    const struct job *j = &r->j;
    struct rk_plan *p = r->p;
    p->precision = strcmp(j->dtype, "float32") == 0 ? RK_FP32 : RK_BF16;
    if (strcmp(j->dtype, "float32") != 0 && strcmp(j->dtype, "bfloat16") != 0)
        return fail_key(r, "dtype", "must be bfloat16 or float32");
    if (strcmp(j->weight_dtype, "bfloat16") == 0) { /* moments are of the weights' type, too */
        p->weight_element_bytes = p->gradient_element_bytes = 2;
        p->moment1_element_bytes = p->moment2_element_bytes = 2;
        p->master_element_bytes = 0;
    } else if (strcmp(j->weight_dtype, "float32") != 0)
        return fail_key(r, "weight_dtype", "must be float32 or bfloat16");
    if (strstr(j->quantization, "fp8"))
        p->precision = strstr(j->quantization, "delayed") ? RK_FP8_DELAYED
                       : strstr(j->quantization, "mxfp8") ? RK_MXFP8
                                                          : RK_FP8_CURRENT;
    else if (*j->quantization)
        return settings_fail_key(&r->settings, "quantization", r->error,
                                 "products in %.40s are not covered: fp8 is", j->quantization);
    return RK_OK;
}

static void read_kernels(struct reading *r)
{
    const struct job *j = &r->j;
    struct rk_plan *p = r->p;
    p->fused = true;
    p->grouped = j->megablox || r->m->experts == 0;
    if (strcmp(j->attention, "dot_product") == 0) p->attention = RK_UNFUSED;
    if (j->capacity > 0) p->capacity_factor = j->capacity;
    p->loss_in_chunks = j->vocabulary_tiles > 1;
    p->share[RK_SHARE_OPTIMIZER][0] = j->host_optimizer;
    p->share[RK_SHARE_WEIGHTS][0] = j->host_weights;
}

static enum rk_status interpret(struct reading *r)
{
    enum rk_status status = read_model(r);
    *r->p = plan_of_framework(RK_FSDP);
    if (status == RK_OK) status = read_mesh(r);
    if (status == RK_OK) status = read_batch(r);
    if (status == RK_OK) status = read_policy(r);
    if (status == RK_OK) status = read_precision(r);
    static const char *const optimizer[] = {"opt_type", NULL};
    if (status == RK_OK)
        status = optimizer_read(r->source, &r->settings, optimizer, r->p, r->notes, r->error);
    if (status == RK_OK) read_kernels(r);
    if (status == RK_OK && !settings_find(&r->settings, "max_target_length"))
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "max_target_length", "2048", "base.yml's preset");
    if (status == RK_OK && !settings_find(&r->settings, "remat_policy"))
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "remat_policy", "full", "base.yml's preset");
    return status;
}

enum rk_status maxtext_read(const struct config_source *source, struct rk_model *model,
                            struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    struct reading r = {.source = source,
                        .j = {.name = "", .quantization = ""},
                        .m = model,
                        .p = plan,
                        .notes = notes,
                        .error = error};
    enum rk_status status = settings_read(&r.settings, source->path, source->text, source->sets,
                                          source->set_count, error);
    if (status == RK_OK)
        status = keys_read(&r.settings, &maxtext_keys, &source->keys, &r.j, notes, error);
    if (status == RK_OK && source->vocabulary) r.j.vocabulary = source->vocabulary;
    if (status == RK_OK) status = interpret(&r);
    settings_release(&r.settings);
    return status;
}
