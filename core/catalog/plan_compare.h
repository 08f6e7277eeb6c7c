/* plan_compare.h - two plans, key by key.
 *
 * Plans are compared for one model in their canonical form, in which what has no effect (the
 * schedule of a pipeline of one stage, the dispatcher of a dense model) and what is said in two
 * ways (expert_tensor 0 or as tensor) is the same. Pure but for the text buffers.
 */
#ifndef RECKON_CATALOG_PLAN_COMPARE_H
#define RECKON_CATALOG_PLAN_COMPARE_H

#include "catalog/plan_fields.h"
#include <reckon/model.h>
#include <reckon/plan.h>

/* The first order that numbers the plan's ranks alike: dimensions of one rank stand anywhere. */
enum rk_order plan_first_order(const struct rk_plan *plan);

struct rk_plan plan_canonical(const struct rk_model *model, const struct rk_plan *plan);

/* One key's value as plan files and lines of words have it: "8", "yes", "selective", "3,2*29". */
enum { PLAN_VALUE = 160 };
const char *plan_value_text(const struct rk_plan *plan, int row, char text[static PLAN_VALUE]);

struct plan_difference {
    int row; /* of plan_fields */
    char a[PLAN_VALUE], b[PLAN_VALUE];
};

/* The keys in which two canonical plans differ, in the order of the table; how many there are.
 * Data parallelism is left out: it follows from the others. */
int plan_compare(const struct rk_plan *a, const struct rk_plan *b,
                 struct plan_difference list[static PLAN_MAX_FIELDS]);

/* The keys that mean nothing, or not the same, without each other (NULL ends them), of which `key`
 * is one; NULL: it stands alone. Among the choices of one layer, degrees of one width belong
 * together, too. */
const char *const *plan_family(const char *key, bool of_layer);

/* Sets the key of `row` in `to` as `from` has it; with the keys that only make sense together
 * (recompute with its parts, all that splits the blocks; a split of other stages is dropped). */
void plan_take(struct rk_plan *to, const struct rk_plan *from, int row);

/* Layers are dealt to stages by a list, by counts of the ends or by lengths of the first and last
 * stage. Where `to` deals them as `from` does, it takes the words of `from`. */
void plan_take_dealing(const struct rk_model *model, struct rk_plan *to,
                       const struct rk_plan *from);

#endif
