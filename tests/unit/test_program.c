/* Programs of random plans: what they sum up to is what is predicted. */
#include "layouts.h"
#include "program_cases.h"
#include "program_replay.h"

#include "estimate/stages.h"
#include "plan/layers.h"

#include <reckon/check.h>

/* ---- figures of the whole ---- */

static int segmented;

static void check_figures(const struct sample *s)
{
    const struct rk_prediction *p = &s->prediction;
    if (takes_means(s)) return;
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
        segmented += rk_plan_layout(&s->plan)->segments > 0;
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
    cr_assert(drawn_enough(for_each(check_figures) > CASES));
    cr_assert(drawn_enough(segmented > CASES / 10), "%d", segmented);
}

/* ---- the same plan in other words ---- */

static int said_again;

/* Each run of layers as two, one of them by a local part of its own: the same answer, to the bit.
 */
static void check_words(const struct sample *s)
{
    const struct rk_layout *said = rk_plan_layout(&s->plan);
    const struct rk_segment whole = {(uint16_t)s->problem.model.layers, 0};
    static struct rk_plan again;
    static struct rk_prediction p;
    static struct rk_layout layout;
    again = s->plan;
    layout = *said;
    layout.segments = 0;
    if (layout.others == RK_MAX_LOCALS) return;
    layout.other[layout.others++] = s->plan.local;
    for (int i = 0; i < (said->segments ? said->segments : 1); i++) {
        const struct rk_segment *run = said->segments ? &said->segment[i] : &whole;
        const uint16_t half = run->layers / 2, other = (uint16_t)layout.others;
        layout.segment[layout.segments++] =
            (struct rk_segment){(uint16_t)(run->layers - half), run->local};
        if (half)
            layout.segment[layout.segments++] =
                (struct rk_segment){half, run->local ? run->local : other};
    }
    again.layout = &layout;
    rk_predict(&s->problem.model, &s->problem.system, &again, &p);
    if (!p.timed) return; /* what is not said of runs */
    said_again++;
    for (const struct rk_figure *f = NULL; (f = rk_figure_next(f, RK_BY_RECKON));) {
        const double a = rk_figure_value(&s->prediction.outcome, f);
        const double b = rk_figure_value(&p.outcome, f);
        cr_assert(memcmp(&a, &b, sizeof a) == 0, "%s: %s %.17g, in more runs %.17g", name_of(s),
                  f->name, a, b);
    }
    for (int i = 0; i < p.stages; i++)
        cr_assert(memcmp(&s->prediction.stage[i], &p.stage[i], sizeof *p.stage) == 0,
                  "%s: stage %d", name_of(s), i);
}

Test(program, runs_that_are_alike_are_one)
{
    cr_assert(drawn_enough(for_each(check_words) > CASES));
    cr_assert(drawn_enough(said_again > CASES / 2), "%d", said_again);
}

/* ---- gradients and weights ---- */

static int reduced;

/* By hand, of a dense stage with P parameters whose state R ranks share, in C copies: gradients of
 * g bytes are reduced to shares and these over their copies, (R-1)/R P g + 2 (C-1)/C P g/R; weights
 * of w bytes are gathered, (R-1)/R P w. ZeRO 0 and 1: once; 2: gradients for each microbatch; 3:
 * weights too, twice unless they are kept. */
static void check_data(const struct sample *s)
{
    const struct rk_plan *plan = &s->plan;
    const bool dense = !s->problem.model.experts && !rk_plan_layout(plan)->segments;
    if (!dense || plan->schedule == RK_DUALPIPE || plan->whole_gradients || plan->frozen) return;
    const struct element_bytes bytes = element_bytes_of(plan);
    const double all = (double)(rk_plan_data(plan) * plan->context);
    const double r = plan->zero ? (double)rk_plan_shards(plan) : 1, c = all / r;
    const double m = (double)s->program[0].microbatches;
    const double reduce = (r - 1) / r + 2 * (c - 1) / c / r, gather = (r - 1) / r;
    const double reduces = plan->zero >= 2 ? m : 1;
    const double gathers = plan->zero == 0  ? 0
                           : plan->zero < 3 ? 1
                                            : m * (plan->keep_gathered ? 1 : 2);
    for (int i = 0; i < s->prediction.stages; i++) {
        struct rk_program_sums sums;
        rk_program_sum(&s->program[i], &sums);
        EXPECT(s, i, "bytes of gradients and weights", sums.data_sent_bytes,
               s->prediction.stage[i].parameters *
                   (reduces * reduce * bytes.sent_gradient + gathers * gather * bytes.sent_weight));
        reduced += all > 1;
    }
}

Test(program, data_ranks_send_what_zero_says)
{
    cr_assert(drawn_enough(for_each(check_data) > CASES));
    cr_assert(drawn_enough(reduced > CASES));
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
    if (rk_plan_layout(&s->plan)->segments) return; /* operations are those of the plan itself */
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
    cr_assert(drawn_enough(for_each(check_lines) > CASES));
}

/* ---- ranks against each other ---- */

/* The rules of logs find nothing either. */
static void check_logs(const struct sample *s, const struct rk_program *programs, uint32_t ranks)
{
    static struct rk_findings findings;
    struct rk_logs *logs;
    struct rk_error error;
    findings.count = findings.dropped = 0;
    cr_assert_eq(rk_logs_new(ranks, &logs, &error), RK_OK);
    for (uint32_t i = 0; i < ranks; i++)
        cr_assert_eq(rk_logs_add_program(logs, &programs[i], &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_logs_check(logs, NULL, &findings, &error), RK_OK, "%s", error.text);
    rk_logs_release(logs);
    cr_assert_eq(rk_findings_errors(&findings), 0, "%s: %s, rank %d line %d: %s", name_of(s),
                 findings.finding[0].rule, findings.finding[0].rank, findings.finding[0].line,
                 findings.finding[0].need);
}

static int replayed;

static void check_replay(const struct sample *s)
{
    static struct rk_program programs[64];
    struct rk_error error;
    const uint32_t ranks = (uint32_t)s->plan.ranks;
    size_t instructions = 0;
    for (int i = 0; i < s->prediction.stages; i++) {
        const char *wrong = replay_races(&s->program[i]);
        cr_assert_eq(rk_program_check(&s->program[i], &error), RK_OK, "%s: %s", name_of(s),
                     error.text);
        cr_assert(!wrong, "%s: %s", name_of(s), wrong);
        instructions += s->program[i].instructions * (ranks / s->plan.pipeline);
        for (uint32_t t = 0; t < s->program[i].tensors; t++) {
            char name[RK_TENSOR_NAME];
            rk_program_tensor_name(&s->program[i], t, name, sizeof name);
            cr_assert_neq(s->program[i].tensor[t].first, RK_NONE, "%s: nobody uses %s", name_of(s),
                          name);
        }
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
    check_logs(s, programs, ranks);
    for (uint32_t i = 0; i < ranks; i++)
        rk_program_release(&programs[i]);
    replayed++;
}

Test(program, ranks_run_to_the_end)
{
    cr_assert(drawn_enough(for_each(check_replay) > CASES));
    cr_assert(drawn_enough(replayed > CASES / 3));
}

/* ---- messages between stages of other degrees ---- */

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    return b ? greatest_divisor(b, a % b) : a;
}

/* Each rank receives all elements of what it needs, once; n and m replicas that are numbered alike
 * have something in common in n + m - gcd(n, m) pairs. */
static void check_messages(const struct rk_model *model, const struct rk_system *system,
                           const struct rk_plan *plan)
{
    const uint64_t inside = plan->ranks / 2, n = rk_plan_data(plan);
    const uint64_t m =
        inside / (rk_plan_layout(plan)->other[0].tensor * rk_plan_layout(plan)->other[0].context);
    static bool met[64][64];
    uint64_t pairs = 0;
    struct rk_error error;
    memset(met, 0, sizeof met);
    for (uint64_t rank = 0; rank < plan->ranks; rank++) {
        struct rk_program p;
        const bool behind = rank >= inside;
        cr_assert_eq(rk_program_of(&p, model, system, plan, rank, &error), RK_OK, "%s", error.text);
        double *left = calloc(p.tensors, sizeof *left);
        for (size_t i = 0; i < p.instructions; i++) {
            const struct rk_instruction *in = &p.instruction[i];
            if (in->what != RK_DO_RECV) continue;
            const uint32_t tensor = p.reference[in->tensors];
            const struct rk_form *form = &p.form[p.tensor[tensor].form];
            if (left[tensor] == 0) left[tensor] = form->shape[0] * form->shape[1];
            left[tensor] -= (double)in->count;
            if (left[tensor] == 0) left[tensor] = -0.5; /* all is there */
            if (behind) met[in->other / (inside / n)][(rank - inside) / (inside / m)] = true;
        }
        for (size_t t = 0; t < p.tensors; t++)
            cr_assert(left[t] == 0 || left[t] == -0.5, "rank %d: %g elements", (int)rank, left[t]);
        free(left);
        rk_program_release(&p);
    }
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t k = 0; k < m; k++)
            pairs += met[i][k];
    cr_assert_eq(pairs, n + m - greatest_divisor(n, m), "%d of %d and %d", (int)pairs, (int)n,
                 (int)m);
}

Test(program, replicas_exchange_what_they_have_in_common)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_error error;
    cr_assert_eq(rk_model_load("gpt2-124m", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("a100-sxm4-80g", &system, &error), RK_OK);
    model.layers = 2;
    model.sequence = 768;
    for (uint64_t inside = 2; inside <= 12; inside++)
        for (uint64_t t = 1; t <= 12; t++)
            for (int kind = 0; kind < 4; kind++) {
                struct rk_plan plan = rk_plan_default();
                if (inside % t || 12 % t || 12 % inside || t == 1) continue;
                plan.pipeline = 2;
                plan.ranks = 2 * inside;
                plan.tensor = kind & 1 ? t : 1;
                plan.sequence_parallel = kind & 2;
                edit(&plan)->segments = 2;
                edit(&plan)->others = 1;
                edit(&plan)->other[0] = plan.local;
                edit(&plan)->other[0].tensor = kind & 1 ? 1 : t;
                plan.microbatch = plan.tensor;
                edit(&plan)->other[0].microbatch = rk_plan_layout(&plan)->other[0].tensor;
                edit(&plan)->segment[0] = (struct rk_segment){1, 0};
                edit(&plan)->segment[1] = (struct rk_segment){1, 1};
                plan.batch = rk_plan_data(&plan) * plan.microbatch * 2;
                check_messages(&model, &system, &plan);
            }
    rk_system_release(&system);
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
    cr_assert(drawn_enough(for_each(check_text) > CASES));
}

/* ---- classes ---- */

/* The text of a program without the ranks that it names. */
static uint64_t shape_of(const struct rk_program *p)
{
    uint64_t hash = p->instructions;
    for (size_t i = 0; i < p->instructions; i++) {
        const struct rk_instruction *in = &p->instruction[i];
        const bool named = replay_is_message(in) || replay_is_collective(in);
        const uint64_t own[] = {in->what,           in->stream, (uint64_t)in->layer,
                                (uint64_t)in->task, in->count,  named ? in->tag : in->other};
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            hash = (hash ^ own[k]) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    }
    return hash;
}

static int several;

static void check_classes(const struct sample *s)
{
    static struct rk_program_class classes[4096];
    static uint64_t shapes[64];
    const struct rk_model *model = &s->problem.model;
    struct rk_error error;
    const size_t count = rk_program_classes(model, &s->problem.system, &s->plan, classes, 4096);
    uint64_t ranks = 0;
    cr_assert_geq(count, s->plan.pipeline);
    cr_assert_leq(count, s->plan.ranks);
    for (size_t i = 0; i < count; i++)
        ranks += classes[i].ranks;
    cr_assert_eq(ranks, s->plan.ranks, "%s", name_of(s));
    several += count > s->plan.pipeline;
    if (s->plan.ranks > 32 || (count == s->plan.pipeline && s->program[0].instructions > 1500))
        return;
    for (uint32_t rank = 0; rank < s->plan.ranks; rank++) {
        struct rk_program p;
        cr_assert_eq(rk_program_of(&p, model, &s->problem.system, &s->plan, rank, &error), RK_OK);
        shapes[rank] = shape_of(&p);
        rk_program_release(&p);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t same = 0;
        for (uint32_t rank = 0; rank < s->plan.ranks; rank++)
            same += shapes[rank] == shapes[classes[i].first];
        cr_assert_geq(same, classes[i].ranks, "%s: rank %u", name_of(s),
                      (unsigned)classes[i].first);
    }
}

Test(program, classes_are_alike)
{
    cr_assert(drawn_enough(for_each(check_classes) > CASES));
    in_segments = true; /* that a stage has several is rare: neighbours of other degrees */
    cr_assert(drawn_enough(for_each(check_classes) > CASES / 4));
    cr_assert_gt(several, 0);
}

/* ---- chunks of the sequence ---- */

/* All of the above of such plans: sums, times, order of accesses. */
Test(program, chunks_of_the_sequence)
{
    void (*const checks[])(const struct sample *) = {check_figures, check_data, check_lines,
                                                     check_replay,  check_text, check_classes};
    chunked = true;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        cr_expect(drawn_enough(for_each(checks[i]) > CASES / 8));
}

/* The chunk that wrote the tensor that a chunk's passes of this kind begin with, of a microbatch;
 * -1: none. */
static int written_by(const struct rk_program *p, uint16_t chunk, enum rk_work work, int32_t m)
{
    int *writer = calloc(p->tensors, sizeof *writer), found = -1;
    cr_assert(writer);
    for (size_t i = 0; i < p->instructions && found < 0; i++) {
        const struct rk_instruction *in = &p->instruction[i];
        for (uint32_t k = 0; k < (uint32_t)in->reads + in->writes; k++) {
            const uint32_t tensor = p->reference[in->tensors + k];
            const bool asked = in->chunk == chunk && in->work == work && in->microbatch == m;
            if (k >= in->reads)
                writer[tensor] = in->task == RK_NONE ? 0 : in->chunk + 1;
            else if (asked && writer[tensor] && writer[tensor] != chunk + 1)
                found = writer[tensor] - 1;
        }
    }
    free(writer);
    return found;
}

/* The tip of a V sends nothing to itself: its second chunk reads what the first one wrote, and
 * backward the first one what the second one wrote. */
Test(program, the_tip_of_a_v_hands_on)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_plan plan;
    struct rk_program p;
    struct rk_error error;
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, &error), RK_OK);
    cr_assert_eq(rk_plan_parse("pp2 vpp2 dp1 gbs3 schedule=v-half", &plan, &error), RK_OK);
    plan.ranks = 2;
    cr_assert_eq(rk_program_of(&p, &model, &system, &plan, 1, &error), RK_OK, "%s", error.text);
    for (int32_t m = 0; m < 3; m++) {
        cr_expect_eq(written_by(&p, 1, RK_WORK_FORWARD, m), 0);
        cr_expect_eq(written_by(&p, 0, RK_WORK_INPUT, m), 1);
    }
    rk_program_release(&p);
    rk_system_release(&system);
}
