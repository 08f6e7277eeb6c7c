/* A tokenizer.json of Hugging Face's tokenizers. */
#include "base/limits.h"
#include "base/memory.h"
#include "base/text.h"
#include "text/document.h"
#include "tokens/tokenizer.h"
#include "tokens/unicode.h"

#include <string.h>

struct reading {
    struct tokenizer *t;
    struct place root;
    struct rk_error *error;
};

/* ---- small things ---- */

/* "" when it is no string. */
static const char *text_of(const struct place *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object->value, key));
    return text ? text : "";
}

/* A member that is there and neither null, false, "" nor 0. */
static bool is_set(const struct place *object, const char *key, struct place *member)
{
    if (!place_member(object, key, member)) return false;
    const json_t *v = member->value;
    return !(json_is_null(v) || json_is_false(v) ||
             (json_is_string(v) && json_string_length(v) == 0) ||
             (json_is_number(v) && json_number_value(v) == 0));
}

static enum rk_status refuse_set(const struct place *object, const char *const *keys,
                                 struct rk_error *error)
{
    struct place member;
    for (; *keys; keys++)
        if (is_set(object, *keys, &member))
            return place_fail(&member, error, "is not supported: byte-level BPE without it only");
    return RK_OK;
}

static enum rk_status need(const struct place *object, const char *key, json_type type,
                           struct place *member, struct rk_error *error)
{
    static const char *const names[] = {"an object", "an array", "a string", "an integer"};
    if (!place_member(object, key, member))
        return place_fail(object, error, "has no \"%s\": is this a tokenizer.json?", key);
    if (json_typeof(member->value) != type)
        return place_fail(member, error, "must be %s", names[type]);
    return RK_OK;
}

/* ---- tokens ---- */

/* From GPT-2's letters to bytes, in place of the text; -1 where a letter stands for no byte. */
static long letters_to_bytes(const char *text, size_t size, char *bytes)
{
    long count = 0;
    for (size_t at = 0; at < size;) {
        const struct character c = unicode_at(text + at, size - at);
        const int byte = c.code > UNICODE_LAST ? -1 : letter_byte(c.code);
        if (byte < 0) return -1;
        bytes[count++] = (char)byte;
        at += c.size;
    }
    return count;
}

static enum rk_status check_id(const struct place *place, struct rk_error *error)
{
    const json_int_t id = json_integer_value(place->value);
    if (!json_is_integer(place->value) || id < 0 || id >= MOST_TOKEN_IDS)
        return place_fail(place, error, "must be an id from 0 to %d", MOST_TOKEN_IDS - 1);
    return RK_OK;
}

static enum rk_status largest_id(const struct place *vocabulary, uint32_t *count,
                                 struct rk_error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach(vocabulary->value, key, value)
    {
        const struct place place = {vocabulary->document, vocabulary, key, 0, value};
        const enum rk_status status = check_id(&place, error);
        if (status != RK_OK) return status;
        if (json_integer_value(value) >= *count) *count = (uint32_t)json_integer_value(value) + 1;
    }
    return RK_OK;
}

static enum rk_status read_token(struct bpe *bpe, const struct place *place, const char *key,
                                 size_t size, struct rk_error *error)
{
    char bytes[MOST_TOKEN_BYTES], quoted[TEXT_QUOTE];
    const uint32_t id = (uint32_t)json_integer_value(place->value);
    const long count = size < sizeof bytes ? letters_to_bytes(key, size, bytes) : -1;
    if (count <= 0)
        return place_fail_key(
            place, error,
            "%s is not a byte-level token: each byte is written as the letter that "
            "GPT-2 gives it, a blank as U+0120",
            text_quote(quoted, key, size));
    if (bpe->length[id])
        return place_fail(place, error, "two tokens have the id %u: give each its own", id);
    return bpe_set_token(bpe, id, bytes, (size_t)count) ? RK_OK : no_memory(error);
}

static enum rk_status read_vocabulary(struct reading *r, const struct place *model, uint32_t merges)
{
    struct place vocabulary;
    const char *key;
    size_t size;
    json_t *value;
    uint32_t count = 0;
    enum rk_status status = need(model, "vocab", JSON_OBJECT, &vocabulary, r->error);
    if (status == RK_OK) status = largest_id(&vocabulary, &count, r->error);
    if (status != RK_OK) return status;
    if (!bpe_reserve(&r->t->bpe, count, merges)) return no_memory(r->error);
    json_object_keylen_foreach(vocabulary.value, key, size, value)
    {
        const struct place place = {vocabulary.document, &vocabulary, key, 0, value};
        status = read_token(&r->t->bpe, &place, key, size, r->error);
        if (status != RK_OK) return status;
    }
    bpe_index_tokens(&r->t->bpe);
    for (int byte = 0; byte < 256; byte++)
        if (r->t->bpe.byte[byte] == BPE_NONE)
            return place_fail(&vocabulary, r->error,
                              "has no token for the byte 0x%02x: byte-level BPE needs all 256",
                              byte);
    return RK_OK;
}

/* ---- merges ---- */

/* "a b", or ["a", "b"]. */
static bool split_merge(const json_t *value, const char *part[2], size_t size[2])
{
    if (json_is_string(value)) {
        const char *text = json_string_value(value), *space = strchr(text, ' ');
        if (!space || strchr(space + 1, ' ')) return false;
        part[0] = text;
        size[0] = (size_t)(space - text);
        part[1] = space + 1;
        size[1] = strlen(part[1]);
        return true;
    }
    if (!json_is_array(value) || json_array_size(value) != 2) return false;
    for (size_t i = 0; i < 2; i++) {
        const json_t *text = json_array_get(value, i);
        if (!json_is_string(text)) return false;
        part[i] = json_string_value(text);
        size[i] = json_string_length(text);
    }
    return true;
}

/* The token of these bytes, which the file writes as `text`. */
static enum rk_status find_part(const struct bpe *bpe, const struct place *place, const char *text,
                                size_t text_size, const char *bytes, long size, uint32_t *id,
                                struct rk_error *error)
{
    char quoted[TEXT_QUOTE];
    *id = size > 0 ? bpe_token(bpe, bytes, (size_t)size) : BPE_NONE;
    if (*id != BPE_NONE) return RK_OK;
    return place_fail(
        place, error,
        "contradicts the vocabulary, which has no %s: do both come from one training?",
        text_quote(quoted, text, text_size));
}

static enum rk_status read_merge(struct bpe *bpe, const struct place *place, struct rk_error *error)
{
    const char *part[2];
    size_t size[2];
    char bytes[MOST_TOKEN_BYTES], text[MOST_TOKEN_BYTES];
    struct bpe_merge merge;
    if (!split_merge(place->value, part, size) || size[0] + size[1] >= sizeof text)
        return place_fail(place, error, "must be two tokens, \"a b\" or [\"a\", \"b\"]");
    memcpy(text, part[0], size[0]);
    memcpy(text + size[0], part[1], size[1]);
    const long left = letters_to_bytes(text, size[0], bytes), gap = left > 0 ? left : 0;
    const long right = letters_to_bytes(text + size[0], size[1], bytes + gap);
    enum rk_status status = find_part(bpe, place, text, size[0], bytes, left, &merge.left, error);
    if (status == RK_OK)
        status = find_part(bpe, place, part[1], size[1], bytes + gap, right, &merge.right, error);
    if (status == RK_OK)
        status = find_part(bpe, place, text, size[0] + size[1], bytes, left + right, &merge.result,
                           error);
    if (status != RK_OK) return status;
    const uint32_t earlier = bpe_add_merge(bpe, merge);
    if (earlier == BPE_NONE) return RK_OK;
    return place_fail(place, error, "repeats merges[%u]: which of the two ranks counts?", earlier);
}

static enum rk_status read_model(struct reading *r)
{
    static const char *const absent[] = {"dropout", "continuing_subword_prefix",
                                         "end_of_word_suffix", "byte_fallback", NULL};
    struct place model, merges;
    enum rk_status status = need(&r->root, "model", JSON_OBJECT, &model, r->error);
    if (status != RK_OK) return status;
    if (json_object_get(model.value, "type") && strcmp(text_of(&model, "type"), "BPE") != 0)
        return place_fail(&model, r->error, "type \"%.40s\" is not supported: byte-level BPE only",
                          text_of(&model, "type"));
    status = refuse_set(&model, absent, r->error);
    if (status == RK_OK) status = need(&model, "merges", JSON_ARRAY, &merges, r->error);
    if (status == RK_OK)
        status = read_vocabulary(r, &model, (uint32_t)json_array_size(merges.value));
    for (size_t i = 0; status == RK_OK && i < json_array_size(merges.value); i++) {
        const struct place merge = place_element(&merges, i);
        status = read_merge(&r->t->bpe, &merge, r->error);
    }
    r->t->bpe.whole_pieces = json_is_true(json_object_get(model.value, "ignore_merges"));
    return status;
}

/* ---- added tokens ---- */

static bool is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80) return false;
    return true;
}

/* Is the id that of another text, in the vocabulary or of an added token before? */
static bool is_of_another(const struct tokenizer *t, uint32_t id, const char *text)
{
    const struct bpe *bpe = &t->bpe;
    const size_t size = strlen(text);
    for (size_t i = 0; i < t->addeds; i++)
        if (t->added[i].id == id &&
            (t->added[i].size != size || memcmp(t->added[i].text, text, size) != 0))
            return true;
    return id < bpe->count && bpe->length[id] &&
           (bpe->length[id] != size || memcmp(bpe->text.data + bpe->from[id], text, size) != 0);
}

static enum rk_status read_added_token(struct reading *r, const struct place *token)
{
    static const char *const absent[] = {"single_word", "lstrip", "rstrip", NULL};
    struct place content, id;
    enum rk_status status = json_is_object(token->value)
                                ? refuse_set(token, absent, r->error)
                                : place_fail(token, r->error, "must be an object");
    if (status == RK_OK) status = need(token, "content", JSON_STRING, &content, r->error);
    if (status == RK_OK) status = need(token, "id", JSON_INTEGER, &id, r->error);
    if (status == RK_OK) status = check_id(&id, r->error);
    if (status != RK_OK) return status;
    const char *text = json_string_value(content.value);
    const bool normalised = json_is_true(json_object_get(token->value, "normalized"));
    const uint32_t number = (uint32_t)json_integer_value(id.value);
    if (!*text) return place_fail(&content, r->error, "is empty: nothing would end");
    if (is_of_another(r->t, number, text))
        return place_fail(&id, r->error, "%u is the id of another token", number);
    if (normalised && r->t->nfc && !is_ascii(text))
        return place_fail(&content, r->error, "normalised text beyond ASCII is not supported");
    char *copy = strdup(text);
    if (!copy || !tokenizer_add(r->t, copy, strlen(copy), number,
                                json_is_true(json_object_get(token->value, "special"))))
        return no_memory(r->error);
    return RK_OK;
}

static enum rk_status read_added(struct reading *r)
{
    struct place added;
    if (!place_member(&r->root, "added_tokens", &added) || json_is_null(added.value)) return RK_OK;
    if (!json_is_array(added.value)) return place_fail(&added, r->error, "must be an array");
    for (size_t i = 0; i < json_array_size(added.value); i++) {
        const struct place token = place_element(&added, i);
        const enum rk_status status = read_added_token(r, &token);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}

/* The mark of capitals is an added token. */
static enum rk_status find_case(struct reading *r)
{
    struct place normalizer;
    if (!cut_facts[r->t->cut].marks) return RK_OK;
    for (size_t i = 0; i < r->t->addeds; i++)
        if (strcmp(r->t->added[i].text, TOKEN_CASE) == 0) {
            r->t->case_id = r->t->added[i].id;
            return RK_OK;
        }
    place_member(&r->root, "normalizer", &normalizer);
    return place_fail(&normalizer, r->error,
                      "marks capitals, and added_tokens has no \"" TOKEN_CASE "\"");
}

/* ---- normalizer and pre-tokenizer ---- */

static enum rk_status read_normalizer(struct reading *r, bool *marks)
{
    struct place normalizer;
    *marks = false;
    if (!is_set(&r->root, "normalizer", &normalizer)) return RK_OK;
    const char *type = text_of(&normalizer, "type");
    *marks = strcmp(type, NORMALIZER_CASE) == 0;
    r->t->nfc = strcmp(type, "NFC") == 0;
    if (*marks || r->t->nfc) return RK_OK;
    return place_fail(&normalizer, r->error,
                      "type \"%.40s\" is not supported: null, NFC or " NORMALIZER_CASE, type);
}

/* What the pre-tokenizer's parts say, in the terms of cut_facts. */
struct parts {
    const char *split;
    bool byte_level; /* there is one ... */
    bool own_regex;  /* ... that cuts */
};

static enum rk_status read_byte_level(struct reading *r, const struct place *part,
                                      struct parts *parts)
{
    const json_t *regex = json_object_get(part->value, "use_regex");
    struct place prefix;
    if (is_set(part, "add_prefix_space", &prefix))
        return place_fail(&prefix, r->error, "must be false: a blank before a text changes it");
    parts->byte_level = true;
    parts->own_regex = !json_is_false(regex); /* the default is true */
    return RK_OK;
}

static enum rk_status read_split(struct reading *r, const struct place *part, struct parts *parts)
{
    struct place pattern, behavior, invert;
    enum rk_status status = need(part, "pattern", JSON_OBJECT, &pattern, r->error);
    if (status == RK_OK) status = need(part, "behavior", JSON_STRING, &behavior, r->error);
    if (status != RK_OK) return status;
    if (strcmp(json_string_value(behavior.value), "Isolated") != 0)
        return place_fail(&behavior, r->error, "must be \"Isolated\"");
    if (is_set(part, "invert", &invert)) return place_fail(&invert, r->error, "must be false");
    parts->split = text_of(&pattern, "Regex");
    for (int cut = 0; cut < CUTS; cut++)
        if (cut_facts[cut].split && strcmp(cut_facts[cut].split, parts->split) == 0) return RK_OK;
    return place_fail(&pattern, r->error,
                      "this regular expression is not one of those that Reckon has: GPT-2's, "
                      "Llama 3's, Qwen's and those that it writes itself");
}

static enum rk_status read_part(struct reading *r, const struct place *part, struct parts *parts)
{
    const char *type = text_of(part, "type");
    if (strcmp(type, "Split") == 0 && !parts->split && !parts->byte_level)
        return read_split(r, part, parts);
    if (strcmp(type, "ByteLevel") == 0 && !parts->byte_level)
        return read_byte_level(r, part, parts);
    return place_fail(part, r->error, "type \"%.40s\" is not supported: a Split, then ByteLevel",
                      type);
}

static enum rk_status read_pre_tokenizer(struct reading *r, bool marks)
{
    struct place pre, list;
    struct parts parts = {.split = NULL};
    enum rk_status status = need(&r->root, "pre_tokenizer", JSON_OBJECT, &pre, r->error);
    if (status != RK_OK) return status;
    if (strcmp(text_of(&pre, "type"), "Sequence") == 0) {
        status = need(&pre, "pretokenizers", JSON_ARRAY, &list, r->error);
        for (size_t i = 0; status == RK_OK && i < json_array_size(list.value); i++) {
            const struct place part = place_element(&list, i);
            status = read_part(r, &part, &parts);
        }
    } else {
        status = read_part(r, &pre, &parts);
    }
    if (status != RK_OK) return status;
    for (int cut = 0; cut < CUTS; cut++) {
        const struct cut_facts *f = &cut_facts[cut];
        const bool same_split =
            f->split && parts.split ? strcmp(f->split, parts.split) == 0 : f->split == parts.split;
        if (same_split && parts.byte_level && f->byte_level == parts.own_regex &&
            f->marks == marks) {
            r->t->cut = (enum cut)cut;
            return RK_OK;
        }
    }
    return place_fail(&pre, r->error,
                      "this combination is not supported: a Split of Llama 3's or "
                      "Qwen's, then ByteLevel with \"use_regex\": false; or "
                      "ByteLevel alone, with it");
}

/* ---- the file ---- */

static enum rk_status check_keys(struct reading *r)
{
    static const char *const known[] = {
        "version",       "truncation",     "padding", "added_tokens", "normalizer",
        "pre_tokenizer", "post_processor", "decoder", "model",        NULL};
    static const char *const absent[] = {"truncation", "padding", NULL};
    const char *key;
    json_t *value;
    if (!json_is_object(r->root.value))
        return place_fail(&r->root, r->error, "must be an object: is this a tokenizer.json?");
    json_object_foreach(r->root.value, key, value)
    {
        const struct place place = {r->root.document, &r->root, key, 0, value};
        int i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        if (!known[i])
            return place_fail_key(&place, r->error,
                                  "unknown key: a tokenizer.json has version, "
                                  "normalizer, pre_tokenizer, model, ...");
    }
    return refuse_set(&r->root, absent, r->error);
}

enum rk_status tokenizer_read(const struct document *document, struct tokenizer *t,
                              struct rk_error *error)
{
    struct reading reading = {.t = t, .root = place_root(document), .error = error};
    bool marks;
    *t = (struct tokenizer){.added = NULL};
    enum rk_status status = check_keys(&reading);
    if (status == RK_OK) status = read_normalizer(&reading, &marks);
    if (status == RK_OK) status = read_pre_tokenizer(&reading, marks);
    if (status == RK_OK) status = read_model(&reading);
    if (status == RK_OK) status = read_added(&reading);
    if (status == RK_OK) status = find_case(&reading);
    if (status == RK_OK)
        tokenizer_finish(t);
    else
        tokenizer_release(t);
    return status;
}

enum rk_status tokenizer_load(const char *path, struct tokenizer *t, struct rk_error *error)
{
    struct document document;
    if (strcmp(path, "bytes") == 0) return tokenizer_bytes(t, error);
    enum rk_status status = document_load(path, &document, error);
    if (status == RK_OK) status = tokenizer_read(&document, t, error);
    document_release(&document);
    return status;
}
