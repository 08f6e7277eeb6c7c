/* Programs of random plans: what they sum up to is what is predicted. RECKON_SEED=N starts there.
 */
#include "plans_cases.h"
#include "program_replay.h"

#include "schedule/flight.h"

#include <inttypes.h>
#include <reckon/program.h>
#include <stdlib.h>

enum { CASES = 250, PLANS = 4 };

struct sample {
    struct plans_case problem;
    struct rk_plan plan;
    struct rk_prediction prediction;
    struct rk_program *program; /* (stages) of the first rank of each */
    uint64_t seed;
};

static const char *name_of(const struct sample *s)
{
    static char text[RK_PLAN_TEXT + 32];
    const int used = snprintf(text, sizeof text, "seed %" PRIu64 ", ", s->seed);
    rk_plan_text(&s->plan, text + used, sizeof text - (size_t)used);
    return text;
}

/* What the space does not offer, but the predictor takes. */
static void change_plan(struct random *r, struct rk_plan *plan)
{
    if (plan->chunks == 1 && one_in(r, 2))
        plan->schedule = (enum rk_schedule)below(r, RK_SCHEDULES);
    if (one_in(r, 3)) plan->gradient_overlap = true;
    if (one_in(r, 4)) plan->head_counts = true;
    if (one_in(r, 3)) plan->zero = (int)below(r, 4);
    if (one_in(r, 8)) plan->keep_gathered = true;
    if (one_in(r, 6)) plan->messages_sharded = true;
    if (plan->recompute == RK_WHOLE && one_in(r, 3)) plan->recompute_every = 2 + below(r, 2);
    if (plan->recompute == RK_KEEP && one_in(r, 4)) {
        plan->recompute = RK_SELECTIVE;
        plan->recompute_parts = 1 + (unsigned)below(r, (1u << RK_PARTS) - 1);
    }
}

/* Runs of layers of their own: other degrees on the same ranks, other ZeRO, recomputation. */
static void add_segments(struct random *r, const struct rk_model *model, struct rk_plan *plan)
{
    const uint64_t split = plan->tensor * plan->context;
    plan->order = RK_ORDER_TP_CP_DP_PP;
    plan->chunks = 1;
    plan->splits = 0;
    plan->recompute_layers = plan->recompute_stride = 0;
    plan->others = 1 + (int)below(r, 3);
    for (int i = 0; i < plan->others; i++) {
        struct rk_local *other = &plan->other[i];
        *other = plan->local;
        if (one_in(r, 2)) other->tensor *= 2;
        if (one_in(r, 3) && other->tensor > 1) other->tensor /= 2;
        if (one_in(r, 5) && !model->recurrence) other->context *= 2;
        if (one_in(r, 3)) other->sequence_parallel = !other->sequence_parallel;
        if (one_in(r, 3)) other->zero = (int)below(r, 4);
        if (one_in(r, 3)) other->recompute = RK_WHOLE;
        other->microbatch = plan->microbatch * other->tensor * other->context / split;
    }
    uint64_t left = model->layers;
    for (plan->segments = 0; left && plan->segments < 6; plan->segments++) {
        const uint64_t layers = plan->segments == 5 ? left : 1 + below(r, left);
        plan->segment[plan->segments] =
            (struct rk_segment){(uint16_t)layers, (uint16_t)below(r, (uint64_t)plan->others + 1)};
        left -= layers;
    }
}

static bool lower(struct sample *s)
{
    struct rk_program_class classes[RK_MAX_STAGES];
    struct rk_error error;
    if (s->plan.batch / (rk_plan_data(&s->plan) ? rk_plan_data(&s->plan) : 1) > 64) return false;
    rk_predict(&s->problem.model, &s->problem.system, &s->plan, &s->prediction);
    if (!s->prediction.timed) return false;
    const size_t stages = rk_program_classes(&s->plan, classes, RK_MAX_STAGES);
    s->program = calloc(stages, sizeof *s->program);
    for (size_t i = 0; i < stages; i++) {
        const enum rk_status status =
            rk_program_of(&s->program[i], &s->problem.model, &s->problem.system, &s->plan,
                          classes[i].first, &error);
        cr_assert_eq(status, RK_OK, "%s: %s", name_of(s), error.text);
        cr_assert_eq(s->program[i].stage, i);
    }
    return true;
}

static void release(struct sample *s)
{
    for (uint64_t i = 0; i < s->plan.pipeline; i++)
        rk_program_release(&s->program[i]);
    free(s->program);
}

/* Calls `check` for plans of every kind; returns how many. */
static int for_each(void (*check)(const struct sample *s))
{
    const char *given = getenv("RECKON_SEED");
    const uint64_t first = given ? strtoull(given, NULL, 10) : 1;
    static struct sample s;
    int checked = 0;
    for (uint64_t seed = first; seed < first + (given ? 1 : CASES); seed++) {
        struct random r = {seed * 7919};
        s.seed = seed;
        draw_case(&s.problem, seed, UINT64_MAX);
        struct rk_space *plans = rk_plans_open(&s.problem.problem, NULL);
        const uint64_t count = rk_space_count(plans);
        for (int i = 0; i < PLANS && count; i++) {
            rk_plans_plan(plans, below(&r, count), &s.plan);
            change_plan(&r, &s.plan);
            if (one_in(&r, 4)) add_segments(&r, &s.problem.model, &s.plan);
            if (!lower(&s)) continue;
            check(&s);
            checked++;
            release(&s);
        }
        rk_space_close(plans);
        rk_system_release(&s.problem.system);
    }
    return checked;
}

static bool close(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

#define EXPECT(s, stage, what, a, b)                                                               \
    cr_assert(close(a, b), "%s, stage %d: %s %.17g, predicted %.17g", name_of(s), (int)(stage),    \
              what, a, b)

/* ---- figures of the whole ---- */

static int segmented;

static void check_figures(const struct sample *s)
{
    const struct rk_prediction *p = &s->prediction;
    const double ranks = (double)(s->plan.ranks / s->plan.pipeline);
    struct rk_program_sums all = {.flop = 0};
    for (int i = 0; i < p->stages; i++) {
        struct rk_program_sums sums;
        rk_program_sum(&s->program[i], &sums);
        all.flop += ranks * sums.flop;
        all.useful_flop += ranks * sums.useful_flop;
        all.again_flop += ranks * sums.again_flop;
        all.tensor_sent_bytes += ranks * sums.tensor_sent_bytes;
        all.context_sent_bytes += ranks * sums.context_sent_bytes;
        all.expert_sent_bytes += ranks * sums.expert_sent_bytes;
        segmented += s->plan.segments > 0;
        if (s->plan.schedule != RK_DUALPIPE)
            EXPECT(s, i, "parameters", sums.parameters, p->stage[i].parameters);
    }
    const double model_flop = (s->plan.frozen ? 2 : 3) * all.useful_flop;
    EXPECT(s, -1, "FLOP of kernels", all.flop, p->kernel_flop);
    EXPECT(s, -1, "model FLOP", model_flop, p->model_flop);
    EXPECT(s, -1, "executed FLOP", model_flop + all.again_flop, p->executed_flop);
    EXPECT(s, -1, "tensor bytes", all.tensor_sent_bytes, p->tensor_sent_bytes);
    EXPECT(s, -1, "context bytes", all.context_sent_bytes, p->context_sent_bytes);
    EXPECT(s, -1, "expert bytes", all.expert_sent_bytes, p->expert_sent_bytes);
}

Test(program, sums_are_the_figures)
{
    cr_assert_gt(for_each(check_figures), CASES);
    cr_assert_gt(segmented, CASES / 10);
}

/* ---- what a stage holds ---- */

/* Between forward and backward, by holding: the peak over the program. */
static void held_peaks(const struct rk_program *p, double peak[RK_HOLDING_COUNT])
{
    double held[RK_HOLDING_COUNT] = {0};
    memset(peak, 0, RK_HOLDING_COUNT * sizeof *peak);
    for (size_t i = 0; i < p->instructions; i++) {
        if (p->instruction[i].task == RK_NONE) continue;
        const struct rk_task *task = &p->task[p->instruction[i].task];
        held[task->holding] += task->keeps_bytes;
        for (int k = 0; k < RK_HOLDING_COUNT; k++) {
            peak[k] = fmax(peak[k], held[k]);
            held[k] -= task->drops[k];
        }
    }
    for (int k = 0; k < RK_HOLDING_COUNT; k++)
        cr_assert(fabs(held[k]) <= 1e-9 * peak[k], "%s is still held: %g",
                  rk_holding_name((enum rk_holding)k), held[k]);
}

static double lasting_bytes(const struct rk_program *p, enum rk_tensor_kind kind)
{
    double bytes = 0;
    for (size_t i = 0; i < p->tensors; i++) {
        const struct rk_form *form = &p->form[p->tensor[i].form];
        if (form->kind == kind && p->tensor[i].microbatch == RK_NONE) bytes += form->bytes;
    }
    return bytes;
}

static int exact;

static void check_held(const struct sample *s)
{
    static const enum rk_holding saved[] = {RK_HOLD_attention,   RK_HOLD_mlp,
                                            RK_HOLD_experts,     RK_HOLD_norms,
                                            RK_HOLD_checkpoints, RK_HOLD_embedding};
    const bool away = rk_plan_offloaded(&s->plan, RK_SHARE_ATTENTION) > 0;
    const bool whole = s->plan.chunks == 1 && s->plan.schedule != RK_DUALPIPE && !away;
    for (int i = 0; i < s->prediction.stages; i++) {
        const struct rk_stage *stage = &s->prediction.stage[i];
        double peak[RK_HOLDING_COUNT];
        held_peaks(&s->program[i], peak);
        for (size_t k = 0; whole && k < sizeof saved / sizeof *saved; k++)
            EXPECT(s, i, rk_holding_name(saved[k]), peak[saved[k]], stage->holds[saved[k]]);
        exact += whole;
    }
}

Test(program, peaks_are_what_stages_hold)
{
    cr_assert_gt(for_each(check_held), CASES);
    cr_assert_gt(exact, CASES);
}

static void check_state(const struct sample *s)
{
    if (s->plan.schedule == RK_DUALPIPE) return;
    const double weights_here = 1 - rk_plan_offloaded(&s->plan, RK_SHARE_WEIGHTS);
    const double optimizer_here = 1 - rk_plan_offloaded(&s->plan, RK_SHARE_OPTIMIZER);
    for (int i = 0; i < s->prediction.stages; i++) {
        const struct rk_stage *stage = &s->prediction.stage[i];
        const struct rk_program *p = &s->program[i];
        EXPECT(s, i, "weights", lasting_bytes(p, RK_TENSOR_WEIGHTS) * weights_here,
               stage->holds[RK_HOLD_weights]);
        EXPECT(s, i, "gradients",
               lasting_bytes(p, RK_TENSOR_WEIGHT_GRADIENT) + lasting_bytes(p, RK_TENSOR_SHARD),
               stage->holds[RK_HOLD_gradients]);
        EXPECT(s, i, "optimizer", lasting_bytes(p, RK_TENSOR_OPTIMIZER) * optimizer_here,
               stage->holds[RK_HOLD_optimizer]);
    }
}

Test(program, states_are_what_stages_hold)
{
    cr_assert_gt(for_each(check_state), CASES);
}

/* ---- line by line ---- */

struct line_sums {
    double flop[RK_WORKS], sent[RK_WORKS], keeps, parameters, runs;
};

/* Sums of an operation of a kind of layer, over all instructions of a rank of each stage. */
static struct line_sums sums_of(const struct sample *s, const char *layer, const char *name)
{
    struct line_sums sums = {.runs = 0};
    for (int k = 0; k < s->prediction.stages; k++) {
        const struct rk_program *p = &s->program[k];
        for (size_t i = 0; i < p->instructions; i++) {
            const struct rk_instruction *in = &p->instruction[i];
            if (in->task == RK_NONE || in->work == RK_WORK_STEP) continue;
            const struct rk_task *task = &p->task[in->task];
            if (strcmp(task->name, name) != 0 || strcmp(task->layer, layer) != 0) continue;
            sums.flop[in->work] += task->flop;
            sums.sent[in->work] += task->sent_bytes;
            sums.keeps += task->keeps_bytes;
            sums.parameters += task->parameters;
        }
    }
    return sums;
}

static void check_lines(const struct sample *s)
{
    enum { MOST = 600 };
    static struct rk_operation operations[MOST];
    if (s->plan.segments) return; /* operations are those of the plan itself */
    static const enum rk_work works[RK_PASSES] = {RK_WORK_FORWARD, RK_WORK_INPUT, RK_WORK_WEIGHT};
    const int count =
        rk_predict_operations(&s->problem.model, &s->problem.system, &s->plan, operations, MOST);
    const double m = (double)s->program[0].microbatches;
    cr_assert_leq(count, MOST);
    for (int i = 0; i < count; i++) {
        struct rk_operation sum = operations[i];
        bool first = true;
        for (int k = 0; k < count; k++) {
            const struct rk_operation *other = &operations[k];
            if (strcmp(other->name, sum.name) != 0 || strcmp(other->layer, sum.layer) != 0)
                continue;
            first &= k >= i;
            for (int pass = 0; pass < RK_PASSES && k != i; pass++) {
                sum.flop[pass] += other->flop[pass];
                sum.comm_bytes[pass][0] += other->comm_bytes[pass][0];
            }
            if (k != i) sum.parameters += other->parameters;
        }
        if (!first) continue;
        const struct line_sums sums = sums_of(s, sum.layer, sum.name);
        for (int pass = 0; pass < RK_PASSES; pass++) {
            EXPECT(s, i, sum.name, sums.flop[works[pass]], m * sum.layers * sum.flop[pass]);
            EXPECT(s, i, sum.name, sums.sent[works[pass]],
                   m * sum.layers * sum.comm_bytes[pass][0]);
        }
        EXPECT(s, i, sum.name, sums.parameters, m * sum.layers * sum.parameters);
    }
}

Test(program, lines_are_the_predictions)
{
    cr_assert_gt(for_each(check_lines), CASES);
}

/* ---- ranks against each other ---- */

static int replayed;

static void check_replay(const struct sample *s)
{
    static struct rk_program programs[64];
    struct rk_error error;
    const uint32_t ranks = (uint32_t)s->plan.ranks;
    size_t instructions = 0;
    for (int i = 0; i < s->prediction.stages; i++) {
        const char *wrong = replay_races(&s->program[i]);
        cr_assert(!wrong, "%s: %s", name_of(s), wrong);
        instructions += s->program[i].instructions * (ranks / s->plan.pipeline);
    }
    if (ranks > 64 || instructions > 20000) return;
    for (uint32_t i = 0; i < ranks; i++)
        cr_assert_eq(
            rk_program_of(&programs[i], &s->problem.model, &s->problem.system, &s->plan, i, &error),
            RK_OK);
    const char *wrong = replay_run(programs, ranks);
    if (wrong && getenv("RECKON_DUMP"))
        for (uint32_t i = 0; i < ranks; i++) {
            char path[64];
            snprintf(path, sizeof path, "rank-%u.log", i);
            FILE *file = fopen(path, "w");
            rk_program_write(&programs[i], file, &error);
            fclose(file);
        }
    cr_assert(!wrong, "%s: %s", name_of(s), wrong);
    for (uint32_t i = 0; i < ranks; i++)
        rk_program_release(&programs[i]);
    replayed++;
}

Test(program, ranks_run_to_the_end)
{
    cr_assert_gt(for_each(check_replay), CASES);
    cr_assert_gt(replayed, CASES / 3);
}

/* ---- texts ---- */

static void check_text(const struct sample *s)
{
    const struct rk_program *p = &s->program[s->prediction.stages - 1];
    struct rk_program again;
    struct rk_program_sums sums, sums_again;
    struct rk_error error;
    char *text[2] = {NULL, NULL};
    size_t size[2], differences;
    FILE *file = open_memstream(&text[0], &size[0]);
    if (p->instructions > 6000) return fclose(file), free(text[0]);
    cr_assert_eq(rk_program_write(p, file, &error), RK_OK);
    fclose(file);
    file = fmemopen(text[0], size[0], "r");
    cr_assert_eq(rk_program_read(&again, file, "text", &error), RK_OK, "%s: %s line %d", name_of(s),
                 error.text, error.line);
    fclose(file);
    file = open_memstream(&text[1], &size[1]);
    cr_assert_eq(rk_program_write(&again, file, &error), RK_OK);
    cr_assert_eq(rk_program_diff(p, &again, file, 10, &differences, &error), RK_OK);
    fclose(file);
    cr_assert_eq(size[0], size[1], "%s", name_of(s));
    cr_assert(memcmp(text[0], text[1], size[0]) == 0, "%s", name_of(s));
    cr_assert_eq(differences, 0);
    rk_program_sum(p, &sums);
    rk_program_sum(&again, &sums_again);
    cr_assert(memcmp(&sums, &sums_again, sizeof sums) == 0, "%s", name_of(s));
    rk_program_release(&again);
    free(text[0]);
    free(text[1]);
}

Test(program, texts_are_read_again)
{
    cr_assert_gt(for_each(check_text), CASES);
}
