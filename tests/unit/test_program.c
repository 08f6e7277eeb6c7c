/* Programs of random plans: what they sum up to is what is predicted. RECKON_SEED=N starts there.
 */
#include "plans_cases.h"

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

struct figures {
    double executed, useful, tensor, context, expert;
};

static void add_figures(struct figures *f, const struct rk_program *p, double times)
{
    for (size_t i = 0; i < p->instructions; i++) {
        const struct rk_instruction *in = &p->instruction[i];
        if (in->task == RK_NONE || in->work == RK_WORK_STEP) continue;
        const struct rk_task *task = &p->task[in->task];
        f->executed += times * task->flop;
        f->useful += times * task->useful_flop;
        if (in->what == RK_DO_SEND && in->stream == RK_ON_CONTEXT)
            f->context += times * task->sent_bytes;
        if (in->what < RK_DO_ALL_REDUCE || in->what > RK_DO_BROADCAST) continue;
        const char *over = p->group[in->other].name;
        const bool context = strcmp(over, "ring") == 0 || strcmp(over, "ulysses") == 0;
        *(*over == 'e' ? &f->expert
          : context    ? &f->context
                       : &f->tensor) += times * task->sent_bytes;
    }
}

static void check_figures(const struct sample *s)
{
    const struct rk_prediction *p = &s->prediction;
    struct figures f = {.executed = 0};
    for (int i = 0; i < p->stages; i++)
        add_figures(&f, &s->program[i], (double)(s->plan.ranks / s->plan.pipeline));
    EXPECT(s, -1, "executed FLOP", f.executed, p->executed_flop);
    EXPECT(s, -1, "model FLOP", (s->plan.frozen ? 2 : 3) * f.useful, p->model_flop);
    EXPECT(s, -1, "tensor bytes", f.tensor, p->tensor_sent_bytes);
    EXPECT(s, -1, "context bytes", f.context, p->context_sent_bytes);
    EXPECT(s, -1, "expert bytes", f.expert, p->expert_sent_bytes);
}

Test(program, sums_are_the_figures)
{
    cr_assert_gt(for_each(check_figures), CASES);
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
