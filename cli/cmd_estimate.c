/* reckon estimate: the time and memory of one training plan. */
#include "base/units.h"
#include "cli/breakdown.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/plan.h"
#include "cli/show.h"

struct estimate_args {
    struct plan_args plan;
    double tokens;
    bool layers;
    const char *output;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct estimate_args, member)

/* clang-format off */
static const struct option answer_options[] = {
    {.letter = 't', .name = "tokens", .type = OPTION_COUNT, AT(tokens), .argument = "COUNT",
     .help = "also say how many days so many tokens take, \"300B\""},
    {.letter = 'l', .name = "layers", .type = OPTION_FLAG, AT(layers),
     .help = "also print the operations of a block (with --format csv only these)"},
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", AT(output), .complete = "file",
     .help = "write to FILE instead of standard output (-); it appears whole or not at all"},
    {.name = NULL},
};

const struct usage estimate_usage = {
    .name = "estimate",
    .summary = "the time and memory of one training plan",
    .synopsis = "--model MODEL --system SYSTEM [options]",
    .description =
        "Predicts one training step under one strategy: how long it takes and where the time goes "
        "(computing, recomputing, optimizer, pipeline bubble, communication and offloading as far "
        "as computing does not hide them), the memory of a GPU per tier and category, and what "
        "the plan achieves.\n\n"
        "The strategy comes from --strategy FILE, from flags, or both: flags override the file. "
        "What neither gives is assumed, and said: the GPUs are all of the system (if it says how "
        "many, and no data degree is given), else tensor * pipeline * data; data is what tensor "
        "and pipeline leave of the GPUs; the batch is 4 microbatches for each pipeline stage and "
        "data rank; a parallelism runs on the innermost network that it fits on; all other degrees "
        "are 1, other options no or none, and the activation is fused.\n\n"
        "A plan that cannot run is answered with every reason at once and exit status 1.",
    .groups = {
        {"Input", plan_input_options, offsetof(struct estimate_args, plan)},
        {"Size", plan_size_options, offsetof(struct estimate_args, plan)},
        {"Strategy", plan_strategy_options, offsetof(struct estimate_args, plan)},
        {"Axes of the strategy", axes_options, offsetof(struct estimate_args, plan.axes)},
        {"Output", answer_options, 0},
        {"Form", show_options, offsetof(struct estimate_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon estimate -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 8 --data 16 --batch 1536 --recompute attention --optimizer-sharding",
         "GPT-3 on 1,024 A100, and what the plan achieves:"},
        {"reckon estimate -m gpt3-175b -s a100-80g-nvl8 --strategy best.json --tokens 300B",
         "The best plan of a search, and the days for 300 billion tokens:"},
        {"reckon estimate -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 16 --format json -o plan.json",
         "Every figure, for a program:"},
    },
    .see_also = "reckon-search(1), reckon-model(5), reckon-system(5), reckon-strategy(5)",
};
/* clang-format on */

/* Names the answer: what, on what, and how fast or why not. */
static void add_headline(struct report *report, const struct breakdown *b, const char *assumed)
{
    const struct rk_estimate *e = b->estimate;
    char step[QUANTITY_TEXT];
    const char *verdict =
        e->verdict == RK_FITS
            ? report_text(report, "%s a step, MFU %.1f %%",
                          quantity_format(step, QUANTITY_SECONDS, e->step_s), 100 * e->mfu)
            : "this plan cannot run";
    report_note(report, report_text(report, "%s on %s, %llu GPU%s: %s", b->model->id, b->system->id,
                                    (unsigned long long)b->strategy->ranks,
                                    b->strategy->ranks == 1 ? "" : "s", verdict));
    describe_plan(report, b->strategy);
    if (assumed[0]) report_note(report, report_text(report, "  assumed: %s", assumed));
}

static void add_verdict(struct report *report, const struct rk_estimate *estimate)
{
    static const struct report_column columns[] = {
        {.name = "command"}, {.name = "fits"}, {.name = "verdict"}};
    struct report_table *table =
        report_add(report, &(struct report_table){.shape = REPORT_RECORD,
                                                  .formats = REPORT_IN_JSON,
                                                  .columns = columns,
                                                  .column_count = 3});
    report_row(report, table,
               (const struct report_cell[]){cell_text("estimate"),
                                            cell_flag(estimate->verdict == RK_FITS),
                                            cell_text(rk_verdict_name(estimate->verdict))});
}

static void fill_report(struct report *report, const struct breakdown *b, const char *assumed,
                        bool layers)
{
    add_headline(report, b, assumed);
    add_verdict(report, b->estimate);
    describe_model(report, b->model, REPORT_IN_JSON);
    describe_system(report, b->system, REPORT_IN_JSON);
    describe_strategy(report, b->strategy, REPORT_IN_JSON);
    describe_reasons(report, b->system, b->estimate);
    if (!layers) breakdown_row(report, b);
    if (!b->estimate->timed) return;
    breakdown_time(report, b);
    breakdown_memory(report, b);
    breakdown_throughput(report, b);
    breakdown_figures(report, b->estimate);
    if (layers) breakdown_operations(report, b);
}

int cmd_estimate(int argc, char **argv)
{
    struct estimate_args args = {.plan = PLAN_ARGS_INIT};
    struct rk_model model;
    struct rk_system system = {.memories = 0};
    struct rk_strategy strategy;
    struct rk_estimate estimate;
    struct report report = {.first = NULL};
    struct rk_error error;
    char assumed[PLAN_ASSUMED];
    const int done = options_read(&estimate_usage, argc, argv, &args);
    if (done >= 0) return done;

    enum rk_status status = plan_load(&args.plan, &model, &system, &error);
    if (status == RK_OK) status = plan_resolve(&args.plan, &system, &strategy, assumed, &error);
    int code = (int)status;
    if (status == RK_OK) {
        const struct breakdown b = {&model, &system, &strategy, &estimate, args.tokens};
        const bool fits = rk_estimate(&model, &system, &strategy, &estimate) == RK_FITS;
        fill_report(&report, &b, assumed, args.layers);
        code = show_report(&report, &args.show, args.output, fits ? RK_OK : RK_NOTHING_FITS);
    } else {
        code = options_fail(&error);
    }
    report_release(&report);
    rk_system_release(&system);
    return code;
}
