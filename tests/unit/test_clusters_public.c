/* Plans over several clusters from C: what is found is predicted, also as words say it;
 * restrictions and machines that are wrong are errors. */
#include <criterion/criterion.h>
#include <math.h>
#include <reckon/reckon.h>
#include <string.h>

#define MACHINE "h100-sxm5-80g x8 name=new + a100-sxm4-80g x8 name=old link=100Gb/s@50us"

static struct rk_prediction found, again;

Test(clusters_public, a_plan_that_is_found_is_predicted_the_same)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_plan plan, read;
    struct rk_error error;
    char words[RK_PLAN_TEXT];
    struct rk_plans_problem problem;
    struct rk_answer answer;
    const struct rk_query query = {.top = 4};
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load_several(MACHINE, &system, &error), RK_OK);
    rk_plans_problem_init(&problem, &model, &system, RK_MEGATRON, 0, 64, 0);
    struct rk_space *space = rk_plans_open(&problem, &error);
    cr_assert(space, "%s", error.text);
    cr_assert_eq(rk_ask(space, &query, &answer, &error), RK_OK, "%s", error.text);
    cr_assert_eq(answer.found, 4);
    cr_assert(rk_plans_plan(space, answer.best[0].index, &plan));
    cr_expect_eq(rk_predict(&model, &system, &plan, &found), RK_FITS);
    cr_expect_eq(found.step_s, answer.best[0].step_s);
    cr_expect_float_eq(answer.bound_s, found.step_s, 0.1 * found.step_s);
    rk_answer_release(&answer);
    rk_space_close(space);
    uint64_t layers = 0;
    for (int i = 0; i < found.stages; i++)
        layers += found.stage[i].blocks;
    cr_expect_eq(layers, model.layers);
    rk_plan_text(&plan, words, sizeof words);
    cr_assert_eq(rk_plan_parse(words, &read, &error), RK_OK, "%s: %s", words, error.text);
    rk_predict(&model, &system, &read, &again);
    cr_expect_eq(again.step_s, found.step_s);
    cr_expect_eq(again.stage[0].total_bytes, found.stage[0].total_bytes);
    rk_system_release(&system);
}

struct told {
    uint64_t calls, done, total;
    bool sound;
};

static bool tell(void *context, uint64_t done, uint64_t total, double best_s)
{
    struct told *told = context;
    (void)best_s;
    if (told->calls++)
        told->sound = told->sound && total > 0 && done >= told->done && done <= total;
    told->done = done;
    told->total = total;
    return true;
}

/* Somebody who waits sees how far it is, and it ends where it said. */
Test(clusters_public, a_search_tells_how_far_it_is)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_error error;
    struct rk_plans_problem problem;
    struct rk_answer answer;
    struct told told = {.sound = true};
    const struct rk_query query = {.top = 1, .best_only = true, .progress = tell, .context = &told};
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load_several(MACHINE, &system, &error), RK_OK);
    rk_plans_problem_init(&problem, &model, &system, RK_MEGATRON, 0, 16, 0);
    struct rk_space *space = rk_plans_open(&problem, &error);
    cr_assert(space, "%s", error.text);
    cr_assert_eq(rk_ask(space, &query, &answer, &error), RK_OK, "%s", error.text);
    cr_expect(told.calls > 10);
    cr_expect(told.sound);
    cr_expect_eq(told.done, told.total);
    rk_answer_release(&answer);
    rk_space_close(space);
    rk_system_release(&system);
}

static enum rk_status search(const struct rk_model *model, const struct rk_system *system,
                             enum rk_plan_axis axis, uint64_t value, struct rk_error *error)
{
    struct rk_plans_problem problem;
    rk_plans_problem_init(&problem, model, system, RK_MEGATRON, 0, 64, 0);
    problem.pinned[axis].count = 1;
    problem.pinned[axis].value[0] = problem.pinned[axis].to[0] = value;
    return rk_plans_best(&problem, NULL, NULL, error);
}

Test(clusters_public, what_is_wrong_is_an_error)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_error error;
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_expect_eq(rk_system_load_several("h100-sxm5-80g x8 + a100-sxm4-80g x8", &system, &error),
                 RK_BAD_ARGUMENT);
    cr_expect(strstr(error.text, "no link"));
    cr_assert_eq(rk_system_load_several(MACHINE, &system, &error), RK_OK);
    cr_expect_eq(search(&model, &system, RK_PLAN_TENSOR, 3, &error), RK_BAD_ARGUMENT);
    cr_expect_eq(search(&model, &system, RK_PLAN_PIPELINE, 2, &error), RK_BAD_ARGUMENT);
    cr_expect_eq(search(&model, &system, RK_PLAN_CONTEXT, 7, &error), RK_BAD_ARGUMENT);
    cr_expect_eq(search(&model, &system, RK_PLAN_EXPERT, 2, &error), RK_BAD_ARGUMENT);
    model.hidden *= 64;
    model.layers = 400;
    cr_expect_eq(search(&model, &system, RK_PLAN_TENSOR, 8, &error), RK_NOTHING_FITS);
    rk_system_release(&system);
}

/* The best step of a search; INFINITY: nothing fits. */
static double best_s(const struct rk_model *model, const struct rk_system *system)
{
    struct rk_plans_problem problem;
    struct rk_error error;
    rk_plans_problem_init(&problem, model, system, RK_MEGATRON, system->machine ? 0 : 16, 64, 0);
    const enum rk_status status = rk_plans_best(&problem, NULL, &found, &error);
    return status == RK_OK ? found.step_s : (double)INFINITY;
}

/* A pipeline over a slow link brings nothing: the plan is that of the fast cluster alone, with its
 * virtual stages and what Megatron-LM overlaps. A cluster of several is timed by simulation. */
Test(clusters_public, several_clusters_are_never_slower_than_one)
{
    struct rk_model model;
    struct rk_system several, alone;
    struct rk_error error;
    cr_assert_eq(rk_model_load("llama2-13b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &alone, &error), RK_OK);
    alone.devices = 16;
    const double alone_s = best_s(&model, &alone);
    cr_assert_eq(rk_system_load_several("h100-sxm5-80g x16 + a100-sxm4-80g x8 link=0.1Gb/s@50us",
                                        &several, &error),
                 RK_OK);
    const double several_s = best_s(&model, &several);
    cr_expect_lt(several_s, 1.015 * alone_s, "%g s, alone %g s", several_s, alone_s);
    cr_expect_gt(several_s, 0.985 * alone_s, "%g s, alone %g s", several_s, alone_s);
    rk_system_release(&several);
    rk_system_release(&alone);
}

/* Every question of advise.h, by the same functions as of one cluster. */
Test(clusters_public, questions_are_answered)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_error error;
    struct rk_plans_problem problem;
    struct rk_effects effects;
    struct rk_offer offer;
    const struct rk_aim aim = {.where = "tensor <= 4 and hbm_bytes <= 60GiB"};
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load_several(MACHINE, &system, &error), RK_OK);
    rk_plans_problem_init(&problem, &model, &system, RK_MEGATRON, 0, 16, 0);
    cr_assert(rk_offer(&problem, &aim, &offer));
    cr_expect_leq(offer.found.outcome.hbm_bytes, 60 * 0x1p30);
    cr_assert_eq(rk_effects_of_plan(&problem, &aim, &offer.found.plan, &effects, &error), RK_OK);
    cr_expect_eq(effects.now_s, offer.found.outcome.step_s);
    bool of[3] = {false};
    for (int i = 0; i < effects.count; i++)
        of[effects.effect[i].other >= 0 ? 2 : effects.effect[i].cluster] = true;
    cr_expect(of[0] && of[1] && of[2]); /* either cluster, and the link */
    rk_effects_release(&effects);
    rk_system_release(&system);
}
