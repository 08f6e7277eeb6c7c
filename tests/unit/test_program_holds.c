/* Programs of random plans: what a stage of them holds is what is predicted. */
#include "program_cases.h"

#include "estimate/stages.h"
#include "plan/layers.h"

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

/* Of the first microbatch. */
static void held_once(const struct rk_program *p, double once[RK_HOLDING_COUNT])
{
    memset(once, 0, RK_HOLDING_COUNT * sizeof *once);
    for (size_t i = 0; i < p->instructions; i++)
        if (p->instruction[i].task != RK_NONE && p->instruction[i].microbatch == 0)
            once[p->task[p->instruction[i].task].holding] +=
                p->task[p->instruction[i].task].keeps_bytes;
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

static int swapping;

/* Of what is offloaded two blocks of a microbatch are here, on their way; where blocks go through
 * two buffers, the program has these. */
static void check_held(const struct sample *s)
{
    static const enum rk_holding saved[] = {RK_HOLD_attention,   RK_HOLD_mlp,
                                            RK_HOLD_experts,     RK_HOLD_norms,
                                            RK_HOLD_checkpoints, RK_HOLD_embedding};
    const double away = s->plan.recompute_rest ? 0 : rk_plan_activations_away(&s->plan);
    swapping += s->plan.recompute_rest;
    const bool whole = s->plan.chunks == 1 && s->plan.schedule != RK_DUALPIPE &&
                       (away == 0 || !rk_plan_layout(&s->plan)->segments);
    for (int i = 0; i < s->prediction.stages; i++) {
        const struct rk_stage *stage = &s->prediction.stage[i];
        const double moving = stage->blocks ? 2 / (double)stage->blocks * away : 0;
        double peak[RK_HOLDING_COUNT], once[RK_HOLDING_COUNT];
        held_peaks(&s->program[i], peak);
        held_once(&s->program[i], once);
        for (size_t k = 0; whole && k < sizeof saved / sizeof *saved; k++)
            EXPECT(s, i, rk_holding_name(saved[k]),
                   peak[saved[k]] * (1 - away) + once[saved[k]] * moving, stage->holds[saved[k]]);
        exact += whole;
    }
}

Test(program_holds, peaks_are_what_stages_hold)
{
    cr_assert(drawn_enough(for_each(check_held) > CASES));
    cr_assert(drawn_enough(exact > CASES));
    cr_assert(drawn_enough(swapping > 10));
}

/* What the operation that needs most has beside it, where nothing is computed again whole. */
static void check_working(const struct sample *s)
{
    const struct element_bytes bytes = element_bytes_of(&s->plan);
    if (s->plan.recompute == RK_WHOLE || rk_plan_layout(&s->plan)->segments ||
        bytes.step_gradient > 0 || s->plan.schedule == RK_DUALPIPE ||
        s->plan.framework == RK_DEEPSPEED)
        return; /* DeepSpeed's step may need more */
    for (int i = 0; i < s->prediction.stages; i++) {
        const double have = s->prediction.stage[i].holds[RK_HOLD_working];
        double most = 0, loss = 0;
        for (size_t k = 0; k < s->program[i].tasks; k++) {
            const struct rk_task *task = &s->program[i].task[k];
            most = fmax(most, task->working_bytes);
            if (strcmp(task->name, "cross entropy") == 0) loss = fmax(loss, task->keeps_bytes);
        }
        if (loss > 0 && have < most) /* of a block, when the loss's tensors are gone */
            EXPECT(s, i, "working", fmax(have, most - loss), have);
        else
            EXPECT(s, i, "working", most, have);
    }
}

Test(program_holds, working_memory_is_the_largest_operations)
{
    cr_assert(drawn_enough(for_each(check_working) > CASES));
}

/* Tensors live, by who reads them, as long as the prediction says that they are held: bytes of the
 * microbatch that are there between forward and backward. */
Test(program_holds, tensors_live_as_long_as_they_are_held)
{
    static const char *const models[] = {"llama3.1-8b", "gpt3-175b", "mixtral-8x7b", "gpt2-124m"};
    static const char *const plans[] = {
        "gbs1",
        "tp2 gbs1",
        "tp2 sp gbs1",
        "tp2 sp gbs1 recompute=full",
        "tp4 sp gbs1 recompute=selective:mlp",
        "tp2 gbs1 recompute=selective:layernorm",
        "tp2 sp gbs1 recompute=selective:layernorm+mlp",
        "precision=fp16 mbs2 gbs2",
    };
    struct rk_model model;
    struct rk_system system;
    struct rk_error error;
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, &error), RK_OK);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
            struct rk_plan plan;
            struct rk_program p;
            double live = 0, held = 0, scores = 0;
            cr_assert_eq(rk_model_load(models[i], &model, &error), RK_OK);
            cr_assert_eq(rk_plan_parse(plans[k], &plan, &error), RK_OK);
            cr_assert_eq(rk_program_of(&p, &model, &system, &plan, 0, &error), RK_OK);
            for (size_t n = 0; n < p.instructions; n++) {
                const struct rk_instruction *in = &p.instruction[n];
                if (in->task != RK_NONE && in->work != RK_WORK_FORWARD) break;
                if (in->task != RK_NONE) held += p.task[in->task].keeps_bytes;
                if (in->task != RK_NONE && strcmp(p.task[in->task].name, "router") == 0)
                    scores += p.task[in->task].keeps_bytes;
                if (in->what != RK_DO_ALLOC && in->what != RK_DO_FREE) continue;
                const struct rk_tensor *tensor = &p.tensor[in->other];
                const double bytes = p.form[tensor->form].bytes;
                if (tensor->microbatch != RK_NONE) live += in->what == RK_DO_ALLOC ? bytes : -bytes;
            }
            /* the loss, and of a router's scores what their fp32 copies take */
            cr_assert(fabs(live - held) <= 2 * scores + 1e-4 * held, "%s, %s: %.0f live, %.0f held",
                      models[i], plans[k], live, held);
            rk_program_release(&p);
        }
    rk_system_release(&system);
}

static int late_stages, mixed_late;

/* Gradients of a stage that are not there at its peak, where they come late: backward is at one
 * run; later ones have no activations left, earlier ones no gradients yet. Prediction layers are
 * ends to activations. `others`: the rest of the late ones. */
static double not_yet_there(const struct sample *s, int stage, double *others)
{
    const struct rk_program *p = &s->program[stage];
    const int32_t blocks = (int32_t)(p->layers + p->predict_layers);
    double late = 0, absent = 0;
    for (int32_t first = 0, end; first < blocks; first = end) {
        double gradients = 0, held = 0;
        const int run = plan_same_local(&s->plan, plan_local_of(&s->plan, (uint64_t)first));
        const struct rk_plan own = plan_of_local(&s->plan, run);
        for (end = first + 1; end < blocks; end++)
            if (plan_same_local(&s->plan, plan_local_of(&s->plan, (uint64_t)end)) != run) break;
        for (size_t i = 0; i < p->tensors; i++) {
            const struct rk_tensor *t = &p->tensor[i];
            const enum rk_tensor_kind kind = p->form[t->form].kind;
            if (t->microbatch == RK_NONE && t->layer >= first && t->layer < end &&
                (kind == RK_TENSOR_WEIGHT_GRADIENT || kind == RK_TENSOR_SHARD))
                gradients += p->form[t->form].bytes;
        }
        for (size_t i = 0; i < p->instructions; i++) {
            const struct rk_instruction *in = &p->instruction[i];
            if (in->task != RK_NONE && in->microbatch == 0 && in->layer >= first &&
                in->layer < end && in->layer < (int32_t)p->layers)
                held += p->task[in->task].keeps_bytes * (1 - rk_plan_activations_away(&own));
        }
        late += sharing_of(&own).gradients_late ? gradients : 0;
        absent = fmin(absent + held, late);
    }
    late_stages += absent > 0;
    mixed_late += absent > 0 && !plan_is_alike(&s->plan);
    *others = late - absent;
    return absent;
}

static void check_state(const struct sample *s)
{
    if (s->plan.schedule == RK_DUALPIPE) return;
    for (int i = 0; i < s->prediction.stages; i++) {
        const struct rk_stage *stage = &s->prediction.stage[i];
        const struct rk_program *p = &s->program[i];
        EXPECT(s, i, "weights", lasting_bytes(p, RK_TENSOR_WEIGHTS), stage->holds[RK_HOLD_weights]);
        const double gradients =
            lasting_bytes(p, RK_TENSOR_WEIGHT_GRADIENT) + lasting_bytes(p, RK_TENSOR_SHARD);
        double others = 0; /* are not there, either, as far as the loss needs more than blocks */
        const double there = gradients - not_yet_there(s, i, &others);
        const double have = stage->holds[RK_HOLD_gradients];
        const double most = fmin(others, stage->holds[RK_HOLD_working]);
        EXPECT(s, i, "gradients", there - fmax(0, fmin(there - have, most)), have);
        EXPECT(s, i, "optimizer", lasting_bytes(p, RK_TENSOR_OPTIMIZER),
               stage->holds[RK_HOLD_optimizer]);
    }
}

Test(program_holds, states_are_what_stages_hold)
{
    cr_assert(drawn_enough(for_each(check_state) > CASES));
}

Test(program_holds, gradients_that_come_late_are_not_all_there)
{
    at_once = true;
    cr_assert(drawn_enough(for_each(check_state) > CASES));
    cr_assert(drawn_enough(late_stages > CASES), "%d", late_stages);
    cr_assert(drawn_enough(mixed_late > CASES / 10), "%d", mixed_late);
}

/* All of the above where the sequence goes through the layers in chunks. */
Test(program_holds, chunks_of_the_sequence)
{
    void (*const checks[])(const struct sample *) = {check_held, check_working, check_state};
    chunked = true;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        cr_expect(drawn_enough(for_each(checks[i]) > CASES / 8));
}
