#include "calculon/unit.h"

#include "calculon/run.h"

#include "calculon/check.h"
#include "calculon/networks.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
            r->visitor->counts->verdict[RK_MEMORY_EXCEEDED][tier] += refused[tier] * times;
            r->visitor->explain->refused_by_memory += refused[tier] * times;
            fits -= refused[tier];
        }
        r->s->fits[v] = fits;
        r->visitor->counts->verdict[RK_FITS][0] += fits * times;
    }
}

/* ---- indices ---- */

/* Index of the strategy in a lane. */
static uint64_t batch_index(const struct batch *of, int lane)
{
    const struct unit_batch *batch = (const struct unit_batch *)of;
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
    r->batch.batch.step_s = job->step_s;
    if (visitor->needs) {
        r->batch.batch.hbm_bytes = r->s->hbm + (size_t)v * LANES;
        r->batch.batch.lower_bytes = r->s->lower + (size_t)v * LANES;
    }
    visitor->batch(visitor, &r->batch.batch, hits);
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
        r->visitor->counts->verdict[RK_TOO_FEW_BLOCKS][0] += refused;
        r->visitor->explain->refused += refused;
        return;
    }
    run_load_tiers(r);
    decide_memory(r);
    if (!any_fits(r)) return;
    run_load_transfers(r);
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
    run_load_sharding(r);
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

void unit_run(const struct strategies *space, const struct unit *unit, struct scratch *scratch,
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
        .batch = {.batch = {.samples = (double)g->batch, .index = batch_index}, .unit = unit},
    };
    if (r.networks == 0) return;
    r.padded = (r.lanes + LANE_ROUND - 1) / LANE_ROUND * LANE_ROUND;
    r.batch.batch.lanes = r.lanes;
    run_load_lanes(&r);
    for (int sharding = 0; sharding < 2; sharding++) {
        r.sharding = sharding;
        if (has_sharding(r.options, r.sharding)) run_sharding(&r);
    }
}

/* ---- bounds ---- */

/* Per sample: all blocks of all microbatches, without bubble, messages, waits or data parallelism;
 * the slack covers that these sums round differently from the step's. */
double unit_bound_s(const struct strategies *space, const struct unit *unit)
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
