/* What reckon clusters prints. */
#include "cli/clusters_tables.h"

#include "base/units.h"
#include "cli/prediction_clusters.h"

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
static const struct report_column alone_columns[] = {
    {.name = "machine"},
    {.name = "gpus", .title = "GPUs"},
    {.name = "bound_s", .title = "objective", .unit = "s", .digits = 4},
    {.name = "slower", .title = "over the best", .unit = "%", .digits = 1},
};
/* clang-format on */

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
    placed_show(report, &(struct placed){.name = "stages",
                                         .title = "Stages",
                                         .formats = REPORT_IN_ALL,
                                         .model = question->model,
                                         .machine = question->machine,
                                         .words = &question->words,
                                         .plan = &answer->best,
                                         .given = given});
    if (answer->best.chunks > 1 && was_searched(answer))
        report_note(
            report,
            report_text(report,
                        "the best plan without takes %.4f s a step; interleaved are the plans "
                        "that were simulated, so none is proved to be the best of those: "
                        "a better one could save %.1f %%, no more",
                        answer->straight_s,
                        100 * (1 - answer->floor_s / answer->best.simulated_s)));
    if (!was_searched(answer)) return true;
    show_alone(&show);
    if (also->top) clusters_show_top(&show);
    return (!also->links || !several || clusters_show_links(&show)) &&
           (!also->why || clusters_show_why(&show)) &&
           (!also->pareto || clusters_show_pareto(&show));
}
