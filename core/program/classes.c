/* classes.c - which ranks have programs that differ in whom they talk to alone: those of a stage,
 * unless its neighbours' activations lie otherwise and some ranks have more to send than others.
 */
#include "program/build.h"

#include "clusters/predict.h"
#include "program/uneven.h"

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
        if (b->stages) build_of_stage(b, b->stage, k);
        count = note(classes, routes, count, most, b->rank + (uint64_t)b->moved, routes_of(b),
                     inside / every);
    }
    free(routes);
    return count;
}

static void open_places(struct build *b)
{
    for (int i = 0; i <= rk_plan_layout(b->plan)->others; i++) {
        b->place[i].plan = run_plan(b->plan, i);
        b->place[i].map = rank_map_of(&b->place[i].plan);
    }
    if (b->stages) neighbours_open(b);
}

static size_t classes_of(struct build *b, struct rk_program_class *classes, size_t most)
{
    const uint32_t stages = (uint32_t)b->plan->pipeline;
    size_t count = 0;
    b->place = calloc(RK_MAX_LOCALS + 1, sizeof *b->place);
    for (uint32_t stage = 0; b->place && stage < stages; stage++) {
        b->stage = stage;
        if (b->stages) build_of_stage(b, stage, 0);
        b->pipeline = pipeline_of(b->plan, microbatches_of(b->plan));
        open_places(b);
        const size_t room = count < most ? most - count : 0;
        count += of_stage(b, room ? classes + count : NULL, room);
    }
    free(b->place);
    return count;
}

size_t program_classes_of_plan(const struct rk_model *model, const struct rk_plan *plan,
                               struct rk_program_class *classes, size_t most)
{
    struct build b = {.model = model, .plan = plan};
    return classes_of(&b, classes, most);
}

size_t rk_program_classes(const struct rk_model *model, const struct rk_system *system,
                          const struct rk_plan *plan, struct rk_program_class *classes, size_t most)
{
    if (plan_has_parts(system, plan))
        return program_classes_of_parts(model, system, plan, classes, most);
    return program_classes_of_plan(model, plan, classes, most);
}

size_t program_classes_uneven(const struct rk_model *model, const struct uneven_stage *stages,
                              struct rk_program_class *classes, size_t most)
{
    struct build b = {.model = model, .plan = &stages[0].plan, .stages = stages};
    return classes_of(&b, classes, most);
}
