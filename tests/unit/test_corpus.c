/* The parts of reckon corpus against twins by brute force, on constructed texts. */
#include "corpus/blend.h"
#include "corpus/clean.h"
#include "corpus/duplicates.h"
#include "corpus/html.h"
#include "corpus/language.h"
#include "corpus/passages.h"
#include "corpus/quality.h"
#include "text/csv.h"
#include "text/document.h"
#include "tokens/unicode.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static size_t put_words(char *text, const uint32_t *word, size_t words)
{
    size_t size = 0;
    for (size_t i = 0; i < words; i++)
        size += (size_t)sprintf(text + size, i ? " w%x" : "w%x", word[i]);
    return size;
}

/* ---- near duplicates ---- */

enum { FAMILIES = 60, MEMBERS = 5, DOCUMENTS = FAMILIES * MEMBERS, WORDS = 200, TEXT = 2000 };

/* Jaccard similarity of the sets of five words in a row, by looking at every pair. */
static double brute_jaccard(const uint32_t *a, const uint32_t *b)
{
    int rows = WORDS - MINHASH_WORDS + 1, both = 0;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rows; k++)
            if (memcmp(a + i, b + k, MINHASH_WORDS * sizeof *a) == 0) {
                both++;
                break;
            }
    return (double)both / (2.0 * rows - both);
}

static uint32_t words[DOCUMENTS][WORDS];

/* Each member of a family differs from the first in 0 to 12 words. */
static void make_families(void)
{
    for (int f = 0; f < FAMILIES; f++)
        for (int m = 0; m < MEMBERS; m++) {
            uint32_t *text = words[f * MEMBERS + m];
            for (int i = 0; i < WORDS; i++)
                text[i] = m ? words[f * MEMBERS][i] : draw(1 << 20);
            for (int change = m ? (int)draw(13) : 0; change > 0; change--)
                text[draw(WORDS)] = draw(1 << 20);
        }
}

static void fill_store(struct store *store, const char *folder)
{
    struct rk_error error;
    cr_assert_eq(store_open(store, folder, 0, &error), RK_OK, "%s", error.text);
    for (int i = 0; i < DOCUMENTS; i++) {
        char text[TEXT];
        struct terms terms = {.count = 0};
        struct bytes set = {.data = NULL};
        const size_t size = put_words(text, words[i], WORDS);
        struct store_row row = {.size = (uint32_t)size, .hash = (uint64_t)size};
        cr_assert(terms_of(text, size, &terms) && minhash_set(&terms, &set));
        minhash_keys((const uint64_t *)(const void *)set.data, set.size / 8, row.key);
        cr_assert_eq(store_add(store, &row, 1, text, size, &error), RK_OK);
        terms_release(&terms);
        bytes_release(&set);
    }
}

static void empty_folder(const char *folder)
{
    char path[256];
    snprintf(path, sizeof path, "%s/texts", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/rows", folder);
    unlink(path);
    rmdir(folder);
}

/* Components of all pairs at or above the threshold: label = first document. */
static void brute_components(double threshold, int *first)
{
    for (int i = 0; i < DOCUMENTS; i++)
        first[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < DOCUMENTS; i++)
            for (int k = i - i % MEMBERS; k < i; k++) {
                const int least = first[i] < first[k] ? first[i] : first[k];
                if (first[i] == first[k] || brute_jaccard(words[i], words[k]) < threshold) continue;
                first[i] = first[k] = least;
                changed = true;
            }
    }
}

Test(corpus, near_duplicates_recall_and_precision)
{
    static int expected[DOCUMENTS];
    char folder[] = "near-XXXXXX";
    struct store store;
    struct duplicates found[2];
    struct rk_error error;
    int real = 0, right = 0, wrong = 0;
    state = 1;
    make_families();
    cr_assert(mkdtemp(folder));
    fill_store(&store, folder);
    for (int threads = 1; threads <= 2; threads++) {
        const struct duplicates_options options = {.threshold = 0.8, .threads = threads};
        cr_assert_eq(duplicates_find(&store, &options, &found[threads - 1], &error), RK_OK);
    }
    brute_components(0.8, expected);
    for (int i = 0; i < DOCUMENTS; i++) {
        const bool is = expected[i] != i, says = found[0].first[i] != (uint32_t)i;
        real += is;
        right += is && says;
        wrong += says && !is;
        cr_assert_eq(found[0].first[i], found[1].first[i]);
        cr_assert_eq(found[0].first[i] / MEMBERS, i / MEMBERS);
        cr_assert_eq(says, found[0].reason[i] != REASON_NONE);
    }
    cr_log_info("%d of %d found, %d wrongly\n", right, real, wrong);
    cr_assert_gt(real, 50);
    cr_assert_lt(real, DOCUMENTS - FAMILIES - 20); /* some are not alike enough */
    cr_assert_eq(wrong, 0);                        /* each is compared exactly */
    cr_assert_geq(right, 0.98 * real);
    duplicates_release(&found[0]);
    duplicates_release(&found[1]);
    store_close(&store);
    empty_folder(folder);
}

Test(corpus, jaccard_is_that_of_the_sets)
{
    state = 2;
    make_families();
    for (int i = 1; i < MEMBERS; i++) {
        struct terms terms = {.count = 0};
        struct bytes a = {.data = NULL}, b = {.data = NULL};
        char text[TEXT];
        cr_assert(terms_of(text, put_words(text, words[0], WORDS), &terms) &&
                  minhash_set(&terms, &a));
        cr_assert(terms_of(text, put_words(text, words[i], WORDS), &terms) &&
                  minhash_set(&terms, &b));
        cr_assert_float_eq(minhash_jaccard((uint64_t *)(void *)a.data, a.size / 8,
                                           (uint64_t *)(void *)b.data, b.size / 8),
                           brute_jaccard(words[0], words[i]), 1e-12);
        terms_release(&terms);
        bytes_release(&a);
        bytes_release(&b);
    }
}

/* How often two sets share a key: 1 - (1 - s^6)^20, here at 0.5 and 0.8. */
Test(corpus, keys_are_shared_as_often_as_the_formula_says)
{
    enum { TRIALS = 600, EACH = 180 };
    static const double similarities[] = {0.5, 0.8};
    state = 3;
    for (int s = 0; s < 2; s++) {
        const int both = (int)lround(2 * EACH * similarities[s] / (1 + similarities[s]));
        const double expected = 1 - pow(1 - pow(both / (2.0 * EACH - both), 6), 20);
        int shared = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            uint64_t a[EACH], b[EACH], x[MINHASH_BANDS], y[MINHASH_BANDS];
            bool any = false;
            for (int i = 0; i < EACH; i++) {
                a[i] = (uint64_t)draw(UINT32_MAX) << 32 | draw(UINT32_MAX);
                b[i] = i < both ? a[i] : (uint64_t)draw(UINT32_MAX) << 32 | draw(UINT32_MAX);
            }
            minhash_keys(a, EACH, x);
            minhash_keys(b, EACH, y);
            for (int k = 0; k < MINHASH_BANDS; k++)
                any |= x[k] == y[k];
            shared += any;
        }
        /* four standard deviations */
        cr_assert_float_eq((double)shared / TRIALS, expected,
                           4 * sqrt(expected * (1 - expected) / TRIALS) + 0.002);
    }
}

/* ---- evaluation passages ---- */

static bool holds_passage(const char *text, size_t size, const uint32_t *passage)
{
    char wanted[TEXT], copy[TEXT * 4];
    wanted[put_words(wanted, passage, PASSAGE_WORDS)] = '\0';
    memcpy(copy, text, size);
    copy[size] = '\0';
    return strstr(copy, wanted) != NULL;
}

Test(corpus, passages_are_cut_out_with_their_margins)
{
    uint32_t passage[20], text_words[800];
    char text[TEXT * 4];
    struct passages passages = {.hash = NULL};
    struct terms terms = {.count = 0};
    struct bytes pieces = {.data = NULL};
    state = 4;
    for (int i = 0; i < 20; i++)
        passage[i] = draw(1 << 20);
    for (int i = 0; i < 800; i++)
        text_words[i] = draw(1 << 20);
    memcpy(text_words + 400, passage, sizeof passage);
    size_t size = put_words(text, passage, 20);
    for (size_t i = 0; i < size; i++)
        if (text[i] == 'w') text[i] = 'W'; /* neither case ... */
    text[2] = text[2] == ' ' ? ',' : text[2];
    cr_assert(terms_of(text, size, &terms) && passages_add(&passages, &terms));
    cr_assert(terms_of("too short", 9, &terms) && passages_add(&passages, &terms));
    cr_assert_eq(passages.too_short, 1);
    cr_assert_eq(passages.count, 20 - PASSAGE_WORDS + 1);

    size = put_words(text, text_words, 800);
    cr_assert(terms_of(text, size, &terms));
    cr_assert_eq(passages_cut(&passages, text, size, &terms, &pieces), 1);
    const struct passage_piece *piece = (struct passage_piece *)(void *)pieces.data;
    const struct term *term = terms_at(&terms);
    cr_assert_eq(pieces.size / sizeof *piece, 2);
    cr_assert_eq(piece[0].from, 0);
    cr_assert_eq(piece[0].size, term[400].from - PASSAGE_MARGIN);
    cr_assert_eq(piece[1].from, term[419].from + term[419].size + PASSAGE_MARGIN);
    cr_assert_eq(piece[1].from + piece[1].size, size);
    for (int i = 0; i < 2; i++)
        cr_assert(!holds_passage(text + piece[i].from, piece[i].size, passage));

    /* Twelve words of it are not a passage. */
    memcpy(text_words + 400, text_words, 100 * sizeof *text_words);
    memcpy(text_words + 400, passage, (PASSAGE_WORDS - 1) * sizeof *passage);
    size = put_words(text, text_words, 800);
    cr_assert(terms_of(text, size, &terms));
    cr_assert_eq(passages_cut(&passages, text, size, &terms, &pieces), 0);

    /* Eleven cuts are too many. */
    pieces.size = 0;
    for (int i = 0; i < 800; i++)
        text_words[i] = draw(1 << 20);
    for (int i = 0; i < 11; i++)
        memcpy(text_words + 72 * i + 5, passage, PASSAGE_WORDS * sizeof *passage);
    size = put_words(text, text_words, 800);
    cr_assert(terms_of(text, size, &terms));
    const long cuts = passages_cut(&passages, text, size, &terms, &pieces);
    cr_assert_eq(cuts, 11);
    cr_assert_eq(pieces.size, 0);
    passages_release(&passages);
    terms_release(&terms);
    bytes_release(&pieces);
}

/* ---- blending ---- */

Test(corpus, epochs_of_a_published_blend)
{
    char path[512];
    struct csv csv;
    struct rk_error error;
    struct blend_set set[32] = {{.weight = 0}};
    snprintf(path, sizeof path, "%s/data/corpus/mt-nlg.csv", RECKON_TEST_SOURCE);
    cr_assert_eq(csv_load(path, &csv, &error), RK_OK, "%s", error.text);
    for (size_t i = 0; i < csv.rows; i++) {
        set[i].tokens = atof(csv_cell(&csv, i, 1)) * 1e9;
        set[i].weight = atof(csv_cell(&csv, i, 2));
    }
    cr_assert_float_eq(blend_epochs(set, csv.rows, 270e9, 4), 270e9, 1);
    for (size_t i = 0; i < csv.rows; i++) /* published with one decimal, of rounded weights */
        cr_assert_float_eq(set[i].epochs, atof(csv_cell(&csv, i, 3)), 0.13, "%s",
                           csv_cell(&csv, i, 0));
    csv_release(&csv);
}

Test(corpus, capped_sets_leave_the_rest_to_the_others)
{
    /* By hand: 10 of 300 asked by weight 2/4 is 150 = 15 epochs, capped to 3: 30. Of the 270 left
     * the two others get 135 each: 1.35 and 0.675 epochs. */
    struct blend_set set[] = {
        {.weight = 2, .tokens = 10}, {.weight = 1, .tokens = 100}, {.weight = 1, .tokens = 200}};
    cr_assert_float_eq(blend_epochs(set, 3, 300, 3), 300, 1e-9);
    cr_assert_float_eq(set[0].epochs, 3, 1e-12);
    cr_assert_float_eq(set[1].epochs, 1.35, 1e-12);
    cr_assert_float_eq(set[2].epochs, 0.675, 1e-12);
    cr_assert(set[0].capped && !set[1].capped && !set[2].capped);
    cr_assert_float_eq(blend_epochs(set, 3, 3000, 2), 620, 1e-9); /* all capped */
    state = 5;
    for (int round = 0; round < 1000; round++) {
        double all = 0;
        for (int i = 0; i < 3; i++)
            set[i] = (struct blend_set){.weight = 1 + draw(20), .tokens = 1 + draw(500)};
        const double cap = 0.5 + draw(5), found = blend_epochs(set, 3, 100, cap);
        for (int i = 0; i < 3; i++) {
            all += set[i].epochs * set[i].tokens;
            cr_assert_leq(set[i].epochs, cap * (1 + 1e-12));
        }
        cr_assert_float_eq(all, found, 1e-9);
        cr_assert_leq(found, 100 * (1 + 1e-12));
        for (int i = 0; i < 3; i++) /* what is not capped keeps the proportion of the weights */
            for (int k = 0; k < 3; k++)
                if (!set[i].capped && !set[k].capped)
                    cr_assert_float_eq(set[i].share * set[k].weight, set[k].share * set[i].weight,
                                       1e-9);
    }
}

/* ---- languages ---- */

struct accuracy {
    int right, all;
};

/* A text of about `size` bytes that ends with a character. */
static size_t whole_characters(const char *text, size_t left, size_t size)
{
    if (size >= left) return left;
    while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
        size--;
    return size;
}

/* Learns the first four fifths of each text and guesses parts of the last one. */
static struct accuracy held_out(size_t size)
{
    struct languages *l = languages_new();
    struct document document[LANGUAGES_MOST];
    static const char *const codes[] = {"ar", "bg", "bn", "cs", "de", "el", "en", "es", "fa", "fi",
                                        "fr", "he", "hi", "hu", "id", "it", "ja", "ko", "nl", "pl",
                                        "pt", "ru", "sv", "ta", "th", "tr", "uk", "vi", "zh"};
    enum { CODES = sizeof codes / sizeof *codes };
    struct accuracy a = {0, 0};
    for (int i = 0; i < CODES; i++) {
        char path[512];
        struct rk_error error;
        snprintf(path, sizeof path, "%s/data/corpus/declaration/%s.txt", RECKON_TEST_SOURCE,
                 codes[i]);
        cr_assert_eq(document_load_text(path, &document[i], &error), RK_OK);
        languages_learn(l, codes[i], document[i].text, document[i].size * 4 / 5);
    }
    languages_finish(l);
    for (int i = 0; i < CODES; i++) {
        const char *end = document[i].text + document[i].size;
        for (const char *at = document[i].text + document[i].size * 4 / 5; at < end;) {
            const size_t length = whole_characters(at, (size_t)(end - at), size);
            const int guess = languages_guess(l, at, length);
            at += length ? length : 1;
            if (guess == LANGUAGE_UNKNOWN) continue;
            a.all++;
            a.right += strcmp(languages_code(l, guess), codes[i]) == 0;
        }
        document_release(&document[i]);
    }
    languages_free(l);
    return a;
}

Test(corpus, languages_are_told_apart)
{
    const struct accuracy line = held_out(300), phrase = held_out(100), few = held_out(40);
    cr_log_info("300 bytes %d of %d, 100 bytes %d of %d, 40 bytes %d of %d\n", line.right, line.all,
                phrase.right, phrase.all, few.right, few.all);
    cr_assert_geq(line.right, 0.995 * line.all);
    cr_assert_geq(phrase.right, 0.97 * phrase.all);
    cr_assert_geq(few.right, 0.90 * few.all);
}

/* ---- cleaning ---- */

static void check_clean(const char *text, size_t size, const char *expected, uint64_t broken,
                        uint64_t controls, uint64_t line_ends)
{
    struct bytes out = {.data = NULL};
    struct clean_counts counts;
    cr_assert(clean_text(text, size, &out, &counts) && bytes_add(&out, "", 1));
    cr_assert_str_eq(out.data, expected);
    cr_assert_eq(counts.broken, broken);
    cr_assert_eq(counts.controls, controls);
    cr_assert_eq(counts.line_ends, line_ends);
    bytes_release(&out);
}

Test(corpus, cleaning)
{
    check_clean(" a\r\nb\rc\n \n", 10, "a\nb\nc", 0, 0, 2);
    check_clean("\xef\xbb\xbfx\0y\x1b\x7f", 8, "xy", 0, 4, 0);
    check_clean("a\xff\xe2\x82z", 5, "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz", 3, 0, 0);
    check_clean(" \n\t\xe3\x80\x80", 6, "", 0, 0, 0);
}

Test(corpus, text_of_a_page)
{
    static const char page[] =
        "<!DOCTYPE html><html><head><title>t</title><style>p{}</style></head><body><!-- <p>no -->"
        "<script>if (a < b) x('</p>');</script><h1>A &amp; B</h1><p>one<b>two</b>\n  "
        "three&nbsp;&#x2014;"
        "&unknown; 1 < 2</p></body></html>";
    struct bytes out = {.data = NULL};
    cr_assert(html_text(page, sizeof page - 1, &out) && bytes_add(&out, "", 1));
    cr_assert_str_eq(out.data, "A & B\nonetwo three \xe2\x80\x94&unknown; 1 < 2");
    bytes_release(&out);
}

/* ---- quality: one text for each rule ---- */

static enum reason judged(const char *text)
{
    struct terms terms = {.count = 0};
    struct quality_scratch scratch = {.seen = {.data = NULL}};
    double measure[QUALITY_MEASURES];
    const size_t size = strlen(text);
    cr_assert(terms_of(text, size, &terms));
    cr_assert(quality_measure(text, size, &terms, &scratch, measure));
    const enum reason reason = quality_judge(measure, quality_unspaced(&terms));
    terms_release(&terms);
    quality_scratch_release(&scratch);
    return reason;
}

/* `count` different words from `from` on, with `line` before and `end` behind every tenth. */
static const char *prose(int from, int count, const char *begin, const char *end)
{
    static char text[1 << 16];
    size_t size = 0;
    for (int i = from; i < from + count; i++) {
        const char word[] = {(char)('a' + i % 26), (char)('a' + i / 26 % 26), (char)('a' + i % 7),
                             (char)('a' + i / 13 % 26), '\0'};
        size += (size_t)sprintf(text + size, "%s%s%s", i % 10 == 0 ? begin : "", word,
                                i % 10 == 9 ? end : " ");
    }
    return text;
}

Test(corpus, rules_of_quality)
{
    char text[1 << 16];
    cr_assert_eq(judged(prose(0, 200, "", ".\n")), REASON_NONE);
    cr_assert_eq(judged(prose(0, 40, "", ".\n")), REASON_FEW_WORDS);
    cr_assert_eq(judged(prose(0, 200, "- ", "\n")), REASON_BULLETS);
    cr_assert_eq(judged(prose(0, 200, "", " etc...\n")), REASON_ELLIPSES);
    cr_assert_eq(judged(prose(0, 200, "# # # ", "\n")), REASON_SYMBOLS);
    cr_assert_eq(judged(prose(0, 200, "\xef\xbf\xbd", "\n")), REASON_BROKEN);
    strcpy(text, prose(0, 100, "", ".\n"));
    strcat(text, prose(0, 100, "", ".\n"));
    cr_assert_eq(judged(text), REASON_SAME_LINES);
    strcpy(text, prose(0, 200, "", "\n"));
    for (char *c = text; *c; c++)
        if (*c != '\n' && *c != ' ') *c = (char)('0' + (*c - 'a') % 10);
    cr_assert_eq(judged(text), REASON_NO_LETTERS);
    /* Single letters of a script with blanks are too short, characters of Han are not. */
    text[0] = '\0';
    for (int i = 0; i < 60; i++)
        sprintf(text + strlen(text), "%c%c ", 'a' + i % 26, 'a' + i / 26);
    cr_assert_eq(judged(text), REASON_SHORT_WORDS);
    text[0] = '\0';
    for (uint32_t i = 0; i < 100; i++) {
        char letter[5] = {0};
        unicode_put(letter, 0x4e00 + 37 * i);
        strcat(text, letter);
    }
    cr_assert_eq(judged(text), REASON_NONE);
}
