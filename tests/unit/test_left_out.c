/* Errors of sources that nobody has seen: no figure of a source may move its own predictions. */
#include "facts/rules.h"
#include "study/left_out.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char rules_text[] =
    "{\"fitted\": [{\"constant\": \"sustained\", \"system\": \"^a100\", \"from\": [\"a\", \"b\", "
    "\"e\"], "
    "\"why\": \"\"}],"
    "\"rules\": ["
    "{\"when\": {\"gpu\": \".\"}, \"set\": {\"system\": \"a100-sxm4-80g\", \"model\": "
    "\"llama-7b\", \"gpus\": \"8\", \"tp\": \"8\", \"global_batch\": \"8\", \"metric_name\": "
    "\"iter_time_s\", \"recompute\": \"full\", \"attention\": \"flash\"}, \"why\": \"all\"},"
    "{\"when\": {\"id\": \"^b\"}, \"set\": {\"sp\": \"1\"}, \"why\": \"named\"},"
    "{\"when\": {\"gpu\": \".\"}, \"set\": {\"zero\": \"1\"}, \"from\": [\"b\"], \"why\": "
    "\"found\"}]}";

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

static void load(const char *table, struct facts *facts, enum rules_use use)
{
    struct rk_error error = {.text = ""};
    const char *path = own_file(table);
    rules.use = use;
    cr_assert_eq(facts_load(facts, path, &rules, &error), RK_OK, "%s", error.text);
    remove(path);
}

/* Predicted seconds of the runs of one table, each source left out. */
static void predict(const char *table, double *predicted_s, size_t count)
{
    struct facts facts = {0}, bare = {0};
    struct results results = {0};
    struct refits refits = {0};
    struct rk_error error = {.text = ""};
    load(table, &facts, RULES_OWN);
    load(table, &bare, RULES_BLIND);
    cr_assert_eq(left_out(&facts, &bare, &refits, &error), RK_OK, "%s", error.text);
    cr_assert_eq(results_add(&results, &bare, &error), RK_OK, "%s", error.text);
    cr_assert_eq(results.count, count);
    for (size_t i = 0; i < count; i++)
        predicted_s[i] = results.result[i].predicted_si;
    results_release(&results);
    refits_release(&refits);
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

/* Others move what a source is predicted with; one alone does as well, half of the way from what
 * is usual. */
Test(left_out, a_source_moves_others_and_not_itself, .init = begin, .fini = end)
{
    double before[4], after[4], alone[3], faster[3];
    predict("id,gpu,metric_value\na_1,A100,4\nb_1,A100,1.3\nb_2,A100,1.3\ne_1,A100,1.2\n", before,
            4);
    predict("id,gpu,metric_value\na_1,A100,4\nb_1,A100,1.2\nb_2,A100,1.2\ne_1,A100,1.2\n", after,
            4);
    cr_expect_eq(before[1], after[1]);
    cr_expect_eq(before[2], after[2]);
    cr_expect_lt(after[0], before[0]); /* b is faster, so is the machine that a is predicted on */
    predict("id,gpu,metric_value\na_1,A100,4\nb_1,A100,1.3\nb_2,A100,1.3\n", alone, 3);
    predict("id,gpu,metric_value\na_1,A100,4\nb_1,A100,1.2\nb_2,A100,1.2\n", faster, 3);
    cr_expect_lt(faster[0], alone[0]);
}

/* Alone on its accelerator a source has what is usual: its figures do not count. */
Test(left_out, what_is_usual_stands_for_no_source, .init = begin, .fini = end)
{
    double slow, fast;
    predict("id,gpu,metric_value\na_1,A100,9\n", &slow, 1);
    predict("id,gpu,metric_value\na_1,A100,1\n", &fast, 1);
    cr_expect_eq(slow, fast);
}

/* A rule that names b, and one that was found from it: neither holds where b is left out; the
 * second not of a either where only what is a's own counts. */
Test(left_out, rules_that_know_a_source, .init = begin, .fini = end)
{
    static const struct {
        enum rules_use use;
        bool named, found[2];
    } wanted[] = {{RULES_ALL, true, {true, true}},
                  {RULES_OWN, true, {false, true}},
                  {RULES_BLIND, false, {true, false}}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct facts facts = {0};
        load("id,gpu,metric_value\na_1,A100,4\nb_1,A100,4\n", &facts, wanted[i].use);
        cr_expect_eq(facts.fact[1].plan.sequence_parallel, wanted[i].named);
        cr_expect_not(facts.fact[0].plan.sequence_parallel);
        for (int k = 0; k < 2; k++)
            cr_expect_eq(facts.fact[k].plan.zero == 1, wanted[i].found[k], "%zu, %d", i, k);
        facts_release(&facts);
    }
}

/* A source that the constant was not fitted to has it as it is. */
Test(left_out, others_keep_their_constants, .init = begin, .fini = end)
{
    double slow[2], fast[2];
    predict("id,gpu,metric_value\na_1,A100,4\nc_1,A100,4\n", slow, 2);
    predict("id,gpu,metric_value\na_1,A100,1\nc_1,A100,4\n", fast, 2);
    cr_expect_eq(slow[1], fast[1]);
}

Test(left_out, means_count_each_source_once, .init = begin, .fini = end)
{
    struct facts facts = {0};
    struct results results = {0};
    struct rk_error error = {.text = ""};
    load("id,gpu,metric_value\na_1,A100,4\nb_1,A100,8\nb_2,A100,8\n", &facts, RULES_ALL);
    cr_assert_eq(results_add(&results, &facts, &error), RK_OK);
    double errors[3];
    for (int i = 0; i < 3; i++)
        errors[i] = results.result[i].error;
    const struct source_mean m = source_mean_of(&results, errors);
    const double a = fabs(errors[0]), b = fabs(errors[1]);
    cr_expect_eq(m.sources, 2);
    cr_expect_eq(m.rows, 3);
    cr_expect_float_eq(m.mean, (a + 2 * b) / 3, 1e-12);
    cr_expect_float_eq(m.of_sources, (a + b) / 2, 1e-12);
    results_release(&results);
    facts_release(&facts);
}

/* Of 30 sources whose means are 1 to 30 %: t is 2.045 with 29 degrees. */
Test(left_out, the_interval_is_that_of_student)
{
    static struct result result[30];
    double errors[30];
    for (int i = 0; i < 30; i++) {
        snprintf(result[i].class_of[CLASS_SOURCE], FACT_TEXT, "s%d", i);
        errors[i] = (i + 1) / 100.0;
    }
    const struct source_mean m =
        source_mean_of(&(struct results){.count = 30, .result = result}, errors);
    cr_expect_float_eq(m.of_sources, 0.155, 1e-12);
    cr_expect_float_eq(m.within, 2.04523 * 0.0880341 / sqrt(30), 1e-5);
}
