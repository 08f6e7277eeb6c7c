#include "tokens/unicode.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

#include <stdlib.h>

/* ---- tables: data/unicode, made by tools/make-unicode ---- */

/* A class holds from code >> 3 on: code << 3 | enum char_class. */
static const uint32_t class_from[] = {
#define ROW(code, class) code << 3 | class,
#include "tables/classes.h"
#undef ROW
};

/* Capitals whose small letter leads back to them: every `step`th from first to last. */
static const struct capital {
    uint32_t first, last, step;
    int32_t to_small;
} capitals[] = {
#define ROW(first, last, step, to_small) {first, last, step, to_small},
#include "tables/capitals.h"
#undef ROW
};

/* Canonical_Combining_Class where it is not 0. */
static const struct combining {
    uint32_t first, last, order;
} combining[] = {
#define ROW(first, last, order) {first, last, order},
#include "tables/combining.h"
#undef ROW
};

/* Canonical decompositions, one step: the character or the second << 20 | first of a pair. */
static const uint64_t decompositions[] = {
#define ROW(first, second) (uint64_t)(second) << 20 | first,
#include "tables/decompositions.h"
#undef ROW
};

/* They are of runs of characters: the first of each, and its row above. */
static const uint32_t run_from[] = {
#define ROW(code, row) code,
#include "tables/runs.h"
#undef ROW
};
static const uint32_t run_row[] = {
#define ROW(code, row) row,
#include "tables/runs.h"
#undef ROW
};

/* The rows above that NFC composes again, in the order of (first, second). */
static const uint16_t composed[] = {
#define ROW(row) row,
#include "tables/composed.h"
#undef ROW
};

/* ---- characters ---- */

/* Of an ascending list, the last that is not above `value`, else the first. */
static inline size_t last_until(const uint32_t *list, size_t count, uint32_t value)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (list[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static enum char_class unicode_class(uint32_t code)
{
    if (code > UNICODE_LAST) return CLASS_OTHER;
    return class_from[last_until(class_from, COUNT_OF(class_from), code << 3 | 7)] & 7;
}

/* clang-format off */
const uint8_t unicode_ascii_class[0x80] = {
    ['\t' ... '\r'] = CLASS_SPACE,
    [' ']           = CLASS_SPACE,
    ['0' ... '9']   = CLASS_NUMBER,
    ['A' ... 'Z']   = CLASS_LETTER,
    ['a' ... 'z']   = CLASS_LETTER,
};
/* clang-format on */

struct character unicode_beyond_ascii(const char *text, size_t length)
{
    const unsigned char *byte = (const unsigned char *)text;
    const size_t size = text_utf8_length(text, length);
    if (size == 0)
        return (struct character){
            .code = UNICODE_BROKEN + byte[0], .size = 1, .class = CLASS_OTHER};
    uint32_t code = byte[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++)
        code = code << 6 | (byte[i] & 0x3f);
    return (struct character){
        .code = code, .size = (uint8_t)size, .class = (uint8_t)unicode_class(code)};
}

size_t unicode_put(char buffer[static 4], uint32_t code)
{
    if (code < 0x80 || code > UNICODE_LAST) {
        buffer[0] = (char)code; /* of a broken one, the low byte is the byte */
        return 1;
    }
    const size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, code >>= 6)
        buffer[i] = (char)(0x80 | (code & 0x3f));
    buffer[0] = (char)((0xf00u >> size) | code);
    return size;
}

/* ---- capitals ---- */

uint32_t unicode_small(uint32_t code)
{
    size_t low = 0, high = COUNT_OF(capitals);
    if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + 32 : 0;
    while (low < high) { /* the first row that does not end before `code` */
        const size_t middle = (low + high) / 2;
        if (capitals[middle].last < code)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == COUNT_OF(capitals) || code < capitals[low].first) return 0;
    if ((code - capitals[low].first) % capitals[low].step) return 0;
    return (uint32_t)((int32_t)code + capitals[low].to_small);
}

uint32_t unicode_capital(uint32_t code)
{
    for (size_t i = 0; i < COUNT_OF(capitals); i++) {
        const uint32_t capital = (uint32_t)((int32_t)code - capitals[i].to_small);
        if (capital >= capitals[i].first && capital <= capitals[i].last &&
            (capital - capitals[i].first) % capitals[i].step == 0)
            return capital;
    }
    return 0;
}

/* ---- Normalization Form C ---- */

/* Nothing below composes, decomposes or combines. */
enum { FIRST_TO_NORMALIZE = 0x300 };

/* Hangul syllables are numbers in base (19, 21, 28) of their parts: Unicode, section 3.12. */
enum {
    HANGUL_FIRST = 0xac00,
    HANGUL_LEAD = 0x1100,
    HANGUL_VOWEL = 0x1161,
    HANGUL_TAIL = 0x11a7,
    HANGUL_LEADS = 19,
    HANGUL_VOWELS = 21,
    HANGUL_TAILS = 28,
    HANGUL_SYLLABLES = HANGUL_LEADS * HANGUL_VOWELS * HANGUL_TAILS
};

struct codes {
    uint32_t *code;
    size_t count;
};

static bool codes_add(struct codes *codes, uint32_t code)
{
    if (!ARRAY_ROOM(codes->code, codes->count)) return false;
    codes->code[codes->count++] = code;
    return true;
}

static uint32_t combining_order(uint32_t code)
{
    size_t low = 0, high = COUNT_OF(combining);
    if (code < FIRST_TO_NORMALIZE) return 0;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (combining[middle].last < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < COUNT_OF(combining) && combining[low].first <= code ? combining[low].order : 0;
}

enum { FIRST_BITS = 20, FIRST_MASK = (1 << FIRST_BITS) - 1 };

/* 0 for what does not decompose. */
static uint64_t find_decomposition(uint32_t code)
{
    const size_t run = last_until(run_from, COUNT_OF(run_from), code);
    const size_t row = run_row[run] + code - run_from[run];
    const size_t end = run + 1 < COUNT_OF(run_row) ? run_row[run + 1] : COUNT_OF(decompositions);
    return code >= run_from[run] && row < end ? decompositions[row] : 0;
}

static bool decompose(struct codes *codes, uint32_t code)
{
    const uint32_t syllable = code - HANGUL_FIRST;
    if (syllable < HANGUL_SYLLABLES) {
        const uint32_t tail = syllable % HANGUL_TAILS, rest = syllable / HANGUL_TAILS;
        return codes_add(codes, HANGUL_LEAD + rest / HANGUL_VOWELS) &&
               codes_add(codes, HANGUL_VOWEL + rest % HANGUL_VOWELS) &&
               (tail == 0 || codes_add(codes, HANGUL_TAIL + tail));
    }
    const uint64_t parts = find_decomposition(code), second = parts >> FIRST_BITS;
    if (!parts) return codes_add(codes, code);
    return decompose(codes, parts & FIRST_MASK) && (!second || codes_add(codes, (uint32_t)second));
}

static uint32_t compose_hangul(uint32_t first, uint32_t second)
{
    const uint32_t lead = first - HANGUL_LEAD, vowel = second - HANGUL_VOWEL;
    const uint32_t syllable = first - HANGUL_FIRST, tail = second - HANGUL_TAIL;
    if (lead < HANGUL_LEADS && vowel < HANGUL_VOWELS)
        return HANGUL_FIRST + (lead * HANGUL_VOWELS + vowel) * HANGUL_TAILS;
    if (syllable < HANGUL_SYLLABLES && syllable % HANGUL_TAILS == 0 && tail > 0 &&
        tail < HANGUL_TAILS)
        return first + tail;
    return 0;
}

static uint32_t code_of_row(uint32_t row)
{
    const size_t run = last_until(run_row, COUNT_OF(run_row), row);
    return run_from[run] + row - run_row[run];
}

static uint32_t compose(uint32_t first, uint32_t second)
{
    const uint32_t syllable = compose_hangul(first, second);
    size_t low = 0, high = syllable || second < FIRST_TO_NORMALIZE ? 0 : COUNT_OF(composed);
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const uint64_t parts = decompositions[composed[middle]];
        const uint32_t one = parts & FIRST_MASK, two = (uint32_t)(parts >> FIRST_BITS);
        if (one == first && two == second) return code_of_row(composed[middle]);
        if (one < first || (one == first && two < second))
            low = middle + 1;
        else
            high = middle;
    }
    return syllable;
}

/* Combining class, place and code in one number: to sort these is to sort stably. */
enum { CODE_BITS = 21, PLACE_BITS = 35 };

/* Marks between two characters that do not combine: by combining class, else as they stand. */
static bool order_marks(struct codes *codes, struct bytes *scratch)
{
    for (size_t first = 0, end; first < codes->count; first = end + 1) {
        scratch->size = 0;
        for (end = first; end < codes->count; end++) {
            const uint64_t order = combining_order(codes->code[end]);
            const uint64_t key =
                order << (PLACE_BITS + CODE_BITS) | (uint64_t)end << CODE_BITS | codes->code[end];
            if (order == 0) break;
            if (!bytes_add(scratch, &key, sizeof key)) return false;
        }
        if (end - first < 2) continue;
        const uint64_t *sorted = (const uint64_t *)(const void *)scratch->data;
        qsort(scratch->data, end - first, sizeof *sorted, by_count);
        for (size_t i = first; i < end; i++)
            codes->code[i] = sorted[i - first] & ((UINT32_C(1) << CODE_BITS) - 1);
    }
    return true;
}

/* A character joins the last starter unless one in between has its class or a higher one. */
static void compose_all(struct codes *codes)
{
    size_t starter = SIZE_MAX, kept = 0;
    uint32_t before = 0; /* class of the last one kept after the starter */
    for (size_t i = 0; i < codes->count; i++) {
        const uint32_t code = codes->code[i], order = combining_order(code);
        const bool adjacent = starter != SIZE_MAX && kept == starter + 1;
        if (starter != SIZE_MAX && (adjacent || before < order)) {
            const uint32_t whole = compose(codes->code[starter], code);
            if (whole) {
                codes->code[starter] = whole;
                continue;
            }
        }
        if (order == 0) starter = kept;
        before = order;
        codes->code[kept++] = code;
    }
    codes->count = kept;
}

bool unicode_is_nfc(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] >= 0xcc) return false; /* U+0300 begins with CC 80 */
    return true;
}

static bool put_codes(const struct codes *codes, struct bytes *out)
{
    if (!bytes_reserve(out, 4 * codes->count)) return false;
    for (size_t i = 0; i < codes->count; i++)
        out->size += unicode_put(out->data + out->size, codes->code[i]);
    return true;
}

/* From one character that is always a boundary (all below U+0300 are) to the next. */
static bool normalize_run(const char *text, size_t length, struct codes *codes,
                          struct bytes *scratch, struct bytes *out)
{
    codes->count = 0;
    for (size_t at = 0; at < length;) {
        const struct character c = unicode_at(text + at, length - at);
        if (!(c.code > UNICODE_LAST ? codes_add(codes, c.code) : decompose(codes, c.code)))
            return false;
        at += c.size;
    }
    if (!order_marks(codes, scratch)) return false;
    compose_all(codes);
    return put_codes(codes, out);
}

bool unicode_nfc(const char *text, size_t length, struct bytes *out)
{
    struct codes codes = {.code = NULL};
    struct bytes scratch = {.data = NULL};
    bool done = true;
    for (size_t at = 0; done && at < length;) {
        size_t end = at + 1;
        while (end < length && (unsigned char)text[end] >= 0x80)
            end++;
        done = unicode_is_nfc(text + at, end - at)
                   ? bytes_add(out, text + at, end - at)
                   : normalize_run(text + at, end - at, &codes, &scratch, out);
        at = end;
    }
    free(codes.code);
    bytes_release(&scratch);
    return done;
}
