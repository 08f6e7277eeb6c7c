#include "search/plans_run.h"

#include "base/extremes.h"
#include "estimate/predict.h"

#include <math.h>
#include <string.h>

/* ---- bounds ---- */

static double class_s(const struct run *r, const struct stage_blocks *blocks,
                      const struct block_times *times)
{
    const struct layer_folds *fold = &r->s->fold[0];
    double sum_s = (blocks->first ? times->ends_s[FIRST_END] : 0) +
                   (blocks->last ? times->ends_s[LAST_END] : 0);
    for (int k = 0; k < fold->blocks; k++)
        for (int treatment = 0; treatment < TREATMENTS; treatment++)
            sum_s += blocks->counts[treatment][fold->block[k]] *
                     times->block_s[treatment][fold->block[k]];
    return sum_s;
}

double run_slowest_s(const struct run *r, const struct stage_map *map,
                     const struct block_times *times, bool pairs)
{
    double of[RK_MAX_STAGES], most_s = 0, both_s = 0;
    for (int i = 0; i < map->classes; i++) {
        of[i] = class_s(r, &map->blocks[i], times);
        most_s = larger(most_s, of[i]);
    }
    if (!pairs) return most_s;
    for (int i = 0, far = map->stages - 1; i <= far; i++, far--)
        both_s = larger(both_s, of[map->class_of[i]] + of[map->class_of[far]]);
    return both_s / 2;
}

bool run_all_bounded(const struct run *r, const struct shape *shape)
{
    const bool pairs = r->s->timetable[shape->timetable].pairs;
    bool all = r->visitor->prune;
    for (int i = 0; i < FAMILIES && all; i++)
        if (shape->divisions[i])
            all = run_bounded(r, run_slowest_s(r, &shape->map, &r->s->least_s[i], pairs));
    return all;
}

/* The FLOP of the model, whatever stages they are on, over those of the peaks, of a step of 1 s. */
static double mfu_of_second(struct run *r)
{
    const struct plan_scratch *s = r->s;
    const struct rk_model *model = s->problem->model;
    struct stage_blocks blocks = {.all = (double)model->layers, .first = true, .last = true};
    struct rk_outcome work = {.step_s = 1};
    struct stage_sum all;
    layer_count(model, 0, model->layers, blocks.counts[AS_IT_IS]);
    stage_details(&all, &s->fold[0], model, &s->plan, &blocks);
    work_add(&work, &all, work_times(&s->plan), &s->plan);
    work_rates(&work, plan_peak_flops(s->problem->system, &s->plan));
    return work.mfu;
}

double run_longest_s(struct run *r)
{
    const struct limits *limits = &r->visitor->limits;
    if (!(limits->least_mfu > 0)) return limits->longest_s;
    return smaller(limits->longest_s, mfu_of_second(r) / limits->least_mfu);
}

/* ---- data parallelism ---- */

static struct exchange exchange_for(struct run *r, const struct stage_sum *sum,
                                    const struct choice_state *sharding)
{
    struct plan_scratch *s = r->s;
    uint64_t a, b;
    memcpy(&a, &sum->parameters, sizeof a);
    memcpy(&b, &sum->expert_parameters, sizeof b);
    const uint64_t hash = (a * 31 + b * 17 + sharding->id) * UINT64_C(0x9e3779b97f4a7c15);
    struct remembered *m = &s->remembered[hash >> 54];
    _Static_assert(REMEMBERED == 1 << 10, "10 bits of the hash");
    if (m->of == sharding->id && m->blocks == sum->blocks && m->parameters == sum->parameters &&
        m->expert_parameters == sum->expert_parameters)
        return m->exchange;
    *m = (struct remembered){
        .of = sharding->id,
        .blocks = sum->blocks,
        .parameters = sum->parameters,
        .expert_parameters = sum->expert_parameters,
        .exchange = exchange_of(sum, s->problem->system, &sharding->sharing, &s->plan),
    };
    return m->exchange;
}

/* What the sharding and offload at hand add to each class. */
static void move_classes(struct run *r, const struct choice_state *sharding)
{
    struct plan_scratch *s = r->s;
    const struct rk_system *system = s->problem->system;
    for (int i = 0; i < r->map->classes; i++) {
        struct stage_sum *sum = &s->sum[i];
        const struct exchange exchange = exchange_for(r, sum, sharding);
        memcpy(sum->pass_s, s->pass_s[i], sizeof sum->pass_s);
        sum->data_s[FOLD_FORWARD] = sum->data_s[FOLD_AGRAD] = 0;
        stage_moves(sum, &exchange, system, &sharding->sharing, &s->plan);
        s->end[i] = stage_end_of(sum, &exchange, system, &sharding->sharing, &s->plan);
    }
}

/* ---- one plan ---- */

/* One plan as a batch. */
struct single {
    struct batch batch;
    uint64_t index;
};

static uint64_t single_index(const struct batch *batch, int lane)
{
    (void)lane;
    return ((const struct single *)batch)->index;
}

static bool offloads(const struct run *r, const struct memory_rule *rule)
{
    bool any = false;
    for (int tier = 0; tier < r->s->lower_tiers; tier++)
        any |= rule_lowers(rule, tier);
    return any;
}

/* How much runs again through two buffers is decided as a plan is timed. */
static bool knows_work(const struct run *r)
{
    return r->visitor->works && !r->s->plan.recompute_rest;
}

static void report(struct run *r, const double *step_s, uint64_t index, double hbm_bytes,
                   bool offloaded)
{
    const double lower_bytes = offloaded ? (double)NAN : 0;
    const struct single single = {.batch = {.lanes = 1,
                                            .samples = (double)r->s->plan.batch,
                                            .step_s = step_s,
                                            .hbm_bytes = &hbm_bytes,
                                            .lower_bytes = &lower_bytes,
                                            .work = knows_work(r) ? &r->s->work : NULL,
                                            .index = single_index},
                                  .index = index};
    r->visitor->batch(r->visitor, &single.batch, 1);
}

static void time_plan(struct run *r, uint64_t choice, int schedule)
{
    struct plan_scratch *s = r->s;
    struct step_outline outline;
    const struct staged staged = {.map = r->map,
                                  .sums = s->sum,
                                  .ends = s->end,
                                  .send_s = r->send_s,
                                  .microbatches = r->microbatches};
    step_outline(&outline, &staged, &s->plan);
    r->visitor->explain->timed++;
    if ((double)s->plan.batch / outline.step_s < r->visitor->least) return;
    s->work.step_s = outline.step_s;
    if (knows_work(r)) work_rates(&s->work, plan_peak_flops(s->problem->system, &s->plan));
    const double hbm_bytes = r->visitor->needs ? run_tightest_bytes(r, choice, schedule) : 0;
    report(r, &outline.step_s,
           r->base + (r->tuple + (uint64_t)schedule) * r->leaves + s->choice[choice].index,
           hbm_bytes, offloads(r, rule_of(r, choice, s->plan.schedule)));
}

/* ---- divisions ---- */

/* Times the plans of a choice that fit. What two buffers move depends on the schedule. */
static void time_choice(struct run *r, uint64_t choice)
{
    struct plan_scratch *s = r->s;
    const bool each = s->plan.recompute_rest;
    const double most_bytes = r->visitor->limits.most_bytes / rounding;
    const bool limited = r->visitor->prune && isfinite(most_bytes);
    bool moved = false;
    for (int i = 0; i < r->timetable->schedules; i++) {
        if (r->state->refused[i] || !s->fits[choice * RK_SCHEDULES + (uint64_t)i]) continue;
        s->plan.schedule = r->timetable->schedule[i];
        if (limited && run_exceeds(r, choice, i, most_bytes)) {
            count_bounded(r, 1);
            continue;
        }
        if (!moved || each) {
            set_choice(r, &s->choice[choice]);
            move_classes(r, &s->sharding[s->choice[choice].sharding]);
        }
        moved = true;
        r->visitor->counts->verdict[RK_FITS][0]++;
        time_plan(r, choice, i);
    }
}

/* The FLOP of all stages, in the order of a prediction. */
static void find_work(struct run *r)
{
    struct plan_scratch *s = r->s;
    s->work = (struct rk_outcome){.reasons = 0};
    for (int i = 0; i < r->map->classes; i++)
        stage_details(&s->sum[i], r->fold, s->problem->model, &s->plan, &r->map->blocks[i]);
    for (int i = 0; i < r->map->stages; i++)
        work_add(&s->work, &s->sum[r->map->class_of[i]], work_times(&s->plan), &s->plan);
}

void run_time_division(struct run *r)
{
    struct plan_scratch *s = r->s;
    for (int i = 0; i < r->map->classes; i++) {
        stage_again(&s->sum[i], r->fold, s->problem->model, &s->plan, &r->map->blocks[i]);
        memcpy(s->pass_s[i], s->sum[i].pass_s, sizeof s->pass_s[i]);
    }
    if (knows_work(r)) find_work(r);
    for (uint64_t choice = 0; choice < r->choices; choice++)
        time_choice(r, choice);
}
