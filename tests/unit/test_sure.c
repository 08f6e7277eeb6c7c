/* Whether a plan fits: bounds of P(fits) in whole percents, and that of the headroom. */

#include "catalog_cases.h"

#include <reckon/catalog.h>
#include <reckon/sure.h>

static const double capacity = 80e9;

static enum rk_sure judged(const struct rk_plan *plan, double share, const char *text)
{
    struct rk_model model;
    struct rk_sure_bounds bounds;
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_sure_read(text, &bounds, &error), RK_OK, "%s", error.text);
    return rk_sure_of(&model, plan, share * capacity, capacity, text ? &bounds : NULL);
}

/* What --headroom learned leaves fits, and a little more is unsure. */
Test(sure, begins_where_the_headroom_ends)
{
    struct rk_model model;
    use_source_catalog();
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, NULL), RK_OK);
    for (int i = RK_MEGATRON; i < RK_CALCULON; i++) {
        struct rk_plan plan = {.framework = (enum rk_framework)i};
        const double room = rk_fit_share(&model, &plan);
        cr_assert(room > 0.5 && room < 1);
        cr_expect_eq(judged(&plan, room, NULL), RK_SURE_FITS);
        cr_expect_eq(judged(&plan, 1.02 * room, NULL), RK_SURE_UNSURE, "framework %d", i);
        cr_expect_eq(judged(&plan, 2, NULL), RK_SURE_NOT);
    }
}

Test(sure, bounds)
{
    struct rk_plan plan = {.framework = RK_MEGATRON};
    struct rk_sure_bounds bounds;
    cr_expect_eq(judged(&plan, 1, "5"), RK_SURE_FITS);
    cr_expect_eq(judged(&plan, 1, "100,5"), RK_SURE_UNSURE);
    cr_expect_eq(judged(&plan, 1, "99"), RK_SURE_NOT);
    static const char *const wrong[] = {"0.85,1.1", "1", "20,75", "75,", ",20", "101", "often", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_eq(rk_sure_read(wrong[i], &bounds, NULL), RK_BAD_ARGUMENT, "%s", wrong[i]);
}

/* The published model was compared with no measured peaks. */
Test(sure, needs_alone_where_nothing_was_learned)
{
    struct rk_plan plan = {.framework = RK_CALCULON};
    cr_expect_eq(judged(&plan, 1, NULL), RK_SURE_FITS);
    cr_expect_eq(judged(&plan, 1.0001, NULL), RK_SURE_NOT);
}
