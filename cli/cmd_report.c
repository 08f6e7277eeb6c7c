/* reckon report: a plan, a search or a study as one page to look at. */
#include "base/threads.h"
#include "cli/commands.h"
#include "cli/diff.h"
#include "cli/pages.h"
#include "cli/plan_input.h"
#include "cli/plan_operands.h"
#include "cli/progress.h"
#include "cli/search_file.h"
#include "cli/search_job.h"
#include "cli/search_select.h"
#include "cli/show.h"
#include "cli/verdict.h"
#include "study/study.h"
#include "text/document.h"
#include "text/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct report_args {
    struct plan_source source; /* its first word may be the input */
    bool search;
    uint64_t batch;           /* 0: not given */
    struct search_args asked; /* of a search: framework, axes, threads */
    uint64_t top;
    const char *output, *charts, *title, *date;
    const char *measured; /* a trace of `reckon train` */
    bool addresses;
    int format; /* enum page_format */
};

#define AT(member) .offset = offsetof(struct report_args, member)

enum { MOST_ROWS = 1000 };

static const char *const format_names[] = {[PAGE_HTML] = "html", [PAGE_JSON] = "json", NULL};
static const char *const framework_names[] = {"megatron", "fsdp", "deepspeed", "calculon", NULL};

/* clang-format off */
static const struct operand report_operands[] = {
    KNOWN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "INPUT", AT(source.words), .optional = OPERAND_MANY, .complete = "file"},
    {.name = NULL},
};
static const struct option report_options[] = {
    {.letter = 'o', .name = "output", .common = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file"},
    {.letter = 'f', .name = "format", .type = OPTION_CHOICE, .choices = format_names, AT(format)},
    {.name = "charts", .type = OPTION_TEXT, .argument = "DIR", AT(charts), .complete = "file"},
    {.name = "measured", .common = true, .type = OPTION_TEXT, .argument = "FILE", AT(measured), .complete = "file"},
    {.name = "addresses", .type = OPTION_FLAG, AT(addresses)},
    {.name = "title", .type = OPTION_TEXT, AT(title)},
    {.name = "date", .type = OPTION_TEXT, AT(date)},
    {.name = NULL},
};
static const struct option report_size_options[] = {
    {.letter = 'b', .name = "batch", .common = true, .type = OPTION_NUMBER, AT(batch), .min = 1},
    {.name = "sequence", .type = OPTION_NUMBER, .argument = "TOKENS", AT(asked.sequence), .min = 1},
    {.name = "framework", .type = OPTION_CHOICE, .choices = framework_names, .argument = "NAME", AT(asked.framework)},
    {.name = NULL},
};
static const struct option report_search_options[] = {
    {.name = "search", .common = true, .type = OPTION_FLAG, AT(search)},
    {.letter = 'k', .name = "top", .type = OPTION_NUMBER, AT(top), .argument = "K", .min = 1, .max = MOST_ROWS},
    {.letter = 'j', .name = "threads", .type = OPTION_NUMBER, AT(asked.threads), .min = 1, .max = MOST_THREADS},
    {.name = "where", .type = OPTION_TEXT, .argument = "CONDITION", AT(asked.where)},
    OPTION_HEADROOM_ROW(AT(asked.headroom)),
    {.name = "sort", .type = OPTION_TEXT, .argument = "EXPRESSION", AT(asked.sort)},
    {.name = NULL},
};

const struct usage report_usage = {
#include "help/report.h"
    .operands = report_operands,
    .groups = {
        {"Output", report_options, 0},
        {"Input", plan_source_options, offsetof(struct report_args, source)},
        {"Search", report_search_options, 0},
        {"Size of a search", report_size_options, 0},
        {"The whole run of a plan, as in reckon-predict(1)", run_options, offsetof(struct report_args, asked.run), true},
        {"Restrictions of a search, as in reckon-search(1)", plan_axes_options, offsetof(struct report_args, asked.axes), true},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

/* One run. */
struct job {
    struct report_args args;
    struct html_page page;
    struct document document; /* the input, unless it is a database or an id */
    struct search_file file;
    struct plan_input plan;
    struct rk_system hosted; /* of the search, with the memory of the nodes; id "": none */
    struct rk_prediction prediction;
    struct diff *diff;           /* NULL: of one plan */
    struct step_trace *measured; /* NULL: without --measured */
    struct search_session session;
    struct search search;
    struct report answer; /* of the search */
};

/* ---- one plan ---- */

/* A size or an axis of a search. */
static enum rk_status check_plan_flags(const struct report_args *args, struct rk_error *error)
{
    const struct plan_axis_values *axes = &args->asked.axes;
    const bool asks = args->asked.where || args->asked.headroom || args->asked.sort || args->top ||
                      args->asked.threads;
    if (!args->batch && !args->asked.sequence && args->asked.framework < 0 && !asks &&
        !plan_axes_only(axes, RK_BY_BOTH) && !plan_axes_only(axes, RK_BY_RECKON) &&
        !plan_axes_only(axes, RK_BY_CALCULON))
        return RK_OK;
    return rk_fail(
        error, RK_BAD_ARGUMENT, NULL, 0, 0,
        "--batch, --sequence, --framework, --where, --headroom, --sort, --top, --threads and the "
        "axes are for --search: say a plan in words, "
        "\"tp8 gbs512\"");
}

/* A measured step and addresses go with one plan. */
static enum rk_status check_measured(const struct report_args *args, struct rk_error *error)
{
    if (!args->measured && !args->addresses) return RK_OK;
    return rk_fail(
        error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s of one plan: give that plan, in words or as a file",
        args->measured ? "--measured: a step is drawn over that" : "--addresses: buffers are");
}

/* The first word may name the plan. */
static void take_file(struct plan_source *source)
{
    struct option_texts *words = &source->words;
    if (source->file || !words->count || plan_is_word(words->text[0], strlen(words->text[0])))
        return;
    source->file = words->text[0];
    words->count--;
    memmove(words->text, words->text + 1, (size_t)words->count * sizeof *words->text);
}

static enum rk_status make_plan(struct job *job, int *code, struct rk_error *error)
{
    struct plan_source *source = &job->args.source;
    struct plan_input *input = &job->plan;
    enum rk_status status = check_plan_flags(&job->args, error);
    take_file(source);
    if (status == RK_OK) status = plan_gather(source, input, error);
    if (status == RK_OK) status = plan_settle(source, input, NULL, NULL, error);
    if (status != RK_OK) return status;
    const struct forecast forecast = {&input->model,    &input->system, &input->draft.plan,
                                      &job->prediction, input->assumed, NULL};
    const struct page_names names = {source->model, source->system, source->file,
                                     job->args.measured, job->args.addresses};
    if (names.measured) {
        job->measured = measured_open(names.measured, input->draft.plan.pipeline, error);
        if (!job->measured) return error->status;
    }
    rk_predict(&input->model, &input->system, &input->draft.plan, &job->prediction);
    status = page_plan(&job->page, &forecast, &names, &job->args.asked.run, job->measured, error);
    if (status != RK_OK) return status;
    *code = verdict_exit(&forecast);
    return RK_OK;
}

/* ---- one search ---- */

/* What the file says, where the flags say nothing. */
static void defaults_of_file(struct job *job)
{
    struct report_args *args = &job->args;
    if (!args->source.model) args->source.model = job->file.model;
    if (!args->source.system) args->source.system = job->file.system;
    if (!args->source.gpus) args->source.gpus = job->file.gpus;
    if (!args->batch) args->batch = job->file.batch;
    if (args->asked.framework < 0) args->asked.framework = job->file.framework;
    if (!args->top && job->file.found) args->top = job->file.found;
}

/* What the flags say, then what the file says of precision and sequence. */
static enum rk_status set_problem(struct job *job, struct search *search, struct rk_error *error)
{
    const struct report_args *args = &job->args;
    const struct rk_model *model = &job->plan.model;
    struct rk_plan *base = &search->problem.base;
    uint64_t precision;
    if (!args->source.gpus || !args->batch)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--search needs --gpus and --batch: give how many accelerators there are "
                       "and the largest batch");
    const enum rk_status status =
        search_set(search, model, &job->plan.system, *job->hosted.id ? &job->hosted : NULL,
                   args->source.gpus, args->batch, error);
    if (status != RK_OK) return status;
    if (job->file.precision[0] && !search->problem.pinned[RK_PLAN_PRECISION].count &&
        rk_plan_axis_parse(RK_PLAN_PRECISION, job->file.precision, &precision))
        base->precision = (enum rk_precision)precision;
    if (!args->asked.sequence && job->file.sequence != model->sequence)
        base->sequence = job->file.sequence;
    return RK_OK;
}

/* The answer of `reckon search`, and its page. */
static enum rk_status answer_search(struct job *job, const struct search *search,
                                    struct rk_error *error)
{
    struct search_keys keys;
    enum rk_status status = search_keys_open(search, &keys, error);
    if (status == RK_OK) status = search_report(&job->answer, search, &keys, error);
    if (status != RK_OK) return status;
    return page_search(&job->page,
                       &(struct page_search){.model_name = job->args.source.model,
                                             .system_name = job->args.source.system,
                                             .search = search,
                                             .answer = &job->answer,
                                             .progress = &job->session.progress},
                       error);
}

/* As if the search had been given what the report was. */
static void take_names(struct job *job)
{
    struct report_args *args = &job->args;
    args->asked.models = (struct option_texts){.count = 1, .text = {args->source.model}};
    args->asked.systems = (struct option_texts){.count = 1, .text = {args->source.system}};
    args->asked.top = args->top ? args->top : 10;
}

static enum rk_status make_search(struct job *job, int *code, struct rk_error *error)
{
    struct search *search =
        &job->search; /* the answer's tables are made when the page is written */
    enum rk_status status = check_measured(&job->args, error);
    if (status == RK_OK) status = plan_inputs(&job->args.source, &job->plan, error);
    if (status != RK_OK) return status;
    take_names(job);
    search->args = &job->args.asked;
    search->line = job->args.asked.systems.text[0];
    job->session.all_searches = 1;
    status = host_join(search->line, &job->plan.system, job->args.source.gpus, &job->hosted, error);
    if (status == RK_OK) status = set_problem(job, search, error);
    if (status == RK_OK) status = search_run(search, &job->session, job->args.asked.top, error);
    if (status == RK_OK) search_alone(search);
    if (status == RK_OK && job->file.best)
        status = search_file_check(&job->document, &job->file, &search->result, error);
    if (status == RK_OK) status = answer_search(job, search, error);
    *code = search->result.found ? RK_OK : RK_NOTHING_FITS;
    return status;
}

/* ---- what the input is ---- */

static bool is_database(const char *path)
{
    char head[16] = "";
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    const bool found = fread(head, 1, sizeof head, file) == sizeof head &&
                       memcmp(head, "SQLite format 3", 16) == 0;
    fclose(file);
    return found;
}

/* A folder that is called like a word of a plan, tp2, is none. */
static bool is_file(const char *path)
{
    struct stat info;
    return strcmp(path, "-") != 0 && stat(path, &info) == 0 &&
           !(S_ISDIR(info.st_mode) && plan_is_line(path));
}

/* Is it a plan by itself: a file, a line of several words, changes of the plan before it? */
static bool is_whole_plan(const char *text)
{
    return is_file(text) || *text == '+' || strchr(text, ' ');
}

/* Two plans side by side. */
static enum rk_status make_diff(struct job *job, int *code, struct rk_error *error)
{
    const struct plan_source *source = &job->args.source;
    const struct diff_source both = {.a = source->words.text[0],
                                     .b = source->words.text[1],
                                     .model = source->model,
                                     .system = source->system,
                                     .gpus = source->gpus};
    enum rk_status status = check_plan_flags(&job->args, error);
    if (status == RK_OK) status = check_measured(&job->args, error);
    if (status == RK_OK && source->words.count > 2)
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "two plans are compared: leave out %s, or write it into one of them",
                         source->words.text[2]);
    if (status != RK_OK) return status;
    job->diff = diff_open(&both, error);
    if (!job->diff) return error->status;
    page_diff(&job->page, job->diff, &both, NULL);
    *code = diff_fits(job->diff) ? RK_OK : RK_NOTHING_FITS;
    return RK_OK;
}

static enum rk_status make_page(struct job *job, int *code, struct rk_error *error)
{
    const struct plan_source *source = &job->args.source;
    const char *input = source->words.count ? source->words.text[0] : NULL;
    if (job->args.search && (input || source->file))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--search makes its own input: leave out %s, or --search",
                       input ? input : "--plan");
    if (job->args.search) return make_search(job, code, error);
    if (source->words.count > 1 && !source->file && is_whole_plan(input) &&
        is_whole_plan(source->words.text[1]))
        return make_diff(job, code, error);
    if (!input && !source->file)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "nothing to report: give a plan (a file or words), the output of a search, "
                       "the database of a study, or --search");
    if (!source->file && !plan_is_line(input) && strcmp(input, "-") != 0 && strpbrk(input, "./") &&
        !is_file(input))
        return rk_fail(error, RK_BAD_INPUT, input, 0, 0, "cannot open: %s; check the path",
                       strerror(errno));
    if (source->file || !is_file(input)) return make_plan(job, code, error);
    enum rk_status status = RK_OK;
    if (is_database(input)) {
        status = check_measured(&job->args, error);
        return status == RK_OK ? page_study(&job->page, input, error) : status;
    }
    status = document_load(input, &job->document, error);
    if (status != RK_OK) return status;
    if (!search_file_is(&job->document)) return make_plan(job, code, error);
    status = search_file_read(&job->document, &job->file, error);
    if (status != RK_OK) return status;
    defaults_of_file(job);
    return make_search(job, code, error);
}

/* ---- what comes out ---- */

static enum rk_status write_chart(const char *folder, const struct chart *chart, const char *ending,
                                  void (*write)(const struct chart *, FILE *),
                                  struct rk_error *error)
{
    struct output output = {.file = NULL};
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%s.%s", folder, chart->id, ending) >= sizeof path)
        return rk_fail(error, RK_IO, folder, 0, 0, "cannot write: the name is too long");
    enum rk_status status = output_open(&output, path, error);
    if (status == RK_OK) {
        write(chart, output.file);
        status = output_commit(&output, error);
    }
    output_abandon(&output);
    return status;
}

static enum rk_status write_charts(const struct job *job, struct rk_error *error)
{
    const char *folder = job->args.charts;
    const struct html_block *block = NULL;
    enum rk_status status = RK_OK;
    if (!folder) return RK_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return rk_fail(error, RK_IO, folder, 0, 0, "cannot make the folder: %s", strerror(errno));
    while (status == RK_OK && (block = html_next_chart(&job->page, block))) {
        status = write_chart(folder, block->chart, "json", chart_write_json, error);
        if (status == RK_OK)
            status = write_chart(folder, block->chart, "csv", chart_write_csv, error);
    }
    return status;
}

static enum rk_status check_output(const struct report_args *args, struct rk_error *error)
{
    if (!args->output && !args->charts && args->format == PAGE_HTML && show_on_terminal(stdout))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "the page would go to the terminal: give -o PAGE.html");
    return RK_OK;
}

static enum rk_status run(struct job *job, int *code, struct rk_error *error)
{
    enum rk_status status = check_output(&job->args, error);
    if (status == RK_OK) status = make_page(job, code, error);
    if (status != RK_OK) return status;
    if (job->args.output || !job->args.charts)
        status = page_write(&job->page, job->args.output, job->args.title, job->args.date,
                            (enum page_format)job->args.format, error);
    return status == RK_OK ? write_charts(job, error) : status;
}

int cmd_report(int argc, char **argv)
{
    struct job job = {.args = {.source = {.several = true}, .asked = SEARCH_ARGS_INIT}};
    struct rk_error error;
    int code = RK_OK;
    const int done = options_read(&report_usage, argc, argv, &job.args);
    if (done >= 0) return done;
    progress_start(&job.session.progress, "plans");
    const enum rk_status status = run(&job, &code, &error);
    progress_end(&job.session.progress);
    html_release(&job.page);
    report_release(&job.answer);
    search_release(&job.search);
    if (*job.hosted.id) rk_system_release(&job.hosted);
    diff_close(job.diff);
    search_file_release(&job.file);
    document_release(&job.document);
    measured_close(job.measured);
    plan_input_release(&job.plan);
    return status == RK_OK ? code : options_fail(&error);
}
