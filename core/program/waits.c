/* waits.c - what predictions say of a whole stage or part, layer by layer: waits for gradients and
 * weights by parameters, so that the seconds of a pass's tasks sum up to what the pass takes.
 */
#include "program/build.h"

#include <string.h>

double parameters_of(const struct build *b, const struct slot *slot, unsigned levels)
{
    const struct place *place = place_of(b, slot);
    double sum = 0;
    for (int k = 0; k < STATES; k++) {
        const bool shards = place->sharing.shards[k].ranks > 1;
        const bool copies = place->sharing.copies[k].ranks > 1;
        if (levels >> place->plan.zero & 1 && (!(levels & REDUCED) || shards || copies) &&
            (!(levels & GATHERED) || shards))
            sum += slot->state[k].parameters;
    }
    return sum;
}

/* Of what a part of the model waits for its weights and gradients, a layer's share by its
 * parameters among the layers of these levels. */
double waiting_share(const struct build *b, const struct slot *slot, int expert, unsigned levels)
{
    double all = 0;
    for (uint32_t i = b->first_slot[slot->chunk]; i < b->first_slot[slot->chunk + 1]; i++)
        all += parameters_of(b, &b->slot[i], levels);
    return all > 0 ? slot->state[expert].parameters / all : 0;
}

const struct rk_chunk *part_times(const struct build *b, const struct slot *slot)
{
    return &b->passes->chunk[pipeline_part(&b->pipeline, b->stage, slot->chunk)];
}

/* With dualpipe two ranks have each stage: its end is halved between them. */
static double end_share(const struct build *b, const struct slot *slot, int expert, unsigned levels)
{
    double all = 0;
    if (b->pipeline.schedule == RK_DUALPIPE) return waiting_share(b, slot, expert, levels) / 2;
    for (uint32_t i = 0; i < b->slots; i++)
        all += parameters_of(b, &b->slot[i], levels);
    return all > 0 ? slot->state[expert].parameters / all : 0;
}

double optimizer_s(const struct build *b, const struct slot *slot, int expert)
{
    const uint64_t part = pipeline_part(&b->pipeline, b->stage, slot->chunk);
    return b->passes->end[rk_plan_stage_of(b->plan, part)].optimizer_s *
           end_share(b, slot, expert, EVERY_ZERO);
}

double end_gather_s(const struct build *b, const struct slot *slot, int expert)
{
    const uint64_t part = pipeline_part(&b->pipeline, b->stage, slot->chunk);
    return b->passes->end[rk_plan_stage_of(b->plan, part)].gather_s *
           end_share(b, slot, expert, ZERO_1_2 | GATHERED);
}

struct rk_task step_task_of(const struct build *b, const struct slot *slot, const char *name,
                            double sent, double seconds, double link_s, double parameters)
{
    struct rk_task task = {.work = (enum rk_work)b->draft.work,
                           .sent_bytes = sent,
                           .seconds = seconds,
                           .link_s = link_s,
                           .parameters = parameters};
    strncpy(task.name, name, sizeof task.name - 1);
    strncpy(task.layer, layer_kind_name(slot->kind), sizeof task.layer - 1);
    return task;
}

int32_t step_task(struct build *b, const struct slot *slot, const char *name, double sent,
                  double seconds, double link_s, double parameters)
{
    const struct rk_task task = step_task_of(b, slot, name, sent, seconds, link_s, parameters);
    return new_task(b, &task);
}

void step_begins(struct build *b, const struct slot *slot, int32_t microbatch)
{
    b->draft.layer = slot->layer;
    b->draft.microbatch = microbatch;
    b->draft.chunk = slot->chunk;
    b->draft.work = RK_WORK_STEP;
}
