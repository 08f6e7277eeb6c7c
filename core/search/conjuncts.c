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

/* "step_s < 5": three terms. */
static double longest_s(const struct expression *e)
{
    const struct term *t = e->term;
    const bool bounds = e->terms == 3 && t[0].kind == TERM_FIGURE && t[1].kind == TERM_NUMBER &&
                        (t[2].kind == TERM_LESS || t[2].kind == TERM_LESS_EQUAL) &&
                        strcmp(rk_figures()[t[0].place].name, "step_s") == 0;
    return bounds ? t[1].number : INFINITY;
}

double condition_longest_s(const char *text, enum rk_framework framework)
{
    struct conjuncts c;
    struct rk_error error;
    double longest = INFINITY;
    if (conjuncts_open(&c, predictor_of(framework), text, &error) == RK_OK)
        for (int i = 0; i < c.count; i++)
            longest = fmin(longest, longest_s(&c.part[i]));
    conjuncts_close(&c);
    return longest;
}
