#include "cli/search_layerwise.h"
#include "cli/launchable.h"
#include "cli/verdict.h"

#include "base/memory.h"
#include "base/number.h"
#include "search/layerwise.h"
#include "timeline/timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

static bool stop(void *context)
{
    (void)context;
    return progress_stopped();
}

/* ---- how each layer is run ---- */

/* "cp2 ulysses": how many share a sample's tokens, and how. */
static const char *context_of(struct report *report, const struct rk_plan *plan)
{
    char kind[RK_PLAN_AXIS_TEXT];
    if (plan->context == 1) return "";
    rk_plan_axis_text(RK_PLAN_CONTEXT_KIND, (uint64_t)plan->context_kind, kind);
    return report_text(report, " cp%" PRIu64 "%s%s", plan->context,
                       plan->context_kind == RK_RING ? "" : " ",
                       plan->context_kind == RK_RING ? "" : kind);
}

/* "tp4 zero1 recompute=full": in what runs can differ; bf16 is not said. */
static const char *manner(struct report *report, const struct rk_plan *plan)
{
    const bool usual = plan->precision == RK_BF16;
    char precision[RK_PLAN_AXIS_TEXT];
    char again[RK_PLAN_AXIS_TEXT];
    rk_plan_axis_text(RK_PLAN_RECOMPUTE, rk_plan_axis_get(plan, RK_PLAN_RECOMPUTE), again);
    rk_plan_axis_text(RK_PLAN_PRECISION, (uint64_t)plan->precision, precision);
    const double away = rk_plan_offloaded(plan, RK_SHARE_ATTENTION);
    return report_text(
        report, "tp%" PRIu64 "%s%s%s zero%d%s%s%s", plan->tensor, context_of(report, plan),
        usual ? "" : " ", usual ? "" : precision, plan->zero,
        plan->recompute == RK_KEEP ? "" : " recompute=", plan->recompute == RK_KEEP ? "" : again,
        away > 0 ? report_text(report, " offload=%g", away) : "");
}

static const struct report_column run_columns[] = {
    {.name = "stage"},  {.name = "first_layer", .title = "first"},
    {.name = "layers"}, {.name = "run"},
    {.name = "data"},   {.name = "microbatch"},
};

static void add_runs(struct report *report, const struct layerwise_answer *answer)
{
    const struct rk_plan *plan = &answer->dealt;
    const struct rk_layout *layout = rk_plan_layout(plan);
    struct report_table *table =
        REPORT_LIST(report, "runs", "Layers and their choices", REPORT_IN_ALL, run_columns);
    int segment = 0;
    uint64_t left = layout->segments ? layout->segment[0].layers : UINT64_MAX, first = 0;
    for (int stage = 0; stage < answer->prediction.stages; stage++)
        for (uint64_t of_stage = answer->prediction.stage[stage].blocks; of_stage > 0;) {
            const uint64_t layers = left < of_stage ? left : of_stage;
            const struct rk_plan own =
                layerwise_run(plan, layout->segments ? layout->segment[segment].local : 0);
            REPORT_ROW(report, table, cell_count((uint64_t)stage), cell_count(first),
                       cell_count(layers), cell_text(manner(report, &own)),
                       cell_count(rk_plan_data(&own)), cell_count(own.microbatch));
            first += layers;
            of_stage -= layers;
            left -= layers;
            if (left == 0 && ++segment < layout->segments) left = layout->segment[segment].layers;
        }
    report_note(report, report_text(report, "  embedding and head: %s",
                                    manner(report, &(struct rk_plan){.local = plan->local})));
}

/* ---- the stages ---- */

/* clang-format off */
static const struct report_column stage_columns[] = {
    {.name = "stage"},
    {.name = "layers", REPORT_OF(struct rk_stage, blocks)},
    {.name = "forward_s", REPORT_OF(struct rk_stage, forward_s), .title = "forward", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "backward_s", REPORT_OF(struct rk_stage, backward_s), .title = "backward", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "total_bytes", REPORT_OF(struct rk_stage, total_bytes), .title = "memory", .unit = "B", .digits = 2},
    {.name = "in_flight", REPORT_OF(struct rk_stage, in_flight), .title = "in flight", .digits = 3},
};
/* clang-format on */

static void add_stages(struct report *report, const struct layerwise_answer *answer)
{
    struct report_table *table =
        REPORT_LIST(report, "stages", "Stages", REPORT_IN_TEXT | REPORT_IN_JSON, stage_columns);
    for (int i = 0; i < answer->prediction.stages; i++) {
        report_item(report, table, &answer->prediction.stage[i],
                    (struct report_cell[]){cell_count((uint64_t)i)});
    }
}

/* ---- memory against time ---- */

static const struct report_column front_columns[] = {
    {.name = "stage"},
    {.name = "total_bytes", .title = "memory", .unit = "B", .digits = 2},
    {.name = "microbatch_s", .title = "microbatch", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "run", .title = "layers"},
};

struct fronts {
    struct report *report;
    struct report_table *text, *json;
    uint64_t stages;
};

static const char *parts_text(struct report *report, const struct layerwise_point *point)
{
    const char *text = "";
    for (int i = 0; i < point->parts; i++)
        text = report_text(report, "%s%s%d %s", text, i ? ", " : "", point->part[i].layers,
                           manner(report, &(struct rk_plan){.local = point->part[i].local}));
    return text;
}

static void add_point(void *context, const struct layerwise_point *point)
{
    struct fronts *f = context;
    const uint64_t stage = (uint64_t)point->stage;
    const struct report_cell cells[] = {cell_count(stage), cell_number(point->bytes),
                                        cell_number(point->time_s),
                                        cell_text(parts_text(f->report, point))};
    if (f->text && (stage == 0 || stage == f->stages / 2 || stage == f->stages - 1))
        report_row(f->report, f->text, cells);
    if (f->json) report_row(f->report, f->json, cells);
}

/* What each stage's layers could be run with: a few points of first, middle and last stage for
 * people, those of all for programs. */
static enum rk_status add_fronts(struct report *report, const struct search *search,
                                 const struct layerwise_answer *answer, struct rk_error *error)
{
    const struct report_table table = {.name = "fronts",
                                       .title = "Memory and time of a stage",
                                       .columns = front_columns,
                                       .column_count = COUNT_OF(front_columns)};
    struct report_table text = table, json = table;
    text.formats = REPORT_IN_TEXT;
    json.formats = REPORT_IN_JSON;
    const uint64_t stages = answer->plan.pipeline;
    struct fronts few = {report, report_add(report, &text), NULL, stages};
    struct fronts all = {report, NULL, report_add(report, &json), stages};
    const enum rk_status status = layerwise_fronts(&search->problem, &answer->dealt,
                                                   answer->plan.chunks, 5, add_point, &few, error);
    if (status != RK_OK || search->args->show.format != REPORT_AS_JSON) return status;
    return layerwise_fronts(&search->problem, &answer->dealt, answer->plan.chunks, 64, add_point,
                            &all, error);
}

/* ---- other schedules ---- */

/* Seconds of a simulated step; 0: it cannot be simulated. */
static double simulated_s(const struct search *search, const struct rk_plan *plan)
{
    struct timeline_plan simulated = {.tiers = 0};
    struct timeline timeline = {.step_s = 0};
    struct rk_prediction p;
    struct rk_error error;
    double step_s = 0;
    rk_predict(search->problem.model, search->problem.system, plan, &p);
    if (!p.timed) return 0;
    if (timeline_plan_of_plan(&simulated, search->problem.model, search->problem.system, plan, &p,
                              -1, &error) != RK_OK)
        return 0;
    if (timeline_simulate(&simulated, &timeline, &error) == RK_OK) step_s = timeline.step_s;
    timeline_release(&timeline);
    timeline_plan_release(&simulated);
    return step_s;
}

static const struct report_column schedule_columns[] = {
    {.name = "schedule"},
    {.name = "predicted_s", .title = "predicted", .unit = "s", .digits = 4},
    {.name = "simulated_s", .title = "simulated", .unit = "s", .digits = 4},
    {.name = "gap", .unit = "%", .digits = 2},
    {.name = "fits"},
};

static void add_schedule(struct report *report, struct report_table *table,
                         const struct search *search, const struct rk_plan *plan, const char *name)
{
    struct rk_prediction p;
    rk_predict(search->problem.model, search->problem.system, plan, &p);
    const double run_s = simulated_s(search, plan);
    REPORT_ROW(report, table, cell_text(name), cell_number(p.step_s),
               run_s > 0 ? cell_number(run_s) : cell_none(),
               run_s > 0 ? cell_number(run_s / p.step_s - 1) : cell_none(),
               cell_flag(p.verdict == RK_FITS));
}

enum { MOST_CHUNKS = 8 };

static void add_schedules(struct report *report, const struct search *search,
                          const struct layerwise_answer *answer)
{
    static const enum rk_schedule schedules[] = {RK_1F1B, RK_GPIPE, RK_ZERO_BUBBLE};
    if (answer->dealt.pipeline == 1) return;
    struct report_table *table = REPORT_LIST(report, "schedules", "The same plan by schedule",
                                             REPORT_IN_TEXT | REPORT_IN_JSON, schedule_columns);
    for (int i = 0; i < COUNT_OF(schedules); i++) {
        struct rk_plan plan = answer->dealt;
        plan.schedule = schedules[i];
        add_schedule(report, table, search, &plan, rk_schedule_name(schedules[i]));
    }
    const uint64_t own = answer->plan.chunks;
    for (uint64_t chunks = 2; chunks <= MOST_CHUNKS || chunks <= own; chunks++) {
        struct rk_plan plan;
        struct rk_layout layout;
        struct rk_prediction p;
        if (chunks > MOST_CHUNKS && chunks != own) continue;
        if (!layerwise_interleave(&answer->dealt, search->problem.model, chunks, &plan, &layout))
            continue;
        rk_predict(search->problem.model, search->problem.system, &plan, &p);
        if (p.timed)
            add_schedule(report, table, search, &plan,
                         report_text(report, "1f1b, vpp%" PRIu64, chunks));
    }
}

/* What takes searches of its own. */
static enum rk_status add_tables(struct report *report, const struct search *search,
                                 const struct layerwise_answer *answer, struct rk_error *error)
{
    add_schedules(report, search, answer);
    return add_fronts(report, search, answer, error);
}

/* ---- the answer ---- */

static const struct report_column head_columns[] = {
    {.name = "step_s", .title = "step", .unit = "s", .digits = 4, .help = "as predicted"},
    {.name = "uniform_s",
     .title = "all layers alike",
     .unit = "s",
     .digits = 4,
     .help = "the best plan whose layers are run alike, 1F1B without interleaving"},
    {.name = "any_s",
     .title = "any schedule",
     .unit = "s",
     .digits = 4,
     .help = "the best plan of reckon search: layers alike, interleaved or not"},
    {.name = "gain", .unit = "%", .digits = 2, .help = "of the step, less than that"},
    {.name = "chunks",
     .title = "virtual stages",
     .help = "on each rank, to which its layers are dealt; below they are side by side"},
    {.name = "bound_s",
     .title = "bound",
     .unit = "s",
     .digits = 4,
     .help = "no plan of this search is predicted to take less within this memory"},
    {.name = "certificate"},
    {.name = "walk_gap",
     .title = "bi-objective walk",
     .unit = "%",
     .digits = 2,
     .help =
         "of the sums that the search goes by, above those of this mix: between balanced memory "
         "and balanced time"},
    {.name = "shapes", .help = "numbers of stages, virtual stages and microbatches in flight"},
    {.name = "excluded", .help = "... pruned by a bound"},
    {.name = "unfit", .help = "... infeasible, or not faster"},
    {.name = "ways", .help = "to run a layer, of all shapes"},
    {.name = "labels", .help = "kept"},
    {.name = "judged", .help = "mixes, by the prediction of their plan"},
};

/* How far the step is from the bound. */
static const char *certificate(struct report *report, const struct layerwise_answer *answer)
{
    const double step_s = answer->prediction.step_s, above = step_s / answer->bound_s - 1;
    const char *mix = answer->mixed ? "" : "no mix is found that is faster than layers alike, and ";
    if (!(answer->bound_s > 0)) return "none";
    if (above < 5e-6)
        return answer->mixed ? "optimal: no plan is predicted faster"
                             : "optimal: no mix is faster than layers that are alike";
    return report_text(report, "%swithin %.3g %% of the bound", mix, 100 * above);
}

static void add_verdict(struct report *report, const struct search *search,
                        const struct layerwise_answer *answer)
{
    const struct rk_plans_problem *p = &search->problem;
    const struct forecast f = {p->model, p->system, &answer->plan, &answer->prediction, "", NULL};
    char step[QUANTITY_TEXT];
    verdict_best(report, answer->complete, &f);
    const double alike_s = answer->any_s > 0 ? answer->any_s : answer->uniform_s;
    if (launch_lost(report, p->model, p->system, &answer->plan) && alike_s > 0)
        report_note(report,
                    report_text(report,
                                "  the best plan that the file can say, of reckon search without "
                                "--layerwise: %s",
                                quantity_format(step, QUANTITY_SECONDS, alike_s)));
    const char *price = search->args->run.tokens ? NULL : verdict_cost(report, &f);
    report_note(report, report_text(report,
                                    "%s on %s, %" PRIu64 " GPUs, batch %" PRIu64
                                    ", each layer in its own way, %s",
                                    p->model->id, p->system->id, p->base.ranks, p->base.batch,
                                    search_model_name(search)));
    if (price) report_note(report, report_text(report, "  %s", price));
    REPORT_OBJECT(report, NULL, {"command", cell_text("search")},
                  {"predictor", cell_text("reckon")}, {"complete", cell_flag(answer->complete)});
}

static void add_head(struct report *report, const struct layerwise_answer *answer)
{
    const struct layerwise_counts *counts = &answer->counts;
    struct report_table *table = REPORT_ONE(report, NULL, NULL, REPORT_IN_ALL, head_columns);
    const double uniform_s = answer->uniform_s;
    const double alike_s = answer->any_s > 0 ? answer->any_s : uniform_s;
    REPORT_ROW(report, table, cell_number(answer->prediction.step_s),
               uniform_s > 0 ? cell_number(uniform_s) : cell_none(),
               answer->any_s > 0 ? cell_number(answer->any_s) : cell_none(),
               alike_s > 0 ? cell_number(1 - answer->prediction.step_s / alike_s) : cell_none(),
               answer->plan.chunks > 1 ? cell_count(answer->plan.chunks) : cell_none(),
               answer->bound_s > 0 ? cell_number(answer->bound_s) : cell_none(),
               cell_text(certificate(report, answer)),
               answer->walk_s > 0 ? cell_number(answer->walk_s / answer->value_s - 1) : cell_none(),
               cell_count(counts->shapes), cell_count(counts->excluded), cell_count(counts->unfit),
               cell_count(counts->ways), cell_count(counts->labels), cell_count(counts->judged));
}

/* Where it leaves less free than asked for. */
static void add_room(struct report *report, const struct search *search,
                     const struct layerwise_answer *answer)
{
    const struct rk_plans_problem *p = &search->problem;
    const double capacity = p->system->memory[0].capacity_bytes;
    if (answer->fills)
        report_note(report,
                    report_text(report,
                                "  no plan leaves the %.1f GiB that are to be left free: this "
                                "one fills the memory",
                                (capacity - search->usable_bytes) / 0x1p30));
}

static void add_commands(struct report *report, const struct search *search,
                         const struct rk_plan *plan)
{
    const size_t size = 16384;
    char *words = report_alloc(report, size);
    if (!words) return;
    rk_plan_text(plan, words, size);
    report_note(report, "");
    report_note(report, "To see where its time goes:");
    report_note(report,
                report_text(report, "  reckon predict -m %s -s %s -g %" PRIu64 " %s",
                            search_model_word(report, search), search_system_word(report, search),
                            search->problem.base.ranks, words));
}

int search_layerwise(const struct search *search)
{
    const struct search_args *args = search->args;
    struct layerwise_answer *answer = calloc(1, sizeof *answer);
    struct report report = {.first = NULL};
    struct rk_error error = {.status = RK_OK};
    struct timespec begin, end;
    const struct layerwise_query query = {
        .problem = &search->problem,
        .usable_bytes = isinf(search->usable_bytes) ? 0 : search->usable_bytes,
        .launches = search->problem.unstartable ? NULL : rk_plan_launches,
        .threads = (int)args->threads,
        .stop = stop,
    };
    struct progress progress;
    progress_start(&progress, "plans");
    clock_gettime(CLOCK_MONOTONIC, &begin);
    enum rk_status status = answer ? layerwise_search(&query, answer, &error) : no_memory(&error);
    clock_gettime(CLOCK_MONOTONIC, &end);
    progress_end(&progress);
    int code = (int)status;
    if (status == RK_OK) {
        add_verdict(&report, search, answer);
        add_head(&report, answer);
        add_room(&report, search, answer);
        add_runs(&report, answer);
        add_stages(&report, answer);
        if (!answer->complete)
            report_note(&report, "Schedules and the memory of stages are left out: the search was "
                                 "stopped.");
        else if (add_tables(&report, search, answer, &error) != RK_OK)
            code = options_fail(&error);
        add_commands(&report, search, &answer->plan);
        if (!answer->complete) code = RK_INTERRUPTED;
        code = show_report(&report, &args->show, args->output, code);
        if (save_files(&args->save,
                       &(struct save_answer){search->problem.model, search->problem.system,
                                             &answer->plan, &args->run},
                       &error) != RK_OK)
            code = options_fail(&error);
        if (!args->quiet)
            fprintf(stderr, "searched in %.2f s%s\n",
                    (double)(end.tv_sec - begin.tv_sec) +
                        1e-9 * (double)(end.tv_nsec - begin.tv_nsec),
                    answer->complete ? "" : ", interrupted: the best so far");
    } else {
        code = options_fail(&error);
    }
    report_release(&report);
    free(answer);
    return code;
}
