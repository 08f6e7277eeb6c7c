/* hf_find.c - which model a config.json is of: its type, and where the language model stands in it.
 */
#include "base/text.h"
#include "huggingface/hf_reading.h"

#include <ctype.h>
#include <string.h>

static const struct hf_type *type_named(const char *name)
{
    for (const struct hf_type *type = hf_types; type->name; type++)
        if (strcmp(name, type->name) == 0) return type;
    return NULL;
}

/* "LlamaForCausalLM", "GPT2LMHeadModel", "BloomModel" */
static const struct hf_type *type_of_class(const char *name)
{
    static const char *const endings[] = {"For", "Model", "LMHead"};
    for (const struct hf_type *type = hf_types; type->name; type++) {
        const size_t length = strlen(type->architecture);
        if (strncmp(name, type->architecture, length) != 0) continue;
        for (int k = 0; k < 3; k++)
            if (strncmp(name + length, endings[k], strlen(endings[k])) == 0) return type;
    }
    return NULL;
}

static const char *class_name(const struct place *object)
{
    struct place list;
    if (!object->value || !place_member(object, "architectures", &list)) return NULL;
    return json_string_value(json_array_get(list.value, 0));
}

/* What models here do not describe, by the beginning of the type. */
static const struct {
    const char *type, *what;
} undescribed[] = {
#define ROW(...) {__VA_ARGS__},
#include "tables/hf-undescribed.h"
#undef ROW
};

static enum rk_status fail_undescribed(const struct place *place, const char *name,
                                       struct rk_error *error)
{
    for (size_t i = 0; name && i < sizeof undescribed / sizeof *undescribed; i++) {
        const size_t n = strlen(undescribed[i].type);
        if (strncmp(name, undescribed[i].type, n) == 0 &&
            (!name[n] || name[n] == '_' || isdigit((unsigned char)name[n])))
            return place_fail(place, error, "%s models have %s, which models here do not describe",
                              name, undescribed[i].what);
    }
    return RK_OK;
}

static enum rk_status fail_type(const struct place *place, const char *name, struct rk_error *error)
{
    char quoted[TEXT_QUOTE];
    if (!name)
        return place_fail(place, error,
                          "missing key \"model_type\": add it, or give --as TYPE; reckon import hf "
                          "--help lists the types");
    const enum rk_status status = fail_undescribed(place, name, error);
    if (status != RK_OK) return status;
    const char *nearest = text_nearest(name, hf_type_names);
    text_quote(quoted, name, strlen(name));
    return place_fail(place, error,
                      "%s is not known%s%s%s; reckon import hf --help lists the types that are. If "
                      "its layers are made like those of one of them, give --as TYPE",
                      quoted, nearest ? " (did you mean \"" : "", nearest ? nearest : "",
                      nearest ? "\"?)" : "");
}

/* A later class of the same family under the older name: "bailing_moe" of BailingMoeV2ForCausalLM.
 * NULL: the class is that of the type, or another. */
static const struct hf_type *newer_class(const struct reading *r, const struct hf_type *named)
{
    const char *class = class_name(hf_model_object(r));
    const struct hf_type *other = class && named ? type_of_class(class) : NULL;
    const size_t length = named ? strlen(named->architecture) : 0;
    const bool newer = other && strlen(other->architecture) > length &&
                       strncmp(other->architecture, named->architecture, length) == 0;
    return newer ? other : NULL;
}

/* By model_type, unless the class says more; else by the first of the architectures; --as before
 * both. */
enum rk_status hf_find_type(struct reading *r)
{
    const struct place *object = hf_model_object(r);
    struct place said = {.value = NULL};
    char got[PLACE_TEXT];
    const bool there = place_member(object, "model_type", &said) && !json_is_null(said.value);
    if (there && !json_is_string(said.value))
        return place_fail(&said, r->error, "must be a text, got %s", place_describe(got, &said));
    const char *name = there ? json_string_value(said.value) : NULL;
    const struct hf_type *named = name ? type_named(name) : NULL;
    r->type = r->options->type >= 0 ? &hf_types[r->options->type] : named;
    const struct hf_type *newer = r->options->type >= 0 ? NULL : newer_class(r, named);
    if (newer) {
        r->type = newer;
        hf_note_add(r, HF_ASSUMED, "model_type", newer->name, "after architectures[0], %.60s",
                    class_name(object));
    } else if (!r->type) {
        const char *class = class_name(object);
        if (!class && object != &r->at.root) class = class_name(&r->at.root);
        r->type = class ? type_of_class(class) : NULL;
        if (!r->type) return fail_type(there ? &said : object, name, r->error);
        if (name)
            hf_note_add(r, HF_IGNORED, "model_type", name,
                        "not known: read as %.60s, after architectures[0], %.60s", r->type->name,
                        class);
        else
            hf_note_add(r, HF_ASSUMED, "model_type", r->type->name, "after architectures[0], %.60s",
                        class);
    } else if (r->type != named) {
        hf_note_add(r, HF_ASSUMED, "model_type", r->type->name, "by --as");
    }
    r->import->type = r->type->name;
    return RK_OK;
}

/* Models of several senses keep the language model inside. */
enum rk_status hf_find_text(struct reading *r)
{
    enum rk_status status = place_need_object(&r->at.root, r->error);
    if (status != RK_OK) return status;
    static const char *const names[] = {"text_config", "language_config", "llm_config"};
    bool there = false;
    if (place_member(&r->at.root, "thinker_config", &r->at.wrapper) && /* Qwen's Omni models */
        json_is_object(r->at.wrapper.value))
        r->at.outer = &r->at.wrapper;
    const struct place *outer = r->at.outer ? r->at.outer : &r->at.root;
    for (int i = 0; !there && i < 3; i++)
        there = place_member(outer, names[i], &r->at.text) && !json_is_null(r->at.text.value);
    if (!there) {
        r->at.text.value = NULL;
        return RK_OK;
    }
    status = place_need_object(&r->at.text, r->error);
    if (status == RK_OK)
        hf_note_add(r, HF_IGNORED, r->at.text.key, "",
                    "only the language model inside is read and counted, nothing around it");
    return status;
}
