#include "optimize/stages.h"
#include "optimize/stages_engine.h"

#include <math.h>
#include <stdlib.h>

/* ---- the pipeline: chain.h, of which each stage is a cluster of one unit ---- */

/* Number of stages that a pipeline can have there, up to the most that is searched, with enough
 * layers before and after for the other stages. */
static const struct chain_cost *ways_of(void *context, int stage, int first, int last, int *count)
{
    struct engine *e = context;
    const struct stages_problem *p = e->problem;
    const int behind = p->stages - stage - 1, left = p->layers - last;
    *count = last - first > e->longest ? -1 : 0;
    if (*count < 0 || first < stage || left < behind || !may_cut(p, first) || !may_cut(p, last) ||
        (stage == 0) != (first == 0) || (behind == 0) != (left == 0) ||
        first > stage * e->longest || left > behind * e->longest)
        return NULL;
    const struct front *front = engine_front(e, stage, first, last - first);
    *count = front->count;
    if (!engine_set(e, stage, first, last - first)->count) *count = -1; /* longer: no less */
    return front->cost;
}

static bool try_longest(struct engine *e, struct stages_answer *answer)
{
    const struct stages_problem *p = e->problem;
    static const double nothing_s = 0;
    struct chain_cluster *cluster = calloc((size_t)p->stages, sizeof *cluster);
    for (int k = 0; cluster && k < p->stages; k++)
        cluster[k].units = 1;
    const struct chain_problem problem = {
        .layers = p->layers,
        .clusters = p->stages,
        .widths = 1,
        .most_stages = p->stages,
        .microbatches = p->microbatches,
        .cluster = cluster,
        .boundary_s = &nothing_s,
        .enough_s = fmin(answer->value_s, e->enough_s * (1 + 1e-12)),
        .ways = ways_of,
        .context = e,
        .pace_s = e->bound_pace_s,
    };
    struct chain_answer found = {.found = false};
    if (!cluster || !chain_solve(&problem, &found, NULL, NULL)) e->failed = true;
    const bool better = !e->failed && found.found;
    if (better) {
        answer->value_s = found.value_s;
        answer->first[0] = 0;
        for (int k = 0; k < p->stages; k++) {
            const int first = answer->first[k], end = first + found.stage[k].layers;
            answer->first[k + 1] = end;
            engine_trace(e, k, first, end, found.stage[k].choice, answer->choice);
        }
    }
    chain_answer_release(&found);
    free(cluster);
    return better;
}

void stages_answer_release(struct stages_answer *answer)
{
    free(answer->first);
    free(answer->choice);
    free(answer->stage_s);
    free(answer->stage_bytes);
    *answer = (struct stages_answer){.found = false};
}

/* Stages nearly even first: their value says how uneven better ones can be at most. */
static void search_all(struct engine *e, struct stages_answer *answer)
{
    const struct stages_problem *p = e->problem;
    const int most = p->layers - p->stages + 1;
    const int even = (p->layers + p->stages - 1) / p->stages;
    for (e->longest = even < most ? even + 1 : most; most > 0;) {
        if (try_longest(e, answer)) {
            answer->found = true;
            engine_enough(e, fmin(e->enough_s, answer->value_s * (1 + 1e-12)));
        }
        int needed = isinf(e->enough_s) ? most : engine_longest(e);
        if (needed > most) needed = most;
        if (e->failed || needed <= e->longest) break;
        e->longest = answer->found || 2 * e->longest >= needed ? needed : 2 * e->longest;
    }
}

enum { FEW_LABELS = 48 };

/* With few labels first: what they find makes most others useless. */
bool stages_solve(const struct stages_problem *problem, struct stages_answer *answer)
{
    struct engine e;
    bool done = stages_answer_open(answer, problem) && engine_open(&e, problem);
    if (!done) {
        if (answer->stage_bytes) engine_close(&e);
        stages_answer_release(answer);
        return false;
    }
    e.spread = problem->any;
    if (engine_bound(&e) <= e.enough_s && !isinf(engine_bound(&e))) {
        e.limit = problem->label_limit && problem->label_limit < FEW_LABELS ? problem->label_limit
                                                                            : FEW_LABELS;
        search_all(&e, answer);
        if (e.cut && e.limit != problem->label_limit) {
            engine_forget(&e);
            e.limit = problem->label_limit;
            search_all(&e, answer);
        }
        if (e.cut && !answer->found && problem->tiers && !e.spread) {
            engine_forget(&e); /* what promised most may fill a lower memory too early */
            e.spread = e.cut = true;
            search_all(&e, answer);
        }
    }
    answer->labels = e.labels;
    const double bound_s = e.cut ? engine_bound(&e) : INFINITY;
    done = !e.failed;
    engine_close(&e);
    if (done && answer->found) answer->value_s = stages_value(problem, answer);
    answer->bound_s = fmin(bound_s, answer->value_s);
    if (!done) stages_answer_release(answer);
    return done;
}

double stages_value(const struct stages_problem *p, struct stages_answer *answer)
{
    double sum_s = 0, most_s = 0;
    bool fits = true;
    answer->end_s = 0;
    for (int stage = 0; stage < p->stages; stage++) {
        const struct stage_place *place = &p->place[stage];
        double bytes = 0, moment = 0, time_s = 0, lower[STAGES_TIERS] = {0};
        for (int i = answer->first[stage]; i < answer->first[stage + 1]; i++) {
            const int s = answer->choice[i];
            const struct stage_choice *choice = &place->choice[p->kind[i] * p->choices + s];
            const bool first = i == answer->first[stage];
            bytes += choice->fixed_bytes + place->in_flight * choice->flight_bytes;
            moment = fmax(moment, choice->moment_bytes);
            time_s +=
                choice->time_s +
                (first ? choice->first_s : place->change_s[answer->choice[i - 1] * p->choices + s]);
            if (stage == 0) answer->end_s += choice->end_s;
            for (int t = 0; t < p->tiers; t++) {
                const struct stage_lower *own = &place->lower[p->kind[i] * p->choices + s];
                lower[t] += own->fixed_bytes[t] + place->in_flight * own->flight_bytes[t];
            }
        }
        answer->stage_s[stage] = time_s;
        answer->stage_bytes[stage] = bytes + moment;
        fits &= bytes + moment <= place->capacity_bytes;
        for (int t = 0; t < p->tiers; t++)
            fits &= lower[t] <= place->lower_capacity_bytes[t];
        sum_s += time_s;
        most_s = fmax(most_s, time_s);
    }
    return fits ? sum_s + (p->microbatches - 1) * most_s + answer->end_s : INFINITY;
}

/* ---- the front of one stage ---- */

struct front_point {
    struct stage_point point;
    int label;
};

static int compare_front(const void *a, const void *b)
{
    const struct front_point *x = a, *y = b;
    const int order = stage_points_compare(&x->point, &y->point);
    return order ? order : x->label - y->label;
}

size_t stages_front(const struct stages_problem *problem, int stage, int first, int last,
                    struct stage_point *point, int *choice, size_t room)
{
    struct engine e;
    size_t count = 0;
    if (!engine_open(&e, problem)) {
        engine_close(&e);
        return 0;
    }
    e.limit = problem->label_limit;
    e.spread = true;
    const struct set *set = engine_set(&e, stage, first, last - first);
    struct front_point *all = calloc((size_t)set->count + 1, sizeof *all);
    for (int i = 0; all && i < set->count; i++)
        all[i] = (struct front_point){
            {set->label[i].bytes + e.moment[set->label[i].moment],
             set->label[i].time_s + set->label[i].end_s / problem->microbatches},
            i};
    if (all) qsort(all, (size_t)set->count, sizeof *all, compare_front);
    double least_s = INFINITY;
    for (int i = 0; all && i < set->count; i++) {
        if (all[i].point.time_s >= least_s) continue;
        least_s = all[i].point.time_s;
        if (count < room) {
            point[count] = all[i].point;
            if (choice)
                engine_choices(&e, stage, first, last, all[i].label,
                               choice + count * (size_t)(last - first));
        }
        count++;
    }
    free(all);
    engine_close(&e);
    return count;
}
