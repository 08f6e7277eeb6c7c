#include "search/layerwise_quest.h"

#include "estimate/runs.h"
#include "machine/part.h"
#include "plan/layers.h"
#include "search/layerwise_climb.h"
#include "search/layerwise_needs.h"
#include "search/layerwise_shape.h"
#include "search/plans_space.h"

#include <math.h>

double layerwise_messages_s(const struct shape *s)
{
    return 2 * ((double)s->base.pipeline - 1) * s->send_s *
           (1 + (double)shape_microbatches(s) / fmax(1, (double)s->base.pipeline - 1));
}

bool layerwise_launches(const struct quest *q, const struct rk_plan *plan)
{
    const struct layerwise_query *query = q->query;
    return !query->launches || query->launches(query->problem->model, query->problem->system, plan);
}

/* Takes a plan over when its prediction is the fastest so far; `dealt` is it without virtual
 * stages. False: it cannot be launched. */
static bool offer(struct quest *q, const struct mix *mix, const struct rk_plan *dealt,
                  const struct rk_plan *plan)
{
    struct layerwise_answer *best = q->answer;
    const struct rk_prediction *p = &q->prediction;
    if (p->verdict != RK_FITS || p->step_s >= q->least_s) return true;
    if (!layerwise_launches(q, plan)) return false;
    q->least_s = p->step_s;
    q->winner = q->shape;
    q->won = *mix;
    best->found = best->mixed = true;
    best->plan = plan_kept(plan);
    best->dealt = plan_kept(dealt);
    best->prediction = *p;
    return true;
}

/* What is slower than this by the surrogate is not looked for. */
static double enough(const struct quest *q, const struct shape *s)
{
    return isinf(q->least_s)
               ? 0
               : fmax(1e-12, (q->least_s - layerwise_messages_s(s)) * SURROGATE_SLACK);
}

/* The bytes that predictions have above a memory, by tier; 0: they fit. */
struct excess {
    double bytes[1 + RK_SHARE_TIERS];
};

static void add_excess(struct excess *over, const struct shape *s, const struct rk_prediction *p)
{
    for (int i = 0; p->timed && i < p->stages; i++) {
        const struct rk_stage *stage = &p->stage[i];
        over->bytes[0] =
            fmax(over->bytes[0], stage->total_bytes - s->system->memory[0].capacity_bytes);
        for (int t = 0; t < RK_SHARE_TIERS && t + 1 < s->system->memories; t++)
            over->bytes[t + 1] = fmax(
                over->bytes[t + 1],
                stage->away_bytes[t] - memory_part_bytes(&s->system->memory[t + 1], s->base.ranks));
    }
}

static bool fits_all(const struct excess *over)
{
    bool fits = true;
    for (int i = 0; i <= RK_SHARE_TIERS; i++)
        fits &= over->bytes[i] <= 0;
    return fits;
}

static int watched_as(const struct shape *s, int tier)
{
    for (int t = 0; t < s->watched; t++)
        if (s->tier[t] == tier) return t;
    return -1;
}

/* The surrogate gets less of what is overfilled, `less`; or first a lower memory that it did not
 * know is watched, with which its mixes are others. False when it cannot be. */
static bool take_off(struct quest *q, struct shape *s, const struct excess *over,
                     struct excess *less)
{
    bool other = false;
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++) {
        if (over->bytes[tier + 1] <= 0 || watched_as(s, tier) >= 0) continue;
        if (!shape_watch(s, tier)) {
            q->failed = s->failed;
            return false;
        }
        other = true;
    }
    for (int i = 0; i <= RK_SHARE_TIERS && !other; i++)
        less->bytes[i] += 1.01 * over->bytes[i];
    return true;
}

static const struct mix_judged refused = {.step_s = INFINITY, .excess_bytes = INFINITY};

/* Predicts a mix, and offers it. */
static void judge(void *context, const struct mix *mix, struct mix_judged *judged)
{
    struct quest *q = context;
    const struct shape *s = q->shape;
    struct mix own = *mix;
    const struct stages_answer answer = mix_answer(&own);
    struct rk_plan dealt, plan;
    struct rk_layout dealt_layout, layout;
    struct excess over = {{0}};
    *judged = refused;
    q->prediction.timed = false;
    q->left--;
    q->answer->counts.judged++;
    if (!shape_answer(s, &answer, mix->end, &dealt, &dealt_layout)) return;
    plan = dealt;
    if (s->base.chunks > 1 &&
        !layerwise_interleave(&dealt, s->model, s->base.chunks, &plan, &layout))
        return;
    rk_predict(s->model, s->system, &plan, &q->prediction);
    if (!q->prediction.timed || !offer(q, mix, &dealt, &plan)) return;
    judged->step_s = q->prediction.step_s;
    judged->excess_bytes = 0;
    add_excess(&over, s, &q->prediction);
    for (int t = 0; t <= RK_SHARE_TIERS; t++)
        judged->excess_bytes += fmax(0, over.bytes[t]);
    for (int k = 0; k < q->prediction.stages; k++)
        judged->stage_bytes[k] = q->prediction.stage[k].total_bytes;
}

/* Judges what the surrogate found, or all alike; it may be one that the search continues from. */
static void consider(struct quest *q, const struct mix *mix)
{
    struct start start = {.mix = *mix};
    int at = q->starts;
    judge(q, mix, &start.judged);
    start.worth = mix_worth(q->shape, &start.judged, CLIMB_WEIGHT);
    while (at > 0 && q->start[at - 1].worth > start.worth)
        at--;
    if (isinf(start.worth) || at == MOST_STARTS) return;
    if (at > 0 && q->start[at - 1].worth == start.worth) return; /* the same again */
    if (q->starts < MOST_STARTS) q->starts++;
    for (int i = q->starts - 1; i > at; i--)
        q->start[i] = q->start[i - 1];
    q->start[at] = start;
}

/* ... and adds what the surrogate's memories have too many. False: no plan can say it. */
static bool consider_found(struct quest *q, struct stages_answer *answer, int end,
                           struct excess *over)
{
    struct rk_plan plan;
    struct rk_layout layout;
    shape_tidy(q->shape, answer);
    if (!shape_answer(q->shape, answer, end, &plan, &layout)) return false;
    const struct mix mix = mix_of(q->shape, answer, end);
    consider(q, &mix);
    add_excess(over, q->shape, &q->prediction);
    return true;
}

/* The best with embedding and head in way `end`. */
static void solve_end(struct quest *q, struct shape *s, int end, struct excess *over)
{
    shape_allow(s, end);
    for (int try = 0; try < RETRIES; try++) {
        struct stages_answer answer;
        const struct stages_problem problem = shape_problem(s, enough(q, s));
        if (!stages_solve(&problem, &answer)) {
            q->failed = true;
            return;
        }
        q->answer->counts.labels += answer.labels;
        const bool said = answer.found && consider_found(q, &answer, end, over);
        const bool again = answer.found && !said;
        if (again) shape_forbid_rare(s, &answer, end);
        stages_answer_release(&answer);
        if (!again) return;
    }
}

/* Embedding and head in any way. Where they are in one, that is it, else each of the two that they
 * are in is solved; and all over again with less memory where the prediction says that the
 * surrogate took too much. */
static bool solve_shape(struct quest *q, struct shape *s)
{
    struct excess less = {{0}};
    bool found = false;
    for (int try = 0; try < RETRIES + s->watched && !q->failed && !layerwise_stopped(q); try++) {
        struct stages_answer answer;
        struct excess over = {{0}};
        struct capacity capacity = shape_capacity(s);
        capacity.bytes -= less.bytes[0];
        for (int t = 0; t < s->watched; t++)
            capacity.lower[t] -= less.bytes[s->tier[t] + 1];
        shape_set_capacity(s, &capacity);
        shape_allow(s, -1);
        const struct stages_problem problem = shape_problem(s, enough(q, s));
        if (!stages_solve(&problem, &answer)) {
            q->failed = true;
            return false;
        }
        q->answer->counts.labels += answer.labels;
        const bool any = answer.found;
        const int ends[] = {any ? answer.choice[0] : 0, any ? answer.choice[s->layers - 1] : 0};
        const bool done = any && ends[0] == ends[1] && consider_found(q, &answer, ends[0], &over);
        stages_answer_release(&answer);
        if (!any) return found;
        found = true;
        for (int i = 0; !done && i < 2; i++)
            if (i == 0 || ends[1] != ends[0]) solve_end(q, s, ends[i], &over);
        if (fits_all(&over) || !take_off(q, s, &over, &less)) break;
    }
    return found;
}

double layerwise_search_shape(struct quest *q, struct shape *s)
{
    double found_s = INFINITY;
    q->shape = s;
    q->starts = 0;
    q->answer->counts.unfit += !solve_shape(q, s);
    for (int way = 0; way < s->ways && q->left > 0 && !layerwise_stopped(q); way++) {
        const struct mix alike = mix_alike(s, way);
        consider(q, &alike);
    }
    const long before = q->left, most = before < MOST_AROUND ? before : MOST_AROUND;
    for (int i = 0; i < q->starts && !q->failed && !layerwise_stopped(q); i++) {
        if (q->start[i].worth > FAR * q->least_s) break;
        struct climb around = {s, judge, q, most - (before - q->left), CLIMB_WEIGHT};
        struct mix_judged *judged = &q->start[i].judged;
        q->failed = !climb_from(&around, &q->start[i].mix, judged);
        if (judged->excess_bytes <= 0) found_s = fmin(found_s, judged->step_s);
    }
    return found_s;
}
