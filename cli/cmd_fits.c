/* reckon fits: does it fit, on which stage how much is left, and what saves how much. */
#include "base/units.h"
#include "catalog/hosts.h"
#include "cli/check.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/fits.h"
#include "cli/pages.h"
#include "cli/plan_axes.h"
#include "cli/plan_operands.h"
#include "cli/prediction.h"
#include "cli/run_args.h"
#include "cli/save.h"
#include "cli/show.h"
#include "cli/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct fits_args {
    struct plan_source source;
    struct save_args save;
    struct run_args run;
    bool place, nearest, tune;
    const char *headroom; /* NULL: learned */
    const char *sure;     /* NULL: the usual bounds */
    const char *snapshot; /* NULL: none */
    const char *output;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct fits_args, member)

/* clang-format off */
static const struct operand fits_operands[] = {
    PLAN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "PLAN", AT(source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option answer_options[] = {
    OPTION_HEADROOM_ROW(AT(headroom)),
    {.name = "tune", .common = true, .type = OPTION_FLAG, AT(tune)},
    {.name = "sure", .type = OPTION_TEXT, .argument = "FITS,FAILS", AT(sure)},
    {.name = "place", .type = OPTION_FLAG, AT(place)},
    {.name = "snapshot", .type = OPTION_TEXT, .argument = "FILE", AT(snapshot), .complete = "file"},
    {.name = "nearest", .type = OPTION_FLAG, AT(nearest)},
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};

const struct usage fits_usage = {
#include "help/fits.h"
    .operands = fits_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Input", plan_source_options, offsetof(struct fits_args, source)},
        {"Output", answer_options, 0},
        {"Output", save_options, offsetof(struct fits_args, save)},
        {"The whole run, as in reckon-predict(1)", run_options, offsetof(struct fits_args, run), true},
        {"The whole run", samples_options, offsetof(struct fits_args, run), true},
        {"Form", show_options, offsetof(struct fits_args, show)},
        {"General", options_help_rows, 0},
        {NULL, plan_options, offsetof(struct fits_args, source)},
    },
};
/* clang-format on */

/* ---- the answer ---- */

void fits_verdict(struct report *report, const struct fits_question *question,
                  const struct forecast *f)
{
    const struct rk_prediction *p = f->prediction;
    char text[RK_PLAN_TEXT];
    rk_plan_text(f->plan, text, sizeof text);
    REPORT_OBJECT(
        report, NULL, {"command", cell_text("fits")}, {"fits", cell_flag(p->verdict == RK_FITS)},
        {"verdict", cell_text(rk_verdict_name(p->verdict))},
        {"outcome", cell_text(verdict_word(f, verdict_sure(f, &question->sure)))},
        {"plan_words", cell_text(report_text(report, "%s", text))},
        {"assumed", cell_text(*f->assumed ? f->assumed : NULL)},
        {"tightest_stage", p->timed ? cell_count((uint64_t)p->tightest) : cell_none()},
        {"capacity_bytes", cell_number(forecast_system(f, p->tightest)->memory[0].capacity_bytes)},
        {"need_bytes", p->timed ? cell_number(p->stage[p->tightest].total_bytes) : cell_none()},
        {"left_bytes", p->timed ? cell_number(forecast_left(f, p->tightest)) : cell_none()},
        {"step_s", p->timed ? cell_number(p->step_s) : cell_none()});
}

/* clang-format off */
static const struct report_column change_columns[] = {
    {.name = "change"},
    {.name = "saved_bytes", .title = "saves", .unit = "B", .digits = 2},
    {.name = "left_bytes",  .title = "left",  .unit = "B", .digits = 2},
    SAVING_COLUMNS,
    {.name = "step_s",      .title = "step",  .unit = "s", .digits = 3},
    {.name = "step_change", .title = "slower by", .unit = "%", .digits = 1},
    {.name = "what",        .title = ""},
};
/* clang-format on */

/* What it does, and where another memory than that of `left` is too small, which. */
static const char *change_what(struct report *report, const struct rk_system *system,
                               const struct rk_saving *change)
{
    char bytes[QUANTITY_TEXT];
    if (change->fits || change->left_bytes < 0 || change->short_tier < 0 || system->machine)
        return change->what;
    return report_text(report, "%s; does not fit: %s has %s too little", change->what,
                       memory_name(report, system, change->short_tier),
                       quantity_format(bytes, QUANTITY_BYTES, change->short_bytes));
}

static void change_row(struct report *report, struct report_table *table,
                       const struct fits_question *question, const struct forecast *f,
                       const struct rk_system *system, const struct rk_saving *change)
{
    const double slower = change->step_s / f->prediction->step_s - 1;
    REPORT_ROW(report, table, cell_text(report_text(report, "%s", change->words)),
               cell_number(change->saved_bytes), cell_number(change->left_bytes),
               SAVING_CELLS(f, change, &question->sure), cell_number(change->step_s),
               cell_number(fabs(slower) < 5e-4 ? 0 : slower), /* not "-0.0" */
               cell_text(change_what(report, system, change)));
}

static struct report_table *change_table(struct report *report, const char *name, const char *title)
{
    return REPORT_LIST(report, name, title, REPORT_IN_TEXT | REPORT_IN_JSON, change_columns);
}

/* `system` has the memory of the nodes, where that is assumed. */
static void add_pair(struct report *report, const struct fits_question *question,
                     const struct rk_system *system, const struct forecast *f)
{
    struct rk_saving pair;
    const char *framework = rk_framework_name(f->plan->framework);
    const char *title = "No single change makes it fit. The fastest pairs that do";
    bool found = rk_savings_pair(f->model, system, f->plan, f->prediction, false, &pair);
    if (!found && (found = rk_savings_pair(f->model, system, f->plan, f->prediction, true, &pair)))
        title = report_text(report,
                            "No one or two changes that %s starts make it fit. The fastest pairs "
                            "that do, with training code of one's own",
                            framework);
    if (!found) {
        report_note(report, "No single change makes it fit, nor do any two.");
        return;
    }
    pair.what = "both changes";
    change_row(report, change_table(report, "together", title), question, f, system, &pair);
}

/* What offloading would save where nodes have the memory that is assumed of them, and which two
 * changes make it fit there. False: nothing is known of them. */
static bool add_offloads(struct report *report, struct report_table *table,
                         const struct fits_question *question, const struct forecast *f,
                         bool *rescued)
{
    struct rk_saving changes[RK_MAX_SAVINGS];
    struct rk_system system;
    struct host host;
    struct rk_error none;
    char note[HOST_WORD], word[HOST_WORD];
    if (!rk_answerer(f->plan->framework)->runs || f->system->machine ||
        !host_of(f->system, f->plan->ranks, &host) ||
        host_load(&host, question->line, &system, &none) != RK_OK)
        return false;
    const int count = rk_savings(f->model, &system, f->plan, f->prediction, changes);
    int shown = 0;
    for (int i = 0; i < count; i++) {
        if (!strstr(changes[i].words, "offload-")) continue;
        change_row(report, table, question, f, &system, &changes[i]);
        *rescued |= changes[i].fits;
        shown++;
    }
    if (shown)
        report_note(report, report_text(report,
                                        "Offloading to %s, assumed; %s in the system states what "
                                        "exists.",
                                        host_note(&host, note), host_word(&host, word)));
    if (!*rescued) add_pair(report, question, &system, f);
    rk_system_release(&system);
    return true;
}

/* Has every cluster a second memory? */
static bool has_lower(const struct rk_system *system)
{
    bool has = true;
    for (int i = 0; i < system->machine->clusters; i++)
        has &= rk_system_of(system, i)->memories > 1;
    return has;
}

static void add_changes(struct report *report, const struct fits_question *question,
                        const struct forecast *f)
{
    struct rk_saving changes[RK_MAX_SAVINGS];
    const int count = verdict_savings(f, &question->sure, changes);
    bool rescued = f->prediction->verdict == RK_FITS;
    const int tier = rescued ? 0 : f->prediction->reason[0].tier;
    const char *of =
        tier > 0 ? report_text(report, " of %s", memory_name(report, f->system, tier)) : "";
    struct report_table *table =
        change_table(report, "changes",
                     count ? report_text(report, "Single changes that save memory%s", of) : NULL);
    for (int i = 0; i < count; i++) {
        change_row(report, table, question, f, f->system, &changes[i]);
        rescued |= changes[i].fits;
    }
    if (!count) report_note(report, "No single change of the plan saves memory.");
    const bool known = count && add_offloads(report, table, question, f, &rescued);
    if (f->system->memories < 2 && !known && !f->system->machine)
        report_note(report,
                    report_text(report,
                                "Offloading is not tried: %s has one memory. Add another to "
                                "it, mem2=1TiB@50GB/s, to see what it saves.",
                                f->system->id));
    if (f->system->machine && !has_lower(f->system))
        report_note(report, "Offloading is not tried: not every cluster has a second memory.");
    if (!rescued && !known) add_pair(report, question, f->system, f);
}

/* Where a plan was looked for in vain. */
static void add_gpus(struct report *report, const struct fits_question *question)
{
    static const struct report_column columns[] = {{.name = "gpus"}, {.name = "plan_words"}};
    const struct rk_aim any = {.room = question->room};
    struct rk_found found;
    char text[RK_PLAN_TEXT];
    if (!rk_choose_ranks(&question->problem, &any, question->grows, &found)) return;
    rk_plan_text(&found.plan, text, sizeof text);
    REPORT_ROW(report,
               REPORT_LIST(report, "more_gpus",
                           report_text(report,
                                       "Number of GPUs that suffices for plans that %s starts, "
                                       "doubled until it fits",
                                       rk_framework_name(found.plan.framework)),
                           REPORT_IN_TEXT | REPORT_IN_JSON, columns),
               cell_count(found.plan.ranks), cell_text(report_text(report, "%s", text)));
}

/* Of a given plan: does it fit with this headroom? */
static bool leaves_room(const struct fits_question *question, const struct forecast *f)
{
    const int tightest = f->prediction->tightest;
    const double most = question->room * forecast_system(f, tightest)->memory[0].capacity_bytes;
    return !question->leaves || (f->prediction->verdict == RK_FITS &&
                                 f->prediction->stage[tightest].total_bytes <= most);
}

static void add_room(struct report *report, const struct fits_question *question,
                     const struct forecast *f)
{
    const int tightest = f->prediction->tightest;
    const struct rk_system *system = forecast_system(f, tightest);
    const double capacity = system->memory[0].capacity_bytes;
    const double bytes = f->prediction->stage[tightest].total_bytes,
                 asked = (1 - question->room) * capacity;
    const double chance = verdict_probability(f);
    const bool leaves = leaves_room(question, f);
    const char *runs =
        isnan(chance) ? "" : report_text(report, "; %s", verdict_chance(report, chance));
    if (!question->leaves) return;
    report_note(report, report_text(report, "  headroom %.3f GiB %s: %.3f of %.1f GiB are free%s",
                                    asked / 0x1p30, leaves ? "is left" : "is not left",
                                    fmax(0, capacity - bytes) / 0x1p30, capacity / 0x1p30, runs));
    REPORT_OBJECT(report, "headroom", {"asked_bytes", cell_number(asked)},
                  {"left_bytes", cell_number(capacity - bytes)},
                  {"leaves", cell_text(leaves ? "yes" : "no")},
                  {"fits", isnan(chance) ? cell_none() : cell_number(chance)});
}

static void fill_report(struct report *report, const struct fits_args *args,
                        const struct fits_question *question, const struct forecast *f)
{
    verdict_add(report, f, &question->sure);
    if (!args->run.tokens) report_paragraph(report, verdict_cost(report, f));
    fits_verdict(report, question, f);
    if (f->prediction->timed) add_room(report, question, f);
    fits_say_unsure(report, question, f);
    describe_model(report, f->model, REPORT_IN_JSON);
    describe_system(report, f->system, REPORT_IN_JSON);
    forecast_record(report, f);
    if (!f->prediction->timed) forecast_refusal(report, f);
    if (!f->prediction->timed) return;
    const char *times = learned_times(report, f);
    if (times) report_note(report, report_text(report, "  time: %s", times));
    forecast_memory_errors(report, f);
    forecast_fabric(report, f);
    forecast_stages(report, f, true);
    forecast_holdings(report, f);
    add_changes(report, question, f);
    if (question->open && verdict_sure(f, &question->sure) == RK_SURE_NOT)
        add_gpus(report, question);
}

/* ---- the command ---- */

/* Fine-tuning is torch's, unless it is said. */
static void tune_with(struct plan_input *input)
{
    struct rk_error none;
    plan_read_words("framework=fsdp", &input->draft, &none);
}

static enum rk_status read_input(struct fits_args *args, struct plan_input *input,
                                 struct fits_question *question, struct rk_error *error)
{
    if (args->tune && (args->place || args->snapshot))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--%s is of one plan and --tune compares many: give the plan of one of them",
                       args->place ? "place" : "snapshot");
    if (args->snapshot && strcmp(args->snapshot, "-") == 0 &&
        (!args->output || strcmp(args->output, "-") == 0))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--snapshot: standard output has the answer: give a file to one of them");
    enum rk_status status = plan_gather(&args->source, input, error);
    if (status != RK_OK) return status;
    status = rk_sure_read(args->sure, &question->sure, error);
    if (status == RK_OK && args->tune && !plan_given(&input->draft, "framework")) tune_with(input);
    if (status != RK_OK) return status;
    plan_take_framework(&input->draft, &input->system); /* whose headroom it is */
    status = rk_headroom_share(args->headroom, &input->model, &input->system, &input->draft.plan,
                               &question->room, error);
    if (status != RK_OK) return status;
    if (args->sure && !args->headroom)
        question->room = rk_sure_share(&input->model, &input->draft.plan, &question->sure);
    const char *named =
        args->source.file; /* a file is a whole plan: what it omits has its preset */
    question->open = !args->tune && !input->system.machine && (!named || plan_is_line(named)) &&
                     fits_is_open(&input->draft);
    if (question->open) status = plan_objective_check(&input->draft.plan, error);
    if (status != RK_OK) return status;
    question->line = args->source.system;
    question->lengths = args->source.lengths;
    question->run = &args->run;
    question->save = &args->save;
    question->leaves = args->headroom && !question->open;
    question->grows = !plan_given(&input->draft, "batch");
    const bool gpus = args->source.gpus || host_gpus(&input->system) ||
                      plan_given(&input->draft, "gpus") || !question->open;
    if (!gpus)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--gpus is missing: how many accelerators? The system may say it, \"%s "
                       "x64\", or the plan",
                       args->source.system);
    if (question->open && !args->source.gpus && !input->system.devices &&
        !plan_given(&input->draft, "gpus"))
        plan_assume(input, "gpus 1 (all of the system)");
    status =
        plan_settle(&args->source, input, question->open ? fits_choose : NULL, question, error);
    if (status != RK_OK || args->tune) return status; /* which chooses the plan to save */
    status = run_take_samples(&args->run, &input->model, &input->draft.plan, input->pack_tokens,
                              &args->run, error);
    if (status != RK_OK) return status;
    return save_files(
        &args->save,
        &(struct save_answer){&input->model, &input->system, &input->draft.plan, &args->run},
        error);
}

enum { EXIT_UNSURE = 2 };
static const int exits[] = {
    [RK_SURE_FITS] = RK_OK, [RK_SURE_NOT] = RK_NOTHING_FITS, [RK_SURE_UNSURE] = EXIT_UNSURE};

/* Of a plan that is held against a headroom, it leaves that as well; and it can be launched. */
static int exit_of(const struct fits_question *question, const struct forecast *f)
{
    const bool starts =
        !f->prediction->timed || check_remark("the plan", f->model, f->system, f->plan);
    if (!starts || !leaves_room(question, f)) return RK_NOTHING_FITS;
    return exits[verdict_sure(f, &question->sure)];
}

/* --tune */
static int answer_tuning(const struct fits_args *args, const struct fits_question *question,
                         struct plan_input *input)
{
    struct report report = show_begin(&args->show, args->output);
    struct rk_error error;
    enum rk_sure sure;
    const int code = fits_tune(&report, question, input, &sure, &error) == RK_OK
                         ? show_report(&report, &args->show, args->output, exits[sure])
                         : options_fail(&error);
    report_release(&report);
    return code;
}

/* As tables, or as a page. */
static int answer(const struct fits_args *args, const struct fits_question *question,
                  const struct forecast *f)
{
    const struct page_names names = {args->source.model, args->source.system, args->source.file,
                                     NULL, args->place};
    const int code = exit_of(question, f);
    struct report report = show_begin(&args->show, args->output);
    struct rk_error error;
    enum rk_status status = RK_OK;
    if (args->snapshot && f->prediction->timed) status = fits_snapshot(args->snapshot, f, &error);
    if (args->snapshot && !f->prediction->timed)
        fprintf(stderr, "reckon: --snapshot: %s is not written: the plan cannot run\n",
                args->snapshot);
    if (status != RK_OK) return options_fail(&error);
    if (show_is_page(&args->show, args->output))
        return page_of_plan(args->output, f, &names, &args->run, &error) == RK_OK
                   ? code
                   : options_fail(&error);
    fill_report(&report, args, question, f);
    status = forecast_nearest(&report, f, NULL, args->nearest, &error);
    if (status == RK_OK && args->place && f->prediction->timed)
        status = fits_place(&report, f, &error);
    if (status == RK_OK) status = run_section(&report, &args->run, f, NULL, NULL, &error);
    return show_end(&report, &args->show, args->output, status, code, &error);
}

int cmd_fits(int argc, char **argv)
{
    struct fits_args args = {.source = {.several = true}, .run = RUN_ARGS_INIT};
    struct plan_input input = {.assumed = ""};
    struct rk_prediction prediction;
    struct rk_error error;
    struct fits_question question = {.open = false};
    int code = options_read(&fits_usage, argc, argv, &args);
    if (code >= 0) return code;

    args.source.batches = args.tune;
    code = (int)read_input(&args, &input, &question, &error);
    if (code == RK_OK && args.tune) {
        code = answer_tuning(&args, &question, &input);
    } else if (code == RK_OK) {
        const struct rk_plan *plan = &input.draft.plan;
        rk_predict(&input.model, &input.system, plan, &prediction);
        const struct forecast forecast = {&input.model, &input.system, plan,
                                          &prediction,  input.assumed, &question.sure};
        code = answer(&args, &question, &forecast);
    } else {
        code = options_fail(&error);
    }
    plan_input_release(&input);
    return code;
}
