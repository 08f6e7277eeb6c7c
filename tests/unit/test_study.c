/* Study files: the grid they make, and what is said about wrong ones. */
#include "study/study.h"

#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MACHINE                                                                                    \
    "\"matrix.float16=300TFLOP/s vector.float16=80TFLOP/s hbm=1GiB@2TB/s mem2=16GiB@100GB/s "      \
    "net0=300GB/s,size=4 net1=25GB/s,size=65536\""
#define TINY                                                                                       \
    "{\"name\": \"tiny\", \"layers\": 12, \"hidden\": 768, \"feedforward\": 3072, \"heads\": 12, " \
    "\"sequence\": 512}"
#define GRID "\"models\": [" TINY "], \"systems\": [" MACHINE "], \"gpus\": 4, \"batch\": 8"

static struct study *load(const char *text)
{
    struct study *study = NULL;
    struct rk_error error = {0};
    const enum rk_status status =
        study_parse("s.json", text, strlen(text), rk_model_load, &study, &error);
    cr_assert_eq(status, RK_OK, "%d:%d: %s", error.line, error.column, error.text);
    return study;
}

Test(study, product_in_order)
{
    struct study *s = load("{\"figures\": [{\"name\": \"a\", \"title\": \"A\","
                           "\"models\": [" TINY ", {\"name\": \"b\", \"layers\": [2, 3],"
                           "\"hidden\": 512, \"heads\": 8, \"feedforward\": 64, \"sequence\": 8}],"
                           "\"systems\": [" MACHINE "], \"gpus\": [4, \"8..32 x2\"],"
                           "\"batch\": [8, 16], \"datatype\": \"float16\", \"top\": 3}]}");
    /* models tiny, b layers=2, b layers=3; gpus 4 8 16 32; batch 8 16 */
    cr_assert_eq(s->models, 3);
    cr_assert_str_eq(s->model[0].name, "tiny");
    cr_assert_str_eq(s->model[1].name, "b layers=2");
    cr_assert_str_eq(s->model[2].name, "b layers=3");
    cr_assert_eq(s->model[1].model.head_dim, 64); /* 512 / 8 */
    cr_assert_eq(s->points, 3 * 4 * 2);
    for (size_t i = 0; i < s->points; i++) {
        const struct study_point *p = &s->point[i];
        cr_expect_eq(p->number, i + 1);
        cr_expect_eq(p->model, (int)(i / 8));
        cr_expect_eq(p->gpus, UINT64_C(4) << i / 2 % 4);
        cr_expect_eq(p->max_batch, i % 2 ? 16 : 8);
        cr_expect_eq(p->top, 3);
        cr_expect_eq(strlen(p->key), 32);
        for (size_t k = 0; k < i; k++)
            cr_expect_str_neq(p->key, s->point[k].key);
    }
    study_close(s);
}

Test(study, figures_of_one_name_follow_one_another)
{
    struct study *s = load("{" GRID ", \"figures\": [{\"name\": \"a\"}, {\"name\": \"b\", "
                           "\"gpus\": 2}, {\"name\": \"a\", \"batch\": 16}]}");
    cr_assert_eq(s->figures, 2);
    cr_assert_eq(s->figure[0].points, 2);
    cr_assert_eq(s->points, 3);
    cr_expect_eq(s->point[1].figure, 0);
    cr_expect_eq(s->point[1].number, 2);
    cr_expect_eq(s->point[1].max_batch, 16);
    cr_expect_eq(s->point[2].figure, 1);
    cr_expect_eq(study_find_figure(s, "b"), 1);
    cr_expect_eq(study_find_figure(s, "c"), -1);
    study_close(s);
}

Test(study, comments_and_texts_with_slashes)
{
    struct study *s = load(
        "// a study\n{ /* one\n grid */ \"title\": \"http://x /* y */\", // z\n" GRID "}\n// end");
    cr_expect_str_eq(s->title, "http://x /* y */");
    cr_expect_eq(s->points, 1);
    cr_expect_str_eq(s->figure[0].name, "study");
    study_close(s);
}

Test(study, systems_are_products_of_fields)
{
    struct study *s = load("{\"models\": [" TINY "], \"gpus\": 4, \"batch\": 8, \"systems\": ["
                           "{\"name\": \"m\", \"base\": " MACHINE
                           ", \"hbm\": [\"1GiB\", \"2GiB\"], \"mem2\": \"32GiB\", \"nvl\": [2, 8],"
                           "\"net0.must_be_filled\": true}]}");
    cr_assert_eq(s->systems, 4);
    cr_expect_str_eq(s->system[0].name, "m hbm=1GiB nvl2");
    cr_expect_str_eq(s->system[1].name, "m hbm=1GiB nvl8");
    cr_expect_str_eq(s->system[3].name, "m hbm=2GiB nvl8");
    const struct rk_system *system = &s->system[3].system;
    cr_expect_eq(system->memory[0].capacity_bytes, 2.0 * (1 << 30));
    cr_expect_eq(system->memory[1].capacity_bytes, 32.0 * (1 << 30));
    cr_expect_eq(system->network[0].size, 8);
    cr_expect(system->network[0].must_be_filled);
    study_close(s);
}

Test(study, axes_become_ranges)
{
    struct rk_plans_problem problem;
    struct study *s =
        load("{" GRID ", \"axes\": {\"tensor\": [4, \"1..2\"], \"recompute\": \"none\","
             "\"gradient_overlap\": false, \"weight_offload\": [true], \"microbatch\": \"1..8 x2\","
             "\"tensor_network\": 0}}");
    cr_expect_str_eq(s->axes[0].text,
                     "tensor=1..2,4 microbatch=1,2,4,8 recompute=none gradient_overlap=no "
                     "weight_offload=yes..63 tensor_network=0");
    study_problem(s, &s->point[0], &problem);
    cr_expect_eq(problem.pinned[RK_PLAN_TENSOR].count, 2);
    cr_expect_eq(problem.pinned[RK_PLAN_MICROBATCH].count, 4);
    cr_expect_eq(problem.pinned[RK_PLAN_RECOMPUTE].value[0], RK_RECOMPUTE_VALUE(RK_KEEP, 0));
    cr_expect_eq(problem.pinned[RK_PLAN_PIPELINE].count, 0);
    study_close(s);
}

Test(study, keys_depend_on_inputs_not_on_names)
{
    struct study *a = load("{" GRID "}"), *b = load("{\"figures\": [{\"name\": \"x\", " GRID "}]}");
    struct study *c = load("{" GRID ", \"top\": 2}");
    struct study *d = load("{" GRID ", \"axes\": {\"tensor\": 1}}");
    cr_expect_str_eq(a->point[0].key, b->point[0].key);
    cr_expect_str_neq(a->point[0].key, c->point[0].key);
    cr_expect_str_neq(a->point[0].key, d->point[0].key);
    study_close(a);
    study_close(b);
    study_close(c);
    study_close(d);
}

/* ---- wrong files ---- */

struct bad {
    const char *text;
    int line, column;
    const char *says; /* a part of the message */
};

static const struct bad bad_files[] = {
    {"", 1, 1, "is empty"},
    {"[]", 1, 1, "must be an object"},
    {"{", 1, 2, "ends in the middle"},
    {"{} /* x", 1, 4, "the comment does not end"},
    {"{\"figure\": []}", 1, 2, "did you mean \"figures\"?"},
    {"{\"figures\": []}", 1, 13, "at least 1 element"},
    {"{\"figures\": [{}]}", 1, 14, "missing key \"name\""},
    {"{\"figures\": [{\"name\": \"a b\"}]}", 1, 23, "letters, digits"},
    {"{\"figures\": [{\"name\": \"a\"}]}", 1, 14, "missing key \"models\""},
    {"{\n\"models\": []}", 2, 11, "at least 1 element"},
    {"{\"models\": [{}]}", 1, 13, "missing key \"layers\""},
    {"{\"models\": [{\"layer\": 2}]}", 1, 14, "did you mean \"layers\"?"},
    {"{\"models\": [3]}", 1, 13, "must be a text, got 3"},
    {"{\"models\": [" TINY "],\n\"systems\": []}", 2, 12, "at least 1 element"},
    {"{\"models\": [" TINY "],\n\"systems\": [\"hbm=\"]}", 2, 13, "expected a value"},
    {"{\"models\": [" TINY "],\n\"systems\": [{\"hbm\": 1}]}", 2, 13, "missing key \"base\""},
    {"{\"models\": [" TINY "],\n\"systems\": [{\"base\": " MACHINE ",\n\"hbm\": []}]}", 3, 8,
     "at least 1 element"},
    {"{\"models\": [" TINY "],\n\"systems\": [{\"base\": " MACHINE ",\n\"hbx\": 1}]}", 3, 8,
     "unknown part"},
    {"{\"models\": [" TINY "],\n\"systems\": [" MACHINE "]}", 1, 1, "missing key \"gpus\""},
    {"{" GRID ",\n\"top\": 0}", 2, 8, "must be >= 1"},
    {"{" GRID ",\n\"top\": 1001}", 2, 8, "must be >= 1 and <= 1000"},
    {"{" GRID ",\n\"mode\": \"fast\"}", 2, 9, "must be one of pruned, exhaustive"},
    {"{" GRID ",\n\"datatype\": \"float8\"}", 1, 1, "does not have fp8-current"},
    {"{" GRID ",\n\"datatype\": [\"float16\", \"float16\"]}", 2, 25, "stands there twice"},
    {"{" GRID ",\n\"axes\": {\"tensr\": 1}}", 2, 10, "did you mean \"tensor\"?"},
    {"{" GRID ",\n\"axes\": {\"tensor\": 0}}", 2, 20, "must be >= 1"},
    {"{" GRID ",\n\"axes\": {\"tensor\": []}}", 2, 20, "at least 1 element"},
    {"{" GRID ",\n\"axes\": {\"recompute\": \"some\"}}", 2, 23, "must be one of none"},
    {"{" GRID ",\n\"axes\": {\"weight_offload\": 2}}", 2, 9, "has no memory tier 2"},
    {"{" GRID ",\n\"axes\": {\"tensor_network\": true}}", 2, 28, "must be an integer"},
    {"{" GRID ",\n\"columns\": [\"mfuu\"]}", 2, 13, "no such column: mfuu"},
    {"{" GRID ",\n\"columns\": [\"x = \"]}", 2, 13, "syntax error"},
    {"{" GRID ",\n\"columns\": [\"x = 1), (2\"]}", 2, 13, "is not one SQL expression"},
    {"{" GRID ",\n\"columns\": [\"x = 1); DROP TABLE search; --\"]}", 2, 13, "not one SQL"},
    {"{" GRID ",\n\"columns\": [\"x = 1) FROM ranking --\"]}", 2, 13, "not one SQL"},
};

Test(study, wrong_files)
{
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
        const struct bad *bad = &bad_files[i];
        struct study *study = NULL;
        struct rk_error error = {0};
        const enum rk_status status =
            study_parse("s.json", bad->text, strlen(bad->text), rk_model_load, &study, &error);
        cr_expect_eq(status, RK_BAD_INPUT, "%s: %d", bad->text, status);
        cr_expect_str_eq(error.path, "s.json");
        cr_expect(strstr(error.text, bad->says), "%s: %s", bad->text, error.text);
        cr_expect(error.line == bad->line && error.column == bad->column, "%s: %d:%d: %s",
                  bad->text, error.line, error.column, error.text);
        cr_expect_null(study);
    }
}

static const struct bad bad_numbers[] = {
    {"0", 0, 0, "must be >= 1"},
    {"-8", 0, 0, "must be >= 1"},
    {"1.5", 0, 0, "must be an integer"},
    {"null", 0, 0, "must be an integer"},
    {"[]", 0, 0, "at least 1 element"},
    {"[[8]]", 0, 0, "must be an integer"},
    {"\"\"", 0, 0, "expected a number"},
    {"\"8..\"", 0, 0, "expected a number"},
    {"\"..8\"", 0, 0, "expected a number"},
    {"\"8..16 step\"", 0, 0, "expected a number"},
    {"\"8..16 by 2\"", 0, 0, "expected a number"},
    {"\"8..16 step 8 x2\"", 0, 0, "expected a number"},
    {"\"16..8\"", 0, 0, "runs backwards"},
    {"\"8..16 step 0\"", 0, 0, "never arrives"},
    {"\"8..16 x1\"", 0, 0, "never arrives"},
    {"\"8..16 x0\"", 0, 0, "never arrives"},
    {"\"0..8\"", 0, 0, "must lie in 1.."},
    {"\"1..9007199254740993\"", 0, 0, "at most 2^53"},
    {"\"1..9007199254740992\"", 0, 0, "must lie in 1.."},
    {"\"1..99999999999999999999\"", 0, 0, "at most 2^53"},
    {"\"1..2000000 step 1\"", 0, 0, "more than 1000000 numbers"},
};

Test(study, wrong_numbers)
{
    for (size_t i = 0; i < sizeof bad_numbers / sizeof *bad_numbers; i++) {
        char text[1024];
        struct study *study = NULL;
        struct rk_error error = {0};
        snprintf(text, sizeof text,
                 "{\"models\": [" TINY "], \"systems\": [" MACHINE "], \"batch\": 8, \"gpus\": %s}",
                 bad_numbers[i].text);
        cr_expect_eq(study_parse("s.json", text, strlen(text), rk_model_load, &study, &error),
                     RK_BAD_INPUT, "%s", bad_numbers[i].text);
        cr_expect(strstr(error.text, bad_numbers[i].says), "%s: %s", bad_numbers[i].text,
                  error.text);
        cr_expect_eq(error.line, 1);
    }
}

Test(study, too_many_points)
{
    const char *text = "{\"models\": [" TINY "], \"systems\": [" MACHINE "],"
                       "\"gpus\": \"1..2000 +1\", \"batch\": \"1..2000 +1\"}";
    struct study *study = NULL;
    struct rk_error error = {0};
    cr_expect_eq(study_parse("s.json", text, strlen(text), rk_model_load, &study, &error),
                 RK_BAD_INPUT);
    cr_expect(strstr(error.text, "more than 1000000 points"), "%s", error.text);
}

Test(study, one_name_for_two_things)
{
    const char *text =
        "{\"figures\": [{\"name\": \"a\", " GRID "}, {\"name\": \"b\", \"models\": ["
        "{\"name\": \"tiny\", \"layers\": 2, \"hidden\": 8, \"feedforward\": 8,"
        "\"heads\": 2, \"sequence\": 8}], \"systems\": [" MACHINE "], \"gpus\": 4, \"batch\": 8}]}";
    struct study *study = NULL;
    struct rk_error error = {0};
    cr_expect_eq(study_parse("s.json", text, strlen(text), rk_model_load, &study, &error),
                 RK_BAD_INPUT);
    cr_expect(strstr(error.text, "already stands for another one"), "%s", error.text);
}

Test(study, no_file)
{
    struct study *study = NULL;
    struct rk_error error = {0};
    cr_expect_eq(study_load("no/such.json", rk_model_load, &study, &error), RK_BAD_INPUT);
    cr_expect(strstr(error.text, "cannot open"), "%s", error.text);
    cr_expect_eq(study_load("/", rk_model_load, &study, &error), RK_BAD_INPUT);
}

/* A run at every point: twice the price is twice the cost, nothing else; steps without failures. */
Test(study, runs_of_points)
{
    static const char text[] = "{\"models\": [\"llama3.1-8b\"], \"systems\": [\"h100-sxm5-80g\"],"
                               "\"gpus\": [64, 128], \"batch\": 128,"
                               "\"run\": {\"tokens\": 1048576e6, \"price\": %d, \"never\": true}}";
    struct study_share first = {.days = 0};
    for (int price = 1; price <= 2; price++) {
        char file[512];
        struct rk_error error;
        struct study *study;
        snprintf(file, sizeof file, text, price);
        cr_assert_eq(study_parse("s.json", file, strlen(file), rk_model_load, &study, &error),
                     RK_OK, "%s", error.text);
        cr_assert(study->has_run && study->points == 2);
        /* 2^20 x 10^6 tokens over 128 x 8192 = 2^20 tokens a step: a million steps of a second */
        cr_expect_float_eq(study->point[0].run.days, 1e6 / 86400, 0.01);
        cr_expect_float_eq(study->point[1].run.gpu_hours, 128 * study->point[1].run.days * 24,
                           1e-6 * study->point[1].run.gpu_hours);
        if (price == 2) {
            cr_expect_eq(study->point[0].run.days, first.days);
            cr_expect_float_eq(study->point[0].run.cost, 2 * first.cost, 1e-6 * first.cost);
        }
        if (price == 1) first = study->point[0].run;
        study_close(study);
    }
}
