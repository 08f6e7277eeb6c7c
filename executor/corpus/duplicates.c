#include "corpus/duplicates.h"

#include "base/memory.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 4096, PAIRS_AT_ONCE = 1 << 18, COMPARED_BEFORE = 4, EXACT_BAND = -1 };

struct keyed {
    uint64_t key;
    uint32_t document;
};

struct candidate {
    uint32_t earlier, later;
    bool alike;
};

struct search {
    const struct store *store;
    const struct duplicates_options *options;
    struct duplicates *found;
    int threads;
    struct keyed *keyed; /* (documents of room), count of them in use */
    size_t count;
    struct candidate *pair; /* (PAIRS_AT_ONCE), pairs of them in use */
    size_t pairs;
    struct comparer {
        struct bytes text, a, b;
        struct terms terms;
    } * comparer; /* (threads) */
};

/* ---- components: the root is the first document ---- */

static uint32_t root_of(uint32_t *first, uint32_t document)
{
    while (first[document] != document)
        document = first[document] = first[first[document]];
    return document;
}

static void join(struct duplicates *found, uint32_t a, uint32_t b, enum reason reason)
{
    a = root_of(found->first, a);
    b = root_of(found->first, b);
    if (a == b) return;
    const uint32_t later = a > b ? a : b;
    found->first[later] = a < b ? a : b;
    found->reason[later] = (uint8_t)reason;
}

/* ---- comparing two documents ---- */

static enum rk_status load_set(const struct search *s, struct comparer *c, uint32_t document,
                               struct bytes *set, struct rk_error *error)
{
    struct store_row row;
    enum rk_status status = store_rows(s->store, document, 1, &row, error);
    if (status == RK_OK) status = store_text(s->store, row.from, row.size, &c->text, error);
    if (status != RK_OK) return status;
    if (!terms_of(c->text.data, c->text.size, &c->terms) || !minhash_set(&c->terms, set))
        return no_memory(error);
    return RK_OK;
}

static enum rk_status compare_near(const struct search *s, struct comparer *c,
                                   struct candidate *pair, struct rk_error *error)
{
    enum rk_status status = load_set(s, c, pair->earlier, &c->a, error);
    if (status == RK_OK) status = load_set(s, c, pair->later, &c->b, error);
    if (status != RK_OK) return status;
    const double similarity =
        minhash_jaccard((const uint64_t *)(const void *)c->a.data, c->a.size / sizeof(uint64_t),
                        (const uint64_t *)(const void *)c->b.data, c->b.size / sizeof(uint64_t));
    pair->alike = similarity >= s->options->threshold;
    return RK_OK;
}

static enum rk_status compare_exact(const struct search *s, struct comparer *c,
                                    struct candidate *pair, struct rk_error *error)
{
    struct store_row a, b;
    enum rk_status status = store_rows(s->store, pair->earlier, 1, &a, error);
    if (status == RK_OK) status = store_rows(s->store, pair->later, 1, &b, error);
    if (status == RK_OK) status = store_text(s->store, a.from, a.size, &c->a, error);
    if (status == RK_OK) status = store_text(s->store, b.from, b.size, &c->b, error);
    if (status == RK_OK)
        pair->alike = a.size == b.size && memcmp(c->a.data, c->b.data, a.size) == 0;
    return status;
}

/* Compares all pairs that wait, and joins those that are alike, in order. */
static enum rk_status compare_pairs(struct search *s, int band, struct rk_error *error)
{
    enum rk_status status = RK_OK;
#pragma omp parallel for schedule(dynamic, 16) num_threads(s->threads)
    for (size_t i = 0; i < s->pairs; i++) {
        struct comparer *c = &s->comparer[omp_get_thread_num()];
        struct rk_error problem;
        const enum rk_status one = band == EXACT_BAND ? compare_exact(s, c, &s->pair[i], &problem)
                                                      : compare_near(s, c, &s->pair[i], &problem);
        if (one != RK_OK) {
#pragma omp critical
            {
                status = one;
                if (error) *error = problem;
            }
        }
    }
    for (size_t i = 0; i < s->pairs; i++)
        if (s->pair[i].alike)
            join(s->found, s->pair[i].earlier, s->pair[i].later,
                 band == EXACT_BAND ? REASON_EXACT : REASON_NEAR);
    s->found->compared += s->pairs;
    s->pairs = 0;
    return status;
}

/* ---- one band: documents by their key ---- */

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->document > y->document) - (x->document < y->document);
}

static enum rk_status load_keys(struct search *s, int band, struct rk_error *error)
{
    struct store_row *row = malloc(ROWS_AT_ONCE * sizeof *row);
    enum rk_status status = row ? RK_OK : no_memory(error);
    s->count = 0;
    for (uint64_t at = 0; status == RK_OK && at < s->store->documents; at += ROWS_AT_ONCE) {
        const uint64_t left = s->store->documents - at;
        const size_t rows = left < ROWS_AT_ONCE ? (size_t)left : ROWS_AT_ONCE;
        status = store_rows(s->store, at, rows, row, error);
        for (size_t i = 0; status == RK_OK && i < rows; i++) {
            const uint32_t document = (uint32_t)(at + i);
            if (s->found->reason[document] == REASON_EXACT) continue;
            const uint64_t key = band == EXACT_BAND ? row[i].hash : row[i].key[band];
            s->keyed[s->count++] = (struct keyed){key, document};
        }
    }
    free(row);
    qsort(s->keyed, s->count, sizeof *s->keyed, by_key);
    return status;
}

static void add_candidate(struct search *s, uint32_t earlier, uint32_t later)
{
    if (root_of(s->found->first, earlier) != root_of(s->found->first, later))
        s->pair[s->pairs++] = (struct candidate){.earlier = earlier, .later = later};
}

/* The pairs of one document with those before it that have its key, which begin at `begin`. */
static void add_candidates(struct search *s, size_t begin, size_t at)
{
    const uint32_t later = s->keyed[at].document;
    const size_t from = at - begin > COMPARED_BEFORE ? at - COMPARED_BEFORE : begin;
    if (from > begin) add_candidate(s, s->keyed[begin].document, later);
    for (size_t i = from; i < at; i++)
        add_candidate(s, s->keyed[i].document, later);
}

static enum rk_status search_band(struct search *s, int band, struct rk_error *error)
{
    enum rk_status status = load_keys(s, band, error);
    for (size_t at = 1, begin = 0; status == RK_OK && at < s->count; at++) {
        if (s->keyed[at].key != s->keyed[begin].key) begin = at;
        add_candidates(s, begin, at);
        if (s->pairs + COMPARED_BEFORE + 1 > PAIRS_AT_ONCE) status = compare_pairs(s, band, error);
    }
    return status == RK_OK ? compare_pairs(s, band, error) : status;
}

/* ---- all of them ---- */

static bool reserve(struct search *s)
{
    const size_t documents = (size_t)s->store->documents;
    s->found->first = malloc((documents + 1) * sizeof *s->found->first);
    s->found->reason = calloc(documents + 1, 1);
    s->keyed = malloc((documents + 1) * sizeof *s->keyed);
    s->pair = malloc(PAIRS_AT_ONCE * sizeof *s->pair);
    s->comparer = calloc((size_t)s->threads, sizeof *s->comparer);
    if (!s->found->first || !s->found->reason || !s->keyed || !s->pair || !s->comparer)
        return false;
    for (size_t i = 0; i < documents; i++)
        s->found->first[i] = (uint32_t)i;
    return true;
}

static void release(struct search *s)
{
    for (int i = 0; s->comparer && i < s->threads; i++) {
        bytes_release(&s->comparer[i].text);
        bytes_release(&s->comparer[i].a);
        bytes_release(&s->comparer[i].b);
        terms_release(&s->comparer[i].terms);
    }
    free(s->comparer);
    free(s->keyed);
    free(s->pair);
}

enum rk_status duplicates_find(const struct store *store, const struct duplicates_options *options,
                               struct duplicates *found, struct rk_error *error)
{
    struct search s = {.store = store, .options = options, .found = found};
    *found = (struct duplicates){.first = NULL};
    if (store->documents >= UINT32_MAX)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                       "more than 2^32 documents: clean them in several runs");
    s.threads = options->threads > 0 ? options->threads : omp_get_num_procs();
    enum rk_status status = reserve(&s) ? RK_OK : no_memory(error);
    if (status == RK_OK) status = search_band(&s, EXACT_BAND, error);
    for (int band = 0; status == RK_OK && options->threshold <= 1 && band < MINHASH_BANDS; band++)
        status = search_band(&s, band, error);
    for (size_t i = 0; status == RK_OK && i < store->documents; i++)
        found->first[i] = root_of(found->first, (uint32_t)i);
    release(&s);
    if (status != RK_OK) duplicates_release(found);
    return status;
}

void duplicates_release(struct duplicates *found)
{
    free(found->first);
    free(found->reason);
    *found = (struct duplicates){.first = NULL};
}
