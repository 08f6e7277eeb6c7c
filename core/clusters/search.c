#include "clusters/search.h"

#include "clusters/found.h"

#include "base/limits.h"
#include "clusters/given.h"
#include "clusters/kept.h"
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
    struct clusters_kept *kept; /* NULL: the best alone */
    struct clusters_plan plan;  /* at hand */
    struct clusters_plan other; /* ... interleaved, as `given` */
    struct given_plan given;
    bool alike;       /* all stages are run in one way */
    bool narrow;      /* plans are looked for that the proofs then have to better */
    double reached_s; /* the least value of these, and of those on one cluster */
    double reached_alone_s[RK_MAX_CLUSTERS];
    uint64_t problem_at, done; /* problems are counted; `done` were solved before the search
                                  resumed */
    struct progress *progress; /* room for what is kept */
    bool failed;               /* no memory */
};

/* ---- how far it is ---- */

/* In front of the plans that are kept. */
struct progress {
    uint64_t done;
    double reached_s, reached_alone_s[RK_MAX_CLUSTERS];
    struct clusters_answer answer;
    uint64_t kept;
};

static size_t progress_bytes(uint64_t plans)
{
    return sizeof(struct progress) + plans * sizeof(struct clusters_plan);
}

bool clusters_progress_fits(const void *progress, size_t bytes, int most)
{
    const struct progress *p = progress;
    return bytes >= sizeof *p && p->kept <= (uint64_t)most && bytes == progress_bytes(p->kept);
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
    forget_texts(s->answer);
    s->done = p->done;
    s->reached_s = p->reached_s;
    memcpy(s->reached_alone_s, p->reached_alone_s, sizeof s->reached_alone_s);
    const struct clusters_plan *kept = (const struct clusters_plan *)(p + 1);
    for (uint64_t i = 0; i < p->kept && s->kept; i++)
        s->failed |= !clusters_keep(s->kept, &kept[i]);
}

/* A problem is solved. */
static void keep_progress(struct search *s)
{
    const struct clusters_question *q = s->question;
    const uint64_t kept = s->kept ? (uint64_t)s->kept->count : 0;
    if (!q->keep || s->answer->stopped) return;
    struct progress *p = realloc(s->progress, progress_bytes(kept));
    if (!p) {
        s->failed = true;
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
    struct clusters_plan *to = (struct clusters_plan *)(p + 1);
    for (uint64_t i = 0; i < kept; i++)
        to[i] = *s->kept->plan[i];
    if (!q->keep(q->keeper, p, progress_bytes(kept))) s->answer->stopped = true;
}

/* A plan that was simulated: is it the best? */
static bool consider(struct search *s, const struct clusters_plan *plan, double less_than_s)
{
    if (!clusters_counts(s->question, plan)) return false;
    const bool better = plan->simulated_s < less_than_s;
    const bool apart = better || plan->simulated_s >= s->answer->best.simulated_s;
    if (s->kept && apart && isfinite(plan->simulated_s)) s->failed |= !clusters_keep(s->kept, plan);
    if (better) s->answer->best = *plan;
    return better;
}

/* ---- interleaving ---- */

enum { MOST_RUNS = 4, RUNS_OF_BEST = 12 };

/* The given plan with each stage's layers in so many runs, as even as they go; false: a stage has
 * too few layers, or microbatches do not fill the pipeline, as launchers want them to. */
static bool interleave(const struct search *s, struct given_plan *given, int runs)
{
    const uint64_t microbatches = s->question->words.batch / given->round;
    const bool filled = given->stages > 1 && microbatches % (uint64_t)given->stages == 0;
    if ((runs > 1 && !filled) || runs * given->stages > RK_MAX_CHUNKS) return false;
    given->chunks = runs;
    for (int i = 0; i < given->stages; i++) {
        const int layers = given->stage[i].layers;
        if (layers < runs) return false;
        for (int k = 0; k < runs; k++)
            given->split[k * given->stages + i] =
                (uint16_t)(layers * (k + 1) / runs - layers * k / runs);
    }
    return true;
}

/* Interleaved stages have shorter ends and send more; the simulation decides. */
static bool try_interleaved(struct search *s, const struct clusters_plan *plan, int from, int to)
{
    struct given_fault fault;
    const enum rk_schedule schedule = s->question->words.schedule;
    if (schedule != RK_1F1B && schedule != RK_GPIPE) return true;
    for (int runs = from; runs <= to; runs++) {
        given_of(s->question, plan, &s->given);
        if (!interleave(s, &s->given, runs)) continue;
        if (!given_judge(s->question, &s->given, &s->other, &fault)) return false;
        if (fault.reason.verdict == RK_FITS) consider(s, &s->other, s->answer->best.simulated_s);
    }
    return true;
}

/* ---- layers moved ---- */

static bool is_stopped(struct search *s)
{
    const struct clusters_question *q = s->question;
    s->answer->stopped = s->answer->stopped || (q->stopped && q->stopped(q->stopper));
    return s->answer->stopped;
}

/* The best plan with a layer of one stage on another; true in `better`: it is the best now. False:
 * no memory. */
static bool try_move(struct search *s, int from, int to, bool *better)
{
    struct clusters_answer *a = s->answer;
    struct given_fault fault;
    given_of(s->question, &a->best, &s->given);
    s->given.stage[from].layers--;
    s->given.stage[to].layers++;
    if (s->given.stage[from].layers < 1 || !interleave(s, &s->given, a->best.chunks)) return true;
    if (!given_judge(s->question, &s->given, &s->other, &fault)) return false;
    *better =
        fault.reason.verdict == RK_FITS && consider(s, &s->other, a->best.simulated_s * (1 - 1e-9));
    if (*better && a->best.chunks == 1) a->straight_s = fmin(a->straight_s, a->best.simulated_s);
    return true;
}

/* The objective only approximates the simulation: layers of the best plan move to a neighboring
 * stage as long as that shortens its simulated step. */
static bool move_layers(struct search *s)
{
    for (int i = 0, tried = 0; tried < 2 * (s->answer->best.stages - 1); tried++) {
        const int stages = s->answer->best.stages, pair = i / 2 % (stages - 1);
        bool better = false;
        if (is_stopped(s)) return true;
        if (!try_move(s, pair + (i & 1), pair + !(i & 1), &better)) return false;
        if (better)
            tried = -1;
        else
            i++;
    }
    return true;
}

/* Plans whose step would have to be a third shorter than their value are left out. */
static void visit(void *context, const struct chain_answer *found)
{
    struct search *s = context;
    if (found->value_s / 1.5 > s->answer->best.simulated_s) return;
    clusters_found_plan(&s->plan, s->costs, s->problem, s->order, found);
    clusters_found_details(&s->plan, s->costs, s->problem, s->order, found);
    s->plan.simulated_s = clusters_simulate(&s->plan);
    s->answer->simulated++;
    if (clusters_counts(s->question, &s->plan))
        s->answer->straight_s = fmin(s->answer->straight_s, s->plan.simulated_s);
    consider(s, &s->plan, s->answer->best.simulated_s);
    if (!try_interleaved(s, &s->plan, 2, MOST_RUNS)) s->failed = true;
}

/* What a plan of these clusters has to be better than: the best one known, or what is as good as
 * one that was reached. */
static double enough_of(const struct search *s, const int *order, int clusters)
{
    const bool alone = clusters == 1;
    const double reached_s = alone ? s->reached_alone_s[order[0]] : s->reached_s;
    const double proved_s = alone ? s->answer->alone_s[order[0]] : s->answer->proved.value_s;
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
        .microbatches = (double)s->costs->microbatches,
        .cluster = cluster,
        .boundary_s = s->costs->boundary_s,
        .closing_s = clusters_tie_s(q, order[0], order[clusters - 1]),
        .enough_s = enough_of(s, order, clusters),
        .narrow = s->narrow,
    };
    s->problem = &problem;
    s->order = order;
    const bool good = chain_solve(&problem, &found, visit, s);
    s->answer->problems += !s->narrow;
    s->answer->labels += found.labels;
    s->answer->limits += (uint64_t)found.limits;
    if (good && found.found && s->narrow) note_reached(s, order, clusters, found.value_s);
    if (good && found.found && !s->narrow) note_proved(s, &problem, &found);
    chain_answer_release(&found);
    return good;
}

/* What a launcher says of a stage. */
static bool same_way(const struct rk_plan *a, const struct rk_plan *b)
{
    return a->ranks == b->ranks && a->tensor == b->tensor && a->context == b->context &&
           a->expert == b->expert && a->microbatch == b->microbatch &&
           a->recompute == b->recompute &&
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
    return layers * (least_s + ((double)costs->microbatches - 1) / rate);
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
        there = there && !is_stopped(s) &&
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
    if (s->problem_at++ < s->done || is_stopped(s)) return true;
    for (int i = 0; i < clusters; i++) {
        const struct cluster_costs *costs = &s->costs->cluster[order[i]];
        cluster[i] = (struct chain_cluster){(int)rk_cluster_nodes(&q->machine->cluster[order[i]]),
                                            costs->ways, costs->choice};
        if (!costs->ways) return true;
    }
    const bool good = s->alike ? solve_alike(s, order, clusters, cluster)
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
        answer->runs[i] |= c->ways > 0;
        if (c->refused.verdict != RK_FITS) answer->refused[i] = c->refused;
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

/* First some good plans, from rounds of few samples on, which fit; then the proofs, of the most
 * promising rounds first, so that the others are soon too slow. */
static bool search_rounds(struct search *s, struct round *round, int *rounds)
{
    const uint64_t batch = s->question->words.batch;
    struct fold_shelf shelf = {.count = 0};
    bool good = true;
    for (uint64_t m = 1; good && m <= batch; m++) {
        if (batch % m || (s->question->round && batch / m != s->question->words.microbatch))
            continue;
        if (is_stopped(s)) break;
        RK_REQUIRE(*rounds < MOST_ROUNDS);
        struct round *next = &round[(*rounds)++];
        good = clusters_costs_open(&next->costs, s->question, batch / m, &shelf);
        if (!good) break;
        next->least_s = least_step(&next->costs);
        s->answer->floor_s = fmin(s->answer->floor_s, next->least_s);
        note_usable(&next->costs, s->answer);
    }
    fold_shelf_release(&shelf);
    good = good && search_each(s, round, *rounds, true);
    qsort(round, (size_t)*rounds, sizeof *round, compare_rounds);
    return good && search_each(s, round, *rounds, false);
}

/* The whole model in one stage, with replicas on several clusters. */
static bool search_mixed(struct search *s)
{
    struct clusters_answer *a = s->answer;
    if (!clusters_mixed_search(s->question, &s->plan)) return false;
    a->straight_s = fmin(a->straight_s, s->plan.simulated_s);
    if (isfinite(s->plan.simulated_s)) consider(s, &s->plan, a->best.simulated_s);
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
    *s = (struct search){.question = question, .answer = answer, .reached_s = INFINITY};
    for (int i = 0; i < RK_MAX_CLUSTERS; i++)
        answer->alone_s[i] = answer->alone_step_s[i] = s->reached_alone_s[i] = INFINITY;
}

/* More or fewer runs of layers, then layers moved, until neither shortens the step. */
static bool settle_layers(struct search *s)
{
    double before_s = INFINITY;
    while (s->answer->best.simulated_s < before_s * (1 - 1e-9) && !is_stopped(s)) {
        before_s = s->answer->best.simulated_s;
        s->plan = s->answer->best;
        if (!try_interleaved(s, &s->plan, 2, RUNS_OF_BEST) || !move_layers(s)) return false;
    }
    return true;
}

/* Are the stages so that a launcher can run them as one job: the same degrees and choices, none
 * with replicas on several clusters, no activations away? */
static bool clusters_stages_alike(const struct clusters_plan *plan)
{
    const struct clusters_stage *first = &plan->stage[0];
    bool alike = plan->schedule == RK_1F1B;
    for (int i = 0; i < plan->stages && alike; i++) {
        const struct clusters_stage *s = &plan->stage[i];
        alike = !s->homes && s->activations_away <= 0 && s->tensor == first->tensor &&
                s->context == first->context && s->expert == first->expert &&
                s->data == first->data && s->recompute == first->recompute &&
                s->optimizer_away == first->optimizer_away;
    }
    return alike;
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
        t->alike = true;
        good = search_each(t, round, rounds, true) && search_each(t, round, rounds, false) &&
               settle_layers(t) && !t->failed;
        answer->stopped |= found->stopped;
        answer->alike = found->best;
        if (isfinite(found->best.simulated_s)) consider(s, &found->best, answer->best.simulated_s);
    }
    free(found);
    free(t);
    return good;
}

static bool search_all(struct search *s, struct round *round, int *rounds)
{
    const struct clusters_question *q = s->question;
    struct clusters_answer *a = s->answer;
    s->alike = q->alike == CLUSTERS_ALIKE_ONLY;
    if (!search_rounds(s, round, rounds) || !settle_layers(s)) return false;
    if (!q->apart && !s->alike && !is_stopped(s) && !search_mixed(s)) return false;
    if (q->alike == CLUSTERS_ANY || is_stopped(s) || isinf(a->best.simulated_s)) return true;
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
        s->kept = kept;
        go_on(s);
        good = search_all(s, round, &rounds) && !s->failed;
    }
    for (int i = 0; i < rounds; i++)
        clusters_costs_release(&round[i].costs);
    if (s) free(s->progress);
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
