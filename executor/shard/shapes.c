#include "shard/shapes.h"

#include "base/text.h"
#include <reckon/shard.h>

#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void note(struct rk_shard_notes *notes, const char *format, ...) RK_PRINTF(2, 3);

static void note(struct rk_shard_notes *notes, const char *format, ...)
{
    va_list values;
    if (notes->count == RK_SHARD_NOTES) return;
    va_start(values, format);
    vsnprintf(notes->text[notes->count++], RK_SHARD_NOTE, format, values);
    va_end(values);
}

/* What the tensors say; 0 where none does. */
struct seen {
    uint64_t layers, predict_layers, hidden, vocabulary, feedforward, experts, expert_feedforward;
    uint64_t counted_on; /* of predict_layers: those numbered after the other layers */
    uint64_t shared_feedforward, queries, keys, head_dim;
    bool head, gate, qkv_biases, out_biases, qk_norm, recurrent, attention;
};

static void most(uint64_t *value, uint64_t other)
{
    if (other > *value) *value = other;
}

static bool says(const char *name, const char *word)
{
    return strstr(name, word) != NULL;
}

/* Outputs and inputs of a matrix, from the axes after that of stacked experts. */
static void sides(const struct tensor *t, const struct part *part, uint64_t *out, uint64_t *in)
{
    const int first = part->stacked ? 1 : 0;
    *out = t->shape[first + part->turned];
    *in = t->shape[first + !part->turned];
}

static void see_matrix(struct seen *s, const struct tensor *t, const struct part *part)
{
    uint64_t out, in;
    sides(t, part, &out, &in);
    const bool shared = says(t->name, "shared");
    switch (part->role) {
    case ROLE_EMBEDDING:
        most(&s->vocabulary, out);
        most(&s->hidden, in);
        break;
    case ROLE_ROWS:
        s->gate |= says(t->name, "gate_proj");
        most(shared ? &s->shared_feedforward : &s->feedforward, out);
        break;
    case ROLE_HALVES:
        s->gate = true;
        most(shared ? &s->shared_feedforward : &s->feedforward, out / 2);
        break;
    case ROLE_EXPERT_ROWS:
        s->gate |= says(t->name, "gate_proj") || says(t->name, ".w3");
        most(&s->expert_feedforward, out);
        most(&s->experts, (uint64_t)part->expert + 1);
        break;
    case ROLE_EXPERT_HALVES:
    case ROLE_EXPERT_PAIRS:
        if (t->rank != 3) break;
        s->gate = true;
        most(&s->expert_feedforward, out / 2);
        most(&s->experts, t->shape[0]);
        break;
    case ROLE_HEADS:
        s->attention = true;
        if (says(t->name, "q_proj")) most(&s->queries, out);
        break;
    case ROLE_GROUPS:
        if (says(t->name, "k_proj")) most(&s->keys, out);
        break;
    case ROLE_PREDICT_IN:
        s->predict_layers++;
        s->counted_on += part->layer >= 0 && part->layer < PART_PREDICTING;
        break;
    default:
        s->recurrent |= part->role >= ROLE_STATE_HEADS;
    }
}

static void see(struct seen *s, const struct tensor *t, const struct part *part)
{
    if (part->layer < PART_PREDICTING) most(&s->layers, (uint64_t)(part->layer + 1));
    s->head |= part->role == ROLE_HEAD;
    if (part->leaf == LEAF_BIAS && part->role == ROLE_HEADS) s->qkv_biases = true;
    if (part->leaf == LEAF_BIAS && part->role == ROLE_ATTENTION_OUT) s->out_biases = true;
    if (part->role == ROLE_HEAD_NORM && t->rank == 1) {
        s->qk_norm = true;
        most(&s->head_dim, t->shape[0]);
    }
    if (part->leaf == LEAF_WEIGHT && t->rank >= 2) see_matrix(s, t, part);
}

static struct seen look(const struct store *store)
{
    struct seen s = {.layers = 0};
    for (size_t i = 0; i < store->layout.tensors; i++) {
        const struct part part = part_of(store->layout.tensor[i].name, store->type);
        if (part.role != ROLE_UNKNOWN) see(&s, &store->layout.tensor[i], &part);
    }
    s.layers -= s.layers > s.counted_on ? s.counted_on : 0;
    return s;
}

uint64_t shapes_layers(const struct store *store)
{
    int64_t most_layer = -1;
    for (size_t i = 0; i < store->layout.tensors; i++) {
        const struct part part = part_of(store->layout.tensor[i].name, store->type);
        if (part.layer > most_layer && part.layer < PART_PREDICTING) most_layer = part.layer;
    }
    return (uint64_t)(most_layer + 1);
}

/* The files are right. */
static void correct(uint64_t *member, uint64_t seen, const char *name, struct rk_shard_notes *notes)
{
    if (!seen || *member == seen) return;
    note(notes, "%s: the files have %" PRIu64 ", config.json says %" PRIu64, name, seen, *member);
    *member = seen;
}

static void correct_all(struct rk_model *m, const struct seen *s, struct rk_shard_notes *notes)
{
    correct(&m->layers, s->layers, "layers", notes);
    correct(&m->hidden, s->hidden, "hidden", notes);
    correct(&m->vocabulary, s->vocabulary, "vocabulary", notes);
    if (m->feedforward) correct(&m->feedforward, s->feedforward, "feedforward", notes);
    correct(&m->experts, s->experts, "experts", notes);
    correct(&m->expert_feedforward, s->expert_feedforward, "expert_feedforward", notes);
    if (m->tied_embeddings != !s->head)
        note(notes, s->head ? "the files have a head of its own, config.json says it is tied"
                            : "the files have no head of its own: it is tied to the embedding");
    m->tied_embeddings = !s->head;
    if (m->predict_layers && !s->predict_layers) {
        note(notes, "the files have no layers for multi-token prediction, config.json has");
        m->predict_layers = 0;
    }
}

/* Tensors named as llama's, of dense models and mixtures. */
static enum rk_status infer(const struct store *store, const struct seen *s, struct rk_model *m,
                            struct rk_shard_notes *notes, struct rk_error *error)
{
    enum { USUAL_HEAD = 128, USUAL_SEQUENCE = 4096, USUAL_ACTIVE = 2 };
    const uint64_t d = s->head_dim ? s->head_dim : USUAL_HEAD;
    if (!s->layers || !s->hidden || !s->queries || !s->keys || s->recurrent ||
        !(s->feedforward || s->expert_feedforward) || s->queries % d || s->keys % d)
        return rk_fail(error, RK_BAD_INPUT, store->layout.folder, 0, 0,
                       "has no config.json, and its tensors are not named as llama's: put the "
                       "config.json next to them");
    *m = (struct rk_model){.id = "checkpoint",
                           .layers = s->layers,
                           .hidden = s->hidden,
                           .feedforward = s->feedforward,
                           .heads = s->queries / d,
                           .head_dim = d,
                           .sequence = USUAL_SEQUENCE,
                           .vocabulary = s->vocabulary,
                           .kv_heads = s->keys / d,
                           .position = RK_POSITION_ROPE,
                           .norm = RK_RMS_NORM,
                           .block_norms = 2,
                           .gated_mlp = s->gate,
                           .activation = RK_SILU,
                           .tied_embeddings = !s->head,
                           .qkv_biases = s->qkv_biases,
                           .out_biases = s->out_biases,
                           .qk_norm = s->qk_norm,
                           .no_dropout = true,
                           .flash_attention = true,
                           .causal_skip = true,
                           .experts = s->experts,
                           .active_experts = s->experts ? USUAL_ACTIVE : 0,
                           .expert_feedforward = s->expert_feedforward,
                           .shared_feedforward = s->shared_feedforward,
                           .value_dim = d,
                           .count_embeddings = true};
    note(notes, "no config.json: heads of %" PRIu64 "%s, samples of %d tokens%s are assumed", d,
         s->head_dim ? " (their norm)" : "", USUAL_SEQUENCE,
         s->experts ? ", 2 experts a token" : "");
    return RK_OK;
}

static enum rk_status shape_of(const struct store *store, struct rk_model *model,
                               struct rk_shard_notes *notes, struct rk_error *error)
{
    const struct seen s = look(store);
    if (!store->has_model && store->config.status) {
        *error = store->config;
        return error->status;
    }
    if (!store->has_model) return infer(store, &s, model, notes, error);
    *model = store->model;
    correct_all(model, &s, notes);
    return RK_OK;
}

bool rk_shard_has_weights(const char *folder)
{
    DIR *files = opendir(folder);
    bool found = store_is_shards(folder);
    for (struct dirent *file; files && !found && (file = readdir(files));)
        found = text_ends_in(file->d_name, ".safetensors");
    if (files) closedir(files);
    return found;
}

enum rk_status rk_shard_model(const char *path, struct rk_model *model,
                              struct rk_shard_notes *notes, struct rk_error *error)
{
    struct store store;
    enum rk_status status = store_is_shards(path) ? store_open_shards(path, &store, error)
                                                  : store_open_checkpoint(path, &store, error);
    notes->count = 0;
    if (status == RK_OK) status = shape_of(&store, model, notes, error);
    store_release(&store);
    return status;
}
