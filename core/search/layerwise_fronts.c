#include "base/memory.h"
#include "search/layerwise.h"
#include "search/layerwise_shape.h"

#include <stdlib.h>

enum { USUAL_POINTS = 512, FRONT_LABELS = 500 };

struct front_of_stage {
    int stage, first, last; /* layers of the shape, with embedding and head */
    size_t count;
    struct stage_point *point; /* (count) */
    int *choice;               /* (count, last - first) */
};

/* Blocks that are run alike, together. */
static int list_runs(const struct shape *s, const struct front_of_stage *front, const int *choice,
                     struct layerwise_part part[LAYERWISE_MOST_PARTS])
{
    int parts = 0, way_of[LAYERWISE_MOST_PARTS];
    for (int i = front->first; i < front->last; i++) {
        const int way = choice[i - front->first];
        int at = 0;
        if (i == 0 || i == s->layers - 1) continue;
        while (at < parts && way_of[at] != way)
            at++;
        if (at == LAYERWISE_MOST_PARTS) at--; /* more ways than anybody reads */
        if (at == parts) {
            way_of[parts] = way;
            part[parts++] = (struct layerwise_part){0, s->way[way].local};
        }
        part[at].layers++;
    }
    return parts;
}

/* First, last, and as many between as there may be. */
static void visit_points(const struct shape *s, const struct front_of_stage *front, int most,
                         layerwise_visit *visit, void *context)
{
    const size_t shown = front->count < (size_t)most ? front->count : (size_t)most;
    const size_t layers = (size_t)(front->last - front->first);
    for (size_t i = 0; i < shown; i++) {
        const size_t at = shown > 1 ? i * (front->count - 1) / (shown - 1) : 0;
        struct layerwise_point point = {
            .stage = front->stage,
            .bytes = front->point[at].bytes + s->constant_bytes,
            .time_s = front->point[at].time_s * (double)s->base.chunks,
        };
        point.parts = list_runs(s, front, front->choice + at * layers, point.part);
        visit(context, &point);
    }
}

/* All points of the stage's front. False: no memory. */
static bool find_points(const struct stages_problem *problem, struct front_of_stage *front)
{
    const size_t layers = (size_t)(front->last - front->first);
    front->count = USUAL_POINTS;
    for (size_t room = 0; front->count > room;) { /* once more where there are more */
        room = front->count;
        if (!array_grow(&front->point, room, sizeof *front->point) ||
            !array_grow(&front->choice, room * layers + 1, sizeof *front->choice))
            return false;
        front->count = stages_front(problem, front->stage, front->first, front->last, front->point,
                                    front->choice, room);
    }
    return true;
}

static bool visit_stages(struct shape *s, const struct rk_plan *plan, int most,
                         layerwise_visit *visit, void *context)
{
    struct front_of_stage *front = calloc(1, sizeof *front);
    struct stages_problem problem = shape_problem(s, 0);
    bool done = front != NULL;
    if (problem.label_limit > FRONT_LABELS) problem.label_limit = FRONT_LABELS;
    for (int stage = 0; done && stage < problem.stages; stage++) {
        front->stage = stage;
        front->first = front->last;
        front->last += (int)rk_plan_split(plan, s->model, (uint64_t)stage) + (stage == 0) +
                       (stage == problem.stages - 1);
        done = find_points(&problem, front);
        if (done) visit_points(s, front, most, visit, context);
    }
    if (front) free(front->point);
    if (front) free(front->choice);
    free(front);
    return done;
}

enum rk_status layerwise_fronts(const struct rk_plans_problem *problem, const struct rk_plan *plan,
                                uint64_t chunks, int most, layerwise_visit *visit, void *context,
                                struct rk_error *error)
{
    struct rk_plan base = *plan;
    base.layout = NULL;
    base.chunks = chunks;
    base.order = RK_ORDER_TP_CP_DP_PP;
    struct shape *s = shape_open(problem, &base, rk_plan_data(plan) * plan->microbatch);
    if (s && !shape_watch_all(s)) {
        shape_close(s);
        s = NULL;
    }
    if (s) shape_allow(s, -1);
    const bool done = s && visit_stages(s, plan, most, visit, context);
    shape_close(s);
    return done ? RK_OK : no_memory(error);
}
