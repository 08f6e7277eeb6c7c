/* serve_clusters.c - inference on several clusters: each has replicas of its own, as prompts go to
 * one of them whole, and their tokens add up. */
#include "cli/serve.h"

static const struct report_column columns[] = {
    {.name = "cluster"},
    {.name = "gpus", .title = "GPUs"},
    {.name = "batch"},
    {.name = "first_token_s", .title = "first token", .unit = "s", .digits = 3},
    {.name = "token_s", .title = "token", .unit = "s", .digits = 3},
    {.name = "tokens_per_s", .title = "tokens/s", .unit = "", .digits = 5},
    {.name = "tokens_per_s_gpu", .title = "... per GPU", .unit = "", .digits = 5},
    {.name = "memory_bytes", .title = "memory", .unit = "B", .digits = 1},
    {.name = "plan"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* What one cluster serves with its share of the question. */
static enum rk_status serve_one(const struct serve_over *over, const struct rk_cluster *cluster,
                                struct report_table *table, double *tokens_per_s,
                                struct rk_error *error)
{
    struct plan_source source = *over->source;
    struct plan_input input = {.assumed = ""};
    struct rk_serve_layouts found = {.count = 0};
    struct rk_serve_limits limits = over->limits;
    source.cluster = &cluster->system;
    enum rk_status status = plan_gather(&source, &input, error);
    if (status == RK_OK) status = serve_check_words(&input.draft, error);
    if (status == RK_OK && over->search) status = serve_check_search(&input.draft, error);
    if (status == RK_OK) status = plan_settle(&source, &input, serve_choose, NULL, error);
    if (status == RK_OK)
        status = rk_headroom_share(over->headroom, &input.model, &input.system, &input.draft.plan,
                                   &limits.room, error);
    const struct serve_question q = {&input.model, &input.system, &input.draft.plan, over->serving,
                                     over->report};
    struct report_cell cells[COLUMNS] = {cell_text(report_text(over->report, "%s", cluster->name)),
                                         cell_count(cluster->system.devices)};
    for (int i = 2; i < COLUMNS; i++)
        cells[i] = cell_none();
    if (status == RK_OK) status = serve_layouts(&q, &limits, over->search, &found, error);
    if (status == RK_OK && found.count) {
        const struct rk_serve_layout *best = &found.layout[0];
        *tokens_per_s += best->served.tokens_per_s;
        cells[2] = cell_count(best->batch);
        cells[3] = cell_number(best->served.alone.step_s);
        cells[4] = cell_number(best->served.mean_token_s);
        cells[5] = cell_number(best->served.tokens_per_s);
        cells[6] = cell_number(best->served.tokens_per_s / (double)best->plan.ranks);
        cells[7] = cell_number(best->served.total_bytes);
        cells[8] = cell_text(serve_words(over->report, &best->plan));
    } else {
        cells[8] = cell_text("none fits, or is within the limits");
    }
    if (status == RK_OK) report_row(over->report, table, cells);
    rk_serve_layouts_release(&found);
    plan_input_release(&input);
    return status;
}

enum rk_status serve_over_clusters(const struct serve_over *over, bool *any, struct rk_error *error)
{
    struct rk_machine machine;
    double tokens_per_s = 0;
    enum rk_status status = rk_machine_load(over->source->system, &machine, error);
    if (status != RK_OK) return status;
    struct report_table *table =
        REPORT_LIST(over->report, "clusters",
                    over->search ? "Best layout of each cluster, which serves by itself"
                                 : "Each cluster serving with the plan, by itself",
                    REPORT_IN_ALL, columns);
    for (int i = 0; i < machine.clusters && status == RK_OK; i++)
        status = serve_one(over, &machine.cluster[i], table, &tokens_per_s, error);
    REPORT_OBJECT(over->report, "all", {"tokens_per_s", cell_number(tokens_per_s)});
    *any = tokens_per_s > 0;
    report_answer(
        over->report, *any ? REPORT_GOOD : REPORT_BAD,
        *any ? report_text(over->report, "all clusters together: %.5g tokens/s", tokens_per_s)
             : "no cluster serves it: the reasons are below");
    rk_machine_release(&machine);
    return status;
}
