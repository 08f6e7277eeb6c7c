/* A word that is held, and a slower link, hardly ever give a faster plan over clusters than the
 * search that is free: interleaved plans are found by trial. Of 1,600 searches 102 were faster, of
 * 400 nearly as the search is now 4, by 4 % at most. */
#include "drawn.h"
#include "plans_cases.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <reckon/reckon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const machines[] = {"h100-sxm5-80g", "a100-sxm4-80g", "a100-sxm4-40g",
                                       "l40s",          "rtx4090",       "v100-sxm2-32g",
                                       "h20-sxm5-96g",  "b200-sxm-180g"};
static const char *const models[] = {"gpt2-124m",   "gpt2-1558m",  "llama3.2-1b",  "llama3.2-3b",
                                     "llama3.1-8b", "olmoe-1b-7b", "qwen3-30b-a3b"};

struct held_case {
    uint64_t seed, batch;
    char words[256];
    struct rk_model model;
    struct rk_system system;
};

static void draw_held(struct held_case *c, struct random *r, double rate)
{
    struct rk_error error;
    const int first = (int)below(r, 8), second = (int)below(r, 8);
    const char *model = models[below(r, 7)];
    const uint64_t gpus[] = {UINT64_C(8) << below(r, 2), UINT64_C(8) << below(r, 2)};
    const double link = times(r, 4) * 100;
    c->batch = UINT64_C(16) << below(r, 3);
    snprintf(c->words, sizeof c->words,
             "%s x%" PRIu64 " name=a + %s x%" PRIu64 " name=b link=%.9gGb/s@50us", machines[first],
             gpus[0], machines[second], gpus[1], link * rate);
    cr_assert_eq(rk_model_load(model, &c->model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_system_load_several(c->words, &c->system, &error), RK_OK, "%s: %s", c->words,
                 error.text);
    if (c->model.sequence > 4096) c->model.sequence = 4096;
}

static struct rk_prediction found;

static double best_s(const struct rk_plans_problem *problem, char words[RK_PLAN_TEXT])
{
    struct rk_plan plan;
    struct rk_error error;
    *words = 0;
    if (rk_plans_best(problem, &plan, &found, &error) != RK_OK) {
        snprintf(words, RK_PLAN_TEXT, "%s", error.text);
        return INFINITY;
    }
    rk_plan_text(&plan, words, RK_PLAN_TEXT);
    return found.step_s;
}

static void pin(struct rk_plans_problem *p, enum rk_plan_axis axis, uint64_t value)
{
    p->pinned[axis].count = 1;
    p->pinned[axis].value[0] = p->pinned[axis].to[0] = value;
}

struct tally {
    uint64_t tries, worse;
    double most;
};

static void compare(struct tally *t, const struct held_case *c, const char *what, double free_s,
                    double held_s, const char *free, const char *held)
{
    t->tries++;
    /* ZeRO 2 and 3 are searched without a pipeline alone */
    const bool apart = strstr(held, "zero2") || strstr(held, "zero3");
    if (apart && strstr(held, "pp")) return;
    if (!(held_s < free_s * (1 - 1e-9))) return;
    t->worse++;
    t->most = fmax(t->most, free_s / held_s - 1);
    printf("seed %" PRIu64 ": %s, batch %" PRIu64
           " on %s: %s gives %.6g s, free %.6g (%.2g %%): %s; free: %s\n",
           c->seed, c->model.id, c->batch, c->words, what, held_s, free_s,
           100 * (free_s / held_s - 1), held, free);
}

static const struct held {
    enum rk_plan_axis axis;
    uint64_t value;
} helds[] = {{RK_PLAN_TENSOR, 1},
             {RK_PLAN_TENSOR, 2},
             {RK_PLAN_TENSOR, 4},
             {RK_PLAN_TENSOR, 8},
             {RK_PLAN_MICROBATCH, 1},
             {RK_PLAN_MICROBATCH, 2},
             {RK_PLAN_MICROBATCH, 4},
             {RK_PLAN_RECOMPUTE, RK_KEEP},
             {RK_PLAN_RECOMPUTE, RK_SELECTIVE},
             {RK_PLAN_RECOMPUTE, RK_WHOLE},
             {RK_PLAN_EXPERT, 2},
             {RK_PLAN_EXPERT, 8},
             {RK_PLAN_DATA, 2},
             {RK_PLAN_DATA, 4},
             {RK_PLAN_ZERO, 0},
             {RK_PLAN_ZERO, 2},
             {RK_PLAN_ZERO, 3},
             {RK_PLAN_EXPERT_OVERLAP, 1},
             {RK_PLAN_SEQUENCE_PARALLEL, 0},
             {RK_PLAN_TENSOR_OVERLAP, 0}};
enum { HELDS = sizeof helds / sizeof *helds };

Test(clusters_held, a_held_word_is_never_faster)
{
    static struct held_case c, slower;
    static char free[RK_PLAN_TEXT], held[RK_PLAN_TEXT], what[128];
    const struct drawn cases = drawn_cases(DRAWN(15), 2000);
    struct tally t = {0};
    printf("clusters: seeds from %" PRIu64 "\n", cases.first);
    for (c.seed = cases.first; c.seed < cases.end; c.seed++) {
        struct random r = {c.seed * 104729}, again = r;
        struct rk_plans_problem problem, one;
        draw_held(&c, &r, 1);
        rk_plans_problem_init(&problem, &c.model, &c.system, RK_MEGATRON, 0, c.batch, 0);
        const double free_s = best_s(&problem, free);
        for (int k = 0; k < 3; k++) {
            int n = 0;
            one = problem;
            for (int i = 0; i < 1 + (k > 0); i++) {
                const struct held *h = &helds[below(&r, HELDS)];
                pin(&one, h->axis, h->value);
                n += snprintf(what + n, sizeof what - (size_t)n, "%s=%" PRIu64 " ",
                              rk_plan_axis_info(h->axis)->name, h->value);
            }
            compare(&t, &c, what, free_s, best_s(&one, held), free, held);
        }
        draw_held(&slower, &again, 0.9);
        slower.seed = c.seed;
        problem.system = &slower.system;
        compare(&t, &slower, "0.9 of the link", free_s, best_s(&problem, held), free, held);
        rk_system_release(&c.system);
        rk_system_release(&slower.system);
    }
    printf("%" PRIu64 " searches, %" PRIu64 " faster, by %.3g %% at most\n", t.tries, t.worse,
           100 * t.most);
    cr_expect_leq(t.most, 0.06);
    cr_expect_leq(t.worse, 1 + t.tries / 50);
}
