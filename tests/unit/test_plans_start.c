/* What a search finds can be started: its best plans pass the checker, and the framework's own
 * launch file is written of them. */
#include "keys/target.h"
#include "megatron/megatron.h"
#include "plans_cases.h"
#include "trainers/deepspeed.h"

#include <inttypes.h>
#include <reckon/check.h>
#include <stdio.h>
#include <stdlib.h>

enum { BEST = 6 };

static struct notes notes; /* large, both */
static struct rk_findings findings;

static void restrict_to(struct rk_plans_problem *p, enum rk_plan_axis axis, uint64_t low,
                        uint64_t high)
{
    p->pinned[axis].count = 1;
    p->pinned[axis].value[0] = low;
    p->pinned[axis].to[0] = high;
}

/* A question of models and machines that there are; release its system. */
static void draw_question(struct plans_case *c, uint64_t seed)
{
    static const char *const models[] = {"llama3.1-8b",   "llama3.1-70b", "mixtral-8x7b",
                                         "qwen3-30b-a3b", "qwen3-8b",     "gpt3-175b",
                                         "deepseek-v3",   "gpt2-124m"};
    static const char *const systems[] = {"h100-sxm5-80g", "a100-sxm4-40g",
                                          "h100-80g-nvl8-offload-512g-100"};
    static const uint64_t gpus[] = {1, 2, 4, 6, 8, 12, 16, 24, 48, 64, 96, 160, 384};
    struct random r = {seed};
    struct rk_error error;
    cr_assert_eq(rk_model_load(models[below(&r, 8)], &c->model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_system_load(systems[below(&r, 3)], &c->system, &error), RK_OK, "%s",
                 error.text);
    c->system.memory[0].capacity_bytes *= between(&r, 0.4, 4);
    const uint64_t ranks = gpus[below(&r, 13)];
    const uint64_t batch = one_in(&r, 2) ? 16 * (1 + below(&r, 16)) : ranks * (1 + below(&r, 7));
    const uint64_t sequence = one_in(&r, 4) ? 2048 : 0;
    const enum rk_framework framework = (enum rk_framework)below(&r, RK_CALCULON);
    rk_plans_problem_init(&c->problem, &c->model, &c->system, framework, ranks, batch, sequence);
    /* where stages tend to be many, and many virtual ones */
    if (one_in(&r, 3) && c->problem.base.framework != RK_DEEPSPEED)
        restrict_to(&c->problem, RK_PLAN_PIPELINE, 2, 64);
    if (one_in(&r, 3)) restrict_to(&c->problem, RK_PLAN_CHUNKS, 2, 16);
    if (one_in(&r, 4)) restrict_to(&c->problem, RK_PLAN_MICROBATCH, 1, 4);
}

static void expect_no_finding(const struct plans_case *c, const struct rk_plan *plan,
                              const char *words)
{
    const struct rk_launch launch = {.pads = true, .lone_ends = true, .states_only = true};
    findings.count = 0;
    rk_check_plan(&c->model, &c->system, plan, &launch, &findings);
    for (int i = 0; i < findings.count; i++)
        cr_expect(findings.finding[i].severity != RK_ERROR || findings.finding[i].rule[0] == '5',
                  "%s: %s: %s %s", c->model.id, words, findings.finding[i].rule,
                  findings.finding[i].need);
}

static void expect_export(const struct plans_case *c, const struct rk_plan *plan, const char *words)
{
    const struct megatron_target newest = {.version = 0};
    struct rk_error error;
    enum rk_status status = RK_OK;
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    notes.count = 0;
    if (plan->framework == RK_MEGATRON)
        status = megatron_write(memory, &c->model, plan, &newest, &notes, &error);
    else if (plan->framework == RK_FSDP)
        status = target_write(&torchtitan_target, memory, &c->model, plan, 0, &notes, &error);
    else
        status = target_write(&deepspeed_target, memory, &c->model, plan, 0, &notes, &error);
    fclose(memory);
    free(text);
    cr_expect_eq(status, RK_OK, "%s: %s: %s", c->model.id, words, error.text);
}

Test(plans_start, the_best_can_be_started)
{
    int looked_at[RK_FRAMEWORKS] = {0}, interleaved = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        const struct rk_query query = {.mode = RK_SEARCH_PRUNED, .top = BEST, .threads = 1};
        struct rk_answer answer = {.found = 0};
        struct rk_error error;
        struct plans_case c;
        draw_question(&c, seed);
        struct rk_space *space = rk_plans_open(&c.problem, &error);
        cr_assert_eq(rk_ask(space, &query, &answer, &error), RK_OK, "%s", error.text);
        for (uint64_t i = 0; i < answer.found; i++) {
            struct rk_plan plan;
            char words[RK_PLAN_TEXT];
            rk_plans_plan(space, answer.best[i].index, &plan);
            rk_plan_text(&plan, words, sizeof words);
            expect_no_finding(&c, &plan, words);
            expect_export(&c, &plan, words);
            looked_at[plan.framework]++;
            interleaved += plan.chunks > 1;
        }
        rk_answer_release(&answer);
        rk_space_close(space);
        rk_system_release(&c.system);
    }
    for (int i = 0; i < RK_CALCULON; i++)
        cr_expect_gt(looked_at[i], 50, "%s: %d", rk_framework_name((enum rk_framework)i),
                     looked_at[i]);
    cr_expect_gt(interleaved, 50, "%d", interleaved);
}

static uint64_t fitting(const struct rk_plans_problem *problem)
{
    const struct rk_query query = {.mode = RK_SEARCH_PRUNED, .top = 1, .threads = 1};
    struct rk_answer answer = {.found = 0};
    struct rk_error error;
    struct rk_space *space = rk_plans_open(problem, &error);
    cr_assert_eq(rk_ask(space, &query, &answer, &error), RK_OK, "%s", error.text);
    const uint64_t count = answer.counts.verdict[RK_FITS][0];
    rk_answer_release(&answer);
    rk_space_close(space);
    return count;
}

/* By hand: one copy of three stages, two virtual ones each, and 4 samples: 4, 2 or 1 microbatches,
 * none of which are a multiple of three. On request all of them are there. */
Test(plans_start, others_on_request)
{
    struct plans_case c;
    struct rk_error error;
    cr_assert_eq(rk_model_load("gpt2-124m", &c.model, &error), RK_OK);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &c.system, &error), RK_OK);
    rk_plans_problem_init(&c.problem, &c.model, &c.system, RK_MEGATRON, 3, 4, 0);
    restrict_to(&c.problem, RK_PLAN_PIPELINE, 3, 3);
    restrict_to(&c.problem, RK_PLAN_CHUNKS, 2, 2);
    cr_expect_eq(fitting(&c.problem), 0);
    c.problem.unstartable = true;
    cr_expect_gt(fitting(&c.problem), 0);
    rk_system_release(&c.system);
}
