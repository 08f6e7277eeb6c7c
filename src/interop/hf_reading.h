/* hf_reading.h - a config.json on its way to a model: what its parts share. */
#ifndef RECKON_INTEROP_HF_READING_H
#define RECKON_INTEROP_HF_READING_H

#include "interop/hf.h"
#include "interop/hf_keys.h"

struct reading {
    struct hf_place at;
    enum hf_type type;
    const struct hf_options *options;
    struct hf_keys keys;
    struct hf_missing missing;
    struct hf_import *import;
    struct rk_error *error;
};

/* What the shape is read from. */
const struct place *hf_model_object(const struct reading *r);

RK_PRINTF(5, 6)
void hf_note_add(struct reading *r, enum hf_note_kind kind, const char *what, const char *value,
                 const char *why, ...);

enum { VALUE = 32 };

const char *hf_count_text(char buffer[static VALUE], uint64_t count);

/* The parts of the model that say which layers are what. Both need the shape's other members. */
enum rk_status hf_set_experts(struct reading *r);
enum rk_status hf_set_window(struct reading *r);

#endif
