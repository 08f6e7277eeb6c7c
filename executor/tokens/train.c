#include "tokens/train.h"
#include "base/hash.h"
#include "base/memory.h"
#include "tokens/pairs.h"
#include "tokens/words.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { PART_BYTES = 1 << 18 }; /* of a text that one thread counts at a time */

struct trainer {
    struct train_options options;
    struct tokenizer cutter; /* has the cut alone */
    int threads;
    struct counter {
        struct words words;
        struct tokenizer_scratch scratch;
    } * counter; /* (threads) */
};

static uint32_t special_tokens(enum cut cut)
{
    return cut_facts[cut].marks ? 2 : 1;
}

uint32_t train_least_vocabulary(enum cut cut)
{
    return 256 + special_tokens(cut);
}

/* ---- counting pieces ---- */

struct trainer *trainer_open(const struct train_options *options)
{
    struct trainer *trainer = calloc(1, sizeof *trainer);
    if (!trainer) return NULL;
    trainer->options = *options;
    trainer->cutter.cut = options->cut;
    trainer->threads = options->threads > 0 ? options->threads : omp_get_num_procs();
    trainer->counter = calloc((size_t)trainer->threads, sizeof *trainer->counter);
    if (trainer->counter) return trainer;
    trainer_close(trainer);
    return NULL;
}

void trainer_close(struct trainer *trainer)
{
    if (!trainer) return;
    for (int i = 0; trainer->counter && i < trainer->threads; i++) {
        words_release(&trainer->counter[i].words);
        tokenizer_scratch_release(&trainer->counter[i].scratch);
    }
    free(trainer->counter);
    free(trainer);
}

static bool count_piece(void *context, const struct piece *piece)
{
    return !piece->text || words_add(context, piece->text, piece->size, 1);
}

enum rk_status trainer_add(struct trainer *trainer, const char *text, size_t size,
                           struct rk_error *error)
{
    struct bytes ends = {.data = NULL};
    bool done = cut_parts(text, size, PART_BYTES, &ends);
    const size_t *end = (const size_t *)(const void *)ends.data;
    const size_t parts = ends.size / sizeof *end;
#pragma omp parallel for schedule(dynamic) num_threads(trainer->threads) if (parts > 1)
    for (size_t i = 0; i < parts; i++) {
        struct counter *counter = &trainer->counter[omp_get_thread_num()];
        const size_t from = i ? end[i - 1] : 0;
        if (!tokenizer_pieces(&trainer->cutter, &counter->scratch, text + from, end[i] - from,
                              count_piece, &counter->words)) {
#pragma omp atomic write
            done = false;
        }
    }
    bytes_release(&ends);
    return done ? RK_OK : no_memory(error);
}

/* ---- the vocabulary before the first merge ---- */

/* In the vocabulary too: Hugging Face's tokenizers keep the ids of added tokens that are. */
static bool add_special(struct tokenizer *t, const char *text, uint32_t id)
{
    char *copy = strdup(text);
    return copy && tokenizer_add(t, copy, strlen(copy), id, true) &&
           bpe_set_token(&t->bpe, id, text, strlen(text));
}

/* The bytes in the order of their letters, which is the order of their ids in GPT-2. */
static bool add_bytes(struct bpe *bpe, uint32_t first)
{
    uint32_t id = first;
    for (uint32_t letter = 0; letter < 0x200; letter++) {
        const int byte = letter_byte(letter);
        const char text = (char)byte;
        if (byte >= 0 && !bpe_set_token(bpe, id++, &text, 1)) return false;
    }
    bpe_index_tokens(bpe);
    return true;
}

static bool begin_vocabulary(const struct train_options *options, struct tokenizer *t)
{
    const uint32_t first = special_tokens(options->cut);
    *t = (struct tokenizer){.cut = options->cut, .case_id = 1};
    return bpe_reserve(&t->bpe, options->vocabulary, options->vocabulary) &&
           add_special(t, TOKEN_END, 0) && (first < 2 || add_special(t, TOKEN_CASE, 1)) &&
           add_bytes(&t->bpe, first);
}

/* ---- merging ---- */

/* All words as tokens, and the pairs in them. */
struct merging {
    struct bpe *bpe;
    uint32_t *symbol; /* of all words, each from its own place on */
    struct merged_word {
        uint64_t count;
        size_t from;
        uint32_t size;
    } * word;
    size_t words;
    struct pairs pairs;
};

static bool load_words(struct merging *m, const struct words *words)
{
    size_t at = 0;
    m->symbol = malloc((words->text.size + 1) * sizeof *m->symbol);
    m->word = malloc((words->count + 1) * sizeof *m->word);
    if (!m->symbol || !m->word) return false;
    for (size_t i = 0; i < words->count; i++) {
        const struct word *word = &words->word[i];
        m->word[m->words++] = (struct merged_word){word->count, at, word->size};
        for (uint32_t k = 0; k < word->size; k++)
            m->symbol[at++] = m->bpe->byte[(unsigned char)words->text.data[word->from + k]];
    }
    return true;
}

static bool count_pairs(struct merging *m)
{
    for (size_t w = 0; w < m->words; w++) {
        const uint32_t *symbol = m->symbol + m->word[w].from;
        for (uint32_t i = 0; i + 1 < m->word[w].size; i++)
            if (!pairs_change(&m->pairs, symbol[i], symbol[i + 1], (int64_t)m->word[w].count,
                              (uint32_t)w))
                return false;
    }
    return pairs_queue_new(&m->pairs);
}

/* Replaces the pair in a word by `result`, and updates the pairs with its neighbors. */
static bool merge_in_word(struct merging *m, uint32_t w, struct bpe_merge merge)
{
    struct merged_word *word = &m->word[w];
    uint32_t *symbol = m->symbol + word->from, kept = 0;
    const int64_t count = (int64_t)word->count;
    for (uint32_t i = 0; i < word->size; i++) {
        if (i + 1 == word->size || symbol[i] != merge.left || symbol[i + 1] != merge.right) {
            symbol[kept++] = symbol[i];
            continue;
        }
        if (kept > 0 && (!pairs_change(&m->pairs, symbol[kept - 1], merge.left, -count, w) ||
                         !pairs_change(&m->pairs, symbol[kept - 1], merge.result, count, w)))
            return false;
        if (i + 2 < word->size &&
            (!pairs_change(&m->pairs, merge.right, symbol[i + 2], -count, w) ||
             !pairs_change(&m->pairs, merge.result, symbol[i + 2], count, w)))
            return false;
        symbol[kept++] = merge.result;
        i++;
    }
    word->size = kept;
    return true;
}

/* The token of both parts together; `next` when there is none yet. */
static uint32_t joined(struct bpe *bpe, uint32_t left, uint32_t right, uint32_t next,
                       struct bytes *scratch)
{
    const char *text = bpe->text.data;
    scratch->size = 0;
    if (!bytes_add(scratch, text + bpe->from[left], bpe->length[left]) ||
        !bytes_add(scratch, text + bpe->from[right], bpe->length[right]))
        return BPE_NONE;
    const uint32_t id = bpe_token(bpe, scratch->data, scratch->size);
    if (id != BPE_NONE) return id;
    if (!bpe_set_token(bpe, next, scratch->data, scratch->size)) return BPE_NONE;
    bpe_index_token(bpe, next);
    return next;
}

static bool merge_all(struct merging *m, const struct train_options *options, uint32_t next,
                      struct bytes *scratch)
{
    struct pair top;
    while (next < options->vocabulary && m->bpe->merges < options->vocabulary &&
           pairs_top(&m->pairs, &top) && (uint64_t)top.count >= options->least) {
        const uint32_t result = joined(m->bpe, top.left, top.right, next, scratch);
        const struct bpe_merge merge = {top.left, top.right, result};
        if (result == BPE_NONE) return false;
        next += result == next;
        bpe_add_merge(m->bpe, merge);
        for (size_t i = 0; i < top.words; i++)
            if (!merge_in_word(m, top.word[i], merge)) return false;
        pairs_forget(&m->pairs, top.left, top.right);
        if (!pairs_queue_new(&m->pairs)) return false;
    }
    m->bpe->count = next;
    return true;
}

static bool train(const struct train_options *options, const struct words *words,
                  struct tokenizer *t)
{
    struct merging m = {.bpe = &t->bpe};
    struct bytes scratch = {.data = NULL};
    const bool done = begin_vocabulary(options, t) && load_words(&m, words) && count_pairs(&m) &&
                      merge_all(&m, options, train_least_vocabulary(options->cut), &scratch);
    bytes_release(&scratch);
    pairs_release(&m.pairs);
    free(m.symbol);
    free(m.word);
    return done;
}

enum rk_status trainer_finish(struct trainer *trainer, struct tokenizer *t, struct rk_error *error)
{
    struct words *all = &trainer->counter[0].words;
    bool done = true;
    for (int i = 1; done && i < trainer->threads; i++) {
        done = words_add_all(all, &trainer->counter[i].words);
        words_release(&trainer->counter[i].words);
    }
    done = done && train(&trainer->options, all, t);
    if (done) {
        tokenizer_finish(t);
        return RK_OK;
    }
    tokenizer_release(t);
    return no_memory(error);
}
