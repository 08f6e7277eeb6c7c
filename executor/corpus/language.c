#include "corpus/language.h"
#include "base/hash.h"
#include "base/memory.h"
#include "text/document.h"
#include "tokens/unicode.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Letters in a row share buckets. A table of 1 MiB stays in a processor's cache; 2^16 buckets of
 * full precision tell no more languages apart. */
enum { BUCKETS = 1 << 14, ORDERS = 3, STEPS = 1 << 10 /* of a natural logarithm's unit */ };

/* Added to each count: of 0.01, 0.1, 0.5 and 1 the best on the tenth that was held out. */
static const double SMOOTHING = 0.1;

struct languages {
    int count;
    char code[LANGUAGES_MOST][LANGUAGE_CODE];
    uint16_t weight[BUCKETS][LANGUAGES_MOST]; /* counts, then -STEPS * log of their probability */
};

struct languages *languages_new(void)
{
    return calloc(1, sizeof(struct languages));
}

void languages_free(struct languages *l)
{
    free(l);
}

const char *languages_code(const struct languages *l, int language)
{
    return language == LANGUAGE_UNKNOWN ? "und" : l->code[language];
}

int languages_find(const struct languages *l, const char *code)
{
    for (int i = 0; i < l->count; i++)
        if (strcmp(l->code[i], code) == 0) return i;
    return LANGUAGE_UNKNOWN;
}

/* ---- letters in a row ---- */

/* Walks over a text: small letters, and one blank for what is between words. */
struct letters {
    const char *text;
    size_t size, at;
    uint32_t last[ORDERS]; /* the newest first; 0: none yet */
    int letters;
};

static bool next_letter(struct letters *w)
{
    uint32_t code = 0;
    while (!code) {
        const struct character c = unicode_at(w->text + w->at, w->size - w->at);
        if (!c.size) return false;
        w->at += c.size;
        const bool belongs = is_letter(c) || c.class == CLASS_MARK;
        const uint32_t small = belongs ? unicode_small(c.code) : 0;
        if (belongs) code = small ? small : c.code;
        if (!belongs && w->last[0] != ' ') code = ' ';
        w->letters += belongs;
    }
    memmove(w->last + 1, w->last, (ORDERS - 1) * sizeof *w->last);
    w->last[0] = code;
    return true;
}

/* The buckets of the rows of 1 to ORDERS letters that end here. */
static int buckets_of(const struct letters *w, uint32_t bucket[ORDERS])
{
    uint64_t hash = 0;
    int orders = 0;
    for (; orders < ORDERS && w->last[orders]; orders++) {
        hash = hash_pair(hash + 1, w->last[orders]);
        bucket[orders] = hash % BUCKETS;
    }
    return orders;
}

/* ---- learning ---- */

static int find_or_add(struct languages *l, const char *code)
{
    const int found = languages_find(l, code);
    if (found != LANGUAGE_UNKNOWN) return found;
    snprintf(l->code[l->count], LANGUAGE_CODE, "%s", code);
    return l->count++;
}

void languages_learn(struct languages *l, const char *code, const char *text, size_t size)
{
    struct letters w = {.text = text, .size = size};
    uint32_t bucket[ORDERS];
    const int language = find_or_add(l, code);
    while (next_letter(&w))
        for (int i = buckets_of(&w, bucket); i-- > 0;)
            l->weight[bucket[i]][language] += l->weight[bucket[i]][language] < UINT16_MAX;
}

void languages_finish(struct languages *l)
{
    double sum[LANGUAGES_MOST] = {0};
    for (int b = 0; b < BUCKETS; b++)
        for (int i = 0; i < l->count; i++)
            sum[i] += l->weight[b][i] + SMOOTHING;
    for (int b = 0; b < BUCKETS; b++)
        for (int i = 0; i < l->count; i++)
            l->weight[b][i] =
                (uint16_t)lround(-STEPS * log((l->weight[b][i] + SMOOTHING) / sum[i]));
}

/* "de" of "de.txt"; false when it is no such name. */
static bool code_of(const char *name, char code[LANGUAGE_CODE])
{
    const size_t size = strlen(name);
    if (size <= 4 || size - 4 >= LANGUAGE_CODE || strcmp(name + size - 4, ".txt") != 0)
        return false;
    snprintf(code, LANGUAGE_CODE, "%.*s", (int)(size - 4), name);
    return true;
}

static enum rk_status learn_file(struct languages *l, const char *folder, const char *name,
                                 struct rk_error *error)
{
    char path[4096], code[LANGUAGE_CODE];
    struct document document;
    if (!code_of(name, code)) return RK_OK;
    if (l->count == LANGUAGES_MOST)
        return rk_fail(error, RK_BAD_INPUT, folder, 0, 0, "holds more than %d languages",
                       LANGUAGES_MOST);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const enum rk_status status = document_load_text(path, &document, error);
    if (status == RK_OK) languages_learn(l, code, document.text, document.size);
    document_release(&document);
    return status;
}

enum rk_status languages_load(const char *folder, struct languages **languages,
                              struct rk_error *error)
{
    struct dirent **names;
    enum rk_status status = RK_OK;
    struct languages *l = *languages = languages_new();
    if (!l) return no_memory(error);
    const int count = scandir(folder, &names, NULL, alphasort);
    if (count < 0)
        status = rk_fail(error, RK_BAD_INPUT, folder, 0, 0, "no such folder of languages");
    for (int i = 0; i < count; i++) {
        if (status == RK_OK) status = learn_file(l, folder, names[i]->d_name, error);
        free(names[i]);
    }
    if (count >= 0) free(names);
    if (status == RK_OK && l->count == 0)
        status = rk_fail(error, RK_BAD_INPUT, folder, 0, 0, "holds no texts named CODE.txt");
    if (status == RK_OK) {
        languages_finish(l);
        return RK_OK;
    }
    languages_free(l);
    *languages = NULL;
    return status;
}

/* ---- guessing ---- */

int languages_guess(const struct languages *l, const char *text, size_t size)
{
    struct letters w = {.text = text, .size = size < LANGUAGE_LOOK ? size : LANGUAGE_LOOK};
    uint32_t score[LANGUAGES_MOST] = {0};
    uint32_t bucket[ORDERS];
    int best = 0;
    while (next_letter(&w))
        for (int i = buckets_of(&w, bucket); i-- > 0;)
            for (int k = 0; k < LANGUAGES_MOST; k++) /* a fixed number: vector code */
                score[k] += l->weight[bucket[i]][k];
    for (int k = 1; k < l->count; k++)
        if (score[k] < score[best]) best = k;
    return w.letters < LANGUAGE_LETTERS ? LANGUAGE_UNKNOWN : best;
}
