/* Why not, and what would help: compared with a walk through all strategies, and with the same
 * search made again on the changed machine. */
#include "cli/axes.h"
#include "cli/search_sensitivity.h"
#include "cli/search_why.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static struct rk_model model = {.id = "test",
                                .layers = 24,
                                .hidden = 4096,
                                .feedforward = 16384,
                                .heads = 32,
                                .head_dim = 128,
                                .sequence = 2048};

struct fixture {
    struct search_args args;
    struct rk_system system;
    struct search search;
    struct search_session session;
};

/* Searches; `where` and pins may be set in args before. */
static void set(struct fixture *f, const char *machine, uint64_t gpus, uint64_t batch)
{
    struct rk_error error;
    axes_prepare();
    f->args.datatype = RK_FLOAT16;
    f->args.top = 1;
    cr_assert_eq(rk_system_load(machine, &f->system, &error), RK_OK, "%s", error.text);
    f->search = (struct search){.args = &f->args, .model = &model, .system = &f->system, .top = 1};
    f->session = (struct search_session){.all_searches = 1};
    cr_assert_eq(search_set_problem(&f->search, gpus, batch, &error), RK_OK, "%s", error.text);
    cr_assert_eq(search_run(&f->search, &f->session, &error), RK_OK, "%s", error.text);
}

static void release(struct fixture *f)
{
    search_release(&f->search);
    rk_system_release(&f->system);
}

static const struct report_table *find_table(const struct report *report, const char *name)
{
    const struct report_table *table = report->first;
    while (table && (!table->name || strcmp(table->name, name) != 0))
        table = table->next;
    return table;
}

static const struct report_cell *cell(const struct report_table *table, size_t row,
                                      const char *column)
{
    for (int i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, column) == 0)
            return &table->cells[row * (size_t)table->column_count + (size_t)i];
    cr_assert(false, "no column %s", column);
    return NULL;
}

/* The row of a kind of change; the tier counts where it is not negative. */
static size_t find_change(const struct report_table *table, const char *kind, int tier)
{
    for (size_t row = 0; row < table->rows; row++) {
        const struct report_cell *at = cell(table, row, "tier");
        if (strcmp(cell(table, row, "change")->as.text, kind) == 0 &&
            (tier < 0 || (at->type == REPORT_COUNT && at->as.count == (uint64_t)tier)))
            return row;
    }
    cr_assert(false, "no change %s of tier %d", kind, tier);
    return 0;
}

/* How many strategies fit on the machine as it stands in f->system. */
static uint64_t count_fits(const struct fixture *f)
{
    struct rk_answer result;
    const struct rk_query options = {.top = 1};
    struct rk_space *space = rk_space_open(&f->search.problem, NULL);
    cr_assert_eq(rk_ask(space, &options, &result, NULL), RK_OK);
    const uint64_t fits = result.counts.verdict[RK_FITS][0];
    rk_answer_release(&result);
    rk_space_close(space);
    return fits;
}

/* The least that a strategy which only this memory tier refuses needs of it: one at a time. */
static double least_need(const struct fixture *f, int tier)
{
    double least = INFINITY;
    struct rk_system system = {0};
    cr_assert_eq(rk_system_copy(&system, &f->system, NULL), RK_OK);
    system.memory[tier].capacity_bytes = INFINITY;
    for (uint64_t i = 0; i < rk_space_count(f->search.space); i++) {
        struct rk_strategy strategy;
        struct rk_estimate estimate;
        rk_space_strategy(f->search.space, i, &strategy);
        if (rk_estimate(&model, &system, &strategy, &estimate) != RK_FITS) continue;
        double need = 0;
        for (int c = 0; c < RK_CATEGORIES; c++)
            need += rk_tier_bytes(&estimate, &strategy, tier, (enum rk_category)c);
        least = fmin(least, need);
    }
    rk_system_release(&system);
    return least;
}

static void check_memory(struct fixture *f, const struct report_table *changes, int tier)
{
    const size_t row = find_change(changes, "memory", tier);
    const double least = least_need(f, tier);
    cr_assert_eq(cell(changes, row, "helps")->as.flag, isfinite(least), "tier %d", tier);
    if (!isfinite(least)) return;
    cr_assert_eq(cell(changes, row, "to")->as.number, least, "tier %d: %.17g, not %.17g", tier,
                 cell(changes, row, "to")->as.number, least);
    double *capacity = &f->system.memory[tier].capacity_bytes;
    const double now = *capacity;
    *capacity = least;
    cr_assert_gt(count_fits(f), 0);
    *capacity = least - 1;
    cr_assert_eq(count_fits(f), 0);
    *capacity = now;
}

static void check_machine(const char *machine, uint64_t gpus, uint64_t batch)
{
    struct fixture f = {.args = SEARCH_ARGS_INIT};
    struct report report = {.first = NULL};
    set(&f, machine, gpus, batch);
    cr_assert_eq(f.search.result.found, 0, "%s: something fits", machine);
    search_why_fill(&report, &f.search);
    const struct report_table *changes = find_table(&report, "changes");
    for (int tier = 0; tier < f.system.memories; tier++)
        check_memory(&f, changes, tier);
    report_release(&report);
    release(&f);
}

#define ENGINES  "matrix.float16=300TFLOP/s vector.float16=80TFLOP/s "
#define NETWORKS " net0=300GB/s,size=4 net1=25GB/s,size=65536"

Test(why, one_memory)
{
    check_machine(ENGINES "hbm=3GiB@2TB/s" NETWORKS, 8, 16);
}

Test(why, two_memories)
{
    check_machine(ENGINES "hbm=2GiB@2TB/s mem2=6GiB@100GB/s" NETWORKS, 8, 16);
    check_machine(ENGINES "hbm=512MiB@2TB/s mem2=64GiB@100GB/s" NETWORKS, 8, 16);
}

Test(why, three_memories)
{
    check_machine(ENGINES "hbm=1GiB@2TB/s mem2=2GiB@100GB/s mem3=4GiB@10GB/s" NETWORKS, 8, 8);
}

/* A single memory: the second one that would do is found, and holds what the plan offloads. */
Test(why, memory_that_is_not_there)
{
    struct fixture f = {.args = SEARCH_ARGS_INIT};
    struct report report = {.first = NULL};
    set(&f, ENGINES "hbm=3GiB@2TB/s" NETWORKS, 8, 16);
    search_why_fill(&report, &f.search);
    const struct report_table *changes = find_table(&report, "changes");
    const size_t row = find_change(changes, "added_memory", 1);
    cr_assert(cell(changes, row, "helps")->as.flag);
    const double to = cell(changes, row, "to")->as.number;
    release(&f);
    char machine[256];
    for (int less = 0; less < 2; less++) {
        snprintf(machine, sizeof machine, ENGINES "hbm=3GiB@2TB/s mem2=%.0fB@100GB/s" NETWORKS,
                 to - less);
        struct fixture with = {.args = SEARCH_ARGS_INIT};
        set(&with, machine, 8, 16);
        cr_assert_eq(with.search.result.found, !less, "%s", machine);
        release(&with);
    }
    report_release(&report);
}

/* Every change that is said to help does, with the time that is said; GPUs and batches. */
Test(why, sizes)
{
    struct fixture f = {.args = SEARCH_ARGS_INIT};
    struct report report = {.first = NULL};
    static const char machine[] = ENGINES "hbm=3GiB@2TB/s" NETWORKS;
    set(&f, machine, 8, 16);
    search_why_fill(&report, &f.search);
    const struct report_table *changes = find_table(&report, "changes");
    const size_t gpus = find_change(changes, "more_gpus", -1);
    cr_assert(cell(changes, gpus, "helps")->as.flag);
    const uint64_t more = (uint64_t)cell(changes, gpus, "to")->as.number;
    struct fixture with = {.args = SEARCH_ARGS_INIT};
    set(&with, machine, more, 16);
    cr_assert_eq(with.search.result.found, 1);
    cr_assert_eq(with.search.result.best[0].step_s, cell(changes, gpus, "step_s")->as.number);
    release(&with);
    report_release(&report);
    release(&f);
}

static struct option_values one_value(uint64_t value)
{
    return (struct option_values){.count = 1, .range = {{value, value}}};
}

/* The plan fits only on a larger domain, or without the restriction. */
Test(why, network_and_restriction)
{
    struct fixture f = {.args = SEARCH_ARGS_INIT};
    struct report report = {.first = NULL};
    f.args.axes.axis[RK_AXIS_TENSOR] = one_value(16);
    f.args.axes.axis[RK_AXIS_TENSOR_NETWORK] = one_value(0);
    set(&f, ENGINES "hbm=80GiB@2TB/s" NETWORKS, 32, 32);
    cr_assert_eq(f.search.result.found, 0);
    search_why_fill(&report, &f.search);
    const struct report_table *changes = find_table(&report, "changes");
    const size_t domain = find_change(changes, "network", 0);
    cr_assert(cell(changes, domain, "helps")->as.flag);
    cr_assert_eq(cell(changes, domain, "to")->as.number, 16);
    cr_assert(cell(changes, find_change(changes, "restriction", -1), "helps")->as.flag);
    cr_assert_not(cell(changes, find_change(changes, "memory", 0), "helps")->as.flag);
    const struct report_table *misses = find_table(&report, "misses");
    cr_assert_gt(misses->rows, 0);
    cr_assert_str_eq(cell(misses, 0, "limit")->as.text, "network");
    cr_assert(cell(misses, 0, "need")->as.number == 16 && cell(misses, 0, "have")->as.number == 4);
    report_release(&report);
    release(&f);
}

static double load_of(const struct rk_strategy *s, int tier)
{
    return (s->tensor_network == tier ? (double)s->tensor : 1) *
           (s->pipeline_network == tier ? (double)s->pipeline : 1) *
           (s->data_network == tier ? (double)s->data : 1);
}

/* The fewest ranks on a network among the strategies that it alone refuses: one at a time. The
 * enumeration begins with those that put most ranks on it. */
Test(why, least_load_of_a_network)
{
    struct fixture f = {.args = SEARCH_ARGS_INIT};
    struct search_miss missed[SEARCH_MISSES];
    f.args.axes.axis[RK_AXIS_TENSOR] = (struct option_values){.count = 1, .range = {{1, 2}}};
    f.args.axes.axis[RK_AXIS_PIPELINE] =
        (struct option_values){.count = 2, .range = {{8, 8}, {24, 24}}};
    f.args.axes.axis[RK_AXIS_PIPELINE_NETWORK] = one_value(0);
    set(&f, ENGINES "hbm=80GiB@2TB/s" NETWORKS, 48, 4);
    cr_assert_eq(f.search.result.found, 0);
    struct rk_system wide = {0};
    cr_assert_eq(rk_system_copy(&wide, &f.system, NULL), RK_OK);
    wide.network[0].size = 48;
    wide.network[0].must_be_filled = false;
    double least = INFINITY, first = 0;
    for (uint64_t i = 0; i < rk_space_count(f.search.space); i++) {
        struct rk_strategy strategy;
        struct rk_estimate estimate;
        rk_space_strategy(f.search.space, i, &strategy);
        if (rk_estimate(&model, &wide, &strategy, &estimate) != RK_FITS) continue;
        if (first == 0) first = load_of(&strategy, 0);
        least = fmin(least, load_of(&strategy, 0));
    }
    cr_assert_lt(least, first);
    const struct search_aim aim = {.search = &f.search};
    cr_assert_gt(search_misses(&aim, &f.search.problem, LIMIT_NETWORK, 0, missed), 0);
    cr_assert_eq(missed[0].need, least, "%g ranks, not %g", missed[0].need, least);
    rk_system_release(&wide);
    release(&f);
}

/* A batch whose activations do not fit: the largest that does is found. */
Test(why, smaller_batch)
{
    struct fixture f = {.args = SEARCH_ARGS_INIT};
    struct report report = {.first = NULL};
    f.args.axes.axis[RK_AXIS_TENSOR] = one_value(1);
    f.args.axes.axis[RK_AXIS_PIPELINE] = one_value(8);
    f.args.axes.axis[RK_AXIS_RECOMPUTE] = one_value(RK_RECOMPUTE_NONE);
    f.args.axes.axis[RK_AXIS_INTERLEAVING] = one_value(1);
    set(&f, ENGINES "hbm=17GiB@2TB/s" NETWORKS, 8, 64);
    cr_assert_eq(f.search.result.found, 0);
    search_why_fill(&report, &f.search);
    const struct report_table *changes = find_table(&report, "changes");
    const size_t row = find_change(changes, "smaller_batch", -1);
    cr_assert(cell(changes, row, "helps")->as.flag);
    const uint64_t batch = (uint64_t)cell(changes, row, "to")->as.number;
    for (uint64_t b = batch; b <= batch + 1; b++) {
        struct fixture with = {.args = f.args};
        set(&with, ENGINES "hbm=17GiB@2TB/s" NETWORKS, 8, b);
        cr_assert_eq(with.search.result.found, b == batch, "batch %d", (int)b);
        release(&with);
    }
    report_release(&report);
    release(&f);
}

/* ---- sensitivity ---- */

static double sensitivity(const struct report_table *table, const char *part, int tier,
                          const char *parameter)
{
    for (size_t row = 0; row < table->rows; row++) {
        const struct report_cell *at = cell(table, row, "tier");
        if (strcmp(cell(table, row, "part")->as.text, part) == 0 &&
            strcmp(cell(table, row, "parameter")->as.text, parameter) == 0 &&
            (tier < 0 ? at->type == REPORT_NONE : at->as.count == (uint64_t)tier))
            return cell(table, row, "sensitivity")->as.number;
    }
    cr_assert(false, "no %s %s", part, parameter);
    return 0;
}

/* One GPU, no memory to spare time on: a step is work over rates, so that the sensitivities of the
 * rates add up to that of 1/x, which central differences of 10 % give as -1/(1 - 0.01). */
Test(sensitivity, rates_add_up)
{
    struct fixture f = {.args = SEARCH_ARGS_INIT};
    struct report report = {.first = NULL};
    f.args.axes.axis[RK_AXIS_MICROBATCH] = one_value(1);
    f.args.axes.axis[RK_AXIS_RECOMPUTE] = one_value(RK_RECOMPUTE_NONE);
    set(&f, ENGINES "hbm=unlimited@2TB/s processing=no_overlap" NETWORKS, 1, 8);
    cr_assert_eq(f.search.result.found, 1);
    search_sensitivity_fill(&report, &f.search);
    const struct report_table *table = find_table(&report, "sensitivity");
    const double matrix = sensitivity(table, "matrix", -1, "peak_FLOPps");
    const double vector = sensitivity(table, "vector", -1, "peak_FLOPps");
    const double memory = sensitivity(table, "memory", 0, "bandwidth_Bps");
    cr_assert(matrix < 0 && vector < 0 && memory < 0);
    cr_assert_float_eq(matrix + vector + memory, -1 / 0.99, 1e-9, "%g + %g + %g", matrix, vector,
                       memory);
    cr_assert_eq(sensitivity(table, "network", 0, "bandwidth_Bps"), 0);
    for (size_t row = 1; row < table->rows; row++)
        cr_assert(fabs(cell(table, row - 1, "sensitivity")->as.number) >=
                  fabs(cell(table, row, "sensitivity")->as.number));
    report_release(&report);
    release(&f);
}

/* Each row against the searches that it stands for. */
Test(sensitivity, rows_are_searches)
{
    struct fixture f = {.args = SEARCH_ARGS_INIT};
    struct report report = {.first = NULL};
    set(&f, ENGINES "hbm=8GiB@2TB/s mem2=64GiB@100GB/s" NETWORKS, 16, 32);
    cr_assert_eq(f.search.result.found, 1);
    search_sensitivity_fill(&report, &f.search);
    const struct report_table *table = find_table(&report, "sensitivity");
    for (size_t row = 0; row < table->rows; row++) {
        if (strcmp(cell(table, row, "parameter")->as.text, "capacity_bytes") != 0) continue;
        struct rk_memory *memory = &f.system.memory[cell(table, row, "tier")->as.count];
        const double now = memory->capacity_bytes;
        struct search_best best;
        memory->capacity_bytes = now * 0.9;
        const bool found = search_find_best(&f.search.problem, &f.args, &best);
        const struct report_cell *less = cell(table, row, "time_less_s");
        cr_assert_eq(less->type == REPORT_NUMBER, found);
        if (found) cr_assert_float_eq(less->as.number, 32 / best.estimate.samples_per_s, 1e-12);
        memory->capacity_bytes = now;
    }
    report_release(&report);
    release(&f);
}
