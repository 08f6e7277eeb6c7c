/* expression_parser.h - what the files of expressions share: terms, and what is compiled. */
#ifndef RECKON_SEARCH_EXPRESSION_PARSER_H
#define RECKON_SEARCH_EXPRESSION_PARSER_H

#include "search/expression_terms.h"

enum term_kind {
    TERM_NUMBER,
    TERM_FIGURE,
    TERM_AXIS,
    TERM_BATCH,
    TERM_NEGATE,
    TERM_NOT,
    TERM_ADD,
    TERM_SUBTRACT,
    TERM_MULTIPLY,
    TERM_DIVIDE,
    TERM_LESS,
    TERM_LESS_EQUAL,
    TERM_GREATER,
    TERM_GREATER_EQUAL,
    TERM_EQUAL,
    TERM_UNEQUAL,
    TERM_AND,
    TERM_OR,
};

enum { EXPRESSION_DEPTH = 32 };

struct parser {
    struct expression *out;
    const char *text;
    size_t length, at, first;
    struct rk_error *error;
    bool failed;
    int depth;
    int compared; /* the axis on the left of a comparison; -1: there is none */
};

/* Says what is wrong at a place, once; `more` are up to three further pieces of the message, NULL:
 * none. */
void parser_fail(struct parser *parser, size_t at, const char *what, const char *const more[3]);

/* Fails where sides of a comparison or a sum have other units. expression_units.c */
void parser_check_units(struct parser *parser);

/* Fails where an operand of and, or, not decides nothing, "hbm" alone. */
void parser_check_decides(struct parser *parser);

#endif
