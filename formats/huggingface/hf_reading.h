/* hf_reading.h - a config.json on its way to a model: what its parts share. */
#ifndef RECKON_HUGGINGFACE_HF_READING_H
#define RECKON_HUGGINGFACE_HF_READING_H

#include "huggingface/hf_import.h"
#include "huggingface/hf_keys.h"

struct reading {
    struct hf_place at;
    const struct hf_type *type;
    const struct hf_options *options;
    struct hf_keys keys;
    struct hf_missing missing;
    char unknown[1600]; /* keys that nobody knows */
    struct hf_import *import;
    struct rk_error *error;
};

/* What the shape is read from. */
const struct place *hf_model_object(const struct reading *r);

/* A member of it, missing and null being the same; the place of the object when it is missing. */
bool hf_member(const struct reading *r, const char *key, struct place *found);

RK_PRINTF(5, 6)
void hf_note_add(struct reading *r, enum hf_note_kind kind, const char *what, const char *value,
                 const char *why, ...);

enum { VALUE = 32 };

const char *hf_count_text(char buffer[static VALUE], uint64_t count);

/* The language model within wrappers, r->at.text; then the type, r->type. */
enum rk_status hf_find_text(struct reading *r);
enum rk_status hf_find_type(struct reading *r);

/* What the file says and no estimate follows, once the model is made. */
enum rk_status hf_note_ignored(struct reading *r);

/* What mixes the tokens of each layer, and the MLP of each: the model's mixers, mlps, window and
 * short forms. Needs the shape's other members. */
enum rk_status hf_set_pattern(struct reading *r);

#endif
