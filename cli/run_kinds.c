/* run_kinds.c - a whole run over several clusters: GPU-hours and money of each kind. */
#include "advise/clusters_run.h"
#include "cli/run_args.h"
#include "cli/verdict.h"

static const struct report_column kind_columns[] = {
    {.name = "cluster"},
    {.name = "gpus", .title = "GPUs used"},
    {.name = "gpu_hours", .title = "GPU-hours", .unit = "n", .digits = 3},
    {.name = "price", .title = "USD per hour", .digits = 4},
    {.name = "cost_usd", .title = "cost in USD", .unit = "n", .digits = 3},
    {.name = "power_W", .title = "W per GPU", .digits = 4},
    {.name = "what", .title = ""},
};

static void show_kinds(struct report *report, const struct clusters_run *run,
                       const struct rk_machine *machine, double hours)
{
    struct report_table *table = REPORT_LIST(report, "kinds", "The run, cluster by cluster",
                                             REPORT_IN_TEXT | REPORT_IN_JSON, kind_columns);
    for (int i = 0; i < machine->clusters; i++) {
        const double used = run->gpus[i] * hours, price = run->price_USDph[i];
        if (!(used > 0)) continue;
        REPORT_ROW(
            report, table, cell_text(machine->cluster[i].name), cell_count((uint64_t)run->gpus[i]),
            cell_number(used), price > 0 ? cell_number(price) : cell_none(),
            price > 0 ? cell_number(used * price) : cell_none(),
            run->power_W[i] > 0 ? cell_number(run->power_W[i]) : cell_none(),
            cell_text(run->listed[i] ? "of the list; price= in the system says another" : ""));
    }
}

void run_kinds(struct report *report, const struct run_terms *terms, const struct forecast *f,
               const struct rk_campaign_outcome *outcome)
{
    struct clusters_run run;
    struct rk_error error;
    double tokens;
    if (!f->system->machine ||
        rk_run_tokens(terms->facts, &terms->run, f->model, &tokens, NULL, &error) != RK_OK ||
        clusters_run_of(terms->facts, &terms->run, f->model, f->system, f->plan, tokens, &run, NULL,
                        0, &error) != RK_OK)
        return;
    show_kinds(report, &run, f->system->machine, outcome->gpu_hours / run.all);
    if (run.links_usd > 0)
        report_note(
            report,
            report_text(report, "bytes over links: %s of it, of steps done twice, too",
                        verdict_money(report, run.links_usd * (outcome->work_s + outcome->lost_s) /
                                                  f->prediction->step_s)));
}
