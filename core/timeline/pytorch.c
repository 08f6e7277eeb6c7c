/* pytorch.c - the schedule as a table of steps for torch.distributed.pipelining.
 *
 * A simulation in which each pass takes one step and messages none: what a pass needs was done in
 * an earlier step, as the runtime that goes step by step asks for; the one that does not skips
 * the empty cells. Chunks of a rank are pipeline stages of their own there.
 */
#include "timeline/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum rk_status one_step_each(struct timeline_plan *unit, const struct timeline_plan *plan,
                                    struct rk_error *error)
{
    *unit = (struct timeline_plan){.pipeline = plan->pipeline, .messages = TIMELINE_BESIDE};
    const enum rk_status status = timeline_plan_open(unit, error);
    if (status != RK_OK) return status;
    for (size_t i = 0; i < (size_t)unit->stages * unit->chunks; i++)
        for (int pass = 0; pass < PASSES; pass++)
            unit->chunk[i].pass[pass] = (struct timeline_duration){.compute_s = 1, .total_s = 1};
    return RK_OK;
}

/* The step of each pass of each stage, in the order of the stage. */
struct steps {
    uint64_t *count; /* (stages) */
    uint32_t *step;  /* (stages, passes) */
    uint64_t passes; /* of a stage */
};

static void add_step(void *context, const struct timeline_event *event)
{
    struct steps *steps = context;
    if (timeline_kinds[event->kind].track != TIMELINE_COMPUTE) return;
    steps->step[event->stage * steps->passes + steps->count[event->stage]++] =
        (uint32_t)event->start_s;
}

static void write_line(FILE *out, const struct timeline_plan *plan, uint32_t stage,
                       const uint32_t *step)
{
    const struct pipeline *p = &plan->pipeline;
    struct order_cursor cursor = order_open(p, stage);
    struct order_pass pass;
    uint32_t column = 0;
    for (uint64_t i = 0; order_next(&cursor, &pass); i++) {
        for (; column < step[i]; column++)
            fputc(',', out);
        fprintf(out, "%" PRIu64 "%c%" PRIu32, pipeline_part(p, stage, pass.chunk),
                "FBIW"[pass.pass], pass.microbatch);
    }
    fputs("\r\n", out);
}

enum rk_status timeline_write_pytorch(FILE *out, const struct timeline_plan *plan,
                                      struct rk_error *error)
{
    const uint64_t passes = timeline_passes(plan) / plan->stages;
    const struct timeline_window everything = timeline_everything();
    struct timeline_plan unit = {.tiers = 0};
    struct steps steps = {.passes = passes};
    const struct timeline_visitor visitor = {&steps, add_step, NULL};
    enum rk_status status = RK_OK;
    if (plan->pipeline.forward_only)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "PyTorch's runtime loads only schedules of training: this plan has no "
                       "backward passes");
    if (plan->pipeline.schedule == RK_DUALPIPE)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "PyTorch's runtime has each stage on one rank, and dualpipe on two: choose "
                       "another schedule");
    if (rk_schedule_folds(plan->pipeline.schedule))
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "PyTorch's runtime lays the stages of a table out in loops, not in a V: choose "
            "another schedule (v-zero it has itself, as ZBVZeroBubble)");
    status = one_step_each(&unit, plan, error);
    if (status != RK_OK) return status;
    steps.count = calloc(plan->stages, sizeof *steps.count);
    steps.step = calloc(plan->stages * passes, sizeof *steps.step);
    if (steps.count && steps.step)
        status = timeline_visit(&unit, &everything, &visitor, error);
    else
        status = rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "out of memory for %" PRIu64 " passes",
                         passes * plan->stages);
    for (uint32_t stage = 0; status == RK_OK && stage < plan->stages; stage++)
        write_line(out, plan, stage, steps.step + stage * passes);
    if (status == RK_OK && (fflush(out) != 0 || ferror(out)))
        status =
            rk_fail(error, RK_IO, NULL, 0, 0, "cannot write the schedule: %s", strerror(errno));
    free(steps.count);
    free(steps.step);
    timeline_plan_release(&unit);
    return status;
}
