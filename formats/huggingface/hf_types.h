/* hf_types.h - the model types of Hugging Face transformers: a row each. */
#ifndef RECKON_HUGGINGFACE_HF_TYPES_H
#define RECKON_HUGGINGFACE_HF_TYPES_H

struct hf_type {
    const char *name;         /* model_type */
    const char *architecture; /* begins its class names */
    const char *keys;  /* words: a key of hf-keys.csv that its files have; "key!" is needed, "key=V"
                          is  V where it is missing; the last word about a key holds */
    const char *facts; /* words: "key=value" of model files, which no key of its files says */
};

/* Ended by a row without a name. */
extern const struct hf_type hf_types[];

/* Their names, in the same order, ended by NULL. */
extern const char *const hf_type_names[];

#endif
