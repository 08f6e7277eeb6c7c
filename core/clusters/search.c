#include "clusters/search.h"

#include "clusters/found.h"

#include "base/limits.h"
#include "clusters/better.h"
#include "clusters/mixed.h"
#include "optimize/chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one round, one order ---- */

struct search {
    const struct clusters_question *question;
    const struct clusters_costs *costs;
    const struct chain_problem *problem;
    const int *order;
    struct clusters_answer *answer;
    struct better better;
    struct clusters_plan plan; /* at hand */
    bool narrow;               /* plans are looked for that the proofs then have to better */
    int runs;         /* ... as if a stage's layers were in so many, whose ends are shorter */
    double reached_s; /* the least value of these, and of those on one cluster */
    double reached_alone_s[RK_MAX_CLUSTERS];
    uint64_t problem_at, done; /* problems are counted; `done` were solved before the search
                                  resumed */
    uint64_t *begun;           /* clusters_answer.begun of the answer that is asked about */
    struct progress *progress; /* room for what is kept */
};

/* ---- how far it is ---- */

/* In front of the plans that are kept. */
struct progress {
    uint64_t done;
    double reached_s, reached_alone_s[RK_MAX_CLUSTERS];
    struct clusters_answer answer;
    uint64_t kept, seeds;
};

static size_t progress_bytes(uint64_t plans)
{
    return sizeof(struct progress) + plans * sizeof(struct clusters_plan);
}

bool clusters_progress_fits(const void *progress, size_t bytes, int most)
{
    const struct progress *p = progress;
    return bytes >= sizeof *p && p->kept <= (uint64_t)most && p->seeds <= CLUSTERS_SEEDS &&
           bytes == progress_bytes(p->kept + p->seeds);
}

/* Texts of reasons are another process's; they are made anew. */
static void forget_texts(struct clusters_answer *answer)
{
    memset(answer->refused, 0, sizeof answer->refused);
}

static void go_on(struct search *s)
{
    const struct progress *p = s->question->progress;
    if (!p) return;
    *s->answer = p->answer;
    s->answer->begun = 0; /* what was solved is passed over, and counted */
    forget_texts(s->answer);
    s->done = p->done;
    s->reached_s = p->reached_s;
    memcpy(s->reached_alone_s, p->reached_alone_s, sizeof s->reached_alone_s);
    const struct clusters_plan *kept = (const struct clusters_plan *)(p + 1);
    for (uint64_t i = 0; i < p->kept && s->better.kept; i++)
        s->better.failed |= !clusters_keep(s->better.kept, &kept[i]);
    for (uint64_t i = p->kept; i < p->kept + p->seeds; i++)
        s->better.failed |= !clusters_keep(&s->better.seeds, &kept[i]);
}

/* A problem is solved. */
static void keep_progress(struct search *s)
{
    const struct clusters_question *q = s->question;
    const uint64_t kept = s->better.kept ? (uint64_t)s->better.kept->count : 0;
    if (!q->keep || s->answer->stopped) return;
    const uint64_t seeds = (uint64_t)s->better.seeds.count, bytes = progress_bytes(kept + seeds);
    struct progress *p = realloc(s->progress, bytes);
    if (!p) {
        s->better.failed = true;
        return;
    }
    s->progress = p;
    memset(p, 0, sizeof *p);
    p->done = s->problem_at;
    p->reached_s = s->reached_s;
    memcpy(p->reached_alone_s, s->reached_alone_s, sizeof p->reached_alone_s);
    p->answer = *s->answer;
    forget_texts(&p->answer);
    p->kept = kept;
    p->seeds = seeds;
    struct clusters_plan *to = (struct clusters_plan *)(p + 1);
    for (uint64_t i = 0; i < kept; i++)
        to[i] = *s->better.kept->plan[i];
    for (uint64_t i = 0; i < seeds; i++)
        to[kept + i] = *s->better.seeds.plan[i];
    if (!q->keep(q->keeper, p, bytes)) s->answer->stopped = true;
}

/* Plans whose step would have to be a third shorter than their value are left out. */
static void visit(void *context, const struct chain_answer *found)
{
    struct search *s = context;
    if (found->value_s / s->runs / 1.5 > s->answer->best.simulated_s) return;
    clusters_found_plan(&s->plan, s->costs, s->problem, s->order, found);
    clusters_found_details(&s->plan, s->costs, s->problem, s->order, found);
    s->plan.simulated_s = clusters_simulate(&s->plan);
    s->answer->simulated++;
    if (clusters_counts(s->question, &s->plan))
        s->answer->straight_s = fmin(s->answer->straight_s, s->plan.simulated_s);
    better_consider(&s->better, &s->plan, s->answer->best.simulated_s);
    if (!better_interleave(&s->better, &s->plan, 2, MOST_RUNS)) s->better.failed = true;
}

/* The objective has messages that interleaved stages overlap. */
static const double ROOM = 1.05;

/* What a plan of these clusters has to be better than: the best one known, or what is as good as
 * one that was reached. */
static double enough_of(const struct search *s, const int *order, int clusters)
{
    const bool alone = clusters == 1;
    const double reached_s = alone ? s->reached_alone_s[order[0]] : s->reached_s;
    const double proved_s = alone ? s->answer->alone_s[order[0]] : s->answer->proved.value_s;
    if (s->runs > 1) return ROOM * s->runs * s->answer->best.simulated_s;
    return s->narrow ? reached_s : fmin(proved_s, reached_s * (1 + 1e-12));
}

static void note_reached(struct search *s, const int *order, int clusters, double value_s)
{
    s->reached_s = fmin(s->reached_s, value_s);
    if (clusters == 1) s->reached_alone_s[order[0]] = value_s;
}

static void note_proved(struct search *s, const struct chain_problem *problem,
                        const struct chain_answer *found)
{
    struct clusters_answer *a = s->answer;
    if (problem->clusters == 1) a->alone_s[s->order[0]] = found->value_s;
    if (!(found->value_s < a->proved.value_s)) return;
    clusters_found_plan(&a->proved, s->costs, problem, s->order, found);
    clusters_found_details(&a->proved, s->costs, problem, s->order, found);
    a->proved.simulated_s = clusters_simulate(&a->proved);
}

static bool is_stopped(void *context)
{
    struct search *s = context;
    return better_is_stopped(&s->better);
}

/* These clusters in that order, each with some of its ways to run a stage. */
static bool solve_ways(struct search *s, const int *order, int clusters,
                       const struct chain_cluster *cluster)
{
    const struct clusters_question *q = s->question;
    struct chain_answer found;
    const struct chain_problem problem = {
        .layers = (int)q->model->layers,
        .rows = s->costs->rows,
        .row = s->costs->row,
        .clusters = clusters,
        .widths = s->costs->widths,
        .most_stages = s->costs->most_stages,
        .in_flight = s->costs->in_flight,
        .microbatches = (double)s->costs->microbatches * s->runs,
        .cluster = cluster,
        .boundary_s = s->costs->boundary_s,
        .closing_s = clusters_tie_s(q, order[0], order[clusters - 1]),
        .enough_s = enough_of(s, order, clusters),
        .narrow = s->narrow,
        .stopped = is_stopped,
        .stopper = s,
    };
    s->problem = &problem;
    s->order = order;
    const bool good = chain_solve(&problem, &found, visit, s);
    const bool solved = good && found.found && !s->answer->stopped;
    s->answer->problems += !s->narrow;
    s->answer->labels += found.labels;
    s->answer->limits += (uint64_t)found.limits;
    if (solved && s->narrow && s->runs == 1) note_reached(s, order, clusters, found.value_s);
    if (solved && !s->narrow) note_proved(s, &problem, &found);
    chain_answer_release(&found);
    return good;
}

/* What a launcher says of a stage. */
static bool same_way(const struct rk_plan *a, const struct rk_plan *b)
{
    return a->ranks == b->ranks && a->tensor == b->tensor && a->context == b->context &&
           a->expert == b->expert && a->microbatch == b->microbatch &&
           a->recompute == b->recompute && a->zero == b->zero &&
           a->expert_overlap == b->expert_overlap &&
           rk_plan_offloaded(a, RK_SHARE_OPTIMIZER) == rk_plan_offloaded(b, RK_SHARE_OPTIMIZER);
}

/* The choice of a cluster that is that way; NULL: it has none. */
static const struct chain_choice *same_choice(const struct cluster_costs *costs,
                                              const struct rk_plan *plan)
{
    for (int k = 0; k < costs->ways; k++)
        if (rk_plan_offloaded(&costs->way[k].plan, RK_SHARE_ATTENTION) <= 0 &&
            same_way(&costs->way[k].plan, plan))
            return &costs->choice[k];
    return NULL;
}

/* No value is less where each cluster has one way: layers take at least what the quickest of a row
 * takes, and all its stages work on them at once. */
static double least_value(const struct search *s, const struct chain_cluster *cluster, int clusters)
{
    const struct clusters_costs *costs = s->costs;
    const double layers = (double)s->question->model->layers;
    double rate = 0, least_s = INFINITY;
    for (int i = 0; i < clusters; i++) {
        const struct chain_choice *choice = &cluster[i].choice[0];
        double layer_s = INFINITY;
        for (int k = 0; k < costs->rows; k++)
            if (costs->run[k].layers)
                layer_s = fmin(layer_s, choice->cost[k].time_s / costs->run[k].layers);
        rate += cluster[i].units / choice->units / layer_s; /* whole stages */
        least_s = fmin(least_s, layer_s);
    }
    return layers * (least_s + ((double)costs->microbatches * s->runs - 1) / rate);
}

/* Each way by itself, where all clusters have it. */
static bool solve_alike(struct search *s, const int *order, int clusters,
                        const struct chain_cluster all[static RK_MAX_CLUSTERS])
{
    const struct cluster_costs *first = &s->costs->cluster[order[0]];
    struct chain_cluster cluster[RK_MAX_CLUSTERS];
    for (int k = 0; k < first->ways; k++) {
        bool there = true;
        for (int i = 0; i < clusters && there; i++) {
            const struct cluster_costs *costs = &s->costs->cluster[order[i]];
            cluster[i] =
                (struct chain_cluster){all[i].units, 1, same_choice(costs, &first->way[k].plan)};
            there = cluster[i].choice && (i > 0 || cluster[i].choice == &first->choice[k]);
        }
        there = there && !better_is_stopped(&s->better) &&
                least_value(s, cluster, clusters) * (1 - 1e-9) < enough_of(s, order, clusters);
        if (there && !solve_ways(s, order, clusters, cluster)) return false;
    }
    return true;
}

/* One problem: these clusters in that order. */
static bool solve(struct search *s, const int *order, int clusters)
{
    const struct clusters_question *q = s->question;
    struct chain_cluster cluster[RK_MAX_CLUSTERS];
    ++*s->begun;
    if (s->problem_at++ < s->done || better_is_stopped(&s->better)) return true;
    for (int i = 0; i < clusters; i++) {
        const struct cluster_costs *costs = &s->costs->cluster[order[i]];
        cluster[i] = (struct chain_cluster){(int)rk_cluster_nodes(&q->machine->cluster[order[i]]),
                                            costs->ways, costs->choice};
        if (!costs->ways) return true;
    }
    const bool good = s->better.alike ? solve_alike(s, order, clusters, cluster)
                                      : solve_ways(s, order, clusters, cluster);
    if (good) keep_progress(s);
    return good;
}

/* All orders of `clusters` clusters: those that begin with `order` (count). */
static bool solve_orders(struct search *s, int order[RK_MAX_CLUSTERS], int count, int clusters)
{
    if (count == clusters) return solve(s, order, clusters);
    for (int next = 0; next < s->question->machine->clusters; next++) {
        bool there = false;
        for (int i = 0; i < count; i++)
            there |= order[i] == next;
        if (there) continue;
        order[count] = next;
        if (!solve_orders(s, order, count + 1, clusters)) return false;
    }
    return true;
}

static bool search_round(struct search *s)
{
    int order[RK_MAX_CLUSTERS];
    bool good = true;
    for (int clusters = s->question->machine->clusters; good && clusters > 0; clusters--)
        good = solve_orders(s, order, 0, clusters);
    return good;
}

/* ---- rounds ---- */

struct round {
    struct clusters_costs costs;
    double least_s; /* no step takes less: the slowest stage works on all microbatches */
};

/* All clusters side by side, in any order. */
static double least_step(const struct clusters_costs *costs)
{
    struct chain_cluster cluster[RK_MAX_CLUSTERS];
    const struct chain_problem problem = {
        .layers = (int)costs->question->model->layers,
        .rows = costs->rows,
        .row = costs->row,
        .clusters = costs->question->machine->clusters,
        .widths = costs->widths,
        .most_stages = costs->most_stages,
        .microbatches = (double)costs->microbatches,
        .cluster = cluster,
        .boundary_s = costs->boundary_s,
    };
    for (int i = 0; i < problem.clusters; i++)
        cluster[i] =
            (struct chain_cluster){(int)rk_cluster_nodes(&costs->question->machine->cluster[i]),
                                   costs->cluster[i].ways, costs->cluster[i].choice};
    return problem.microbatches * chain_pace(&problem);
}

/* Orders of some of the clusters: problems of a round. */
static uint64_t count_orders(int clusters)
{
    uint64_t all = 0, orders = 1;
    for (int some = 0; some < clusters; some++)
        all += orders *= (uint64_t)(clusters - some);
    return all;
}

/* Is it a round, of batch / microbatch? */
static bool is_round(const struct clusters_question *q, uint64_t microbatches)
{
    const uint64_t batch = q->words.batch;
    return batch % microbatches == 0 && (!q->round || batch / microbatches == q->words.microbatch);
}

/* Rounds with their costs; their problems in three searches, and again of plans that are launched.
 */
static uint64_t count_parts(const struct search *s)
{
    const struct clusters_question *q = s->question;
    const uint64_t orders = count_orders(q->machine->clusters);
    const uint64_t searches = 2 + (uint64_t)better_has_runs(&s->better);
    const bool again = q->alike == CLUSTERS_ALIKE_ALSO && q->words.schedule == RK_1F1B;
    uint64_t rounds = 0;
    for (uint64_t m = 1; m <= q->words.batch; m++)
        rounds += is_round(q, m);
    return rounds * (1 + orders * searches * (again ? 2 : 1));
}

static int compare_rounds(const void *a, const void *b)
{
    const struct round *x = a, *y = b;
    if (x->least_s != y->least_s) return x->least_s < y->least_s ? -1 : 1;
    return x->costs.round < y->costs.round ? -1 : x->costs.round > y->costs.round;
}

/* Clusters on which one layer fits, at any place. */
static void note_usable(const struct clusters_costs *costs, struct clusters_answer *answer)
{
    for (int i = 0; i < costs->question->machine->clusters; i++) {
        const struct cluster_costs *c = &costs->cluster[i];
        for (int k = 0; k < c->ways * costs->rows; k++)
            answer->usable[i] |=
                costs->run[k % costs->rows].layers == 1 && c->cost[k].in_flight >= 1;
        answer->runs[i] |= c->ways > 0 || c->barred;
        if (answer->refused[i].verdict == RK_FITS) answer->refused[i] = c->refused;
    }
}

/* In that order, or the other way round. */
static bool search_each(struct search *s, const struct round *round, int rounds, bool narrow)
{
    bool good = true;
    s->narrow = narrow;
    for (int i = 0; good && i < rounds; i++) {
        s->costs = &round[narrow ? rounds - 1 - i : i].costs;
        good = search_round(s);
    }
    return good;
}

/* Plans that are good once they are interleaved: their sums count less. */
static bool search_interleaved(struct search *s, const struct round *round, int rounds)
{
    if (!better_has_runs(&s->better)) return true;
    s->runs = MOST_RUNS;
    const bool good = search_each(s, round, rounds, true);
    s->runs = 1;
    return good;
}

/* First some good plans, from rounds of few samples on, which fit; then the proofs, of the most
 * promising rounds first, so that the others are soon too slow. */
static bool search_rounds(struct search *s, struct round *round, int *rounds)
{
    const uint64_t batch = s->question->words.batch;
    struct fold_shelf shelf = {.count = 0};
    bool good = true;
    s->answer->parts = count_parts(s);
    for (uint64_t m = 1; good && m <= batch; m++) {
        if (!is_round(s->question, m)) continue;
        if (better_is_stopped(&s->better)) break;
        ++*s->begun;
        RK_REQUIRE(*rounds < MOST_ROUNDS);
        struct round *next = &round[(*rounds)++];
        good = clusters_costs_open(&next->costs, s->question, batch / m, &shelf);
        if (!good || better_is_stopped(&s->better)) break;
        next->least_s = least_step(&next->costs);
        s->answer->floor_s = fmin(s->answer->floor_s, next->least_s);
        note_usable(&next->costs, s->answer);
    }
    fold_shelf_release(&shelf);
    good = good && search_each(s, round, *rounds, true);
    qsort(round, (size_t)*rounds, sizeof *round, compare_rounds);
    return good && search_each(s, round, *rounds, false) && search_interleaved(s, round, *rounds);
}

/* The whole model in one stage, with replicas on several clusters. */
static bool search_mixed(struct search *s)
{
    struct clusters_answer *a = s->answer;
    if (!clusters_mixed_search(s->question, &s->plan)) return false;
    a->straight_s = fmin(a->straight_s, s->plan.simulated_s);
    if (isfinite(s->plan.simulated_s)) better_consider(&s->better, &s->plan, a->best.simulated_s);
    if (s->plan.value_s < a->proved.value_s) a->proved = s->plan;
    return true;
}

bool clusters_search(const struct clusters_question *question, struct clusters_answer *answer)
{
    return clusters_search_top(question, answer, NULL);
}

/* Nothing is found yet. */
static void begin(struct search *s, const struct clusters_question *question,
                  struct clusters_answer *answer)
{
    const struct clusters_plan none = {.value_s = INFINITY, .simulated_s = INFINITY};
    *answer = (struct clusters_answer){
        .straight_s = INFINITY, .floor_s = INFINITY, .best = none, .alike = none, .proved = none};
    s->question = s->better.question = question;
    s->answer = s->better.answer = answer;
    s->begun = &answer->begun;
    s->reached_s = INFINITY;
    s->runs = 1;
    s->better.seeds.of_outlines = true;
    s->better.seeds.most = CLUSTERS_SEEDS;
    for (int i = 0; i < RK_MAX_CLUSTERS; i++)
        answer->alone_s[i] = answer->alone_step_s[i] = s->reached_alone_s[i] = INFINITY;
}

/* The best plan that a launcher runs, by another search of the same rounds; what is faster than
 * the best that is known is that. */
static bool search_alike(struct search *s, const struct round *round, int rounds)
{
    struct clusters_answer *answer = s->answer, *found = malloc(sizeof *found);
    struct search *t = calloc(1, sizeof *t);
    struct clusters_question asked = *s->question;
    bool good = found && t;
    asked.keep = NULL; /* the state is that of the search before it */
    if (good) {
        begin(t, &asked, found);
        t->better.alike = true;
        t->begun = s->begun;
        good = search_each(t, round, rounds, true) && search_each(t, round, rounds, false) &&
               search_interleaved(t, round, rounds) && better_settle(&t->better) &&
               !t->better.failed;
        answer->stopped |= found->stopped;
        answer->alike = found->best;
        if (isfinite(found->best.simulated_s))
            better_consider(&s->better, &found->best, answer->best.simulated_s);
    }
    free(found);
    if (t) better_close(&t->better);
    free(t);
    return good;
}

static bool search_all(struct search *s, struct round *round, int *rounds)
{
    const struct clusters_question *q = s->question;
    struct clusters_answer *a = s->answer;
    s->better.alike = q->alike == CLUSTERS_ALIKE_ONLY;
    if (!search_rounds(s, round, rounds) || !better_settle(&s->better)) return false;
    if (!q->apart && !s->better.alike && !better_is_stopped(&s->better) && !search_mixed(s))
        return false;
    if (q->alike == CLUSTERS_ANY || better_is_stopped(&s->better) || isinf(a->best.simulated_s))
        return true;
    if (clusters_stages_alike(&a->best)) {
        a->alike = a->best;
        return true;
    }
    return q->words.schedule != RK_1F1B || search_alike(s, round, *rounds);
}

bool clusters_search_top(const struct clusters_question *question, struct clusters_answer *answer,
                         struct clusters_kept *kept)
{
    struct search *s = calloc(1, sizeof *s);
    struct round *round = calloc(MOST_ROUNDS, sizeof *round);
    int rounds = 0;
    bool good = s && round;
    if (good) {
        begin(s, question, answer);
        s->better.kept = kept;
        go_on(s);
        good = search_all(s, round, &rounds) && !s->better.failed;
    }
    for (int i = 0; i < rounds; i++)
        clusters_costs_release(&round[i].costs);
    if (s) {
        free(s->progress);
        better_close(&s->better);
    }
    free(round);
    free(s);
    return good;
}

bool clusters_search_take(const struct clusters_question *question,
                          const struct clusters_plan *plan, struct clusters_answer *answer,
                          struct clusters_kept *kept)
{
    const bool launched = clusters_stages_alike(plan);
    if (question->alike == CLUSTERS_ALIKE_ONLY && !launched) return true;
    if (plan->chunks == 1) answer->straight_s = fmin(answer->straight_s, plan->simulated_s);
    if (plan->simulated_s < answer->best.simulated_s) answer->best = *plan;
    if (question->alike == CLUSTERS_ALIKE_ALSO && launched &&
        plan->simulated_s < answer->alike.simulated_s)
        answer->alike = *plan;
    return clusters_keep(kept, plan);
}
