#include "cli/search_answer.h"

#include "cli/describe.h"

#include <inttypes.h>
#include <string.h>

/* ---- the best, row by row ---- */

/* clang-format off */
static const struct report_column best_columns[] = {
    {.name = "rank"},
    {.name = "index",         .title = "index"},
    {.name = "step_s",        .title = "step",      .unit = "s",  .digits = 4},
    {.name = "samples_per_s", .title = "samples/s", .unit = "",   .digits = 5},
    {.name = "tokens_per_s",  .title = "tokens/s",  .unit = "n",  .digits = 2},
    {.name = "mfu",           .title = "MFU",       .unit = "%",  .digits = 2},
    {.name = "hbm_bytes",     .title = "memory",    .unit = "B",  .digits = 1},
    {.name = "offload_bytes", .title = "offloaded", .unit = "B",  .digits = 1},
};
/* clang-format on */

/* Behind the fixed columns: those of --sort and --pareto, as far as they are none of the others;
 * then the strategy. */
enum {
    BEST_FIXED = sizeof best_columns / sizeof *best_columns,
    BEST_OFFLOADED = BEST_FIXED - 1,
    BEST_STRATEGY = BEST_FIXED + SEARCH_KEYS,
    BEST_COLUMNS = BEST_STRATEGY + STRATEGY_COLUMNS
};

/* What a row is made from; `shown` picks the columns. */
struct best_rows {
    const struct search *search;
    const struct search_keys *keys;
    int columns;
    int shown[BEST_COLUMNS];
    struct report_column column[BEST_COLUMNS];
};

static void best_cells(const struct search *search, const struct search_keys *keys, size_t row,
                       struct report_cell *cells)
{
    const struct rk_candidate *candidate = &search->result.best[row];
    struct rk_strategy strategy;
    struct rk_estimate estimate;
    rk_space_strategy(search->space, candidate->index, &strategy);
    rk_estimate(search->model, search->system, &strategy, &estimate);
    cells[0] = cell_count(row + 1);
    cells[1] = cell_count(candidate->index);
    cells[2] = cell_number(estimate.step_s);
    cells[3] = cell_number(estimate.samples_per_s);
    cells[4] = cell_number(estimate.tokens_per_s);
    cells[5] = cell_number(estimate.mfu);
    cells[6] = cell_number(estimate.hbm_bytes);
    cells[7] = cell_number(estimate.offload_bytes);
    for (int i = 0; i < keys->count; i++)
        cells[BEST_FIXED + i] = cell_number(search_key_value(&keys->key[i], &strategy, &estimate));
    strategy_cells(&strategy, cells + BEST_STRATEGY);
}

static void make_best(const void *context, size_t row, struct report_cell *cells)
{
    const struct best_rows *rows = context;
    struct report_cell all[BEST_COLUMNS];
    best_cells(rows->search, rows->keys, row, all);
    for (int i = 0; i < rows->columns; i++)
        cells[i] = all[rows->shown[i]];
}

static bool same_cell(const struct report_cell *a, const struct report_cell *b)
{
    if (a->type == REPORT_TEXT) return strcmp(a->as.text, b->as.text) == 0;
    if (a->type == REPORT_FLAG) return a->as.flag == b->as.flag;
    return a->as.count == b->as.count;
}

/* Which columns of the strategies differ among the best? */
static void find_varying(const struct search *search, bool varies[STRATEGY_COLUMNS])
{
    struct report_cell first[STRATEGY_COLUMNS], cells[STRATEGY_COLUMNS];
    struct rk_strategy strategy;
    for (uint64_t row = 0; row < search->result.found; row++) {
        rk_space_strategy(search->space, search->result.best[row].index, &strategy);
        strategy_cells(&strategy, row ? cells : first);
        for (int i = 0; row && i < STRATEGY_COLUMNS; i++)
            varies[i] |= !same_cell(&first[i], &cells[i]);
    }
}

/* The column that shows a key already: of a figure among the fixed ones, or an axis; else -1. */
static int column_of(const struct search_key *key, const struct report_column *columns)
{
    for (int i = 0; i < BEST_COLUMNS; i++) {
        if (i == BEST_FIXED) i = BEST_STRATEGY;
        if (strcmp(columns[i].name, key->figure ? key->figure->name : key->text) == 0) return i;
    }
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

/* All columns there are; `keep` loses the keys that others show, and gains those others. */
static void fill_columns(const struct search_keys *keys, struct report_column *columns,
                         bool keep[BEST_COLUMNS])
{
    memcpy(columns, best_columns, sizeof best_columns);
    strategy_columns(columns + BEST_STRATEGY);
    for (int i = 0; i < SEARCH_KEYS; i++) {
        keep[BEST_FIXED + i] = i < keys->count;
        if (i >= keys->count) continue;
        const int other = column_of(&keys->key[i], columns);
        if (other >= 0) keep[other] = true;
        keep[BEST_FIXED + i] = other < 0;
        columns[BEST_FIXED + i] = key_column(&keys->key[i]);
    }
}

static void add_best(struct report *report, const struct search_answer *answer, const char *title,
                     unsigned formats, bool keep[BEST_COLUMNS])
{
    struct report_column all[BEST_COLUMNS];
    struct best_rows *rows = report_alloc(report, sizeof *rows);
    if (!rows) return;
    rows->search = answer->search;
    rows->keys = &answer->keys;
    fill_columns(rows->keys, all, keep);
    for (int i = 0; i < BEST_COLUMNS; i++) {
        if (!keep[i]) continue;
        rows->column[rows->columns] = all[i];
        rows->shown[rows->columns++] = i;
    }
    report_add(report,
               &(struct report_table){.name = answer->search->args->pareto ? "frontier" : "best",
                                      .title = title,
                                      .formats = formats,
                                      .columns = rows->column,
                                      .column_count = rows->columns,
                                      .rows = answer->search->result.found,
                                      .make = make_best,
                                      .context = rows});
}

/* ---- people: what is common above, what varies in the table ---- */

static void add_common(struct report *report, const struct search *search,
                       const bool varies[STRATEGY_COLUMNS])
{
    char text[1024], value[24];
    size_t used = 0;
    struct rk_strategy strategy;
    rk_space_strategy(search->space, search->result.best[0].index, &strategy);
    for (int i = 0; i < RK_AXES && used < sizeof text; i++)
        if (!varies[STRATEGY_COLUMNS - RK_AXES + i])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", used ? ", " : "",
                                     rk_axis((enum rk_axis)i)->name,
                                     axis_text(&strategy, (enum rk_axis)i, value));
    if (!used) return;
    report_paragraph(report,
                     report_text(report, "%s: %s",
                                 search->result.found > 1 ? "in all of them" : "strategy", text));
}

static const char *best_title(const struct search *search)
{
    const bool one = search->result.found == 1;
    if (search->args->pareto)
        return one ? "The frontier: one strategy is best in everything"
                   : "The frontier: no strategy is better in everything than one of these";
    return one ? "The best strategy" : "The best strategies";
}

static void add_best_text(struct report *report, const struct search_answer *answer)
{
    const struct search *search = answer->search;
    bool keep[BEST_COLUMNS] = {true, false, true, true, false, true, true};
    bool offloads = false;
    find_varying(search, keep + BEST_STRATEGY);
    for (uint64_t row = 0; row < search->result.found && !offloads; row++) {
        struct report_cell cells[BEST_COLUMNS];
        best_cells(search, &answer->keys, row, cells);
        offloads = cells[BEST_OFFLOADED].as.number > 0;
    }
    keep[BEST_OFFLOADED] = offloads;
    add_common(report, search, keep + BEST_STRATEGY);
    add_best(report, answer, best_title(search), REPORT_IN_TEXT, keep);
}

/* ---- what became of all ---- */

static const struct report_column outcome_columns[] = {
    {.name = "outcome"},
    {.name = "tier"},
    {.name = "where"},
    {.name = "strategies"},
    {.name = "share", .unit = "%", .digits = 2},
    {.name = "bar", .bar = REPORT_BAR_SHARE},
};

/* A row of its own for each tier; `where` is its name. Reasons that never occurred are left out. */
static void outcome_row(struct report *report, struct report_table *table, uint64_t total,
                        enum rk_verdict verdict, int tier, const char *where, uint64_t count)
{
    if (count == 0 && verdict != RK_FITS) return;
    const double share = total ? (double)count / (double)total : 0;
    const struct report_cell cells[] = {
        cell_text(rk_verdict_name(verdict)),
        tier < 0 ? cell_none() : cell_count((uint64_t)tier),
        cell_text(where),
        cell_count(count),
        cell_number(share),
        cell_number(share),
    };
    report_row(report, table, cells);
}

static void add_outcomes(struct report *report, const struct search *search)
{
    const struct rk_search_counts *c = &search->result.counts;
    const struct rk_system *system = search->system;
    struct report_table *table =
        report_add(report, &(struct report_table){.name = "outcomes",
                                                  .title = "What became of the strategies",
                                                  .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                                  .columns = outcome_columns,
                                                  .column_count = 6});
    outcome_row(report, table, c->total, RK_FITS, -1, NULL, c->verdict[RK_FITS][0]);
    for (int tier = 0; tier < system->networks && tier < RK_MAX_TIERS; tier++)
        outcome_row(report, table, c->total, RK_NETWORK_TOO_SMALL, tier, system->network[tier].name,
                    c->verdict[RK_NETWORK_TOO_SMALL][tier]);
    for (int tier = 0; tier < system->networks && tier < RK_MAX_TIERS; tier++)
        outcome_row(report, table, c->total, RK_NETWORK_NOT_FILLED, tier,
                    system->network[tier].name, c->verdict[RK_NETWORK_NOT_FILLED][tier]);
    outcome_row(report, table, c->total, RK_TOO_FEW_BLOCKS, -1, NULL,
                c->verdict[RK_TOO_FEW_BLOCKS][0]);
    for (int tier = 0; tier < system->memories && tier < RK_MAX_TIERS; tier++)
        outcome_row(report, table, c->total, RK_MEMORY_EXCEEDED, tier, system->memory[tier].name,
                    c->verdict[RK_MEMORY_EXCEEDED][tier]);
}

/* ---- the report ---- */

/* ", 1,234 of them satisfy hbm<=60GiB" */
static const char *matching(struct report *report, const struct search *search)
{
    char matches[REPORT_DIGITS];
    if (!search->args->where || !search->selected) return "";
    return report_text(report, ", %s of them satisfy %s",
                       report_digits(search->result.matches, matches), search->args->where);
}

static void add_headline(struct report *report, const struct search *search)
{
    const struct rk_search_counts *c = &search->result.counts;
    char total[REPORT_DIGITS], fits[REPORT_DIGITS];
    if (!search->result.complete)
        report_note(report, "INCOMPLETE: stopped by a signal; the best so far");
    report_note(report,
                report_text(report, "%s on %s, %" PRIu64 " GPU%s, batch up to %" PRIu64 ", %s",
                            search->model->id, search->system->id, search->problem.ranks,
                            search->problem.ranks == 1 ? "" : "s", search->problem.max_batch,
                            rk_datatype_name(search->problem.datatype)));
    report_note(report,
                report_text(report, "  %s strategies, %s can run%s%s",
                            report_digits(c->total, total),
                            report_digits(c->verdict[RK_FITS][0], fits), matching(report, search),
                            c->total == 0 ? ": the batch and the restrictions leave none" : ""));
}

static void add_summary(struct report *report, const struct search *search)
{
    static const struct report_column columns[] = {{.name = "command"}, {.name = "complete"}};
    static const struct report_column problem_columns[] = {
        {.name = "gpus"}, {.name = "max_batch"}, {.name = "datatype"}};
    static const struct report_column query_columns[] = {
        {.name = "where"}, {.name = "sort"}, {.name = "pareto"}};
    static const struct report_column count_columns[] = {
        {.name = "strategies"}, {.name = "fits"}, {.name = "matches"}};
    const struct search_args *args = search->args;
    report_record(
        report, NULL, columns, 2,
        (const struct report_cell[]){cell_text("search"), cell_flag(search->result.complete)});
    report_record(report, "problem", problem_columns, 3,
                  (const struct report_cell[]){
                      cell_count(search->problem.ranks), cell_count(search->problem.max_batch),
                      cell_text(rk_datatype_name(search->problem.datatype))});
    if (search->selected)
        report_record(report, "query", query_columns, 3,
                      (const struct report_cell[]){cell_text(args->where), cell_text(args->sort),
                                                   cell_text(args->pareto)});
    report_record(
        report, "counts", count_columns, search->selected ? 3 : 2,
        (const struct report_cell[]){cell_count(search->result.counts.total),
                                     cell_count(search->result.counts.verdict[RK_FITS][0]),
                                     cell_count(search->result.matches)});
}

void search_answer_fill(struct report *report, const struct search_answer *answer)
{
    const struct search *search = answer->search;
    bool all[BEST_COLUMNS];
    memset(all, true, sizeof all);
    if (search->args->show.format == REPORT_AS_TEXT) {
        add_headline(report, search);
        if (search->result.found) add_best_text(report, answer);
    } else {
        add_summary(report, search);
        describe_model(report, search->model, REPORT_IN_JSON);
        describe_system(report, search->system, REPORT_IN_JSON);
        add_best(report, answer, NULL, REPORT_IN_JSON | REPORT_IN_CSV, all);
    }
    add_outcomes(report, search);
}

/* ---- standard error: time, rate, arguments ---- */

void search_answer_rate(const struct search *search, const struct search_session *session)
{
    const double seconds = search->result.seconds;
    char total[REPORT_DIGITS];
    if (session->resumed) {
        fprintf(stderr, "reckon: went on from %s; the rest took %.3f s\n", session->state.path,
                seconds);
        return;
    }
    fprintf(stderr, "reckon: %s strategies settled in %.3f s, %.4g million a second\n",
            report_digits(search->result.counts.total, total), seconds,
            seconds > 0 ? (double)search->result.counts.total / seconds / 1e6 : 0.0);
}

void search_answer_explain(const struct search *search)
{
    static const struct report_column columns[] = {{.name = "settled by"},
                                                   {.name = "strategies"},
                                                   {.name = "share", .unit = "%", .digits = 3}};
    const struct rk_search_explain *e = &search->result.explain;
    const struct {
        const char *argument;
        uint64_t count;
    } rows[] = {
        {"a network or block count of a whole group", e->refused},
        {"memory", e->refused_by_memory},
        {"a lower bound on the time of a group", e->bounded},
        {"their own time", e->timed},
    };
    struct report report = {.first = NULL};
    struct rk_error error;
    const struct report_style style = show_style(&search->args->show, stderr);
    struct report_table *table = report_add(
        &report,
        &(struct report_table){.formats = REPORT_IN_TEXT, .columns = columns, .column_count = 3});
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        report_row(&report, table,
                   (const struct report_cell[]){
                       cell_text(rows[i].argument), cell_count(rows[i].count),
                       cell_number(search->result.counts.total
                                       ? (double)rows[i].count / (double)search->result.counts.total
                                       : 0)});
    report_write(&report, REPORT_AS_TEXT, &style, stderr, &error);
    report_release(&report);
}

/* ---- a plan in one line ---- */

/* Values that go without saying are left out. */
static const struct {
    enum rk_axis axis;
    uint64_t usual;
} worth[] = {
    {RK_AXIS_TENSOR, 0},
    {RK_AXIS_PIPELINE, 0},
    {RK_AXIS_DATA, 0},
    {RK_AXIS_INTERLEAVING, 1},
    {RK_AXIS_MICROBATCH, 0},
    {RK_AXIS_RECOMPUTE, RK_RECOMPUTE_NONE},
    {RK_AXIS_OPTIMIZER_SHARDING, 0},
    {RK_AXIS_WEIGHT_OFFLOAD, 0},
    {RK_AXIS_ACTIVATION_OFFLOAD, 0},
    {RK_AXIS_OPTIMIZER_OFFLOAD, 0},
};

const char *search_plan_text(struct report *report, const struct rk_strategy *strategy)
{
    char text[512] = "", value[24];
    size_t used = 0;
    for (size_t i = 0; i < sizeof worth / sizeof *worth && used < sizeof text; i++)
        if (rk_axis_get(strategy, worth[i].axis) != worth[i].usual)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", used ? ", " : "",
                                     rk_axis(worth[i].axis)->name,
                                     axis_text(strategy, worth[i].axis, value));
    return report_text(report, "%s", text);
}
