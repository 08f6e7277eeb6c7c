/* place_plan.c - the buffers of a plan: from the prediction to the peak. */
#include "base/memory.h"
#include "base/units.h"
#include "cli/buffers_chart.h"
#include "cli/place_args.h"
#include "cli/plan_input.h"
#include "clusters/predict.h"
#include "clusters/ranks.h"
#include "logs/buffers.h"
#include "logs/run_buffers.h"
#include "logs/step_buffers.h"

#include <stdlib.h>

/* ---- from the prediction to the peak ---- */

/* clang-format off */
static const struct report_column part_columns[] = {
    {.name = "part"},
    {.name = "bytes", .title = "", .unit = "B", .digits = 2},
    {.name = "what", .title = ""},
};

/* clang-format on */

static void add_part(struct report *report, struct report_table *table, const char *part,
                     double bytes, const char *what)
{
    REPORT_ROW(report, table, cell_text(part), cell_number(bytes), cell_text(what));
}

/* How the rank's predicted memory and the peak differ: the rows in between add up. */
static void add_prediction(const struct place_args *args, struct report *report,
                           const struct rk_stage *stage, const struct rk_placement *p)
{
    const double *holds = stage->holds;
    const double loss = holds[RK_HOLD_fragmentation], live = (double)p->live;
    const double outside = stage->total_bytes - stage->allocated_bytes - loss;
    const double state =
        holds[RK_HOLD_weights] + holds[RK_HOLD_gradients] + holds[RK_HOLD_optimizer];
    const double placed = stage->allocated_bytes - (args->lasting ? 0 : state);
    struct report_table *table =
        REPORT_LIST(report, "from_prediction", "From the predicted memory to the peak",
                    REPORT_IN_TEXT | REPORT_IN_JSON, part_columns);
    add_part(report, table, "predicted", stage->total_bytes, "as reckon predict counts this stage");
    add_part(report, table, "context", -outside, "context of the device, of no allocator");
    add_part(report, table, "fragmentation", -loss, "fragmentation that is assumed");
    if (!args->lasting)
        add_part(report, table, "state", -state, "weights, gradients, optimizer: --lasting");
    add_part(report, table, "moments", live - placed,
             live > placed ? "stored by the program beyond the prediction: docs/memory-planning.md"
                           : "parts at the moment of most live bytes, less the peak of each part");
    add_part(report, table, "addresses", (double)p->peak - live, "lost between buffers");
    add_part(report, table, "peak", (double)p->peak, "peak as placed");
}

static void compare(const struct place_args *args, struct report *report,
                    const struct plan_buffers *of, const struct rk_placement *p)
{
    if (of->cluster == of->fullest) return add_prediction(args, report, of->stage, p);
    report_note(report,
                report_text(report,
                            "The memory of this stage is predicted of its fullest replicas, "
                            "on cluster %s: a rank there is compared with it",
                            of->fullest));
}

enum rk_status place_one_problem(const struct place_args *args, const char *file, struct buffers *b,
                                 const struct plan_buffers *of, struct report *report,
                                 struct report_table *table, struct rk_error *error)
{
    struct placed placed = {.cluster =
                                of && of->cluster ? report_text(report, "%s", of->cluster) : NULL};
    const struct buffers *run = of && of->begins ? &of->run : b;
    enum rk_status status;
    place_align(b, args->alignment);
    if (args->two_levels && !b->passes)
        status =
            rk_fail(error, RK_BAD_INPUT, file, 1, 0,
                    "--two-level asks for a column `pass`: the pass of a layer that a buffer is "
                    "of, empty for none");
    else if (args->check)
        status = place_check_file(args, file, b, &placed, error);
    else
        status = place_file(args, file, b, &placed, error);
    if (status == RK_OK) {
        place_add_row(report, table, file, b->count, args, &placed);
        if (of) compare(args, report, of, &placed.p);
        if (args->caching) status = place_add_caching(args, file, run, report, error);
    }
    if (status == RK_OK) {
        if (args->capacity && placed.p.peak > args->capacity) status = RK_NOTHING_FITS;
        error->text[0] = 0; /* the table says it */
    }
    return status;
}

/* The prediction of a plan, and the clusters of a rank that it has. */
static enum rk_status predict(const struct plan_input *input, uint64_t rank,
                              struct rk_prediction *prediction, struct plan_buffers *of,
                              struct rk_error *error)
{
    const struct rk_machine *machine = input->system.machine;
    struct clusters_judged *judged = machine ? malloc(sizeof *judged) : NULL;
    if (!machine) {
        rk_predict(&input->model, &input->system, &input->draft.plan, prediction);
        return RK_OK;
    }
    if (!judged) return no_memory(error);
    predict_clusters(&input->model, &input->system, &input->draft.plan, prediction, judged);
    const struct rank_place place = clusters_place(&judged->plan, machine, rank);
    of->cluster = machine->cluster[place.cluster].name;
    of->fullest = machine->cluster[prediction->stage[place.stage].cluster].name;
    free(judged);
    return RK_OK;
}

/* What a rank of a plan allocates. */
static enum rk_status rank_buffers(const struct place_args *args, const struct plan_input *input,
                                   struct buffers *step, struct plan_buffers *of,
                                   struct rk_prediction *prediction, struct rk_error *error)
{
    const struct rk_plan *plan = &input->draft.plan;
    struct rk_program program = {.rank = 0};
    enum rk_status status =
        rk_program_of(&program, &input->model, &input->system, plan, args->rank, error);
    if (status == RK_OK) status = step_buffers(step, &program, args->lasting, error);
    of->begins = args->caching && args->lasting && run_buffers_known(plan);
    if (status == RK_OK && of->begins) status = run_buffers(&of->run, &program, plan, error);
    if (status == RK_OK) status = predict(input, args->rank, prediction, of, error);
    of->stage = &prediction->stage[program.stage];
    rk_program_release(&program);
    return status;
}

enum rk_status place_one_plan(const struct place_args *args, struct report *report,
                              struct report_table *table, struct rk_error *error)
{
    static struct rk_prediction prediction;
    struct plan_input input = {.assumed = ""};
    struct buffers b = {.count = 0};
    struct plan_buffers of = {.begins = false};
    char text[RK_PLAN_TEXT];
    enum rk_status status = plan_gather(&args->source, &input, error);
    if (status == RK_OK) status = plan_settle(&args->source, &input, NULL, NULL, error);
    if (status == RK_OK) status = rank_buffers(args, &input, &b, &of, &prediction, error);
    if (status == RK_OK) {
        rk_plan_text(&input.draft.plan, text, sizeof text);
        status =
            place_one_problem(args, report_text(report, "%s", text), &b, &of, report, table, error);
    }
    buffers_release(&of.run);
    buffers_release(&b);
    plan_input_release(&input);
    return status;
}
