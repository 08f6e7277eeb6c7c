/* plans_split.h - stages that are balanced by time.
 *
 * Blocks, in model order, are dealt to the virtual stages of a pipeline so that the slowest of them
 * is as fast as it can be; embedding and head are on the first and the last one. Of all such splits
 * it is one that is as even as that allows. Stages between the first and the last one have a block
 * each, where there are so many: a framework starts no others.
 */
#ifndef RECKON_SEARCH_PLANS_SPLIT_H
#define RECKON_SEARCH_PLANS_SPLIT_H

#include "estimate/fold.h"
#include <reckon/plans.h>

enum { MAX_ITEMS = 4096 }; /* blocks of a deeper model are not told apart: see plan_balance */

/* Items in model order, as runs of equal ones. A stage between the first and the last one that lies
 * within a run takes as long as its number of items alone says: whole rows of stages are dealt at
 * once. */
struct dealing {
    double head, tail;
    double all, largest; /* of both and all items; item */
    int items, runs;
    struct run_of_items {
        double cost;
        int first, count;
    } run[MAX_ITEMS];
    double from_head[MAX_ITEMS + 1]; /* [k]: head and the first k items */
};

/* Deals them to `stages` stages, at least 1 and at most RK_MAX_CHUNKS. Returns the cost of the
 * slowest. */
double dealing_split(const struct dealing *dealing, int stages, uint16_t *split);

/* more[i]: number of stages after stage i with the same items, none of them the first or the last
 * one of the model, and followed by the same item; it depends on the order of the items, not on
 * costs. */
void dealing_alike(const struct dealing *dealing, int stages, const uint16_t *split,
                   uint16_t *more);

/* Is that for sure what dealing_split gives? Seen sooner than dealt. */
bool dealing_gives(const struct dealing *dealing, int stages, const uint16_t *split,
                   const uint16_t *more);

/* dealing_split of cost[0] ... cost[items - 1]. */
double split_balanced(uint16_t *split, int stages, const double *cost, int items, double head,
                      double tail);

/* ---- of a plan ---- */

/* The blocks of a model; false when there are too many. */
bool plan_dealing(struct dealing *dealing, const struct rk_model *model,
                  const struct layer_folds *fold, enum treatment treatment);

/* Sets the split of its layout. Requires a plan that plan_check accepts, and its fold. */
void plan_balance(struct rk_plan *plan, const struct rk_model *model,
                  const struct layer_folds *fold);

/* Does the space have a split (enum rk_plan_split), and how does it deal blocks? Not balanced. */
bool plans_have_split(const struct rk_plans_problem *problem, uint64_t value);
void plans_fixed_split(uint16_t *split, int stages, const struct rk_model *model, uint64_t value);

/* Which checks the plans of a problem pass, 1 << enum plan_check_part: all, unless it has plans
 * that the framework cannot start. */
unsigned plans_checks(const struct rk_plans_problem *problem);

/* Is the plan refused before its memory is looked at? */
bool plans_refuse(const struct rk_plans_problem *problem, const struct rk_plan *plan,
                  struct rk_reason *reason);

/* Both, folding the layers itself; a plan that cannot run keeps the even split. False when the plan
 * repeats another one. */
bool plans_balance(struct rk_plan *plan, const struct rk_plans_problem *problem);

#endif
