#include "cli/clusters_grid.h"

#include "base/braces.h"
#include "cli/clusters_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct report_column columns[] = {
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

bool clusters_grid_is(const char *system)
{
    return system && strchr(system, '{') && !strstr(system, ".json");
}

static void add_row(struct report *report, struct report_table *table, const char *choice,
                    const struct clusters_input *input, bool fits)
{
    const struct clusters_plan *best = &input->answer->best;
    const double usd = fits ? clusters_price(&input->machine, best) : NAN;
    const double samples = (double)input->question.words.batch;
    uint64_t there = 0;
    for (int i = 0; i < input->machine.clusters; i++)
        there += input->machine.cluster[i].system.devices;
    report_row(report, table,
               (const struct report_cell[]){
                   cell_text(report_text(report, "%s", choice)),
                   cell_count(there),
                   fits ? cell_count(clusters_gpus_used(best)) : cell_none(),
                   fits ? cell_number(best->simulated_s) : cell_none(),
                   fits ? cell_number(samples / best->simulated_s) : cell_none(),
                   isnan(usd) ? cell_none() : cell_number(usd),
                   isnan(usd) ? cell_none() : cell_number(samples / usd),
                   fits ? cell_count((uint64_t)best->stages) : cell_none(),
                   cell_text(fits ? clusters_text(report, &input->machine, best) : "nothing fits"),
                   fits && input->answer->problems ? cell_number(input->answer->proved.value_s) : cell_none(),
               });
}

static enum rk_status ask_one(struct report *report, struct report_table *table,
                              const struct clusters_source *source, const char *choice,
                              struct rk_error *error)
{
    struct clusters_input input;
    enum rk_status status = clusters_input_open(&input, source, error);
    if (status == RK_OK) {
        status = clusters_input_answer(&input, false, error);
        const bool unfit = status == RK_NOTHING_FITS;
        if (status == RK_OK || unfit) add_row(report, table, choice, &input, !unfit);
        if (unfit) status = RK_OK;
    }
    clusters_input_release(&input);
    return status;
}

static enum rk_status fail_at(const char *system, const char *at, const char *text,
                              struct rk_error *error)
{
    return rk_fail(error, RK_USAGE, "--system", 1, (int)(at - system) + 1, "%s", text);
}

enum rk_status clusters_grid(struct report *report, const struct clusters_source *source,
                             struct rk_error *error)
{
    struct braces braces;
    char line[BRACES_LINE], choice[BRACES_LINE];
    const char *at, *fault = braces_find(&braces, source->system, &at);
    struct report_table *table =
        REPORT_LIST(report, "machines", "The best plan on each machine", REPORT_IN_ALL, columns);
    enum rk_status status = fault ? fail_at(source->system, at, fault, error) : RK_OK;
    for (int i = 0; status == RK_OK && i < braces.lines; i++) {
        struct clusters_source one = *source;
        one.system = line;
        status = braces_write(&braces, i, line, choice)
                     ? ask_one(report, table, &one, choice, error)
                     : fail_at(source->system, source->system, "the machine's line is too long",
                               error);
    }
    return status;
}
