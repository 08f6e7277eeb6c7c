/* What a search proposes is there: kernels of attention and dispatchers that the device has, and
 * the experts' overlap where Megatron-LM starts it. Systems of the catalog, models drawn. */
#include "catalog/plan_fields.h"
#include "drawn.h"
#include "estimate/plan_check.h"
#include "plans_cases.h"

#include <dirent.h>
#include <reckon/check.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_SYSTEMS = 128, BEST = 4 };

static char systems[MOST_SYSTEMS][64];

static int list_systems(void)
{
    DIR *folder = opendir(RECKON_TEST_SOURCE "/data/systems");
    int count = 0;
    cr_assert(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) && count < MOST_SYSTEMS;) {
        const size_t length = strlen(entry->d_name);
        if (length > 5 && length < sizeof systems[0] &&
            strcmp(entry->d_name + length - 5, ".json") == 0)
            snprintf(systems[count++], sizeof systems[0], "%.*s", (int)length - 5, entry->d_name);
    }
    closedir(folder);
    qsort(systems, (size_t)count, sizeof systems[0], (int (*)(const void *, const void *))strcmp);
    return count;
}

/* By hand: generations of the vendors' devices. */
Test(plans_kernels, by_architecture)
{
    static const struct {
        const char *system;
        enum rk_attention_kernel megatron, fsdp;
        bool deepep;
    } known[] = {
        {"v100-sxm2-32g", RK_UNFUSED, RK_FLASH_1, false},
        {"titan-rtx", RK_UNFUSED, RK_FLASH_1, false},
        {"a100-sxm4-80g", RK_FLASH, RK_FLASH, true},
        {"a100-80g-nvl8", RK_FLASH, RK_FLASH, true}, /* another name of one like it */
        {"a10g", RK_FLASH, RK_FLASH, false},
        {"rtx4090", RK_FLASH, RK_FLASH, false},
        {"h100-sxm5-80g", RK_FLASH_3, RK_FLASH, true},
        {"h100-pcie-80g", RK_FLASH_3, RK_FLASH, false},
        {"h800-sxm5-80g", RK_FLASH_3, RK_FLASH, true},
        {"b200-sxm-180g", RK_FLASH_3, RK_FLASH, true},
        {"gb300-nvl72", RK_FLASH_3, RK_FLASH, true},
        {"mi250x", RK_FLASH, RK_FLASH, false},
        {"mi300x", RK_FLASH_3, RK_FLASH, true}, /* Primus-Turbo */
        {"gaudi3", RK_FLASH, RK_FLASH, false},
        {"tpu-v5p", RK_FLASH, RK_FLASH, false},
        {"ascend-910b3", RK_FLASH, RK_FLASH, false},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct rk_system s;
        struct rk_error error;
        cr_assert_eq(rk_system_load(known[i].system, &s, &error), RK_OK, "%s", error.text);
        const unsigned have = s.kernels.attention_kernels;
        cr_expect_eq(rk_usual_attention(RK_MEGATRON, have), known[i].megatron, "%s",
                     known[i].system);
        cr_expect_eq(rk_usual_attention(RK_FSDP, have), known[i].fsdp, "%s", known[i].system);
        cr_expect_eq(s.kernels.dispatchers >> RK_DEEPEP & 1, known[i].deepep, "%s",
                     known[i].system);
        rk_system_release(&s);
    }
}

static void expect_there(const struct plans_case *c, const struct rk_plan *plan, uint64_t seed)
{
    struct plan_lack lack;
    cr_expect_not(plan_lacks(plan, &c->system, &lack), "seed %llu: %s %s %s",
                  (unsigned long long)seed, lack.key, lack.name, lack.why);
    cr_expect(!plan->expert_overlap || plan_overlaps_experts(&c->model, plan), "seed %llu",
              (unsigned long long)seed);
}

/* Models drawn, on each machine of the catalog. */
Test(plans_kernels, the_best_has_what_the_system_has)
{
    const int count = list_systems();
    int looked_at = 0, overlapped = 0;
    cr_assert_gt(count, 50);
    for (uint64_t seed = 1; seed <= 400; seed++) {
        const struct rk_query query = {.mode = RK_SEARCH_PRUNED, .top = BEST, .threads = 1};
        struct rk_answer answer = {.found = 0};
        struct random r = {seed * 15485863};
        struct rk_error error;
        struct plans_case c;
        draw_model(&r, &c.model);
        cr_assert_eq(rk_system_load(systems[below(&r, (uint64_t)count)], &c.system, &error), RK_OK,
                     "%s", error.text);
        const uint64_t gpus = UINT64_C(1) << below(&r, 6);
        const uint64_t batch = gpus * (1 + below(&r, 16));
        const enum rk_framework framework = (enum rk_framework)below(&r, RK_CALCULON);
        rk_plans_problem_init(&c.problem, &c.model, &c.system, framework, gpus, batch, 0);
        struct rk_space *space = rk_plans_open(&c.problem, &error);
        cr_assert(space, "%s", error.text);
        cr_assert_eq(rk_ask(space, &query, &answer, &error), RK_OK, "%s", error.text);
        for (uint64_t i = 0; i < answer.found; i++) {
            struct rk_plan plan;
            rk_plans_plan(space, answer.best[i].index, &plan);
            expect_there(&c, &plan, seed);
            looked_at++;
            overlapped += plan.expert_overlap;
        }
        rk_answer_release(&answer);
        rk_space_close(space);
        rk_system_release(&c.system);
    }
    cr_expect_gt(looked_at, 200, "%d", looked_at);
    cr_expect_gt(overlapped, 10, "%d", overlapped);
}

/* What the device does not have is refused by name, in words and by the checker. */
Test(plans_kernels, refused_by_name)
{
    static struct rk_findings findings;
    struct rk_model model;
    struct rk_system system;
    struct rk_error error;
    struct plan_fault fault;
    struct plan_draft draft = plan_draft();
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("a100-sxm4-80g", &system, &error), RK_OK);
    draft.system = &system;
    cr_assert_eq(plan_read_words("tp8 gbs64 attention=flash3", &draft, &error), RK_OK);
    cr_expect_not(plan_complete(&draft, &fault));
    cr_expect_str_eq(fault.have, "flash3");
    cr_expect(strstr(fault.text, "is not on a100-sxm4-80g") &&
                  strstr(fault.text, "give attention=flash"),
              "%s", fault.text);
    rk_check_plan(&model, &system, &draft.plan, NULL, &findings);
    bool found = false;
    for (int i = 0; i < findings.count; i++)
        found |= strcmp(findings.finding[i].what, "attention") == 0 &&
                 findings.finding[i].severity == RK_ERROR;
    cr_expect(found);
    plan_attend_on(&draft.plan, &system); /* as "auto" of a script */
    cr_expect_eq(draft.plan.attention, RK_FLASH);
    rk_system_release(&system);
}

/* A plan that overlaps takes as much memory as the same without, and no time more but for what its
 * passes, of other lengths then, leave for messages to hide behind. */
Test(plans_kernels, overlap_costs_next_to_nothing)
{
    int compared = 0;
    const struct drawn cases = drawn_cases(DRAWN(300), 6000);
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        struct plans_case c;
        struct random r = {seed};
        draw_case(&c, seed, 1000000);
        struct rk_space *space = rk_plans_open(&c.problem, NULL);
        for (int i = 0; space && i < 8; i++) {
            struct rk_prediction with, without;
            struct rk_plan plan;
            if (!rk_plans_plan(space, below(&r, rk_space_count(space)), &plan)) continue;
            plan.expert_overlap = true;
            if (plan.framework != RK_MEGATRON || plan.schedule != RK_1F1B) continue;
            if (!plan_overlaps_experts(&c.model, &plan)) continue;
            rk_predict(&c.model, &c.system, &plan, &with);
            plan.expert_overlap = false;
            rk_predict(&c.model, &c.system, &plan, &without);
            if (!with.timed || !without.timed) continue;
            cr_expect_leq(with.step_s, without.step_s * 1.01, "seed %llu: %.9g s, not %.9g",
                          (unsigned long long)seed, with.step_s, without.step_s);
            cr_expect_float_eq(with.hbm_bytes, without.hbm_bytes, 1, "seed %llu",
                               (unsigned long long)seed);
            compared++;
        }
        rk_space_close(space);
        rk_system_release(&c.system);
    }
    cr_expect(drawn_enough(compared > 50), "%d", compared);
}

/* Forward of the next microbatch runs together with backward of the last: one microbatch has
 * nothing to hide its exchange, and each further one takes the same, less than alone. */
Test(plans_kernels, the_first_microbatch_is_alone)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_error error;
    double step_s[2][4] = {{0}};
    cr_assert_eq(rk_model_load("mixtral-8x7b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, &error), RK_OK);
    for (int overlap = 0; overlap < 2; overlap++)
        for (uint64_t n = 1; n < 4; n++) {
            struct rk_plan plan = rk_plan_default();
            struct rk_prediction p;
            plan.ranks = 64;
            plan.expert = 8;
            plan.expert_tensor = 1;
            plan.batch = 64 * n;
            plan.expert_overlap = overlap;
            rk_predict(&model, &system, &plan, &p);
            cr_assert(p.timed);
            step_s[overlap][n] = p.step_s;
        }
    cr_expect_float_eq(step_s[1][1], step_s[0][1], 1e-9 * step_s[0][1]);
    const double more_s = step_s[1][2] - step_s[1][1];
    cr_expect_float_eq(step_s[1][3] - step_s[1][2], more_s, 1e-9 * more_s);
    cr_expect_lt(more_s, 0.98 * (step_s[0][2] - step_s[0][1]));
    rk_system_release(&system);
}
