/* <reckon/clusters.h>: what is found is predicted the same; words and machines that are wrong are
 * errors. */
#include <criterion/criterion.h>
#include <reckon/reckon.h>
#include <string.h>

#define MACHINE "h100-sxm5-80g x8 name=new + a100-sxm4-80g x8 name=old link=100Gb/s@50us"

static struct rk_clusters_plan plan, again;

Test(clusters_public, a_plan_that_is_found_is_predicted_the_same)
{
    struct rk_model model;
    struct rk_error error;
    const char *path = "clusters_public.json";
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_clusters_search(&model, MACHINE, "gbs64", &plan, &error), RK_OK, "%s",
                 error.text);
    cr_expect_leq(plan.bound_s, plan.objective_s);
    FILE *file = fopen(path, "w");
    fprintf(file, "{\"batch\": 64, \"round\": %d, \"stages\": [", (int)plan.round);
    uint64_t layers = 0;
    for (int i = 0; i < plan.stages; i++) {
        const struct rk_clusters_stage *s = &plan.stage[i];
        layers += s->layers;
        cr_expect_eq(s->tensor * s->context * s->data, s->accelerators);
        fprintf(
            file,
            "%s{\"cluster\": \"%s\", \"layers\": %d, \"words\": \"tp%d cp%d dp%d recompute=%s\"}",
            i ? ", " : "", s->cluster ? "old" : "new", (int)s->layers, (int)s->tensor,
            (int)s->context, (int)s->data, rk_recompute_mode_name(s->recompute));
    }
    fprintf(file, "]}");
    fclose(file);
    cr_expect_eq(layers, model.layers);
    cr_assert_eq(rk_clusters_predict(&model, MACHINE, path, "", &again, &error), RK_OK, "%s",
                 error.text);
    cr_expect_eq(again.step_s, plan.step_s);
    cr_expect_eq(again.objective_s, plan.objective_s);
    cr_expect_eq(again.stage[0].bytes, plan.stage[0].bytes);
    remove(path);
}

Test(clusters_public, what_is_wrong_is_an_error)
{
    struct rk_model model;
    struct rk_error error;
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_expect_eq(
        rk_clusters_search(&model, "h100-sxm5-80g x8 + a100-sxm4-80g x8", "gbs64", &plan, &error),
        RK_BAD_ARGUMENT);
    cr_expect(strstr(error.text, "no link"));
    cr_expect_eq(rk_clusters_search(&model, MACHINE, "", &plan, &error), RK_BAD_ARGUMENT);
    cr_expect_eq(rk_clusters_search(&model, MACHINE, "gbs64 tp3", &plan, &error), RK_BAD_ARGUMENT);
    cr_expect_eq(rk_clusters_search(&model, MACHINE, "gbs64 hbm", &plan, &error), RK_BAD_ARGUMENT);
    cr_expect_eq(rk_clusters_predict(&model, MACHINE, "there-is-none.json", "", &plan, &error),
                 RK_BAD_INPUT);
    model.hidden *= 64;
    model.layers = 400;
    cr_expect_eq(rk_clusters_search(&model, MACHINE, "gbs64", &plan, &error), RK_NOTHING_FITS);
}
