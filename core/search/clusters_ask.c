/* clusters_ask.c - one question about plans over clusters: searched, kept, ordered as asked. */
#include "base/limits.h"
#include "base/memory.h"
#include "clusters/predict.h"
#include "search/clusters_alone.h"
#include "search/clusters_space.h"
#include "search/clusters_where.h"
#include "search/engine.h"
#include "search/question.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct asking {
    struct clusters_space *space;
    const struct rk_query *query;
    struct clusters_question question; /* of the space, with the query's condition */
    struct clusters_where *where;
    struct clusters_answer answer;
    uint64_t searched, simulated; /* problems and plans of searches before this one */
    bool stopped;
    /* the state: what it is about stands in front of the progress */
    uint64_t fingerprint;
    char *bytes;
    bool failed; /* no memory */
};

/* ---- on the way ---- */

static bool is_stopped(void *context)
{
    struct asking *a = context;
    const struct rk_query *query = a->query;
    const bool plain = !query->where && !query->sort && !query->pareto;
    if (query->progress && !a->stopped)
        a->stopped = !query->progress(query->context, a->searched ? a->searched : a->answer.begun,
                                      a->searched ? 0 : a->answer.parts,
                                      plain ? a->answer.best.simulated_s : (double)INFINITY);
    return a->stopped;
}

/* The rest of what a plan has to be aligned to. */
enum { IN_FRONT = 16 };

static bool keep(void *context, const void *progress, size_t count)
{
    struct asking *a = context;
    char *bytes = realloc(a->bytes, IN_FRONT + count);
    if (!bytes) return a->failed = true, false;
    a->bytes = bytes;
    memset(bytes, 0, IN_FRONT);
    memcpy(bytes, &a->fingerprint, sizeof a->fingerprint);
    memcpy(bytes + IN_FRONT, progress, count);
    return a->query->keep(a->query->context, bytes, IN_FRONT + count);
}

static enum rk_status open_state(struct asking *a, struct rk_error *error)
{
    const struct rk_query *query = a->query;
    const char *kept = query->resume;
    uint64_t fingerprint = 0;
    if (!query->keep && !kept) return RK_OK;
    a->fingerprint = state_fingerprint(&a->space->space, query);
    if (query->keep) {
        a->question.keep = keep;
        a->question.keeper = a;
    }
    if (!kept) return RK_OK;
    if (query->resume_bytes >= IN_FRONT) memcpy(&fingerprint, kept, sizeof fingerprint);
    if (fingerprint != a->fingerprint ||
        !clusters_progress_fits(kept + IN_FRONT, query->resume_bytes - IN_FRONT,
                                a->space->kept.most))
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                       "state of another search (model, system, batch, words, restrictions or top "
                       "differ): name another file or remove this one");
    a->question.progress = kept + IN_FRONT;
    return RK_OK;
}

/* ---- with fewer nodes ---- */

enum { SHARES = 4 }; /* quarters; MOST_SHARES are those of four clusters */

/* A machine of some quarters of each cluster's nodes, and which cluster each of its was. */
struct part {
    struct rk_machine machine;
    int from[RK_MAX_CLUSTERS];
};

static void take_part(const struct clusters_question *whole, int code, struct part *part,
                      struct clusters_question *asked)
{
    part->machine = (struct rk_machine){.clusters = 0};
    for (int i = 0; i < whole->machine->clusters; i++, code /= SHARES + 1) {
        const struct rk_cluster *c = &whole->machine->cluster[i];
        const uint64_t nodes = rk_cluster_nodes(c) * (uint64_t)(code % (SHARES + 1)) / SHARES;
        const int at = part->machine.clusters;
        if (!nodes) continue;
        part->from[at] = i;
        part->machine.cluster[at] = *c;
        part->machine.cluster[at].system.devices = nodes * rk_cluster_node(c);
        asked->usable_bytes[at] = whole->usable_bytes[i];
        part->machine.clusters++;
    }
    for (int a = 0; a < part->machine.clusters; a++)
        for (int b = 0; b < part->machine.clusters; b++)
            part->machine.link[a][b] = whole->machine->link[part->from[a]][part->from[b]];
    asked->machine = &part->machine;
}

/* The plan with the clusters of the whole machine. */
static void name_clusters(struct clusters_plan *plan, const struct part *part)
{
    for (int i = 0; i < plan->stages; i++) {
        struct clusters_stage *stage = &plan->stage[i];
        stage->cluster = part->from[stage->cluster];
        stage->fullest = part->from[stage->fullest];
        for (int k = 0; k < stage->homes; k++)
            stage->home[k].cluster = part->from[stage->home[k].cluster];
    }
}

static bool search_part(struct asking *a, int code, struct part *part,
                        struct clusters_answer *answer)
{
    struct clusters_kept kept = {.most = CLUSTERS_MOST_KEPT};
    struct clusters_question asked = a->question;
    asked.keep = NULL;
    asked.progress = NULL;
    asked.alike = a->space->problem.launchable ? CLUSTERS_ALIKE_ONLY : CLUSTERS_ANY;
    take_part(&a->question, code, part, &asked);
    bool good = !part->machine.clusters || clusters_search_top(&asked, answer, &kept);
    if (part->machine.clusters) {
        a->searched += answer->problems;
        a->simulated += answer->simulated;
    }
    for (int i = 0; good && i < kept.count; i++) {
        name_clusters(kept.plan[i], part);
        good = clusters_keep(&a->space->kept, kept.plan[i]);
    }
    a->space->kept.dropped |= kept.dropped;
    clusters_kept_release(&kept);
    return good;
}

/* Cheaper plans are those of fewer nodes, which are not among the fastest of all. */
static bool search_parts(struct asking *a)
{
    struct part *part = malloc(sizeof *part);
    struct clusters_answer *answer = malloc(sizeof *answer);
    bool good = part && answer;
    int all = 1;
    for (int i = 0; i < a->question.machine->clusters; i++)
        all *= SHARES + 1;
    a->space->kept.dropped |= all > MOST_SHARES;
    for (int code = 1; good && code < all - 1 && code < MOST_SHARES && !is_stopped(a); code++)
        good = search_part(a, code, part, answer);
    free(part);
    free(answer);
    return good;
}

/* ---- the search ---- */

static bool asks_for_more(const struct rk_query *query)
{
    return query->sort || query->pareto;
}

/* Each cluster by itself has virtual stages and splits that a search over several does not try, and
 * choices that all stages have in common there. */
static bool search_alone(struct asking *a)
{
    struct clusters_plan *plan = malloc(sizeof *plan);
    bool good = plan != NULL;
    for (int i = 0; good && i < a->question.machine->clusters && !a->stopped; i++) {
        if (!a->query->best_only)
            a->answer.alone_step_s[i] = clusters_alone_best(a->space, i, &a->space->alone[i]);
        if (!clusters_alone(a->space, &a->question, i, plan)) continue;
        a->simulated++;
        good = clusters_search_take(&a->question, plan, &a->answer, &a->space->kept);
    }
    free(plan);
    return good;
}

static enum rk_status search(struct asking *a, struct rk_error *error)
{
    struct clusters_space *s = a->space;
    const bool launchable = s->problem.launchable;
    a->question = s->question;
    a->question.stopped = is_stopped;
    a->question.stopper = a;
    a->question.alike = launchable            ? CLUSTERS_ALIKE_ONLY
                        : a->query->best_only ? CLUSTERS_ANY
                                              : CLUSTERS_ALIKE_ALSO;
    enum rk_status status =
        clusters_where_open(&a->where, &a->question, &s->problem, a->query->where, error);
    if (status == RK_OK) status = open_state(a, error);
    if (status != RK_OK) return status;
    if (!clusters_search_top(&a->question, &a->answer, &s->kept)) return no_memory(error);
    a->searched = a->answer.problems;
    a->simulated = a->answer.simulated;
    a->stopped |= a->answer.stopped;
    if (!search_alone(a)) return no_memory(error);
    if (asks_for_more(a->query) && !a->stopped && !search_parts(a)) return no_memory(error);
    s->late = clusters_where_is_late(a->where);
    s->filtered = a->question.filter != NULL;
    return a->failed ? no_memory(error) : RK_OK;
}

/* ---- the answer ---- */

/* Replicas on several clusters take samples by their speed, whatever that leaves. */
static bool leaves_room(const struct clusters_space *s, const struct rk_prediction *p)
{
    bool leaves = true;
    for (int i = 0; i < p->stages; i++) {
        const double usable_bytes = s->question.usable_bytes[p->stage[i].cluster];
        leaves &= !(usable_bytes > 0) || p->stage[i].total_bytes <= usable_bytes * (1 + 1e-12);
    }
    return leaves;
}

static enum rk_status order(struct clusters_space *s, const struct rk_query *query,
                            struct rk_answer *answer, struct rk_error *error)
{
    struct rk_query others = *query;
    struct question question;
    struct finds finds;
    others.where = NULL; /* the search had it */
    enum rk_status status = question_open(&question, &s->space, &others, error);
    if (status != RK_OK) {
        question_close(&question);
        return status;
    }
    const uint64_t top = query->top < s->space.count ? query->top : s->space.count;
    bool good = finds_open(&finds, &question, top ? top : 1);
    for (uint64_t i = 0; good && i < s->space.count; i++) {
        struct rk_prediction prediction;
        struct rk_plan plan;
        if (!clusters_predictor.plan_at(&s->space, i, &plan)) continue;
        rk_predict(s->space.model, s->space.system, &plan, &prediction);
        outcome_of(&prediction.outcome, &finds.outcome);
        if (prediction.verdict == RK_FITS && leaves_room(s, &prediction))
            finds_take(&finds, i, &plan);
    }
    const uint64_t matches = finds.matches;
    good = good && finds_finish(&finds, answer);
    finds_close(&finds);
    question_close(&question);
    if (!good) return no_memory(error);
    answer->matches = matches;
    return RK_OK;
}

static void begin(struct clusters_space *s, const struct rk_query *query)
{
    const bool all = asks_for_more(query) || query->top > CLUSTERS_MOST_KEPT;
    clusters_kept_release(&s->kept);
    free(s->answer);
    s->answer = NULL;
    s->kept.most = all ? CLUSTERS_MOST_KEPT : query->top ? (int)query->top : 1;
    s->space.count = 0;
}

static enum rk_status finish(struct asking *a, struct rk_answer *answer, struct rk_error *error)
{
    struct clusters_space *s = a->space;
    s->answer = malloc(sizeof *s->answer);
    if (!s->answer) return no_memory(error);
    *s->answer = a->answer;
    if (clusters_space_useless(s) >= 0 && !a->stopped) clusters_kept_release(&s->kept);
    s->space.count = (uint64_t)s->kept.count;
    answer->complete = !a->stopped;
    answer->counts.total = a->simulated;
    answer->counts.verdict[RK_FITS][0] = a->simulated;
    answer->explain.timed = a->simulated;
    answer->bound_s = a->answer.proved.value_s;
    return order(s, a->query, answer, error);
}

enum rk_status clusters_ask(const struct rk_space *space, const struct rk_query *query,
                            struct rk_answer *answer, struct rk_error *error)
{
    struct asking *a = calloc(1, sizeof *a);
    if (!a) return no_memory(error);
    a->space = (struct clusters_space *)space;
    a->query = query;
    begin(a->space, query);
    enum rk_status status = search(a, error);
    if (status == RK_OK) status = finish(a, answer, error);
    clusters_where_close(a->where);
    free(a->bytes);
    free(a);
    if (status != RK_OK) rk_answer_release(answer);
    return status;
}
