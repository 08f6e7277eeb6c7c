/* Questions that a C caller asks without the command line. */
#include <criterion/criterion.h>
#include <math.h>
#include <reckon/reckon.h>
#include <stdlib.h>

static struct rk_model model;
static struct rk_system machine;

static void open_both(const char *id, const char *system)
{
    struct rk_error error = {0};
    cr_assert_eq(rk_model_load(id, &model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_system_load(system, &machine, &error), RK_OK, "%s", error.text);
}

/* ---- the budget ---- */

static enum rk_status leave_nothing(void *context, struct rk_plans_problem *problem,
                                    struct rk_aim *aim, struct rk_error *error)
{
    (void)context, (void)problem, (void)error;
    aim->room = 0;
    return RK_OK;
}

/* Without failures and checkpoints, two dollars for a GPU and hour. */
static enum rk_status run_plainly(void *context, const struct rk_budgeted *w,
                                  const struct rk_prediction *p, struct rk_campaign *campaign,
                                  struct rk_error *error)
{
    const struct rk_plan *plan = &w->offer.found.plan;
    (void)context, (void)error;
    *campaign = (struct rk_campaign){.tokens = RK_BUDGET_TOKENS,
                                     .tokens_per_step = (double)(plan->batch * w->model.sequence),
                                     .step_s = p->step_s,
                                     .ranks = plan->ranks,
                                     .rates = {INFINITY, INFINITY, INFINITY, INFINITY},
                                     .recovery = {.node = 8, .storage_Bps = 1e12},
                                     .price = 2};
    return RK_OK;
}

/* tokens = tokens per step / step time * seconds, in whole steps of the trillion; 8 GPUs for 24
 * hours cost 384 dollars, so that half of that is half of the tokens. */
Test(answers, a_budget_is_the_rate_of_the_best_plan)
{
    open_both("llama3.1-8b", "h100-sxm5-80g");
    struct rk_budget budget = {.system = &machine,
                               .days = 1,
                               .gpus = 8,
                               .batch = 64,
                               .threads = 1,
                               .leave = leave_nothing,
                               .run = run_plainly};
    struct rk_budgeted w = {.model = model};
    struct rk_error error = {0};
    cr_assert_eq(rk_budget_weigh(&budget, &w, &error), RK_OK, "%s", error.text);
    cr_assert(w.fits);
    const double rate = 64 * (double)model.sequence / w.offer.found.outcome.step_s;
    cr_assert_float_eq(w.tokens / (rate * 86400), 1, 1e-6);
    cr_assert_float_eq(w.asked / (20 * (double)rk_model_active_parameters(&model)), 1, 1e-12);
    cr_assert_not(rk_budget_affords(&w));
    const double tokens = w.tokens;
    budget.cost = 192;
    cr_assert_eq(rk_budget_weigh(&budget, &w, &error), RK_OK);
    cr_assert_float_eq(w.tokens / tokens, 0.5, 1e-6);
    rk_system_release(&machine);
}

Test(answers, enough_gpus_are_the_first_doubling_that_affords)
{
    open_both("gpt2-355m", "h100-sxm5-80g");
    struct rk_budget budget = {.system = &machine,
                               .days = 1,
                               .gpus = 1,
                               .batch = 512,
                               .threads = 1,
                               .leave = leave_nothing,
                               .run = run_plainly};
    struct rk_budgeted w = {.model = model}, less = {.model = model};
    struct rk_error error = {0};
    uint64_t gpus;
    cr_assert_eq(rk_budget_enough(&budget, &w, &gpus, &error), RK_OK, "%s", error.text);
    cr_assert_geq(gpus, 2);
    cr_assert(rk_budget_affords(&w));
    budget.gpus = gpus / 2;
    cr_assert_eq(rk_budget_weigh(&budget, &less, &error), RK_OK);
    if (gpus > 2) cr_assert_not(rk_budget_affords(&less));
    rk_system_release(&machine);
}

/* 102 blocks for 130 * 128 of width in Llama 3; each size is larger than the one before. */
Test(answers, sizes_of_a_budget_grow)
{
    uint64_t last = 0;
    for (int i = 0; i < RK_BUDGET_SIZES; i++) {
        const struct rk_model of = rk_budget_model(i);
        cr_assert_gt(rk_model_parameters(&of), last);
        cr_assert_eq(of.heads * of.head_dim, of.hidden);
        last = rk_model_parameters(&of);
    }
}

/* ---- the layout to serve with ---- */

/* No layout of the ranks with any batch is within the limits and faster than the first. */
Test(answers, the_best_layout_is_the_best_of_all)
{
    open_both("llama3.1-8b", "h100-sxm5-80g");
    struct rk_plan plan = rk_plan_default();
    struct rk_error error = {0};
    struct rk_serve_layouts layouts;
    const struct rk_serve_limits limits = {.token_s = 0.02, .room = 1};
    struct rk_serving serving = {.prompt = 2048,
                                 .generated = 128,
                                 .batch = 1,
                                 .pass_tokens = 8192,
                                 .cache_element_bytes = 2};
    plan.ranks = 8;
    plan.batch = 8 * 4096;
    plan.cuda_graphs = true;
    cr_assert_eq(
        rk_serve_layouts(&model, &machine, &plan, &serving, &limits, true, &layouts, &error),
        RK_OK);
    cr_assert_gt(layouts.count, 2);
    cr_assert(layouts.leaves_room);
    const double best = layouts.layout[0].served.tokens_per_s;
    for (size_t i = 0; i < layouts.count; i++) {
        struct rk_served served;
        struct rk_plan p = layouts.layout[i].plan;
        cr_assert_leq(layouts.layout[i].served.mean_token_s, limits.token_s);
        for (serving.batch = rk_plan_data(&p); serving.batch <= 4096; serving.batch *= 2)
            if (rk_serve(&model, &machine, &p, &serving, &served) == RK_FITS &&
                served.mean_token_s <= limits.token_s)
                cr_assert_leq(served.tokens_per_s, best);
    }
    rk_serve_layouts_release(&layouts);
    rk_system_release(&machine);
}

/* ---- offloading ---- */

/* What goes to tiers and what is recomputed is all that there is of each tensor. */
Test(answers, a_deal_places_every_tensor_once)
{
    open_both("memo-7b", "a800-sxm4-80g mem2=60GB@12GB/s");
    struct rk_error error = {0};
    struct rk_plan plan = rk_plan_default();
    plan.ranks = 8;
    plan.tensor = 8;
    plan.batch = 1;
    plan.sequence = 65536;
    plan.sequence_parallel = true;
    plan.attention = rk_usual_attention(plan.framework, machine.kernels.attention_kernels);
    struct rk_offload_job job = {.model = &model, .system = &machine, .plan = plan};
    struct rk_offload_dealt dealt;
    struct rk_prediction *p = malloc(sizeof *p);
    cr_assert(p);
    cr_assert_eq(rk_offload_open(&job, &error), RK_OK, "%s", error.text);
    cr_assert(rk_offload_deal(&job, &plan, p, &dealt));
    cr_assert_gt(dealt.tensors, 3);
    for (int i = 0; i < dealt.tensors; i++) {
        const struct rk_offload_tensor *t = &dealt.tensor[i];
        cr_assert_float_eq(t->to[0] + t->again, 1, 1e-9, "%s", t->name ? t->name : "input");
        cr_assert_leq(t->all + t->some, dealt.layers);
    }
    rk_offload_dealt_release(&dealt);
    rk_offload_release(&job);
    rk_system_release(&machine);
    free(p);
}
