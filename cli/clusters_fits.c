/* clusters_fits.c - reckon fits of a plan over several clusters: what each stage holds, and which
 * change of all stages makes room. */
#include "base/memory.h"
#include "base/number.h"
#include "cli/clusters_ask.h"
#include "cli/commands.h"
#include "cli/plan_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct usage usage = {
    .name = "fits",
    .summary = "memory of a plan over several clusters",
    .operands = clusters_words,
    .words = plan_words,
    .groups = {CLUSTERS_BASICS},
    .wider = &fits_usage,
    .with = "several clusters",
};
static const struct report_column stage_columns[] = {
    {.name = "stage"},
    {.name = "cluster"},
    {.name = "in_flight", .title = "in flight", .digits = 4},
    {.name = "weights", .unit = "B", .digits = 2},
    {.name = "gradients", .unit = "B", .digits = 2},
    {.name = "optimizer", .unit = "B", .digits = 2},
    {.name = "activations", .unit = "B", .digits = 2},
    {.name = "rest", .unit = "B", .digits = 2, .help = "gathered, working, communication, context, fragmentation"},
    {.name = "total", .unit = "B", .digits = 2},
    {.name = "capacity", .unit = "B", .digits = 2},
    {.name = "left", .unit = "B", .digits = 2},
};
static const struct report_column change_columns[] = {
    {.name = "change"},
    {.name = "left", .unit = "B", .digits = 2, .help = "on the tightest stage"},
    {.name = "stage"},
    {.name = "fits"},
    {.name = "step_s", .title = "step", .unit = "s", .digits = 4},
    {.name = "slower", .title = "slower by", .unit = "%", .digits = 1},
    {.name = "what", .title = ""},
};

/* Words, or degrees that take over from data parallelism. */
static const struct change {
    const char *words;
    int tensor, context;
    const char *what;
} changes[] = {
    {"zero2",                           1, 1, "gradients are sharded, too"},
    {"zero3",                           1, 1, "weights are sharded, too"},
    {"recompute=full",                  1, 1, "whole layers are computed again"},
    {"recompute=selective:mlp",         1, 1, "dense MLPs are computed again"},
    {"recompute=selective:layernorm",   1, 1, "norms are computed again"},
    {"recompute=selective:core_attn",   1, 1, "attention's core is computed again"},
    {"",                                2, 1, "twice the tensor parallelism, half the data parallelism"},
    {"",                                1, 2, "twice the context parallelism, half the data parallelism"},
    {"moment1-bytes=2 moment2-bytes=2", 1, 1, "moments in 16 bits"},
    {"gradient-bytes=2",                1, 1, "gradients in 16 bits"},
};
/* clang-format on */

/* What the fullest stage has left. */
static double least_left(const struct clusters_plan *plan, int *stage)
{
    double least = INFINITY;
    for (int i = 0; i < plan->stages; i++) {
        const double left = plan->stage[i].capacity_bytes - plan->stage[i].bytes;
        if (left < least) *stage = i;
        least = fmin(least, left);
    }
    return least;
}

/* ---- the tables ---- */

static double activations(const struct rk_stage *memory)
{
    static const enum rk_holding kinds[] = {RK_HOLD_attention,   RK_HOLD_mlp,
                                            RK_HOLD_experts,     RK_HOLD_norms,
                                            RK_HOLD_checkpoints, RK_HOLD_embedding};
    double bytes = 0;
    for (int i = 0; i < COUNT_OF(kinds); i++)
        bytes += memory->holds[kinds[i]];
    return bytes;
}

static void show_stages(struct report *report, const struct clusters_input *input)
{
    const struct clusters_plan *best = &input->answer->best;
    struct report_table *table = REPORT_LIST(report, "stages", "Memory of a GPU, stage by stage",
                                             REPORT_IN_ALL, stage_columns);
    for (int i = 0; i < best->stages; i++) {
        const struct clusters_stage *stage = &best->stage[i];
        const double *holds = stage->memory.holds, moving = activations(&stage->memory);
        const double state =
            holds[RK_HOLD_weights] + holds[RK_HOLD_gradients] + holds[RK_HOLD_optimizer];
        report_row(report, table,
                   (const struct report_cell[]){
                       cell_count((uint64_t)i),
                       cell_text(input->machine.cluster[stage->cluster].name),
                       cell_number(stage->in_flight),
                       cell_number(holds[RK_HOLD_weights]),
                       cell_number(holds[RK_HOLD_gradients]),
                       cell_number(holds[RK_HOLD_optimizer]),
                       cell_number(moving),
                       cell_number(stage->bytes - state - moving),
                       cell_number(stage->bytes),
                       cell_number(stage->capacity_bytes),
                       cell_number(stage->capacity_bytes - stage->bytes),
                   });
    }
}

static bool change_part(const struct change *change, struct given_part *part)
{
    const struct rk_plan before = part->plan;
    const uint64_t times = (uint64_t)(change->tensor * change->context);
    struct plan_draft draft = plan_draft();
    struct rk_error error;
    draft.plan = before;
    if (part->data % times || plan_read_words(change->words, &draft, &error) != RK_OK) return false;
    part->plan = draft.plan;
    part->plan.tensor *= (uint64_t)change->tensor;
    part->plan.context *= (uint64_t)change->context;
    part->data /= times;
    if (part->plan.recompute != RK_SELECTIVE) part->plan.recompute_parts = 0;
    if (before.tensor == 1) part->plan.sequence_parallel = part->plan.tensor > 1;
    return times > 1 || memcmp(&part->plan, &before, sizeof before) != 0;
}

/* False: it changes nothing. */
static bool make_change(const struct change *change, const struct given_plan *from,
                        struct given_plan *to)
{
    bool changed = false;
    *to = *from;
    for (int i = 0; i < to->stages; i++)
        for (int k = 0; k < to->stage[i].parts; k++)
            changed |= change_part(change, &to->stage[i].part[k]);
    return changed;
}

static const char *name_of(const struct change *change)
{
    return change->tensor > 1 ? "tensor x 2" : change->context > 1 ? "context x 2" : change->words;
}

static bool show_changes(struct report *report, const struct clusters_input *input,
                         const struct given_plan *given)
{
    struct given_plan *changed = malloc(sizeof *changed);
    struct clusters_plan *plan = malloc(sizeof *plan);
    struct report_table *table =
        REPORT_LIST(report, "changes", "What a single change of all stages does",
                    REPORT_IN_TEXT | REPORT_IN_JSON, change_columns);
    int tightest = 0;
    const double before = least_left(&input->answer->best, &tightest);
    bool good = changed && plan;
    for (int i = 0; good && i < COUNT_OF(changes); i++) {
        struct given_fault fault;
        int stage = 0;
        if (!make_change(&changes[i], given, changed)) continue;
        memset(plan, 0, sizeof *plan);
        good = given_judge(&input->question, changed, plan, &fault);
        const bool memory = fault.reason.verdict == RK_MEMORY_EXCEEDED;
        if (!good || (fault.reason.verdict != RK_FITS && !memory)) continue;
        const double left = least_left(plan, &stage);
        if (left < before) continue;
        report_row(report, table,
                   (const struct report_cell[]){
                       cell_text(name_of(&changes[i])),
                       cell_number(left),
                       cell_count((uint64_t)stage),
                       cell_flag(!memory),
                       cell_number(plan->simulated_s),
                       cell_number(plan->simulated_s / input->answer->best.simulated_s - 1),
                       cell_text(changes[i].what),
                   });
    }
    free(changed);
    free(plan);
    return good;
}

static int tell(struct clusters_input *input, const struct clusters_basics *args)
{
    struct report report = {.first = NULL};
    struct rk_error error;
    int stage = 0, code;
    const struct clusters_plan *best = &input->answer->best;
    const double left = least_left(best, &stage);
    const bool fits = input->fault.reason.verdict == RK_FITS;
    struct given_plan *given = input->given ? NULL : malloc(sizeof *given);
    if (given) given_of(&input->question, best, given);
    report_note(&report,
                report_text(&report,
                            "%s over %d clusters: %s, %.2f GiB %s on the tightest stage, %d; "
                            "%.4g s a step",
                            input->model.id, input->machine.clusters,
                            fits ? "fits" : "does not fit", fabs(left) / 1073741824,
                            left < 0 ? "too little" : "left", stage, best->simulated_s));
    for (int i = 0; i < best->stages; i++)
        if (best->stage[i].overfull.tier)
            report_note(&report,
                        report_text(&report, "stage %d needs %.2f of %.2f GiB in memory tier %d", i,
                                    best->stage[i].overfull.need / 1073741824,
                                    best->stage[i].overfull.have / 1073741824,
                                    best->stage[i].overfull.tier));
    show_stages(&report, input);
    if ((input->given || given) && show_changes(&report, input, given ? given : input->given))
        code = show_report(&report, &args->show, args->output, fits ? RK_OK : RK_NOTHING_FITS);
    else
        code = options_fail((no_memory(&error), &error));
    free(given);
    report_release(&report);
    return code;
}

int clusters_fits(int argc, char **argv)
{
    struct clusters_basics args = {.output = NULL};
    struct clusters_input input;
    struct rk_error error;
    plan_words_prepare();
    int code = options_read(&usage, argc, argv, &args);
    if (code >= 0) return code;
    enum rk_status status = clusters_input_open(&input, &args.source, &error);
    bool full;
    if (status == RK_OK) status = clusters_input_leave(&input, NULL, &error);
    if (status == RK_OK) status = clusters_input_roomy(&input, true, &full, &error);
    code = status == RK_OK ? tell(&input, &args) : options_fail(&error);
    clusters_input_release(&input);
    return code;
}
