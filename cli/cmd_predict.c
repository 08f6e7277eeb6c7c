/* reckon predict: the time and memory of a step under a plan of today. */
#include "base/units.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/plan_input.h"
#include "cli/prediction.h"
#include "cli/show.h"

struct predict_args {
    struct plan_source source;
    double tokens;
    const char *save;
    const char *output;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct predict_args, member)

/* clang-format off */
static const struct operand predict_operands[] = {
    {.name = "PLAN", .help = "words that say how it is trained, \"tp8 pp4 sp zero1 gbs512\"; below are all",
     .offset = offsetof(struct predict_args, source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option input_options[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "MODEL", AT(source.model), .complete = "models",
     .help = "what is trained: an id of `reckon models`, a file (also a config.json of Hugging Face), or - (standard input)"},
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", AT(source.system), .complete = "systems",
     .help = "the machine: an id of `reckon systems`, a file, -, or a description in one line, \"h100-sxm5-80g x512\""},
    {.name = NULL},
};
static const struct option answer_options[] = {
    {.letter = 't', .name = "tokens", .type = OPTION_COUNT, AT(tokens), .argument = "COUNT",
     .help = "also say how many days so many tokens take, \"15T\""},
    {.name = "save", .type = OPTION_TEXT, .argument = "FILE", AT(save), .complete = "file",
     .help = "write the plan, complete, as a plan file"},
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", AT(output), .complete = "file",
     .help = "write to FILE instead of standard output (-); it appears whole or not at all"},
    {.name = NULL},
};

const struct usage predict_usage = {
    .name = "predict",
    .summary = "the time and memory of a step, as people train today",
    .synopsis = "--model MODEL --system SYSTEM [options] [PLAN]...",
    .description =
        "Predicts one training step under a plan: how long it takes and where the time goes, what "
        "that achieves, and the memory of a GPU on every pipeline stage. Plans know experts, context "
        "parallelism, ZeRO in all its stages, recomputation by part, narrow datatypes, uneven stages "
        "and the habits of Megatron, FSDP and DeepSpeed; reckon estimate is the published model with "
        "its strategies.\n\n"
        "The plan comes from words, from --plan FILE, or both: words outdo the file. What is not said "
        "is assumed, and said: the GPUs are all of the system (if it says how many), else what the "
        "degrees make; data parallelism is what the other degrees leave of them; the batch is 4 "
        "samples for each GPU and sample of a microbatch; the precision is bf16, or what the system "
        "has.\n\n"
        "A plan that cannot run is answered with the reason and exit status 1.",
    .operands = predict_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Input", input_options, 0},
        {"Plan", plan_source_options, offsetof(struct predict_args, source)},
        {"Output", answer_options, 0},
        {"Form", show_options, offsetof(struct predict_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon predict -m llama3.1-70b -s h100-sxm5-80g --gpus 64 tp8 pp2 sp zero1 gbs128 recompute=selective",
         "Llama 3.1 70B on 64 H100:"},
        {"reckon predict -m llama3.1-8b -s h100-sxm5-80g --gpus 8 framework=fsdp zero3 grad-overlap weight-overlap recompute=full",
         "8B on one node with FSDP:"},
        {"reckon predict -m llama3.1-70b -s h100-sxm5-80g --plan plan.json tp4 --format json",
         "A plan of a file with one change, for a program:"},
    },
    .see_also = "reckon-fits(1), reckon-estimate(1), reckon-plan(5), reckon-model(5), reckon-system(5)",
};
/* clang-format on */

/* Names the answer: what, on what, and how fast or why not. */
static void add_headline(struct report *report, const struct forecast *f)
{
    const struct rk_prediction *p = f->prediction;
    char step[QUANTITY_TEXT];
    const char *verdict =
        p->verdict == RK_FITS
            ? report_text(report, "%s a step, %.4g TFLOP/s a GPU, MFU %.1f %%",
                          quantity_format(step, QUANTITY_SECONDS, p->step_s),
                          p->model_flop / p->step_s / (double)f->plan->ranks / 1e12, 100 * p->mfu)
            : "this plan cannot run";
    report_note(report, report_text(report, "%s on %s, %llu GPU%s: %s", f->model->id, f->system->id,
                                    (unsigned long long)f->plan->ranks,
                                    f->plan->ranks == 1 ? "" : "s", verdict));
    forecast_plan(report, f);
}

static void add_verdict(struct report *report, const struct forecast *f)
{
    static const struct report_column columns[] = {
        {.name = "command"},      {.name = "fits"},    {.name = "verdict"},
        {.name = "plan_words"},   {.name = "assumed"}, {.name = "tightest_stage"},
        {.name = "slowest_stage"}};
    const struct rk_prediction *p = f->prediction;
    char text[RK_PLAN_TEXT];
    rk_plan_text(f->plan, text, sizeof text);
    const struct report_cell cells[] = {cell_text("predict"),
                                        cell_flag(p->verdict == RK_FITS),
                                        cell_text(rk_verdict_name(p->verdict)),
                                        cell_text(report_text(report, "%s", text)),
                                        cell_text(*f->assumed ? f->assumed : NULL),
                                        p->timed ? cell_count((uint64_t)p->tightest) : cell_none(),
                                        p->timed ? cell_count((uint64_t)p->slowest) : cell_none()};
    report_row(report,
               report_add(report, &(struct report_table){.shape = REPORT_RECORD,
                                                         .formats = REPORT_IN_JSON,
                                                         .columns = columns,
                                                         .column_count = 7}),
               cells);
}

static void fill_report(struct report *report, const struct forecast *f)
{
    add_headline(report, f);
    add_verdict(report, f);
    forecast_errors(report, f);
    describe_model(report, f->model, REPORT_IN_JSON);
    describe_system(report, f->system, REPORT_IN_JSON);
    forecast_record(report, f);
    forecast_refusal(report, f);
    forecast_line(report, f);
    if (!f->prediction->timed) return;
    forecast_times(report, f);
    forecast_rates(report, f);
    forecast_stages(report, f, false);
}

int cmd_predict(int argc, char **argv)
{
    struct predict_args args = {.source = {.model = NULL}};
    struct plan_input input = {.assumed = ""};
    struct report report = {.first = NULL};
    struct rk_prediction prediction;
    struct rk_error error;
    int code;
    const int done = options_read(&predict_usage, argc, argv, &args);
    if (done >= 0) return done;

    enum rk_status status = plan_gather(&args.source, &input, &error);
    if (status == RK_OK) status = plan_settle(&args.source, &input, NULL, &error);
    if (status == RK_OK && args.save) status = rk_plan_save(args.save, &input.draft.plan, &error);
    if (status == RK_OK) {
        const struct rk_plan *plan = &input.draft.plan;
        const bool fits = rk_predict(&input.model, &input.system, plan, &prediction) == RK_FITS;
        const struct forecast forecast = {&input.model, &input.system, plan,
                                          &prediction,  args.tokens,   input.assumed};
        fill_report(&report, &forecast);
        code = show_report(&report, &args.show, args.output, fits ? RK_OK : RK_NOTHING_FITS);
    } else {
        code = options_fail(&error);
    }
    report_release(&report);
    plan_input_release(&input);
    return code;
}
