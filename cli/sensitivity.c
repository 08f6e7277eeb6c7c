/* sensitivity.c - what of the machine the best time depends on, as a table. */
#include "base/units.h"
#include "cli/questions.h"

#include <math.h>
#include <string.h>

/* clang-format off */
/* The first column is of several clusters. */
static const struct report_column columns[] = {
    {.name = "cluster"},
    {.name = "part"},
    {.name = "tier"},
    {.name = "name"},
    {.name = "parameter"},
    {.name = "value"},
    {.name = "sensitivity", .digits = 3, .help = "relative change of the best time per relative change of the parameter"},
    {.name = "time_more_s", .title = "10 % more", .unit = "s", .digits = 4},
    {.name = "time_less_s", .title = "10 % less", .unit = "s", .digits = 4},
};
static const struct report_column text_columns[] = {
    {.name = "cluster"},
    {.name = "what"},
    {.name = "now"},
    {.name = "sensitivity"},
    {.name = "best time with 10 % more"},
    {.name = "with 10 % less"},
};
enum { COLUMNS = sizeof columns / sizeof *columns, TEXT_COLUMNS = sizeof text_columns / sizeof *text_columns };
static const struct {
    const char *unit;
    enum quantity quantity;
} quantities[] = {
    {"FLOP/s", QUANTITY_FLOP_PER_S}, {"B/s", QUANTITY_BYTES_PER_S}, {"B", QUANTITY_BYTES},
    {"s", QUANTITY_SECONDS},         {"", QUANTITY_PLAIN},
};
/* clang-format on */

static const char *name_of(const struct rk_system *system, const struct rk_effect *e)
{
    if (e->tier < 0) return NULL;
    const char *name = strcmp(e->part, "memory") == 0 ? system->memory[e->tier].name
                                                      : system->network[e->tier].name;
    return *name ? name : NULL;
}

static const char *what_text(struct report *report, const struct rk_system *system,
                             const struct rk_effect *e)
{
    const char *name = name_of(system, e);
    const int length = (int)strcspn(e->parameter, "_"); /* without the unit */
    const bool engine = strcmp(e->part, "matrix") == 0 || strcmp(e->part, "vector") == 0;
    if (e->tier < 0)
        return report_text(report, "%s%s: %.*s", e->part, engine ? " engine" : "", length,
                           e->parameter);
    return report_text(report, "%s tier %d%s%s%s: %.*s", e->part, e->tier, name ? " (" : "",
                       name ? name : "", name ? ")" : "", length, e->parameter);
}

static const char *value_text(struct report *report, const struct rk_effect *e)
{
    char text[QUANTITY_TEXT];
    size_t i = 0;
    while (strcmp(quantities[i].unit, e->unit) != 0)
        i++;
    return report_text(report, "%s", quantity_format(text, quantities[i].quantity, e->value));
}

static const char *time_text(struct report *report, double step_s, double now_s)
{
    if (isnan(step_s)) return "not possible";
    if (isinf(step_s)) return "nothing fits";
    return report_text(report, "%.4g s (%+.2f %%)", step_s, 100 * (step_s / now_s - 1) + 0.0);
}

static struct report_cell time_cell(double step_s)
{
    return isfinite(step_s) ? cell_number(step_s) : cell_none();
}

struct tables {
    struct report *report;
    struct report_table *all, *text;
    double now_s;
    int skip; /* columns: 1 of one cluster */
};

static struct tables tables_of(struct report *report, double now_s, bool several, bool held)
{
    struct tables t = {.report = report, .now_s = now_s, .skip = !several};
    t.all = report_list(report, "sensitivity", NULL, REPORT_IN_JSON | REPORT_IN_CSV,
                        columns + t.skip, COLUMNS - t.skip);
    t.text = report_list(report, NULL,
                         held ? "Sensitivity of the first plan, held fixed: relative change of its "
                                "time per relative change of the parameter"
                              : "Sensitivity of the best time: its relative change per relative "
                                "change of the parameter",
                         REPORT_IN_TEXT, text_columns + t.skip, TEXT_COLUMNS - t.skip);
    return t;
}

static void add_row(const struct tables *t, const char *cluster, const struct rk_system *system,
                    const struct rk_effect *e)
{
    struct report *report = t->report;
    const struct report_cell all[COLUMNS] = {cell_text(cluster),
                                             cell_text(e->part),
                                             e->tier < 0 ? cell_none()
                                                         : cell_count((uint64_t)e->tier),
                                             cell_text(name_of(system, e)),
                                             cell_text(e->parameter),
                                             cell_number(e->value),
                                             cell_number(e->sensitivity + 0.0),
                                             time_cell(e->more_s),
                                             time_cell(e->less_s)};
    const struct report_cell text[TEXT_COLUMNS] = {
        cell_text(cluster),
        cell_text(what_text(report, system, e)),
        cell_text(value_text(report, e)),
        cell_text(report_text(report, "%+.3f", e->sensitivity + 0.0)),
        cell_text(time_text(report, e->more_s, t->now_s)),
        cell_text(time_text(report, e->less_s, t->now_s))};
    report_row(report, t->all, all + t->skip);
    report_row(report, t->text, text + t->skip);
}

void print_sensitivity(struct report *report, const struct rk_plans_problem *problem,
                       const struct rk_aim *aim, const struct rk_plan *held)
{
    struct rk_effects effects;
    struct rk_error error;
    const enum rk_status status = held ? rk_effects_of_plan(problem, aim, held, &effects, &error)
                                       : rk_effects_find(problem, aim, &effects, &error);
    const struct rk_machine *machine = problem->system->machine;
    if (status == RK_OK) {
        const struct tables tables = tables_of(report, effects.now_s, machine != NULL, held);
        for (int i = 0; i < effects.count; i++) {
            const struct rk_effect *e = &effects.effect[i];
            const char *name = machine ? machine->cluster[e->cluster].name : NULL;
            if (e->other >= 0)
                name = report_text(report, "%s - %s", name, machine->cluster[e->other].name);
            add_row(&tables, name, rk_system_of(problem->system, e->cluster), e);
        }
    }
    if (status == RK_NO_MEMORY) report->failed = true;
    rk_effects_release(&effects);
}
