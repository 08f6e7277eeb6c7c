#include "optimize/stages.h"
#include "optimize/stages_engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WALK_LABELS = 200 };

/* ---- the walk between balanced extremes ---- */

struct split {
    double value_s, most_s, most_bytes;
    bool fits;
};

/* The value of a split, each stage at its best; choices are filled in. */
static struct split split_value(struct engine *e, struct stages_answer *answer)
{
    const struct stages_problem *p = e->problem;
    for (int stage = 0; stage < p->stages; stage++) {
        const int first = answer->first[stage], end = answer->first[stage + 1];
        const struct front *front = engine_front(e, stage, first, end - first);
        int best = 0;
        if (!front->count) return (struct split){INFINITY, INFINITY, INFINITY, false};
        for (int i = 1; i < front->count; i++)
            if (p->microbatches * front->point[i].time_s + front->point[i].end_s <
                p->microbatches * front->point[best].time_s + front->point[best].end_s)
                best = i;
        engine_trace(e, stage, first, end, best, answer->choice);
    }
    struct split split = {.value_s = stages_value(p, answer), .fits = true};
    for (int stage = 0; stage < p->stages; stage++) {
        split.most_s = fmax(split.most_s, answer->stage_s[stage]);
        split.most_bytes = fmax(split.most_bytes, answer->stage_bytes[stage]);
    }
    return split;
}

/* Number of places after layer `at` where stages may end, without the last one. */
static int cuts_behind(const struct stages_problem *p, int at)
{
    int cuts = 0;
    for (int i = at + 1; i < p->layers; i++)
        cuts += may_cut(p, i);
    return cuts;
}

/* Deals layers so that the largest stage is as small as it can be, by weights that depend on the
 * stage: the most layers that a limit allows, and the least limit that is enough. */
static bool deal(const struct stages_problem *p, const double *weight, double limit, int *first)
{
    int at = 0;
    for (int stage = 0; stage < p->stages; stage++) {
        const int left = p->stages - stage - 1;
        double sum = 0;
        first[stage] = at;
        int end = at;
        for (int i = at; i < p->layers - left; i++) {
            sum += weight[stage * p->layers + i];
            if (sum > limit) break;
            if (may_cut(p, i + 1) && cuts_behind(p, i + 1) >= left - 1) end = i + 1;
        }
        if (end == at) return false;
        at = end;
    }
    first[p->stages] = p->layers;
    return at == p->layers;
}

static bool balance(const struct stages_problem *p, const double *weight, int *first)
{
    double low = 0, high = 0;
    for (int i = 0; i < p->stages * p->layers; i++)
        high += weight[i];
    if (!deal(p, weight, high, first)) return false;
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        if (deal(p, weight, middle, first))
            high = middle;
        else
            low = middle;
    }
    return deal(p, weight, high, first);
}

/* Of each layer on each stage the least bytes, or the least time. */
static void weigh(const struct engine *e, double *weight, bool bytes)
{
    const struct stages_problem *p = e->problem;
    for (int stage = 0; stage < p->stages; stage++)
        for (int i = 0; i < p->layers; i++) {
            double *least = &weight[stage * p->layers + i];
            *least = INFINITY;
            for (int s = 0; s < p->choices; s++) {
                const struct stage_choice *one = choice_of(e, stage, p->kind[i], s);
                if (isinf(one->time_s)) continue;
                *least = fmin(*least, bytes ? one->fixed_bytes +
                                                  p->place[stage].in_flight * one->flight_bytes
                                            : one->time_s);
            }
        }
}

static int slowest_of(const struct stages_answer *answer, int stages)
{
    int slowest = 0;
    for (int stage = 1; stage < stages; stage++)
        if (answer->stage_s[stage] > answer->stage_s[slowest]) slowest = stage;
    return slowest;
}

/* Moves a boundary of the slowest stage by the layers up to the next cut: side 0 to the previous
 * stage, 1 to the next one. */
static bool move(const struct stages_problem *p, int *first, int stage, int side)
{
    const int at = stage + side, step = side ? -1 : 1;
    if (at == 0 || at == p->stages) return false;
    int to = first[at] + step;
    while (to > first[at - 1] && to < first[at + 1] && !may_cut(p, to))
        to += step;
    if (to <= first[at - 1] || to >= first[at + 1]) return false;
    first[at] = to;
    return true;
}

/* From the balanced memory, where it fits best, towards balanced time: each move is kept when the
 * pace gets no slower, all stages fit, and none holds more than at balanced time. */
/* A walk from a split on: its value, and the best it met. */
struct walk {
    struct engine *engine;
    struct stages_answer *answer; /* the split at hand */
    struct split at;
    double most_bytes, least_s;
    int *best, *before; /* (stages + 1) */
};

/* A boundary of the slowest stage moves, where that makes the slowest faster. */
static bool walk_on(const struct stages_problem *problem, struct walk *w)
{
    const size_t boundaries = (size_t)problem->stages + 1;
    for (int side = 0; side < 2; side++) {
        split_value(w->engine, w->answer);
        memcpy(w->before, w->answer->first, boundaries * sizeof *w->before);
        const int slowest = slowest_of(w->answer, problem->stages);
        if (!move(problem, w->answer->first, slowest, side)) continue;
        const struct split tried = split_value(w->engine, w->answer);
        if (!(tried.fits && tried.most_s < w->at.most_s && tried.most_bytes <= w->most_bytes)) {
            memcpy(w->answer->first, w->before, boundaries * sizeof *w->before);
            continue;
        }
        w->at = tried;
        if (w->at.value_s < w->least_s) {
            w->least_s = w->at.value_s;
            memcpy(w->best, w->answer->first, boundaries * sizeof *w->best);
        }
        return true;
    }
    return false;
}

bool stages_walk(const struct stages_problem *problem, struct stages_answer *answer)
{
    struct engine e;
    const size_t boundaries = (size_t)problem->stages + 1;
    const size_t cells = (size_t)problem->stages * (size_t)problem->layers;
    if (!stages_answer_open(answer, problem)) {
        stages_answer_release(answer);
        return false;
    }
    bool done = engine_open(&e, problem);
    e.limit = WALK_LABELS;
    double *weight = calloc(cells, sizeof *weight);
    int *best = calloc(2 * boundaries, sizeof *best);
    done = done && weight && best;
    struct split at = {.value_s = INFINITY}, by_time = {.value_s = INFINITY};
    if (done) {
        weigh(&e, weight, false);
        if (balance(problem, weight, answer->first)) by_time = split_value(&e, answer);
        memcpy(best, answer->first, boundaries * sizeof *best);
        weigh(&e, weight, true);
        if (balance(problem, weight, answer->first)) at = split_value(&e, answer);
        if (at.fits) memcpy(best, answer->first, boundaries * sizeof *best);
        if (!at.fits) at = by_time;
    }
    struct walk walk = {.engine = &e,
                        .answer = answer,
                        .at = at,
                        .most_bytes = by_time.fits ? by_time.most_bytes : INFINITY,
                        .least_s = at.value_s,
                        .best = best,
                        .before = best ? best + boundaries : NULL};
    memcpy(answer->first, best, best ? boundaries * sizeof *best : 0);
    while (done && walk.at.fits && walk_on(problem, &walk))
        ;
    if (done && by_time.fits && by_time.value_s < walk.least_s) { /* the other extreme */
        weigh(&e, weight, false);
        balance(problem, weight, best);
    }
    if (done) memcpy(answer->first, best, boundaries * sizeof *best);
    const bool any = done && (walk.at.fits || by_time.fits);
    const struct split end = any ? split_value(&e, answer) : (struct split){.value_s = INFINITY};
    answer->found = end.fits;
    answer->value_s = end.value_s;
    answer->bound_s = 0;
    answer->labels = e.labels;
    done = done && !e.failed;
    free(weight);
    free(best);
    engine_close(&e);
    if (!done) stages_answer_release(answer);
    return done;
}
