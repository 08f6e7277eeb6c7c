#include "calculon/run.h"

#include "calculon/step.h"
#include "machine/work.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static int most_interleavings(const struct strategies *space)
{
    int most = 1;
    for (int i = 0; i < space->groups; i++)
        if (space->group[i].interleavings > most) most = space->group[i].interleavings;
    return most;
}

struct scratch *scratch_open(const struct strategies *space)
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

/* ---- loading a unit ---- */

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

/* What depends on the microbatch alone: computed for the first row, repeated in the others. */
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

void run_load_lanes(struct run *r)
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
    load_networks(r);
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
                gradient_time_s(network, r->sharding, ranks, r->s->entry[i]->cost.weight_bytes);
            for (int b = 0; b < r->unit->microbatches; b++, i++) {
                reduce[i] = s;
                least[i] = k == 0 || s < least[i] ? s : least[i];
            }
        }
        fill_padding(r, reduce);
    }
    fill_padding(r, least);
}

void run_load_sharding(struct run *r)
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

void run_load_tiers(struct run *r)
{
    memset(r->s->on, 0, sizeof *r->s->on * (size_t)r->problem->system->memories);
    for (int i = 0; i < 3; i++)
        r->s->on[r->tier[i]][i] = 1;
}

void run_load_transfers(struct run *r)
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
