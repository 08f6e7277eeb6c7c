#include "search/conjuncts.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(const char *text, size_t at, const char *word)
{
    const size_t length = strlen(word);
    const bool begins = at == 0 || !(isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_');
    return begins && strncmp(text + at, word, length) == 0 &&
           !(isalnum((unsigned char)text[at + length]) || text[at + length] == '_');
}

/* Position of the next `and` from `at` on that is outside parentheses; the end of the text when
 * there is none. */
static size_t next_and(const char *text, size_t at)
{
    int depth = 0;
    for (; text[at]; at++) {
        depth += (text[at] == '(') - (text[at] == ')');
        if (depth == 0 && is_word(text, at, "and")) break;
    }
    return at;
}

static bool has_or(const char *text)
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
    if (status != RK_OK || has_or(text)) return status;
    size_t first = 0, end;
    int parts = 0;
    for (; first < length && parts < MOST_CONJUNCTS; first = text[end] ? end + 3 : end) {
        end = parts + 1 < MOST_CONJUNCTS ? next_and(text, first) : length;
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
