#include "schedule/pace.h"

#include "base/extremes.h"

#include <math.h>

static double both(const struct stage_times *stage)
{
    return stage->forward_s + stage->backward_s;
}

static int slowest(const struct stage_times *stages, int count)
{
    int found = 0;
    for (int i = 1; i < count; i++)
        if (both(&stages[i]) > both(&stages[found])) found = i;
    return found;
}

/* All forward passes, then all backward passes: each half at the pace of its slowest stage. */
static struct pace pace_of_gpipe(const struct stage_times *stages, int count, double microbatches)
{
    double forward_s = 0, backward_s = 0, all_s = 0;
    const int k = slowest(stages, count);
    for (int i = 0; i < count; i++) {
        forward_s = larger(forward_s, stages[i].forward_s);
        backward_s = larger(backward_s, stages[i].backward_s);
        all_s += both(&stages[i]);
    }
    const double total_s = all_s + (microbatches - 1) * (forward_s + backward_s);
    return (struct pace){k, total_s - microbatches * both(&stages[k])};
}

/* Stage k waits for earlier stages to fill and to drain. It waits for later stages only as long as
 * the forward passes that it may run ahead, and the backward passes left at the end, do not cover
 * the way there and back. */
static struct pace pace_of_1f1b(const struct stage_times *stages, int count, double microbatches)
{
    struct pace pace = {0, 0};
    double all_s = 0, before_s = 0, longest_s = -1;
    for (int i = 0; i < count; i++)
        all_s += both(&stages[i]);
    for (int k = 0; k < count; k++) {
        const struct stage_times *stage = &stages[k];
        const double behind_s = all_s - before_s - both(stage);
        const double ahead = smaller(count - k - 1, microbatches - 1);
        const double wait_s = before_s + larger(0, behind_s - ahead * stage->forward_s) +
                              larger(0, behind_s - ahead * stage->backward_s);
        const double total_s = microbatches * both(stage) + wait_s;
        if (total_s > longest_s) {
            longest_s = total_s;
            pace = (struct pace){k, wait_s};
        }
        before_s += both(stage);
    }
    return pace;
}

/* What the pace-setting stage waits for another one. */
static double wait_for(const struct pipeline *p, const struct stage_times *stage)
{
    const double waited_s = both(stage), count = (double)p->stages;
    const double filled = (double)zero_bubbles(p->schedule); /* with weight gradients */
    if (filled > 0) return larger(0, waited_s - (1 + filled) * stage->wgrad_s);
    if (p->schedule == RK_DUALPIPE) /* half the stages less one, over those that are there */
        return larger(0, waited_s + stage->backward_s - 3 * stage->wgrad_s) * (count / 2 - 1) /
               (count - 1);
    return waited_s / (double)p->chunks;
}

/* With fewer microbatches than stages no stage gets to alternate: never later than GPipe. */
static struct pace sooner(struct pace a, struct pace b, const struct stage_times *stages,
                          double microbatches)
{
    const double a_s = microbatches * both(&stages[a.stage]) + a.wait_s;
    const double b_s = microbatches * both(&stages[b.stage]) + b.wait_s;
    return a_s <= b_s ? a : b;
}

struct pace pipeline_pace(const struct pipeline *p, const struct stage_times *stages)
{
    const int count = (int)p->stages;
    const double microbatches = (double)p->microbatches;
    if (count == 1) return (struct pace){0, 0};
    if (p->schedule == RK_GPIPE && p->chunks == 1)
        return pace_of_gpipe(stages, count, microbatches);
    if (p->schedule == RK_1F1B && p->chunks == 1) {
        const struct pace pace = pace_of_1f1b(stages, count, microbatches);
        return microbatches >= count
                   ? pace
                   : sooner(pace, pace_of_gpipe(stages, count, microbatches), stages, microbatches);
    }
    struct pace pace = {slowest(stages, count), 0};
    if (rk_schedule_folds(p->schedule)) {
        pace.wait_s = pipeline_length_v(p, stages, (struct v_messages){0, false}) -
                      microbatches * both(&stages[pace.stage]);
        return pace;
    }
    for (int i = 0; i < count; i++)
        if (i != pace.stage) pace.wait_s += wait_for(p, &stages[i]);
    return pace;
}
