/* hf.h - the shape of a model from the config.json of Hugging Face transformers.
 *
 * Such files leave much to the library's code: what a key's absence means, and what every model of
 * a type has. All that is taken from there is noted, as is what the file says and an estimate does
 * not follow. Both spellings of keys are read, of transformers 4 and 5.
 *
 * RK_BAD_INPUT with line and column: a type that is not known, a missing key that the shape needs,
 * a value of the wrong type or range, and a key that the type has not and that would change shape,
 * count or cost. Other unknown keys are no errors, since files are full of them: they are noted.
 */
#ifndef RECKON_HUGGINGFACE_HF_H
#define RECKON_HUGGINGFACE_HF_H

#include "huggingface/hf_types.h"
#include "text/document.h"
#include <reckon/model.h>

enum hf_note_kind {
    HF_ASSUMED, /* not said by the file */
    HF_IGNORED  /* said by the file, but not followed */
};

struct hf_note {
    enum hf_note_kind kind;
    char what[48]; /* the key, of the file or of model files */
    char value[32];
    char why[192];
};

enum { HF_MAX_NOTES = 64 };

struct hf_options {
    int type;          /* read the file as hf_type_names[type], whatever it says; -1: as it says */
    uint64_t sequence; /* tokens of one sample; 0: as the file says */
};

struct hf_import {
    struct rk_model model;
    const char *type;   /* one of hf_type_names */
    char datatype[16];  /* of the stored weights, "bfloat16"; "" when the file does not say */
    int notes, dropped; /* the latter found no room */
    struct hf_note note[HF_MAX_NOTES];
};

/* A file as Python writes it: NaN and Infinity, which JSON has not, are texts. Else document_load.
 */
enum rk_status hf_document_load(const char *path, struct document *document,
                                struct rk_error *error);

/* `id` becomes the model's. `import` is untouched on failure. */
enum rk_status hf_read(const struct document *document, const char *id,
                       const struct hf_options *options, struct hf_import *import,
                       struct rk_error *error);

#endif
