/* catalog_cases.h - tables of inputs and the messages they must give. */
#ifndef RECKON_TESTS_CATALOG_CASES_H
#define RECKON_TESTS_CATALOG_CASES_H

#include <criterion/criterion.h>
#include <reckon/status.h>
#include <stdlib.h>
#include <string.h>

struct bad_case {
    const char *input;
    const char *message; /* "path:line:column: text", all of it */
};

static inline const char *formatted(const struct rk_error *error)
{
    static char text[1024];
    rk_error_format(error, text, sizeof text);
    return text;
}

/* The catalog of the source tree, whatever the environment says. */
static inline void use_source_catalog(void)
{
    setenv("RECKON_DATA", RECKON_TEST_SOURCE "/data", 1);
}

/* A copy of `text` with the first `mark` replaced; the caller frees it. */
static inline char *replaced(const char *text, const char *mark, const char *by)
{
    const char *found = strstr(text, mark);
    cr_assert(found, "no %s in the text", mark);
    char *copy = malloc(strlen(text) + strlen(by) + 1);
    memcpy(copy, text, (size_t)(found - text));
    strcpy(copy + (found - text), by);
    strcat(copy, found + strlen(mark));
    return copy;
}

#endif
