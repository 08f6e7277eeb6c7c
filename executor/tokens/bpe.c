#include "tokens/bpe.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- the vocabulary ---- */

/* A table of `entries` that is at most half full, all BPE_NONE. */
static uint32_t *make_table(uint32_t entries, uint32_t *mask)
{
    size_t size = 16;
    while (size < 2 * (size_t)entries)
        size *= 2;
    uint32_t *table = malloc(size * sizeof *table);
    if (table) memset(table, 0xff, size * sizeof *table);
    *mask = (uint32_t)(size - 1);
    return table;
}

bool bpe_reserve(struct bpe *bpe, uint32_t count, uint32_t merges)
{
    bpe->count = count;
    bpe->from = calloc(count ? count : 1, sizeof *bpe->from);
    bpe->length = calloc(count ? count : 1, sizeof *bpe->length);
    bpe->merge = calloc(merges ? merges : 1, sizeof *bpe->merge);
    bpe->token = make_table(count, &bpe->token_mask);
    bpe->pair = make_table(merges, &bpe->pair_mask);
    return bpe->from && bpe->length && bpe->merge && bpe->token && bpe->pair;
}

bool bpe_set_token(struct bpe *bpe, uint32_t id, const char *bytes, size_t size)
{
    bpe->from[id] = bpe->text.size;
    bpe->length[id] = (uint32_t)size;
    return bytes_add(&bpe->text, bytes, size);
}

void bpe_release(struct bpe *bpe)
{
    bytes_release(&bpe->text);
    free(bpe->from);
    free(bpe->length);
    free(bpe->merge);
    free(bpe->pair);
    free(bpe->token);
    *bpe = (struct bpe){.count = 0};
}

uint32_t bpe_token(const struct bpe *bpe, const char *bytes, size_t size)
{
    uint32_t at = (uint32_t)hash_bytes(bytes, size) & bpe->token_mask;
    for (uint32_t id; (id = bpe->token[at]) != BPE_NONE; at = (at + 1) & bpe->token_mask)
        if (bpe->length[id] == size && memcmp(bpe->text.data + bpe->from[id], bytes, size) == 0)
            return id;
    return BPE_NONE;
}

void bpe_index_token(struct bpe *bpe, uint32_t id)
{
    const char *bytes = bpe->text.data + bpe->from[id];
    uint32_t at = (uint32_t)hash_bytes(bytes, bpe->length[id]) & bpe->token_mask;
    while (bpe->token[at] != BPE_NONE)
        at = (at + 1) & bpe->token_mask;
    bpe->token[at] = id;
}

void bpe_index_tokens(struct bpe *bpe)
{
    for (uint32_t id = 0; id < bpe->count; id++)
        if (bpe->length[id]) bpe_index_token(bpe, id);
    for (int byte = 0; byte < 256; byte++) {
        const char text = (char)byte;
        bpe->byte[byte] = bpe_token(bpe, &text, 1);
    }
}

static uint32_t pair_place(const struct bpe *bpe, uint32_t left, uint32_t right)
{
    return (uint32_t)hash_mix((uint64_t)left << 32 | right) & bpe->pair_mask;
}

/* The rank of a pair; BPE_NONE when it does not merge. */
static uint32_t bpe_rank(const struct bpe *bpe, uint32_t left, uint32_t right)
{
    uint32_t at = pair_place(bpe, left, right);
    for (uint32_t rank; (rank = bpe->pair[at]) != BPE_NONE; at = (at + 1) & bpe->pair_mask)
        if (bpe->merge[rank].left == left && bpe->merge[rank].right == right) return rank;
    return BPE_NONE;
}

uint32_t bpe_add_merge(struct bpe *bpe, struct bpe_merge merge)
{
    uint32_t at = pair_place(bpe, merge.left, merge.right);
    for (uint32_t rank; (rank = bpe->pair[at]) != BPE_NONE; at = (at + 1) & bpe->pair_mask)
        if (bpe->merge[rank].left == merge.left && bpe->merge[rank].right == merge.right)
            return rank;
    bpe->pair[at] = bpe->merges;
    bpe->merge[bpe->merges++] = merge;
    return BPE_NONE;
}

/* ---- lists and scratch ---- */

bool token_list_add(struct token_list *list, uint32_t id)
{
    if (!ARRAY_ROOM(list->id, list->count)) return false;
    list->id[list->count++] = id;
    return true;
}

void token_list_release(struct token_list *list)
{
    free(list->id);
    *list = (struct token_list){.id = NULL};
}

/* A piece as a list: symbols that merged are gone, their bytes belong to the one before. */
struct bpe_symbol {
    uint32_t id;             /* BPE_NONE: gone */
    uint32_t before, behind; /* neighbours, BPE_NONE at the ends */
};

struct bpe_candidate {
    uint32_t rank, at; /* at: the left symbol */
    uint32_t left, right;
};

enum { CACHE_ENTRIES = 1 << 13, CACHE_BYTES = 24, CACHE_TOKENS = 8 };

struct bpe_cached {
    char bytes[CACHE_BYTES];
    uint8_t size, tokens; /* size 0: empty */
    uint32_t id[CACHE_TOKENS];
};

void bpe_scratch_release(struct bpe_scratch *scratch)
{
    free(scratch->symbol);
    free(scratch->heap);
    free(scratch->cache);
    *scratch = (struct bpe_scratch){.room = 0};
}

/* Each symbol is the left one of a candidate at the start and of one more, or its neighbour is, for
 * each merge: three times as many candidates as bytes are enough. */
enum { CANDIDATES_A_BYTE = 3 };

static bool scratch_reserve(struct bpe_scratch *scratch, size_t size)
{
    if (!scratch->cache) scratch->cache = calloc(CACHE_ENTRIES, sizeof *scratch->cache);
    if (!scratch->cache) return false;
    if (size <= scratch->room) return true;
    const size_t room = 2 * size;
    free(scratch->symbol);
    free(scratch->heap);
    scratch->symbol = malloc(room * sizeof *scratch->symbol);
    scratch->heap = malloc(CANDIDATES_A_BYTE * room * sizeof *scratch->heap);
    scratch->room = scratch->symbol && scratch->heap ? room : 0;
    return scratch->room != 0;
}

/* ---- merging a short piece: look at all pairs again after each merge ---- */

enum { SHORT_PIECE = 48 }; /* bytes up to which looking costs less than keeping a heap: measured */

static size_t merge_short(const struct bpe *bpe, uint32_t *id, size_t count)
{
    uint32_t rank[SHORT_PIECE];
    for (size_t i = 0; i + 1 < count; i++)
        rank[i] = bpe_rank(bpe, id[i], id[i + 1]);
    while (count > 1) {
        size_t best = 0;
        for (size_t i = 1; i + 1 < count; i++)
            if (rank[i] < rank[best]) best = i;
        if (rank[best] == BPE_NONE) break;
        id[best] = bpe->merge[rank[best]].result;
        count--;
        memmove(id + best + 1, id + best + 2, (count - best - 1) * sizeof *id);
        if (best + 1 < count)
            memmove(rank + best, rank + best + 1, (count - best - 1) * sizeof *rank);
        if (best + 1 < count) rank[best] = bpe_rank(bpe, id[best], id[best + 1]);
        if (best > 0) rank[best - 1] = bpe_rank(bpe, id[best - 1], id[best]);
    }
    return count;
}

static bool encode_short(const struct bpe *bpe, const char *piece, size_t size,
                         struct token_list *out)
{
    uint32_t id[SHORT_PIECE];
    for (size_t i = 0; i < size; i++)
        id[i] = bpe->byte[(unsigned char)piece[i]];
    const size_t count = merge_short(bpe, id, size);
    for (size_t i = 0; i < count; i++)
        if (!token_list_add(out, id[i])) return false;
    return true;
}

/* ---- merging a long piece: a heap of candidates, n log n ---- */

static bool comes_before(struct bpe_candidate a, struct bpe_candidate b)
{
    return a.rank != b.rank ? a.rank < b.rank : a.at < b.at;
}

static void heap_push(struct bpe_candidate *heap, size_t *count, struct bpe_candidate candidate)
{
    size_t at = (*count)++;
    for (; at > 0 && comes_before(candidate, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = candidate;
}

static struct bpe_candidate heap_pop(struct bpe_candidate *heap, size_t *count)
{
    const struct bpe_candidate top = heap[0], last = heap[--*count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < *count; at = child) {
        if (child + 1 < *count && comes_before(heap[child + 1], heap[child])) child++;
        if (!comes_before(heap[child], last)) break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return top;
}

static void push_pair(const struct bpe *bpe, const struct bpe_symbol *symbol, uint32_t at,
                      struct bpe_candidate *heap, size_t *count)
{
    if (at == BPE_NONE || symbol[at].behind == BPE_NONE) return;
    const uint32_t left = symbol[at].id, right = symbol[symbol[at].behind].id;
    const uint32_t rank = bpe_rank(bpe, left, right);
    if (rank == BPE_NONE) return;
    heap_push(heap, count, (struct bpe_candidate){rank, at, left, right});
}

static void merge_long(const struct bpe *bpe, struct bpe_scratch *scratch, uint32_t size)
{
    struct bpe_symbol *symbol = scratch->symbol;
    size_t count = 0;
    for (uint32_t i = 0; i < size; i++)
        push_pair(bpe, symbol, i, scratch->heap, &count);
    while (count > 0) {
        const struct bpe_candidate top = heap_pop(scratch->heap, &count);
        struct bpe_symbol *left = &symbol[top.at];
        if (left->id != top.left || left->behind == BPE_NONE ||
            symbol[left->behind].id != top.right)
            continue; /* one of them has merged since */
        struct bpe_symbol *right = &symbol[left->behind];
        left->id = bpe->merge[top.rank].result;
        left->behind = right->behind;
        right->id = BPE_NONE;
        if (left->behind != BPE_NONE) symbol[left->behind].before = top.at;
        push_pair(bpe, symbol, left->before, scratch->heap, &count);
        push_pair(bpe, symbol, top.at, scratch->heap, &count);
    }
}

static bool encode_long(const struct bpe *bpe, struct bpe_scratch *scratch, const char *piece,
                        uint32_t size, struct token_list *out)
{
    for (uint32_t i = 0; i < size; i++)
        scratch->symbol[i] = (struct bpe_symbol){.id = bpe->byte[(unsigned char)piece[i]],
                                                 .before = i ? i - 1 : BPE_NONE,
                                                 .behind = i + 1 < size ? i + 1 : BPE_NONE};
    merge_long(bpe, scratch, size);
    for (uint32_t i = 0; i != BPE_NONE; i = scratch->symbol[i].behind)
        if (!token_list_add(out, scratch->symbol[i].id)) return false;
    return true;
}

/* ---- a piece ---- */

static bool add_cached(const struct bpe_cached *cached, struct token_list *out)
{
    for (int i = 0; i < cached->tokens; i++)
        if (!token_list_add(out, cached->id[i])) return false;
    return true;
}

static bool encode_cached(const struct bpe *bpe, struct bpe_scratch *scratch, const char *piece,
                          size_t size, struct token_list *out)
{
    struct bpe_cached *cached = &scratch->cache[hash_bytes(piece, size) % CACHE_ENTRIES];
    const size_t before = out->count;
    if (cached->size == size && memcmp(cached->bytes, piece, size) == 0)
        return add_cached(cached, out);
    if (!encode_short(bpe, piece, size, out)) return false;
    if (out->count - before > CACHE_TOKENS) return true;
    memcpy(cached->bytes, piece, size);
    cached->size = (uint8_t)size;
    cached->tokens = (uint8_t)(out->count - before);
    memcpy(cached->id, out->id + before, cached->tokens * sizeof *cached->id);
    return true;
}

bool bpe_encode(const struct bpe *bpe, struct bpe_scratch *scratch, const char *piece, size_t size,
                struct token_list *out)
{
    if (size == 0) return true;
    const uint32_t whole = bpe->whole_pieces ? bpe_token(bpe, piece, size) : BPE_NONE;
    if (whole != BPE_NONE) return token_list_add(out, whole);
    if (!scratch_reserve(scratch, size)) return false;
    if (size <= CACHE_BYTES) return encode_cached(bpe, scratch, piece, size, out);
    if (size <= SHORT_PIECE) return encode_short(bpe, piece, size, out);
    return encode_long(bpe, scratch, piece, (uint32_t)size, out);
}
