/* hf_import.h - what is asked of a config.json, and what it says. */
#ifndef RECKON_HUGGINGFACE_HF_IMPORT_H
#define RECKON_HUGGINGFACE_HF_IMPORT_H

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

#endif
