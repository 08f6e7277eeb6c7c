#include "search/unit.h"

#include "estimate/check.h"
#include "estimate/step.h"
#include "machine/work.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Arrays over the lanes of a unit, by what they depend on besides the lane. */
enum lane_array {
    /* nothing */
    A_FORWARD_ACCESS,
    A_BACKWARD_ACCESS,
    A_ACCESS,
    A_WEIGHTS,
    A_WORKING,
    A_STORED,
    A_CHECKPOINT,
    A_ACTIVATION_GRADS,
    /* the microbatch */
    A_MICROBATCHES,
    A_SHORTAGE,
    A_LAST_ROUND,
    A_ZERO,
    /* sharding */
    A_GRADS_FULL,
    A_GRADS,
    A_STATE,
    A_OPTIMIZER,
    A_OPTIMIZER_HIDES,
    A_COMPUTE,
    A_LEAST_REDUCE,
    /* offload */
    A_FORWARD_TRANSFER,
    A_BACKWARD_TRANSFER,
    /* offload and networks */
    A_BASE,
    A_EDGE,
    A_BASE_BACKWARD,
    A_EDGE_BACKWARD,
    A_STEP,
    LANE_ARRAYS
};

/* Arrays over the lanes that each network has of its own. */
enum network_array {
    N_FORWARD_BASE,
    N_FORWARD_EDGE,
    N_BACKWARD_BASE,
    N_BACKWARD_EDGE,
    N_LINK_BASE,
    N_LINK_EDGE,
    N_MESSAGE, /* when the pipeline runs on it */
    N_REDUCE,  /* when data parallelism runs on it, under the current sharding */
    NETWORK_ARRAYS
};

struct long_curve {
    int steps;
    double from[LONG_CURVE], rate[LONG_CURVE];
};

struct scratch {
    double *storage;
    double *array[LANE_ARRAYS]; /* (LANES) each */
    double *network[RK_MAX_TIERS][NETWORK_ARRAYS];
    double *penalty, *hbm, *lower;    /* (interleavings, LANES) */
    uint64_t *fits;                   /* (interleavings) */
    const struct folio_entry **entry; /* (LANES) of tensor network 0; the others follow it */
    struct long_curve curve[RK_MAX_TIERS];
    double capacity[RK_MAX_TIERS];
    double on[RK_MAX_TIERS][3];
};

static void curve_lengthen(struct long_curve *to, const struct rk_curve *from)
{
    to->steps = from->steps <= SHORT_CURVE ? SHORT_CURVE : LONG_CURVE;
    const int before = to->steps - from->steps;
    for (int i = 0; i < before; i++) {
        to->from[i] = INFINITY;
        to->rate[i] = 1;
    }
    for (int i = 0; i < from->steps; i++) {
        to->from[before + i] = from->step[i].from;
        to->rate[before + i] = from->step[i].rate;
    }
}

static int most_interleavings(const struct rk_space *space)
{
    int most = 1;
    for (int i = 0; i < space->groups; i++)
        if (space->group[i].interleavings > most) most = space->group[i].interleavings;
    return most;
}

struct scratch *scratch_open(const struct rk_space *space)
{
    const size_t most = (size_t)most_interleavings(space);
    const size_t networks = (size_t)space->problem.system->networks;
    const size_t arrays = LANE_ARRAYS + networks * NETWORK_ARRAYS + 3 * most;
    struct scratch *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->storage = aligned_alloc(64, arrays * LANES * sizeof(double));
    s->fits = calloc(most, sizeof *s->fits);
    s->entry = calloc(LANES, sizeof *s->entry);
    if (!s->storage || !s->fits || !s->entry) {
        scratch_close(s);
        return NULL;
    }
    memset(s->storage, 0, arrays * LANES * sizeof(double));
    double *next = s->storage;
    for (int i = 0; i < LANE_ARRAYS; i++, next += LANES)
        s->array[i] = next;
    for (size_t n = 0; n < networks; n++)
        for (int i = 0; i < NETWORK_ARRAYS; i++, next += LANES)
            s->network[n][i] = next;
    s->penalty = next;
    s->hbm = next + most * LANES;
    s->lower = next + 2 * most * LANES;
    for (int i = 0; i < space->problem.system->memories; i++) {
        curve_lengthen(&s->curve[i], &space->problem.system->memory[i].curve);
        /* finite, so that what is infinite, the padding, never fits */
        s->capacity[i] = fmin(space->problem.system->memory[i].capacity_bytes, DBL_MAX);
    }
    return s;
}

void scratch_close(struct scratch *scratch)
{
    if (!scratch) return;
    free(scratch->storage);
    free(scratch->fits);
    free(scratch->entry);
    free(scratch);
}

/* ---- one run over a unit ---- */

struct run {
    const struct rk_space *space;
    const struct rk_problem *problem;
    const struct unit *unit;
    const struct group *group;
    const struct options *options;
    struct scratch *s;
    struct visitor *visitor;
    const struct kernels *kernels;
    int lanes, padded; /* real ones; rounded up */
    double blocks, pipeline;
    bool full;
    bool sharding;
    int tier[3]; /* of weights, activations, optimizer */
    struct batch batch;
    uint64_t networks; /* (tensor, pipeline, data) networks that are allowed */
};

static int lane_row(const struct unit *unit, int lane)
{
    return unit->first_row + lane / unit->microbatches;
}

static int lane_microbatch(const struct unit *unit, int lane)
{
    return lane % unit->microbatches;
}

static bool networks_allowed(const struct rk_problem *p, const struct group *g, uint64_t tensor,
                             uint64_t pipeline, uint64_t data, enum rk_verdict *verdict, int *tier)
{
    const struct rk_strategy s = {
        .tensor = g->tensor,
        .pipeline = g->pipeline,
        .data = g->data,
        .tensor_network = (int)tensor,
        .pipeline_network = (int)pipeline,
        .data_network = (int)data,
    };
    for (int i = 0; i < p->system->networks; i++) {
        const enum rk_verdict found =
            check_network(&p->system->network[i], check_network_load(&s, i));
        if (found == RK_FITS) continue;
        if (verdict) *verdict = found;
        if (tier) *tier = i;
        return false;
    }
    return true;
}

void group_count_networks(const struct rk_space *space, const struct group *g,
                          struct rk_search_counts *counts, struct rk_search_explain *explain)
{
    const struct values *inner = g->options->inner;
    const struct values *t = &inner[INNER_TENSOR_NETWORK], *p = &inner[INNER_PIPELINE_NETWORK];
    const struct values *d = &inner[INNER_DATA_NETWORK];
    const uint64_t all = g->per_cell * (uint64_t)g->interleavings;
    const uint64_t each = all / (uint64_t)(t->count * p->count * d->count);
    for (int i = 0; i < t->count; i++)
        for (int j = 0; j < p->count; j++)
            for (int k = 0; k < d->count; k++) {
                enum rk_verdict verdict;
                int tier;
                if (networks_allowed(&space->problem, g, t->value[i], p->value[j], d->value[k],
                                     &verdict, &tier))
                    continue;
                if (verdict == RK_NETWORK_TOO_SMALL)
                    counts->network_too_small[tier] += each;
                else
                    counts->network_not_filled[tier] += each;
                explain->refused_by_group += each;
            }
}

uint64_t group_allowed_networks(const struct rk_problem *p, const struct group *g)
{
    const struct values *inner = g->options->inner;
    uint64_t allowed = 0;
    for (int i = 0; i < inner[INNER_TENSOR_NETWORK].count; i++)
        for (int j = 0; j < inner[INNER_PIPELINE_NETWORK].count; j++)
            for (int k = 0; k < inner[INNER_DATA_NETWORK].count; k++)
                allowed += networks_allowed(p, g, inner[INNER_TENSOR_NETWORK].value[i],
                                            inner[INNER_PIPELINE_NETWORK].value[j],
                                            inner[INNER_DATA_NETWORK].value[k], NULL, NULL);
    return allowed;
}

/* Lanes beyond the real ones repeat the last one and never fit. */
static void fill_padding(const struct run *r, double *x)
{
    for (int i = r->lanes; i < r->padded; i++)
        x[i] = x[r->lanes - 1];
}

static const struct row *row_of(const struct run *r, int row)
{
    return &r->unit->folio->rows->row[r->unit->first_row + row];
}

/* What depends on the microbatch alone: worked out for the first row, repeated in the others. */
static void load_microbatches(struct run *r)
{
    double **a = r->s->array;
    const int wide = r->unit->microbatches;
    const uint64_t *microbatch = r->group->microbatch + r->unit->first_microbatch;
    const uint64_t local = r->group->batch / r->group->data;
    for (int i = 0; i < wide; i++) {
        const double m = (double)(local / microbatch[i]);
        a[A_MICROBATCHES][i] = m;
        a[A_SHORTAGE][i] = shortage_of(m, r->pipeline);
        a[A_LAST_ROUND][i] = last_round_of(m, r->pipeline);
    }
    for (int array = A_MICROBATCHES; array <= A_LAST_ROUND; array++)
        for (int i = wide; i < r->lanes; i++)
            a[array][i] = a[array][i - wide];
}

static void load_lanes(struct run *r)
{
    double **a = r->s->array;
    for (int row = 0, i = 0; row < r->unit->rows; row++)
        for (int b = 0; b < r->unit->microbatches; b++, i++) {
            const struct folio_entry *entry = folio_layer(
                r->unit->folio, r->unit->folio_microbatch + b, r->unit->first_row + row, 0);
            const struct layer_cost *l = &entry->cost;
            r->s->entry[i] = entry;
            a[A_FORWARD_ACCESS][i] = l->forward_access_s;
            a[A_BACKWARD_ACCESS][i] = l->backward_access_s;
            a[A_ACCESS][i] = l->backward_access_s + l->recompute_access_s;
            a[A_WEIGHTS][i] = l->weight_bytes;
            a[A_WORKING][i] = l->working_bytes;
            a[A_STORED][i] = l->stored_bytes;
            a[A_CHECKPOINT][i] = l->checkpoint_bytes;
            a[A_ACTIVATION_GRADS][i] = l->activation_grad_bytes;
        }
    load_microbatches(r);
    for (int array = 0; array < A_ZERO; array++)
        fill_padding(r, a[array]);
    for (int i = r->lanes; i < r->padded; i++)
        a[A_WORKING][i] = INFINITY;
}

static double reduce_time_s(const struct rk_network *network, bool sharding, double ranks,
                            double bytes)
{
    if (ranks == 1) return 0;
    if (!sharding) return network_time_s(network, RK_ALL_REDUCE, ranks, bytes);
    return network_time_s(network, RK_REDUCE_SCATTER, ranks, bytes) +
           network_time_s(network, RK_ALL_GATHER, ranks, bytes);
}

/* Weights do not depend on the microbatch: one reduction a row. */
static void load_reduce(struct run *r)
{
    const struct values *networks = &r->options->inner[INNER_DATA_NETWORK];
    const double ranks = (double)r->group->data;
    double *least = r->s->array[A_LEAST_REDUCE];
    for (int k = 0; k < networks->count; k++) {
        const struct rk_network *network = &r->problem->system->network[networks->value[k]];
        double *reduce = r->s->network[networks->value[k]][N_REDUCE];
        for (int row = 0, i = 0; row < r->unit->rows; row++) {
            const double s =
                reduce_time_s(network, r->sharding, ranks, r->s->entry[i]->cost.weight_bytes);
            for (int b = 0; b < r->unit->microbatches; b++, i++) {
                reduce[i] = s;
                least[i] = k == 0 || s < least[i] ? s : least[i];
            }
        }
        fill_padding(r, reduce);
    }
    fill_padding(r, least);
}

static void load_sharding(struct run *r)
{
    const double shards = r->sharding ? (double)r->group->data : 1;
    double **a = r->s->array;
    struct optimizer_cost cost[2];
    for (int overlapped = 0; overlapped < 2; overlapped++)
        optimizer_fold(&cost[overlapped], &r->unit->folio->weights[overlapped].cost, shards);
    for (int row = 0, i = 0; row < r->unit->rows; row++) {
        const struct optimizer_cost *o = &cost[row_of(r, row)->overlap != RK_OVERLAP_NONE];
        const double hides_s = r->sharding ? 0 : o->pass.time_s - o->pass.access_s;
        for (int b = 0; b < r->unit->microbatches; b++, i++) {
            a[A_GRADS_FULL][i] = o->grad_full_bytes;
            a[A_GRADS][i] = o->grad_bytes;
            a[A_STATE][i] = o->state_bytes;
            a[A_OPTIMIZER][i] = r->blocks * o->pass.time_s;
            a[A_OPTIMIZER_HIDES][i] = hides_s;
            a[A_COMPUTE][i] =
                r->s->entry[i]->cost.backward_flop_s + (r->sharding ? 0 : o->pass.flop_s);
        }
    }
    for (int array = A_GRADS_FULL; array <= A_COMPUTE; array++)
        fill_padding(r, a[array]);
    load_reduce(r);
}

static void load_tiers(struct run *r)
{
    memset(r->s->on, 0, sizeof *r->s->on * (size_t)r->problem->system->memories);
    for (int i = 0; i < 3; i++)
        r->s->on[r->tier[i]][i] = 1;
}

static void load_transfers(struct run *r)
{
    double **a = r->s->array;
    const int tiers = r->problem->system->memories;
    memset(a[A_FORWARD_TRANSFER], 0, LANES * sizeof(double));
    memset(a[A_BACKWARD_TRANSFER], 0, LANES * sizeof(double));
    for (int tier = 1; tier < tiers; tier++) {
        const double *on = r->s->on[tier];
        if (on[0] + on[1] + on[2] == 0) continue;
        struct transfer_job job = {
            .lanes = r->padded,
            .weights = a[A_WEIGHTS],
            .kept = r->full ? a[A_CHECKPOINT] : a[A_STORED],
            .state = a[A_STATE],
            .on = {on[0], on[1], on[2]},
            .forward = 1,
            .steps = r->s->curve[tier].steps,
            .from = r->s->curve[tier].from,
            .rate = r->s->curve[tier].rate,
            .slowest_s = a[A_FORWARD_TRANSFER],
        };
        if (on[0] + on[1] > 0) r->kernels->transfer(&job);
        job.forward = 0;
        job.slowest_s = a[A_BACKWARD_TRANSFER];
        r->kernels->transfer(&job);
    }
}

static void load_tensor_network(struct run *r, uint64_t network)
{
    double **a = r->s->network[network];
    for (int i = 0; i < r->lanes; i++) {
        const struct layer_cost *l = &r->s->entry[i][network].cost;
        a[N_FORWARD_BASE][i] = l->forward_s[0];
        a[N_FORWARD_EDGE][i] = l->forward_s[1];
        a[N_BACKWARD_BASE][i] = l->backward_s[0];
        a[N_BACKWARD_EDGE][i] = l->backward_s[1];
        a[N_LINK_BASE][i] = l->backward_link_s[0];
        a[N_LINK_EDGE][i] = l->backward_link_s[1];
    }
    for (int array = N_FORWARD_BASE; array <= N_LINK_EDGE; array++)
        fill_padding(r, a[array]);
}

static void load_messages(struct run *r, uint64_t tier)
{
    const struct rk_model *m = r->problem->model;
    const struct rk_network *network = &r->problem->system->network[tier];
    const double h = (double)m->hidden, t = (double)r->group->tensor;
    const double element_bytes =
        r->group->pipeline > 1 ? rk_datatype_bytes(r->problem->datatype) : 0;
    const uint64_t *microbatch = r->group->microbatch + r->unit->first_microbatch;
    double *message = r->s->network[tier][N_MESSAGE];
    for (int row = 0, i = 0; row < r->unit->rows; row++) {
        const bool whole = row_of(r, row)->comm == RK_COMM_ALL_REDUCE;
        for (int b = 0; b < r->unit->microbatches; b++, i++) {
            const double tokens = (double)microbatch[b] * (double)m->sequence;
            const double elements = whole ? tokens * h : floor(tokens / t) * h;
            message[i] = network_time_s(network, RK_POINT_TO_POINT, 2, elements * element_bytes);
        }
    }
    fill_padding(r, message);
}

static void load_networks(struct run *r)
{
    const struct values *tensor = &r->options->inner[INNER_TENSOR_NETWORK];
    const struct values *pipeline = &r->options->inner[INNER_PIPELINE_NETWORK];
    for (int i = 0; i < tensor->count; i++)
        if (folio_uses_network(r->problem->system, r->group->tensor, tensor->value[i]))
            load_tensor_network(r, tensor->value[i]);
    for (int i = 0; i < pipeline->count; i++)
        load_messages(r, pipeline->value[i]);
}

/* ---- memory ---- */

static void decide_memory(struct run *r)
{
    double **a = r->s->array;
    const struct group *g = r->group;
    const uint64_t times = r->networks * (uint64_t)r->options->inner[INNER_DATA_OVERLAP].count;
    uint64_t refused[RK_MAX_TIERS];
    struct memory_job job = {
        .lanes = r->padded,
        .weights = a[A_WEIGHTS],
        .working = a[A_WORKING],
        .stored = a[A_STORED],
        .checkpoint = a[A_CHECKPOINT],
        .activation_grads = a[A_ACTIVATION_GRADS],
        .grads_full = a[A_GRADS_FULL],
        .grads = a[A_GRADS],
        .state = a[A_STATE],
        .microbatches = a[A_MICROBATCHES],
        .blocks = r->blocks,
        .pipeline = r->pipeline,
        .weight_blocks = r->tier[0] ? 2 : r->blocks,
        .grad_blocks = r->tier[2] ? 1 : r->blocks - 1,
        .state_blocks = r->tier[2] ? 2 : r->blocks,
        .activations_leave = r->tier[1] > 0,
        .tiers = r->problem->system->memories,
        .capacity = r->s->capacity,
        .on = (const double(*)[3])r->s->on,
        .refused = refused,
    };
    for (int v = 0; v < g->interleavings; v++) {
        memset(refused, 0, sizeof *refused * (size_t)job.tiers);
        job.interleaving = (double)g->interleaving[v];
        job.penalty = r->s->penalty + (size_t)v * LANES;
        if (r->visitor->needs) {
            job.hbm = r->s->hbm + (size_t)v * LANES;
            job.lower = r->s->lower + (size_t)v * LANES;
        }
        r->kernels->memory(&job);
        refused[0] -= (uint64_t)(r->padded - r->lanes);
        uint64_t fits = (uint64_t)r->lanes;
        for (int tier = 0; tier < job.tiers; tier++) {
            r->visitor->counts->memory_exceeded[tier] += refused[tier] * times;
            r->visitor->explain->refused_by_memory += refused[tier] * times;
            fits -= refused[tier];
        }
        r->s->fits[v] = fits;
        r->visitor->counts->fits += fits * times;
    }
}

/* ---- time ---- */

/* A step that takes longer has too few samples per second, however that is rounded. */
static double slowest_s(const struct run *r)
{
    if (r->visitor->least == 0) return DBL_MAX;
    return (double)r->group->batch / r->visitor->least * (1 + 1e-12);
}

static void time_batch(struct run *r, struct time_job *job, int v, bool overlapped)
{
    struct visitor *visitor = r->visitor;
    job->step_s = r->s->array[A_STEP];
    const double limit_s = slowest_s(r);
    const int hits =
        overlapped ? r->kernels->overlapped(job, limit_s) : r->kernels->plain(job, limit_s);
    visitor->explain->timed += r->s->fits[v];
    if (hits == 0) return;
    r->batch.interleaving = v;
    r->batch.step_s = job->step_s;
    if (visitor->needs) {
        r->batch.hbm_bytes = r->s->hbm + (size_t)v * LANES;
        r->batch.lower_bytes = r->s->lower + (size_t)v * LANES;
    }
    visitor->batch(visitor, &r->batch, hits);
}

/* All data networks and overlaps of one interleaving; nets are tensor and pipeline network. */
static void time_data(struct run *r, struct time_job *job, int v, uint64_t tensor,
                      uint64_t pipeline)
{
    const struct values *networks = &r->options->inner[INNER_DATA_NETWORK];
    const struct values *overlaps = &r->options->inner[INNER_DATA_OVERLAP];
    double **a = r->s->array;
    for (int k = 0; k < networks->count; k++) {
        const uint64_t data = networks->value[k];
        if (!networks_allowed(r->problem, r->group, tensor, pipeline, data, NULL, NULL)) continue;
        job->reduce_s = r->s->network[data][N_REDUCE];
        job->usage = r->problem->system->network[data].processor_usage;
        job->meets_messages = data == pipeline;
        job->link_s[0] = data == tensor ? r->s->network[tensor][N_LINK_BASE] : a[A_ZERO];
        job->link_s[1] = data == tensor ? r->s->network[tensor][N_LINK_EDGE] : a[A_ZERO];
        r->batch.at[INNER_DATA_NETWORK] = k;
        for (int o = 0; o < overlaps->count; o++) {
            r->batch.at[INNER_DATA_OVERLAP] = o;
            time_batch(r, job, v, overlaps->value[o] != 0);
        }
    }
}

static uint64_t allowed_data(const struct run *r, uint64_t tensor, uint64_t pipeline)
{
    const struct values *networks = &r->options->inner[INNER_DATA_NETWORK];
    uint64_t allowed = 0;
    for (int k = 0; k < networks->count; k++)
        allowed += networks_allowed(r->problem, r->group, tensor, pipeline, networks->value[k],
                                    NULL, NULL);
    return allowed;
}

static void time_networks(struct run *r, uint64_t tensor, uint64_t pipeline)
{
    double **a = r->s->array;
    const struct group *g = r->group;
    const uint64_t each =
        allowed_data(r, tensor, pipeline) * (uint64_t)r->options->inner[INNER_DATA_OVERLAP].count;
    if (each == 0) return;
    double **n = r->s->network[tensor], *message = r->s->network[pipeline][N_MESSAGE];
    const struct block_job block = {
        .lanes = r->padded,
        .forward_s = {n[N_FORWARD_BASE], n[N_FORWARD_EDGE]},
        .backward_s = {n[N_BACKWARD_BASE], n[N_BACKWARD_EDGE]},
        .forward_access_s = a[A_FORWARD_ACCESS],
        .backward_access_s = a[A_BACKWARD_ACCESS],
        .forward_transfer_s = a[A_FORWARD_TRANSFER],
        .backward_transfer_s = a[A_BACKWARD_TRANSFER],
        .message_s = message,
        .alone = g->pipeline == 1,
        .base_s = a[A_BASE],
        .edge_s = a[A_EDGE],
        .base_backward_s = a[A_BASE_BACKWARD],
        .edge_backward_s = a[A_EDGE_BACKWARD],
    };
    r->kernels->block(&block);
    struct time_job job = {
        .lanes = r->padded,
        .base_s = a[A_BASE],
        .edge_s = a[A_EDGE],
        .base_backward_s = a[A_BASE_BACKWARD],
        .edge_backward_s = a[A_EDGE_BACKWARD],
        .microbatches = a[A_MICROBATCHES],
        .shortage = a[A_SHORTAGE],
        .last_round = a[A_LAST_ROUND],
        .optimizer_s = a[A_OPTIMIZER],
        .blocks = r->blocks,
        .pipeline = r->pipeline,
        .access_s = a[A_ACCESS],
        .optimizer_hides_s = a[A_OPTIMIZER_HIDES],
        .compute_s = a[A_COMPUTE],
        .message_s = message,
    };
    for (int v = 0; v < g->interleavings; v++) {
        if (r->s->fits[v] == 0) continue;
        job.interleaving = (double)g->interleaving[v];
        job.bases = r->blocks / job.interleaving - 1;
        job.penalty = r->s->penalty + (size_t)v * LANES;
        job.reduce_s = a[A_LEAST_REDUCE];
        if (r->visitor->prune && r->kernels->bound(&job) > slowest_s(r))
            r->visitor->explain->bounded += r->s->fits[v] * each;
        else
            time_data(r, &job, v, tensor, pipeline);
    }
}

static bool any_fits(const struct run *r)
{
    uint64_t fits = 0;
    for (int v = 0; v < r->group->interleavings; v++)
        fits += r->s->fits[v];
    return fits > 0;
}

/* One sharding and offload: memory first, then the times of what fits. */
static void run_offload(struct run *r)
{
    const struct values *inner = r->options->inner;
    if (r->blocks < OFFLOAD_MIN_BLOCKS && (r->tier[0] || r->tier[1] || r->tier[2])) {
        const uint64_t refused = (uint64_t)r->lanes * (uint64_t)r->group->interleavings *
                                 r->networks * (uint64_t)inner[INNER_DATA_OVERLAP].count;
        r->visitor->counts->too_few_blocks += refused;
        r->visitor->explain->refused_by_group += refused;
        return;
    }
    load_tiers(r);
    decide_memory(r);
    if (!any_fits(r)) return;
    load_transfers(r);
    for (int t = 0; t < inner[INNER_TENSOR_NETWORK].count; t++) {
        const uint64_t tensor = inner[INNER_TENSOR_NETWORK].value[t];
        r->batch.at[INNER_TENSOR_NETWORK] = t;
        for (int p = 0; p < inner[INNER_PIPELINE_NETWORK].count; p++) {
            r->batch.at[INNER_PIPELINE_NETWORK] = p;
            time_networks(r, tensor, inner[INNER_PIPELINE_NETWORK].value[p]);
        }
    }
}

static void run_sharding(struct run *r)
{
    const struct values *inner = r->options->inner;
    const struct kind any = {.recompute = r->full ? RK_RECOMPUTE_FULL : RK_RECOMPUTE_NONE};
    const int activations = inner_count(r->options, &any, INNER_ACTIVATION_OFFLOAD);
    r->batch.sharding = r->sharding;
    load_sharding(r);
    for (int w = 0; w < inner[INNER_WEIGHT_OFFLOAD].count; w++)
        for (int a = 0; a < activations; a++)
            for (int o = 0; o < inner[INNER_OPTIMIZER_OFFLOAD].count; o++) {
                r->tier[0] = (int)inner[INNER_WEIGHT_OFFLOAD].value[w];
                r->tier[1] = (int)inner_value(r->options, &any, INNER_ACTIVATION_OFFLOAD, a);
                r->tier[2] = (int)inner[INNER_OPTIMIZER_OFFLOAD].value[o];
                r->batch.at[INNER_WEIGHT_OFFLOAD] = w;
                r->batch.at[INNER_ACTIVATION_OFFLOAD] = a;
                r->batch.at[INNER_OPTIMIZER_OFFLOAD] = o;
                run_offload(r);
            }
}

static bool has_sharding(const struct options *o, bool sharding)
{
    for (int k = 0; k < o->kinds; k++)
        if (o->kind[k].sharding == sharding) return true;
    return false;
}

void unit_run(const struct rk_space *space, const struct unit *unit, struct scratch *scratch,
              struct visitor *visitor)
{
    const struct group *g = unit->group;
    struct run r = {
        .space = space,
        .problem = &space->problem,
        .unit = unit,
        .group = g,
        .options = g->options,
        .s = scratch,
        .visitor = visitor,
        .kernels = kernels(),
        .lanes = unit->rows * unit->microbatches,
        .blocks = (double)(space->problem.model->layers / g->pipeline),
        .pipeline = (double)g->pipeline,
        .full = unit->first_row < unit->folio->rows->full,
        .networks = group_allowed_networks(&space->problem, g),
        .batch = {.unit = unit},
    };
    if (r.networks == 0) return;
    r.padded = (r.lanes + LANE_ROUND - 1) / LANE_ROUND * LANE_ROUND;
    r.batch.lanes = r.lanes;
    load_lanes(&r);
    load_networks(&r);
    for (int sharding = 0; sharding < 2; sharding++) {
        r.sharding = sharding;
        if (has_sharding(r.options, r.sharding)) run_sharding(&r);
    }
}

/* ---- bounds and indices ---- */

/* Per sample: all blocks of all microbatches, without bubble, messages, waits or data parallelism;
 * the slack covers that these sums round differently from the step's. */
double unit_bound_s(const struct rk_space *space, const struct unit *unit)
{
    const struct group *g = unit->group;
    const double blocks = (double)(space->problem.model->layers / g->pipeline);
    double least_s = INFINITY;
    for (int b = 0; b < unit->microbatches; b++) {
        const double m = (double)(g->batch / g->data / g->microbatch[unit->first_microbatch + b]);
        for (int n = 0; n < unit->folio->networks; n++) {
            if (!folio_uses_network(space->problem.system, g->tensor, (uint64_t)n)) continue;
            for (int row = 0; row < unit->rows; row++) {
                const struct layer_cost *l =
                    &folio_layer(unit->folio, unit->folio_microbatch + b, unit->first_row + row, n)
                         ->cost;
                const double base_s = l->forward_s[0] + l->backward_s[0];
                const double edge_s = l->forward_s[1] + l->backward_s[1];
                const double all_s = m * blocks * (base_s < edge_s ? base_s : edge_s);
                least_s = all_s < least_s ? all_s : least_s;
            }
        }
    }
    return least_s * (1 - 1e-9) / (double)g->batch;
}

uint64_t batch_index(const struct batch *batch, int lane)
{
    const struct unit *unit = batch->unit;
    const struct row *row = &unit->folio->rows->row[lane_row(unit, lane)];
    const struct options *o = unit->group->options;
    const struct kind *kind = o->kind;
    while (kind->recompute != row->recompute || kind->comm != row->comm ||
           kind->redo != row->redo || kind->sharding != batch->sharding)
        kind++;
    int at[INNERS];
    memcpy(at, batch->at, sizeof at);
    at[INNER_TENSOR_OVERLAP] = row->at_overlap;
    at[INNER_FUSED_ACTIVATION] = row->at_fused;
    at[INNER_MICROBATCH] = unit->first_microbatch + lane_microbatch(unit, lane);
    return space_index(unit->group, batch->interleaving, kind, at);
}
