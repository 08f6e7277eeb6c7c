#include "corpus/blend.h"
#include "base/hash.h"
#include "base/memory.h"
#include "corpus/jsonl.h"
#include "corpus/reader.h"
#include "corpus/shuffle.h"

/* ---- epochs ---- */

/* Shares `tokens` among the sets that are not capped; true when one more is capped now. */
static bool share_out(struct blend_set *set, size_t sets, double tokens, double most_epochs)
{
    double weights = 0;
    bool more = false;
    for (size_t i = 0; i < sets; i++)
        weights += set[i].capped ? 0 : set[i].weight;
    for (size_t i = 0; i < sets; i++)
        if (!set[i].capped) set[i].epochs = tokens * set[i].weight / weights / set[i].tokens;
    for (size_t i = 0; i < sets; i++) {
        if (set[i].capped || set[i].epochs <= most_epochs) continue;
        set[i].capped = more = true;
        set[i].epochs = most_epochs;
    }
    return more;
}

double blend_epochs(struct blend_set *set, size_t sets, double tokens, double most_epochs)
{
    double all = 0;
    for (size_t i = 0; i < sets; i++)
        set[i].capped = false;
    for (double rest = tokens; share_out(set, sets, rest, most_epochs);) {
        rest = tokens;
        for (size_t i = 0; i < sets; i++)
            rest -= set[i].capped ? set[i].epochs * set[i].tokens : 0;
    }
    for (size_t i = 0; i < sets; i++)
        all += set[i].epochs * set[i].tokens;
    for (size_t i = 0; i < sets; i++)
        set[i].share = set[i].epochs * set[i].tokens / all;
    return all;
}

/* ---- documents ---- */

/* Calls `visit` for each document of a file; one that cannot be read is an error here. */
typedef enum rk_status (*visitor)(void *context, const struct reader_record *record,
                                  struct rk_error *error);

static enum rk_status each_document(const char *file, visitor visit, void *context,
                                    struct rk_error *error)
{
    struct reader *reader;
    struct reader_record record;
    const struct reader_options options = {.unit = READER_AUTO};
    bool end = false;
    enum rk_status status = reader_open(file, &options, &reader, error);
    while (status == RK_OK) {
        status = reader_next(reader, &record, &end, error);
        if (status != RK_OK || end) break;
        status = record.reason == REASON_NONE ? visit(context, &record, error)
                                              : rk_fail(error, RK_BAD_INPUT, file, (int)record.line,
                                                        0, "%s: clean it with reckon corpus clean",
                                                        reason_facts[record.reason].text);
    }
    reader_close(reader);
    return status;
}

static enum rk_status add_size(void *context, const struct reader_record *record,
                               struct rk_error *error)
{
    (void)error;
    *(double *)context += (double)record->size;
    return RK_OK;
}

enum rk_status blend_size(const char *file, double *bytes, struct rk_error *error)
{
    *bytes = 0;
    return each_document(file, add_size, bytes, error);
}

struct blending {
    const struct blend_set *set;
    const struct blend_options *options;
    struct shuffle *shuffle;
    struct bytes line;
    uint64_t seed; /* of the set */
};

/* Is the document in epoch `epoch`, of which a part may be wanted? */
static bool is_in(const struct blending *b, uint64_t document, double epoch)
{
    const double part = b->set->epochs - epoch;
    const uint64_t hash = hash_pair(b->seed, document);
    return part >= 1 || (double)(hash >> 11) * 0x1p-53 < part;
}

static enum rk_status add_copies(void *context, const struct reader_record *record,
                                 struct rk_error *error)
{
    struct blending *b = context;
    const struct jsonl_line line = {.text = record->text,
                                    .size = record->size,
                                    .source = b->set->name,
                                    .record = record->number};
    enum rk_status status = RK_OK;
    b->line.size = 0;
    if (!jsonl_put(&line, &b->line)) return no_memory(error);
    for (double epoch = 0; status == RK_OK && epoch < b->set->epochs; epoch++) {
        const uint64_t key = hash_pair(hash_pair(b->seed + 1, record->number), (uint64_t)epoch);
        if (is_in(b, record->number, epoch))
            status = shuffle_add(b->shuffle, 0, key, b->line.data, b->line.size, error);
    }
    return status;
}

enum rk_status blend_write(const struct blend_set *set, size_t sets,
                           const struct blend_options *options, blend_taker take, void *context,
                           struct rk_error *error)
{
    struct blending b = {.options = options};
    double bytes = 0;
    for (size_t i = 0; i < sets; i++)
        bytes += set[i].epochs * set[i].tokens;
    enum rk_status status =
        shuffle_open(options->folder, bytes < 1e18 ? (uint64_t)bytes : 0, &b.shuffle, error);
    for (size_t i = 0; status == RK_OK && i < sets; i++) {
        b.set = &set[i];
        b.seed = hash_pair(options->seed, 2 * i);
        status = each_document(set[i].file, add_copies, &b, error);
    }
    if (status == RK_OK) status = shuffle_group(b.shuffle, 0, take, context, error);
    shuffle_close(b.shuffle);
    bytes_release(&b.line);
    return status;
}
