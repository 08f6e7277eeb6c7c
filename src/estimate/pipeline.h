/* pipeline.h - how long a pipeline of unequal stages takes: numbers alone, by schedule.
 *
 * One stage sets the pace: it works on all its microbatches and waits for the others at start and
 * end. `stage` is that one, `wait_s` what it waits. Pure; seconds.
 */
#ifndef RECKON_ESTIMATE_PIPELINE_H
#define RECKON_ESTIMATE_PIPELINE_H

#include <reckon/plan.h>

/* One microbatch on one stage, all its chunks. */
struct stage_times {
    double forward_s, backward_s; /* backward with the weight gradient */
    double wgrad_s;               /* ... of it, which zero-bubble schedules put off */
};

struct pace {
    int stage;
    double wait_s;
};

/* `stages` of `count`, microbatches of at least 1. For 1F1B and GPipe it is the longest of the
 * chains of work that go through one stage: exact when stages are equal, and nearly always else (a
 * simulation in the tests). Interleaved stages [narayanan2021], ZB-H1 [qi2023] and DualPipe
 * [deepseek2024v3] wait as their papers say of equal stages, each stage with its own time. */
struct pace pipeline_pace(enum rk_schedule schedule, const struct stage_times *stages, int count,
                          double chunks, double microbatches);

#endif
