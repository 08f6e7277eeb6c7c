/* expression_terms.h - a compiled expression: a list of terms for a stack machine. */
#ifndef RECKON_SEARCH_EXPRESSION_TERMS_H
#define RECKON_SEARCH_EXPRESSION_TERMS_H

#include "search/predictor.h"

enum { EXPRESSION_TERMS = 128 };

/* What an expression looks at. */
enum { READS_PLAN = 1, READS_LOWER = 2, READS_WORK = 4, READS_SLOW = 8 };

struct expression {
    const struct predictor *predictor;
    int terms;
    struct term {
        int kind; /* enum term_kind in expression.c */
        double number;
        int place;    /* of a figure or an axis */
        int quantity; /* of a number, enum quantity; QUANTITIES: a plain one, which may be anything
                       */
        int at;       /* where it stands in the text */
    } term[EXPRESSION_TERMS];
    unsigned reads;
    bool more_is_better; /* a single figure of which more is better */
};

#endif
