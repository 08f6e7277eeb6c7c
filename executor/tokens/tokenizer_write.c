/* A tokenizer as a tokenizer.json. What no memory was left for is NULL, and makes json_pack fail.
 */
#include "tokens/tokenizer.h"
#include "tokens/unicode.h"

#include <jansson.h>
#include <stdlib.h>

/* A token in GPT-2's letters; NULL: no memory. */
static char *letters_of(const char *bytes, size_t size)
{
    char *text = malloc(4 * size + 1), *end = text;
    for (size_t i = 0; text && i < size; i++)
        end += unicode_put(end, byte_letter((unsigned char)bytes[i]));
    if (text) *end = '\0';
    return text;
}

static char *letters_of_token(const struct bpe *bpe, uint32_t id)
{
    return letters_of(bpe->text.data + bpe->from[id], bpe->length[id]);
}

static json_t *write_vocabulary(const struct tokenizer *t)
{
    json_t *vocabulary = json_object();
    for (uint32_t id = 0; vocabulary && id < t->bpe.count; id++) {
        if (!t->bpe.length[id]) continue;
        char *text = letters_of_token(&t->bpe, id);
        if (!text || json_object_set_new(vocabulary, text, json_integer(id)) != 0) {
            json_decref(vocabulary);
            vocabulary = NULL;
        }
        free(text);
    }
    return vocabulary;
}

static json_t *write_merges(const struct tokenizer *t)
{
    json_t *merges = json_array();
    for (uint32_t i = 0; merges && i < t->bpe.merges; i++) {
        char *left = letters_of_token(&t->bpe, t->bpe.merge[i].left);
        char *right = letters_of_token(&t->bpe, t->bpe.merge[i].right);
        if (!left || !right || json_array_append_new(merges, json_pack("[ss]", left, right)) != 0) {
            json_decref(merges);
            merges = NULL;
        }
        free(left);
        free(right);
    }
    return merges;
}

static json_t *write_added(const struct tokenizer *t)
{
    json_t *list = json_array();
    for (uint32_t id = 0; list && id < t->ids; id++)
        for (size_t i = 0; i < t->addeds; i++)
            if (t->added[i].id == id)
                json_array_append_new(list, json_pack("{si ss sb sb sb sb sb}", "id", (int)id,
                                                      "content", t->added[i].text, "single_word", 0,
                                                      "lstrip", 0, "rstrip", 0, "normalized", 0,
                                                      "special", (int)t->added[i].special));
    return list;
}

static json_t *write_byte_level(bool regex)
{
    return json_pack("{ss sb sb sb}", "type", "ByteLevel", "add_prefix_space", 0, "trim_offsets", 1,
                     "use_regex", (int)regex);
}

static json_t *write_pre_tokenizer(const struct tokenizer *t)
{
    const struct cut_facts *f = &cut_facts[t->cut];
    if (!f->split) return write_byte_level(f->byte_level);
    return json_pack("{ss s[{ss s{ss} ss sb} o]}", "type", "Sequence", "pretokenizers", "type",
                     "Split", "pattern", "Regex", f->split, "behavior", "Isolated", "invert", 0,
                     write_byte_level(f->byte_level));
}

static json_t *write_normalizer(const struct tokenizer *t)
{
    if (cut_facts[t->cut].marks) return json_pack("{ss}", "type", NORMALIZER_CASE);
    return t->nfc ? json_pack("{ss}", "type", "NFC") : json_null();
}

static json_t *write_model(const struct tokenizer *t)
{
    return json_pack("{ss sn sn sn sn sb sb sb so so}", "type", "BPE", "dropout", "unk_token",
                     "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", 0,
                     "byte_fallback", 0, "ignore_merges", (int)t->bpe.whole_pieces, "vocab",
                     write_vocabulary(t), "merges", write_merges(t));
}

enum rk_status tokenizer_write(FILE *file, const struct tokenizer *t, struct rk_error *error)
{
    json_t *root = json_pack(
        "{ss sn sn so so so sn so so}", "version", "1.0", "truncation", "padding", "added_tokens",
        write_added(t), "normalizer", write_normalizer(t), "pre_tokenizer", write_pre_tokenizer(t),
        "post_processor", "decoder", write_byte_level(true), "model", write_model(t));
    const bool done = root && json_dumpf(root, file, JSON_INDENT(1)) == 0;
    json_decref(root);
    if (!done || fputc('\n', file) == EOF)
        return rk_fail(error, RK_IO, NULL, 0, 0, "cannot write the tokenizer");
    return RK_OK;
}
