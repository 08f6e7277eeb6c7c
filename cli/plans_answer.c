#include "cli/describe.h"
#include "cli/plans_job.h"

#include <inttypes.h>
#include <string.h>

/* ---- the best, row by row ---- */

/* clang-format off */
static const struct report_column best_columns[] = {
    {.name = "rank"},
    {.name = "index",            .title = "index"},
    {.name = "step_s",           .title = "step",         .unit = "s", .digits = 4},
    {.name = "samples_per_s",    .title = "samples/s",    .unit = "",  .digits = 5},
    {.name = "tokens_per_s",     .title = "tokens/s",     .unit = "n", .digits = 2},
    {.name = "tokens_per_s_gpu", .title = "tokens/s/GPU", .unit = "",  .digits = 5},
    {.name = "mfu",              .title = "MFU",          .unit = "%", .digits = 2},
    {.name = "hbm_bytes",        .title = "memory",       .unit = "B", .digits = 1},
    {.name = "offload_bytes",    .title = "offloaded",    .unit = "B", .digits = 1},
    {.name = "plan",             .title = "plan"},
};
/* clang-format on */

enum {
    BEST_FIXED = sizeof best_columns / sizeof *best_columns,
    BEST_OFFLOADED = BEST_FIXED - 2,
    BEST_COLUMNS = BEST_FIXED + RK_PLAN_AXES
};

struct best_rows {
    const struct plans_job *job;
    int columns;
    int shown[BEST_COLUMNS];
    struct report_column column[BEST_COLUMNS];
    char words[RK_PLAN_TEXT]; /* of the row at hand, as the next */
    char value[RK_PLAN_AXES][RK_PLAN_AXIS_TEXT];
};

static void best_plan(const struct plans_job *job, size_t row, struct rk_plan *plan)
{
    rk_plans_plan(job->plans, job->result.best[row].index, plan);
}

/* Does the predictor of the job have this axis? */
static bool has_axis(const struct plans_job *job, int axis)
{
    const bool calculon = job->problem.base.framework == RK_CALCULON;
    return rk_plan_axis_info((enum rk_plan_axis)axis)->by &
           (unsigned)(calculon ? RK_BY_CALCULON : RK_BY_RECKON);
}

static struct report_cell axis_cell(const struct rk_plan *plan, enum rk_plan_axis axis,
                                    char buffer[RK_PLAN_AXIS_TEXT])
{
    const uint64_t value = rk_plan_axis_get(plan, axis);
    switch (rk_plan_axis_info(axis)->type) {
    case RK_PLAN_NUMBER:
        return cell_count(value);
    case RK_PLAN_BOOL:
        return cell_flag(value != 0);
    case RK_PLAN_TIER:
        if (axis < RK_PLAN_TENSOR_NETWORK && value <= 1) return cell_flag(value != 0);
        return cell_count(value);
    default:
        return cell_text(rk_plan_axis_text(axis, value, buffer));
    }
}

static double most_offloaded(const struct rk_prediction *p)
{
    double most = 0;
    for (int i = 0; i < p->stages; i++)
        if (p->stage[i].offloaded_bytes > most) most = p->stage[i].offloaded_bytes;
    return most;
}

static void best_cells(struct best_rows *rows, size_t row, struct report_cell *cells)
{
    const struct plans_job *job = rows->job;
    struct rk_prediction p;
    struct rk_plan plan;
    best_plan(job, row, &plan);
    rk_predict(job->problem.model, job->problem.system, &plan, &p);
    rk_plan_text(&plan, rows->words, sizeof rows->words);
    cells[0] = cell_count(row + 1);
    cells[1] = cell_count(job->result.best[row].index);
    cells[2] = cell_number(p.step_s);
    cells[3] = cell_number(p.samples_per_s);
    cells[4] = cell_number(p.tokens_per_s);
    cells[5] = cell_number(p.tokens_per_s / (double)plan.ranks);
    cells[6] = cell_number(p.mfu);
    cells[7] = cell_number(p.stage[p.tightest].total_bytes);
    cells[8] = cell_number(most_offloaded(&p));
    cells[9] = cell_text(rows->words);
    for (int axis = 0; axis < RK_PLAN_AXES; axis++)
        cells[BEST_FIXED + axis] = axis_cell(&plan, (enum rk_plan_axis)axis, rows->value[axis]);
}

static void make_best(const void *context, size_t row, struct report_cell *cells)
{
    struct best_rows *rows = (struct best_rows *)context; /* its texts live until the next row */
    struct report_cell all[BEST_COLUMNS];
    best_cells(rows, row, all);
    for (int i = 0; i < rows->columns; i++)
        cells[i] = all[rows->shown[i]];
}

static struct report_column axis_column(enum rk_plan_axis axis)
{
    return (struct report_column){.name = plan_axis_key(axis),
                                  .title = rk_plan_axis_info(axis)->name};
}

static void add_best(struct report *report, const struct plans_job *job, const char *title,
                     unsigned formats, const bool keep[BEST_COLUMNS])
{
    struct best_rows *rows = report_alloc(report, sizeof *rows);
    if (!rows) return;
    rows->job = job;
    for (int i = 0; i < BEST_COLUMNS; i++) {
        if (!keep[i] || (i >= BEST_FIXED && !has_axis(job, i - BEST_FIXED))) continue;
        rows->column[rows->columns] =
            i < BEST_FIXED ? best_columns[i] : axis_column((enum rk_plan_axis)(i - BEST_FIXED));
        rows->shown[rows->columns++] = i;
    }
    report_add(report, &(struct report_table){.name = "best",
                                              .title = title,
                                              .formats = formats,
                                              .columns = rows->column,
                                              .column_count = rows->columns,
                                              .rows = job->result.found,
                                              .make = make_best,
                                              .context = rows});
}

/* ---- people: what is common above, what varies in the table ---- */

enum { ROWS_LOOKED_AT = 1000 };

/* Which axes differ among the best? Of very many, the first ones tell. */
static void find_varying(const struct plans_job *job, bool varies[RK_PLAN_AXES])
{
    struct rk_plan first, plan;
    best_plan(job, 0, &first);
    for (uint64_t row = 1; row < job->result.found && row < ROWS_LOOKED_AT; row++) {
        best_plan(job, row, &plan);
        for (int axis = 0; axis < RK_PLAN_AXES; axis++)
            varies[axis] |= rk_plan_axis_get(&plan, (enum rk_plan_axis)axis) !=
                            rk_plan_axis_get(&first, (enum rk_plan_axis)axis);
    }
}

static void add_common(struct report *report, const struct plans_job *job,
                       const bool varies[RK_PLAN_AXES])
{
    char text[2048], value[RK_PLAN_AXIS_TEXT];
    size_t used = 0;
    struct rk_plan plan;
    best_plan(job, 0, &plan);
    for (int i = 0; i < RK_PLAN_AXES && used < sizeof text; i++) {
        const enum rk_plan_axis axis = (enum rk_plan_axis)i;
        const bool dense = axis == RK_PLAN_EXPERT_TENSOR && !job->problem.model->experts;
        if (varies[axis] || dense || !has_axis(job, i)) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", used ? ", " : "",
                                 rk_plan_axis_info(axis)->name,
                                 rk_plan_axis_text(axis, rk_plan_axis_get(&plan, axis), value));
    }
    if (used)
        report_paragraph(
            report,
            report_text(report, "%s: %s", job->result.found > 1 ? "in all of them" : "plan", text));
}

static void add_words(struct report *report, const struct plans_job *job)
{
    char words[RK_PLAN_TEXT];
    struct rk_plan plan;
    best_plan(job, 0, &plan);
    rk_plan_text(&plan, words, sizeof words);
    report_paragraph(report,
                     report_text(report, "the best in words, for reckon predict: %s", words));
}

static void add_best_text(struct report *report, const struct plans_job *job)
{
    bool keep[BEST_COLUMNS] = {true, false, true, false, false, true, true, true};
    find_varying(job, keep + BEST_FIXED);
    add_common(report, job, keep + BEST_FIXED);
    add_words(report, job);
    keep[BEST_OFFLOADED] = keep[BEST_FIXED + RK_PLAN_ACTIVATION_OFFLOAD] ||
                           keep[BEST_FIXED + RK_PLAN_OPTIMIZER_OFFLOAD] ||
                           keep[BEST_FIXED + RK_PLAN_WEIGHT_OFFLOAD];
    add_best(report, job, job->result.found == 1 ? "The best plan" : "The best plans",
             REPORT_IN_TEXT, keep);
}

/* ---- what became of all ---- */

static const struct report_column outcome_columns[] = {
    {.name = "outcome"},
    {.name = "plans"},
    {.name = "share", .unit = "%", .digits = 2},
    {.name = "bar", .bar = REPORT_BAR_SHARE},
};

static void outcome_row(struct report *report, struct report_table *table, uint64_t total,
                        const char *name, uint64_t count)
{
    const double share = total ? (double)count / (double)total : 0;
    report_row(report, table,
               (const struct report_cell[]){cell_text(name), cell_count(count), cell_number(share),
                                            cell_number(share)});
}

/* Reasons that never occurred are left out. */
static void add_outcomes(struct report *report, const struct plans_job *job)
{
    const struct rk_search_counts *c = &job->result.counts;
    struct report_table *table =
        report_add(report, &(struct report_table){.name = "outcomes",
                                                  .title = "What became of the plans",
                                                  .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                                  .columns = outcome_columns,
                                                  .column_count = 4});
    for (int i = 0; i < RK_VERDICTS; i++)
        if (i == RK_FITS || rk_search_count(c, (enum rk_verdict)i))
            outcome_row(report, table, c->total, rk_verdict_name((enum rk_verdict)i),
                        rk_search_count(c, (enum rk_verdict)i));
    if (c->repeated) outcome_row(report, table, c->total, "repeated", c->repeated);
}

const char *plans_reason(struct report *report, const struct plans_job *job)
{
    const struct rk_search_counts *c = &job->result.counts;
    if (c->total == 0) return "ranks, batch and restrictions leave no plan";
    if (c->verdict[RK_FITS][0] && job->args->where) return "no plan satisfies the condition";
    if (c->verdict[RK_MEMORY_EXCEEDED][0])
        return report_text(report, "%s is too small", memory_name(report, job->problem.system, 0));
    int most = RK_BAD_MODEL;
    for (int i = RK_BAD_MODEL; i < RK_VERDICTS; i++)
        if (c->verdict[i][0] > c->verdict[most][0]) most = i;
    return report_text(report, "most are refused: %s", rk_verdict_name((enum rk_verdict)most));
}

/* ---- the report ---- */

static uint64_t sequence_of(const struct rk_plans_problem *p)
{
    return p->base.sequence ? p->base.sequence : p->model->sequence;
}

/* The one that all plans have, or NULL. */
static const char *precision_of(const struct rk_plans_problem *p)
{
    const int axis = RK_PLAN_PRECISION, count = p->pinned[axis].count;
    if (count == 0) return rk_precision_name(p->base.precision);
    if (count > 1 || p->pinned[axis].to[0] > p->pinned[axis].value[0]) return NULL;
    return rk_precision_name((enum rk_precision)p->pinned[axis].value[0]);
}

/* ", 1,234 of them satisfy hbm<=60GiB" */
static const char *matching(struct report *report, const struct plans_job *job)
{
    char matches[REPORT_DIGITS];
    if (!job->args->where) return "";
    return report_text(report, ", %s of them satisfy %s",
                       report_digits(job->result.matches, matches), job->args->where);
}

static void add_headline(struct report *report, const struct plans_job *job)
{
    const struct rk_plans_problem *p = &job->problem;
    const struct rk_search_counts *c = &job->result.counts;
    char total[REPORT_DIGITS], fits[REPORT_DIGITS];
    if (!job->result.complete)
        report_note(report, "INCOMPLETE: stopped by a signal; the best so far");
    report_note(report, report_text(report,
                                    "%s on %s, %" PRIu64 " GPU%s, batch %" PRIu64 " of %" PRIu64
                                    " tokens, %s, %s",
                                    p->model->id, p->system->id, p->base.ranks,
                                    p->base.ranks == 1 ? "" : "s", p->base.batch, sequence_of(p),
                                    rk_framework_name(p->base.framework),
                                    precision_of(p) ? precision_of(p) : "several precisions"));
    report_note(
        report,
        report_text(
            report, "  modern space: %s plans, %s can run%s%s", report_digits(c->total, total),
            report_digits(c->verdict[RK_FITS][0], fits), matching(report, job),
            job->result.found == 0 ? report_text(report, ": %s", plans_reason(report, job)) : ""));
}

static void add_summary(struct report *report, const struct plans_job *job)
{
    static const struct report_column head[] = {
        {.name = "command"}, {.name = "space"}, {.name = "complete"}};
    static const struct report_column problem[] = {{.name = "gpus"},
                                                   {.name = "batch"},
                                                   {.name = "sequence"},
                                                   {.name = "framework"},
                                                   {.name = "precision"}};
    static const struct report_column counts[] = {
        {.name = "plans"}, {.name = "fits"}, {.name = "repeated"}, {.name = "matches"}};
    static const struct report_column query[] = {
        {.name = "where"}, {.name = "sort"}, {.name = "pareto"}};
    const struct search_args *args = job->args;
    const struct rk_plans_problem *p = &job->problem;
    const struct rk_search_counts *c = &job->result.counts;
    report_record(report, NULL, head, 3,
                  (const struct report_cell[]){cell_text("search"), cell_text("modern"),
                                               cell_flag(job->result.complete)});
    report_record(report, "problem", problem, 5,
                  (const struct report_cell[]){cell_count(p->base.ranks), cell_count(p->base.batch),
                                               cell_count(sequence_of(p)),
                                               cell_text(rk_framework_name(p->base.framework)),
                                               cell_text(precision_of(p))});
    if (search_selects(args))
        report_record(report, "query", query, 3,
                      (const struct report_cell[]){cell_text(args->where), cell_text(args->sort),
                                                   cell_text(args->pareto)});
    report_record(
        report, "counts", counts, search_selects(args) ? 4 : 3,
        (const struct report_cell[]){cell_count(c->total), cell_count(c->verdict[RK_FITS][0]),
                                     cell_count(c->repeated), cell_count(job->result.matches)});
}

void plans_answer_fill(struct report *report, const struct plans_job *job)
{
    bool all[BEST_COLUMNS];
    memset(all, true, sizeof all);
    if (job->args->show.format == REPORT_AS_TEXT) {
        add_headline(report, job);
        if (job->result.found) add_best_text(report, job);
    } else {
        add_summary(report, job);
        describe_model(report, job->problem.model, REPORT_IN_JSON);
        describe_system(report, job->problem.system, REPORT_IN_JSON);
        add_best(report, job, NULL, REPORT_IN_JSON | REPORT_IN_CSV, all);
    }
    add_outcomes(report, job);
}

void plans_answer_explain(const struct plans_job *job)
{
    static const struct report_column columns[] = {
        {.name = "settled by"}, {.name = "plans"}, {.name = "share", .unit = "%", .digits = 3}};
    const struct rk_search_explain *e = &job->result.explain;
    const struct {
        const char *argument;
        uint64_t count;
    } rows[] = {
        {"a check, before layers are folded", e->refused},
        {"memory", e->refused_by_memory},
        {"the pace of their slowest stage", e->bounded},
        {"their own time", e->timed},
    };
    const uint64_t total = job->result.counts.total;
    struct report report = {.first = NULL};
    struct rk_error error;
    const struct report_style style = show_style(&job->args->show, stderr);
    struct report_table *table = report_add(
        &report,
        &(struct report_table){.formats = REPORT_IN_TEXT, .columns = columns, .column_count = 3});
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        report_row(&report, table,
                   (const struct report_cell[]){
                       cell_text(rows[i].argument), cell_count(rows[i].count),
                       cell_number(total ? (double)rows[i].count / (double)total : 0)});
    report_write(&report, REPORT_AS_TEXT, &style, stderr, &error);
    report_release(&report);
}
