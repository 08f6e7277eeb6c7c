/* clusters_run.c - a whole run over several clusters: days, failures, GPU-hours and money of each
 * kind. */
#include "advise/clusters_run.h"
#include "base/number.h"
#include "cli/clusters_ask.h"
#include "cli/clusters_tables.h"

/* clang-format off */
static const struct report_column kind_columns[] = {
    {.name = "cluster"},
    {.name = "gpus", .title = "GPUs used"},
    {.name = "gpu_hours", .title = "GPU-hours", .unit = "n", .digits = 3},
    {.name = "price", .title = "USD an hour", .digits = 3},
    {.name = "cost_usd", .title = "cost in USD", .unit = "n", .digits = 3},
    {.name = "power_W", .title = "W of a GPU", .digits = 4},
    {.name = "what", .title = ""},
};
/* clang-format on */

static void show_kinds(struct report *report, const struct clusters_run *run,
                       const struct rk_machine *machine, double hours)
{
    struct report_table *table = REPORT_LIST(report, "kinds", "The run, cluster by cluster",
                                             REPORT_IN_TEXT | REPORT_IN_JSON, kind_columns);
    for (int i = 0; i < machine->clusters; i++) {
        const double used = run->gpus[i] * hours, price = run->price_USDph[i];
        if (!(used > 0)) continue;
        report_row(
            report, table,
            (const struct report_cell[]){
                cell_text(machine->cluster[i].name),
                cell_count((uint64_t)run->gpus[i]),
                cell_number(used),
                price > 0 ? cell_number(price) : cell_none(),
                price > 0 ? cell_number(used * price) : cell_none(),
                run->power_W[i] > 0 ? cell_number(run->power_W[i]) : cell_none(),
                cell_text(run->listed[i] ? "of the list; price= in the system says another" : ""),
            });
    }
}

static enum rk_status show_run(struct report *report, const struct run_args *args,
                               const struct run_terms *terms, const struct clusters_input *input,
                               struct rk_error *error)
{
    struct clusters_run run;
    struct rk_campaign_outcome outcome;
    char assumed[RUN_NOTES] = "";
    double tokens;
    enum rk_status status =
        rk_run_tokens(terms->facts, &terms->run, &input->model, &tokens, NULL, error);
    if (status == RK_OK)
        status = clusters_run_of(terms->facts, &terms->run, input, tokens, &run, assumed,
                                 sizeof assumed, error);
    if (status == RK_OK) status = run_section_of(report, args, &run.campaign, assumed, error);
    if (status != RK_OK) return status;
    rk_campaign_expect(&run.campaign, &outcome);
    const double hours = outcome.gpu_hours / run.all; /* of each GPU */
    show_kinds(report, &run, &input->machine, hours);
    if (run.links_usd > 0)
        report_note(report,
                    report_text(report,
                                "bytes over links: %.4g USD of it, of steps done twice, too",
                                run.links_usd * (outcome.work_s + outcome.lost_s) /
                                    input->answer->best.simulated_s));
    return RK_OK;
}

enum rk_status clusters_run_section(struct report *report, const struct run_args *args,
                                    const struct clusters_input *input, struct rk_error *error)
{
    struct run_terms terms;
    if (!args->tokens) return run_check(args, error);
    if (args->phases || args->elastic)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--%s does not go with several clusters",
                       args->phases ? "phases" : "elastic");
    enum rk_status status = run_terms_open(&terms, args, error);
    if (status == RK_OK) status = show_run(report, args, &terms, input, error);
    run_terms_close(&terms);
    return status;
}
