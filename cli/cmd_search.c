/* reckon search: the best plans of all there are. */
#include "base/threads.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "cli/plan_input.h"
#include "cli/plan_operands.h"
#include "cli/search_all.h"
#include "cli/search_layerwise.h"
#include "cli/search_machines.h"
#include "cli/search_select.h"
#include "cli/search_table.h"
#include "text/output.h"

#include <string.h>

#define AT(member)   .offset = offsetof(struct search_args, member)
#define LIST(member) AT(member), .listed = true

enum { MOST_ROWS = 1000000, USUAL_TOP = 10 };

static const char *const framework_names[] = {"megatron", "fsdp", "deepspeed", "calculon", NULL};

/* clang-format off */
static const struct operand search_operands[] = {
    PLAN_OPERANDS(LIST(models), LIST(systems)),
    {.name = "PLAN", .offset = offsetof(struct search_args, words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option input_options[] = {
    {.letter = 'm', .name = "model", .common = true, .type = OPTION_TEXTS, .argument = "MODEL", AT(models), .complete = "models"},
    {.letter = 's', .name = "system", .common = true, .type = OPTION_TEXTS, .argument = "SYSTEM", AT(systems), .complete = "systems"},
    {.name = NULL},
};
static const struct option size_options[] = {
    {.letter = 'g', .name = "gpus", .common = true, .type = OPTION_TEXT, .argument = "N", AT(gpus)},
    {.letter = 'b', .name = "batch", .common = true, .type = OPTION_TEXT, .argument = "N", AT(batch)},
    {.name = "sequence", .type = OPTION_NUMBER, .argument = "TOKENS", AT(sequence), .min = 1},
    {.name = NULL},
};
static const struct option framework_options[] = {
    {.letter = 'p', .name = "plan", .common = true, .type = OPTION_TEXT, .argument = "FILE|WORDS", AT(plan), .complete = "file"},
    {.name = "framework", .type = OPTION_CHOICE, .choices = framework_names, .argument = "NAME", AT(framework)},
    {.name = NULL},
};
static const struct option search_options[] = {
    {.letter = 'k', .name = "top", .common = true, .type = OPTION_NUMBER, AT(top), .argument = "K", .min = 1, .max = MOST_ROWS},
    {.letter = 'j', .name = "threads", .type = OPTION_NUMBER, AT(threads), .min = 1, .max = MOST_THREADS},
    {.name = "exhaustive", .type = OPTION_FLAG, AT(exhaustive)},
    {.name = "unstartable", .type = OPTION_FLAG, AT(unstartable)},
    {.name = "launchable", .type = OPTION_FLAG, AT(launchable)},
    {.name = "layerwise", .type = OPTION_FLAG, AT(layerwise)},
    {.name = "state", .type = OPTION_OUTPUT, .argument = "FILE", AT(state), .complete = "file"},
    {.name = "explain", .type = OPTION_FLAG, AT(explain)},
    {.letter = 'q', .name = "quiet", .type = OPTION_FLAG, AT(quiet)},
    OPTION_VERBOSE_ROW(AT(verbose)),
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};
static const struct option question_options[] = {
    {.name = "where", .common = true, .type = OPTION_TEXT, .argument = "CONDITION", AT(where)},
    OPTION_HEADROOM_ROW(AT(headroom)),
    {.name = "sort", .type = OPTION_TEXT, .argument = "EXPRESSION", AT(sort)},
    {.name = "pareto", .common = true, .type = OPTION_TEXT, .argument = "LIST", AT(pareto)},
    {.name = "all", .type = OPTION_OUTPUT, .argument = "FILE", AT(all), .complete = "file"},
    {.name = "why", .type = OPTION_FLAG, AT(why)},
    {.name = "nearest", .type = OPTION_FLAG, AT(nearest)},
    {.name = "sensitivity", .type = OPTION_FLAG, AT(sensitivity)},
    {.name = NULL},
};

const struct usage search_usage = {
#include "help/search.h"
    .operands = search_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Input", input_options, 0},
        {"Size", size_options, 0},
        {"Framework", framework_options, 0},
        {"Search", search_options, 0},
        {"Output", save_options, offsetof(struct search_args, save)},
        {"Questions", question_options, 0},
        {"The whole run, as in reckon-predict(1)", run_options, offsetof(struct search_args, run), true},
        {"Restrictions: a value, a list (8,16) or a range (1..64); defaults: see PLANS",
         plan_axes_options, offsetof(struct search_args, axes), true},
        {"Form", show_options, offsetof(struct search_args, show)},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

/* ---- one problem ---- */

static enum rk_status save_best(const struct search *search, struct rk_error *error)
{
    struct rk_plan plan;
    if (!search->result.found || !search_speaks()) return RK_OK;
    search_plan(search, 0, &plan);
    return save_files(&search->args->save,
                      &(struct save_answer){search->problem.model, search->problem.system, &plan,
                                            &search->args->run},
                      error);
}

static enum rk_status write_all(const struct search *search, struct search_session *session,
                                struct rk_error *error)
{
    char digits[REPORT_DIGITS];
    uint64_t written;
    if (!search->args->all || !search->result.complete || !search_speaks()) return RK_OK;
    const enum rk_status status = search_all_write(search, session, &written, error);
    if (status == RK_OK && !search->args->quiet)
        fprintf(stderr, "reckon: %s plans written to %s\n", report_digits(written, digits),
                search->args->all);
    return status;
}

/* Of one cluster the page of `reckon report --search`. */
static int show(const struct report *report, const struct search *search,
                struct search_session *session, int code)
{
    const struct search_args *args = search->args;
    const char *output = search_speaks() ? args->output : NULL;
    struct html_page page = {.title = NULL};
    struct rk_error error;
    if (!show_is_page(&args->show, output)) return show_report(report, &args->show, output, code);
    enum rk_status status = page_search(&page,
                                        &(struct page_search){.model_name = args->models.text[0],
                                                              .system_name = args->systems.text[0],
                                                              .search = search,
                                                              .answer = report,
                                                              .progress = &session->progress},
                                        &error);
    if (status == RK_OK) status = page_write(&page, output, NULL, NULL, PAGE_HTML, &error);
    html_release(&page);
    return status == RK_OK ? code : options_fail(&error);
}

/* Prints the answer; returns the exit code. */
static int answer(const struct search *search, const struct search_keys *keys,
                  struct search_session *session)
{
    const struct search_args *args = search->args;
    const bool complete = search->result.complete;
    const bool stdout_too = !args->output || output_is_stdout(args->output);
    const bool piped = search->result.found && stdout_too &&
                       (output_is_stdout(args->save.plan) || output_is_stdout(args->save.script));
    struct report report = show_begin(&args->show, args->output);
    struct rk_error error;
    int failed = RK_OK;
    if (!piped && search_report(&report, search, keys, &error) != RK_OK)
        failed = options_fail(&error);
    const enum rk_status wrote = write_all(search, session, &error);
    progress_end(&session->progress);
    int code = search->result.found ? RK_OK : RK_NOTHING_FITS;
    if (!complete)
        fputs("reckon: interrupted: these are the best so far, the search is incomplete\n", stderr);
    else if (progress_stopped())
        fputs("reckon: interrupted: what was asked beyond the best plans is incomplete\n", stderr);
    if (!complete || progress_stopped()) code = RK_INTERRUPTED;
    if (!args->quiet) search_answer_rate(search, session);
    if (args->explain) search_answer_explain(search);
    if (!piped) code = show(&report, search, session, code);
    if (failed != RK_OK) code = failed;
    if (wrote != RK_OK) code = options_fail(&error);
    if (save_best(search, &error) != RK_OK) code = options_fail(&error);
    report_release(&report);
    return code;
}

static int search_one(const struct search_grid *grid, const struct search_args *args,
                      struct search_session *session)
{
    const struct grid_problem at = search_grid_at(grid, 0);
    struct search search = {.args = args, .line = at.line};
    struct search_keys keys;
    struct rk_error error;
    session->all_searches = 1;
    enum rk_status status =
        search_set(&search, at.model, at.system, at.hosted, at.gpus, at.batch, &error);
    if (status == RK_OK) status = search_keys_open(&search, &keys, &error);
    if (status == RK_OK && args->layerwise) {
        progress_end(&session->progress);
        return search_layerwise(&search);
    }
    if (status == RK_OK)
        status = search_run(&search, session, args->top ? args->top : USUAL_TOP, &error);
    if (status == RK_OK) search_alone(&search);
    const int code = status == RK_OK ? answer(&search, &keys, session) : options_fail(&error);
    search_release(&search);
    return code;
}

/* ---- the command ---- */

/* Then the first row of the frontier is the fastest plan. NULL: there is none. */
static bool begins_with_time(const char *pareto)
{
    static const char *const names[] = {"time", "step_s", "step"};
    if (!pareto) return true;
    pareto += strspn(pareto, " ");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(pareto, names[i], length) == 0 && strchr(", ", pareto[length])) return true;
    }
    return false;
}

/* Is a system of several clusters, or (false) of one? */
static bool has_system(const struct search_grid *grid, bool of_clusters)
{
    for (int i = 0; i < grid->systems * grid->sizes; i++)
        if ((grid->system[i].machine != NULL) == of_clusters) return true;
    return false;
}

/* What says nothing of a machine of several clusters; NULL: all that is given does. */
static const char *beside_clusters(const struct search_args *args)
{
    if (args->layerwise)
        return "--layerwise is about one cluster: over several each stage has choices of its own";
    if (args->unstartable)
        return "--unstartable is about one cluster: over several all plans are searched, those "
               "too that no framework starts as one job (--launchable leaves them out)";
    if (args->exhaustive)
        return "--exhaustive is about one cluster: over several a bound says how far the best plan "
               "is from any other";
    if (args->nearest)
        return "--nearest is about one cluster: no measured run over several is compared";
    return NULL;
}

/* What does not go together; NULL when all does. */
static const char *conflict(const struct search_args *args, const struct search_grid *grid)
{
    const bool several = grid->problems > 1;
    const bool more = args->all || args->why || args->sensitivity || args->pareto || args->sort ||
                      args->where || args->state || args->run.tokens;
    if (has_system(grid, true) && beside_clusters(args)) return beside_clusters(args);
    if (args->layerwise && (args->top || args->exhaustive || args->nearest || args->explain))
        return "--layerwise answers with one plan, by a search of its own: leave --top, "
               "--exhaustive, --nearest and --explain out";
    if (args->launchable && has_system(grid, false))
        return "--launchable is of several clusters: of one, plans that the framework cannot start "
               "are left out in any case (--unstartable takes them in)";
    if (args->layerwise && (several || more))
        return "--layerwise is about one problem and the time alone: give one model, system, size "
               "and batch, and no --all, --pareto, --why, --sensitivity, --sort, --where, "
               "--tokens or --state (reckon predict --plan takes --tokens)";
    if (args->why && (args->sort || !begins_with_time(args->pareto)))
        return "--why is about the time, and the first row of another order is not the fastest: "
               "leave --sort out, and put time first in --pareto";
    if (several && !args->run.tokens && search_machines_orders(args->sort) &&
        strcmp(args->sort, "measured") != 0)
        return "--sort by price, power, energy or cost_per_trillion is of a run: give --tokens, "
               "15T or usual";
    if (several && (args->save.plan || args->save.script))
        return "--save-plan and --save-script take the best plan of one problem: give one model, "
               "system, size and batch";
    if (several && (args->all || args->why || args->sensitivity || args->pareto))
        return "--all, --pareto, --why and --sensitivity are about one problem: give one model, "
               "system, size and batch";
    return NULL;
}

/* All that can be wrong before anything is searched. */
static enum rk_status check(const struct search_args *args, const struct search_grid *grid,
                            struct rk_error *error)
{
    const char *why = conflict(args, grid);
    if (why) return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s", why);
    if (args->all && search_all_check(args->all, error) != RK_OK) return error->status;
    enum rk_status status = RK_OK;
    for (size_t i = 0; i < grid->problems && status == RK_OK; i++) {
        const struct grid_problem at = search_grid_at(grid, i);
        struct search_args own = *args;
        struct search search = {.args = &own};
        struct search_keys keys;
        if (grid->problems > 1 && search_machines_orders(own.sort)) own.sort = NULL;
        status = search_set(&search, at.model, at.system, at.hosted, at.gpus, at.batch, error);
        if (status == RK_OK) status = search_keys_open(&search, &keys, error);
        const enum rk_framework framework = search.problem.base.framework;
        if (status == RK_OK) status = save_check(&args->save, framework, error);
        if (status == RK_OK && args->launchable && framework != RK_MEGATRON)
            status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                             "--launchable is of plans that Megatron-LM launches: leave the "
                             "framework out");
    }
    return status;
}

static int run(const struct search_grid *grid, const struct search_args *args)
{
    struct search_session session = {.searches = 0};
    struct rk_error error;
    if (args->state &&
        state_file_open(&session.state, args->state, search_speaks(), &error) != RK_OK) {
        state_file_close(&session.state);
        return options_fail(&error);
    }
    progress_start(&session.progress, "plans");
    const int code =
        grid->problems > 1 ? search_table(grid, args, &session) : search_one(grid, args, &session);
    progress_end(&session.progress);
    if (code == RK_OK || code == RK_NOTHING_FITS) state_file_remove(&session.state);
    state_file_close(&session.state);
    return code;
}

int cmd_search(int argc, char **argv)
{
    struct search_args args = SEARCH_ARGS_INIT;
    struct search_grid grid;
    struct rk_error error;
    const int done = options_read(&search_usage, argc, argv, &args);
    if (done >= 0) return done;
    char sizes[SEARCH_SIZES][24];
    enum rk_status status = search_take_sizes(&args, sizes, &error);
    if (status != RK_OK) return options_fail(&error);
    status = search_grid_open(&grid, &args, &error);
    if (status == RK_OK) status = check(&args, &grid, &error);
    const int code = status == RK_OK ? run(&grid, &args) : options_fail(&error);
    search_grid_release(&grid);
    return code;
}
