/* The measured runs that are most like a plan. */
#include "facts/nearest.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Llama-like, on H100s; the last row is of another model and kind of recomputation. */
static const char table[] =
    "id,group,source,published,system,gpus,layers,hidden,measured_s,predicted_s,plan\n"
    "a_1,a,A,benchmark,h100-sxm5-80g,64,32,4096,5,4,dp32 tp2 gbs128 seq8192\n"
    "a_2,a,A,benchmark,h100-sxm5-80g,64,32,4096,5,4,dp16 tp4 gbs128 seq8192\n"
    "b_1,b,B,ordinary,h100-sxm5-80g,64,32,4096,5,4,dp8 tp8 gbs128 seq8192\n"
    "c_1,c,C,ordinary,h100-sxm5-80g,64,32,4096,5,4,dp16 tp4 mbs2 gbs128 seq8192\n"
    "e_1,e,E,ordinary,h100-sxm5-80g,8,16,2048,5,4,dp8 gbs128 recompute=full seq2048\n";

static struct measured_steps steps_of(const char *text)
{
    static const char path[] = "test_facts_nearest.csv";
    struct measured_steps steps;
    struct rk_error error = {.text = ""};
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    cr_assert_eq(steps_load(path, &steps, &error), RK_OK, "%s", error.text);
    remove(path);
    return steps;
}

static void ask(const struct measured_steps *steps, size_t of, struct nearest *nearest)
{
    struct rk_error error = {.text = ""};
    struct rk_model model = {.layers = steps->step[of].layers, .hidden = steps->step[of].hidden};
    struct rk_system system = {.id = ""};
    struct rk_plan plan;
    cr_assert_eq(measured_step_plan(steps, of, &plan, &error), RK_OK, "%s", error.text);
    snprintf(system.id, sizeof system.id, "%s", steps->step[of].system);
    plan.ranks = steps->step[of].gpus;
    cr_assert_eq(nearest_among(steps, &model, &system, &plan, nearest, &error), RK_OK);
}

/* Of a's two runs the same plan; b twice the tensor degree, c twice the microbatch; e is far away.
 */
Test(facts_nearest, one_of_each_source)
{
    struct nearest nearest;
    struct measured_steps steps = steps_of(table);
    ask(&steps, 1, &nearest);
    cr_assert_eq(nearest.count, 3);
    cr_expect_str_eq(nearest.step[0]->id, "a_2");
    cr_expect_str_eq(nearest.step[1]->id, "b_1");
    cr_expect_str_eq(nearest.step[2]->id, "c_1");
    cr_expect_float_eq(nearest.likeness[0], 1, 1e-12);
    cr_expect_float_eq(nearest.likeness[1], exp(-0.2), 1e-12);
    cr_expect_float_eq(nearest.likeness[2], exp(-0.5), 1e-12);
    cr_expect_float_eq(nearest.step[2]->measured_s, 5, 1e-12);
    cr_expect_float_eq(nearest.step[2]->predicted_s, 4, 1e-12);
    cr_expect_str_eq(nearest.step[2]->published, "ordinary");
    steps_release(&steps);
}

/* A nearer run of a source takes the place of one that was kept. */
Test(facts_nearest, the_order_of_rows_is_nothing)
{
    struct nearest nearest;
    struct measured_steps steps = steps_of(table);
    ask(&steps, 0, &nearest);
    cr_assert_eq(nearest.count, 3);
    cr_expect_str_eq(nearest.step[0]->id, "a_1");
    cr_expect_str_eq(nearest.step[1]->id, "b_1");
    cr_expect_float_eq(nearest.likeness[1], exp(-0.4), 1e-12);
    steps_release(&steps);
}

/* A line that is none is named, and how to write the table again. */
Test(facts_nearest, a_table_that_is_damaged)
{
    static const char path[] = "test_facts_nearest_damaged.csv";
    struct measured_steps steps;
    struct rk_error error = {.text = ""};
    FILE *file = fopen(path, "w");
    fputs("id,gpus,measured_s,predicted_s,plan\na_1,8,x,1,dp8 gbs8\n", file);
    fclose(file);
    cr_expect_eq(steps_load(path, &steps, &error), RK_BAD_INPUT);
    cr_expect_eq(error.line, 2);
    remove(path);
}

/* A plan is read where it may be near: one that is no plan is named then, by its line. */
Test(facts_nearest, a_plan_that_is_damaged)
{
    struct nearest nearest;
    struct rk_error error = {.text = ""};
    struct measured_steps steps =
        steps_of("id,group,system,gpus,layers,hidden,measured_s,predicted_s,plan\n"
                 "a_1,a,x,8,8,64,1,1,dp8 gbs8\nb_1,b,x,8,8,64,1,1,tp2 dp4 gbs8\n"
                 "c_1,c,x,8,8,64,1,1,dp4 pp2 gbs8\nd_1,d,y,8192,99,9999,1,1,none of a plan\n");
    ask(&steps, 0, &nearest);
    cr_expect_eq(nearest.count, 3);
    steps.step[1].words = "none of a plan";
    const struct rk_plan plan = nearest.plan[0];
    const struct rk_model model = {.layers = 8, .hidden = 64};
    const struct rk_system system = {.id = "x"};
    cr_expect_eq(nearest_among(&steps, &model, &system, &plan, &nearest, &error), RK_BAD_INPUT);
    cr_expect_eq(error.line, 3);
    steps_release(&steps);
}

/* Of equally near runs the first of the table counts, whichever plan was read first: half of the
 * GPUs, or twice the tensor degree. */
Test(facts_nearest, the_first_of_equals)
{
    struct nearest nearest;
    struct measured_steps steps =
        steps_of("id,group,source,published,system,gpus,layers,hidden,measured_s,predicted_s,plan\n"
                 "a_1,a,,,x,16,8,64,1,1,dp8 gbs8\nb_1,b,,,x,8,8,64,1,1,tp2 dp4 gbs8\n"
                 "c_1,c,,,x,8,8,64,1,1,tp2 dp4 gbs8\nd_1,d,,,x,8,8,64,1,1,dp8 gbs8\n");
    ask(&steps, 3, &nearest);
    cr_assert_eq(nearest.count, 3);
    cr_expect_str_eq(nearest.step[0]->id, "d_1");
    cr_expect_str_eq(nearest.step[1]->id, "a_1");
    cr_expect_str_eq(nearest.step[2]->id, "b_1");
    steps_release(&steps);
}
