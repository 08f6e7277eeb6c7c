/* page_train.h - the page of a run: its loss and its speed, step by step, and the tables of its
 * answer. */
#ifndef RECKON_CLI_PAGE_TRAIN_H
#define RECKON_CLI_PAGE_TRAIN_H

#include "report/report.h"

#include <reckon/train.h>

enum { TRAIN_CURVE_POINTS = 1024 };

/* Steps as they come, few enough to draw: when there is no room, two points become their mean. */
struct train_curve {
    struct train_point {
        uint64_t step;                /* the last of its steps */
        double loss, tokens, seconds; /* sums over its steps */
    } point[TRAIN_CURVE_POINTS];
    int points;
    uint64_t every, in_last; /* steps of a point, and those in the last one so far; zeroed: none */
};

void train_curve_add(struct train_curve *curve, const struct rk_train_step *step);

struct page_train {
    const char *title, *plan; /* what was trained, and the words of how */
    const struct train_curve *curve;
    const struct report *answer;
};

/* Writes it to `path`. */
enum rk_status page_train(const struct page_train *train, const char *path, struct rk_error *error);

#endif
