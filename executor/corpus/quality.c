#include "corpus/quality.h"
#include "base/hash.h"
#include "base/text.h"
#include "tokens/unicode.h"

#include <string.h>

/* Limits: [rae2021], appendix A.1.1 and table A1; that of BROKEN is assumed. */
/* clang-format off */
const struct quality_rule quality_rules[] = {
    /* reason              measure                 at_least limit  spaced */
    {REASON_BROKEN,         QUALITY_BROKEN,         false, 0.001,  false},
    {REASON_FEW_WORDS,      QUALITY_WORDS,          true,  50,     false},
    {REASON_MANY_WORDS,     QUALITY_WORDS,          false, 100000, false},
    {REASON_SHORT_WORDS,    QUALITY_WORD_LENGTH,    true,  3,      true },
    {REASON_LONG_WORDS,     QUALITY_WORD_LENGTH,    false, 10,     false},
    {REASON_SYMBOLS,        QUALITY_SYMBOLS,        false, 0.1,    false},
    {REASON_NO_LETTERS,     QUALITY_LETTERS,        true,  0.8,    false},
    {REASON_BULLETS,        QUALITY_BULLETS,        false, 0.9,    false},
    {REASON_ELLIPSES,       QUALITY_ELLIPSES,       false, 0.3,    false},
    {REASON_SAME_LINES,     QUALITY_SAME_LINES,     false, 0.3,    false},
    {REASON_SAME_LINE_TEXT, QUALITY_SAME_LINE_TEXT, false, 0.2,    false},
    {REASON_TOP_PHRASE,     QUALITY_TOP_PHRASE,     false, 0.18,   true },
    {REASON_SAME_PHRASES,   QUALITY_SAME_PHRASES,   false, 0.12,   true },
    {REASON_NONE,           QUALITY_MEASURES,       false, 0,      false},
};
/* clang-format on */

enum { TOP_WORDS = 3, SAME_WORDS = 8 };

void quality_scratch_release(struct quality_scratch *scratch)
{
    bytes_release(&scratch->seen);
}

/* ---- how often hashes were seen: a table at most half full ---- */

struct seen {
    uint64_t hash; /* 0: empty */
    uint64_t bytes;
};

struct seen_table {
    struct seen *entry;
    size_t mask;
};

static bool seen_begin(struct quality_scratch *scratch, size_t entries, struct seen_table *table)
{
    size_t size = 16;
    while (size < 2 * entries)
        size *= 2;
    scratch->seen.size = 0;
    if (!bytes_reserve(&scratch->seen, size * sizeof(struct seen))) return false;
    memset(scratch->seen.data, 0, size * sizeof(struct seen));
    *table = (struct seen_table){(struct seen *)(void *)scratch->seen.data, size - 1};
    return true;
}

/* Adds `bytes` to those of the hash; returns how many it has now. */
static uint64_t seen_add(const struct seen_table *table, uint64_t hash, uint64_t bytes)
{
    size_t at = hash & table->mask;
    while (table->entry[at].hash && table->entry[at].hash != (hash | 1))
        at = (at + 1) & table->mask;
    table->entry[at].hash = hash | 1;
    return table->entry[at].bytes += bytes;
}

/* ---- lines ---- */

struct lines {
    size_t lines, bullets, ellipses, same, same_bytes, bytes;
};

static bool begins_with_bullet(const char *line, size_t size)
{
    const struct character c = unicode_at(line, size);
    return c.size && (c.code == '*' || c.code == '-' || c.code == 0x2022 || c.code == 0x25cf ||
                      c.code == 0x25aa || c.code == 0x2023);
}

static bool measure_lines(const char *text, size_t size, struct quality_scratch *scratch,
                          struct lines *l)
{
    struct seen_table table;
    size_t feeds = 1;
    for (size_t i = 0; i < size; i++)
        feeds += text[i] == '\n';
    *l = (struct lines){.lines = 0};
    if (!seen_begin(scratch, feeds, &table)) return false;
    for (size_t at = 0; at < size;) {
        const char *feed = memchr(text + at, '\n', size - at);
        const size_t length = feed ? (size_t)(feed - text) - at : size - at;
        const char *line = text + at;
        at += length + 1;
        if (length == 0) continue;
        l->lines++;
        l->bytes += length;
        l->bullets += begins_with_bullet(line, length);
        l->ellipses += text_part_ends_in(line, length, "...") ||
                       text_part_ends_in(line, length, "\xe2\x80\xa6");
        if (seen_add(&table, hash_bytes(line, length), 1) > 1) {
            l->same++;
            l->same_bytes += length;
        }
    }
    return true;
}

/* ---- phrases ---- */

static uint64_t phrase_bytes(const struct term *term, size_t words)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < words; i++)
        bytes += term[i].size;
    return bytes;
}

static bool top_phrase(const struct terms *terms, struct quality_scratch *scratch, double *share)
{
    const struct term *term = terms_at(terms);
    struct seen_table table;
    uint64_t most = 0, all = phrase_bytes(term, terms->count);
    if (!seen_begin(scratch, terms->count, &table)) return false;
    for (size_t i = 0; i + TOP_WORDS <= terms->count; i++) {
        const uint64_t length = phrase_bytes(term + i, TOP_WORDS);
        const uint64_t bytes = seen_add(&table, terms_hash(term + i, TOP_WORDS), length);
        if (bytes > most && bytes > length) most = bytes;
    }
    *share = all ? (double)most / (double)all : 0;
    return true;
}

/* Words that stand in several such phrases count once. */
static bool same_phrases(const struct terms *terms, struct quality_scratch *scratch, double *share)
{
    const struct term *term = terms_at(terms);
    struct seen_table table;
    uint64_t same = 0, all = phrase_bytes(term, terms->count);
    size_t counted = 0; /* words before it are */
    if (!seen_begin(scratch, terms->count, &table)) return false;
    for (size_t i = 0; i + SAME_WORDS <= terms->count; i++) {
        if (seen_add(&table, terms_hash(term + i, SAME_WORDS), 1) < 2) continue;
        const size_t from = i > counted ? i : counted;
        same += phrase_bytes(term + from, i + SAME_WORDS - from);
        counted = i + SAME_WORDS;
    }
    *share = all ? (double)same / (double)all : 0;
    return true;
}

/* ---- all measures ---- */

static double share(size_t part, size_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void measure_characters(const char *text, size_t size, double *measure, size_t words)
{
    size_t characters = 0, broken = 0, symbols = 0;
    for (size_t i = 0; i < size; i++) {
        characters += ((unsigned char)text[i] & 0xc0) != 0x80;
        broken += size - i >= 3 && memcmp(text + i, "\xef\xbf\xbd", 3) == 0;
        symbols += text[i] == '#' || (size - i >= 3 && (memcmp(text + i, "...", 3) == 0 ||
                                                        memcmp(text + i, "\xe2\x80\xa6", 3) == 0));
    }
    measure[QUALITY_BROKEN] = share(broken, characters);
    measure[QUALITY_SYMBOLS] = share(symbols, words);
}

static void measure_words(const struct terms *terms, double *measure)
{
    const struct term *term = terms_at(terms);
    size_t characters = 0, letters = 0;
    for (size_t i = 0; i < terms->count; i++) {
        characters += term[i].characters;
        letters += term[i].letters;
    }
    measure[QUALITY_WORDS] = (double)terms->count;
    measure[QUALITY_WORD_LENGTH] = share(characters, terms->count);
    measure[QUALITY_LETTERS] = share(letters, terms->count);
}

bool quality_measure(const char *text, size_t size, const struct terms *terms,
                     struct quality_scratch *scratch, double measure[QUALITY_MEASURES])
{
    struct lines l;
    measure_characters(text, size, measure, terms->count);
    measure_words(terms, measure);
    if (!measure_lines(text, size, scratch, &l)) return false;
    measure[QUALITY_BULLETS] = share(l.bullets, l.lines);
    measure[QUALITY_ELLIPSES] = share(l.ellipses, l.lines);
    measure[QUALITY_SAME_LINES] = share(l.same, l.lines);
    measure[QUALITY_SAME_LINE_TEXT] = share(l.same_bytes, l.bytes);
    return top_phrase(terms, scratch, &measure[QUALITY_TOP_PHRASE]) &&
           same_phrases(terms, scratch, &measure[QUALITY_SAME_PHRASES]);
}

bool quality_unspaced(const struct terms *terms)
{
    const struct term *term = terms_at(terms);
    size_t unspaced = 0;
    for (size_t i = 0; i < terms->count; i++)
        unspaced += term[i].unspaced;
    return 2 * unspaced > terms->count;
}

enum reason quality_judge(const double measure[QUALITY_MEASURES], bool unspaced)
{
    for (const struct quality_rule *rule = quality_rules; rule->reason != REASON_NONE; rule++) {
        const double value = measure[rule->measure];
        if (unspaced && rule->spaced) continue;
        if (rule->at_least ? value < rule->limit : value > rule->limit) return rule->reason;
    }
    return REASON_NONE;
}
