/* runs.h - stages whose layers are not all run alike.
 *
 * A plan's segments give runs of layers a local part of their own. A stage is then a sum of runs:
 * times, parameters and saved activations add up; data-parallel transfers overlap with the
 * computation of their own run; only the largest of short-lived tensors (working memory, gathered
 * weights) counts. Embedding and head follow the plan itself. All runs of a stage have the same
 * ranks: where one is split over more of them, its data parallel groups are fewer and each has more
 * samples of a microbatch. Between runs whose activations have different layouts they are moved.
 * Pure.
 */
#ifndef RECKON_ESTIMATE_RUNS_H
#define RECKON_ESTIMATE_RUNS_H

#include "estimate/stages.h"
#include "plan/layers.h"

/* The plan as the layers of local part `local` see it (0: its own); its microbatch keeps the
 * samples of all ranks together. */
struct rk_plan run_plan(const struct rk_plan *plan, int local);

/* ---- from one layout of the activations to another ---- */

/* Which part of samples and sequence a rank of a stage has: both from 0 to 1. */
struct run_part {
    double sample[2], token[2];
};
struct run_part run_part_of(const struct rk_plan *plan, uint64_t rank);

/* Bytes that the busiest rank receives when the activations between layers, as `from` leaves them,
 * are laid out as `to` wants them: the part that it needs less what it has of it. `ranks` (out) is
 * the size of the groups that exchange. Plans of run_plan. */
double relayout_bytes(const struct rk_model *model, const struct rk_plan *from,
                      const struct rk_plan *to, double *ranks);
double relayout_s(const struct rk_model *model, const struct rk_system *system,
                  const struct rk_plan *from, const struct rk_plan *to);

/* ---- stages ---- */

struct run_local {
    struct rk_plan plan;
    struct layer_folds fold;
    struct sharing sharing;
    struct memory_rule rule;
};

struct runs {
    int locals;
    struct run_local local[RK_MAX_LOCALS + 1];
    int segments; /* of the plan; neighbours that are run alike are one */
    struct rk_segment segment[RK_MAX_SEGMENTS];
};

/* Requires a plan that runs_check accepts. */
void runs_of(struct runs *runs, const struct rk_model *model, const struct rk_system *system,
             const struct rk_plan *plan);

struct run_stage {
    struct stage_sum alone; /* without what each microbatch moves of weights, gradients, offload */
    struct stage_sum sum;
    struct stage_end end;
    double reduce_s;                                 /* of runs with ZeRO 0 and 1, hidden or not */
    double held_bytes, released_bytes, moving_bytes; /* of a microbatch, not offloaded */
};

/* Stage `index` with all its virtual stages; `stage` (may be NULL) is its memory. */
void run_stage_of(struct run_stage *out, struct rk_stage *stage, const struct runs *runs,
                  const struct rk_model *model, const struct rk_system *system,
                  const struct rk_plan *plan, uint64_t index);

/* One virtual stage of it alone. */
void run_part_sum(struct run_stage *out, const struct runs *runs, const struct rk_model *model,
                  const struct rk_system *system, const struct rk_plan *plan, uint64_t part);

/* The longest message between stages. */
double runs_send_s(const struct runs *runs, const struct rk_system *system);
double runs_message_bytes(const struct runs *runs);

#endif
