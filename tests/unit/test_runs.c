/* Stages whose layers are not all run alike: against stages that are, by hand, and the simulation.
 */
#include "catalog_cases.h"
#include "estimate/runs.h"
#include "layouts.h"
#include "timeline/timeline.h"

#include <math.h>
#include <reckon/catalog.h>

static struct rk_model model;
static struct rk_system machine;

static void init(void)
{
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_model_load("llama3.1-70b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &machine, &error), RK_OK);
}

static void fini(void)
{
    rk_system_release(&machine);
}

static struct rk_plan base(void)
{
    struct rk_plan plan = rk_plan_default();
    plan.ranks = 64;
    plan.tensor = 4;
    plan.pipeline = 4;
    plan.batch = 64;
    plan.microbatch = 2;
    plan.sequence_parallel = true;
    return plan;
}

static struct rk_prediction predicted(const struct rk_plan *plan)
{
    struct rk_prediction p;
    rk_predict(&model, &machine, plan, &p);
    cr_assert(p.timed, "%s", p.reason[0].what);
    return p;
}

/* All layers differ from the plan in the same way: stages between the ends are those of a plan that
 * says so itself. */
Test(runs, all_layers_alike_are_a_plain_plan, .init = init, .fini = fini)
{
    for (int what = 0; what < 5; what++) {
        struct rk_plan plan = base(), plain;
        struct rk_local *other = &edit(&plan)->other[0];
        edit(&plan)->segments = edit(&plan)->others = 1;
        edit(&plan)->segment[0] = (struct rk_segment){80, 1};
        *other = plan.local;
        if (what == 0) other->recompute = RK_WHOLE;
        if (what == 1) other->zero = 3, plan.weight_overlap = plan.gradient_overlap = true;
        if (what == 2) other->tensor = 8, other->microbatch = 4;
        if (what == 3) other->tensor = 2, other->microbatch = 1;
        if (what == 4) other->context = 2, other->microbatch = 4;
        plain = plan;
        edit(&plain)->segments = edit(&plain)->others = 0;
        plain.local = *other;
        const struct rk_prediction a = predicted(&plan), b = predicted(&plain);
        for (int i = 1; i < 3; i++) {
            cr_expect_float_eq(a.stage[i].forward_s, b.stage[i].forward_s, 1e-12, "%d", what);
            cr_expect_float_eq(a.stage[i].backward_s, b.stage[i].backward_s, 1e-12, "%d", what);
            cr_expect_float_eq(a.stage[i].total_bytes, b.stage[i].total_bytes, 1024, "%d", what);
            cr_expect_float_eq(a.stage[i].static_bytes, b.stage[i].static_bytes, 1024, "%d", what);
        }
    }
}

/* Two ways in two runs, and in four of half the layers: what differs is that activations are moved
 * there and back once more. What is gathered is waited for alike. */
Test(runs, more_runs_move_more_often, .init = init, .fini = fini)
{
    for (int what = 0; what < 2; what++) {
        struct rk_plan two = base(), four;
        two.zero = 3;
        two.weight_overlap = two.gradient_overlap = true;
        edit(&two)->others = 1;
        edit(&two)->other[0] = two.local;
        if (what) edit(&two)->other[0].tensor = 8, edit(&two)->other[0].microbatch = 4;
        if (!what) edit(&two)->other[0].recompute = RK_WHOLE;
        four = two;
        edit(&two)->segments = 4;
        for (int i = 0; i < 4; i++)
            edit(&two)->segment[i] =
                (struct rk_segment){(uint16_t)(i == 3 ? 50 : 10), (uint16_t)(i % 2)};
        edit(&four)->segments = 6;
        for (int i = 0; i < 6; i++)
            edit(&four)->segment[i] = (struct rk_segment){(uint16_t)(i == 5   ? 50
                                                                     : i == 0 ? 10
                                                                     : i == 1 ? 10
                                                                              : 5),
                                                          (uint16_t)(i % 2)};
        edit(&four)->segment[4].layers = 5; /* stage 1: 5, 5, 5, 5 instead of 10, 10 */
        edit(&four)->segment[5].layers = 45;
        const struct rk_plan a = run_plan(&two, 0), b = run_plan(&two, 1);
        const struct rk_prediction x = predicted(&two), y = predicted(&four);
        const double there_s = relayout_s(&model, &machine, &a, &b),
                     back_s = relayout_s(&model, &machine, &b, &a);
        cr_expect_eq(there_s + back_s > 0, what == 1);
        cr_expect_float_eq(y.stage[1].forward_s - x.stage[1].forward_s, there_s + back_s, 1e-9);
        cr_expect_float_eq(y.stage[1].backward_s - x.stage[1].backward_s, there_s + back_s, 1e-9);
    }
}

/* Segments that are as the plan itself change nothing. */
Test(runs, segments_of_the_plan_itself, .init = init, .fini = fini)
{
    struct rk_plan plan = base();
    const struct rk_prediction plain = predicted(&plan);
    edit(&plan)->segments = 3;
    edit(&plan)->segment[0] = (struct rk_segment){7, 0};
    edit(&plan)->segment[1] = (struct rk_segment){33, 0};
    edit(&plan)->segment[2] = (struct rk_segment){40, 0};
    const struct rk_prediction runs = predicted(&plan);
    cr_expect_float_eq(plain.step_s, runs.step_s, 1e-3 * plain.step_s);
    for (int i = 0; i < 4; i++)
        cr_expect_float_eq(plain.stage[i].total_bytes, runs.stage[i].total_bytes, 1024);
}

/* Interleaved as well: in time, memory, and simulated. */
Test(runs, virtual_stages, .init = init, .fini = fini)
{
    for (int what = 0; what < 6; what++) {
        struct rk_plan plan = base(), plain;
        struct timeline_plan simulated = {.tiers = 0};
        struct timeline timeline = {.step_s = 0};
        struct rk_error error;
        plan.chunks = what % 2 ? 4 : 2;
        plan.recompute = what / 2 == 1 ? RK_WHOLE : RK_KEEP;
        if (what / 2 == 2) plan.zero = 1, plan.weight_overlap = plan.gradient_overlap = true;
        plain = plan;
        edit(&plan)->segments = 3;
        edit(&plan)->segment[0] = (struct rk_segment){7, 0};
        edit(&plan)->segment[1] = (struct rk_segment){33, 0};
        edit(&plan)->segment[2] = (struct rk_segment){40, 0};
        const struct rk_prediction a = predicted(&plain), b = predicted(&plan);
        /* each run is a collective of its own, which starts and takes from computing */
        cr_expect_float_eq(a.step_s, b.step_s, 2e-3 * a.step_s, "%d", what);
        for (int i = 0; i < 4; i++) {
            cr_expect_float_eq(a.stage[i].total_bytes, b.stage[i].total_bytes, 1024, "%d", what);
            cr_expect_eq(a.stage[i].blocks, b.stage[i].blocks);
        }
        /* some layers are computed again: slower, and simulated as predicted */
        edit(&plan)->others = 1;
        edit(&plan)->other[0] = plan.local;
        edit(&plan)->other[0].recompute = RK_WHOLE;
        edit(&plan)->segment[1].local = 1;
        const struct rk_prediction c = predicted(&plan);
        if (plain.recompute == RK_KEEP) cr_expect_gt(c.step_s, b.step_s, "%d", what);
        cr_assert_eq(timeline_plan_of_plan(&simulated, &model, &machine, &plan, &c, -1, &error),
                     RK_OK, "%s", error.text);
        cr_assert_eq(timeline_simulate(&simulated, &timeline, &error), RK_OK, "%s", error.text);
        cr_expect_float_eq(timeline.step_s, c.step_s, 0.05 * c.step_s, "%d: %g %g", what,
                           timeline.step_s, c.step_s);
        timeline_release(&timeline);
        timeline_plan_release(&simulated);
    }
}

/* What a stage holds is what it is made of, and each layer that is computed again makes it smaller
 * and slower. */
Test(runs, more_recomputed_layers_are_slower_and_smaller, .init = init, .fini = fini)
{
    double before_s = 0, before = INFINITY;
    for (uint16_t layers = 1; layers < 20; layers++) {
        struct rk_plan plan = base();
        edit(&plan)->segments = 2;
        edit(&plan)->others = 1;
        edit(&plan)->other[0] = plan.local;
        edit(&plan)->other[0].recompute = RK_WHOLE;
        edit(&plan)->segment[0] = (struct rk_segment){layers, 1};
        edit(&plan)->segment[1] = (struct rk_segment){(uint16_t)(80 - layers), 0};
        const struct rk_prediction p = predicted(&plan);
        double sum = 0;
        for (int i = 0; i < RK_HOLDING_COUNT; i++)
            sum += p.stage[0].holds[i];
        cr_expect_float_eq(sum, p.stage[0].total_bytes, 1024);
        cr_expect_gt(p.stage[0].backward_s, before_s);
        cr_expect_lt(p.stage[0].total_bytes, before);
        cr_expect_eq(p.stage[0].blocks, 20);
        before_s = p.stage[0].backward_s;
        before = p.stage[0].total_bytes;
    }
}

/* 4 data ranks of 2 samples, 8,192 tokens of width 8,192 in bf16: 1 GiB in all.
 *   tensor 4 to 8, sequences split: a rank has a quarter of the samples and of the sequence, 1/16;
 *     it needs half the samples and an eighth, 1/16, of which it has a quarter and, at best, an
 *     eighth within its quarter: half of it; at worst nothing.
 *   without sequence parallelism it has a quarter of the samples and needs half: a quarter. */
Test(runs, what_moves_between_layouts, .init = init, .fini = fini)
{
    struct rk_plan plan = base();
    double ranks;
    const double all = 4.0 * 2 * 8192 * 8192 * 2;
    edit(&plan)->segments = edit(&plan)->others = 1;
    plan.sequence = 8192;
    edit(&plan)->other[0] = plan.local;
    edit(&plan)->other[0].tensor = 8;
    struct rk_plan to = run_plan(&plan, 1), from = run_plan(&plan, 0);
    cr_expect_eq(to.microbatch, 4);
    cr_expect_eq(relayout_bytes(&model, &from, &from, &ranks), 0);
    cr_expect_float_eq(relayout_bytes(&model, &from, &to, &ranks), all / 16, 1);
    cr_expect_eq(ranks, 8);
    from.sequence_parallel = to.sequence_parallel = false;
    cr_expect_float_eq(relayout_bytes(&model, &from, &to, &ranks), all / 4, 1);
    cr_expect_eq(relayout_bytes(&model, &to, &from, &ranks), 0); /* a part of what it has */
    cr_expect_float_eq(relayout_s(&model, &machine, &to, &from), 0, 0);
}

static const char *refused(const struct rk_plan *plan)
{
    static struct rk_prediction p;
    rk_predict(&model, &machine, plan, &p);
    return p.timed ? "" : p.reason[0].what;
}

Test(runs, plans_with_faults_are_refused_by_name, .init = init, .fini = fini)
{
    struct rk_plan plan = base(), bad;
    edit(&plan)->segments = 2;
    edit(&plan)->others = 1;
    edit(&plan)->other[0] = plan.local;
    edit(&plan)->segment[0] = (struct rk_segment){40, 0};
    edit(&plan)->segment[1] = (struct rk_segment){40, 1};
    cr_expect_str_empty(refused(&plan));
    bad = plan, edit(&bad)->segment[1].layers = 39;
    cr_expect(strstr(refused(&bad), "layers of all segments"));
    bad = plan, edit(&bad)->segment[1].local = 2;
    cr_expect(strstr(refused(&bad), "a local part that the plan has"));
    bad = plan, edit(&bad)->other[0].tensor = 1;
    cr_expect(strstr(refused(&bad), "samples of a microbatch"));
    bad = plan, edit(&bad)->other[0].microbatch = 8;
    cr_expect(strstr(refused(&bad), "microbatch"));
    bad = plan, edit(&bad)->other[0].tensor = 3;
    cr_expect(strstr(refused(&bad), "samples"));
    bad = plan, edit(&bad)->other[0].tensor = 8, bad.order = RK_ORDER_TP_CP_PP_DP;
    cr_expect(strstr(refused(&bad), "order"));
    bad = plan, bad.schedule = RK_DUALPIPE;
    cr_expect(strstr(refused(&bad), "dualpipe"));
    bad = plan, bad.recompute = RK_WHOLE, bad.recompute_layers = 2;
    cr_expect(strstr(refused(&bad), "recompute_layers"));
}

/* The simulation takes the same stages: 1F1B as the formula has it, within what unequal stages do.
 */
Test(runs, the_simulated_step_is_the_predicted_one, .init = init, .fini = fini)
{
    struct rk_plan plan = base();
    struct timeline_plan simulated;
    struct timeline timeline;
    struct rk_error error;
    edit(&plan)->segments = 2;
    edit(&plan)->others = 1;
    edit(&plan)->other[0] = plan.local;
    edit(&plan)->other[0].recompute = RK_WHOLE;
    edit(&plan)->segment[0] = (struct rk_segment){10, 1};
    edit(&plan)->segment[1] = (struct rk_segment){70, 0};
    const struct rk_prediction p = predicted(&plan);
    cr_assert_eq(timeline_plan_of_plan(&simulated, &model, &machine, &plan, &p, -1, &error), RK_OK,
                 "%s", error.text);
    cr_assert_eq(timeline_simulate(&simulated, &timeline, &error), RK_OK);
    cr_expect_float_eq(timeline.step_s, p.step_s, 2e-3 * p.step_s, "%g, %g", timeline.step_s,
                       p.step_s);
    timeline_release(&timeline);
    timeline_plan_release(&simulated);
}
