/* Errors of sources that nobody has seen: no figure of a source may move its own predictions. */
#include "facts/rules.h"
#include "study/left_out.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char rules_text[] =
    "{\"rules\": ["
    "{\"when\": {\"gpu\": \".\"}, \"set\": {\"system\": \"a100-sxm4-80g\", \"model\": "
    "\"llama-7b\", \"gpus\": \"8\", \"tp\": \"8\", \"global_batch\": \"8\", \"metric_name\": "
    "\"iter_time_s\", \"recompute\": \"full\", \"fit\": \"fit\"}, \"why\": \"all\"},"
    "{\"when\": {\"id\": \"^b\"}, \"set\": {\"sp\": \"1\"}, \"inferred\": true, \"why\": "
    "\"seen\"}]}";

static struct rules rules;

/* Tests run at the same time, each as a process. */
static const char *own_file(const char *text)
{
    static char path[64];
    snprintf(path, sizeof path, "test_left_out.%ld", (long)getpid());
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    return path;
}

static void load(const char *table, struct facts *facts, bool stated_only)
{
    struct rk_error error = {.text = ""};
    const char *path = own_file(table);
    rules.stated_only = stated_only;
    cr_assert_eq(facts_load(facts, path, &rules, &error), RK_OK, "%s", error.text);
    remove(path);
}

/* Predicted seconds of the runs of one table, each source left out. */
static void predict(const char *table, double *predicted_s, size_t count)
{
    struct facts facts = {0}, bare = {0};
    struct results results = {0};
    struct rk_error error = {.text = ""};
    load(table, &facts, false);
    load(table, &bare, true);
    cr_assert_eq(left_out(&results, &facts, &bare, &error), RK_OK, "%s", error.text);
    cr_assert_eq(results.count, count);
    for (size_t i = 0; i < count; i++)
        predicted_s[i] = results.result[i].predicted_si;
    results_release(&results);
    facts_release(&facts);
    facts_release(&bare);
}

static void begin(void)
{
    struct rk_error error = {.text = ""};
    const char *path = own_file(rules_text);
    cr_assert_eq(rules_load(path, &rules, &error), RK_OK, "%s", error.text);
    remove(path);
}

static void end(void)
{
    rules_release(&rules);
}

Test(left_out, a_source_moves_others_and_not_itself, .init = begin, .fini = end)
{
    double before[3], after[3];
    predict("id,gpu,metric_value\na_1,A100,4\nb_1,A100,1.3\nb_2,A100,1.3\n", before, 3);
    predict("id,gpu,metric_value\na_1,A100,4\nb_1,A100,1.2\nb_2,A100,1.2\n", after, 3);
    cr_expect_eq(before[1], after[1]);
    cr_expect_eq(before[2], after[2]);
    cr_expect_lt(after[0], before[0]); /* b is faster, so is the machine that a is predicted on */
}

/* Alone on its accelerator a source has the preset: its figures do not count. */
Test(left_out, the_preset_stands_for_no_source, .init = begin, .fini = end)
{
    double slow, fast;
    predict("id,gpu,metric_value\na_1,A100,9\n", &slow, 1);
    predict("id,gpu,metric_value\na_1,A100,1\n", &fast, 1);
    cr_expect_eq(slow, fast);
}

/* b's rule was inferred from b: its runs are read as a's are. */
Test(left_out, inferred_rules_are_not_applied, .init = begin, .fini = end)
{
    double s[2];
    predict("id,gpu,metric_value\na_1,A100,4\nb_1,A100,4\n", s, 2);
    struct facts facts = {0};
    load("id,gpu,metric_value\na_1,A100,4\nb_1,A100,4\n", &facts, false);
    cr_expect(facts.fact[1].plan.sequence_parallel);
    cr_expect_not(facts.fact[0].plan.sequence_parallel);
    facts_release(&facts);
    load("id,gpu,metric_value\na_1,A100,4\nb_1,A100,4\n", &facts, true);
    cr_expect_not(facts.fact[1].plan.sequence_parallel);
    facts_release(&facts);
}

Test(left_out, means_count_each_source_once, .init = begin, .fini = end)
{
    struct facts facts = {0};
    struct results results = {0};
    struct source_means means;
    struct rk_error error = {.text = ""};
    load("id,gpu,metric_value\na_1,A100,4\nb_1,A100,8\nb_2,A100,8\n", &facts, false);
    cr_assert_eq(results_add(&results, &facts, &error), RK_OK);
    cr_assert_eq(source_means(&results, &means, &error), RK_OK);
    const double a = fabs(results.result[0].error), b = fabs(results.result[1].error);
    cr_expect_eq(means.sources, 2);
    cr_expect_float_eq(means.all, (a + b) / 2, 1e-12);
    results_release(&results);
    facts_release(&facts);
}
