/* Programs of random plans take the time that is predicted, and the timeline's. */
#include "program_cases.h"
#include "program_replay.h"

#include "timeline/timeline.h"

static bool is_message(const struct rk_instruction *in)
{
    return replay_is_message(in) && in->stream >= RK_ON_SEND_NEXT && in->stream <= RK_ON_RECV_PREV;
}

static double seconds_of(const struct rk_program *p, const struct rk_instruction *in)
{
    return in->task == RK_NONE || is_message(in) ? 0 : p->task[in->task].seconds;
}

/* Forward and backward of a microbatch on a chunk take what the timeline takes. */
static void check_passes(const struct sample *s, const struct timeline_plan *t)
{
    const uint32_t m = t->microbatches, chunks = t->chunks;
    double *seconds = malloc(2 * sizeof *seconds * m * chunks);
    for (uint32_t i = 0; i < t->stages; i++) {
        const struct rk_program *p = &s->program[i];
        memset(seconds, 0, 2 * sizeof *seconds * m * chunks);
        for (size_t k = 0; k < p->instructions; k++) {
            const struct rk_instruction *in = &p->instruction[k];
            if (in->microbatch == RK_NONE) continue;
            seconds[2 * (in->chunk * m + (uint32_t)in->microbatch) +
                    (in->work != RK_WORK_FORWARD)] += seconds_of(p, in);
        }
        for (uint32_t c = 0; c < chunks; c++) {
            const struct timeline_duration *pass = timeline_chunk_of(t, i, c)->pass;
            const bool dual = t->pipeline.schedule == RK_DUALPIPE;
            const double back = pipeline_splits(&t->pipeline)
                                    ? pass[PASS_INPUT_GRAD].total_s + pass[PASS_WEIGHT_GRAD].total_s
                                    : pass[PASS_BACKWARD].total_s;
            for (uint32_t k = 0; k < m; k++) {
                const double *own = &seconds[2 * (c * m + k)];
                if (dual && (k < m / 2) != (c == 0)) continue;
                EXPECT(s, i, "forward", own[0], pass[PASS_FORWARD].total_s);
                EXPECT(s, i, "backward", own[1], back);
            }
        }
    }
    free(seconds);
}

static double link_bytes_of(const struct rk_program *p, const char *name)
{
    double bytes = 0;
    for (size_t i = 0; i < p->instructions; i++)
        if (p->instruction[i].task != RK_NONE &&
            strcmp(p->task[p->instruction[i].task].name, name) == 0)
            bytes += p->task[p->instruction[i].task].sent_bytes;
    return bytes;
}

/* Chunks of the sequence come and go as often as in the timeline. */
static void check_chunk_bytes(const struct sample *s, const struct timeline_plan *t)
{
    for (uint32_t i = 0; i < t->stages; i++) {
        double in_bytes = 0, out_bytes = 0;
        for (uint32_t c = 0; c < t->chunks; c++)
            for (int pass = 0; pass < PASSES; pass++) {
                in_bytes +=
                    t->microbatches * timeline_chunk_of(t, i, c)->pass[pass].chunks_in_bytes;
                out_bytes +=
                    t->microbatches * timeline_chunk_of(t, i, c)->pass[pass].chunks_out_bytes;
            }
        EXPECT(s, i, "chunks in", link_bytes_of(&s->program[i], "chunk in"), in_bytes);
        EXPECT(s, i, "chunks out", link_bytes_of(&s->program[i], "chunk out"), out_bytes);
    }
}

struct runner {
    const struct rk_program *p;
    size_t next;
    double clock_s, link_free_s[2];
    double *arrival;                     /* (instructions) of receives and of events behind them */
    size_t *behind;                      /* (instructions) event: the receive in front of it */
    size_t *queue[2], sent[2], taken[2]; /* messages from the stage behind, from that in front */
    double *time_s[2];
};

static int stage_of_rank(const struct sample *s, uint32_t rank)
{
    for (int i = 0; i < s->prediction.stages; i++)
        if (s->program[i].rank == rank) return i;
    return -1;
}

/* Runs until a message is missing; does it get on? Computing and what it waits for go one after the
 * other; messages beside them, one at a time in each direction. */
static bool run_on(const struct sample *s, struct runner *all, int own)
{
    struct runner *r = &all[own];
    const struct rk_program *p = r->p;
    const int stages = s->prediction.stages;
    const size_t begun = r->next;
    for (; r->next < p->instructions; r->next++) {
        const struct rk_instruction *in = &p->instruction[r->next];
        if (in->what == RK_DO_RECV && is_message(in)) {
            r->behind[in->stream] = r->next;
        } else if (in->what == RK_DO_RECORD &&
                   (in->stream == RK_ON_RECV_NEXT || in->stream == RK_ON_RECV_PREV)) {
            r->queue[0][in->other] = r->behind[in->stream] + 1;
        } else if (in->what == RK_DO_WAIT && in->stream < RK_ON_SEND_NEXT &&
                   r->queue[0][in->other]) {
            const size_t receive = r->queue[0][in->other] - 1;
            if (r->arrival[receive] < 0) return r->next > begun;
            r->clock_s = fmax(r->clock_s, r->arrival[receive]);
        } else if (in->what == RK_DO_SEND && is_message(in)) {
            const bool dual = s->plan.schedule == RK_DUALPIPE;
            const bool down = (in->work != RK_WORK_FORWARD) != (dual && in->chunk == 1);
            const int to = stage_of_rank(s, in->other);
            double *free_s = &r->link_free_s[down];
            *free_s = fmax(*free_s, r->clock_s) + p->task[in->task].seconds;
            struct runner *other = &all[to];
            for (size_t k = 0; k < other->p->instructions; k++) {
                const struct rk_instruction *v = &other->p->instruction[k];
                if (v->what == RK_DO_RECV && is_message(v) && v->tag == in->tag)
                    other->arrival[k] = *free_s;
            }
        } else {
            r->clock_s += seconds_of(p, in);
        }
    }
    (void)stages;
    return r->next > begun;
}

static double simulated_s(const struct sample *s)
{
    const int stages = s->prediction.stages;
    struct runner *all = calloc((size_t)stages, sizeof *all);
    double step_s = 0;
    for (int i = 0; i < stages; i++) {
        const size_t count = s->program[i].instructions + RK_STREAMS + 1;
        all[i] = (struct runner){.p = &s->program[i],
                                 .arrival = malloc(count * sizeof(double)),
                                 .behind = calloc(count, sizeof(size_t)),
                                 .queue = {calloc(count, sizeof(size_t)), NULL}};
        for (size_t k = 0; k < count; k++)
            all[i].arrival[k] = -1;
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < stages; i++)
            moved |= run_on(s, all, i);
    }
    for (int i = 0; i < stages; i++) {
        cr_assert_eq(all[i].next, s->program[i].instructions, "%s", name_of(s));
        step_s = fmax(step_s, all[i].clock_s);
        free(all[i].arrival);
        free(all[i].behind);
        free(all[i].queue[0]);
    }
    free(all);
    return step_s;
}

/* Transfers and gathering begin while a stage waits for a message, which the timeline does not
 * show. */
static bool moves_beside(const struct timeline_plan *plan)
{
    double moves_s = 0;
    for (uint32_t i = 0; i < plan->stages * plan->chunks; i++)
        for (int pass = 0; pass < PASSES; pass++)
            moves_s += plan->chunk[i].pass[pass].data_s + plan->chunk[i].pass[pass].wait_s;
    return moves_s > 0;
}

/* Weights' gradients that a kernel adds up: with the pass that brings them, where the timeline has
 * them with the other one. */
static bool adds_apart(const struct sample *s)
{
    if (!zero_bubbles(s->plan.schedule) && s->plan.schedule != RK_DUALPIPE &&
        !rk_schedule_folds(s->plan.schedule))
        return false;
    for (size_t i = 0; i < s->program[0].tasks; i++)
        if (strcmp(s->program[0].task[i].name, "add gradients") == 0) return true;
    return false;
}

/* Of all kinds of activations together. */
static double held_peak(const struct rk_program *p)
{
    double held = 0, peak = 0;
    for (size_t i = 0; i < p->instructions; i++) {
        if (p->instruction[i].task == RK_NONE) continue;
        const struct rk_task *task = &p->task[p->instruction[i].task];
        held += task->keeps_bytes;
        peak = fmax(peak, held);
        for (int k = 0; k < RK_HOLDING_COUNT; k++)
            held -= task->drops[k];
    }
    return peak;
}

/* The two that layers go through. */
static double buffers_of(const struct sample *s, uint32_t stage)
{
    const struct rk_program *p = &s->program[stage];
    double bytes = 0;
    for (size_t i = 0; i < p->tasks; i++)
        if (strcmp(p->task[i].name, "buffers") == 0) bytes += p->task[i].keeps_bytes;
    return bytes;
}

/* With chunks, too, which the prediction takes for equal. */
static void check_held_beside(const struct sample *s, const struct timeline_plan *plan,
                              const struct timeline *timeline)
{
    const bool swaps = s->plan.recompute_rest;
    if (!swaps && rk_plan_activations_away(&s->plan) > 0) return;
    for (uint32_t i = 0; i < plan->stages; i++) {
        const struct timeline_bytes *bytes = &plan->tier[0].bytes[i * TIMELINE_CATEGORIES];
        double in_flight = 0;
        for (int k = 0; k < TIMELINE_CATEGORIES; k++)
            in_flight += bytes[k].in_flight;
        EXPECT(s, i, "held", held_peak(&s->program[i]),
               timeline->stage[i].peak[0].held * in_flight + (swaps ? buffers_of(s, i) : 0));
    }
}

/* A part without layers hands messages on at once, whatever its rank is at. */
static bool hands_on(const struct sample *s)
{
    const uint64_t parts = s->plan.pipeline * s->plan.chunks;
    for (uint64_t i = 1; i + 1 < parts; i++)
        if (rk_plan_split(&s->plan, &s->problem.model, i) == 0) return true;
    return false;
}

static int simulated;

static void check_time(const struct sample *s)
{
    struct timeline_plan plan;
    struct timeline timeline;
    struct rk_error error;
    if (takes_means(s)) return;
    cr_assert_eq(timeline_plan_of_plan(&plan, &s->problem.model, &s->problem.system, &s->plan,
                                       &s->prediction, TIMELINE_BESIDE, &error),
                 RK_OK);
    check_passes(s, &plan);
    check_chunk_bytes(s, &plan);
    cr_assert_eq(timeline_simulate(&plan, &timeline, &error), RK_OK);
    check_held_beside(s, &plan, &timeline);
    if (!plan.reduce_beside && !rk_plan_layout(&s->plan)->segments && !moves_beside(&plan) &&
        !adds_apart(s) && !hands_on(s) && plan.microbatches <= 24) {
        EXPECT(s, -1, "step", simulated_s(s), timeline.step_s);
        simulated++;
    }
    timeline_release(&timeline);
    timeline_plan_release(&plan);
}

Test(program_time, is_the_timelines)
{
    cr_assert(drawn_enough(for_each(check_time) > CASES));
    cr_assert(drawn_enough(simulated > CASES / 8));
}

Test(program_time, of_chunks_of_the_sequence)
{
    chunked = true;
    cr_expect(drawn_enough(for_each(check_time) > CASES / 8));
}
