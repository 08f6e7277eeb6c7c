/* What reckon clusters prints. */
#include "cli/clusters_tables.h"

#include "base/units.h"
#include "facts/learned.h"

#include <math.h>
#include <stdlib.h>

/* clang-format off */
static const struct report_column step_columns[] = {
    {.name = "step_s", .title = "step", .unit = "s", .digits = 4, .help = "by event simulation, the better of the plans looked at"},
    {.name = "objective_s", .title = "objective", .unit = "s", .digits = 4, .help = "of that plan: sum c + (m - 1) max c + the end"},
    {.name = "bound_s", .title = "bound", .unit = "s", .digits = 4, .help = "no plan has an objective below: proved"},
    {.name = "floor_s", .title = "floor", .unit = "s", .digits = 4, .help = "no step is shorter, interleaved or not, stages each in one cluster: proved"},
    {.name = "gap", .unit = "%", .digits = 2, .help = "the objective above the simulation"},
    {.name = "samples_per_s", .title = "samples per second", .unit = "", .digits = 5},
    {.name = "microbatches", .help = "of a step"},
    {.name = "round", .title = "samples of a round", .help = "of a microbatch, over all replicas of a stage"},
    {.name = "gpus_used", .title = "GPUs used"},
    {.name = "gpus", .title = "GPUs there"},
    {.name = "usd", .title = "USD a step", .unit = "", .digits = 4, .help = "GPU-hours used, bytes over links"},
    {.name = "problems", .help = "orders of clusters and rounds, each solved exactly"},
    {.name = "labels", .help = "partial plans kept"},
    {.name = "simulated", .help = "plans simulated"},
};
static const struct report_column stage_columns[] = {
    {.name = "stage"},
    {.name = "cluster"},
    {.name = "layers"},
    {.name = "nodes"},
    {.name = "gpus", .title = "GPUs"},
    {.name = "tensor", .title = "tp"},
    {.name = "context", .title = "cp"},
    {.name = "expert", .title = "ep"},
    {.name = "data", .title = "dp"},
    {.name = "microbatch", .title = "mbs"},
    {.name = "recompute"},
    {.name = "forward_s", .title = "forward", .unit = "s", .digits = 2},
    {.name = "backward_s", .title = "backward", .unit = "s", .digits = 2},
    {.name = "message_s", .title = "messages", .unit = "s", .digits = 2},
    {.name = "sync_s", .title = "end", .unit = "s", .digits = 2},
    {.name = "bytes", .title = "memory", .unit = "B", .digits = 1},
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
    {.name = "replicas"},
    {.name = "tensor", .title = "tp"},
    {.name = "context", .title = "cp"},
    {.name = "least", .title = "samples, least"},
    {.name = "most", .title = "most"},
    {.name = "time_s", .title = "both passes", .unit = "s", .digits = 2},
};
static const struct report_column alone_columns[] = {
    {.name = "machine"},
    {.name = "gpus", .title = "GPUs"},
    {.name = "bound_s", .title = "objective", .unit = "s", .digits = 4},
    {.name = "slower", .title = "over the best", .unit = "%", .digits = 1},
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

const char *clusters_text(struct report *report, const struct rk_machine *machine,
                          const struct clusters_plan *plan)
{
    const char *text = "";
    for (int i = 0; i < plan->stages; i++)
        if (i == 0 || plan->stage[i].cluster != plan->stage[i - 1].cluster)
            text = report_text(report, "%s%s%s", text, i ? ", " : "",
                               stage_clusters(report, machine, &plan->stage[i]));
    return text;
}

/* Not a plan that was given. */
static bool was_searched(const struct clusters_answer *answer)
{
    return answer->problems > 0;
}

static void show_step(const struct clusters_shown *show)
{
    const bool searched = was_searched(show->answer);
    const struct clusters_plan *best = &show->answer->best;
    const struct rk_machine *machine = show->question->machine;
    const double price = clusters_price(machine, best);
    const double gap = best->value_s / best->simulated_s - 1;
    uint64_t gpus = 0;
    for (int i = 0; i < machine->clusters; i++)
        gpus += machine->cluster[i].system.devices;
    const struct report_cell cells[] = {
        cell_number(best->simulated_s),
        best->chunks > 1 ? cell_none() : cell_number(best->value_s),
        !searched ? cell_none() : cell_number(show->answer->proved.value_s),
        !searched ? cell_none() : cell_number(show->answer->floor_s),
        best->chunks > 1 ? cell_none() : cell_number(fabs(gap) < 1e-9 ? 0 : gap),
        cell_number((double)show->question->words.batch / best->simulated_s),
        cell_count(best->microbatches),
        cell_count(best->round),
        cell_count(clusters_gpus_used(best)),
        cell_count(gpus),
        isnan(price) ? cell_none() : cell_number(price),
        !searched ? cell_none() : cell_count(show->answer->problems),
        !searched ? cell_none() : cell_count(show->answer->labels),
        !searched ? cell_none() : cell_count(show->answer->simulated),
    };
    report_row(
        show->report,
        REPORT_ONE(show->report, "plan", NULL, REPORT_IN_TEXT | REPORT_IN_JSON, step_columns),
        cells);
}

static void show_stages(const struct clusters_shown *show)
{
    const struct clusters_plan *best = &show->answer->best;
    const struct report_table shape = {.name = "stages",
                                       .title = "Stages",
                                       .formats = REPORT_IN_ALL,
                                       .columns = stage_columns,
                                       .column_count =
                                           sizeof stage_columns / sizeof *stage_columns};
    struct report_table *table = report_add(show->report, &shape);
    for (int i = 0; i < best->stages; i++) {
        const struct clusters_stage *s = &best->stage[i];
        const double chance =
            learned_fit(show->question->model, &show->question->machine->cluster[s->cluster].system,
                        &show->question->words, s->bytes);
        const struct report_cell cells[] = {
            cell_count((uint64_t)i),
            cell_text(stage_clusters(show->report, show->question->machine, s)),
            cell_count(s->layers),
            cell_count(s->nodes),
            cell_count(s->gpus),
            cell_count(s->tensor),
            cell_count(s->context),
            cell_count(s->expert),
            cell_count(s->data),
            cell_count(s->microbatch),
            cell_text(rk_recompute_mode_name(s->recompute)),
            cell_number(s->forward_s),
            cell_number(s->backward_s),
            cell_number(s->message_s),
            cell_number(s->sync_s),
            cell_number(s->bytes),
            isnan(chance) ? cell_none() : cell_number(chance),
            cell_number(s->bytes / s->capacity_bytes),
        };
        report_row(show->report, table, cells);
    }
}

static void show_offloads(const struct clusters_shown *show)
{
    const struct clusters_plan *best = &show->answer->best;
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

/* What a step sends: messages of all microbatches to the stage behind, gradients within the stage.
 */
static void show_traffic(const struct clusters_shown *show)
{
    const struct clusters_plan *best = &show->answer->best;
    const struct rk_machine *machine = show->question->machine;
    const double m = (double)best->microbatches;
    const struct report_table shape = {.name = "traffic",
                                       .title = "What a step sends",
                                       .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                       .columns = traffic_columns,
                                       .column_count =
                                           sizeof traffic_columns / sizeof *traffic_columns};
    struct report_table *table = report_add(show->report, &shape);
    for (int i = 0; i < best->stages; i++) {
        const struct clusters_stage *s = &best->stage[i];
        double messages;
        const int to = best->stage[clusters_behind(best, i, &messages)].cluster;
        const bool last = messages <= 0; /* nothing is behind it */
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
static void show_parts(const struct clusters_shown *show)
{
    struct report_table *table = NULL;
    for (int i = 0; i < show->given->stages; i++) {
        const struct given_stage *stage = &show->given->stage[i];
        for (int k = 0; stage->parts > 1 && k < stage->parts; k++) {
            const struct given_part *part = &stage->part[k];
            const struct report_cell cells[] = {
                cell_count((uint64_t)i),
                cell_text(show->question->machine->cluster[part->cluster].name),
                cell_count(part->data),
                cell_count(part->plan.tensor),
                cell_count(part->plan.context),
                cell_count(part->least),
                cell_count(part->most),
                cell_number(part->time_s),
            };
            if (!table)
                table = REPORT_LIST(show->report, "parts",
                                    "Replicas of several kinds, and their samples of a round",
                                    REPORT_IN_TEXT | REPORT_IN_JSON, part_columns);
            report_row(show->report, table, cells);
        }
    }
}

static void show_alone(const struct clusters_shown *show)
{
    const struct rk_machine *machine = show->question->machine;
    const double best_s = show->answer->proved.value_s;
    const struct report_table shape = {.name = "alone",
                                       .title = "Each cluster by itself",
                                       .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                       .columns = alone_columns,
                                       .column_count =
                                           sizeof alone_columns / sizeof *alone_columns};
    if (machine->clusters == 1) return;
    struct report_table *table = report_add(show->report, &shape);
    for (int i = 0; i < machine->clusters; i++) {
        const double alone_s = show->answer->alone_s[i];
        const bool fits = !isinf(alone_s);
        const struct report_cell cells[] = {
            cell_text(report_text(show->report, "%s: %s%s", machine->cluster[i].name,
                                  machine->cluster[i].system.id, fits ? "" : ", nothing fits")),
            cell_count(machine->cluster[i].system.devices),
            fits ? cell_number(alone_s) : cell_none(),
            fits ? cell_number(alone_s / best_s - 1) : cell_none(),
        };
        report_row(show->report, table, cells);
    }
}

bool clusters_show(struct report *report, const struct clusters_question *question,
                   const struct clusters_answer *answer, const struct given_plan *given,
                   const struct clusters_kept *kept, const struct clusters_also *also)
{
    const struct clusters_shown show = {report, question, answer, given, kept};
    const bool several = question->machine->clusters > 1;
    show_step(&show);
    show_stages(&show);
    show_offloads(&show);
    show_traffic(&show);
    if (answer->best.chunks > 1)
        report_note(report, report_text(report, "interleaved: each stage has %d runs of layers",
                                        answer->best.chunks));
    if (answer->best.chunks > 1 && was_searched(answer))
        report_note(
            report,
            report_text(report,
                        "the best plan without takes %.4f s a step; interleaved are the plans "
                        "that were simulated, so none is proved to be the best of those: "
                        "a better one could save %.1f %%, no more",
                        answer->straight_s,
                        100 * (1 - answer->floor_s / answer->best.simulated_s)));
    if (given) show_parts(&show);
    if (!was_searched(answer)) return true;
    show_alone(&show);
    if (also->top) clusters_show_top(&show);
    return (!also->links || !several || clusters_show_links(&show)) &&
           (!also->why || clusters_show_why(&show)) &&
           (!also->pareto || clusters_show_pareto(&show));
}
