#include "cli/search_job.h"

#include "advise/clusters_run.h"
#include "base/memory.h"
#include "cli/plan_input.h"
#include "cli/team.h"
#include "search/clusters_space.h"
#include "search/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP_EVERY_MS = 200 };

bool search_speaks(void)
{
    return !cli_team || cli_team->rank == 0;
}

/* ---- which predictor, and of what ---- */

/* The detailed model, as in every command, unless the Calculon model is asked for; `why` gives the
 * reason where the choice may surprise. */
static enum rk_framework framework_of(const struct search_args *args,
                                      const struct rk_system *system, const char **why)
{
    *why = NULL;
    if (args->framework >= 0) return (enum rk_framework)args->framework;
    if (!system->machine && plan_axes_only(&args->axes, RK_BY_CALCULON) &&
        !plan_axes_only(&args->axes, RK_BY_RECKON)) {
        *why = "an axis that only it has is restricted";
        return rk_framework_of(RK_BY_CALCULON);
    }
    if (!system->machine && !rk_system_describes_kernels(system))
        *why = "typical kernels are assumed: the system has none";
    return rk_usual_framework(system);
}

/* Does the system multiply matrices in this precision, as the predictor sees it? */
static bool supports(const struct rk_plans_problem *p, enum rk_precision precision)
{
    struct rk_prediction prediction;
    struct rk_plan plan = rk_plan_default();
    plan.framework = p->base.framework;
    plan.precision = precision;
    rk_plans_predict(p, &plan, &prediction);
    for (int i = 0; i < prediction.reasons && i < RK_MAX_REASONS; i++)
        if (prediction.reason[i].verdict == RK_BAD_DATATYPE) return false;
    return true;
}

/* Of those that are asked for one by one. */
static enum rk_status check_precision(const struct rk_plans_problem *p, struct rk_error *error)
{
    const int axis = RK_PLAN_PRECISION;
    for (int i = 0; i < p->pinned[axis].count; i++) {
        const enum rk_precision precision = (enum rk_precision)p->pinned[axis].value[i];
        if (p->pinned[axis].to[i] <= p->pinned[axis].value[i] && !supports(p, precision))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "--precision: %s does not support %s", p->system->id,
                           rk_precision_name(precision));
    }
    return RK_OK;
}

/* ---- what is asked of plans ---- */

/* Is something else said of the memory? Then what was learned is not asked for. */
static bool says_memory(const struct search_args *args)
{
    const char *const texts[] = {args->where, args->sort, args->pareto};
    bool says = false;
    for (int i = 0; i < 3; i++)
        says |= texts[i] && (strstr(texts[i], "hbm") || strstr(texts[i], "memory"));
    return says;
}

static enum rk_status set_where(struct search *search, struct rk_error *error)
{
    const struct search_args *args = search->args;
    const char *where = args->where ? args->where : "";
    const struct rk_plans_problem *p = &search->problem;
    const int length = snprintf(search->where, sizeof search->where, "%s", where);
    const bool asked = args->headroom || !says_memory(args);
    const char *headroom = asked ? args->headroom : "none";
    const bool several = search_is_over_clusters(search);
    search->share = 1;
    const enum rk_status status =
        several ? rk_headroom_of_clusters(headroom, &search->problem, error)
                : rk_headroom_share(headroom, p->model, p->system, &p->base, &search->share, error);
    if (status != RK_OK) return status;
    search->usable_bytes =
        search->share < 1 ? search->share * p->system->memory[0].capacity_bytes : INFINITY;
    if ((size_t)length < sizeof search->where) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--where: longer than %zu characters",
                   sizeof search->where - 40);
}

/* ---- the whole run ---- */

static enum rk_status set_run(struct search *search, struct rk_error *error)
{
    struct run_terms terms;
    if (!search->args->run.tokens) return run_check(&search->args->run, error);
    enum rk_status status = run_terms_open(&terms, &search->args->run, error);
    terms.space = &search->problem;
    if (status == RK_OK)
        status = search_is_over_clusters(search)
                     ? clusters_run_check(terms.facts, &terms.run, search->problem.system->machine,
                                          error)
                     : run_share(&terms, &search->run, error);
    run_terms_close(&terms);
    return status;
}

static enum rk_status set_query(struct search *search, struct rk_error *error)
{
    const struct search_args *args = search->args;
    char where[sizeof search->where];
    memcpy(where, search->where, sizeof where);
    memcpy(search->said, search->where, sizeof search->said);
    enum rk_status status =
        search_name_run(search, "--where", where, search->where, sizeof search->where, error);
    if (status == RK_OK && args->sort)
        status =
            search_name_run(search, "--sort", args->sort, search->sort, sizeof search->sort, error);
    if (status == RK_OK && args->pareto)
        status = search_name_run(search, "--pareto", args->pareto, search->pareto,
                                 sizeof search->pareto, error);
    return status;
}

enum rk_status search_set(struct search *search, const struct rk_model *model,
                          const struct rk_system *system, const struct rk_system *hosted,
                          uint64_t gpus, uint64_t batch, struct rk_error *error)
{
    const struct search_args *args = search->args;
    const enum rk_framework framework = framework_of(args, system, &search->why);
    struct host host;
    if (hosted && rk_answerer(framework)->runs && host_of(system, gpus, &host)) {
        host_note(&host, search->assumed);
        system = hosted;
    }
    rk_plans_problem_init(&search->problem, model, system, framework, gpus, batch, args->sequence);
    search->problem.unstartable = args->unstartable;
    search->problem.launchable = args->launchable;
    if (system->machine && !rk_answerer(framework)->layers)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "framework: the Calculon model covers only one cluster");
    if (args->unstartable && !rk_answerer(framework)->runs)
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "--unstartable: no framework starts plans of the Calculon model, so none are "
            "left out: leave it, or framework calculon, out");
    enum rk_status status = plan_axes_restrict(&args->axes, &search->problem, error);
    if (status == RK_OK) status = search_take_words(args, &search->problem, error);
    if (status == RK_OK) status = plan_axes_check(&search->problem, error);
    if (status == RK_OK && !system->machine) status = check_precision(&search->problem, error);
    if (status == RK_OK) status = set_where(search, error);
    if (status == RK_OK) status = set_run(search, error);
    return status == RK_OK ? set_query(search, error) : status;
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
    if (!answer->best) return no_memory(error);
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
    return progress_step(&session->progress, session->before + decided,
                         session->total ? session->total : total, best_s);
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

/* ---- memory that is left free ---- */

/* So many more than are wanted are asked for: among them there are nearly always enough that leave
 * room, which saves a search. */
enum { SPARE = 240 };

/* Moves the first `top` that leave room to the front and says how many there are; what stands
 * before all of them is then left out. */
static uint64_t sift(struct search *search, uint64_t top)
{
    const struct rk_plans_problem *p = &search->problem;
    struct rk_answer *answer = &search->result;
    struct rk_prediction prediction;
    struct rk_plan plan;
    uint64_t kept = 0;
    search->room = SEARCH_ROOM_ENOUGH;
    for (uint64_t i = 0; i < answer->found && kept < top; i++) {
        rk_plans_plan(search->space, answer->best[i].index, &plan);
        rk_predict(p->model, p->system, &plan, &prediction);
        if (prediction.hbm_bytes <= search->usable_bytes) {
            const struct rk_candidate other = answer->best[kept];
            answer->best[kept++] = answer->best[i];
            answer->best[i] = other;
        } else if (search->room == SEARCH_ROOM_ENOUGH) {
            search->left_out = (struct rk_found){plan, prediction.outcome};
            search->room = kept ? SEARCH_ROOM_FASTEST : SEARCH_LEAVES_ROOM;
        }
    }
    return kept;
}

/* What is asked of plans, and the room. */
enum { ROOMY_WHERE = sizeof((struct search *)0)->where + RK_HEADROOM_WHERE + 16 };
static const char *roomy_where(const struct search *search, char where[static ROOMY_WHERE])
{
    char room[RK_HEADROOM_WHERE];
    rk_headroom_where(search->usable_bytes, room);
    snprintf(where, ROOMY_WHERE, "%s%s%s%s", search->where[0] ? "(" : "", search->where,
             search->where[0] ? ") and " : "", room);
    return where;
}

/* The best that leave room, found by themselves; the counts stay. */
static enum rk_status ask_for_room(struct search *search, struct rk_query query,
                                   struct rk_error *error)
{
    struct rk_answer *answer = &search->result, roomy;
    char where[ROOMY_WHERE];
    query.where = roomy_where(search, where);
    query.best_only = true;
    query.keep = NULL;
    query.resume = NULL;
    const enum rk_status status = ask_with(search->space, &query, cli_team, &roomy, error);
    if (status != RK_OK) return status;
    answer->complete = roomy.complete;
    answer->seconds += roomy.seconds;
    if (roomy.found > 0) {
        struct rk_candidate *best = answer->best;
        answer->best = roomy.best;
        answer->found = roomy.found;
        roomy.best = best;
    }
    search->room = roomy.found > 0 ? SEARCH_LEAVES_ROOM : SEARCH_NO_ROOM;
    rk_answer_release(&roomy);
    return RK_OK;
}

static enum rk_status leave_room(struct search *search, const struct rk_query *query, uint64_t top,
                                 struct rk_error *error)
{
    struct rk_answer *answer = &search->result;
    enum rk_status status = RK_OK;
    const bool all = answer->found < query->top || !answer->complete;
    const uint64_t kept = sift(search, top);
    if (kept > 0 && (kept == top || all))
        answer->found = kept;
    else if (kept == 0 && all && answer->found > 0)
        search->room = SEARCH_NO_ROOM;
    else if (!all)
        status = ask_for_room(search, *query, error);
    if (answer->found > top) answer->found = top;
    return status;
}

/* In the order of time; other orders, frontiers and files of all ask for what leaves room alone. */
static bool sifts(const struct search *search)
{
    const struct search_args *args = search->args;
    return isfinite(search->usable_bytes) && !args->sort && !args->pareto;
}

/* Over several clusters, where no plan leaves this headroom: the best that fits. */
static enum rk_status ask_for_edge(struct search *search, struct rk_query query,
                                   struct rk_error *error)
{
    double *usable_bytes = search->problem.usable_bytes;
    double most = 0;
    for (int i = 0; i < RK_MAX_CLUSTERS; i++)
        most = fmax(most, usable_bytes[i]);
    if (!search->result.complete || search->result.found || !(most > 0)) return RK_OK;
    memset(usable_bytes, 0, sizeof search->problem.usable_bytes);
    rk_answer_release(&search->result);
    rk_space_close(search->space);
    query.keep = NULL;
    query.resume = NULL;
    search->space = rk_plans_open(&search->problem, error);
    if (!search->space) return error->status;
    const enum rk_status status = ask_with(search->space, &query, NULL, &search->result, error);
    if (status == RK_OK && search->result.found) search->room = SEARCH_NO_ROOM;
    return status;
}

static enum rk_status search_ask(struct search *search, search_asker *ask, void *context,
                                 struct rk_query query, uint64_t top, struct rk_error *error)
{
    struct rk_answer *answer = &search->result;
    const bool condition = isfinite(search->usable_bytes) && !sifts(search);
    char where[ROOMY_WHERE];
    struct rk_query edge = query;
    if (condition) query.where = roomy_where(search, where);
    if (sifts(search)) query.top += SPARE;
    search->room = condition ? SEARCH_ROOM_ASKED : SEARCH_ROOM_ENOUGH;
    enum rk_status status = ask(context, search->space, &query, answer, error);
    if (status == RK_OK && search_is_over_clusters(search))
        return ask_for_edge(search, edge, error);
    if (status == RK_OK && sifts(search)) return leave_room(search, &query, top, error);
    if (status != RK_OK || !condition || answer->found > 0 || !answer->complete) return status;
    rk_answer_release(answer);
    edge.keep = NULL;
    status = ask_with(search->space, &edge, cli_team, answer, error);
    if (status == RK_OK && answer->found > 0) search->room = SEARCH_NO_ROOM;
    return status;
}

static enum rk_status ask_session(void *session, const struct rk_space *space,
                                  struct rk_query *query, struct rk_answer *answer,
                                  struct rk_error *error)
{
    return run(session, space, query, answer, error);
}

/* A problem that was finished before, for a plan that no state has. */
static enum rk_status ask_again(void *context, const struct rk_space *space, struct rk_query *query,
                                struct rk_answer *answer, struct rk_error *error)
{
    (void)context;
    return rk_ask(space, query, answer, error);
}

static enum rk_status ask(struct search *search, struct search_session *session, uint64_t top,
                          struct rk_error *error)
{
    const struct search_args *args = search->args;
    struct state_file *file = &session->state;
    const size_t number = session->searches++;
    const bool last = session->searches == session->all_searches;
    const uint64_t count = rk_space_count(search->space);
    struct rk_answer *answer = &search->result;
    struct rk_query query = {
        .mode = args->exhaustive ? RK_SEARCH_EXHAUSTIVE : RK_SEARCH_PRUNED,
        .where = search->where[0] ? search->where : NULL,
        .sort = search->sort[0] ? search->sort : NULL,
        .pareto = search->pareto[0] ? search->pareto : NULL,
        .threads = (int)args->threads,
        .top = top,
        .progress = step,
        .keep = file->path[0] ? keep : NULL,
        .context = session,
    };
    char where[ROOMY_WHERE];
    if (args->all && search_is_over_clusters(search)) query.top = CLUSTERS_MOST_KEPT;
    struct rk_query asked = query;
    if (isfinite(search->usable_bytes)) asked.where = roomy_where(search, where);
    const uint64_t fingerprint = file->path[0] ? state_fingerprint(search->space, &asked) : 0;
    session->progress.what = search_is_over_clusters(search) ? "problems" : "plans";
    if (session->total < session->before + count) session->total = session->before + count;
    enum rk_status status;
    if (number < file->finished && search_is_over_clusters(search)) { /* a row has its plan alone */
        query.keep = NULL;
        status = search_ask(search, ask_again, NULL, query, top, error);
    } else if (number < file->finished) {
        session->resumed = true;
        status = take_answer(answer, &file->answer[number], fingerprint, file->path, error);
    } else {
        status = search_ask(search, ask_session, session, query, top, error);
        if (status == RK_OK && file->path[0] && answer->complete && !last)
            status = keep_answer(answer, file, fingerprint, error);
    }
    session->before += count;
    if (status == RK_OK && answer->found > top && !args->pareto) answer->found = top;
    if (status == RK_OK && !args->sort && !args->pareto) rk_answer_settle(answer);
    return status;
}

enum rk_status search_run(struct search *search, struct search_session *session, uint64_t top,
                          struct rk_error *error)
{
    search->space = rk_plans_open(&search->problem, error);
    if (!search->space) return error->status;
    return ask(search, session, top, error);
}

/* The fastest of plans that keep all in the accelerators, where the best one offloads. */
void search_alone(struct search *search)
{
    static const enum rk_plan_axis away[] = {RK_PLAN_ACTIVATION_OFFLOAD, RK_PLAN_OPTIMIZER_OFFLOAD,
                                             RK_PLAN_WEIGHT_OFFLOAD};
    const struct rk_aim aim = search_aim(search);
    struct rk_plans_problem problem = search->problem;
    struct rk_offer offer;
    struct rk_plan best;
    if (!*search->assumed || !search->result.found || !search->result.complete) return;
    search_plan(search, 0, &best);
    if (!host_wanted(&best)) return;
    for (size_t i = 0; i < sizeof away / sizeof *away; i++) {
        if (problem.pinned[away[i]].count) return; /* asked for */
        problem.pinned[away[i]].count = 1;
        problem.pinned[away[i]].value[0] = problem.pinned[away[i]].to[0] = 0;
    }
    if (rk_offer(&problem, &aim, &offer)) search->alone = offer.found;
}

void search_release(struct search *search)
{
    rk_answer_release(&search->result);
    rk_space_close(search->space);
    search->space = NULL;
}

uint64_t search_rows(const struct search *search)
{
    const uint64_t found = search->result.found, top = search->args->top;
    return search->args->pareto && top && top < found ? top : found;
}

void search_plan(const struct search *search, uint64_t i, struct rk_plan *plan)
{
    rk_plans_plan(search->space, search->result.best[i].index, plan);
}

static bool stop(void *context)
{
    (void)context;
    return progress_stopped();
}

/* The condition as it was said, of a run with other GPUs or another batch. */
static bool where_at(void *context, const struct rk_plans_problem *changed, char *where,
                     size_t size)
{
    const struct search *asked = context;
    struct search *search = malloc(sizeof *search);
    struct rk_error error;
    if (!search) return false;
    *search = *asked;
    search->problem = *changed;
    const bool good = set_run(search, &error) == RK_OK &&
                      search_name_run(search, "--where", asked->said, where, size, &error) == RK_OK;
    free(search);
    return good;
}

struct rk_aim search_aim(const struct search *search)
{
    return (struct rk_aim){.where = search->where[0] ? search->where : NULL,
                           .where_at = search->args->run.tokens ? where_at : NULL,
                           .context = (void *)(uintptr_t)search,
                           .room = search->room == SEARCH_NO_ROOM ? 0 : search->share,
                           .threads = (int)search->args->threads,
                           .stop = stop};
}
