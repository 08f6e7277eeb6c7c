#include "cli/clusters_grid.h"

#include "cli/clusters_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID_AXES = 8, LINE = 4096 };

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

/* "{a,b}" in a line. */
struct axis {
    const char *open, *close; /* its braces */
    int values;
};

struct grid {
    const char *line;
    int axes, machines;
    struct axis axis[GRID_AXES];
};

bool clusters_grid_is(const char *system)
{
    return system && strchr(system, '{') && !strstr(system, ".json");
}

static enum rk_status fail_at(const struct grid *g, const char *at, const char *text,
                              struct rk_error *error)
{
    return rk_fail(error, RK_USAGE, "--system", 1, (int)(at - g->line) + 1, "%s", text);
}

static enum rk_status find_axes(struct grid *g, struct rk_error *error)
{
    g->machines = 1;
    for (const char *at = strchr(g->line, '{'); at; at = strchr(at, '{')) {
        const char *close = strchr(at, '}');
        if (!close) return fail_at(g, at, "{ without }: x{64,128}", error);
        if (g->axes == GRID_AXES) return fail_at(g, at, "more than 8 lists in braces", error);
        struct axis *axis = &g->axis[g->axes++];
        *axis = (struct axis){at, close, 1};
        for (const char *c = at; c < close; c++)
            axis->values += *c == ',';
        g->machines *= axis->values;
        if (g->machines > GRID_MACHINES) return fail_at(g, at, "more than 1024 machines", error);
        at = close;
    }
    return RK_OK;
}

/* Value `index` of an axis. */
static const char *value_of(const struct axis *axis, int index, size_t *length)
{
    const char *at = axis->open + 1;
    for (; index > 0; index--)
        at = strchr(at, ',') + 1;
    *length = strcspn(at, ",}");
    return at;
}

/* Machine `index`, the last axis running fastest; `choice` gets what was chosen. False: too long.
 */
static bool write_line(const struct grid *g, int index, char line[LINE], char choice[LINE])
{
    int digit[GRID_AXES];
    size_t used = 0, said = 0, length;
    const char *at = g->line;
    for (int i = g->axes - 1; i >= 0; i--) {
        digit[i] = index % g->axis[i].values;
        index /= g->axis[i].values;
    }
    for (int i = 0; i < g->axes; i++) {
        const char *value = value_of(&g->axis[i], digit[i], &length);
        const size_t before = (size_t)(g->axis[i].open - at);
        if (used + before + length >= LINE || said + length + 3 >= LINE) return false;
        memcpy(line + used, at, before);
        memcpy(line + used + before, value, length);
        used += before + length;
        said += (size_t)snprintf(choice + said, LINE - said, "%s%.*s", i ? ", " : "", (int)length,
                                 value);
        at = g->axis[i].close + 1;
    }
    return snprintf(line + used, LINE - used, "%s", at) < (int)(LINE - used);
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

enum rk_status clusters_grid(struct report *report, const struct clusters_source *source,
                             struct rk_error *error)
{
    struct grid grid = {.line = source->system};
    char line[LINE], choice[LINE];
    struct report_table *table =
        REPORT_LIST(report, "machines", "The best plan on each machine", REPORT_IN_ALL, columns);
    enum rk_status status = find_axes(&grid, error);
    for (int i = 0; status == RK_OK && i < grid.machines; i++) {
        struct clusters_source one = *source;
        one.system = line;
        status = write_line(&grid, i, line, choice)
                     ? ask_one(report, table, &one, choice, error)
                     : fail_at(&grid, grid.line, "the machine's line is too long", error);
    }
    return status;
}
