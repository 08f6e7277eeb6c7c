/* reckon predict: the time and memory of a step under a plan. */
#include "base/units.h"
#include "cli/check.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/pages.h"
#include "cli/plan_input.h"
#include "cli/plan_operands.h"
#include "cli/prediction.h"
#include "cli/run_args.h"
#include "cli/save.h"
#include "cli/show.h"
#include "cli/verdict.h"

struct predict_args {
    struct plan_source source;
    struct run_args run;
    bool layers, nearest, verbose;
    struct save_args save;
    const char *output, *given;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct predict_args, member)

/* clang-format off */
static const struct operand predict_operands[] = {
    PLAN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "PLAN", .offset = offsetof(struct predict_args, source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option answer_options[] = {
    {.letter = 'l', .name = "layers", .common = true, .type = OPTION_FLAG, AT(layers)},
    {.name = "given", .type = OPTION_TEXT, .argument = "FILE", AT(given), .complete = "file"},
    {.name = "nearest", .type = OPTION_FLAG, AT(nearest)},
    OPTION_VERBOSE_ROW(AT(verbose)),
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};
const struct usage predict_usage = {
#include "help/predict.h"
    .operands = predict_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Input", plan_source_options, offsetof(struct predict_args, source)},
        {"Output", answer_options, 0},
        {"Output", save_options, offsetof(struct predict_args, save)},
        {"The whole run", run_options, offsetof(struct predict_args, run)},
        {"The whole run", samples_options, offsetof(struct predict_args, run)},
        {"Form", show_options, offsetof(struct predict_args, show)},
        {"General", options_help_rows, 0},
        {NULL, plan_options, offsetof(struct predict_args, source)},
    },
};

/* clang-format on */

static void add_verdict(struct report *report, const struct forecast *f)
{
    const struct rk_prediction *p = f->prediction;
    char text[RK_PLAN_TEXT];
    rk_plan_text(f->plan, text, sizeof text);
    REPORT_OBJECT(report, NULL, {"command", cell_text("predict")},
                  {"by", cell_text(forecast_by(f->plan))},
                  {"fits", cell_flag(p->verdict == RK_FITS)},
                  {"verdict", cell_text(rk_verdict_name(p->verdict))},
                  {"outcome", cell_text(verdict_word(f, verdict_sure(f, NULL)))},
                  {"plan_words", cell_text(report_text(report, "%s", text))},
                  {"assumed", cell_text(*f->assumed ? f->assumed : NULL)},
                  {"tightest_stage", p->timed ? cell_count((uint64_t)p->tightest) : cell_none()},
                  {"slowest_stage", p->timed ? cell_count((uint64_t)p->slowest) : cell_none()});
}

static void add_remedy(struct report *report, const struct forecast *f)
{
    struct rk_saving change;
    bool helps;
    const char *remedy = verdict_remedy(report, f, &change, &helps);
    if (!remedy) return;
    report_note(report, report_text(report, "  %s", remedy));
    if (helps)
        REPORT_OBJECT(report, "remedy",
                      {"words", cell_text(report_text(report, "%s", change.words))},
                      {"saved_bytes", cell_number(change.saved_bytes)},
                      {"step_s", cell_number(change.step_s)});
}

/* The verdict has the first one. */
static void add_more_reasons(struct report *report, const struct forecast *f)
{
    const int more = f->prediction->reasons - 1;
    if (more > 0)
        report_note(report, report_text(report, "  and %d more reason%s: --verbose prints all",
                                        more, more == 1 ? "" : "s"));
}

static enum rk_status fill_rest(struct report *report, const struct forecast *f,
                                const struct predict_args *args, struct rk_error *error)
{
    const bool layers = args->layers;
    enum rk_status status = RK_OK;
    forecast_errors(report, f);
    if (args->given) status = forecast_given(report, f, args->given, error);
    if (status == RK_OK) status = forecast_nearest(report, f, NULL, args->nearest, error);
    if (status != RK_OK) return status;
    describe_model(report, f->model, REPORT_IN_JSON);
    describe_system(report, f->system, REPORT_IN_JSON);
    forecast_record(report, f);
    forecast_refusal(report, f);
    add_remedy(report, f);
    if (!layers) forecast_line(report, f);
    if (!f->prediction->timed) return RK_OK;
    forecast_times(report, f);
    forecast_rates(report, f);
    status = run_section(report, &args->run, f, NULL, NULL, error);
    forecast_stages(report, f, false);
    if (layers) forecast_operations(report, f);
    return status;
}

/* Of a plan that cannot run people get the reason alone; what is wrong with the rest that was asked
 * is found all the same. */
static enum rk_status fill_report(struct report *report, const struct forecast *f,
                                  const struct predict_args *args, struct rk_error *error)
{
    struct report hidden = {.first = NULL};
    const bool brief = verdict_sure(f, NULL) == RK_SURE_NOT && !args->verbose &&
                       args->show.format == REPORT_AS_TEXT;
    verdict_add(report, f, NULL);
    if (!args->run.tokens) report_paragraph(report, verdict_cost(report, f));
    add_verdict(report, f);
    if (brief) {
        add_remedy(report, f);
        add_more_reasons(report, f);
    }
    const enum rk_status status = fill_rest(brief ? &hidden : report, f, args, error);
    report_release(&hidden);
    return status;
}

int cmd_predict(int argc, char **argv)
{
    struct predict_args args = {.source = {.several = true}, .run = RUN_ARGS_INIT};
    struct plan_input input = {.assumed = ""};
    struct report report;
    struct rk_prediction prediction;
    struct rk_error error;
    int code;
    const int done = options_read(&predict_usage, argc, argv, &args);
    if (done >= 0) return done;

    report = show_begin(&args.show, args.output);
    enum rk_status status = plan_gather(&args.source, &input, &error);
    if (status == RK_OK) status = plan_settle(&args.source, &input, NULL, NULL, &error);
    if (status == RK_OK)
        status = run_take_samples(&args.run, &input.model, &input.draft.plan, input.pack_tokens,
                                  &args.run, &error);
    if (status == RK_OK && args.layers && input.system.machine)
        status = rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "--layers: each cluster has operations of its own: give one of them as "
                         "the system");
    if (status == RK_OK && args.given && show_is_page(&args.show, args.output))
        status = rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "--given: a page does not show it: give another --format");
    if (status == RK_OK)
        status = save_files(
            &args.save,
            &(struct save_answer){&input.model, &input.system, &input.draft.plan, &args.run},
            &error);
    if (status == RK_OK) {
        const struct rk_plan *plan = &input.draft.plan;
        rk_predict(&input.model, &input.system, plan, &prediction);
        const struct forecast forecast = {&input.model, &input.system, plan,
                                          &prediction,  input.assumed, NULL};
        const struct page_names names = {args.source.model, args.source.system, args.source.file,
                                         NULL, false};
        code = verdict_exit(&forecast);
        if (show_is_page(&args.show, args.output))
            status = page_of_plan(args.output, &forecast, &names, &args.run, &error);
        else if ((status = fill_report(&report, &forecast, &args, &error)) == RK_OK)
            code = show_report(&report, &args.show, args.output, code);
        if (status != RK_OK) code = options_fail(&error);
        if (prediction.timed) check_remark("the plan", &input.model, &input.system, plan);
    } else {
        code = options_fail(&error);
    }
    report_release(&report);
    plan_input_release(&input);
    return code;
}
