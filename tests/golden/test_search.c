/* Exhaustive searches: how many strategies, how many of them run, why the others do not, the ten
 * best and their places in the enumeration; and the size of larger spaces. */
#include "golden/golden.h"

#include "calculon/strategies.h"

struct searched {
    struct rk_model model;
    struct rk_system system;
    struct rk_space *space;
    struct rk_answer result;
};

static uint64_t integer(const json_t *json, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(json, key));
}

static enum rk_datatype datatype_named(const char *name)
{
    for (enum rk_datatype type = 0; type < RK_DATATYPES; type++)
        if (strcmp(rk_datatype_name(type), name) == 0) return type;
    cr_assert(false, "%s is no datatype", name);
    return RK_DATATYPES;
}

static void open_space(struct searched *searched, const json_t *problem, const char *system,
                       enum rk_datatype datatype, bool both)
{
    struct rk_problem p;
    struct rk_error error;
    golden_model(&searched->model, GOLDEN_FOLDER,
                 json_string_value(json_object_get(problem, "model")));
    golden_system(&searched->system, GOLDEN_FOLDER, system);
    calculon_drop_absent_memory(&searched->system);
    rk_problem_init(&p, &searched->model, &searched->system, integer(problem, "num_procs"),
                    integer(problem, "max_batch_size"), datatype);
    if (both) {
        p.pinned[RK_AXIS_FUSED_ACTIVATION].count = 2;
        p.pinned[RK_AXIS_FUSED_ACTIVATION].value[0] = false;
        p.pinned[RK_AXIS_FUSED_ACTIVATION].value[1] = true;
    }
    searched->space = rk_space_open(&p, &error);
    cr_assert(searched->space, "%s", error.text);
}

static void close_space(struct searched *searched)
{
    rk_space_close(searched->space);
    rk_system_release(&searched->system);
}

static void check_counts(const struct rk_search_counts *counts, const json_t *problem)
{
    const json_t *errors = json_object_get(problem, "errors");
    cr_assert_eq(counts->total, integer(problem, "total"));
    cr_assert_eq(counts->verdict[RK_FITS][0], integer(problem, "good"));
    cr_assert_eq(counts->verdict[RK_NETWORK_TOO_SMALL][0],
                 integer(errors, "Network tier0 isn't big enough"));
    cr_assert_eq(counts->verdict[RK_MEMORY_EXCEEDED][0],
                 integer(errors, "Mem tier1 needs X but only has X"));
    uint64_t sum = 0;
    for (int verdict = 0; verdict < RK_VERDICTS; verdict++)
        sum += rk_search_count(counts, (enum rk_verdict)verdict);
    cr_assert_eq(sum, counts->total);
}

static void check_top(const struct searched *searched, const json_t *tops, double tolerance)
{
    const json_t *top;
    size_t i;
    cr_assert_eq(searched->result.found, json_array_size(tops));
    json_array_foreach(tops, i, top)
    {
        const struct rk_candidate *candidate = &searched->result.best[i];
        struct calculon_execution expected, actual = {.attention = RK_ATTENTION_MULTIHEAD};
        struct rk_estimate estimate;
        cr_assert_eq(candidate->index + 1, integer(top, "rank_index"), "place %zu", i);
        rk_space_strategy(searched->space, candidate->index, &actual.strategy);
        golden_execution(&expected, json_object_get(top, "execution"));
        for (int f = 0; f < CALCULON_FIELDS; f++)
            cr_assert_eq(calculon_field_get(&actual, &calculon_fields[f]),
                         calculon_field_get(&expected, &calculon_fields[f]), "place %zu: %s", i,
                         calculon_fields[f].name);
        rk_estimate(&searched->model, &searched->system, &actual.strategy, &estimate);
        const struct {
            const char *key;
            double actual;
        } figures[] = {{"total_time", candidate->step_s},       {"total_time", estimate.step_s},
                       {"sample_rate", estimate.samples_per_s}, {"mem1", estimate.hbm_bytes},
                       {"mem2", estimate.offload_bytes},        {"efficiency", estimate.mfu}};
        for (size_t f = 0; f < sizeof figures / sizeof *figures; f++)
            cr_assert(golden_near(figures[f].actual,
                                  json_number_value(json_object_get(top, figures[f].key)),
                                  tolerance),
                      "place %zu: %s is %.17g", i, figures[f].key, figures[f].actual);
    }
}

static void search_problem(const json_t *problem, double tolerance)
{
    const struct rk_query options = {.mode = RK_SEARCH_EXHAUSTIVE, .top = 10};
    struct searched searched;
    struct rk_error error;
    open_space(&searched, problem, json_string_value(json_object_get(problem, "system")),
               datatype_named(json_string_value(json_object_get(problem, "datatype"))),
               strcmp(json_string_value(json_object_get(problem, "fused")), "both") == 0);
    cr_assert_eq(rk_ask(searched.space, &options, &searched.result, &error), RK_OK, "%s",
                 error.text);
    check_counts(&searched.result.counts, problem);
    check_top(&searched, json_object_get(problem, "top"), tolerance);
    rk_answer_release(&searched.result);
    close_space(&searched);
}

Test(golden_search, exhaustive)
{
    json_t *root = golden_load(GOLDEN_FOLDER "/search.json"), *problem;
    const double tolerance = json_number_value(json_object_get(root, "tolerance"));
    size_t i;
    json_array_foreach(json_object_get(root, "problems"), i, problem)
        search_problem(problem, tolerance);
    cr_assert_eq(i, 4);
    json_decref(root);
}

/* All of them are of two networks and a second memory tier. */
Test(golden_search, sizes_of_spaces)
{
    json_t *root = golden_load(GOLDEN_FOLDER "/counts.json"), *problem;
    size_t i;
    json_array_foreach(root, i, problem)
    {
        struct searched searched;
        open_space(&searched, problem, "h100_80g_nvl8", RK_FLOAT8,
                   integer(problem, "fused_values") == 2);
        cr_assert_eq(rk_space_count(searched.space), integer(problem, "total"), "%s on %d ranks",
                     searched.model.id, (int)integer(problem, "num_procs"));
        close_space(&searched);
    }
    cr_assert_eq(i, 9);
    json_decref(root);
}
