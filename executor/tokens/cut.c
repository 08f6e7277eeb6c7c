#include "tokens/cut.h"
#include "tokens/unicode.h"

#include <string.h>

#define SIGNS            "[+\\-*/=<>^%×÷−]"
#define DIGITS_AND_SIGNS "\\p{N}|" SIGNS
#define WORDS_AND(digits)                                                                          \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" digits                           \
    "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

/* clang-format off */
const struct cut_facts cut_facts[CUTS] = {
    /*                   name          split                     byte_level  marks */
    [CUT_DEFAULT]    = { "default",    NULL,                     true,       false },
    [CUT_CASE]       = { "case",       NULL,                     true,       true  },
    [CUT_ARITHMETIC] = { "arithmetic", DIGITS_AND_SIGNS,         true,       false },
    [CUT_COMBINED]   = { "combined",   DIGITS_AND_SIGNS,         true,       true  },
    [CUT_CHARACTER]  = { "character",  "[\\s\\S]",               false,      false },
    [CUT_LLAMA3]     = { "llama3",     WORDS_AND("\\p{N}{1,3}"), false,      false },
    [CUT_QWEN]       = { "qwen",       WORDS_AND("\\p{N}"),      false,      false },
};
/* clang-format on */

const char *const cut_names[] = {"default",   "case",   "arithmetic", "combined",
                                 "character", "llama3", "qwen",       NULL};

/* ---- runs of characters ---- */

typedef bool (*char_test)(struct character c);

static bool is_number(struct character c)
{
    return c.class == CLASS_NUMBER;
}

static bool is_space(struct character c)
{
    return c.class == CLASS_SPACE;
}

static bool is_line_end(struct character c)
{
    return c.code == '\n' || c.code == '\r';
}

static bool is_symbol(struct character c)
{
    return c.size && !is_letter(c) && !is_number(c) && !is_space(c);
}

static bool is_sign(struct character c)
{
    static const char signs[] = "+-*/=<>^%";
    if (c.code < 0x80) return c.size && memchr(signs, (int)c.code, sizeof signs - 1);
    return c.code == 0xd7 || c.code == 0xf7 || c.code == 0x2212;
}

/* The bytes at the beginning that hold at most `most` characters, all of which belong. */
static size_t run_of(char_test belongs, const char *text, size_t size, size_t most)
{
    size_t at = 0;
    for (size_t count = 0; count < most; count++) {
        const struct character c = unicode_at(text + at, size - at);
        if (!c.size || !belongs(c)) break;
        at += c.size;
    }
    return at;
}

/* ---- the parts of the regular expressions ---- */

/* Length of a contraction at `text`: s t re ve m ll d after an apostrophe; U+017F is an s when case
 * is ignored. */
static size_t contraction(const char *text, size_t size, bool any_case)
{
    static const char *const endings[] = {"s", "t", "re", "ve", "m", "ll", "d"};
    const size_t many = sizeof endings / sizeof *endings;
    if (size < 2 || text[0] != '\'') return 0;
    for (size_t i = 0; i < many; i++) {
        const size_t length = strlen(endings[i]);
        if (size - 1 < length) continue;
        if ((any_case ? strncasecmp : strncmp)(text + 1, endings[i], length) == 0)
            return 1 + length;
    }
    return any_case && size >= 3 && memcmp(text + 1, "\xc5\xbf", 2) == 0 ? 3 : 0;
}

/* A run with a blank before it, or without. */
static size_t blank_and_run(char_test belongs, const char *text, size_t size)
{
    const size_t blank = text[0] == ' ';
    const size_t run = run_of(belongs, text + blank, size - blank, SIZE_MAX);
    return run ? blank + run : 0;
}

/* White space, but its last character where something else follows, unless it is the only one. */
static size_t spaces(const char *text, size_t size)
{
    size_t at = 0, last = 0;
    for (struct character c; (c = unicode_at(text + at, size - at)).size && is_space(c);) {
        last = at;
        at += c.size;
    }
    return at == size || last == 0 ? at : last;
}

/* White space up to its last line end; 0 when there is none. */
static size_t spaces_and_lines(const char *text, size_t size)
{
    size_t at = 0, end = 0;
    for (struct character c; (c = unicode_at(text + at, size - at)).size && is_space(c);) {
        at += c.size;
        if (is_line_end(c)) end = at;
    }
    return end;
}

/* ---- the rules: the size of the first piece of a text that is not empty ---- */

static size_t first_gpt2(const char *text, size_t size)
{
    size_t piece = contraction(text, size, false);
    if (!piece) piece = blank_and_run(is_letter, text, size);
    if (!piece) piece = blank_and_run(is_number, text, size);
    if (!piece) piece = blank_and_run(is_symbol, text, size);
    return piece ? piece : spaces(text, size);
}

static size_t letters_behind_one(const char *text, size_t size)
{
    const struct character c = unicode_at(text, size);
    const size_t before = is_letter(c) || is_number(c) || is_line_end(c) ? 0 : c.size;
    const size_t run = run_of(is_letter, text + before, size - before, SIZE_MAX);
    return run ? before + run : 0;
}

static size_t first_words_and(const char *text, size_t size, size_t digits)
{
    size_t piece = contraction(text, size, true);
    if (!piece) piece = letters_behind_one(text, size);
    if (!piece) piece = run_of(is_number, text, size, digits);
    if (piece) return piece;
    piece = blank_and_run(is_symbol, text, size);
    if (piece) return piece + run_of(is_line_end, text + piece, size - piece, SIZE_MAX);
    piece = spaces_and_lines(text, size);
    return piece ? piece : spaces(text, size);
}

static size_t first_piece(enum cut cut, const char *text, size_t size)
{
    if (cut == CUT_LLAMA3) return first_words_and(text, size, 3);
    if (cut == CUT_QWEN) return first_words_and(text, size, 1);
    if (cut == CUT_CHARACTER) return unicode_at(text, size).size;
    return first_gpt2(text, size);
}

/* ---- the iterator ---- */

static bool stands_alone(struct character c)
{
    return is_number(c) || is_sign(c);
}

static bool stands_with_others(struct character c)
{
    return !stands_alone(c);
}

/* From `at` on: up to the next mark, and of that one digit or sign, or what is before the next. */
static size_t part_end(const struct cutter *c)
{
    const size_t end = c->marks && c->mark[0] < c->size ? c->mark[0] : c->size;
    const size_t left = end - c->at;
    if (c->cut != CUT_ARITHMETIC && c->cut != CUT_COMBINED) return end;
    const size_t alone = run_of(stands_alone, c->text + c->at, left, 1);
    return c->at + (alone ? alone : run_of(stands_with_others, c->text + c->at, left, SIZE_MAX));
}

struct cutter cutter_begin(enum cut cut, const char *text, size_t size, const size_t *mark,
                           size_t marks)
{
    return (struct cutter){.cut = cut, .text = text, .size = size, .mark = mark, .marks = marks};
}

bool cutter_next(struct cutter *c, struct piece *piece)
{
    if (c->at >= c->size) return false;
    if (c->marks && c->mark[0] == c->at) {
        c->mark++;
        c->marks--;
        *piece = (struct piece){.text = NULL};
        return true;
    }
    if (c->at >= c->until) c->until = part_end(c);
    piece->text = c->text + c->at;
    piece->size = first_piece(c->cut, piece->text, c->until - c->at);
    c->at += piece->size;
    return true;
}

bool cut_small_letters(const char *text, size_t size, struct bytes *out, struct bytes *marks)
{
    for (size_t at = 0; at < size;) {
        const struct character c = unicode_at(text + at, size - at);
        const uint32_t small = c.code > UNICODE_LAST ? 0 : unicode_small(c.code);
        if (small && !bytes_add(marks, &out->size, sizeof out->size)) return false;
        if (!bytes_reserve(out, 4)) return false;
        out->size += unicode_put(out->data + out->size, small ? small : c.code);
        at += c.size;
    }
    return true;
}

/* ---- where a text can be cut in two ---- */

/* The last character of a text that is not empty. */
static struct character character_before(const char *text, size_t at)
{
    size_t from = at - 1;
    while (from > 0 && at - from < 4 && ((unsigned char)text[from] & 0xc0) == 0x80)
        from--;
    const struct character c = unicode_at(text + from, at - from);
    return c.size == at - from ? c : unicode_at(text + at - 1, 1);
}

static bool is_safe_end(const char *text, size_t size, size_t at)
{
    const struct character before = character_before(text, at);
    if (text[at] == ' ') return is_letter(before) || is_number(before);
    return before.code == '\n' && at >= 2 && !is_space(character_before(text, at - 1)) &&
           !is_space(unicode_at(text + at, size - at));
}

size_t cut_safe_end(const char *text, size_t size, size_t before)
{
    for (size_t at = before ? before - 1 : 0; at > 0; at--)
        if ((text[at] == ' ' || text[at - 1] == '\n') && is_safe_end(text, size, at)) return at;
    return 0;
}

bool cut_parts(const char *text, size_t size, size_t part, struct bytes *ends)
{
    size_t wanted = part;
    for (size_t at = 0; at < size;) {
        const size_t left = size - at;
        const size_t end = left > wanted ? cut_safe_end(text + at, left, wanted) : left;
        wanted = end ? part : 2 * wanted;
        at += end;
        if (end && !bytes_add(ends, &at, sizeof at)) return false;
    }
    return true;
}
