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
    double most_s = both(&stages[0]);
    for (int i = 1; i < count; i++) {
        const double both_s = both(&stages[i]);
        if (!(both_s > most_s)) continue;
        most_s = both_s;
        found = i;
    }
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
    return (struct pace){.stage = k, .wait_s = total_s - microbatches * both(&stages[k])};
}

/* Stage k waits for earlier stages to fill and to drain. It waits for later stages only as long as
 * the forward passes that it may run ahead, and the backward passes left at the end, do not cover
 * the way there and back. */
static struct pace pace_of_1f1b(const struct stage_times *stages, int count, double microbatches)
{
    struct pace pace = {.stage = 0};
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
            pace = (struct pace){.stage = k, .wait_s = wait_s};
        }
        before_s += both(stage);
    }
    return pace;
}

/* DualPipe: a rank has half of the microbatches of its own stage and half of the stage at the same
 * distance from the far end [deepseek2024v3]. */
static struct stage_times pair_of(const struct stage_times *stages, int count, int i)
{
    const struct stage_times *a = &stages[i], *b = &stages[count - 1 - i];
    return (struct stage_times){(a->forward_s + b->forward_s) / 2,
                                (a->backward_s + b->backward_s) / 2, (a->wgrad_s + b->wgrad_s) / 2};
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
    return waited_s;
}

/* The slowest pair sets the pace. */
static struct pace pace_of_pairs(const struct pipeline *p, const struct stage_times *stages)
{
    const int count = (int)p->stages;
    struct stage_times pairs[RK_MAX_STAGES];
    pairs[0] = pair_of(stages, count, 0);
    for (int i = 1; i < count; i++)
        pairs[i] = pair_of(stages, count, i);
    struct pace pace = {.stage = slowest(pairs, count)};
    for (int i = 0; i < count; i++)
        if (i != pace.stage) pace.wait_s += wait_for(p, &pairs[i]);
    return pace;
}

/* With fewer microbatches than stages no stage gets to alternate: never later than GPipe. */
static struct pace sooner(struct pace a, struct pace b, const struct stage_times *stages,
                          double microbatches)
{
    const double a_s = microbatches * both(&stages[a.stage]) + a.wait_s;
    const double b_s = microbatches * both(&stages[b.stage]) + b.wait_s;
    return a_s <= b_s ? a : b;
}

/* Few microbatches have too few weight gradients to fill the bubble: what the slowest stage waits
 * when all but the first stage's last one are filled in. */
static double unfilled_s(const struct stage_times *stages, int count, int k, double microbatches)
{
    double way_s = 0;
    for (int i = 0; i < count; i++)
        way_s += both(&stages[i]) - stages[i].wgrad_s;
    return way_s + stages[0].wgrad_s - both(&stages[k]) - (microbatches - 1) * stages[k].wgrad_s;
}

static struct pace pace_of_whole(const struct pipeline *p, const struct stage_times *stages)
{
    const int count = (int)p->stages;
    const double microbatches = (double)p->microbatches;
    if (p->schedule == RK_GPIPE) return pace_of_gpipe(stages, count, microbatches);
    if (p->schedule == RK_DUALPIPE) return pace_of_pairs(p, stages);
    if (p->schedule == RK_1F1B) {
        const struct pace pace = pace_of_1f1b(stages, count, microbatches);
        return microbatches >= count
                   ? pace
                   : sooner(pace, pace_of_gpipe(stages, count, microbatches), stages, microbatches);
    }
    struct pace pace = {.stage = slowest(stages, count)};
    for (int i = 0; i < count; i++)
        if (i != pace.stage) pace.wait_s += wait_for(p, &stages[i]);
    if (zero_bubbles(p->schedule))
        pace.wait_s = larger(pace.wait_s, unfilled_s(stages, count, pace.stage, microbatches));
    return pace;
}

/* ---- chunks ---- */

/* Of one chunk: on the stage that sets the pace, on all stages together, and the longest. */
struct chunk_times {
    struct stage_times slowest, all, most;
    double message_s;
};

static struct chunk_times chunk_times_of(const struct pipeline *p, const struct stage_times *stages,
                                         int slowest_stage)
{
    struct chunk_times c = {.message_s = 0};
    const double chunks = (double)p->chunks;
    for (uint32_t i = 0; i < p->stages; i++) {
        const double forward_s = stages[i].forward_s / chunks;
        const double backward_s = stages[i].backward_s / chunks;
        c.all.forward_s += forward_s;
        c.all.backward_s += backward_s;
        c.most.forward_s = larger(c.most.forward_s, forward_s);
        c.most.backward_s = larger(c.most.backward_s, backward_s);
    }
    c.slowest.forward_s = stages[slowest_stage].forward_s / chunks;
    c.slowest.backward_s = stages[slowest_stage].backward_s / chunks;
    return c;
}

/* Through all stages, and from the last to the first. */
static double trip_s(const struct chunk_times *c, const struct pipeline *p, double all_s)
{
    return all_s + (double)p->stages * c->message_s;
}

/* The next chunk waits for its first microbatch to come from the last stage, for the link or for a
 * stage with longer passes, while this one works on `members`. */
static double turn_s(const struct chunk_times *c, const struct pipeline *p, double members,
                     double pass_s, double most_s, double all_s)
{
    const double longest_s = larger(trip_s(c, p, all_s), members * larger(most_s, c->message_s));
    return longest_s - members * pass_s;
}

/* The longest cycle of passes that wait for each other: a microbatch goes through `parts` of the
 * model and back while its stage runs `ahead` others. Time for each. */
static double cycle_s(const struct chunk_times *c, const struct pipeline *p, double parts,
                      double ahead)
{
    const double mean_s = both(&c->all) / (double)p->stages;
    return (parts * mean_s + 2 * (parts - 1) * c->message_s) / (ahead + 1);
}

/* A forward and a backward pass of a stage in the middle of a step. Where there are several rounds,
 * all chunks but one of each wait for microbatches that come from the other end. */
static double pair_s(const struct chunk_times *c, const struct pipeline *p, double round)
{
    const double stages = (double)p->stages, chunks = (double)p->chunks, ahead = 2 * (stages - 1);
    const double near_s = cycle_s(c, p, stages, ahead);
    const double far_s = cycle_s(c, p, stages * chunks, ahead + 2 * (chunks - 1) * round);
    const double alone_s = larger(both(&c->slowest), c->message_s);
    const double one_s = larger(alone_s, larger(near_s, far_s));
    if ((double)p->microbatches <= round) return one_s;
    const double back_s = trip_s(c, p, larger(c->all.forward_s, c->all.backward_s)) / round;
    return larger(one_s, ((chunks - 1) * larger(back_s, alone_s) + one_s) / chunks);
}

/* Rounds: all of so many microbatches but the last one. */
struct rounds {
    double count, first, last;
};

static struct rounds rounds_of(const struct pipeline *p)
{
    const uint64_t round = pipeline_round(p), before = (p->microbatches - 1) / round;
    const double last = (double)(p->microbatches - before * round);
    return (struct rounds){(double)before + 1, before > 0 ? (double)round : last, last};
}

/* What a step of interleaved 1F1B takes beyond the slowest stage's work and the first chunk's way
 * through the others: the first microbatches' turns, the last ones', and what each pair of passes
 * waits. A last round that lacks microbatches has as long a way, and the backward passes of the
 * round before it. */
static double interleaved_wait_s(const struct chunk_times *c, const struct pipeline *p)
{
    const struct rounds r = rounds_of(p);
    const double turns = (double)p->chunks - 1, one_s = both(&c->slowest);
    const double in_middle_s = pair_s(c, p, (double)pipeline_round(p));
    const double pairs = (double)p->microbatches * (double)p->chunks - turns * r.first - 1;
    const struct stage_times *own = &c->slowest, *most = &c->most;
    const double there_s = turn_s(c, p, r.first, own->forward_s, most->forward_s, c->all.forward_s);
    const double back_s =
        turn_s(c, p, r.last, own->backward_s, most->backward_s, c->all.backward_s);
    const double way_s = trip_s(c, p, larger(c->all.forward_s, c->all.backward_s));
    const double lacks = r.first - r.last, middle_s = r.last * in_middle_s;
    const double lacks_s = r.count > 1 ? larger(way_s, middle_s + lacks * most->backward_s) -
                                             (middle_s + lacks * own->backward_s)
                                       : 0;
    return turns * (there_s + back_s + lacks_s) + pairs * (in_middle_s - one_s);
}

/* Of all forward or all backward passes of GPipe: exact. */
static double gpipe_wait_s(const struct chunk_times *c, const struct pipeline *p, double slowest_s,
                           double most_s, double all_s)
{
    const struct rounds r = rounds_of(p);
    const double pass_s = larger(most_s, c->message_s), turns = (double)p->chunks - 1;
    const double passes = (double)p->microbatches * (double)p->chunks;
    return (passes - 1) * (pass_s - slowest_s) +
           turns * ((r.count - 1) * turn_s(c, p, r.first, pass_s, most_s, all_s) +
                    turn_s(c, p, r.last, pass_s, most_s, all_s));
}

static double chunks_wait_s(const struct chunk_times *c, const struct pipeline *p)
{
    if (p->schedule != RK_GPIPE) return interleaved_wait_s(c, p);
    return gpipe_wait_s(c, p, c->slowest.forward_s, c->most.forward_s, c->all.forward_s) +
           gpipe_wait_s(c, p, c->slowest.backward_s, c->most.backward_s, c->all.backward_s);
}

/* What messages that computing does not wait for add: on the way there and back, and where they
 * outlast it. */
static struct pace pace_of_chunks(const struct pipeline *p, const struct stage_times *stages,
                                  double message_s)
{
    struct pace pace = {.stage = slowest(stages, (int)p->stages)};
    for (uint32_t i = 0; i < p->stages; i++)
        if ((int)i != pace.stage) pace.wait_s += both(&stages[i]) / (double)p->chunks;
    struct chunk_times c = chunk_times_of(p, stages, pace.stage);
    const double without_s = chunks_wait_s(&c, p);
    pace.wait_s += without_s;
    if (!(message_s > 0)) return pace;
    c.message_s = message_s;
    pace.messages_s = 2 * ((double)p->stages - 1) * message_s + chunks_wait_s(&c, p) - without_s;
    return pace;
}

static struct pace pace_of_v(const struct pipeline *p, const struct stage_times *stages,
                             struct messages messages)
{
    struct pace pace = {.stage = slowest(stages, (int)p->stages)};
    const double work_s = (double)p->microbatches * both(&stages[pace.stage]);
    pace.wait_s = pipeline_length_v(p, stages, (struct messages){0, false}) - work_s;
    pace.messages_s = pipeline_length_v(p, stages, messages) - (work_s + pace.wait_s);
    return pace;
}

struct pace pipeline_pace(const struct pipeline *p, const struct stage_times *stages,
                          struct messages messages)
{
    if (p->stages == 1) return (struct pace){.stage = 0};
    if (rk_schedule_folds(p->schedule)) return pace_of_v(p, stages, messages);
    const double beside_s = messages.blocking ? 0 : messages.message_s;
    struct pace pace =
        p->chunks > 1 ? pace_of_chunks(p, stages, beside_s) : pace_of_whole(p, stages);
    if (messages.blocking) {
        const double passed = (double)p->microbatches * (double)p->chunks;
        pace.messages_s = 2 * ((double)p->stages - 1 + passed) * messages.message_s;
    }
    return pace;
}
