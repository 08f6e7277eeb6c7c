/* search.h - the best plan over several clusters: which of them, in which order, how many layers
 * and GPUs each stage gets, with which tensor, context, expert and data degrees, what computed
 * again and what offloaded.
 *
 * For every number of samples of a round that divides the batch, and every order of some of the
 * clusters, the best is found and proved by optimize/chain.h; then the event simulation decides
 * between the plans that were the best under some limit, and the best of mixed.h. Pure but for its
 * memory.
 */
#ifndef RECKON_CLUSTERS_SEARCH_H
#define RECKON_CLUSTERS_SEARCH_H

#include "clusters/costs.h"
#include "clusters/plan.h"
#include "clusters/simulate.h"

struct clusters_answer {
    struct clusters_plan best;  /* by simulation */
    struct clusters_plan alike; /* ... of those whose stages are alike, where the question asks for
                                   them; simulated_s INFINITY: none fits */
    double floor_s;    /* no step takes less, of stages each in one cluster, interleaved or not: the
                          slowest works on all microbatches, without messages */
    double straight_s; /* the best step without interleaving */
    struct clusters_plan proved;          /* none has a smaller value_s */
    double alone_s[RK_MAX_CLUSTERS];      /* the least value_s of each cluster by itself */
    double alone_step_s[RK_MAX_CLUSTERS]; /* ... and the best step of a search of it alone, with all
                                             that one tries; INFINITY: none, or not asked */
    bool usable[RK_MAX_CLUSTERS];         /* does a stage of one layer fit on it, some way? */
    bool runs[RK_MAX_CLUSTERS];           /* ... memory apart; else `refused` says why not */
    struct rk_reason refused[RK_MAX_CLUSTERS];
    uint64_t labels, limits, problems, simulated;
    uint64_t begun, parts; /* of the search, to tell how far it is; of some is soon known that they
                              need not be solved */
    bool stopped;          /* as the question has it: the rest is not to be believed */
};

/* False: no memory. Nothing fits: answer->best.value_s is infinite. `kept` (kept.h; NULL: none)
 * takes the best of the plans that were simulated: the first is answer->best, which alone has
 * bounds; plans between them that the search left out unseen are not there. */
struct clusters_kept;
bool clusters_search_top(const struct clusters_question *question, struct clusters_answer *answer,
                         struct clusters_kept *kept);

/* ... without. */
bool clusters_search(const struct clusters_question *question, struct clusters_answer *answer);

/* A plan that was found elsewhere, simulated: is it the best, or the best that is launched? False:
 * no memory. */
bool clusters_search_take(const struct clusters_question *question,
                          const struct clusters_plan *plan, struct clusters_answer *answer,
                          struct clusters_kept *kept);

/* Is it what a search that keeps `most` plans (0: none) has given to question->keep? */
bool clusters_progress_fits(const void *progress, size_t bytes, int most);

/* The bandwidth of link a-b, between 1/1024 and 1024 times what it is, below which the best plan
 * over all clusters is no better than without the link; 0: always better, INFINITY: never. NAN: no
 * memory. */
double clusters_break_even(const struct clusters_question *question, int a, int b);

#endif
