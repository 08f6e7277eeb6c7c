/* pace.h - how long a pipeline of unequal stages takes: numbers alone, by schedule.
 *
 * One stage sets the pace: it works on all its microbatches and waits for the others at start and
 * end. `stage` is that one, `wait_s` what it waits. Pure; seconds.
 */
#ifndef RECKON_SCHEDULE_PACE_H
#define RECKON_SCHEDULE_PACE_H

#include "schedule/order.h"

/* One microbatch on one stage, all its chunks. */
struct stage_times {
    double forward_s, backward_s; /* backward with the weight gradient */
    double wgrad_s;               /* ... of it, which zero-bubble schedules put off */
};

/* Messages between stages: next to computing, one after the other each way; or after every pass,
 * which waits for its own. */
struct messages {
    double message_s;
    bool blocking;
};

struct pace {
    int stage;
    double wait_s;     /* without messages */
    double messages_s; /* what they add */
};

/* `stages` of the pipeline. For 1F1B and GPipe it is the longest of the chains of work that go
 * through one stage: exact when stages are equal, and nearly always else (a simulation in the
 * tests). With chunks it is the first microbatches' way there, the last ones' way back, and between
 * them the pace of the slowest stage, its messages or a microbatch's way, whichever takes longest:
 * within a tenth of the simulation. ZB-H1 and ZB-H2 [qi2023] and DualPipe [deepseek2024v3] wait as
 * their papers say of equal stages, each stage with its own time. V-shaped schedules [qi2023]
 * [qi2024], for which there is no such formula, are run pass by pass. */
struct pace pipeline_pace(const struct pipeline *pipeline, const struct stage_times *stages,
                          struct messages messages);

/* Time of all microbatches of a V of 2 to V_MAX_STAGES stages. */
enum { V_MAX_STAGES = 64 };
double pipeline_length_v(const struct pipeline *pipeline, const struct stage_times *stages,
                         struct messages messages);

#endif
