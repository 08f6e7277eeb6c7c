/* classes.c - which ranks have programs that differ in whom they talk to alone: those of a stage,
 * unless its neighbours' activations lie otherwise and some ranks have more to send than others.
 */
#include "program/build.h"

#include <stdlib.h>

/* Notes the class of a rank; returns how many classes of the stage there are then. */
static size_t note(struct rk_program_class *classes, uint64_t *routes, size_t count, size_t most,
                   uint64_t rank, uint64_t own, uint64_t ranks)
{
    size_t i = 0;
    while (i < count && routes[i] != own)
        i++;
    if (i == count) routes[i] = own;
    if (i < most) {
        if (i == count) classes[i] = (struct rk_program_class){.first = rank};
        classes[i].ranks += ranks;
    }
    return i == count ? count + 1 : count;
}

static size_t of_stage(struct build *b, struct rk_program_class *classes, size_t most)
{
    const uint64_t inside = b->plan->ranks / b->plan->pipeline, every = routes_repeat(b);
    uint64_t *routes = every <= inside ? malloc(every * sizeof *routes) : NULL;
    size_t count = 0;
    if (!routes) return 0;
    for (uint64_t k = 0; k < every; k++) {
        b->rank =
            (uint32_t)rank_member(&b->place[0].map, RANKS_OF_PIPELINE, every > 1 ? k : 0, b->stage);
        count = note(classes, routes, count, most, b->rank, routes_of(b), inside / every);
    }
    free(routes);
    return count;
}

size_t rk_program_classes(const struct rk_model *model, const struct rk_plan *plan,
                          struct rk_program_class *classes, size_t most)
{
    struct build *b = calloc(1, sizeof *b);
    struct place *place = calloc(RK_MAX_LOCALS + 1, sizeof *place);
    size_t count = 0;
    if (b && place) {
        b->model = model;
        b->plan = plan;
        b->place = place;
        b->pipeline = pipeline_of(plan, microbatches_of(plan));
        for (int i = 0; i <= plan->others; i++) {
            place[i].plan = run_plan(plan, i);
            place[i].map = rank_map_of(&place[i].plan);
        }
        for (b->stage = 0; b->stage < plan->pipeline; b->stage++) {
            const size_t more = of_stage(b, classes + (count < most ? count : most),
                                         count < most ? most - count : 0);
            count += more;
        }
    }
    free(place);
    free(b);
    return count;
}
