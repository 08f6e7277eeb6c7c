/* Tokenizers against twins that are too simple to be wrong, on random texts. */
#include "text/document.h"
#include "tokens/encoder.h"
#include "tokens/train.h"
#include "tokens/unicode.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static const char *const fragments[] = {"the",  " of",
                                        " ",    "  ",
                                        "\n",   "\r\n",
                                        "\t",   "a",
                                        "'s",   "'LL",
                                        "7",    "42",
                                        "+",    "=",
                                        "...",  "É",
                                        "é",    "Ω",
                                        "漢",   "。\n",
                                        "ไทย",  "e\xcc\x81",
                                        "\xff", "\xe2",
                                        "\0",   "<|endoftext|>",
                                        "A",    "Bc",
                                        " x",   "-",
                                        "ſ",    "\xe3\x80\x80"};

static size_t random_text(char *text, int pieces)
{
    size_t size = 0;
    for (int i = 0; i < pieces; i++) {
        const char *f = fragments[draw(sizeof fragments / sizeof *fragments)];
        const size_t length = *f ? strlen(f) : 1;
        memcpy(text + size, f, length);
        size += length;
    }
    return size;
}

static void load(const char *name, struct tokenizer *t)
{
    char path[512];
    struct rk_error error;
    snprintf(path, sizeof path, "%s/tests/data/tokens/%s.json", RECKON_TEST_SOURCE, name);
    cr_assert_eq(tokenizer_load(path, t, &error), RK_OK, "%s", error.text);
}

/* ---- the twin of merging: the lowest rank of all, the leftmost of these, by its bytes ---- */

static size_t naive(const struct bpe *bpe, const char *text, size_t size, uint32_t *id)
{
    size_t count = size;
    for (size_t i = 0; i < size; i++)
        id[i] = bpe->byte[(unsigned char)text[i]];
    for (;;) {
        uint32_t best = bpe->merges;
        size_t at = 0;
        for (size_t i = 0; i + 1 < count; i++)
            for (uint32_t rank = 0; rank < best; rank++)
                if (bpe->merge[rank].left == id[i] && bpe->merge[rank].right == id[i + 1]) {
                    best = rank;
                    at = i;
                }
        if (best == bpe->merges) return count;
        id[at] = bpe->merge[best].result;
        memmove(id + at + 1, id + at + 2, (count - at - 2) * sizeof *id);
        count--;
    }
}

Test(tokens, merging_is_that_of_the_simple_loop)
{
    static const int lengths[] = {1, 2, 5, 23, 24, 25, 47, 48, 49, 200};
    struct tokenizer t;
    struct bpe_scratch scratch = {.room = 0};
    struct token_list list = {.id = NULL};
    load("default", &t);
    state = 1;
    for (int round = 0; round < 300; round++) {
        char text[256];
        uint32_t expected[256];
        const size_t size = (size_t)lengths[round % 10];
        for (size_t i = 0; i < size; i++)
            text[i] = "aeinrst \xd0\xbe"[draw(10)];
        list.count = 0;
        cr_assert(bpe_encode(&t.bpe, &scratch, text, size, &list));
        cr_assert_eq(list.count, naive(&t.bpe, text, size, expected));
        cr_assert_arr_eq(list.id, expected, list.count * sizeof *expected);
    }
    bpe_scratch_release(&scratch);
    token_list_release(&list);
    tokenizer_release(&t);
}

/* ---- cutting ---- */

Test(tokens, pieces_are_the_text_and_a_safe_place_changes_none)
{
    char text[512];
    state = 2;
    for (int round = 0; round < 3000; round++) {
        const size_t size = random_text(text, 1 + (int)draw(30));
        const enum cut cut = (enum cut)draw(CUTS);
        const size_t safe = cut_safe_end(text, size, size);
        struct cutter whole = cutter_begin(cut, text, size, NULL, 0);
        struct cutter left = cutter_begin(cut, text, safe, NULL, 0);
        struct cutter right = cutter_begin(cut, text + safe, size - safe, NULL, 0);
        struct piece a, b;
        const char *at = text;
        while (cutter_next(&whole, &a)) {
            cr_assert_eq(a.text, at);
            cr_assert_gt(a.size, 0);
            at += a.size;
            cr_assert(cutter_next(&left, &b) || cutter_next(&right, &b));
            cr_assert(a.text == b.text && a.size == b.size, "round %d, cut %d", round, cut);
        }
        cr_assert_eq(at, text + size);
    }
}

struct kept {
    struct token_list ids;
    size_t ends;
};

static bool keep(void *context, const uint32_t *id, size_t count, bool ends)
{
    struct kept *kept = context;
    for (size_t i = 0; i < count; i++)
        if (!token_list_add(&kept->ids, id[i])) return false;
    kept->ends += ends;
    return true;
}

Test(tokens, threads_and_parts_change_nothing)
{
    struct tokenizer t;
    struct tokenizer_scratch scratch = {.normal = {.data = NULL}};
    struct token_list alone = {.id = NULL};
    char *text = malloc(1 << 20);
    state = 3;
    const size_t size = random_text(text, 100000);
    load("llama3", &t);
    cr_assert(tokenizer_encode(&t, &scratch, text, size, &alone));
    for (int threads = 1; threads <= 4; threads++) {
        struct kept kept = {.ends = 0};
        struct encoder *encoder = encoder_open(&t, threads);
        cr_assert(encoder_put(encoder, text, size, true) && encoder_put(encoder, "", 0, true));
        cr_assert(encoder_flush(encoder, keep, &kept));
        cr_assert_eq(kept.ends, 2);
        cr_assert_eq(kept.ids.count, alone.count);
        cr_assert_arr_eq(kept.ids.id, alone.id, alone.count * sizeof *alone.id);
        encoder_close(encoder);
        token_list_release(&kept.ids);
    }
    tokenizer_scratch_release(&scratch);
    token_list_release(&alone);
    tokenizer_release(&t);
    free(text);
}

Test(tokens, decoding_gives_the_bytes_back)
{
    static const char *const names[] = {"default", "case",      "arithmetic", "combined",
                                        "llama3",  "character", NULL};
    for (int n = 0; names[n]; n++) {
        struct tokenizer t;
        struct tokenizer_scratch scratch = {.normal = {.data = NULL}};
        load(names[n], &t);
        state = 4;
        for (int round = 0; round < 500; round++) {
            char text[512];
            struct token_list ids = {.id = NULL};
            struct bytes back = {.data = NULL};
            const size_t size = random_text(text, (int)draw(30));
            cr_assert(tokenizer_encode(&t, &scratch, text, size, &ids));
            cr_assert(tokenizer_decode(&t, ids.id, ids.count, &back));
            cr_assert_eq(back.size, size, "%s, round %d", names[n], round);
            cr_assert(size == 0 || memcmp(back.data, text, size) == 0);
            token_list_release(&ids);
            bytes_release(&back);
        }
        tokenizer_scratch_release(&scratch);
        tokenizer_release(&t);
    }
}

Test(tokens, case_marks_capitals)
{
    struct tokenizer t;
    struct tokenizer_scratch scratch = {.normal = {.data = NULL}};
    struct token_list capital = {.id = NULL}, small = {.id = NULL};
    load("case", &t);
    cr_assert(tokenizer_encode(&t, &scratch, "Éa", 3, &capital));
    cr_assert(tokenizer_encode(&t, &scratch, "éa", 3, &small));
    cr_assert_eq(capital.count, small.count + 1);
    cr_assert_eq(capital.id[0], t.case_id);
    cr_assert_arr_eq(capital.id + 1, small.id, small.count * sizeof *small.id);
    tokenizer_scratch_release(&scratch);
    token_list_release(&capital);
    token_list_release(&small);
    tokenizer_release(&t);
}

/* ---- training: the twin counts all pairs anew before each merge ---- */

static void count_again(const struct token_list *words, size_t many, uint32_t ids, uint32_t *count)
{
    memset(count, 0, (size_t)ids * ids * sizeof *count);
    for (size_t w = 0; w < many; w++)
        for (size_t i = 0; i + 1 < words[w].count; i++)
            count[words[w].id[i] * ids + words[w].id[i + 1]]++;
}

static void replace(struct token_list *word, struct bpe_merge merge)
{
    size_t kept = 0;
    for (size_t i = 0; i < word->count; i++) {
        const bool both =
            i + 1 < word->count && word->id[i] == merge.left && word->id[i + 1] == merge.right;
        word->id[kept++] = both ? merge.result : word->id[i];
        i += both;
    }
    word->count = kept;
}

Test(tokens, training_is_that_of_the_simple_loop)
{
    enum { VOCABULARY = 300, WORDS = 4000 };
    static struct token_list words[WORDS];
    const struct train_options options = {
        .cut = CUT_DEFAULT, .vocabulary = VOCABULARY, .least = 2, .threads = 2};
    char *text = malloc(1 << 16);
    uint32_t *count = malloc(sizeof *count * VOCABULARY * VOCABULARY);
    struct tokenizer t;
    size_t many = 0;
    state = 5;
    size_t size = 0;
    while (size < 8000)
        text[size++] = "aab bcd "[draw(8)];
    struct trainer *trainer = trainer_open(&options);
    cr_assert_eq(trainer_add(trainer, text, size, NULL), RK_OK);
    cr_assert_eq(trainer_finish(trainer, &t, NULL), RK_OK);
    trainer_close(trainer);
    cr_assert_gt(t.bpe.merges, 30);
    struct cutter cutter = cutter_begin(CUT_DEFAULT, text, size, NULL, 0);
    for (struct piece piece; cutter_next(&cutter, &piece); many++) {
        cr_assert_lt(many, WORDS);
        for (size_t i = 0; i < piece.size; i++)
            token_list_add(&words[many], t.bpe.byte[(unsigned char)piece.text[i]]);
    }
    for (uint32_t rank = 0; rank < t.bpe.merges; rank++) {
        uint32_t best = 0;
        count_again(words, many, VOCABULARY, count);
        for (uint32_t pair = 1; pair < VOCABULARY * VOCABULARY; pair++)
            if (count[pair] > count[best]) best = pair;
        cr_assert_eq(t.bpe.merge[rank].left * VOCABULARY + t.bpe.merge[rank].right, best,
                     "merge %u", rank);
        for (size_t w = 0; w < many; w++)
            replace(&words[w], t.bpe.merge[rank]);
    }
    for (size_t w = 0; w < many; w++)
        token_list_release(&words[w]);
    tokenizer_release(&t);
    free(count);
    free(text);
}

/* ---- characters ---- */

static void check_nfc(const char *text, const char *expected)
{
    struct bytes out = {.data = NULL};
    cr_assert(unicode_nfc(text, strlen(text), &out) && bytes_add(&out, "", 1));
    cr_assert_str_eq(out.data, expected);
    bytes_release(&out);
}

Test(tokens, normalisation)
{
    check_nfc("plain", "plain");
    check_nfc("e\xcc\x81", "\xc3\xa9");                                /* e, acute */
    check_nfc("e\xcc\x81\xcc\xa7", "\xc8\xa9\xcc\x81");                /* cedilla first */
    check_nfc("\xe2\x84\xab", "\xc3\x85");                             /* angstrom sign */
    check_nfc("\xe1\x84\x80\xe1\x85\xa1\xe1\x86\xa8", "\xea\xb0\x81"); /* Hangul */
    check_nfc("\xe0\xa5\x98", "\xe0\xa4\x95\xe0\xa4\xbc");             /* excluded from composing */
    check_nfc("a\xff\xcc\x81", "a\xff\xcc\x81");                       /* no UTF-8 stays */
}

Test(tokens, capitals_lead_back)
{
    int capitals = 0;
    for (uint32_t code = 0; code <= UNICODE_LAST; code++) {
        const uint32_t small = unicode_small(code);
        if (!small) continue;
        capitals++;
        cr_assert_eq(unicode_capital(small), code, "U+%04X", code);
    }
    cr_assert_eq(unicode_small('A'), 'a');
    cr_assert_eq(unicode_small(0x130), 0); /* its small letter is i, whose capital is I */
    cr_assert_gt(capitals, 1000);
}

/* ---- tokenizers that are wrong: where, and what ---- */

#define TOKENIZER(pre, model)                                                                      \
    "{\"normalizer\":null,\"pre_tokenizer\":{" pre "},\n\"model\":{\"type\":\"BPE\"," model "}}"
#define BYTE_LEVEL "\"type\":\"ByteLevel\",\"add_prefix_space\":false"

static void refused(const char *text, const char *says)
{
    struct document document;
    struct tokenizer t;
    struct rk_error error;
    cr_assert_eq(document_parse("t.json", text, strlen(text), &document, &error), RK_OK, "%s",
                 error.text);
    cr_assert_eq(tokenizer_read(&document, &t, &error), RK_BAD_INPUT);
    cr_assert(strstr(error.text, says), "%s", error.text);
    cr_assert_gt(error.line, 0);
    document_release(&document);
}

/* The vocabulary of all bytes, with an entry more. */
static const char *whole(const char *entry, const char *merges)
{
    static char text[1 << 14];
    size_t size =
        (size_t)sprintf(text, "{\"pre_tokenizer\":{" BYTE_LEVEL "},\"model\":{\"vocab\":{");
    for (int byte = 0; byte < 256; byte++) {
        char letter[5] = {0};
        unicode_put(letter, byte_letter((unsigned char)byte));
        size += (size_t)sprintf(text + size, "\"%s%s\":%d,", strchr("\"\\", letter[0]) ? "\\" : "",
                                letter, byte);
    }
    sprintf(text + size, "%s},\n\"merges\":[%s]}}", entry, merges);
    return text;
}

Test(tokens, wrong_tokenizers_are_refused)
{
    refused(whole("\"ab\":256", "\"a b\",\"a b\""), "repeats merges[0]");
    refused(whole("\"ab\":256", "\"a c\""), "which has no \"ac\"");
    refused(whole("\"ab\":256", "\"ab c\""), "which has no \"abc\"");
    refused(whole("\"ab\":256", "\"xy b\""), "which has no \"xy\"");
    refused(whole("\"ab\":256", "\"ab\""), "must be two tokens");
    refused(whole("\"ab\":17", ""), "two tokens have the id 17");
    refused(whole("\"a b\":256", ""), "is not a byte-level token");
    refused(whole("\"ab\":-1", ""), "must be an id");
    refused(TOKENIZER(BYTE_LEVEL, "\"vocab\":{\"a\":0},\"merges\":[]"), "no token for the byte");
    refused(TOKENIZER("\"type\":\"Metaspace\"", "\"vocab\":{},\"merges\":[]"), "Metaspace");
    refused(TOKENIZER("\"type\":\"ByteLevel\",\"add_prefix_space\":true", "\"vocab\":{}"),
            "must be false");
    refused("{\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\","
            "\"pattern\":{\"Regex\":\"x+\"},\"behavior\":\"Isolated\"}]}}",
            "not one of those");
    refused("{\"tokens\":1}", "unknown key");
}
