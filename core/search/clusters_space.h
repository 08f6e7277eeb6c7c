/* clusters_space.h - plans over the clusters of a system as a space that is asked like any other.
 *
 * clusters/search.h finds them: exact for its objective, best of what it simulates for everything
 * else. The space has the plans that were simulated for the last question, each once; so orders,
 * frontiers, files of all of them go through these, and a question about anything but the time is
 * also asked with a quarter, a half and three quarters of each cluster's nodes.
 */
#ifndef RECKON_SEARCH_CLUSTERS_SPACE_H
#define RECKON_SEARCH_CLUSTERS_SPACE_H

#include "clusters/kept.h"
#include "clusters/search.h"
#include "search/predictor.h"

enum { CLUSTERS_MOST_KEPT = 4096, CLUSTERS_WHY = 512 };

struct clusters_space {
    struct rk_space space; /* first */
    struct rk_plans_problem problem;
    struct clusters_question question; /* without what a query adds */
    struct clusters_answer *answer;    /* of the last query; NULL: none was asked */
    struct clusters_kept kept;         /* (space.count), by their step */
    struct rk_plan
        alone[RK_MAX_CLUSTERS]; /* the best of each by itself, where alone_step_s is finite */
    bool late;                  /* part of the condition was asked of simulated plans alone */
    bool filtered;              /* some plans that fit did not count */
};

/* What all stages have where nobody says it: an axis, a plan's word. */
struct clusters_default {
    enum rk_plan_axis axis;
    const char *key;
    uint64_t value;
};
enum { CLUSTERS_DEFAULTS = 5 };
extern const struct clusters_default clusters_defaults[CLUSTERS_DEFAULTS];

/* Its value where the words before it in the table are those of a plan. */
uint64_t clusters_default_of(const struct clusters_default *what, const struct rk_plan *words);

/* A system with the attention kernels that every cluster has; NULL: they differ. */
const struct rk_system *clusters_kernels(const struct rk_machine *machine);

/* RK_BAD_ARGUMENT when the words say what is not known over clusters. */
enum rk_status clusters_check_words(const struct rk_plan *words, struct rk_error *error);

/* RK_BAD_ARGUMENT when all stages cannot have what the problem says. */
struct rk_space *clusters_space_open(const struct rk_plans_problem *problem,
                                     struct rk_error *error);

/* What all stages of a plan have, as what all stages of those that are searched for have; degrees,
 * recomputation and offload are free. */
void clusters_pin_words(struct rk_plans_problem *problem, const struct rk_plan *plan);

/* What all stages have under a problem. RK_BAD_ARGUMENT as above. */
enum rk_status clusters_words(const struct rk_plans_problem *problem, struct rk_plan *words,
                              struct rk_error *error);

/* NULL: a space of one cluster. */
const struct clusters_space *clusters_space_of(const struct rk_space *space);

/* Why there is no plan, after a query that found none. */
void clusters_space_why(const struct clusters_space *space, char why[static CLUSTERS_WHY]);

/* A cluster on which no stage of one layer fits, where no condition keeps plans out; -1: none. */
int clusters_space_useless(const struct clusters_space *space);

/* clusters_ask.c */
enum rk_status clusters_ask(const struct rk_space *space, const struct rk_query *query,
                            struct rk_answer *answer, struct rk_error *error);

/* A plan as it was found, as any plan. False: it has more kinds of layers than there is room for.
 */
bool clusters_space_plan(const struct clusters_space *space, const struct clusters_plan *found,
                         struct rk_plan *plan);

#endif
