/* model.c - model files, reckon-model(5). */
#include "catalog/catalog.h"
#include "catalog/model_fields.h"
#include "catalog/readers.h"

#include <stdio.h>
#include <string.h>

static const char *const attentions[] = {
    [RK_ATTENTION_MULTIHEAD] = "multihead", [RK_ATTENTION_MULTIQUERY] = "multiquery", NULL};
static const char *const positions[] = {[RK_POSITION_LEARNED] = "learned",
                                        [RK_POSITION_ROPE] = "rope",
                                        [RK_POSITION_ALIBI] = "alibi",
                                        [RK_POSITION_RELATIVE] = "relative",
                                        NULL};
static const char *const activations[] = {[RK_GELU] = "gelu",
                                          [RK_SILU] = "silu",
                                          [RK_SQUARED_RELU] = "squared_relu",
                                          [RK_RELU] = "relu",
                                          NULL};
static const char *const norms[] = {[RK_LAYER_NORM] = "layernorm", [RK_RMS_NORM] = "rmsnorm", NULL};

/* No dimension is as large as this; it keeps every product below 2^53 * 2^53. */
#define DIMENSION  .min = 1, .max = 1e9
#define FROM_ZERO  .max = 1e9
#define AT(member) .offset = offsetof(struct rk_model, member)

/* clang-format off */
const struct field model_fields[] = {
    { "name",             FIELD_TEXT,   .help = "what people call it" },
    { "description",      FIELD_TEXT,   .help = "a sentence or two" },
    { "layers",           FIELD_COUNT,  FIELD_REQUIRED, AT(layers),      DIMENSION, .help = "transformer blocks" },
    { "hidden",           FIELD_COUNT,  FIELD_REQUIRED, AT(hidden),      DIMENSION, .help = "width of the residual stream" },
    { "feedforward",      FIELD_COUNT,  FIELD_REQUIRED, AT(feedforward), DIMENSION, .help = "width inside the MLP" },
    { "heads",            FIELD_COUNT,  FIELD_REQUIRED, AT(heads),       DIMENSION, .help = "attention heads" },
    { "head_dim",         FIELD_COUNT,  FIELD_OPTIONAL, AT(head_dim),    DIMENSION, .help = "width of one head; default hidden / heads" },
    { "sequence",         FIELD_COUNT,  FIELD_REQUIRED, AT(sequence),    DIMENSION, .help = "tokens of one sample" },
    { "vocabulary",       FIELD_COUNT,  FIELD_OPTIONAL, AT(vocabulary),  FROM_ZERO, .help = "entries of the embedding table; 0: not known" },
    { "attention",        FIELD_CHOICE, FIELD_OPTIONAL, AT(attention),        .choices = attentions, .help = "keys and values per head, or one for all heads" },
    { "kv_heads",         FIELD_COUNT,  FIELD_OPTIONAL, AT(kv_heads),    DIMENSION, .help = "key and value heads, each shared by a group of heads" },
    { "position",         FIELD_CHOICE, FIELD_OPTIONAL, AT(position),         .choices = positions, .help = "how positions are told apart" },
    { "norm",             FIELD_CHOICE, FIELD_OPTIONAL, AT(norm),             .choices = norms, .help = "kind of all norms" },
    { "block_norms",      FIELD_COUNT,  FIELD_OPTIONAL, AT(block_norms), .min = 1, .max = 2, .help = "norms of a block; default two" },
    { "parallel_block",   FIELD_BOOL,   FIELD_OPTIONAL, AT(parallel_block),   .help = "attention and MLP read the same input" },
    { "gated_mlp",        FIELD_BOOL,   FIELD_OPTIONAL, AT(gated_mlp),        .help = "a gate beside the MLP's first matrix" },
    { "activation",       FIELD_CHOICE, FIELD_OPTIONAL, AT(activation),       .choices = activations, .help = "between the MLP's matrices, or of its gate" },
    { "tied_embeddings",  FIELD_BOOL,   FIELD_OPTIONAL, AT(tied_embeddings),  .preset = true, .help = "the head shares the embedding's weights" },
    { "biases",           FIELD_BOOL,   FIELD_OPTIONAL, AT(biases),           .preset = true, .help = "linear layers have biases" },
    { "qkv_biases",       FIELD_BOOL,   FIELD_OPTIONAL, AT(qkv_biases),       .help = "query, key and value have biases even so" },
    { "qk_norm",          FIELD_BOOL,   FIELD_OPTIONAL, AT(qk_norm),          .help = "norms on the heads of query and key" },
    { "embedding_norm",   FIELD_BOOL,   FIELD_OPTIONAL, AT(embedding_norm),   .help = "a norm behind the embedding" },
    { "no_dropout",       FIELD_BOOL,   FIELD_OPTIONAL, AT(no_dropout),       .help = "trained without dropout" },
    { "flash_attention",  FIELD_BOOL,   FIELD_OPTIONAL, AT(flash_attention),  .help = "attention scores are never written to memory" },
    { "causal_skip",      FIELD_BOOL,   FIELD_OPTIONAL, AT(causal_skip),      .help = "flash attention leaves out what the causal mask hides" },
    { "window",           FIELD_COUNT,  FIELD_OPTIONAL, AT(window),       FROM_ZERO, .help = "tokens that a token of a local layer sees; 0: no local layers" },
    { "window_every",     FIELD_COUNT,  FIELD_OPTIONAL, AT(window_every), FROM_ZERO, .help = "every so many-th layer sees all tokens; 0: all are local" },
    { "experts",            FIELD_COUNT, FIELD_OPTIONAL, AT(experts),            FROM_ZERO, .help = "routed experts of a layer; 0: dense" },
    { "active_experts",     FIELD_COUNT, FIELD_OPTIONAL, AT(active_experts),     DIMENSION, .help = "routed experts that a token goes to" },
    { "shared_experts",     FIELD_COUNT, FIELD_OPTIONAL, AT(shared_experts),     FROM_ZERO, .help = "experts that every token goes through" },
    { "expert_feedforward", FIELD_COUNT, FIELD_OPTIONAL, AT(expert_feedforward), DIMENSION, .help = "width inside an expert; default feedforward" },
    { "dense_layers",       FIELD_COUNT, FIELD_OPTIONAL, AT(dense_layers),       FROM_ZERO, .help = "layers, the first ones, with a dense MLP" },
    { "expert_every",       FIELD_COUNT, FIELD_OPTIONAL, AT(expert_every),       FROM_ZERO, .help = "behind those every so many-th is a mixture; 0: each" },
    { "expert_hidden",      FIELD_COUNT, FIELD_OPTIONAL, AT(expert_hidden),      FROM_ZERO, .help = "width of tokens on their way to the experts; 0: hidden" },
    { "router_biases",      FIELD_BOOL,  FIELD_OPTIONAL, AT(router_biases),      .help = "one value an expert to balance them by" },
    { "q_rank",           FIELD_COUNT,  FIELD_OPTIONAL, AT(q_rank),      FROM_ZERO, .help = "width of the latent query; 0: queries are not compressed" },
    { "kv_rank",          FIELD_COUNT,  FIELD_OPTIONAL, AT(kv_rank),     FROM_ZERO, .help = "width of the latent key and value; 0: no latent attention" },
    { "rope_dim",         FIELD_COUNT,  FIELD_OPTIONAL, AT(rope_dim),    FROM_ZERO, .help = "part of a latent head with position" },
    { "value_dim",        FIELD_COUNT,  FIELD_OPTIONAL, AT(value_dim),   DIMENSION, .help = "width of a latent value head" },
    { "predict_layers",   FIELD_COUNT,  FIELD_OPTIONAL, AT(predict_layers),   .max = 64, .help = "layers for multi-token prediction, outside the parameter count" },
    { "count_embeddings", FIELD_BOOL,   FIELD_OPTIONAL, AT(count_embeddings), .preset = true, .help = "the parameter count includes the embeddings" },
    { "source",           FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};
/* clang-format on */

/* What a file leaves out follows from the rest. */
static enum rk_status complete(const struct place *root, struct rk_model *model,
                               struct rk_error *error)
{
    if (model->experts && !model->expert_feedforward)
        model->expert_feedforward = model->feedforward;
    if (model->head_dim) return RK_OK;
    if (model->kv_rank)
        return place_fail(root, error,
                          "missing key \"head_dim\" (with kv_rank, the part of a head without "
                          "position): add it");
    if (model->hidden % model->heads)
        return place_fail(root, error,
                          "hidden %llu is not divisible by heads %llu: give \"head_dim\"",
                          (unsigned long long)model->hidden, (unsigned long long)model->heads);
    model->head_dim = model->hidden / model->heads;
    return RK_OK;
}

/* Keys that contradict each other. */
static enum rk_status check_rules(const struct place *root, const struct rk_model *m,
                                  struct rk_error *error)
{
    const bool mixture = m->experts > 0, latent = m->kv_rank > 0;
    const bool multiquery = m->attention == RK_ATTENTION_MULTIQUERY;
    const bool of_mixture = m->active_experts || m->shared_experts || m->expert_feedforward ||
                            m->dense_layers || m->router_biases || m->expert_every ||
                            m->expert_hidden;
    const struct {
        bool broken;
        const char *key, *text;
    } rules[] = {
        {m->kv_heads && m->heads % m->kv_heads, "kv_heads", "must divide heads"},
        {multiquery && m->kv_heads > 1, "kv_heads", "must be 1 for multiquery attention"},
        {m->block_norms == 1 && !m->parallel_block, "block_norms",
         "must be 2 unless parallel_block is true"},
        {m->causal_skip && !m->flash_attention, "causal_skip", "needs flash_attention"},
        {mixture && !m->active_experts, "experts",
         "needs active_experts: how many a token goes to"},
        {!mixture && of_mixture, "experts", "missing, but other keys speak of experts: add it"},
        {mixture && m->active_experts > m->experts, "active_experts", "must be at most experts"},
        {mixture && m->dense_layers >= m->layers, "dense_layers", "must be less than layers"},
        {mixture && m->expert_every > m->layers - m->dense_layers, "expert_every",
         "leaves no layer with experts: must be at most layers - dense_layers"},
        {m->expert_hidden > m->hidden, "expert_hidden", "must be at most hidden"},
        {m->window_every == 1, "window_every",
         "leaves no local layer: must be 0 or at least 2, or leave window out"},
        {m->window_every && !m->window, "window_every", "needs window: what local layers see"},
        {latent && !(m->rope_dim && m->value_dim), "kv_rank", "needs rope_dim and value_dim"},
        {latent && (m->kv_heads || multiquery), "kv_rank",
         "latent attention has no kv_heads: leave them out"},
        {latent && (m->qk_norm || m->qkv_biases), "kv_rank",
         "latent attention has norms of its own and no qkv_biases: leave qk_norm and these out"},
        {!latent && (m->q_rank || m->rope_dim || m->value_dim), "kv_rank",
         "missing, but other keys speak of latent attention: add it"},
    };
    for (unsigned i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct place member;
        if (!rules[i].broken) continue;
        if (place_member(root, rules[i].key, &member))
            return place_fail(&member, error, "%s", rules[i].text);
        return place_fail(root, error, "%s: %s", rules[i].key, rules[i].text);
    }
    return RK_OK;
}

/* The counts that are made of products must stay exact in a double. Doubles tell: they do not
 * wrap around. */
static enum rk_status check_products(const struct place *root, const struct rk_model *model,
                                     struct rk_error *error)
{
    const double h = (double)model->hidden, s = (double)model->sequence;
    const double wide = (double)model->feedforward * (model->gated_mlp ? 2 : 1);
    const struct {
        const char *what;
        double value;
    } products[] = {
        {"parameters", (double)rk_model_parameters(model)},
        {"tokens times width of a sample", s * (h > wide ? h : wide)},
        {"attention scores of a sample", (double)model->heads * s * s},
    };
    for (unsigned i = 0; i < sizeof products / sizeof products[0]; i++)
        if (products[i].value > 0x1p53)
            return place_fail(root, error, "%.3g %s: more than 2^53, check the dimensions",
                              products[i].value, products[i].what);
    return RK_OK;
}

enum rk_status model_check(const struct place *root, struct rk_model *model, struct rk_error *error)
{
    enum rk_status status = complete(root, model, error);
    if (status == RK_OK) status = check_rules(root, model, error);
    if (status == RK_OK) status = check_products(root, model, error);
    return status;
}

enum rk_status model_read(const struct document *document, const char *id, struct rk_model *model,
                          struct rk_error *error)
{
    const struct place root = place_root(document);
    struct rk_model read = {0};
    enum rk_status status = fields_load(&root, model_fields, &read, error);
    if (status == RK_OK) status = model_check(&root, &read, error);
    if (status != RK_OK) return status;
    snprintf(read.id, sizeof read.id, "%s", id);
    *model = read;
    return RK_OK;
}

enum rk_status rk_model_load(const char *name, struct rk_model *model, struct rk_error *error)
{
    struct document document = {0};
    char id[sizeof model->id];
    enum rk_status status = catalog_open(CATALOG_MODELS, name, &document, id, sizeof id, error);
    if (status == RK_OK) status = model_read(&document, id, model, error);
    document_release(&document);
    return status;
}
