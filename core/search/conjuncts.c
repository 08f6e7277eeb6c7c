#include "search/conjuncts.h"

#include "base/memory.h"
#include "search/expression_parser.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(const char *text, size_t at, const char *word)
{
    const size_t length = strlen(word);
    const bool begins = at == 0 || !(isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_');
    return begins && strncmp(text + at, word, length) == 0 &&
           !(isalnum((unsigned char)text[at + length]) || text[at + length] == '_');
}

size_t conjunct_end(const char *text, size_t at)
{
    int depth = 0;
    for (; text[at]; at++) {
        depth += (text[at] == '(') - (text[at] == ')');
        if (depth == 0 && is_word(text, at, "and")) break;
    }
    return at;
}

bool condition_has_or(const char *text)
{
    int depth = 0;
    for (size_t at = 0; text[at]; at++) {
        depth += (text[at] == '(') - (text[at] == ')');
        if (depth == 0 && is_word(text, at, "or")) return true;
    }
    return false;
}

enum rk_status conjuncts_open(struct conjuncts *c, const struct predictor *predictor,
                              const char *text, struct rk_error *error)
{
    *c = (struct conjuncts){.part = calloc(MOST_CONJUNCTS, sizeof *c->part)};
    if (!c->part) return no_memory(error);
    const size_t length = strlen(text);
    /* as a whole first, for its messages */
    const enum rk_status status =
        expression_compile(&c->part[0], predictor, text, length, 0, error);
    c->count = 1;
    if (status != RK_OK || condition_has_or(text)) return status;
    size_t first = 0, end;
    int parts = 0;
    for (; first < length && parts < MOST_CONJUNCTS; first = text[end] ? end + 3 : end) {
        end = parts + 1 < MOST_CONJUNCTS ? conjunct_end(text, first) : length;
        if (expression_compile(&c->part[parts++], predictor, text + first, end - first, first,
                               error) != RK_OK)
            return error->status;
    }
    c->count = parts;
    return RK_OK;
}

void conjuncts_close(struct conjuncts *c)
{
    free(c->part);
    *c = (struct conjuncts){.count = 0};
}

/* "step_s < 5" or "5 > step_s": three terms. Raises or lowers `limit` to the number. */
static void note_limit(const struct expression *e, const char *figure, bool most, double *limit)
{
    const struct term *t = e->term;
    if (e->terms != 3 || t[2].kind < TERM_LESS || t[2].kind > TERM_GREATER_EQUAL) return;
    const bool turned = t[0].kind == TERM_NUMBER;
    const bool less = t[2].kind == TERM_LESS || t[2].kind == TERM_LESS_EQUAL;
    if (t[turned].kind != TERM_FIGURE || t[!turned].kind != TERM_NUMBER) return;
    if (strcmp(rk_figures()[t[turned].place].name, figure) != 0 || (less != turned) != most) return;
    *limit = (most ? fmin : fmax)(*limit, t[!turned].number);
}

struct limits conjuncts_limits(const struct conjuncts *c)
{
    struct limits limits = NO_LIMITS;
    for (int i = 0; i < c->count; i++) {
        note_limit(&c->part[i], "step_s", true, &limits.longest_s);
        note_limit(&c->part[i], "hbm_bytes", true, &limits.most_bytes);
        note_limit(&c->part[i], "mfu", false, &limits.least_mfu);
    }
    return limits;
}

struct limits condition_limits(const char *text, enum rk_framework framework)
{
    struct conjuncts c;
    struct rk_error error;
    struct limits limits = NO_LIMITS;
    if (conjuncts_open(&c, predictor_of(framework), text, &error) == RK_OK)
        limits = conjuncts_limits(&c);
    conjuncts_close(&c);
    return limits;
}
