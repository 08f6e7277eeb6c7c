#include "base/regex.h"

#include "base/limits.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns the end of a bracket expression, in which '*' and '+' are literal; `at` is the byte after
 * '['. */
static const char *behind_brackets(const char *at)
{
    at += *at == '^';
    at += *at == ']';
    return at + strcspn(at, "]");
}

/* At most: as if all repetitions of groups and of repetitions stood in each other. */
static double copies(const char *pattern)
{
    double all = 1;
    bool large = false; /* what stands before is a group, or repeated */
    for (const char *at = pattern; *at; at++) {
        if (*at == '{' && at[1] && strchr("0123456789,", at[1])) {
            const char *most = at + strcspn(at, ",}");
            const double count = strtod(most + (*most == ','), NULL);
            all *= count > 2 ? count : strtod(at + 1, NULL) + 2;
            at += strcspn(at, "}");
            if (!*at) break;
            large = true;
        } else if (strchr("+*?", *at)) {
            if (large) all *= 2;
            large = true;
        } else {
            large = *at == ')';
        }
        if (*at == '[') at = behind_brackets(at + 1);
        if (*at == '\\') at++;
        if (!*at) break;
    }
    return all;
}

int regex_compile(regex_t *compiled, const char *pattern, int flags)
{
    if (copies(pattern) > MOST_REGEX_COPIES) return REG_BADRPT;
    return regcomp(compiled, pattern, flags | REG_EXTENDED);
}
