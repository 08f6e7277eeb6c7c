/* flat.h - a plan whose layers are run in several ways, for tools that run all layers alike.
 *
 * Such a plan may say no more than one without runs: where embedding and head are all that differs
 * in recomputation, or where each stage recomputes its first layers as a whole, as many in each
 * (`--recompute-method block` of Megatron-LM). Else the nearest one is taken: layers are run as
 * most of them are, and of those that are computed again as a whole each stage has as many as the
 * stage that has most, so that it fits where the plan does.
 */
#ifndef RECKON_KEYS_FLAT_H
#define RECKON_KEYS_FLAT_H

#include "keys/notes.h"

#include <reckon/model.h>
#include <reckon/plan.h>

/* The plan itself when it has no runs. Requires segments that have all layers of the model. */
struct rk_plan flat_plan(const struct rk_model *model, const struct rk_plan *plan);

/* A warning for each run of layers, and for embedding and head, and each choice in which what a
 * tool runs differs from the plan; both have all layers of the model. */
void layers_compare(const struct rk_model *model, const struct rk_plan *plan,
                    const struct rk_plan *run, const char *tool, struct notes *notes);

#endif
