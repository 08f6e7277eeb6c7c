/* prediction_clusters.c - the stages of a plan over several clusters: where they run, what they
 * send, and what replicas of several kinds share. */
#include "cli/prediction.h"
#include "cli/verdict.h"
#include "clusters/predict.h"

#include <math.h>
#include <stdlib.h>

struct placed {
    struct report *report;    /* filled by placed_show() */
    const char *name, *title; /* of the list of stages: for programs, for people */
    unsigned formats;         /* ... that have it */
    const struct rk_model *model;
    const struct rk_machine *machine;
    const struct rk_plan *words; /* what all stages have in common */
    const struct clusters_plan *plan;
    const struct given_plan *given; /* its replicas, judged; NULL: all stages have one kind */
};

/* clang-format off */
static const struct report_column stage_columns[] = {
    {.name = "stage"},
    {.name = "cluster"},
    {.name = "layers", REPORT_OF(struct clusters_stage, layers)},
    {.name = "nodes", REPORT_OF(struct clusters_stage, nodes)},
    {.name = "gpus", REPORT_OF(struct clusters_stage, gpus), .title = "GPUs"},
    {.name = "tensor", REPORT_OF(struct clusters_stage, tensor), .title = "tp"},
    {.name = "context", REPORT_OF(struct clusters_stage, context), .title = "cp"},
    {.name = "expert", REPORT_OF(struct clusters_stage, expert), .title = "ep"},
    {.name = "data", REPORT_OF(struct clusters_stage, data), .title = "dp"},
    {.name = "microbatch", REPORT_OF(struct clusters_stage, microbatch), .title = "mbs"},
    {.name = "recompute"},
    {.name = "forward_s", REPORT_OF(struct clusters_stage, forward_s), .title = "forward", .unit = "s", .digits = 2},
    {.name = "backward_s", REPORT_OF(struct clusters_stage, backward_s), .title = "backward", .unit = "s", .digits = 2},
    {.name = "message_s", REPORT_OF(struct clusters_stage, message_s), .title = "messages", .unit = "s", .digits = 2},
    {.name = "sync_s", REPORT_OF(struct clusters_stage, sync_s), .title = "end", .unit = "s", .digits = 2},
    {.name = "bytes", REPORT_OF(struct clusters_stage, bytes), .title = "memory", .unit = "B", .digits = 1},
    {.name = "fits", .title = "fits in", .unit = "%", .digits = 0},
    {.name = "fill", .title = "", .bar = REPORT_BAR_FILL},
};
static const struct report_column traffic_columns[] = {
    {.name = "stage"},
    {.name = "over", .title = "to the next one over"},
    {.name = "message_bytes", .title = "each way", .unit = "B", .digits = 2, .own_scale = true},
    {.name = "messages_s", .title = "both ways", .unit = "s", .digits = 3},
    {.name = "gradient_bytes", .title = "gradients of a GPU", .unit = "B", .digits = 2, .own_scale = true},
    {.name = "collectives_s", .title = "their collectives", .unit = "s", .digits = 3},
};
static const struct report_column offload_columns[] = {
    {.name = "stage"},
    {.name = "activations", .unit = "%", .digits = 0},
    {.name = "optimizer", .title = "optimizer state", .unit = "%", .digits = 0},
};
static const struct report_column part_columns[] = {
    {.name = "stage"},
    {.name = "cluster"},
    {.name = "replicas", REPORT_OF(struct given_part, data)},
    {.name = "tensor", REPORT_OF(struct given_part, plan.tensor), .title = "tp"},
    {.name = "context", REPORT_OF(struct given_part, plan.context), .title = "cp"},
    {.name = "least", REPORT_OF(struct given_part, least), .title = "samples, least"},
    {.name = "most", REPORT_OF(struct given_part, most), .title = "most"},
    {.name = "time_s", REPORT_OF(struct given_part, time_s), .title = "both passes", .unit = "s", .digits = 2},
};
/* clang-format on */

/* "new", or of replicas on several "new + old". */
static const char *stage_clusters(struct report *report, const struct rk_machine *machine,
                                  const struct clusters_stage *stage)
{
    const char *text = machine->cluster[stage->cluster].name;
    for (int k = 1; k < stage->homes; k++)
        text = report_text(report, "%s + %s", text, machine->cluster[stage->home[k].cluster].name);
    return text;
}

static void show_stages(const struct placed *show)
{
    const struct clusters_plan *best = show->plan;
    const struct report_table shape = {.name = show->name,
                                       .title = show->title,
                                       .formats = show->formats,
                                       .columns = stage_columns,
                                       .column_count =
                                           sizeof stage_columns / sizeof *stage_columns};
    struct report_table *table = report_add(show->report, &shape);
    for (int i = 0; i < best->stages; i++) {
        const struct clusters_stage *s = &best->stage[i];
        const double chance = rk_fit_chance(show->model, &show->machine->cluster[s->cluster].system,
                                            show->words, s->bytes);
        const struct report_cell made[] = {
            cell_count((uint64_t)i),
            cell_text(stage_clusters(show->report, show->machine, s)),
            cell_text(rk_recompute_mode_name(s->recompute)),
            isnan(chance) ? cell_none() : cell_number(chance),
            cell_number(s->bytes / s->capacity_bytes),
        };
        report_item(show->report, table, s, made);
    }
}

static void show_offloads(const struct placed *show)
{
    const struct clusters_plan *best = show->plan;
    const struct report_table shape = {.name = "offload",
                                       .title = "What is in memory tier 1",
                                       .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                       .columns = offload_columns,
                                       .column_count =
                                           sizeof offload_columns / sizeof *offload_columns};
    struct report_table *table = NULL;
    for (int i = 0; i < best->stages; i++) {
        const struct clusters_stage *s = &best->stage[i];
        if (!(s->activations_away > 0) && !(s->optimizer_away > 0)) continue;
        const struct report_cell cells[] = {cell_count((uint64_t)i),
                                            cell_number(s->activations_away),
                                            cell_number(s->optimizer_away)};
        if (!table) table = report_add(show->report, &shape);
        report_row(show->report, table, cells);
    }
}

/* Messages of all microbatches to the next stage, and gradients within the stage, per step. */
static void show_traffic(const struct placed *show)
{
    const struct clusters_plan *best = show->plan;
    const struct rk_machine *machine = show->machine;
    const double m = (double)best->microbatches;
    const struct report_table shape = {.name = "traffic",
                                       .title = "Communication of a step",
                                       .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                       .columns = traffic_columns,
                                       .column_count =
                                           sizeof traffic_columns / sizeof *traffic_columns};
    struct report_table *table = report_add(show->report, &shape);
    for (int i = 0; i < best->stages; i++) {
        const struct clusters_stage *s = &best->stage[i];
        double messages;
        const int to = best->stage[clusters_behind(best, i, &messages)].cluster;
        const bool last = messages <= 0; /* there is no next stage */
        const char *over =
            to == s->cluster
                ? report_text(show->report, "%s", machine->cluster[to].name)
                : report_text(show->report, "%s - %s", machine->cluster[s->cluster].name,
                              machine->cluster[to].name);
        const struct report_cell cells[] = {
            cell_count((uint64_t)i),
            last ? cell_none() : cell_text(over),
            last ? cell_none() : cell_number(clusters_sent_bytes(best, i)),
            last ? cell_none() : cell_number(m * s->message_s),
            cell_number(s->gradient_bytes),
            cell_number(s->data_link_s),
        };
        report_row(show->report, table, cells);
    }
}

/* Of stages whose replicas are of several kinds. */
static void show_parts(const struct placed *show)
{
    struct report_table *table = NULL;
    for (int i = 0; i < show->given->stages; i++) {
        const struct given_stage *stage = &show->given->stage[i];
        for (int k = 0; stage->parts > 1 && k < stage->parts; k++) {
            const struct given_part *part = &stage->part[k];
            const struct report_cell made[] = {
                cell_count((uint64_t)i), cell_text(show->machine->cluster[part->cluster].name)};
            if (!table)
                table = REPORT_LIST(show->report, "parts",
                                    "Replicas of several kinds, and their samples per round",
                                    REPORT_IN_TEXT | REPORT_IN_JSON, part_columns);
            report_item(show->report, table, part, made);
        }
    }
}

/* Where the stages run, what they offload and send, replicas of several kinds. */
static void placed_show(struct report *report, const struct placed *placed)
{
    struct placed show = *placed;
    show.report = report;
    show_stages(&show);
    show_offloads(&show);
    show_traffic(&show);
    if (show.plan->chunks > 1)
        report_note(report, report_text(report, "interleaved: each stage has %d runs of layers",
                                        show.plan->chunks));
    if (show.given) show_parts(&show);
}

/* Where every cluster has a price. */
static void add_price(struct report *report, const struct rk_machine *machine,
                      const struct clusters_plan *plan)
{
    const double price = clusters_price(machine, plan);
    if (isnan(price)) return;
    report_note(report, report_text(report, "a step costs %s: GPU-hours used, bytes over links",
                                    verdict_money(report, price)));
    REPORT_OBJECT(report, "step_price", {"usd", cell_number(price)});
}

void forecast_placement(struct report *report, const struct forecast *f)
{
    struct clusters_judged *judged = f->system->machine ? malloc(sizeof *judged) : NULL;
    struct rk_prediction *again = judged ? malloc(sizeof *again) : NULL;
    if (again) predict_clusters(f->model, f->system, f->plan, again, judged);
    if (again && again->timed)
        placed_show(report, &(struct placed){.name = "placement",
                                             .title = "Where the stages run",
                                             .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                             .model = f->model,
                                             .machine = f->system->machine,
                                             .words = f->plan,
                                             .plan = &judged->plan,
                                             .given = &judged->given});
    if (again && again->timed) add_price(report, f->system->machine, &judged->plan);
    free(again);
    free(judged);
}
