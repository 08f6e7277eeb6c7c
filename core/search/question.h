/* question.h - a query made ready, and what has been found for it so far. */
#ifndef RECKON_SEARCH_QUESTION_H
#define RECKON_SEARCH_QUESTION_H

#include "search/conjuncts.h"
#include "search/frontier.h"
#include "search/topk.h"

struct question {
    const struct rk_space *space;
    bool plain;     /* the most samples per second of all that fit: what is slower can be skipped */
    bool best_only; /* the same of all that satisfy a condition, and they are not counted */
    bool has_where, has_frontier;
    double least; /* samples per second that count */
    struct conjuncts where;
    struct limits limits; /* of what it leaves */
    int objectives;       /* 1 without a frontier */
    struct expression objective[OBJECTIVES];
    unsigned reads;
    int place[QUICK_FIGURES];
};

/* RK_BAD_ARGUMENT with the column when an expression is wrong. Close in any case. */
enum rk_status question_open(struct question *question, const struct rk_space *space,
                             const struct rk_query *query, struct rk_error *error);

void question_close(struct question *question);

/* What one thread found, or all of them. */
struct finds {
    const struct question *question;
    struct topk best;
    struct frontier frontier;
    uint64_t matches;
    struct outcome outcome; /* of the plan at hand */
};

/* At most `room` of the best are kept; false when there is no memory. */
bool finds_open(struct finds *finds, const struct question *question, uint64_t room);
void finds_close(struct finds *finds);

/* A plan that fits. The figures that the question reads are in finds->outcome. */
void finds_take(struct finds *finds, uint64_t index, const struct rk_plan *plan);

/* A plan of a batch, which is predicted if need be. True when nothing more has room in
 * finds->best. */
bool finds_look(struct finds *finds, const struct batch *batch, int lane);

/* Sorts what was found into the answer, which then owns it. False when there is no memory. */
bool finds_finish(struct finds *finds, struct rk_answer *answer);

#endif
