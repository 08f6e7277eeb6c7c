/* validate_verdicts.c - whether what was said to fit did, and whether the best plan was chosen. */
#include "cli/validate_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what fits ---- */

static size_t count_verdicts(const struct results *results, enum result_verdict verdict)
{
    size_t count = 0;
    const char *last = "";
    for (size_t i = 0; i < results->count; i++) {
        const struct result *r = &results->result[i];
        const bool again = strcmp(r->id, last) == 0; /* a row with several figures counts once */
        if (r->verdict == verdict && !again) count++;
        last = r->id;
    }
    return count;
}

/* Rows that ran, or did not, by what is sure of them: a row with several figures counts once. */
static void count_sure(const struct results *results, const struct rk_sure_bounds *bounds,
                       size_t count[2][RK_SURE_UNSURE + 1])
{
    const char *last = "";
    for (size_t i = 0; i < results->count; i++) {
        const struct result *r = &results->result[i];
        const struct judgement *j = &r->judgement;
        const bool again = strcmp(r->id, last) == 0;
        last = r->id;
        if (again || r->verdict == RESULT_UNMODELLED) continue;
        const bool oom = r->verdict == RESULT_OOM_REJECTED || r->verdict == RESULT_OOM_ACCEPTED;
        const bool fits = r->verdict == RESULT_COMPARED || r->verdict == RESULT_OOM_ACCEPTED;
        const enum rk_sure by_verdict =
            fits ? RK_SURE_FITS : RK_SURE_NOT; /* of a lower tier, or untimed */
        const bool known = j->total_bytes > 0 && (fits || j->reason.tier == 0);
        const bool hopeless = rk_sure_states(j->holds) > j->capacity_bytes;
        count[oom][!known     ? by_verdict
                   : hopeless ? RK_SURE_NOT
                              : rk_sure_of(&r->model, &j->plan, j->total_bytes, j->capacity_bytes,
                                           bounds)]++;
    }
}

static void add_share(struct report *report, struct report_table *table, const char *name,
                      size_t count, size_t right)
{
    if (!count) return;
    REPORT_ROW(report, table, cell_text(name), cell_count(count), cell_count(right),
               cell_number((double)right / (double)count));
}

void validate_fits(struct report *report, const struct results *results,
                   const struct rk_sure_bounds *bounds)
{
    static const struct report_column columns[] = {
        {.name = "runs", .title = "of"},
        {.name = "count"},
        {.name = "right"},
        {.name = "share", .unit = "%", .digits = 2},
    };
    const size_t rejected = count_verdicts(results, RESULT_OOM_REJECTED);
    const size_t accepted = count_verdicts(results, RESULT_OOM_ACCEPTED);
    const size_t ran = count_verdicts(results, RESULT_COMPARED);
    const size_t refused = count_verdicts(results, RESULT_REFUSED);
    size_t sure[2][RK_SURE_UNSURE + 1] = {{0}};
    if (rejected + accepted + ran + refused == 0) return;
    count_sure(results, bounds, sure);
    const size_t unsure = sure[0][RK_SURE_UNSURE] + sure[1][RK_SURE_UNSURE];
    struct report_table *table =
        REPORT_LIST(report, "fits", "What fits", REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    add_share(report, table, "out of memory, rejected", rejected + accepted, rejected);
    add_share(report, table, "ran, accepted", ran + refused, ran);
    add_share(report, table, "  sure, out of memory, rejected",
              sure[1][RK_SURE_NOT] + sure[1][RK_SURE_FITS], sure[1][RK_SURE_NOT]);
    add_share(report, table, "  sure, ran, accepted", sure[0][RK_SURE_NOT] + sure[0][RK_SURE_FITS],
              sure[0][RK_SURE_FITS]);
    add_share(report, table, "  unsure", rejected + accepted + ran + refused, unsure);
}

/* ---- regret ---- */

static void add_groups(struct report *report, const struct regret *regrets, size_t count)
{
    static const struct report_column columns[] = {
        {.name = "group"},
        {.name = "plans"},
        {.name = "first"},
        {.name = "first_s", .unit = "s", .digits = 3, .own_scale = true},
        {.name = "best"},
        {.name = "best_s", .unit = "s", .digits = 3, .own_scale = true},
        {.name = "regret", .unit = "%", .digits = 2},
    };
    struct report_table *table =
        REPORT_LIST(report, "groups", "Runs that differ only in their plan",
                    REPORT_IN_TEXT | REPORT_IN_JSON, columns);
    for (size_t i = 0; i < count; i++) {
        const struct regret *g = &regrets[i];
        REPORT_ROW(report, table, cell_text(report_text(report, "%s", g->group)),
                   cell_count(g->plans), cell_text(report_text(report, "%s", g->first->id)),
                   isnan(g->regret) ? cell_none() : cell_number(g->first->measured_si),
                   cell_text(report_text(report, "%s", g->best->id)),
                   cell_number(g->best->measured_si),
                   isnan(g->regret) ? cell_text("out of memory") : cell_number(g->regret));
    }
}

enum rk_status validate_regret(struct report *report, const struct results *results, bool groups,
                               struct rk_error *error)
{
    static const struct report_column columns[] = {
        {.name = "groups"},
        {.name = "mean", .unit = "%", .digits = 2},
        {.name = "median", .unit = "%", .digits = 2},
        {.name = "p90", .title = "90th pct", .unit = "%", .digits = 2},
        {.name = "worst", .unit = "%", .digits = 2},
        {.name = "out_of_memory"},
    };
    struct regret *regrets;
    size_t count, oom = 0, finite = 0;
    const enum rk_status status = regrets_of(results, &regrets, &count, error);
    if (status != RK_OK) return status;
    double *values = report_alloc(report, (count + 1) * sizeof *values);
    for (size_t i = 0; values && i < count; i++)
        if (isnan(regrets[i].regret))
            oom++;
        else
            values[finite++] = regrets[i].regret;
    if (groups) add_groups(report, regrets, count);
    if (values && count) {
        const struct score s = score_errors(values, finite);
        REPORT_ROW(report,
                   REPORT_LIST(report, "regret", "Planner regret", REPORT_IN_TEXT | REPORT_IN_JSON,
                               columns),
                   cell_count(count), cell_number(s.mean), cell_number(s.median),
                   cell_number(s.p90), cell_number(s.worst), cell_count(oom));
    }
    free(regrets);
    return RK_OK;
}
