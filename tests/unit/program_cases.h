/* program_cases.h - random plans with the programs of their stages, for tests of what programs sum
 * up to. Seeds: drawn.h. */
#ifndef RECKON_TESTS_PROGRAM_CASES_H
#define RECKON_TESTS_PROGRAM_CASES_H

#include "drawn.h"
#include "layouts.h"
#include "plans_cases.h"

#include "plan/ranks.h"
#include "workload/layers.h"

#include <inttypes.h>
#include <reckon/program.h>
#include <stdlib.h>

enum { CASES = DRAWN(100), PLANS = 4 };

struct sample {
    struct plans_case problem;
    struct rk_plan plan;
    struct rk_prediction prediction;
    struct rk_program *program; /* (stages) of the first rank of each */
    uint64_t seed;
};

static inline const char *name_of(const struct sample *s)
{
    static char text[RK_PLAN_TEXT + 256];
    const int used = snprintf(text, sizeof text, "seed %" PRIu64 ", %s on %s, ", s->seed,
                              s->problem.model.id, s->problem.system.id);
    rk_plan_text(&s->plan, text + used, sizeof text - (size_t)used);
    return text;
}

static bool chunked, in_segments, at_once; /* all plans are drawn so */

/* torch's framework, one stage, one microbatch: no gradients are there when backward begins. */
static inline void take_at_once(struct random *r, struct rk_plan *plan)
{
    plan->framework = RK_FSDP;
    plan->ranks /= plan->pipeline;
    plan->pipeline = plan->chunks = 1;
    plan->schedule = RK_1F1B;
    plan->microbatch_group = 0;
    plan->zero = 2 + (int)below(r, 2);
    plan->recompute_rest = false;
    edit(plan)->splits = 0;
    plan->batch = rk_plan_data(plan) * plan->microbatch;
}

/* Chunks of the sequence: layers are computed again whole, heads exchanged. */
static inline void take_in_chunks(struct random *r, struct rk_plan *plan)
{
    plan->recompute_rest = false;
    plan->recompute = RK_WHOLE;
    plan->recompute_parts = 0;
    plan->recompute_layers = plan->recompute_every = plan->recompute_stride = 0;
    if (plan->attention == RK_UNFUSED) plan->attention = RK_FLASH;
    if (plan->schedule != RK_GPIPE) plan->schedule = RK_1F1B;
    plan->context_kind = RK_ULYSSES;
    plan->context_contiguous = plan->full_attention = false;
    plan->sequence_chunks = UINT64_C(2) << below(r, 3);
    rk_plan_offload_activations(plan, one_in(r, 2));
}

/* What the space does not offer, but the predictor takes. */
static inline void change_plan(struct random *r, struct rk_plan *plan)
{
    if (plan->chunks == 1 && one_in(r, 2)) plan->schedule = (enum rk_schedule)below(r, RK_V_ZERO);
    if (plan->chunks == 2 && one_in(r, 2)) {
        plan->schedule = (enum rk_schedule)(RK_V_ZERO + below(r, 3));
        plan->microbatch_group = 0;
    }
    if (one_in(r, 3)) plan->gradient_overlap = plan->weight_overlap = one_in(r, 2);
    if (one_in(r, 4)) plan->head_counts = true;
    if (one_in(r, 3)) plan->zero = (int)below(r, 4);
    if (one_in(r, 8)) plan->keep_gathered = true;
    if (one_in(r, 6)) plan->messages_sharded = true;
    if (plan->recompute == RK_WHOLE && one_in(r, 3)) plan->recompute_every = 2 + below(r, 2);
    if (one_in(r, 5)) {
        plan->recompute = RK_KEEP;
        plan->recompute_parts = 0;
        plan->recompute_layers = plan->recompute_every = plan->recompute_stride = 0;
        if (plan->attention == RK_UNFUSED) plan->attention = RK_FLASH;
        if (plan->schedule == RK_DUALPIPE || rk_schedule_folds(plan->schedule))
            plan->schedule = RK_1F1B;
        plan->recompute_rest = true;
        rk_plan_offload_activations(plan, one_in(r, 3) ? 0 : (double)below(r, 11) / 10);
        return;
    }
    if (plan->recompute == RK_KEEP && one_in(r, 4)) {
        plan->recompute = RK_SELECTIVE;
        plan->recompute_parts = 1 + (unsigned)below(r, (1u << RK_PARTS) - 1);
    }
}

/* Runs of layers of their own: other degrees on the same ranks, other ZeRO, recomputation. */
static inline void add_segments(struct random *r, const struct rk_model *model,
                                struct rk_plan *plan)
{
    const uint64_t split = plan->tensor * plan->context;
    plan->order = RK_ORDER_TP_CP_DP_PP;
    if (plan->schedule == RK_DUALPIPE) plan->chunks = 1;
    if (rk_schedule_folds(plan->schedule)) plan->schedule = RK_1F1B;
    edit(plan)->splits = 0;
    plan->recompute_layers = plan->recompute_stride = 0;
    plan->recompute_rest = false; /* not with runs of layers, REST_RUNS */
    rk_plan_offload_activations(plan, 0);
    edit(plan)->others = 1 + (int)below(r, 3);
    for (int i = 0; i < rk_plan_layout(plan)->others; i++) {
        struct rk_local *other = &edit(plan)->other[i];
        *other = plan->local;
        if (one_in(r, 2)) other->tensor *= 2;
        if (one_in(r, 3) && other->tensor > 1) other->tensor /= 2;
        if (one_in(r, 5) && !model->recurrence) other->context *= 2;
        if (one_in(r, 3)) other->sequence_parallel = !other->sequence_parallel;
        if (one_in(r, 3)) other->zero = (int)below(r, 4);
        if (one_in(r, 3)) other->recompute = RK_WHOLE;
        other->microbatch = plan->microbatch * other->tensor * other->context / split;
    }
    uint64_t left = model->layers;
    for (edit(plan)->segments = 0; left && rk_plan_layout(plan)->segments < 6;
         edit(plan)->segments++) {
        const uint64_t layers = rk_plan_layout(plan)->segments == 5 ? left : 1 + below(r, left);
        edit(plan)->segment[rk_plan_layout(plan)->segments] = (struct rk_segment){
            (uint16_t)layers, (uint16_t)below(r, (uint64_t)rk_plan_layout(plan)->others + 1)};
        left -= layers;
    }
}

static inline bool lower(struct sample *s)
{
    const struct rk_model *model = &s->problem.model;
    struct rk_error error;
    if (s->plan.batch / (rk_plan_data(&s->plan) ? rk_plan_data(&s->plan) : 1) > 64) return false;
    rk_predict(&s->problem.model, &s->problem.system, &s->plan, &s->prediction);
    if (!s->prediction.timed) return false;
    const struct rank_map map = rank_map_of(&s->plan);
    const uint64_t stages = s->plan.pipeline;
    s->program = calloc(stages, sizeof *s->program);
    for (size_t i = 0; i < stages; i++) {
        const enum rk_status status =
            rk_program_of(&s->program[i], model, &s->problem.system, &s->plan,
                          rank_member(&map, RANKS_OF_PIPELINE, 0, i), &error);
        cr_assert_eq(status, RK_OK, "%s: %s", name_of(s), error.text);
        cr_assert_eq(s->program[i].stage, i);
    }
    return true;
}

static inline void release(struct sample *s)
{
    for (uint64_t i = 0; i < s->plan.pipeline; i++)
        rk_program_release(&s->program[i]);
    free(s->program);
}

/* Calls `check` for plans of every kind; returns how many. */
static inline int for_each(void (*check)(const struct sample *s))
{
    static struct sample s;
    int checked = 0;
    const uint64_t usual = chunked ? CASES / 2 : CASES;
    const struct drawn cases = drawn_cases(usual, 20 * usual);
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        struct random r = {seed * 7919};
        s.seed = seed;
        draw_case(&s.problem, seed, UINT64_MAX);
        struct rk_space *plans = rk_plans_open(&s.problem.problem, NULL);
        const uint64_t count = rk_space_count(plans);
        for (int i = 0; i < PLANS && count; i++) {
            rk_plans_plan(plans, below(&r, count), &s.plan);
            change_plan(&r, &s.plan);
            if (at_once) take_at_once(&r, &s.plan);
            if (chunked) take_in_chunks(&r, &s.plan);
            if (one_in(&r, 4) || in_segments) add_segments(&r, &s.problem.model, &s.plan);
            if (!lower(&s)) continue;
            check(&s);
            checked++;
            release(&s);
        }
        rk_space_close(plans);
        rk_system_release(&s.problem.system);
    }
    return checked;
}

static inline bool close(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

#define EXPECT(s, stage, what, a, b)                                                               \
    cr_assert(close(a, b), "%s, stage %d: %s %.17g, predicted %.17g", name_of(s), (int)(stage),    \
              what, a, b)

/* Through two buffers go layers of different kinds: the prediction takes the stage's mean layer,
 * and nothing of the program is that. */
static inline bool takes_means(const struct sample *s)
{
    const struct rk_model *m = &s->problem.model;
    for (uint64_t i = 1; i < m->layers && s->plan.recompute_rest; i++)
        if (layer_kind_of(m, i) != layer_kind_of(m, 0)) return true;
    return false;
}

#endif
