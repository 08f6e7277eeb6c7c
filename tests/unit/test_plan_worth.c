/* What the differences of two plans are worth: checked against predictions made one by one. */
#include "advise/worth.h"

#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <stdlib.h>
#include <string.h>

static struct rk_plan parse(const char *words)
{
    struct rk_plan plan;
    struct rk_error error;
    cr_assert_eq(rk_plan_parse(words, &plan, &error), RK_OK, "%s", error.text);
    return plan;
}

struct fixture {
    struct rk_model model;
    struct rk_system system;
    struct plan_worths *worths;
    struct rk_prediction *scratch;
};

static struct fixture open_fixture(void)
{
    struct fixture f = {.worths = calloc(1, sizeof *f.worths),
                        .scratch = calloc(1, sizeof *f.scratch)};
    struct rk_error error;
    cr_assert_eq(rk_model_load("llama3.1-70b", &f.model, &error), RK_OK);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &f.system, &error), RK_OK);
    return f;
}

static void close_fixture(struct fixture *f)
{
    rk_system_release(&f->system);
    free(f->worths);
    free(f->scratch);
}

static double step_s(struct fixture *f, const char *words)
{
    const struct rk_plan plan = parse(words);
    rk_predict(&f->model, &f->system, &plan, f->scratch);
    return f->scratch->step_s;
}

Test(plan_worth, each_key_by_itself)
{
    struct fixture f = open_fixture();
    const char *const a = "gpus64 tp8 pp4 sp zero1 gbs128";
    const char *const b = "gpus64 tp8 pp4 vpp4 sp zero1 gbs128 recompute=full grad-overlap";
    const struct rk_plan first = parse(a), second = parse(b);
    const struct rk_plan x = plan_canonical(&f.model, &first),
                         y = plan_canonical(&f.model, &second);
    plan_worths(&f.model, &f.system, &x, &y, NULL, f.worths, f.scratch);
    cr_assert_eq(f.worths->count, 3);
    cr_expect_str_eq(plan_fields[f.worths->worth[0].difference.row].key, "chunks");
    cr_expect_eq(f.worths->worth[0].alone.step_s,
                 step_s(&f, "gpus64 tp8 pp4 vpp4 sp zero1 gbs128"));
    cr_expect_eq(f.worths->worth[0].without.step_s,
                 step_s(&f, "gpus64 tp8 pp4 sp zero1 gbs128 recompute=full grad-overlap"));
    cr_expect_str_eq(plan_fields[f.worths->worth[1].difference.row].key, "gradient_overlap");
    cr_expect_str_eq(f.worths->worth[2].difference.b, "full");
    cr_expect_eq(f.worths->a.step_s, step_s(&f, a));
    cr_expect_eq(f.worths->b.step_s, step_s(&f, b));
    close_fixture(&f);
}

/* Every key is on the way exactly once, and it ends at the second plan. */
Test(plan_worth, path_is_whole)
{
    static const char *const pairs[][2] = {
        {"gpus64 tp8 pp4 sp zero1 gbs128", "gpus64 tp4 pp8 vpp2 sp zero1 gbs128 grad-overlap"},
        {"gpus64 tp8 pp8 sp gbs128", "gpus64 tp2 sp zero3 gbs128 recompute=full attention=flash3"},
        {"gpus128 tp8 pp4 sp zero1 gbs128 split=19,21,21,19", "gpus128 tp8 pp2 sp zero1 gbs128"},
        {"gpus64 gbs128", "gpus64 tp8 pp4 sp zero1 gbs128"},
    };
    struct fixture f = open_fixture();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct rk_plan first = parse(pairs[i][0]), second = parse(pairs[i][1]);
        const struct rk_plan a = plan_canonical(&f.model, &first),
                             b = plan_canonical(&f.model, &second);
        uint64_t seen = 0;
        plan_worths(&f.model, &f.system, &a, &b, NULL, f.worths, f.scratch);
        for (int k = 0; k < f.worths->steps; k++) {
            cr_expect_eq(seen & f.worths->step[k].keys, 0);
            seen |= f.worths->step[k].keys;
        }
        cr_expect_eq(seen, (UINT64_C(1) << f.worths->count) - 1);
        cr_expect_eq(f.worths->step[f.worths->steps - 1].after.step_s, f.worths->b.step_s);
    }
    close_fixture(&f);
}

/* What has no effect, or is said in two ways, is no difference. */
Test(plan_worth, canonical)
{
    static const char *const same[][2] = {
        {"gpus8 gbs8", "gpus8 gbs8 vpp1 dispatcher=deepep cp-kind=ulysses etp1"},
        {"gpus8 gbs8 tp8", "gpus8 gbs8 tp8 etp8"},
        {"gpus16 gbs16 pp4", "gpus16 gbs16 pp4 split=20,20,20,20"},
        {"gpus16 gbs16 pp4", "gpus16 gbs16 pp4 first-layers=20"},
        {"gpus8 gbs8 zero1", "gpus8 gbs8 zero1 shard8 seq8192 keep-gathered"},
        {"gpus8 gbs8 recompute=full", "gpus8 gbs8 recompute=full recompute-every=1"},
    };
    struct fixture f = open_fixture();
    struct plan_difference *list = calloc(PLAN_MAX_FIELDS, sizeof *list);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const struct rk_plan first = parse(same[i][0]), second = parse(same[i][1]);
        const struct rk_plan a = plan_canonical(&f.model, &first),
                             b = plan_canonical(&f.model, &second);
        const int count = plan_compare(&a, &b, list);
        cr_expect_eq(count, 0, "%s: %s", same[i][1], count ? plan_fields[list[0].row].key : "");
    }
    free(list);
    close_fixture(&f);
}

/* ... and costs the same, whatever the order of the ranks. */
Test(plan_worth, canonical_costs_the_same)
{
    static const char *const words[] = {
        "dp8 tp2 gbs64 zero1 order=%s", "dp2 tp4 cp4 gbs64 zero3 order=%s",
        "dp4 cp4 gbs64 order=%s", "dp4 tp2 pp4 gbs64 order=%s", "dp2 tp2 cp2 pp4 gbs64 order=%s"};
    struct fixture f = open_fixture();
    for (int order = 0; order < RK_ORDERS; order++)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            char text[80], same[RK_PLAN_TEXT];
            snprintf(text, sizeof text, words[i], rk_order_name((enum rk_order)order));
            const struct rk_plan plan = parse(text), canonical = plan_canonical(&f.model, &plan);
            rk_plan_text(&canonical, same, sizeof same);
            cr_expect_eq(step_s(&f, text), step_s(&f, same), "%s is not %s", text, same);
        }
    close_fixture(&f);
}

/* Overlap of tensor messages needs sequence parallelism; how often it was asked. */
static bool has_sequence(const void *context, const struct rk_plan *plan)
{
    *(int *)(uintptr_t)context += 1;
    return plan->tensor_overlap == RK_OVERLAP_NONE || plan->sequence_parallel;
}

Test(plan_worth, what_cannot_be_launched_is_no_step)
{
    struct fixture f = open_fixture();
    int asked = 0;
    const struct plan_launch launch = {has_sequence, &asked};
    const struct rk_plan first = parse("gpus64 tp8 pp4 zero1 gbs128 recompute=full"),
                         second = parse("gpus64 tp8 pp4 sp tp-overlap zero1 gbs128 recompute=full");
    const struct rk_plan x = plan_canonical(&f.model, &first),
                         y = plan_canonical(&f.model, &second);
    plan_worths(&f.model, &f.system, &x, &y, &launch, f.worths, f.scratch);
    cr_expect_gt(asked, 0);
    cr_assert_eq(f.worths->count, 2);
    for (int i = 0; i < 2; i++) {
        const struct plan_worth *w = &f.worths->worth[i];
        const bool overlap = strcmp(plan_fields[w->difference.row].key, "tensor_overlap") == 0;
        cr_expect_eq(w->alone.timed, !overlap);
        cr_expect_eq(w->without.timed, overlap); /* without sp the overlap stands alone */
        if (!overlap) cr_expect(f.worths->step[0].keys >> i & 1); /* never after it */
    }
    close_fixture(&f);
}
