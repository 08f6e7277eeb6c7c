#include "advise/layers.h"

#include "catalog/plan_stages.h"
#include "clusters/predict.h"
#include "plan/layers.h"

#include <inttypes.h>
#include <reckon/machine.h>
#include <reckon/plans.h>
#include <stdio.h>
#include <stdlib.h>

#include <string.h>

/* The first key of a choice's family. */
static const char *family_of(const char *key)
{
    const char *const *family = plan_family(key, true);
    return family ? *family : key;
}

/* A choice that a layer has by itself, of a family. */
static bool is_of(int row, const char *family)
{
    const struct field *field = &plan_fields[row];
    return plan_is_local(field) && strcmp(field->key, "microbatch") != 0 &&
           strcmp(family_of(field->key), family) == 0;
}

struct work {
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_plan *a, *b;
    struct rk_prediction *scratch;
};

static struct rk_plan alone_as(const struct rk_plan *plan, const struct rk_local *local)
{
    struct rk_plan own = plan_alike(plan);
    own.recompute_layers = 0;
    own.local = *local;
    return own;
}

/* `to` with a family of choices as `from` has it. */
static struct rk_local take(const struct work *w, const struct rk_local *to,
                            const struct rk_local *from, const char *family)
{
    struct rk_plan own = alone_as(w->a, to);
    const struct rk_plan other = alone_as(w->a, from);
    for (int row = 0; plan_fields[row].key; row++)
        if (is_of(row, family)) plan_take(&own, &other, row);
    return own.local;
}

/* `to` with layers first ... first + layers - 1 as `from` has them in a family. */
static struct plan_judgement judge_with(const struct work *w, const struct rk_plan *to,
                                        const struct rk_plan *from, uint64_t first, uint64_t layers,
                                        const char *family)
{
    struct plan_layers here = {.plan = to, .model = w->model};
    struct plan_layers there = {.plan = from, .model = w->model};
    struct rk_plan plan = *to;
    struct rk_layout layout = *rk_plan_layout(to);
    bool said = true;
    layout_be_alike(&layout);
    plan.recompute_layers = 0;
    for (uint64_t i = 0; i < w->model->layers && said; i++) {
        const struct rk_local own = plan_layer(&here), other = plan_layer(&there);
        const bool in = i >= first && i < first + layers;
        const struct rk_local layer = in ? take(w, &own, &other, family) : own;
        said = layout_add_layer(&layout, &plan, &layer);
        plan_layers_next(&here);
        plan_layers_next(&there);
    }
    if (!layout.others) layout.segments = 0;
    plan.layout = rk_layout_keep(&layout);
    if (!said) return (struct plan_judgement){.verdict = RK_BAD_OPTION};
    return plan_judge(w->model, w->system, &plan, w->scratch);
}

static void add_worths(const struct work *w, const struct rk_local *a, const struct rk_local *b,
                       struct layers_worth where, struct layers_worths *worths)
{
    struct plan_difference list[PLAN_MAX_FIELDS];
    const struct rk_plan x = alone_as(w->a, a), y = alone_as(w->a, b);
    const struct rk_plan one = plan_canonical(w->model, &x), two = plan_canonical(w->model, &y);
    const int count = plan_compare(&one, &two, list);
    for (int i = 0; i < count; i++) {
        const char *family = family_of(plan_fields[list[i].row].key);
        bool begun = false;
        if (!is_of(list[i].row, family)) continue;
        for (int k = 0; k < i && !begun; k++)
            begun = is_of(list[k].row, family);
        if (begun) continue;
        if (worths->count == LAYERS_MOST) {
            worths->more = true;
            return;
        }
        struct layers_worth *worth = &worths->worth[worths->count++];
        *worth = where;
        for (int k = i; k < count; k++) {
            const size_t used = strlen(worth->change);
            if (is_of(list[k].row, family))
                snprintf(worth->change + used, LAYERS_TEXT - used, "%s%s %s -> %s",
                         used ? ", " : "", plan_fields[list[k].row].key, list[k].a, list[k].b);
        }
        worth->alone = judge_with(w, w->a, w->b, where.first, where.layers, family);
        worth->without = judge_with(w, w->b, w->a, where.first, where.layers, family);
    }
}

static bool has_runs(const struct rk_plan *plan)
{
    return rk_plan_layout(plan)->segments > 0 || plan->recompute_layers > 0;
}

/* ---- stages over several clusters ---- */

/* The plan `to` with the replicas of a stage as `from` has them: or, below 0, the layers of all
 * stages, the samples of a round. */
enum { THE_LAYERS = -1, THE_ROUND = -2 };

static struct plan_judgement judge_stage(const struct work *w, const struct rk_plan *to,
                                         const struct given_plan *own,
                                         const struct given_plan *other, int stage)
{
    struct given_plan *changed = malloc(sizeof *changed);
    struct plan_judgement judgement = {.verdict = RK_BAD_OPTION};
    struct rk_plan plan;
    if (!changed) return judgement;
    *changed = *own;
    if (stage == THE_ROUND) changed->round = other->round;
    if (stage == THE_LAYERS) memcpy(changed->split, other->split, sizeof changed->split);
    if (stage >= 0) changed->stage[stage] = other->stage[stage];
    if (to->batch % changed->round == 0 && plan_of_given(to, changed, &plan))
        judgement = plan_judge(w->model, w->system, &plan, w->scratch);
    free(changed);
    return judgement;
}

static bool same_replicas(const struct given_stage *a, const struct given_stage *b)
{
    bool same = a->parts == b->parts && a->equal == b->equal;
    for (int k = 0; same && k < a->parts; k++) {
        struct rk_local own = a->part[k].plan.local;
        own.microbatch = b->part[k].plan.microbatch; /* follows from the round */
        same = a->part[k].cluster == b->part[k].cluster && a->part[k].data == b->part[k].data &&
               memcmp(&own, &b->part[k].plan.local, sizeof own) == 0;
    }
    return same;
}

/* "new tp2 dp8 recompute=full", "8 24" or "16". */
static void stage_text(const struct work *w, const struct given_plan *given, int stage,
                       char text[static LAYERS_TEXT / 2])
{
    size_t used = 0;
    *text = '\0';
    if (stage == THE_ROUND) snprintf(text, LAYERS_TEXT / 2, "%" PRIu64, given->round);
    for (int i = 0; stage == THE_LAYERS && i < given->stages * given->chunks; i++)
        if (used < LAYERS_TEXT / 2)
            used += (size_t)snprintf(text + used, LAYERS_TEXT / 2 - used, "%s%d", i ? " " : "",
                                     given->split[i]);
    for (int k = 0; stage >= 0 && k < given->stage[stage].parts && used < LAYERS_TEXT / 2; k++) {
        const struct given_part *p = &given->stage[stage].part[k];
        used += (size_t)snprintf(
            text + used, LAYERS_TEXT / 2 - used,
            "%s%s tp%" PRIu64 " cp%" PRIu64 " dp%" PRIu64 " %s", k ? " + " : "",
            w->system->machine->cluster[p->cluster].name, p->plan.tensor, p->plan.context, p->data,
            rk_plan_axis_text(RK_PLAN_RECOMPUTE,
                              RK_RECOMPUTE_VALUE(p->plan.recompute, p->plan.recompute_parts),
                              (char[RK_PLAN_AXIS_TEXT]){""}));
    }
    if (stage >= 0 && given->stage[stage].equal && used < LAYERS_TEXT / 2)
        snprintf(text + used, LAYERS_TEXT / 2 - used, ", equal shares");
}

static void add_stage(const struct work *w, const struct given_plan *a, const struct given_plan *b,
                      int stage, struct layers_worths *worths)
{
    char one[LAYERS_TEXT / 2], two[LAYERS_TEXT / 2];
    worths->more |= worths->count == LAYERS_MOST;
    if (worths->count == LAYERS_MOST) return;
    struct layers_worth *worth = &worths->worth[worths->count++];
    stage_text(w, a, stage, one);
    stage_text(w, b, stage, two);
    *worth = (struct layers_worth){.stage = stage < 0 ? 0 : (uint64_t)stage,
                                   .layers = stage < 0 ? 0 : (uint64_t)b->stage[stage].layers};
    for (int i = 0; i < stage; i++)
        worth->first += b->split[i];
    snprintf(worth->change, sizeof worth->change, "%s%.88s -> %.88s",
             stage == THE_ROUND    ? "samples of a round "
             : stage == THE_LAYERS ? "layers "
                                   : "",
             one, two);
    worth->alone = judge_stage(w, w->a, a, b, stage);
    worth->without = judge_stage(w, w->b, b, a, stage);
}

static void stages_worths(const struct work *w, struct layers_worths *worths)
{
    struct given_plan *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    const struct rk_plan *x = w->a, *y = w->b;
    if (a && b && x->pipeline == y->pipeline && x->chunks == y->chunks) {
        given_of_plan(x, a);
        given_of_plan(y, b);
        if (a->round != b->round) add_stage(w, a, b, THE_ROUND, worths);
        if (memcmp(a->split, b->split, sizeof a->split) != 0)
            add_stage(w, a, b, THE_LAYERS, worths);
        for (int i = 0; i < a->stages; i++)
            if (!same_replicas(&a->stage[i], &b->stage[i])) add_stage(w, a, b, i, worths);
    }
    free(a);
    free(b);
}

void layers_worths(const struct rk_model *model, const struct rk_system *system,
                   const struct rk_plan *a, const struct rk_plan *b, struct layers_worths *worths,
                   struct rk_prediction *scratch)
{
    const struct work w = {model, system, a, b, scratch};
    struct plan_layers x = {.plan = a, .model = model}, y = {.plan = b, .model = model};
    worths->count = 0;
    worths->more = false;
    if (rk_plan_layout(a)->parts && rk_plan_layout(b)->parts && system->machine) {
        stages_worths(&w, worths);
        return;
    }
    if (a->pipeline != b->pipeline || a->chunks != 1 || b->chunks != 1 || a->recompute_stride ||
        b->recompute_stride || (!has_runs(a) && !has_runs(b)))
        return;
    for (uint64_t first = 0, next; first < model->layers; first = next) {
        const struct rk_local one = plan_layer(&x), two = plan_layer(&y);
        const uint64_t stage = y.stage;
        for (next = first; next < model->layers && y.stage == stage; next++) {
            const struct rk_local p = plan_layer(&x), q = plan_layer(&y);
            if (memcmp(&p, &one, sizeof p) != 0 || memcmp(&q, &two, sizeof q) != 0) break;
            plan_layers_next(&x);
            plan_layers_next(&y);
        }
        const struct layers_worth where = {.stage = stage, .first = first, .layers = next - first};
        add_worths(&w, &one, &two, where, worths);
    }
}
