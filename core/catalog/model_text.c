/* model_text.c - a model as a file, by the table of its keys. */
#include "base/stored.h"
#include "catalog/model_fields.h"

#include <string.h>

bool model_field_counts(const struct field *field)
{
    return field->type == FIELD_COUNT || field->type == FIELD_CHOICE || field->type == FIELD_BOOL;
}

uint64_t model_field_value(const struct rk_model *model, const struct field *field)
{
    return stored_get((const char *)model + field->offset, field->type == FIELD_CHOICE ? STORED_INT
                                                           : field->type == FIELD_BOOL
                                                               ? STORED_BOOL
                                                               : STORED_U64);
}

const char *model_field_text(const struct rk_model *model, const struct field *field)
{
    return field->type == FIELD_TEXT && field->size ? (const char *)model + field->offset : NULL;
}

bool model_field_given(const struct rk_model *model, const struct field *field)
{
    const char *text = model_field_text(model, field);
    if (text) return *text != '\0';
    return field->need == FIELD_REQUIRED ||
           model_field_value(model, field) != (uint64_t)field->preset;
}

double model_field_number(const struct rk_model *model, const struct field *field)
{
    return *(const double *)((const char *)model + field->offset);
}

bool model_fields_equal(const struct rk_model *a, const struct rk_model *b,
                        const struct field *field)
{
    const char *text = model_field_text(a, field);
    if (text) return strcmp(text, model_field_text(b, field)) == 0;
    if (field->type == FIELD_NUMBER)
        return model_field_number(a, field) == model_field_number(b, field);
    return !model_field_counts(field) || model_field_value(a, field) == model_field_value(b, field);
}

static json_t *field_json(const struct rk_model *model, const struct field *field)
{
    const char *text = model_field_text(model, field);
    if (text) return json_string(text);
    const uint64_t value = model_field_value(model, field);
    if (field->type == FIELD_CHOICE) return json_string(field->choices[value]);
    if (field->type == FIELD_BOOL) return json_boolean(value);
    return json_integer((json_int_t)value);
}

static json_t *list_json(const char *const *texts, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < count; i++)
        if (json_array_append_new(list, json_string(texts[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static bool put(json_t *root, const char *key, json_t *value)
{
    return json_object_set_new(root, key, value) == 0;
}

static bool fill(json_t *root, const struct rk_model *model, const char *name,
                 const char *description, const json_t *config, const char *const *sources,
                 size_t source_count)
{
    bool good = true;
    if (name) good &= put(root, "name", json_string(name));
    if (description) good &= put(root, "description", json_string(description));
    for (const struct field *field = model_fields; field->key; field++)
        if ((model_field_counts(field) || model_field_text(model, field)) &&
            model_field_given(model, field))
            good &= put(root, field->key, field_json(model, field));
        else if (field->type == FIELD_NUMBER && model_field_number(model, field) != 0)
            good &= put(root, field->key, json_real(model_field_number(model, field)));
    if (config) good &= put(root, "config", json_deep_copy(config));
    if (source_count) good &= put(root, "source", list_json(sources, source_count));
    return good;
}

char *model_text_config(const struct rk_model *model, const char *name, const char *description,
                        const json_t *config, const char *const *sources, size_t source_count)
{
    json_t *root = json_object();
    char *text = NULL;
    if (root && fill(root, model, name, description, config, sources, source_count)) {
        text = json_dumps(root, JSON_INDENT(4) | JSON_REAL_PRECISION(15));
        json_t *back = text ? json_loads(text, 0, NULL) : NULL;
        if (back && !json_equal(root, back)) { /* numbers of 16 digits and more */
            free(text);
            text = json_dumps(root, JSON_INDENT(4) | JSON_REAL_PRECISION(17));
        }
        json_decref(back);
    }
    json_decref(root);
    return text;
}

char *model_text(const struct rk_model *model, const char *name, const char *description,
                 const char *const *sources, size_t source_count)
{
    return model_text_config(model, name, description, NULL, sources, source_count);
}
