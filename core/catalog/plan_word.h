/* plan_word.h - a word of a plan's line while it is read. */
#ifndef RECKON_CATALOG_PLAN_WORD_H
#define RECKON_CATALOG_PLAN_WORD_H

#include "catalog/one_line.h"
#include "catalog/plan_fields.h"

/* A place of the line whose column is known: columns are counted on from it. */
struct text_mark {
    const char *at;
    int column;
};

struct parser {
    const char *text;
    struct plan_draft *draft;
    struct rk_error *error;
    bool layers;            /* words of a run of layers: what one layer sees */
    struct text_mark *mark; /* NULL: none */
};

/* One word: what it sets, and to what. */
struct word {
    struct span whole, value;
    const struct field *field;
    bool valued, negated; /* "tp8" or "tp=8"; "no-fused" */
};

#define fail(parser, at, ...) one_line_fail((parser)->error, (parser)->text, at, __VA_ARGS__)

/* "10,11*2,10" */
enum rk_status plan_word_read_split(const struct parser *parser, struct span rest);

/* "4/tp2~6,10*3" */
enum rk_status plan_word_read_stages(const struct parser *parser, struct span list);

const char *plan_word_quote(char buffer[static TEXT_QUOTE], struct span span);

enum rk_status plan_word_read(const struct parser *parser, struct span span);

#endif
