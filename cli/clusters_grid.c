#include "cli/clusters_grid.h"

#include "base/braces.h"
#include "cli/clusters_tables.h"
#include "cli/number_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
/* The first column is of several batches. */
static const struct report_column columns[] = {
    {.name = "batch"},
    {.name = "choice", .title = "machine"},
    {.name = "gpus", .title = "GPUs there"},
    {.name = "gpus_used", .title = "used"},
    {.name = "step_s", .title = "step", .unit = "s", .digits = 4},
    {.name = "samples_per_s", .title = "samples a second", .digits = 5},
    {.name = "usd", .title = "USD a step", .digits = 4},
    {.name = "samples_per_usd", .title = "samples a USD", .digits = 5},
    {.name = "stages"},
    {.name = "clusters", .title = "clusters used"},
    {.name = "bound_s", .title = "bound", .unit = "s", .digits = 4},
};
/* clang-format on */
enum { COLUMNS = sizeof columns / sizeof *columns };

static bool has_braces(const char *system)
{
    return system && strchr(system, '{') && !strstr(system, ".json");
}

static bool has_batches(const char *batch)
{
    return batch && (strchr(batch, ',') || strstr(batch, ".."));
}

bool clusters_grid_is(const struct clusters_source *source)
{
    return has_braces(source->system) || has_batches(source->batch);
}

/* The table, and how many of the first columns it has not. */
struct grid {
    struct report *report;
    struct report_table *table;
    int skip;
};

static void add_row(const struct grid *grid, const char *choice, const struct clusters_input *input,
                    bool fits)
{
    struct report *report = grid->report;
    const struct clusters_plan *best = &input->answer->best;
    const double usd = fits ? clusters_price(&input->machine, best) : NAN;
    const double samples = (double)input->question.words.batch;
    uint64_t there = 0;
    for (int i = 0; i < input->machine.clusters; i++)
        there += input->machine.cluster[i].system.devices;
    const struct report_cell cells[COLUMNS] = {
        cell_count(input->question.words.batch),
        cell_text(*choice ? report_text(report, "%s", choice) : "as given"),
        cell_count(there),
        fits ? cell_count(clusters_gpus_used(best)) : cell_none(),
        fits ? cell_number(best->simulated_s) : cell_none(),
        fits ? cell_number(samples / best->simulated_s) : cell_none(),
        isnan(usd) ? cell_none() : cell_number(usd),
        isnan(usd) ? cell_none() : cell_number(samples / usd),
        fits ? cell_count((uint64_t)best->stages) : cell_none(),
        cell_text(fits ? clusters_text(report, &input->machine, best) : "nothing fits"),
        fits && input->answer->problems ? cell_number(input->answer->proved.value_s) : cell_none(),
    };
    report_row(report, grid->table, cells + grid->skip);
}

static enum rk_status ask_one(const struct grid *grid, const struct clusters_source *source,
                              const char *choice, struct rk_error *error)
{
    struct clusters_input input;
    enum rk_status status = clusters_input_open(&input, source, error);
    if (status == RK_OK) {
        bool full;
        status = clusters_input_leave(&input, NULL, error);
        if (status == RK_OK) status = clusters_input_roomy(&input, false, &full, error);
        const bool unfit = status == RK_NOTHING_FITS;
        if (status == RK_OK || unfit) add_row(grid, choice, &input, !unfit);
        if (unfit) status = RK_OK;
    }
    clusters_input_release(&input);
    return status;
}

static enum rk_status fail_at(const char *system, const char *at, const char *text,
                              struct rk_error *error)
{
    return rk_fail(error, RK_BAD_ARGUMENT, "--system", 1, (int)(at - system) + 1, "%s", text);
}

/* One machine with every batch. */
static enum rk_status ask_batches(const struct grid *grid, const struct clusters_source *source,
                                  const struct number_list *batches, const char *choice,
                                  struct rk_error *error)
{
    enum rk_status status = RK_OK;
    if (!batches->count) return ask_one(grid, source, choice, error);
    for (int i = 0; i < batches->count && status == RK_OK; i++) {
        char batch[24];
        struct clusters_source one = *source;
        snprintf(batch, sizeof batch, "%" PRIu64, batches->value[i]);
        one.batch = batch;
        status = ask_one(grid, &one, choice, error);
    }
    return status;
}

enum rk_status clusters_grid(struct report *report, const struct clusters_source *source,
                             struct rk_error *error)
{
    struct braces braces = {.line = source->system, .lines = 1};
    struct number_list batches = {.count = 0};
    char line[BRACES_LINE] = "", choice[BRACES_LINE] = "";
    const char *at, *fault = NULL;
    const bool lists = has_braces(source->system), several = has_batches(source->batch);
    enum rk_status status =
        source->batch ? number_list_parse("--batch", source->batch, &batches, error) : RK_OK;
    struct grid grid = {.report = report, .skip = !several};
    grid.table = report_list(report, "machines", "The best plan on each machine", REPORT_IN_ALL,
                             columns + grid.skip, COLUMNS - grid.skip);
    if (lists) fault = braces_find(&braces, source->system, &at);
    if (status == RK_OK && fault) status = fail_at(source->system, at, fault, error);
    for (int i = 0; status == RK_OK && i < braces.lines; i++) {
        struct clusters_source one = *source;
        if (lists) one.system = line;
        status =
            !lists || braces_write(&braces, i, line, choice)
                ? ask_batches(&grid, &one, &batches, choice, error)
                : fail_at(source->system, source->system, "the machine's line is too long", error);
    }
    return status;
}
