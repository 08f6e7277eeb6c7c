/* olmo_core.c - training programs of OLMo-core (Python): a TransformerConfig by one of its names,
 * what TransformerTrainModuleConfig is given, and the batch of the data loader. Read as data,
 * nothing is run.
 *
 * Names, keys and presets: OLMo-core of June 2026 (nn/transformer/config.py,
 * train/train_module/transformer/config.py, distributed/parallel/data_parallel.py,
 * data/tokenizer.py).
 */
#include "keys/key_rows.h"
#include "keys/model_numbers.h"
#include "keys/reader.h"
#include "plan/members.h"
#include "text/python_data.h"

#include <reckon/catalog.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRAIN "train_module."
#define AC    TRAIN "ac_config"

struct job {
    const char *factory, *tokenizer, *attention, *data, *copies, *shard, *type, *context,
        *optimizer;
    const char *recompute, *recompute_of, *float8, *loss;
    uint64_t layers, heads, kv_heads, batch, batch_of, tokens, sequence, tensor, contexts, interval;
    bool qk_norm, compile, float8_on;
};

#define AT(member) offsetof(struct job, member)

/* clang-format off */
static const struct key rows[] = {
#include "tables/olmo-core-plan.h"
#include "tables/olmo-core.h"
};

static const struct python_call calls[] = {
    {"TokenizerConfig", NULL, "tokenizer", NULL, NULL},
    {"partial", "build_config", "experiment", "common", "global_batch_size"},
    {"TransformerConfig", NULL, "model", NULL, NULL},
    {"NumpyDataLoaderConfig", NULL, "data_loader", NULL, "global_batch_size"},
    {"TransformerTrainModuleConfig", NULL, "train_module", NULL, NULL},
};

/* Models by their names in TransformerConfig, olmo2_ and olmo3_ alike. Left out: those of other
 * families, which the catalog has. */
static const struct factory {
    const char *name;
    uint64_t hidden, layers, heads, kv_heads, feedforward;
} factories[] = {
#define ROW(name, hidden, layers, heads, kv_heads, feedforward) {name, hidden, layers, heads, kv_heads, feedforward},
#include "tables/olmo-core-models.h"
#undef ROW
};

/* Tokens, before they are padded to a multiple of 128. */
static const struct { const char *name; uint64_t tokens; } tokenizers[] = {
    {"dolma2", 100278}, {"dolma2_sigdig", 100278}, {"gpt_neox_olmo_dolma_v1_5", 50280}, {"gpt2", 50257},
};
/* clang-format on */

const struct key_table olmo_core_keys = KEY_TABLE(rows);

enum { MOST = 1000000000, NODE = 8, PADDING = 128 };

struct reading {
    struct job j;
    READING_MEMBERS;
};

/* "DataParallelType.hsdp" is hsdp. */
static const char *last_of(const char *text)
{
    const char *dot = text ? strrchr(text, '.') : NULL;
    return dot ? dot + 1 : text ? text : "";
}

static enum rk_status refuse(const struct reading *r, const char *key, const char *why)
{
    return settings_fail_key(&r->settings, key, r->error, "%s", why);
}

/* ---- the model ---- */

static const struct factory *find_factory(const char *name)
{
    for (size_t i = 0; i < sizeof factories / sizeof *factories; i++) {
        const char *row = factories[i].name;
        if (strcmp(row, name) == 0) return &factories[i];
        const bool olmo = strncmp(name, "olmo2_", 6) == 0 || strncmp(name, "olmo3_", 6) == 0;
        if (olmo && strncmp(row, "olmo_", 5) == 0 && strcmp(row + 5, name + 6) == 0)
            return &factories[i];
    }
    return NULL;
}

static enum rk_status read_vocabulary(const struct reading *r)
{
    const char *name = last_of(r->j.tokenizer);
    uint64_t tokens = r->source->vocabulary;
    if (!r->j.tokenizer) {
        name = "dolma2";
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "tokenizer", name, "that of OLMo-core's programs");
    }
    for (size_t i = 0; !tokens && i < sizeof tokenizers / sizeof *tokenizers; i++)
        if (strcmp(tokenizers[i].name, name) == 0) tokens = tokenizers[i].tokens;
    if (!tokens || tokens > MOST)
        return refuse(r, "tokenizer", "is not known: give --vocabulary N");
    r->m->vocabulary = (tokens + PADDING - 1) / PADDING * PADDING;
    return RK_OK;
}

static enum rk_status build_model(const struct reading *r, const struct factory *f,
                                  const char *name)
{
    const struct job *j = &r->j;
    struct rk_model *m = r->m;
    *m = (struct rk_model){.layers = j->layers ? j->layers : f->layers,
                           .hidden = f->hidden,
                           .feedforward = f->feedforward,
                           .heads = j->heads ? j->heads : f->heads,
                           .sequence = j->sequence,
                           .position = RK_POSITION_ROPE,
                           .norm = RK_RMS_NORM,
                           .activation = RK_SILU};
    const uint64_t kv_heads = j->kv_heads ? j->kv_heads : f->kv_heads;
    if (m->heads > MOST || m->hidden % m->heads || (kv_heads && m->heads % kv_heads))
        return refuse(r, "model.n_heads", "must divide the width, and n_kv_heads the heads");
    m->head_dim = m->hidden / m->heads;
    m->kv_heads = kv_heads == m->heads ? 0 : kv_heads;
    const bool said = settings_find(&r->settings, "model.qk_norm") != NULL;
    m->qk_norm = m->qk_norm_wide = said ? j->qk_norm : strncmp(name, "olmo", 4) == 0;
    if (strncmp(name, "olmo3_", 6) == 0) {
        m->window = 4096;
        m->window_every = 4;
    }
    m->gated_mlp = m->no_dropout = m->flash_attention = m->causal_skip = true;
    m->count_embeddings = true;
    const enum rk_status status = read_vocabulary(r);
    return status == RK_OK ? model_numbers_check(m, r->settings.path, r->error) : status;
}

static enum rk_status read_model(const struct reading *r)
{
    const char *name = r->j.factory;
    struct rk_error ignored;
    if (!name)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "makes no TransformerConfig: give the model with --set model=ID");
    const bool own = strncmp(name, "TransformerConfig", 17) == 0;
    const struct factory *f = own ? find_factory(last_of(name)) : NULL;
    if (f) return build_model(r, f, last_of(name));
    if (!own && rk_model_load(name, r->m, &ignored) == RK_OK) return RK_OK;
    return refuse(r, "model",
                  own ? "is not a model that is known here: give one with --set model=ID (an id of "
                        "reckon models, or a file)"
                      : "is not a model of the catalog: give one with --set model=ID (an id, or a "
                        "file)");
}

/* ---- the ranks ---- */

static bool has_section(const struct reading *r, const char *key)
{
    const struct setting *s = settings_find(&r->settings, key);
    char below[64];
    snprintf(below, sizeof below, "%s.", key);
    return (s && !s->null) || settings_has(&r->settings, below);
}

/* A number, or "get_world_size() // 64"; 0: neither. */
static uint64_t count_of(const char *text, uint64_t ranks)
{
    static const char *const all = "get_world_size()";
    char *end;
    if (!text) return 0;
    const bool whole = strncmp(text, all, strlen(all)) == 0;
    if (whole) text += strlen(all);
    if (whole && !*text) return ranks;
    text += strspn(text, " /");
    const uint64_t n = strtoull(text, &end, 10);
    if (end == text || *end || !n || n > MOST) return 0;
    return whole ? ranks / n : n;
}

/* How many ranks hold the weights together; 0: it is asked for. */
static uint64_t shard_ranks(const struct reading *r, uint64_t data)
{
    const struct job *j = &r->j;
    const uint64_t copies = count_of(j->copies, r->p->ranks), own = count_of(j->shard, data);
    if ((j->copies && !copies) || (j->shard && !own)) return 0;
    if (own) return data % own ? 0 : own;
    if (copies) return data % copies ? 0 : data / copies;
    const uint64_t node = data > NODE ? NODE : data;
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, node);
    notes_add(r->notes, NOTE_ASSUMED, 0, 0, TRAIN "dp_config.shard_degree", number,
              "the GPUs of a node: OLMo-core's default");
    return data % node ? 0 : node;
}

static enum rk_status read_sharding(const struct reading *r)
{
    struct rk_plan *p = r->p;
    const char *type = last_of(r->j.type);
    const uint64_t data = p->ranks / (p->tensor * p->context);
    const bool hybrid = strcmp(type, "hsdp") == 0;
    if (*type && !hybrid && strcmp(type, "fsdp") != 0 && strcmp(type, "ddp") != 0)
        return refuse(r, TRAIN "dp_config.name", "is none of fsdp, hsdp and ddp");
    p->gradient_overlap = true;
    if ((!hybrid && strcmp(type, "fsdp") != 0) || data * p->context < 2) return RK_OK;
    p->zero = 3;
    p->weight_overlap = true;
    if (!hybrid) return RK_OK;
    const uint64_t shard = shard_ranks(r, data);
    if (!shard)
        return refuse(r,
                      r->j.shard ? TRAIN "dp_config.shard_degree" : TRAIN "dp_config.num_replicas",
                      "does not divide the data-parallel ranks, or is computed: give another "
                      "--gpus, or the number with --set");
    if (shard < data) p->shard_ranks = shard * p->context;
    return RK_OK;
}

static enum rk_status read_ranks(const struct reading *r)
{
    static const char *const kinds[] = {"zig_zag", "llama3", "ulysses", NULL};
    const struct job *j = &r->j;
    struct rk_plan *p = r->p;
    const char *kind = last_of(j->context);
    int k = 0;
    p->ranks = r->source->gpus;
    if (!p->ranks) p->ranks = notes_machine(r->notes, r->source->machine);
    if (!p->ranks)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "the program does not say how many GPUs it is started on: give --gpus N");
    p->tensor = j->tensor;
    p->context = j->contexts;
    if (!p->tensor || !p->context || p->tensor > MOST || p->context > MOST ||
        p->ranks % (p->tensor * p->context))
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "the degrees must divide the %" PRIu64 " GPUs", p->ranks);
    p->sequence_parallel = p->tensor > 1;
    while (p->context > 1 && kinds[k] && strcmp(kinds[k], kind) != 0)
        k++;
    if (!kinds[k])
        return refuse(r, TRAIN "cp_config",
                      "is computed, or none of zig_zag, llama3 and ulysses: "
                      "give --set train_module.cp_config=zig_zag");
    if (p->context > 1) p->context_kind = k == 0 ? RK_RING : k == 1 ? RK_GATHER : RK_ULYSSES;
    return read_sharding(r);
}

/* ---- the batch ---- */

static enum rk_status read_batch(const struct reading *r)
{
    const struct job *j = &r->j;
    struct rk_plan *p = r->p;
    char *end = NULL;
    const uint64_t loader = j->data ? strtoull(j->data, &end, 10) : 0;
    const uint64_t tokens = loader && !*end ? loader : j->batch_of;
    const uint64_t data = p->ranks / (p->tensor * p->context);
    if (!tokens)
        return refuse(r, "data_loader.global_batch_size",
                      "is not said as a number of tokens: give --set "
                      "data_loader.global_batch_size=TOKENS");
    if (!j->sequence || tokens % j->sequence || j->tokens % j->sequence || !j->tokens)
        return refuse(r, TRAIN "rank_microbatch_size",
                      "must be a multiple of max_sequence_length, and the batch, too");
    p->batch = tokens / j->sequence;
    p->microbatch = j->tokens / j->sequence;
    if (p->batch > MOST || p->batch % (data * p->microbatch))
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "the batch of %" PRIu64 " samples is not divisible by %" PRIu64
                       " data-parallel ranks of %" PRIu64 ": give another --gpus",
                       p->batch, data, p->microbatch);
    p->sequence = j->sequence == r->m->sequence ? 0 : j->sequence;
    return RK_OK;
}

/* ---- the choices ---- */

/* "blocks.*.feed_forward" and the like. */
static enum rk_status read_modules(const struct reading *r)
{
    struct rk_plan *p = r->p;
    p->recompute = RK_SELECTIVE;
    for (size_t i = 0; i < r->settings.count; i++) {
        const struct setting *s = &r->settings.setting[i];
        const char *name = last_of(s->text);
        if (strncmp(s->key, AC ".modules.", sizeof AC ".modules." - 1) != 0) continue;
        if (strcmp(name, "feed_forward") == 0)
            p->recompute_parts |= 1u << RK_PART_MLP;
        else if (strcmp(name, "feed_forward_moe") == 0)
            p->recompute_parts |= 1u << RK_PART_EXPERTS;
        else
            return settings_fail(&r->settings, s, r->error,
                                 "%.60s is not a part that plans recompute: feed_forward and "
                                 "feed_forward_moe are, as --set %.60s=blocks.*.feed_forward",
                                 s->text, s->key);
    }
    return p->recompute_parts ? RK_OK : refuse(r, AC, "names no modules");
}

static enum rk_status read_recomputation(const struct reading *r)
{
    static const char *const ask =
        "is not known: give --set train_module.ac_config.mode=none, full, selected_blocks, "
        "selected_modules, selected_ops or budget";
    const char *mode = last_of(r->j.recompute);
    struct rk_plan *p = r->p;
    const bool made = r->j.recompute_of && strstr(r->j.recompute_of, "CheckpointingConfig") &&
                      !strchr(r->j.recompute_of, '=');
    if (!has_section(r, AC) || strcmp(mode, "none") == 0) return RK_OK;
    if (!*mode && !made) return refuse(r, AC, ask);
    if (!*mode || strcmp(mode, "full") == 0 || strcmp(mode, "selected_blocks") == 0) {
        p->recompute = RK_WHOLE;
        if (strcmp(mode, "selected_blocks") == 0) p->recompute_stride = r->j.interval;
        return RK_OK;
    }
    if (strcmp(mode, "selected_modules") == 0) return read_modules(r);
    if (strcmp(mode, "selected_ops") != 0 && strcmp(mode, "budget") != 0) return refuse(r, AC, ask);
    p->recompute = RK_SELECTIVE;
    p->recompute_parts = 1u << RK_PART_ACTIVATION | 1u << RK_PART_NORM;
    notes_add(r->notes, NOTE_WARNING, 0, 0, AC ".mode", mode,
              "is estimated as computing norms and activations again");
    return RK_OK;
}

static void read_optimizer(const struct reading *r)
{
    const char *name = r->j.optimizer ? r->j.optimizer : "AdamWConfig";
    r->p->optimizer = strstr(name, "Lion") ? RK_LION : strstr(name, "Muon") ? RK_MUON : RK_ADAM;
    if (!strstr(name, "Lion") && !strstr(name, "Muon") && !strstr(name, "AdamW"))
        notes_add(r->notes, NOTE_WARNING, 0, 0, TRAIN "optim", name,
                  "is not followed: is estimated as AdamW, with two moments");
}

/* fully_shard() computes in param_dtype, autocast in autocast_precision; without either in fp32. */
static void read_precision(const struct reading *r)
{
    static const char *const keys[] = {TRAIN "dp_config.param_dtype", TRAIN "autocast_precision"};
    struct rk_plan *p = r->p;
    const bool float8 = has_section(r, TRAIN "float8_config") && r->j.float8_on;
    p->precision = RK_FP32;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct setting *s = settings_find(&r->settings, keys[i]);
        if (s && strstr(s->text, "bfloat16")) p->precision = RK_BF16;
    }
    if (p->precision == RK_FP32)
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, keys[0], "float32", "no other type is given");
    if (!float8) return;
    const bool row = r->j.float8 && strstr(r->j.float8, "rowwise");
    p->precision = settings_has(&r->settings, TRAIN "float8_config.ao_mx") ? RK_MXFP8
                   : row                                                   ? RK_FP8_ROW
                                                                           : RK_FP8_CURRENT;
    p->weights_fp8 = p->precision == RK_FP8_CURRENT && r->j.float8;
}

static enum rk_status read_choices(const struct reading *r)
{
    struct rk_plan *p = r->p;
    p->fused = r->j.compile;
    p->attention = strcmp(last_of(r->j.attention), "flash_3") == 0 ? RK_FLASH_3 : RK_FLASH;
    p->loss_in_chunks = r->j.loss && strstr(r->j.loss, "fused_linear");
    read_optimizer(r);
    read_precision(r);
    return read_recomputation(r);
}

static enum rk_status interpret(const struct reading *r)
{
    if (!r->j.sequence || r->j.sequence > MOST)
        return refuse(r, TRAIN "max_sequence_length", "must be 1 to 1e9");
    enum rk_status status = read_model(r);
    *r->p = plan_of_framework(RK_FSDP);
    if (status == RK_OK) status = read_ranks(r);
    if (status == RK_OK) status = read_batch(r);
    return status == RK_OK ? read_choices(r) : status;
}

enum rk_status olmo_core_read(const struct config_source *source, struct rk_model *model,
                              struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    struct reading r = {.source = source, .m = model, .p = plan, .notes = notes, .error = error};
    enum rk_status status =
        python_calls(&r.settings, source->path, source->text, calls, sizeof calls / sizeof *calls,
                     source->sets, source->set_count, error);
    if (status == RK_OK && !settings_has(&r.settings, "train_module"))
        status = rk_fail(error, RK_BAD_INPUT, source->path, 0, 0,
                         "makes no TransformerTrainModuleConfig: give the program that does");
    if (status == RK_OK)
        status = keys_read(&r.settings, &olmo_core_keys, &source->keys, &r.j, notes, error);
    if (status == RK_OK) status = interpret(&r);
    settings_release(&r.settings);
    return status;
}
