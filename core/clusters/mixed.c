#include "clusters/mixed.h"

#include "clusters/costs.h"

#include "clusters/given.h"
#include "clusters/told.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_TOKENS = 4096, MOST_SAMPLES = 32 }; /* of a rank; of a replica, as costs.c has them */

struct mixing {
    const struct clusters_question *question;
    struct given_plan now;
    struct clusters_plan plan, *best;
    struct fold_shelf shelf;
};

/* Has every part memory for a sample? False in `good`: no memory of our own. */
static bool holds_one(struct mixing *x, bool *good)
{
    const struct clusters_question *q = x->question;
    const struct stage_run run = {0, (int)q->model->layers, CHAIN_ALONE};
    for (int k = 0; k < x->now.stage[0].parts; k++) {
        const struct given_part *part = &x->now.stage[0].part[k];
        struct rk_plan pair = part->plan;
        struct stage_told told;
        struct rk_reason reason;
        pair.pipeline = 2;
        pair.microbatch = 1;
        pair.batch = part->data;
        pair.ranks = 2 * pair.tensor * pair.context * part->data;
        const struct stage_asked asked = {.cluster = part->cluster,
                                          .stages = 1,
                                          .chunks = 1,
                                          .run = &run,
                                          .microbatches = 1,
                                          .plan = &pair};
        if (!clusters_can_run(q, part->cluster, &pair, &reason)) return false;
        *good = clusters_stage_cost(q, &x->shelf, &asked, &told);
        if (!*good || clusters_overfull(q, part->cluster, pair.ranks / 2, &told.memory, &reason))
            return false;
    }
    return true;
}

static bool judge_plan(struct mixing *x, const struct rk_plan *own)
{
    struct given_fault fault;
    bool good = true;
    for (int k = 0; k < x->now.stage[0].parts; k++)
        x->now.stage[0].part[k].plan = *own;
    if (!holds_one(x, &good)) return good;
    if (!given_judge(x->question, &x->now, &x->plan, &fault)) return false;
    if (fault.reason.verdict != RK_FITS || !(x->plan.value_s < x->best->value_s)) return true;
    if (!clusters_counts(x->question, &x->plan)) return true;
    *x->best = x->plan;
    return true;
}

/* A mode, and what only a model in one stage has: gradients and weights sharded, the exchange of
 * experts overlapped. */
static bool judge_mode(struct mixing *x, struct rk_plan own, enum rk_recompute_mode mode)
{
    const struct clusters_question *q = x->question;
    const int least = own.zero, most = clusters_shards(q, &own) ? 3 : own.zero;
    bool good = true;
    own.recompute = mode;
    own.recompute_parts = clusters_parts(&q->words, mode);
    for (own.zero = least; good && own.zero <= most; own.zero++) {
        own.expert_overlap = q->words.expert_overlap;
        good = judge_plan(x, &own);
        own.expert_overlap = true;
        if (good && !q->expert_overlap && clusters_overlaps(q, &own)) good = judge_plan(x, &own);
    }
    return good;
}

/* One tensor and context degree on the clusters of a set. */
static bool judge_degrees(struct mixing *x, unsigned set, uint64_t tensor, uint64_t context)
{
    const struct clusters_question *q = x->question;
    const uint64_t batch = q->words.batch;
    struct given_stage *stage = &x->now.stage[0];
    struct rk_plan own = q->words;
    uint64_t replicas = 0;
    bool good = true;
    own.tensor = tensor;
    own.context = context;
    clusters_fit_width(&own);
    stage->parts = 0;
    for (int i = 0; i < q->machine->clusters; i++) {
        const struct rk_cluster *c = &q->machine->cluster[i];
        if (!(set & 1u << i)) continue;
        if (rk_cluster_node(c) % tensor || c->system.devices % (tensor * context)) return true;
        const uint64_t data = c->system.devices / tensor / context;
        stage->part[stage->parts++] = (struct given_part){.cluster = i, .data = data};
        replicas += data;
    }
    for (uint64_t m = 1; good && m <= batch && batch / m >= replicas; m++) {
        if (q->stopped && q->stopped(q->stopper)) break;
        x->now.round = batch / m;
        if (batch % m || x->now.round > GIVEN_REPLICAS || x->now.round / replicas > MOST_SAMPLES)
            continue;
        if (q->round && x->now.round != q->words.microbatch) continue;
        for (int mode = RK_KEEP; good && mode <= RK_WHOLE; mode++)
            if (!q->recompute || mode == (int)q->words.recompute)
                good = judge_mode(x, own, (enum rk_recompute_mode)mode);
    }
    return good;
}

static bool judge_set(struct mixing *x, unsigned set)
{
    const struct clusters_question *q = x->question;
    const uint64_t tokens = q->words.sequence ? q->words.sequence : q->model->sequence;
    uint64_t node = 1;
    for (int i = 0; i < q->machine->clusters; i++)
        if (set & 1u << i && rk_cluster_node(&q->machine->cluster[i]) > node)
            node = rk_cluster_node(&q->machine->cluster[i]);
    for (uint64_t t = 1; t <= node; t++) {
        if (node % t || (q->tensor && t != q->words.tensor)) continue;
        for (uint64_t c = q->context ? q->words.context : 1;; c *= 2) {
            if (!q->context && c > 1 && (tokens % c || tokens / c < LEAST_TOKENS)) break;
            if (!judge_degrees(x, set, t, c)) return false;
            if (q->context) break;
        }
    }
    return true;
}

bool clusters_mixed_search(const struct clusters_question *question, struct clusters_plan *best)
{
    struct mixing *x = calloc(1, sizeof *x);
    bool good = x;
    best->value_s = best->simulated_s = INFINITY;
    if (good) {
        *x = (struct mixing){.question = question,
                             .best = best,
                             .now = {.stages = 1,
                                     .chunks = 1,
                                     .split = {(uint16_t)question->model->layers},
                                     .stage = {{.layers = (int)question->model->layers}}}};
        for (unsigned set = 1; good && set < 1u << question->machine->clusters; set++) {
            const int many = __builtin_popcount(set);
            if (many > 1 && many <= GIVEN_PARTS) good = judge_set(x, set);
        }
        fold_shelf_release(&x->shelf);
    }
    free(x);
    return good;
}
