/* clusters_run.c - a whole run over several clusters: days, failures, GPU-hours and money of each
 * kind. */
#include "base/memory.h"
#include "cli/clusters_ask.h"
#include "cli/clusters_tables.h"

#include <math.h>
#include <stdlib.h>

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

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

/* What the campaign of a run asks of a plan: how many GPUs, samples and tokens, and its step. */
struct whole {
    struct rk_plan plan;
    struct rk_prediction *prediction;
    double gpus[RK_MAX_CLUSTERS], price[RK_MAX_CLUSTERS], all;
    double power_W[RK_MAX_CLUSTERS]; /* of an accelerator at work; 0: not known */
    bool listed[RK_MAX_CLUSTERS]; /* the price is that of the list */
};

/* GPUs of each cluster that the plan uses. */
static void count_gpus(struct whole *w, const struct clusters_input *input)
{
    const struct clusters_plan *best = &input->answer->best;
    for (int i = 0; i < best->stages && !input->given; i++)
        w->gpus[best->stage[i].cluster] += (double)best->stage[i].gpus;
    for (int i = 0; input->given && i < best->stages; i++)
        for (int k = 0; k < input->given->stage[i].parts; k++) {
            const struct given_part *part = &input->given->stage[i].part[k];
            w->gpus[part->cluster] += (double)(part->plan.tensor * part->plan.context * part->data);
        }
    for (int i = 0; i < input->machine.clusters; i++)
        w->all += w->gpus[i];
}

static void add_work(struct rk_prediction *p, const struct stage_work *work, double share, double m)
{
    p->matrix_s += share * m * work->matrix_s;
    p->attention_s += share * m * work->attention_s;
    p->memory_s += share * m * work->memory_s;
    p->recompute_s += share * m * work->again_s;
    p->optimizer_s += share * work->optimizer_s;
}

/* What the accelerators of a cluster do in a step, in the mean; the rest of it they wait. */
static void fill_work(struct whole *w, const struct clusters_input *input, int cluster)
{
    const struct clusters_plan *best = &input->answer->best;
    struct rk_prediction *p = w->prediction;
    p->matrix_s = p->attention_s = p->memory_s = p->recompute_s = p->optimizer_s = 0;
    for (int i = 0; i < best->stages; i++) {
        const struct clusters_stage *s = &best->stage[i];
        const double m = (double)best->microbatches;
        if (!s->homes && s->cluster == cluster)
            add_work(p, &s->work, (double)s->gpus / w->gpus[cluster], m);
        for (int k = 0; k < s->homes; k++)
            if (s->home[k].cluster == cluster)
                add_work(p, &s->home[k].work, (double)s->home[k].gpus / w->gpus[cluster], m);
    }
}

/* The campaign of a machine that is all of one cluster's kind; its price where none is said. */
static enum rk_status campaign_of(const struct run_terms *terms, struct whole *w,
                                  const struct clusters_input *input, int cluster, double tokens,
                                  struct rk_campaign *campaign, char assumed[RUN_NOTES],
                                  struct rk_error *error)
{
    const struct rk_cluster *c = &input->machine.cluster[cluster];
    const struct forecast f = {&input->model, &c->system, &w->plan, w->prediction, ""};
    assumed[0] = '\0';
    fill_work(w, input, cluster);
    const enum rk_status status = run_campaign(terms, &f, tokens, campaign, assumed, error);
    w->power_W[cluster] = campaign->power_W;
    w->listed[cluster] = !terms->run.has_price && !(c->price_USDph > 0);
    w->price[cluster] =
        terms->run.has_price || w->listed[cluster] ? campaign->price : c->price_USDph;
    return status;
}

static void show_kinds(struct report *report, const struct whole *w,
                       const struct clusters_input *input, double hours)
{
    struct report_table *table = REPORT_LIST(report, "kinds", "The run, cluster by cluster",
                                             REPORT_IN_TEXT | REPORT_IN_JSON, kind_columns);
    for (int i = 0; i < input->machine.clusters; i++) {
        const double used = w->gpus[i] * hours;
        const bool known = w->price[i] > 0;
        if (!(used > 0)) continue;
        report_row(
            report, table,
            (const struct report_cell[]){
                cell_text(input->machine.cluster[i].name),
                cell_count((uint64_t)w->gpus[i]),
                cell_number(used),
                known ? cell_number(w->price[i]) : cell_none(),
                known ? cell_number(used * w->price[i]) : cell_none(),
                w->power_W[i] > 0 ? cell_number(w->power_W[i]) : cell_none(),
                cell_text(w->listed[i] ? "of the list; price= in the system says another" : ""),
            });
    }
}

/* One campaign for all: failures of all GPUs, the mean of their prices, what links cost beside. */
static enum rk_status show_run(struct report *report, const struct run_args *args,
                               const struct run_terms *terms, struct whole *w,
                               const struct clusters_input *input, struct rk_error *error)
{
    const struct clusters_plan *best = &input->answer->best;
    struct rk_campaign campaign = {.tokens = 0}, one;
    struct rk_campaign_outcome outcome;
    char assumed[RUN_NOTES] = "", own[RUN_NOTES];
    double tokens, price = 0, power_W = 0;
    bool known = true; /* the power of every kind */
    enum rk_status status =
        rk_run_tokens(terms->facts, &terms->run, &input->model, &tokens, NULL, error);
    for (int i = 0; status == RK_OK && i < input->machine.clusters; i++) {
        if (!(w->gpus[i] > 0)) continue;
        status = campaign_of(terms, w, input, i, tokens, &one, campaign.tokens > 0 ? own : assumed,
                             error);
        if (status == RK_OK && !(campaign.tokens > 0)) campaign = one;
        price += w->gpus[i] / w->all * w->price[i];
        power_W += w->gpus[i] / w->all * w->power_W[i];
        known &= w->power_W[i] > 0;
    }
    if (status != RK_OK) return status;
    const double step_hours = best->simulated_s / 3600;
    const double links_usd = clusters_link_price(&input->machine, best);
    const double paid = w->all + (double)(campaign.recovery.spares * campaign.recovery.node);
    campaign.price = price + links_usd / (paid * step_hours);
    campaign.power_W = known ? power_W : 0;
    status = run_section_of(report, args, &campaign, assumed, error);
    if (status != RK_OK) return status;
    rk_campaign_expect(&campaign, &outcome);
    show_kinds(report, w, input, outcome.gpu_hours / w->all);
    if (links_usd > 0)
        report_note(report, report_text(report, "bytes over links: %.4g USD of it",
                                        links_usd * outcome.gpu_hours / w->all / step_hours));
    return RK_OK;
}

enum rk_status clusters_run_section(struct report *report, const struct run_args *args,
                                    const struct clusters_input *input, struct rk_error *error)
{
    struct run_terms terms;
    struct whole *w = calloc(1, sizeof *w);
    if (!args->tokens) {
        free(w);
        return run_check(args, error);
    }
    if (w) w->prediction = calloc(1, sizeof *w->prediction);
    enum rk_status status = RK_OK;
    if (args->phases || args->elastic)
        status = rk_fail(error, RK_USAGE, NULL, 0, 0, "--%s does not go with several clusters",
                         args->phases ? "phases" : "elastic");
    else if (!w || !w->prediction)
        status = no_memory(error);
    const enum rk_status opened = status == RK_OK ? run_terms_open(&terms, args, error) : status;
    status = opened;
    if (status == RK_OK) {
        count_gpus(w, input);
        w->plan = input->question.words;
        w->plan.pipeline = (uint64_t)input->answer->best.stages;
        w->plan.ranks = (uint64_t)w->all;
        w->prediction->step_s = input->answer->best.simulated_s;
        w->prediction->timed = true;
        status = show_run(report, args, &terms, w, input, error);
    }
    if (opened == RK_OK) run_terms_close(&terms);
    if (w) free(w->prediction);
    free(w);
    return status;
}
