#include "tokens/encoder.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { PART_BYTES = 1 << 16 };

struct part {
    size_t from, size; /* in text */
    bool ends;
    struct token_list ids;
};

struct encoder {
    const struct tokenizer *tokenizer;
    int threads;
    struct tokenizer_scratch *scratch; /* (threads) */
    struct bytes text, ends;
    struct part *part; /* (parts of room): those beyond keep the memory of their lists */
    size_t parts, room;
};

struct encoder *encoder_open(const struct tokenizer *tokenizer, int threads)
{
    struct encoder *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->tokenizer = tokenizer;
    e->threads = threads > 0 ? threads : omp_get_num_procs();
    e->scratch = calloc((size_t)e->threads, sizeof *e->scratch);
    if (e->scratch) return e;
    encoder_close(e);
    return NULL;
}

void encoder_close(struct encoder *e)
{
    if (!e) return;
    for (int i = 0; e->scratch && i < e->threads; i++)
        tokenizer_scratch_release(&e->scratch[i]);
    for (size_t i = 0; i < e->room; i++)
        token_list_release(&e->part[i].ids);
    free(e->scratch);
    free(e->part);
    bytes_release(&e->text);
    bytes_release(&e->ends);
    free(e);
}

bool encoder_can_cut(const struct encoder *e)
{
    return !e->tokenizer->added_has_space;
}

size_t encoder_queued(const struct encoder *e)
{
    return e->text.size;
}

static bool add_part(struct encoder *e, size_t from, size_t size, bool ends)
{
    if (e->parts == e->room) {
        const size_t room = e->room ? 2 * e->room : 64;
        struct part *grown = realloc(e->part, room * sizeof *grown);
        if (!grown) return false;
        memset(grown + e->room, 0, (room - e->room) * sizeof *grown);
        e->part = grown;
        e->room = room;
    }
    struct part *part = &e->part[e->parts++];
    part->from = from;
    part->size = size;
    part->ends = ends;
    return true;
}

bool encoder_put(struct encoder *e, const char *text, size_t size, bool ends)
{
    const size_t begin = e->text.size;
    e->ends.size = 0;
    if (!bytes_add(&e->text, text, size) ||
        !cut_parts(text, size, encoder_can_cut(e) ? PART_BYTES : size, &e->ends))
        return false;
    const size_t *end = (const size_t *)(const void *)e->ends.data;
    const size_t parts = e->ends.size / sizeof *end;
    for (size_t i = 0, from = 0; i < parts; from = end[i++])
        if (!add_part(e, begin + from, end[i] - from, ends && i + 1 == parts)) return false;
    return parts > 0 || !ends || add_part(e, begin, 0, true);
}

bool encoder_flush(struct encoder *e, encoder_taker take, void *context)
{
    bool done = true;
    const char *text = e->text.data ? e->text.data : ""; /* of an empty one there is none */
#pragma omp parallel for schedule(dynamic) num_threads(e->threads) if (e->parts > 1)
    for (size_t i = 0; i < e->parts; i++) {
        struct part *part = &e->part[i];
        part->ids.count = 0;
        if (!tokenizer_encode(e->tokenizer, &e->scratch[omp_get_thread_num()], text + part->from,
                              part->size, &part->ids)) {
#pragma omp atomic write
            done = false;
        }
    }
    for (size_t i = 0; done && i < e->parts; i++)
        done = take(context, e->part[i].ids.id, e->part[i].ids.count, e->part[i].ends);
    e->parts = 0;
    e->text.size = 0;
    return done;
}
