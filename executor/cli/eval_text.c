#include "cli/eval_text.h"

#include "base/open.h"
#include "corpus/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- a shard ---- */

enum { SHARD_INTEGERS = 256, MAGIC_16 = 20240520, MAGIC_32 = 20240801 };

static enum rk_status read_ids(FILE *file, const char *path, int width, uint64_t said,
                               const struct eval_model *m, struct token_list *ids,
                               struct rk_error *error)
{
    unsigned char raw[4];
    for (size_t n; (n = fread(raw, 1, (size_t)width, file)) > 0;) {
        uint32_t id = 0;
        for (size_t i = 0; i < n; i++)
            id |= (uint32_t)raw[i] << 8 * i;
        if (n == (size_t)width && id >= m->model.vocabulary)
            return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                           "token %zu is %u, the model's vocabulary ends at %llu: tokenize with "
                           "the model's tokenizer",
                           ids->count, id, (unsigned long long)m->model.vocabulary);
        if (n < (size_t)width) break;
        if (!token_list_add(ids, id))
            return rk_fail(error, RK_NO_MEMORY, path, 0, 0, "no memory for its tokens");
    }
    if (ferror(file)) return rk_fail(error, RK_IO, path, 0, 0, "%s", strerror(errno));
    if (ids->count == said) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                   "the header says %llu tokens, the file holds %zu: write it again with reckon "
                   "tokenize --as bin",
                   (unsigned long long)said, ids->count);
}

/* *is: the file is one. */
static enum rk_status read_shard(const char *path, const struct eval_model *m,
                                 struct token_list *ids, bool *is, struct rk_error *error)
{
    int32_t header[SHARD_INTEGERS];
    enum rk_status status = RK_OK;
    *is = false;
    if (strcmp(path, "-") == 0) return RK_OK;
    FILE *file = fopen(path, "rb");
    if (!file) return fail_to_open(path, error);
    if (fread(header, sizeof header, 1, file) == 1)
        *is = header[0] == MAGIC_16 || header[0] == MAGIC_32;
    if (*is)
        status =
            read_ids(file, path, header[0] == MAGIC_16 ? 2 : 4, (uint32_t)header[2], m, ids, error);
    fclose(file);
    return status;
}

/* ---- bytes and characters ---- */

static void count_text(const char *text, size_t size, struct eval_text *r)
{
    r->bytes += size;
    for (size_t i = 0; i < size; i++)
        r->characters += ((unsigned char)text[i] & 0xc0) != 0x80;
}

/* Of tokens; those that end a document have no text. */
static enum rk_status count_tokens(const uint32_t *id, size_t count, const char *path,
                                   const struct eval_model *m, struct eval_text *r,
                                   struct rk_error *error)
{
    struct bytes text = {.data = NULL};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        if (id[i] == m->tokenizer.end_id) continue;
        if (id[i] >= m->tokenizer.ids) {
            bytes_release(&text);
            return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                           "token %u is beyond the %u of %s: say the tokenizer that the file was "
                           "made with",
                           id[i], m->tokenizer.ids, m->tokenizer_path);
        }
        text.size = 0;
        ok = tokenizer_decode(&m->tokenizer, id + i, 1, &text);
        if (ok) count_text(text.data, text.size, r);
    }
    bytes_release(&text);
    return ok ? RK_OK : rk_fail(error, RK_NO_MEMORY, path, 0, 0, "no memory for its text");
}

/* ---- documents ---- */

static enum rk_status add_document(const struct reader_record *record, const char *path,
                                   uint64_t stride, const struct eval_model *m,
                                   struct tokenizer_scratch *scratch, struct eval_set *set,
                                   struct eval_text *r, struct rk_error *error)
{
    const size_t at = set->ids.count;
    bool ok = m->end_id == BPE_NONE || token_list_add(&set->ids, m->end_id);
    ok = ok && tokenizer_encode(&m->tokenizer, scratch, record->text, record->size, &set->ids);
    for (size_t i = at; ok && i < set->ids.count; i++)
        if (set->ids.id[i] >= m->model.vocabulary)
            return rk_fail(error, RK_BAD_INPUT, path, record->line, 0,
                           "has token %u, the model's vocabulary ends at %llu: say the model's "
                           "own --tokenizer",
                           set->ids.id[i], (unsigned long long)m->model.vocabulary);
    ok = ok && eval_windows(set, at, set->ids.count, m->sequence, stride);
    if (!ok) return rk_fail(error, RK_NO_MEMORY, path, 0, 0, "no memory for its tokens");
    count_text(record->text, record->size, r);
    r->documents++;
    if (m->end_id != BPE_NONE || set->ids.count == at) return RK_OK;
    struct eval_text unscored = {.bytes = 0};
    const enum rk_status status = count_tokens(set->ids.id + at, 1, path, m, &unscored, error);
    r->bytes -= unscored.bytes;
    r->characters -= unscored.characters;
    return status;
}

static enum rk_status add_documents(const char *path, uint64_t stride, const struct eval_model *m,
                                    struct eval_set *set, struct eval_text *r,
                                    struct rk_error *error)
{
    const struct reader_options options = {.unit = READER_AUTO};
    struct tokenizer_scratch scratch = {.marks = {NULL, 0, 0}};
    struct reader *reader = NULL;
    struct reader_record record;
    bool end = false;
    enum rk_status status = eval_check_tokenizer(m, error);
    if (status == RK_OK) status = reader_open(path, &options, &reader, error);
    while (status == RK_OK) {
        status = reader_next(reader, &record, &end, error);
        if (status != RK_OK || end) break;
        if (record.reason == REASON_NONE && record.size)
            status = add_document(&record, path, stride, m, &scratch, set, r, error);
        else
            r->left_out++;
    }
    reader_close(reader);
    tokenizer_scratch_release(&scratch);
    return status;
}

/* ---- a file ---- */

enum rk_status eval_text(const char *path, uint64_t stride, const struct eval_model *m,
                         struct eval_text *r, struct rk_error *error)
{
    struct eval_set set = {.count = 0};
    struct rk_token_score *scores = NULL;
    bool is_shard;
    *r = (struct eval_text){.documents = 0};
    enum rk_status status = read_shard(path, m, &set.ids, &is_shard, error);
    if (status == RK_OK && !is_shard) status = add_documents(path, stride, m, &set, r, error);
    if (status == RK_OK && is_shard) {
        r->documents = 1;
        if (!eval_windows(&set, 0, set.ids.count, m->sequence, stride))
            status = rk_fail(error, RK_NO_MEMORY, path, 0, 0, "no memory for its tokens");
        if (status == RK_OK && m->tokenizer_path && set.ids.count)
            status = count_tokens(set.ids.id + 1, set.ids.count - 1, path, m, r, error);
    }
    if (status == RK_OK && !set.scored)
        status = rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                         "has nothing to score: it is empty, or a single token");
    if (status == RK_OK) status = eval_score(&set, m, &scores, error);
    for (uint64_t i = 0; status == RK_OK && i < set.scored; i++) {
        r->loss -= scores[i].loglik;
        r->likeliest += scores[i].likeliest;
    }
    r->tokens = set.scored;
    free(scores);
    eval_set_release(&set);
    return status;
}
