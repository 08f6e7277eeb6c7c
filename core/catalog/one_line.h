/* one_line.h - what the readers of one-line forms share: pieces of the line, and what is wrong in
 * it.
 */
#ifndef RECKON_CATALOG_ONE_LINE_H
#define RECKON_CATALOG_ONE_LINE_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct span { /* a piece of the line */
    const char *at;
    size_t length;
};

static inline bool span_is(struct span span, const char *text)
{
    return strlen(text) == span.length && memcmp(text, span.at, span.length) == 0;
}

static inline bool span_begins(struct span span, const char *text)
{
    return strlen(text) <= span.length && memcmp(text, span.at, strlen(text)) == 0;
}

static inline const char *span_end(struct span span)
{
    return span.at + span.length;
}

/* The next word from `at` on; empty at the end of the line. */
static inline struct span span_next(const char *at)
{
    at += strspn(at, " \t\n");
    return (struct span){at, strcspn(at, " \t\n")};
}

/* Cuts `span` at the first `mark`: true when there is one; the rest is what follows it. */
bool span_cut(struct span span, char mark, struct span *head, struct span *rest);

/* Digits only, at most 2^53. */
bool span_integer(struct span span, uint64_t *value);

/* RK_BAD_ARGUMENT with the line as path and the column of `at`. */
RK_PRINTF(4, 5)
enum rk_status one_line_fail(struct rk_error *error, const char *line, const char *at,
                             const char *format, ...);

#endif
