/* search_best.c - the best plans of a search, row by row. */
#include "cli/search_best.h"

#include "cli/search_clusters.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* clang-format off */
static const struct report_column best_columns[] = {
    {.name = "rank"},
    {.name = "index",            .title = "index"},
    SEARCH_FIGURES,
    {.name = "offload_bytes",    .title = "offloaded",    .unit = "B", .digits = 1},
    {.name = "plan",             .title = "plan"},
    {.name = "fits_share",       .title = "fits in",      .unit = "%", .digits = 0},
    {.name = "days",             .title = "days",         .digits = 4},
    {.name = "cost_usd",         .title = "cost in USD",  .unit = "n", .digits = 3},
    {.name = "gpus",             .title = "GPUs used"},
    {.name = "step_usd",         .title = "USD per step",   .unit = "",  .digits = 4},
    {.name = "stages",           .title = "plan"},
};
/* clang-format on */

/* After the fixed columns: those of --sort and --pareto that are not among the others; then the
 * axes. */
enum {
    BEST_FIXED = sizeof best_columns / sizeof *best_columns,
    BEST_STAGES = BEST_FIXED - 1, /* these three of several clusters */
    BEST_USD = BEST_FIXED - 2,
    BEST_GPUS = BEST_FIXED - 3,
    BEST_COST = BEST_FIXED - 4,
    BEST_DAYS = BEST_FIXED - 5,
    BEST_CHANCE = BEST_FIXED - 6,
    BEST_PLAN = BEST_FIXED - 7,
    BEST_OFFLOADED = BEST_FIXED - 8,
    BEST_AXES = BEST_FIXED + SEARCH_KEYS,
    BEST_COLUMNS = BEST_AXES + RK_PLAN_AXES
};

struct best_rows {
    struct report *report;
    const struct search *search;
    const struct search_keys *keys;
    const uint64_t *place; /* of each row among the best; NULL: every one has a row */
    int columns;
    int shown[BEST_COLUMNS];
    struct report_column column[BEST_COLUMNS];
    char words[RK_PLAN_TEXT]; /* of the row at hand, as the next */
    char value[RK_PLAN_AXES][RK_PLAN_AXIS_TEXT];
};

/* Does the predictor have this axis, and a plan one value of it? */
static bool has_axis(const struct search *search, int axis)
{
    return !search_is_over_clusters(search) &&
           rk_plan_axis_info((enum rk_plan_axis)axis)->by &
               (unsigned)(search_is_published(search) ? RK_BY_CALCULON : RK_BY_RECKON);
}

static void best_cells(struct best_rows *rows, size_t at, struct report_cell *cells)
{
    const uint64_t row = rows->place ? rows->place[at] : at;
    const struct search *search = rows->search;
    struct rk_prediction p;
    struct rk_plan plan;
    search_plan(search, row, &plan);
    rk_predict(search->problem.model, search->problem.system, &plan, &p);
    rk_plan_text(&plan, rows->words, sizeof rows->words);
    cells[0] = cell_count(at + 1); /* among those shown */
    cells[1] = cell_count(search->result.best[row].index);
    cells[2] = cell_number(p.step_s);
    cells[3] = cell_number(p.samples_per_s);
    cells[4] = cell_number(p.tokens_per_s);
    cells[5] = cell_number(p.tokens_per_s / (double)plan.ranks);
    cells[6] = cell_number(p.mfu);
    cells[7] = cell_number(p.hbm_bytes);
    const double chance =
        rk_fit_chance(search->problem.model, search->problem.system, &plan, p.hbm_bytes);
    cells[BEST_CHANCE] = isnan(chance) ? cell_none() : cell_number(chance);
    cells[BEST_OFFLOADED] = cell_number(p.offload_bytes);
    cells[BEST_PLAN] = cell_text(rows->words);
    const struct run_sums run = run_sums_of(&search->run, p.step_s);
    cells[BEST_DAYS] = run.days > 0 ? cell_number(run.days) : cell_none();
    cells[BEST_COST] = run.cost > 0 ? cell_number(run.cost) : cell_none();
    const bool over = search_is_over_clusters(search);
    cells[BEST_GPUS] = cell_count(plan.ranks);
    cells[BEST_USD] = isfinite(p.step_usd) ? cell_number(p.step_usd) : cell_none();
    cells[BEST_STAGES] =
        over ? cell_text(search_clusters_words(rows->report, search, &plan)) : cell_none();
    for (int i = 0; i < rows->keys->count; i++)
        cells[BEST_FIXED + i] =
            cell_number(search_key_value(&rows->keys->key[i], &plan, &p.outcome));
    for (int axis = 0; axis < RK_PLAN_AXES; axis++)
        cells[BEST_AXES + axis] = plan_axis_cell(&plan, (enum rk_plan_axis)axis, rows->value[axis]);
}

static void make_best(const void *context, size_t row, struct report_cell *cells)
{
    struct best_rows *rows = (struct best_rows *)context; /* its texts live until the next row */
    struct report_cell all[BEST_COLUMNS];
    best_cells(rows, row, all);
    for (int i = 0; i < rows->columns; i++)
        cells[i] = all[rows->shown[i]];
}

/* The column that shows a key already: of a figure among the fixed ones, or an axis; else -1. */
static int column_of(const struct search_key *key)
{
    const char *name = key->figure ? key->figure->name : key->text;
    if (strcmp(name, "cost") == 0) return BEST_COST;
    for (int i = 0; i < BEST_FIXED; i++)
        if (strcmp(best_columns[i].name, name) == 0) return i;
    for (int axis = 0; axis < RK_PLAN_AXES; axis++)
        if (strcmp(plan_axis_key((enum rk_plan_axis)axis), name) == 0) return BEST_AXES + axis;
    return -1;
}

static struct report_column key_column(const struct search_key *key)
{
    const char *unit = key->figure ? key->figure->unit : "";
    return (struct report_column){.name = key->figure ? key->figure->name : key->text,
                                  .title = key->text,
                                  .unit = strcmp(unit, "1/s") ? unit : "",
                                  .digits = 4};
}

/* Adds the columns of the keys, or those that show them already, to what is kept. */
static void keep_keys(const struct search_keys *keys, bool keep[BEST_COLUMNS])
{
    for (int i = 0; i < SEARCH_KEYS; i++)
        keep[BEST_FIXED + i] = false;
    for (int i = 0; i < keys->count; i++) {
        const int other = column_of(&keys->key[i]);
        keep[other >= 0 ? other : BEST_FIXED + i] = true;
    }
}

static struct report_column column_at(const struct search_keys *keys, int i)
{
    if (i < BEST_FIXED) return best_columns[i];
    if (i < BEST_AXES) return key_column(&keys->key[i - BEST_FIXED]);
    return plan_axis_column((enum rk_plan_axis)(i - BEST_AXES));
}

/* Which of the best have a row. */
struct best_choice {
    const uint64_t *place; /* (count); NULL: all */
    uint64_t count, ties;  /* ties: left out */
};

static void add_best(struct report *report, const struct search *search,
                     const struct search_keys *keys, const char *title, unsigned formats,
                     bool keep[BEST_COLUMNS], const struct best_choice *choice)
{
    struct best_rows *rows = report_alloc(report, sizeof *rows);
    if (!rows) return;
    rows->report = report;
    rows->search = search;
    rows->keys = keys;
    rows->place = choice->place;
    keep_keys(keys, keep);
    for (int i = BEST_GPUS; i <= BEST_STAGES; i++)
        keep[i] &= search_is_over_clusters(search);
    for (int i = 0; i < BEST_COLUMNS; i++) {
        if (!keep[i] || (i >= BEST_AXES && !has_axis(search, i - BEST_AXES))) continue;
        rows->column[rows->columns] = column_at(keys, i);
        rows->shown[rows->columns++] = i;
    }
    report_add(report, &(struct report_table){.name = search->args->pareto ? "frontier" : "best",
                                              .title = title,
                                              .formats = formats,
                                              .columns = rows->column,
                                              .column_count = rows->columns,
                                              .rows = choice->count,
                                              .make = make_best,
                                              .context = rows});
}

/* ---- people: what is common above, what varies in the table ---- */

enum { ROWS_LOOKED_AT = 1000 };

/* Which axes differ among the best? Of very many, the first ones tell. */
static void find_varying(const struct search *search, bool varies[RK_PLAN_AXES])
{
    struct rk_plan first, plan;
    search_plan(search, 0, &first);
    for (uint64_t row = 1; row < search_rows(search) && row < ROWS_LOOKED_AT; row++) {
        search_plan(search, row, &plan);
        for (int axis = 0; axis < RK_PLAN_AXES; axis++)
            varies[axis] |= rk_plan_axis_get(&plan, (enum rk_plan_axis)axis) !=
                            rk_plan_axis_get(&first, (enum rk_plan_axis)axis);
    }
}

static void add_common(struct report *report, const struct search *search,
                       const bool varies[RK_PLAN_AXES])
{
    char text[2048], value[RK_PLAN_AXIS_TEXT];
    size_t used = 0;
    struct rk_plan plan;
    search_plan(search, 0, &plan);
    for (int i = 0; i < RK_PLAN_AXES && used < sizeof text; i++) {
        const enum rk_plan_axis axis = (enum rk_plan_axis)i;
        if (varies[axis] || !has_axis(search, i) ||
            !plan_axis_says(axis, search->problem.model, search->problem.system, &plan))
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", used ? ", " : "",
                                 rk_plan_axis_info(axis)->name,
                                 rk_plan_axis_text(axis, rk_plan_axis_get(&plan, axis), value));
    }
    if (used && (search_rows(search) == 1 || search->args->verbose))
        report_paragraph(report,
                         report_text(report, "%s: %s",
                                     search_rows(search) > 1 ? "common to all" : "plan", text));
}

static const char *best_title(struct report *report, const struct search *search)
{
    const bool one = search->result.found == 1;
    if (search_rows(search) < search->result.found)
        return report_text(report, "The first %" PRIu64 " of the %" PRIu64 " plans of the frontier",
                           search_rows(search), search->result.found);
    if (search->args->pareto)
        return one ? "Pareto frontier: one plan is best in everything"
                   : "Pareto frontier: no plan is better in everything than one of these";
    return one ? "Best plan" : "Best plans";
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(a);
}

static double memory_of(const struct search *search, uint64_t row)
{
    struct rk_prediction prediction;
    struct rk_plan plan;
    search_plan(search, row, &plan);
    rk_predict(search->problem.model, search->problem.system, &plan, &prediction);
    return prediction.hbm_bytes;
}

/* Plans that take the time and the memory of one before them differ in words alone: recomputing
 * what only stages have that nobody waits for. */
static struct best_choice without_ties(struct report *report, const struct search *search)
{
    const struct rk_candidate *best = search->result.best;
    const uint64_t rows = search_rows(search);
    struct best_choice choice = {.count = rows};
    uint64_t *place = rows < ROWS_LOOKED_AT ? report_alloc(report, rows * sizeof *place) : NULL;
    if (!place) return choice;
    choice.count = 0;
    for (uint64_t row = 0; row < rows; row++) {
        bool tie = false;
        for (uint64_t i = choice.count; i-- > 0 && near(best[place[i]].step_s, best[row].step_s);)
            tie |= near(memory_of(search, place[i]), memory_of(search, row));
        if (tie)
            choice.ties++;
        else
            place[choice.count++] = row;
    }
    choice.place = place;
    return choice;
}

/* What is offloaded, next to how much: whether or not all of the best do. */
static void keep_offloads(const struct rk_plan *plan, bool keep[BEST_COLUMNS])
{
    static const enum rk_plan_axis axes[] = {RK_PLAN_ACTIVATION_OFFLOAD, RK_PLAN_OPTIMIZER_OFFLOAD,
                                             RK_PLAN_WEIGHT_OFFLOAD};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (rk_plan_axis_get(plan, axes[i]))
            keep[BEST_OFFLOADED] = keep[BEST_AXES + axes[i]] = true;
}

void search_best_text(struct report *report, const struct search *search,
                      const struct search_keys *keys)
{
    bool keep[BEST_COLUMNS] = {true, false, true, false, false, true, true, true};
    const bool over = search_is_over_clusters(search);
    keep[BEST_CHANCE] = !search_is_published(search) && !over;
    keep[BEST_GPUS] = keep[BEST_USD] = keep[BEST_STAGES] = over;
    keep[BEST_DAYS] = search->run.of_a_second.days > 0;
    keep[BEST_COST] = search->run.of_a_second.cost > 0;
    bool *axes = keep + BEST_AXES;
    if (!over) find_varying(search, axes);
    if (!over) add_common(report, search, axes);
    for (uint64_t row = 0; row < search_rows(search) && row < ROWS_LOOKED_AT; row++) {
        struct rk_plan plan;
        search_plan(search, row, &plan);
        keep_offloads(&plan, keep);
    }
    const struct best_choice choice = without_ties(report, search);
    add_best(report, search, keys, best_title(report, search), REPORT_IN_TEXT, keep, &choice);
    if (choice.ties)
        report_note(report, report_text(report,
                                        "not shown: %" PRIu64 " plan%s of the same time and memory "
                                        "as a plan above",
                                        choice.ties, choice.ties == 1 ? "" : "s"));
}

void search_best_all(struct report *report, const struct search *search,
                     const struct search_keys *keys)
{
    const struct best_choice every = {.count = search_rows(search)};
    bool all[BEST_COLUMNS];
    memset(all, true, sizeof all);
    add_best(report, search, keys, NULL, REPORT_IN_JSON | REPORT_IN_CSV, all, &every);
}
