/* levanter.c - training configurations of Levanter (YAML): the model by its sizes, the mesh, the
 * batch.
 *
 * Keys and presets: src/levanter/trainer.py (TrainerConfig), models/gpt2.py, llama.py, mistral.py,
 * qwen.py, olmo.py, gemma.py, mixtral.py of 2025 [levanter].
 */
#include "keys/key_rows.h"
#include "keys/model_numbers.h"
#include "keys/optimizers.h"
#include "keys/reader.h"
#include "keys/tokenizers.h"
#include "plan/members.h"
#include <reckon/catalog.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct job {
    const char *type, *precision, *tokenizer, *hub, *checkpoints;
    uint64_t sequence, longest, hidden, mlp, layers, heads, kv_heads, scale, vocabulary;
    uint64_t experts, active, batch, tensor, replicas;
    int64_t per_device;
    bool biases, tied, hub_config, dropout;
};

#define AT(member) offsetof(struct job, member)

/* clang-format off */
static const struct key rows[] = {
#include "tables/levanter.h"
};

/* Sizes that a type has where the file is silent. */
static const struct type {
    const char *name;
    uint64_t sequence, hidden, mlp, layers, heads, kv_heads;
    bool classic, gelu, tied, qkv_biases, qk_norm;
} types[] = {
#define ROW(...) {__VA_ARGS__},
#include "tables/levanter-types.h"
#undef ROW
};
/* clang-format on */

const struct key_table levanter_keys = KEY_TABLE(rows);

enum { MOST = 1000000000 };

struct reading {
    struct job j;
    READING_MEMBERS;
};

static const struct type *type_of(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0) return &types[i];
    return NULL;
}

/* ---- the model ---- */

static enum rk_status read_vocabulary(struct reading *r)
{
    struct job *j = &r->j;
    const struct setting *given = settings_find(&r->settings, "vocab_size");
    const struct tokenizer *known = j->tokenizer ? tokenizer_of_name(j->tokenizer) : NULL;
    j->vocabulary = r->source->vocabulary ? r->source->vocabulary
                    : given               ? strtoull(given->text, NULL, 10)
                    : known               ? known->vocabulary
                                          : 0;
    if (known && !r->source->vocabulary && !given)
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "vocabulary", known->text, "of %s", known->source);
    if (j->vocabulary) return RK_OK;
    return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                   "the vocabulary's size is in the files of the tokenizer%s%.60s: give "
                   "--vocabulary N",
                   j->tokenizer ? " " : "", j->tokenizer ? j->tokenizer : "");
}

static void fill(struct job *j, const struct type *t)
{
    if (!j->hidden) j->hidden = t->hidden;
    if (!j->layers) j->layers = t->layers;
    if (!j->heads) j->heads = t->heads;
    if (!j->kv_heads) j->kv_heads = t->kv_heads ? t->kv_heads : j->heads;
    if (!j->mlp) j->mlp = t->mlp ? t->mlp : (j->scale ? j->scale : 4) * j->hidden;
    if (!j->sequence) j->sequence = j->longest ? j->longest : t->sequence;
}

static void set_model(struct reading *r, const struct type *t)
{
    const struct job *j = &r->j;
    struct rk_model *m = r->m;
    const bool said = settings_find(&r->settings, "model.use_bias") != NULL;
    *m = (struct rk_model){.layers = j->layers,
                           .hidden = j->hidden,
                           .feedforward = j->mlp,
                           .heads = j->heads,
                           .head_dim = j->hidden / j->heads,
                           .sequence = j->sequence,
                           .vocabulary = j->vocabulary};
    m->kv_heads = j->kv_heads == j->heads ? 0 : j->kv_heads;
    m->position = t->classic ? RK_POSITION_LEARNED : RK_POSITION_ROPE;
    m->norm = t->classic ? RK_LAYER_NORM : RK_RMS_NORM;
    m->gated_mlp = !t->classic;
    m->activation = t->gelu ? RK_GELU : RK_SILU;
    m->tied_embeddings =
        settings_find(&r->settings, "model.tie_word_embeddings") ? j->tied : t->tied;
    m->biases = said ? j->biases : t->classic;
    m->qkv_biases = !m->biases && t->qkv_biases;
    m->qk_norm = t->qk_norm;
    m->qk_norm_wide = strcmp(t->name, "olmo2") == 0;
    m->no_dropout = m->flash_attention = m->causal_skip = m->count_embeddings = true;
    if (strcmp(t->name, "mixtral") == 0) {
        m->experts = j->experts ? j->experts : 8;
        m->active_experts = j->active ? j->active : 2;
        m->expert_feedforward = j->mlp;
    }
}

static enum rk_status by_hub(struct reading *r)
{
    struct rk_error ignored;
    if (rk_model_load(r->j.hub, r->m, &ignored) != RK_OK)
        return settings_fail_key(
            &r->settings, "initialize_from_hf", r->error,
            "%.80s is not a checkpoint of the catalog: give the sizes, model.type, "
            "model.hidden_dim, ..., with --set",
            r->j.hub);
    notes_add(r->notes, NOTE_ASSUMED, 0, 0, "model", r->j.hub, "the catalog's %s", r->m->id);
    r->j.sequence = r->j.sequence ? r->j.sequence : r->j.longest ? r->j.longest : r->m->sequence;
    return RK_OK;
}

static enum rk_status read_model(struct reading *r)
{
    struct job *j = &r->j;
    if (j->hub && key_flag(j->hub) >= 0) j->hub = NULL; /* whether to begin with its weights */
    if (j->hub && (j->hub_config || !settings_find(&r->settings, "model.hidden_dim")))
        return by_hub(r);
    const struct type *t = type_of(j->type);
    if (!t)
        return settings_fail_key(
            &r->settings, "model.type", r->error,
            "%.40s is not covered: gpt2, llama, mistral, mixtral, qwen, qwen3, "
            "olmo2 and gemma are",
            j->type);
    fill(j, t);
    enum rk_status status = read_vocabulary(r);
    if (status != RK_OK) return status;
    if (!j->heads || j->hidden % j->heads || !j->kv_heads || j->heads % j->kv_heads)
        return settings_fail_key(&r->settings, "model.num_heads", r->error,
                                 "must divide hidden_dim, and num_kv_heads the heads");
    set_model(r, t);
    return model_numbers_check(r->m, r->settings.path, r->error);
}

/* ---- the plan ---- */

static enum rk_status read_ranks(struct reading *r)
{
    const struct job *j = &r->j;
    struct rk_plan *p = r->p;
    p->ranks = r->source->gpus;
    if (!p->ranks) p->ranks = notes_machine(r->notes, r->source->machine);
    if (!p->ranks)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "the file does not say on how many devices: give --gpus N");
    p->tensor = j->tensor ? j->tensor : 1;
    if (p->tensor > p->ranks || !j->replicas || j->replicas > p->ranks ||
        p->ranks % (p->tensor * j->replicas))
        return settings_fail_key(&r->settings, "trainer.model_axis_size", r->error,
                                 "and the replicas do not divide the %" PRIu64 " devices",
                                 p->ranks);
    const uint64_t copies = p->ranks / p->tensor;
    p->zero = copies / j->replicas > 1 ? 3 : 0;
    if (j->replicas > 1 && p->zero) p->shard_ranks = copies / j->replicas;
    p->gradient_overlap = true;
    p->weight_overlap = p->zero == 3;
    notes_add(r->notes, NOTE_ASSUMED, 0, 0, "overlap", "yes",
              "XLA starts collectives ahead of their use; how far is not known");
    p->batch = j->batch;
    if (!settings_find(&r->settings, "trainer.train_batch_size"))
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "trainer.train_batch_size", "512",
                  "Levanter's preset");
    if (!j->batch || j->batch > MOST || j->batch % copies)
        return settings_fail_key(&r->settings, "trainer.train_batch_size", r->error,
                                 "must be a multiple of the %" PRIu64 " copies", copies);
    p->microbatch = j->per_device > 0 ? (uint64_t)j->per_device : j->batch / copies;
    if (j->batch / copies % p->microbatch)
        return settings_fail_key(&r->settings, "trainer.per_device_parallelism", r->error,
                                 "does not divide the %" PRIu64 " samples of a copy",
                                 j->batch / copies);
    p->sequence = j->sequence == r->m->sequence ? 0 : j->sequence;
    return RK_OK;
}

/* "p=f32,c=bfloat16": parameters, computing; "bf16" and "f32" are all of it. */
static enum rk_status read_precision(struct reading *r)
{
    const char *text = r->j.precision, *c = strstr(text, "c="), *params = strstr(text, "p=");
    const char *computing = c ? c + 2 : text, *kept = params ? params + 2 : text;
    struct rk_plan *p = r->p;
    if (strstr(text, "compute=")) computing = strstr(text, "compute=") + 8;
    if (strstr(text, "params=")) kept = strstr(text, "params=") + 7;
    const bool narrow = strncmp(computing, "bf", 2) == 0;
    if (!narrow && strncmp(computing, "f32", 3) != 0 && strncmp(computing, "float32", 7) != 0 &&
        strncmp(computing, "full", 4) != 0)
        return settings_fail_key(&r->settings, "trainer.mp", r->error,
                                 "%.40s is not known: p=f32,c=bfloat16, f32 and bf16 are", text);
    p->precision = narrow ? RK_BF16 : RK_FP32;
    if (strncmp(kept, "bf", 2) == 0) {
        p->weight_element_bytes = p->gradient_element_bytes = 2;
        p->moment1_element_bytes = p->moment2_element_bytes = 2;
        p->master_element_bytes = 0;
    }
    return RK_OK;
}

static enum rk_status interpret(struct reading *r)
{
    enum rk_status status = read_model(r);
    *r->p = plan_of_framework(RK_FSDP);
    if (status == RK_OK) status = read_ranks(r);
    if (status == RK_OK) status = read_precision(r);
    static const char *const optimizer[] = {"optimizer.type", NULL};
    if (status == RK_OK)
        status = optimizer_read(r->source, &r->settings, optimizer, r->p, r->notes, r->error);
    const int checkpoints = key_flag(r->j.checkpoints);
    r->p->recompute = checkpoints == 0 ? RK_KEEP : RK_WHOLE;
    if (checkpoints < 0)
        notes_add(r->notes, NOTE_WARNING, 0, 0, "model.gradient_checkpointing", r->j.checkpoints,
                  "is estimated as computing whole layers again");
    r->p->fused = true;
    if (status == RK_OK && !settings_find(&r->settings, "model.gradient_checkpointing"))
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, "gradient_checkpointing", "true",
                  "Levanter's preset");
    return status;
}

/* "!include data/x.yaml" names a file of data: its tag is taken away, for YAML without tags. */
static char *without_includes(const char *text)
{
    char *copy = strdup(text);
    for (char *at = copy; at && (at = strstr(at, "!include"));)
        memset(at, ' ', strlen("!include"));
    return copy;
}

enum rk_status levanter_read(const struct config_source *source, struct rk_model *model,
                             struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    struct reading r = {.source = source, .m = model, .p = plan, .notes = notes, .error = error};
    char *text = without_includes(source->text);
    if (!text) return rk_fail(error, RK_NO_MEMORY, source->path, 0, 0, "out of memory");
    enum rk_status status =
        settings_read(&r.settings, source->path, text, source->sets, source->set_count, error);
    if (status == RK_OK && !settings_has(&r.settings, "trainer.") &&
        !settings_has(&r.settings, "model."))
        status =
            rk_fail(error, RK_BAD_INPUT, source->path, 0, 0,
                    "has neither a model nor a trainer: data or an optimizer alone make no run");
    if (status == RK_OK)
        status = keys_read(&r.settings, &levanter_keys, &source->keys, &r.j, notes, error);
    if (status == RK_OK) status = interpret(&r);
    settings_release(&r.settings);
    free(text);
    return status;
}
