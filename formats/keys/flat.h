/* flat.h - a plan whose layers differ, for tools that run all layers alike.
 *
 * Some of these plans equal one without runs: those in which only embedding and head differ in
 * recomputation, and those in which each stage recomputes the same number of its first layers whole
 * (`--recompute-method block` of Megatron-LM). For the others the nearest plan is used: all layers
 * are run like most of them, and each stage recomputes the largest number of whole layers that any
 * stage does, so that it fits where the plan does.
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
