/* model.c - model files, reckon-model(5). */
#include "catalog/catalog.h"
#include "catalog/fields.h"
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

/* No dimension is as large as this; it keeps every product below 2^53 * 2^53. */
#define DIMENSION  .min = 1, .max = 1e9
#define AT(member) .offset = offsetof(struct rk_model, member)

/* clang-format off */
static const struct field fields[] = {
    { "name",             FIELD_TEXT,   .help = "what people call it" },
    { "description",      FIELD_TEXT,   .help = "a sentence or two" },
    { "layers",           FIELD_COUNT,  FIELD_REQUIRED, AT(layers),      DIMENSION, .help = "transformer blocks" },
    { "hidden",           FIELD_COUNT,  FIELD_REQUIRED, AT(hidden),      DIMENSION, .help = "width of the residual stream" },
    { "feedforward",      FIELD_COUNT,  FIELD_REQUIRED, AT(feedforward), DIMENSION, .help = "width inside the MLP" },
    { "heads",            FIELD_COUNT,  FIELD_REQUIRED, AT(heads),       DIMENSION, .help = "attention heads" },
    { "head_dim",         FIELD_COUNT,  FIELD_OPTIONAL, AT(head_dim),    DIMENSION, .help = "width of one head; default hidden / heads" },
    { "sequence",         FIELD_COUNT,  FIELD_REQUIRED, AT(sequence),    DIMENSION, .help = "tokens of one sample" },
    { "vocabulary",       FIELD_COUNT,  FIELD_OPTIONAL, AT(vocabulary),  .max = 1e9, .help = "entries of the embedding table; 0: not known" },
    { "attention",        FIELD_CHOICE, FIELD_OPTIONAL, AT(attention),        .choices = attentions, .help = "keys and values per head, or one for all heads" },
    { "position",         FIELD_CHOICE, FIELD_OPTIONAL, AT(position),         .choices = positions, .help = "how positions are told apart" },
    { "tied_embeddings",  FIELD_BOOL,   FIELD_OPTIONAL, AT(tied_embeddings),  .preset = true, .help = "the head shares the embedding's weights" },
    { "biases",           FIELD_BOOL,   FIELD_OPTIONAL, AT(biases),           .preset = true, .help = "linear layers have biases" },
    { "embedding_norm",   FIELD_BOOL,   FIELD_OPTIONAL, AT(embedding_norm),   .help = "a LayerNorm behind the embedding" },
    { "count_embeddings", FIELD_BOOL,   FIELD_OPTIONAL, AT(count_embeddings), .preset = true, .help = "the parameter count includes the embeddings" },
    { "source",           FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};
/* clang-format on */

static enum rk_status check_heads(const struct place *root, struct rk_model *model,
                                  struct rk_error *error)
{
    if (model->head_dim) return RK_OK;
    if (model->hidden % model->heads)
        return place_fail(root, error,
                          "hidden %llu is not divisible by heads %llu: give \"head_dim\"",
                          (unsigned long long)model->hidden, (unsigned long long)model->heads);
    model->head_dim = model->hidden / model->heads;
    return RK_OK;
}

/* The counts that are made of products must stay exact in a double. Doubles tell: they do not
 * wrap around. */
static enum rk_status check_products(const struct place *root, const struct rk_model *model,
                                     struct rk_error *error)
{
    const double h = (double)model->hidden, f = (double)model->feedforward;
    const double queries = (double)model->heads * (double)model->head_dim;
    const double block = 4 * h * queries + 2 * h * f + 3 * queries + f + 6 * h;
    const double embeddings = h * (2 * (double)model->vocabulary + (double)model->sequence);
    const struct {
        const char *what;
        double value;
    } products[] = {
        {"parameters", (double)model->layers * block + embeddings + 4 * h},
        {"tokens times width of a sample", (double)model->sequence * (h > f ? h : f)},
        {"attention scores of a sample",
         (double)model->heads * (double)model->sequence * (double)model->sequence},
    };
    for (unsigned i = 0; i < sizeof products / sizeof products[0]; i++)
        if (products[i].value > 0x1p53)
            return place_fail(root, error, "%.3g %s: more than 2^53, check the dimensions",
                              products[i].value, products[i].what);
    return RK_OK;
}

enum rk_status model_read(const struct document *document, const char *id, struct rk_model *model,
                          struct rk_error *error)
{
    const struct place root = place_root(document);
    struct rk_model read = {0};
    enum rk_status status = fields_load(&root, fields, &read, error);
    if (status == RK_OK) status = check_heads(&root, &read, error);
    if (status == RK_OK) status = check_products(&root, &read, error);
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
