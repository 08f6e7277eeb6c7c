/* <reckon/clusters.h>: what is found is predicted, also as words say it; words and machines that
 * are wrong are errors. */
#include <criterion/criterion.h>
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
    double bound_s;
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load_several(MACHINE, &system, &error), RK_OK);
    cr_assert_eq(rk_clusters_search(&model, &system, "gbs64", &plan, &bound_s, &error), RK_OK, "%s",
                 error.text);
    cr_expect_eq(rk_predict(&model, &system, &plan, &found), RK_FITS);
    cr_expect_float_eq(bound_s, found.step_s, 0.1 * found.step_s);
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

static enum rk_status search(const struct rk_model *model, const struct rk_system *system,
                             const char *words, struct rk_error *error)
{
    struct rk_plan plan;
    return rk_clusters_search(model, system, words, &plan, NULL, error);
}

Test(clusters_public, what_is_wrong_is_an_error)
{
    struct rk_model model;
    struct rk_system system, one;
    struct rk_error error;
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_expect_eq(rk_system_load_several("h100-sxm5-80g x8 + a100-sxm4-80g x8", &system, &error),
                 RK_BAD_ARGUMENT);
    cr_expect(strstr(error.text, "no link"));
    cr_assert_eq(rk_system_load_several(MACHINE, &system, &error), RK_OK);
    cr_assert_eq(rk_system_load_several("h100-sxm5-80g x8", &one, &error), RK_OK);
    cr_expect_eq(search(&model, &system, "", &error), RK_BAD_ARGUMENT);
    cr_expect_eq(search(&model, &system, "gbs64 tp3", &error), RK_BAD_ARGUMENT);
    cr_expect_eq(search(&model, &system, "gbs64 hbm", &error), RK_BAD_ARGUMENT);
    cr_expect_eq(search(&model, &one, "gbs64", &error), RK_BAD_ARGUMENT);
    model.hidden *= 64;
    model.layers = 400;
    cr_expect_eq(search(&model, &system, "gbs64", &error), RK_NOTHING_FITS);
    rk_system_release(&system);
    rk_system_release(&one);
}
