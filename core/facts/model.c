/* model.c - the model of a row: a catalog entry that a rule names, under what the columns say. */
#include "catalog/catalog.h"
#include "catalog/model_fields.h"
#include "catalog/readers.h"
#include "facts/fact.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *column, *key;
} columns[] = {
    {"layers",    "layers"},
    {"hidden",    "hidden"},
    {"ffn",       "feedforward"},
    {"heads",     "heads"},
    {"kv_heads",  "kv_heads"},
    {"seq",       "sequence"},
    {"vocab",     "vocabulary"},
    {"gated_mlp", "gated_mlp"},
    {"experts",   "experts"},
    {"topk",      "active_experts"},
    {"moe_ffn",   "expert_feedforward"},
};
/* clang-format on */

static const struct field *field_of(const char *key)
{
    for (const struct field *f = model_fields; f->key; f++)
        if (strcmp(f->key, key) == 0) return f;
    return NULL;
}

static json_t *value_of(const struct field *field, const char *text)
{
    char *end;
    if (field->type == FIELD_BOOL) {
        if (strcmp(text, "1") == 0 || strcmp(text, "true") == 0) return json_true();
        if (strcmp(text, "0") == 0 || strcmp(text, "false") == 0) return json_false();
    }
    if (field->type == FIELD_COUNT) {
        const long long number = strtoll(text, &end, 10);
        if (end != text && !*end) return json_integer(number);
    }
    return json_string(text);
}

static bool put(json_t *root, struct fact *fact, const char *key, const char *text)
{
    const struct field *field = field_of(key);
    if (!field) return fact_fail(fact, "a rule sets model.%.40s, which no model has", key);
    json_object_set_new(root, key, value_of(field, text));
    return true;
}

/* The entry that the cell "model" names, or an empty object. */
static json_t *base_of(const struct row *row, struct fact *fact)
{
    struct document document = {0};
    struct rk_error error;
    char id[FACT_TEXT];
    const char *name = row_get(row, "model");
    if (!name[0]) return json_object();
    if (catalog_open(CATALOG_MODELS, name, &document, id, sizeof id, &error) != RK_OK) {
        fact_fail(fact, "%.200s", error.text);
        return NULL;
    }
    json_t *copy = json_copy(document.root);
    document_release(&document);
    return copy;
}

static bool fill(const struct row *row, struct fact *fact, json_t *root)
{
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const char *text = row_get(row, columns[i].column);
        if (text[0] && !put(root, fact, columns[i].key, text)) return false;
    }
    for (int i = 0; i < row->count; i++) {
        const char *name = row->cell[i].name;
        if (strncmp(name, "model.", 6) != 0 || !row_get(row, name)[0]) continue;
        if (!put(root, fact, name + 6, row_get(row, name))) return false;
    }
    return true;
}

/* The column ffn is the width of an expert where all layers are mixtures. */
static void settle(const struct row *row, json_t *root)
{
    const bool mixture = json_integer_value(json_object_get(root, "experts")) > 0;
    if (mixture && row_get(row, "ffn")[0] && !row_get(row, "moe_ffn")[0])
        json_object_set(root, "expert_feedforward", json_object_get(root, "feedforward"));
    const char *dense = row_get(row, "dense_ffn");
    if (mixture && dense[0]) json_object_set_new(root, "feedforward", json_integer(atoll(dense)));
    if (!mixture) {
        static const char *const keys[] = {"active_experts", "shared_experts", "expert_feedforward",
                                           "dense_layers",   "router_biases",  "experts"};
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            json_object_del(root, keys[i]);
    }
    if (json_integer_value(json_object_get(root, "kv_rank")) > 0) json_object_del(root, "kv_heads");
    json_object_del(root, "name");
    json_object_del(root, "description");
}

static bool required(const json_t *root, struct fact *fact, const struct row *row)
{
    for (const struct field *f = model_fields; f->key; f++)
        if (f->need == FIELD_REQUIRED && !json_object_get(root, f->key))
            return fact_fail(
                fact, "the row gives no %s, and the shape of \"%.60s\" is not in the catalog",
                f->key, row_get(row, "model_name"));
    return true;
}

bool fact_model(const struct row *row, struct fact *fact)
{
    json_t *root = base_of(row, fact);
    if (!root) return false;
    bool fine = fill(row, fact, root);
    if (fine) settle(row, root);
    fine = fine && required(root, fact, row);
    char *text = fine ? json_dumps(root, 0) : NULL;
    json_decref(root);
    if (!text) return false;
    struct document document = {0};
    struct rk_error error;
    fine = document_parse("model", text, strlen(text), &document, &error) == RK_OK &&
           model_read(&document, fact->id, &fact->model, &error) == RK_OK;
    free(text);
    document_release(&document);
    return fine || fact_fail(fact, "model: %.200s", error.text);
}
