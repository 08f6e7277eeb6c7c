/* tokenizers.h - how many tokens the tokenizers know that people name in launch scripts. */
#ifndef RECKON_KEYS_TOKENIZERS_H
#define RECKON_KEYS_TOKENIZERS_H

#include <stdbool.h>
#include <stdint.h>

struct tokenizer {
    const char *name; /* a class of tokenizers, or what names of models and files begin with */
    uint64_t vocabulary;
    const char *text;   /* the same as text */
    const char *source; /* "Qwen/Qwen3-8B, tokenizer.json: 151643 and 26 added" */
};

/* "GPT2BPETokenizer": the types of --tokenizer-type; NULL: the type does not tell. */
const struct tokenizer *tokenizer_of_type(const char *type);

/* Does Pai-Megatron-Patch take this type's length as it is, with --extra-vocab-size and without
 * padding? [megatron_patch/tokenizer/__init__.py] */
bool tokenizer_is_whole(const char *type);

/* "meta-llama/Llama-2-7b-hf", "data/gpt2-vocab.json": the longest name that a folder or file of
 * the path begins with, whatever its case; NULL: none is known. */
const struct tokenizer *tokenizer_of_name(const char *path);

#endif
