#include "cli/search_job.h"

#include "cli/plan_input.h"
#include "cli/team.h"
#include "search/state.h"

#include <stdlib.h>
#include <string.h>

enum { KEEP_EVERY_MS = 200 };

bool search_speaks(void)
{
    return !cli_team || cli_team->rank == 0;
}

enum rk_status search_set_problem(struct search *search, uint64_t gpus, uint64_t batch,
                                  struct rk_error *error)
{
    const int datatype = search->args->datatype;
    rk_problem_init(&search->problem, search->model, search->system, gpus, batch,
                    datatype >= 0 ? (enum rk_datatype)datatype : plan_datatype(search->system));
    if (!plan_supports(search->system, search->problem.datatype))
        return rk_fail(error, RK_USAGE, NULL, 0, 0, "--datatype: %s does not support %s",
                       search->system->id, rk_datatype_name(search->problem.datatype));
    return axes_restrict(&search->args->axes, &search->problem, error);
}

/* ---- with a state ---- */

/* The answer of search `i` of the command, if the state has it. */
static enum rk_status take_answer(struct rk_answer *answer, const struct state_answer *kept,
                                  uint64_t fingerprint, const char *path, struct rk_error *error)
{
    if (kept->fingerprint != fingerprint)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "state of another search (model, system, gpus, batch, restrictions, mode or "
                       "top differ): name another file or remove this one");
    *answer = (struct rk_answer){.counts = kept->counts,
                                 .explain = kept->explain,
                                 .matches = kept->matches,
                                 .found = kept->found,
                                 .complete = true};
    answer->best = calloc(1, sizeof *answer->best);
    if (!answer->best) return rk_fail(error, RK_IO, NULL, 0, 0, "out of memory");
    answer->best[0] = kept->best;
    return RK_OK;
}

static enum rk_status keep_answer(const struct rk_answer *answer, struct state_file *file,
                                  uint64_t fingerprint, struct rk_error *error)
{
    struct state_answer kept;
    memset(&kept, 0, sizeof kept);
    kept.fingerprint = fingerprint;
    kept.found = answer->found > 0;
    if (kept.found) kept.best = answer->best[0];
    kept.counts = answer->counts;
    kept.explain = answer->explain;
    kept.matches = answer->matches;
    return state_file_finish(file, &kept, error);
}

/* ---- searching ---- */

static bool step(void *context, uint64_t decided, uint64_t total, double best_s)
{
    struct search_session *session = context;
    (void)total;
    return progress_step(&session->progress, session->before + decided, session->total, best_s);
}

static bool keep(void *context, const void *progress, size_t bytes)
{
    struct search_session *session = context;
    return state_file_keep(&session->state, progress, bytes);
}

/* Errors in the state's content name its file. */
static enum rk_status run(struct search_session *session, const struct rk_space *space,
                          struct rk_query *query, struct rk_answer *answer, struct rk_error *error)
{
    struct state_file *file = &session->state;
    if (file->path[0]) {
        query->keep_every_s = 1e-3 * KEEP_EVERY_MS;
        query->resume = file->progress;
        query->resume_bytes = file->progress_bytes;
        session->resumed |= file->progress != NULL;
    }
    const enum rk_status status = ask_with(space, query, cli_team, answer, error);
    if (status == RK_BAD_INPUT && query->resume)
        memcpy(error->path, file->path, sizeof error->path - 1);
    if (status != RK_OK || file->error.status == RK_OK) return status;
    *error = file->error;
    return file->error.status;
}

enum rk_status search_ask(struct search_session *session, const struct search_args *args,
                          const struct rk_space *space, uint64_t top, struct rk_answer *answer,
                          struct rk_error *error)
{
    struct state_file *file = &session->state;
    const size_t number = session->searches++;
    const bool last = session->searches == session->all_searches;
    const uint64_t count = rk_space_count(space);
    struct rk_query query = {
        .mode = args->exhaustive ? RK_SEARCH_EXHAUSTIVE : RK_SEARCH_PRUNED,
        .where = args->where,
        .sort = args->sort,
        .pareto = args->pareto,
        .threads = (int)args->threads,
        .top = top,
        .progress = step,
        .keep = file->path[0] ? keep : NULL,
        .context = session,
    };
    const uint64_t fingerprint = file->path[0] ? state_fingerprint(space, &query) : 0;
    if (session->total < session->before + count) session->total = session->before + count;
    enum rk_status status;
    if (number < file->finished) {
        session->resumed = true;
        status = take_answer(answer, &file->answer[number], fingerprint, file->path, error);
    } else {
        status = run(session, space, &query, answer, error);
        if (status == RK_OK && file->path[0] && answer->complete && !last)
            status = keep_answer(answer, file, fingerprint, error);
    }
    session->before += count;
    return status;
}

enum rk_status search_run(struct search *search, struct search_session *session,
                          struct rk_error *error)
{
    search->selected = search_selects(search->args);
    search->space = rk_space_open(&search->problem, error);
    if (!search->space) return error->status;
    return search_ask(session, search->args, search->space, search->top, &search->result, error);
}

void search_release(struct search *search)
{
    rk_answer_release(&search->result);
    rk_space_close(search->space);
    search->space = NULL;
}

int search_code(const struct search *search)
{
    if (!search->result.complete) return progress_code();
    return search->result.found ? RK_OK : RK_NOTHING_FITS;
}

static bool best_index(const struct rk_space *space, const struct search_args *args,
                       uint64_t *index)
{
    const struct rk_query query = {.where = args->where, .top = 1, .threads = (int)args->threads};
    struct rk_answer answer;
    struct rk_error error;
    if (rk_ask(space, &query, &answer, &error) != RK_OK) return false;
    const bool found = answer.found > 0;
    if (found) *index = answer.best[0].index;
    rk_answer_release(&answer);
    return found;
}

bool search_find_best(const struct rk_problem *problem, const struct search_args *args,
                      struct search_best *best)
{
    struct rk_error error;
    struct rk_space *space = rk_space_open(problem, &error);
    if (!space) return false;
    const bool found = best_index(space, args, &best->index);
    if (found) {
        rk_space_strategy(space, best->index, &best->strategy);
        rk_estimate(problem->model, problem->system, &best->strategy, &best->estimate);
    }
    rk_space_close(space);
    return found;
}
