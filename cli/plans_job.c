#include "cli/plans_job.h"

#include "cli/questions.h"

#include <stdlib.h>
#include <string.h>

/* ---- which space ---- */

static bool unknown_to_published(const struct rk_model *model)
{
    return model->experts || model->kv_rank || model->window || model->predict_layers;
}

bool plans_wanted(const struct search_args *args, const struct search_grid *grid, const char **why)
{
    *why = NULL;
    if (args->space >= 0) return args->space == SPACE_MODERN;
    if (plan_axes_given(&args->plan_axes) || args->framework >= 0 || args->sequence ||
        args->words.count)
        return true;
    for (int i = 0; i < grid->models; i++)
        if (unknown_to_published(&grid->model[i])) {
            *why = "the published space (--space classic) knows no experts, latent attention or "
                   "windows";
            return true;
        }
    return false;
}

/* ---- one problem ---- */

static enum rk_status set_precision(struct plans_job *job, struct rk_error *error)
{
    static const enum rk_precision precisions[RK_DATATYPES] = {[RK_FLOAT8] = RK_FP8_CURRENT,
                                                               [RK_FLOAT16] = RK_FP16,
                                                               [RK_BFLOAT16] = RK_BF16,
                                                               [RK_FLOAT32] = RK_FP32};
    const int datatype = job->args->datatype;
    if (datatype < 0) return RK_OK;
    if (job->args->plan_axes.axis[RK_PLAN_PRECISION].count)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--datatype and --precision say the same: give one of them");
    job->problem.base.precision = precisions[datatype];
    return RK_OK;
}

static enum rk_status job_set(struct plans_job *job, const struct search_grid *grid, size_t i,
                              struct rk_error *error)
{
    struct grid_problem at = search_grid_at(grid, i);
    const struct search_args *args = job->args;
    const enum rk_framework framework =
        args->framework >= 0 ? (enum rk_framework)args->framework : RK_MEGATRON;
    rk_plans_problem_init(&job->problem, at.model, at.system, framework, at.gpus, at.batch,
                          args->sequence);
    enum rk_status status = set_precision(job, error);
    if (status == RK_OK)
        status = plan_axes_restrict(&args->plan_axes, &args->axes, &job->problem, error);
    if (status == RK_OK)
        status = plans_take_words(&args->words, args->framework >= 0, &job->problem, error);
    return status;
}

static enum rk_status job_run(struct plans_job *job, struct search_session *session, uint64_t top,
                              struct rk_error *error)
{
    job->plans = rk_plans_open(&job->problem, error);
    if (!job->plans) return error->status;
    return search_ask(session, job->args, job->plans, top, &job->result, error);
}

static void job_release(struct plans_job *job)
{
    rk_answer_release(&job->result);
    rk_space_close(job->plans);
}

/* Of a search that was stopped, what was settled before. */
static uint64_t settled(const struct rk_search_counts *counts)
{
    uint64_t sum = counts->repeated;
    for (int i = 0; i < RK_VERDICTS; i++)
        sum += rk_search_count(counts, (enum rk_verdict)i);
    return sum;
}

static void say_rate(const struct search_session *session, uint64_t plans, double seconds)
{
    char digits[REPORT_DIGITS];
    if (session->resumed) {
        fprintf(stderr, "reckon: went on from %s; the rest took %.3f s\n", session->state.path,
                seconds);
        return;
    }
    fprintf(stderr, "reckon: %s plans settled in %.3f s, %.4g million a second\n",
            report_digits(plans, digits), seconds,
            seconds > 0 ? (double)plans / seconds / 1e6 : 0.0);
}

static enum rk_status save_best(const struct plans_job *job, struct rk_error *error)
{
    struct rk_plan plan;
    if (!job->args->output || !job->result.found || !search_speaks()) return RK_OK;
    rk_plans_plan(job->plans, job->result.best[0].index, &plan);
    return rk_plan_save(job->args->output, &plan, error);
}

static bool stop(void *context)
{
    (void)context;
    return progress_stopped();
}

/* What is asked beyond the best ones, added to the report: on the process that speaks. */
static void fill_questions(struct report *report, const struct plans_job *job)
{
    const struct search_args *args = job->args;
    const struct rk_aim aim = {.where = args->where, .threads = (int)args->threads, .stop = stop};
    if (!job->result.complete || !search_speaks()) return;
    if (args->why || job->result.found == 0) print_why(report, &job->problem, &aim);
    if (args->sensitivity) print_sensitivity(report, &job->problem, &aim);
}

static int answer(const struct plans_job *job, struct search_session *session)
{
    const struct search_args *args = job->args;
    const bool complete = job->result.complete;
    const bool piped = args->output && strcmp(args->output, "-") == 0 && job->result.found;
    struct report report = {.first = NULL};
    struct rk_error error;
    int code = job->result.found ? RK_OK : RK_NOTHING_FITS;
    plans_answer_fill(&report, job);
    if (!piped) fill_questions(&report, job);
    progress_end(&session->progress);
    if (!complete)
        fputs("reckon: interrupted: these are the best so far, the search is incomplete\n", stderr);
    else if (progress_stopped())
        fputs("reckon: interrupted: what was asked beyond the best plans is incomplete\n", stderr);
    if (!complete || progress_stopped()) code = progress_code();
    if (!args->quiet) say_rate(session, settled(&job->result.counts), job->result.seconds);
    if (args->explain) plans_answer_explain(job);
    if (!piped) code = show_report(&report, &args->show, NULL, code);
    if (save_best(job, &error) != RK_OK) code = options_fail(&error);
    report_release(&report);
    return code;
}

static int search_one(const struct search_grid *grid, const struct search_args *args,
                      struct search_session *session)
{
    struct plans_job job = {.args = args};
    struct rk_error error;
    session->all_searches = 1;
    enum rk_status status = job_set(&job, grid, 0, &error);
    if (status == RK_OK) status = job_run(&job, session, args->top, &error);
    const int code = status == RK_OK ? answer(&job, session) : options_fail(&error);
    job_release(&job);
    return code;
}

/* ---- several ---- */

static void take_best(struct plans_row *row, const struct plans_job *job)
{
    static struct rk_prediction p;
    const struct rk_candidate *best = &job->result.best[0];
    rk_plans_plan(job->plans, best->index, &row->plan);
    rk_predict(row->model, row->system, &row->plan, &p);
    row->step_s = p.step_s;
    row->samples_per_s = p.samples_per_s;
    row->tokens_per_s = p.tokens_per_s;
    row->mfu = p.mfu;
    row->memory_bytes = p.stage[p.tightest].total_bytes;
}

static enum rk_status run_row(struct plans_row *row, struct report *report,
                              const struct search_grid *grid, const struct search_args *args,
                              size_t i, struct search_session *session, bool *complete,
                              struct rk_error *error)
{
    struct plans_job job = {.args = args};
    const struct grid_problem at = search_grid_at(grid, i);
    enum rk_status status = job_set(&job, grid, i, error);
    if (status == RK_OK) status = job_run(&job, session, 1, error);
    *row = (struct plans_row){
        .model = at.model, .system = at.system, .gpus = at.gpus, .batch = at.batch};
    if (status == RK_OK) {
        row->plans = job.result.counts.total;
        row->fits = job.result.counts.verdict[RK_FITS][0];
        if (job.result.found)
            take_best(row, &job);
        else
            row->reason = job.result.complete ? plans_reason(report, &job) : "not finished";
        *complete = job.result.complete;
    }
    job_release(&job);
    return status;
}

static int search_several(const struct search_grid *grid, const struct search_args *args,
                          struct search_session *session)
{
    struct report report = {.first = NULL};
    struct rk_error error = {.status = RK_OK};
    struct plans_row *rows = calloc(grid->problems, sizeof *rows);
    enum rk_status status = rows ? RK_OK : rk_fail(&error, RK_IO, NULL, 0, 0, "out of memory");
    size_t count = 0, fitting = 0;
    bool complete = true;
    session->all_searches = grid->problems;
    for (; status == RK_OK && complete && count < grid->problems; count++) {
        status = run_row(&rows[count], &report, grid, args, count, session, &complete, &error);
        fitting += status == RK_OK && !rows[count].reason;
    }
    progress_end(&session->progress);
    int code = !complete ? progress_code() : fitting ? RK_OK : RK_NOTHING_FITS;
    if (status == RK_OK) {
        plans_table_fill(&report, rows, count, grid, complete);
        code = show_report(&report, &args->show, NULL, code);
    } else {
        code = options_fail(&error);
    }
    report_release(&report);
    free(rows);
    return code;
}

/* ---- the command ---- */

const char *plans_conflict(const struct search_args *args, size_t problems)
{
    if (args->all)
        return "--all asks about the published space: add --space classic, or leave it out";
    if (problems > 1 && args->output)
        return "-o takes the best plan of one problem: give one model, system, size and batch";
    if (problems > 1 && (args->pareto || args->why || args->sensitivity))
        return "--pareto, --why and --sensitivity are about one problem: give one model, system, "
               "size and batch";
    return NULL;
}

int plans_run(const struct search_grid *grid, const struct search_args *args,
              struct search_session *session)
{
    return grid->problems > 1 ? search_several(grid, args, session)
                              : search_one(grid, args, session);
}
