#include "tokens/tokenizer.h"
#include "base/memory.h"
#include "tokens/unicode.h"

#include <stdlib.h>
#include <string.h>

/* ---- making one ---- */

bool tokenizer_add(struct tokenizer *t, char *text, size_t size, uint32_t id, bool special)
{
    if (!ARRAY_ROOM(t->added, t->addeds)) {
        free(text);
        return false;
    }
    t->added[t->addeds++] =
        (struct added_token){.text = text, .size = size, .id = id, .special = special};
    return true;
}

static int longest_first(const void *a, const void *b)
{
    const struct added_token *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return memcmp(x->text, y->text, x->size);
}

/* Tokens that end a document, in the order of preference. */
static const char *const ends[] = {TOKEN_END, "<|end_of_text|>", NULL};

void tokenizer_finish(struct tokenizer *t)
{
    if (t->addeds) qsort(t->added, t->addeds, sizeof *t->added, longest_first);
    t->ids = t->bpe.count;
    t->end_id = BPE_NONE;
    for (size_t i = 0; i < t->addeds; i++) {
        const struct added_token *added = &t->added[i];
        const bool is_case = cut_facts[t->cut].marks && added->id == t->case_id;
        if (added->id >= t->ids) t->ids = added->id + 1;
        if (!is_case) t->begins_added[(unsigned char)added->text[0]] = true;
        if (memchr(added->text, ' ', added->size) || memchr(added->text, '\n', added->size))
            t->added_has_space = true;
    }
    for (int e = 0; ends[e] && t->end_id == BPE_NONE; e++)
        for (size_t i = 0; i < t->addeds; i++)
            if (t->added[i].size == strlen(ends[e]) &&
                memcmp(t->added[i].text, ends[e], t->added[i].size) == 0)
                t->end_id = t->added[i].id;
}

void tokenizer_release(struct tokenizer *t)
{
    for (size_t i = 0; i < t->addeds; i++)
        free(t->added[i].text);
    free(t->added);
    bpe_release(&t->bpe);
    *t = (struct tokenizer){.added = NULL};
}

enum rk_status tokenizer_bytes(struct tokenizer *t, struct rk_error *error)
{
    *t = (struct tokenizer){.cut = CUT_CHARACTER};
    bool done = bpe_reserve(&t->bpe, BYTES_END, 0);
    for (int byte = 0; done && byte < BYTES_END; byte++) {
        const char text = (char)byte;
        done = bpe_set_token(&t->bpe, (uint32_t)byte, &text, 1);
    }
    if (!done) {
        tokenizer_release(t);
        return no_memory(error);
    }
    bpe_index_tokens(&t->bpe);
    tokenizer_finish(t);
    t->ids = BYTES_END + 1;
    t->end_id = BYTES_END;
    return RK_OK;
}

/* Bytes that print in Latin-1 stand for themselves; those of these ranges, in order, for U+0100 and
 * on. */
static const struct {
    uint32_t first, last, letter;
} hidden[] = {{0x00, 0x20, 0x100}, {0x7f, 0xa0, 0x121}, {0xad, 0xad, 0x143}};

uint32_t byte_letter(unsigned char byte)
{
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (byte >= hidden[i].first && byte <= hidden[i].last)
            return hidden[i].letter + byte - hidden[i].first;
    return byte;
}

int letter_byte(uint32_t code)
{
    if (code < 0x100) return byte_letter((unsigned char)code) == code ? (int)code : -1;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (code >= hidden[i].letter && code - hidden[i].letter <= hidden[i].last - hidden[i].first)
            return (int)(hidden[i].first + code - hidden[i].letter);
    return -1;
}

/* ---- encoding ---- */

void tokenizer_scratch_release(struct tokenizer_scratch *scratch)
{
    bpe_scratch_release(&scratch->bpe);
    bytes_release(&scratch->normal);
    bytes_release(&scratch->small);
    bytes_release(&scratch->marks);
}

bool tokenizer_pieces(const struct tokenizer *t, struct tokenizer_scratch *scratch,
                      const char *text, size_t size, piece_visitor visit, void *context)
{
    const size_t *mark = NULL;
    size_t marks = 0;
    struct piece piece;
    scratch->normal.size = scratch->small.size = scratch->marks.size = 0;
    if (t->nfc && !unicode_is_nfc(text, size)) {
        if (!unicode_nfc(text, size, &scratch->normal)) return false;
        text = scratch->normal.data;
        size = scratch->normal.size;
    }
    if (cut_facts[t->cut].marks) {
        if (!cut_small_letters(text, size, &scratch->small, &scratch->marks)) return false;
        text = scratch->small.data;
        size = scratch->small.size;
        mark = (const size_t *)(const void *)scratch->marks.data;
        marks = scratch->marks.size / sizeof *mark;
    }
    struct cutter cutter = cutter_begin(t->cut, text, size, mark, marks);
    while (cutter_next(&cutter, &piece))
        if (!visit(context, &piece)) return false;
    return true;
}

struct encoding {
    const struct tokenizer *tokenizer;
    struct bpe_scratch *scratch;
    struct token_list *out;
};

static bool encode_piece(void *context, const struct piece *piece)
{
    const struct encoding *e = context;
    if (!piece->text) return token_list_add(e->out, e->tokenizer->case_id);
    return bpe_encode(&e->tokenizer->bpe, e->scratch, piece->text, piece->size, e->out);
}

/* The longest added token at the beginning of the text, or NULL. */
static const struct added_token *added_at(const struct tokenizer *t, const char *text, size_t size)
{
    if (!t->begins_added[(unsigned char)text[0]]) return NULL;
    for (size_t i = 0; i < t->addeds; i++) {
        const struct added_token *added = &t->added[i];
        if (cut_facts[t->cut].marks && added->id == t->case_id) continue;
        if (added->size <= size && memcmp(added->text, text, added->size) == 0) return added;
    }
    return NULL;
}

bool tokenizer_encode(const struct tokenizer *t, struct tokenizer_scratch *scratch,
                      const char *text, size_t size, struct token_list *out)
{
    struct encoding encoding = {.tokenizer = t, .scratch = &scratch->bpe, .out = out};
    size_t from = 0;
    for (size_t at = 0; at < size;) {
        const struct added_token *added = added_at(t, text + at, size - at);
        if (!added) {
            at++;
            continue;
        }
        if (!tokenizer_pieces(t, scratch, text + from, at - from, encode_piece, &encoding) ||
            !token_list_add(out, added->id))
            return false;
        from = at += added->size;
    }
    return tokenizer_pieces(t, scratch, text + from, size - from, encode_piece, &encoding);
}

/* ---- decoding ---- */

/* The text with the letters at `mark` (marks, ascending) made capitals. */
static bool put_capitals(const struct bytes *text, const size_t *mark, size_t marks,
                         struct bytes *out)
{
    size_t from = 0;
    for (size_t i = 0; i < marks; i++) {
        const struct character c = unicode_at(text->data + mark[i], text->size - mark[i]);
        const uint32_t capital = c.size && c.code <= UNICODE_LAST ? unicode_capital(c.code) : 0;
        char letter[4];
        if (mark[i] < from || !capital) continue;
        if (!bytes_add(out, text->data + from, mark[i] - from) ||
            !bytes_add(out, letter, unicode_put(letter, capital)))
            return false;
        from = mark[i] + c.size;
    }
    return bytes_add(out, text->data + from, text->size - from);
}

static const struct added_token *added_of(const struct tokenizer *t, uint32_t id)
{
    for (size_t i = 0; i < t->addeds; i++)
        if (t->added[i].id == id) return &t->added[i];
    return NULL;
}

static bool decode_one(const struct tokenizer *t, uint32_t id, struct bytes *text,
                       struct bytes *marks)
{
    if (cut_facts[t->cut].marks && id == t->case_id)
        return bytes_add(marks, &text->size, sizeof text->size);
    if (id < t->bpe.count && t->bpe.length[id])
        return bytes_add(text, t->bpe.text.data + t->bpe.from[id], t->bpe.length[id]);
    const struct added_token *added = added_of(t, id);
    return !added || bytes_add(text, added->text, added->size);
}

bool tokenizer_decode(const struct tokenizer *t, const uint32_t *id, size_t count,
                      struct bytes *out)
{
    struct bytes text = {.data = NULL}, marks = {.data = NULL};
    bool done = true;
    for (size_t i = 0; done && i < count; i++)
        done = decode_one(t, id[i], &text, &marks);
    if (done)
        done = put_capitals(&text, (const size_t *)(const void *)marks.data,
                            marks.size / sizeof(size_t), out);
    bytes_release(&text);
    bytes_release(&marks);
    return done;
}
