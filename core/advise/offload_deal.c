/* offload_deal.c - each tensor of each layer of the first stage to a tier, or recomputed. */
#include "base/limits.h"
#include "estimate/stages.h"

#include <reckon/offload_plans.h>

#include <math.h>
#include <stdlib.h>

/* What every layer of a stage swaps, and when: its always swapped part first, then its tensors. */
struct deal {
    struct rk_swap swap;
    struct rk_swap_tensor tensor[RK_OFFLOAD_TENSORS]; /* of one layer */
    int tensors, layers, tiers, items;
    struct rk_queue_item item[RK_QUEUE_ITEMS]; /* (layers, 1 + tensors) */
    struct rk_queue_tier tier[RK_QUEUE_TIERS];
    double bytes[RK_QUEUE_TIERS * RK_QUEUE_ITEMS]; /* (tiers, items) */
    double turn_s;
    /* state and weights, which the plan has there whatever becomes of activations */
    double there_bytes[RK_SHARE_TIERS], written_bytes[RK_SHARE_TIERS];
};

/* The rate that is left after the weights that are loaded for each pass of `pass_s`. */
static double left_Bps(const struct rk_offload_job *job, const struct rk_prediction *p, int tier,
                       double rate_Bps, double pass_s)
{
    const double share = job->plan.share[RK_SHARE_WEIGHTS][tier];
    const double weight_bytes = element_bytes_of(&job->plan).weight;
    return rate_Bps - (share > 0 ? share * p->stage[0].parameters * weight_bytes / pass_s : 0);
}

#define MUST_GO 1e9 /* seconds for each byte: more than any recomputation */

/* Of a stage with one microbatch in flight, layers are ready one after the other, and needed in the
 * reverse order; with more, passes follow each other and only the rates of a period count. */
static void time_items(struct deal *d, double in_flight)
{
    const double f = d->swap.forward_s, b = d->swap.backward_s, all = d->swap.layers;
    const int each = 1 + d->tensors;
    d->turn_s = in_flight > 1 ? all * (f + b) : all * f;
    for (int i = 0; i < d->items; i++) {
        const int layer = i / each, part = i % each;
        const struct rk_swap_tensor *t = &d->tensor[part ? part - 1 : 0];
        d->item[i] = (struct rk_queue_item){
            .ready_s = in_flight > 1 ? 0 : (layer + 1) * f,
            .needed_s = d->turn_s + (in_flight > 1 ? all * (f + b) : (all - 1 - layer) * b),
            .bytes = part ? t->bytes : d->swap.always_bytes,
            .worth = part == 0      ? MUST_GO
                     : t->bytes > 0 ? t->again_s / t->bytes
                                    : 0};
    }
}

/* The tensors of a mean layer, their sums those of rk_swap_of_plan. */
static bool open_deal(struct deal *d, const struct rk_offload_job *job, const struct rk_plan *plan,
                      const struct rk_prediction *p)
{
    double bytes = 0, again_s = 0;
    const double microbatches =
        (double)plan->batch / (double)(rk_plan_data(plan) * plan->microbatch);
    d->swap = rk_swap_of_plan(job->model, job->system, plan);
    d->tensors = rk_offload_tensors(job, d->tensor);
    d->layers = d->swap.layers - 2;
    d->items = d->layers * (1 + d->tensors);
    d->tiers = rk_offload_tiers(job->system);
    if (d->layers < 1 || d->items > RK_QUEUE_ITEMS) return false;
    for (int i = 0; i < d->tensors; i++) {
        bytes += d->tensor[i].bytes;
        again_s += d->tensor[i].again_s;
    }
    for (int i = 0; i < d->tensors; i++) {
        d->tensor[i].bytes *= bytes > 0 ? d->swap.token_bytes / bytes : 0;
        d->tensor[i].again_s *= again_s > 0 ? d->swap.again_s / again_s : 0;
    }
    for (int t = 0; t < d->tiers; t++) {
        const struct rk_memory part = rk_offload_memory(job, t), *memory = &part;
        const double lasts = job->lifetime_years > 0
                                 ? (rk_memory_endurance_bytes(memory) * p->step_s /
                                        (job->lifetime_years * RK_YEAR_S) -
                                    d->written_bytes[t]) /
                                       microbatches
                                 : INFINITY;
        const double room = (memory->capacity_bytes - d->there_bytes[t]) / p->stage[0].in_flight;
        const double n = d->swap.layers;
        const double out = left_Bps(job, p, t, rk_memory_write_Bps(memory), n * d->swap.forward_s);
        const double in = left_Bps(job, p, t, rk_memory_read_Bps(memory), n * d->swap.backward_s);
        const bool free = out > 0 && in > 0; /* weights leave something of the link */
        d->tier[t] = (struct rk_queue_tier){free ? out : 1, free ? in : 1,
                                            free ? fmax(0, fmin(room, lasts)) : 0};
    }
    time_items(d, p->stage[0].in_flight);
    return true;
}

static double dealt(const struct deal *d, int tier, int layer, int part)
{
    return tier < d->tiers ? d->bytes[tier * d->items + layer * (1 + d->tensors) + part] : 0;
}

/* Where a tensor, or what is always swapped, goes. False: it has no bytes. */
static bool place_of(const struct deal *d, int part, struct rk_offload_tensor *row)
{
    double swapped = 0, to[RK_QUEUE_TIERS] = {0};
    const struct rk_swap_tensor *tensor = &d->tensor[part ? part - 1 : 0];
    const double bytes = part ? tensor->bytes : d->swap.always_bytes;
    const double whole = bytes * d->layers;
    *row = (struct rk_offload_tensor){.bytes = bytes};
    for (int layer = 0; layer < d->layers; layer++) {
        double here = 0;
        for (int t = 0; t < d->tiers; t++) {
            to[t] += dealt(d, t, layer, part);
            here += dealt(d, t, layer, part);
        }
        swapped += here;
        row->all += here >= bytes * (1 - 1e-9);
        row->some += here > 1e-9 * bytes && here < bytes * (1 - 1e-9);
    }
    if (part) {
        row->name = tensor->name;
        row->again_s = tensor->again_s;
    }
    for (int t = 0; t < RK_SHARE_TIERS; t++)
        row->to[t] = to[t] / whole;
    row->again = fmax(0, 1 - swapped / whole);
    return whole > 0;
}

/* What is left to compute again of one microbatch; -1: not even what must go does. */
static double left_of(const struct deal *d)
{
    double left_s = 0;
    for (int i = 0; i < d->items; i++) {
        double gone = 0;
        for (int t = 0; t < d->tiers; t++)
            gone += d->bytes[t * d->items + i];
        const double stays = fmax(0, d->item[i].bytes - gone);
        if (d->item[i].worth == MUST_GO && stays > 1e-9 * d->item[i].bytes) return -1;
        if (d->item[i].worth != MUST_GO) left_s += stays * d->item[i].worth;
    }
    return left_s;
}

/* The prediction of the plan, its time without waits and with what is left to compute again, and
 * what is written where. */
static void settle_deal(const struct deal *d, struct rk_prediction *p, struct rk_plan *plan,
                        double kept_s, double left_s)
{
    const double microbatches =
        (double)plan->batch / (double)(rk_plan_data(plan) * plan->microbatch);
    const double step_s = kept_s + microbatches * left_s;
    double shares[RK_SHARE_TIERS] = {0};
    p->mfu *= p->step_s / step_s;
    p->step_s = step_s;
    p->recompute_s = microbatches * left_s;
    p->offload_s = p->offload_bytes = 0;
    for (int t = 0; t < d->tiers; t++) {
        double bytes = 0, tokens = 0;
        for (int i = 0; i < d->items; i++) {
            bytes += d->bytes[t * d->items + i];
            if (d->item[i].worth != MUST_GO) tokens += d->bytes[t * d->items + i];
        }
        shares[t] = d->swap.token_bytes > 0 ? tokens / (d->layers * d->swap.token_bytes) : 0;
        p->offload_bytes += bytes * p->stage[0].in_flight + d->there_bytes[t];
        for (int s = 0; s < p->stages; s++) {
            p->stage[s].away_bytes[t] = bytes * p->stage[s].in_flight + d->there_bytes[t];
            p->stage[s].written_bytes[t] = bytes * microbatches + d->written_bytes[t];
        }
    }
    rk_offload_set_shares(plan, shares);
}

/* Deals the plan that recomputes the rest; true: all that must go goes. */
static bool deal_out(struct deal *d, const struct rk_offload_job *job, struct rk_plan *plan,
                     struct rk_prediction *p, double kept_s)
{
    *plan = rk_offload_with_share(job, 0, 0, true);
    rk_predict(job->model, job->system, plan, p);
    if (!p->timed || !open_deal(d, job, plan, p)) return false;
    rk_queue_choose(d->item, d->items, d->tier, d->tiers, d->turn_s, d->bytes);
    const double left_s = left_of(d);
    if (left_s < 0) return false;
    settle_deal(d, p, plan, kept_s, left_s);
    if (p->verdict == RK_MEMORY_EXCEEDED && p->reason[0].tier > 0) p->verdict = RK_FITS;
    return true;
}

bool rk_offload_deal(const struct rk_offload_job *job, struct rk_plan *plan,
                     struct rk_prediction *p, struct rk_offload_dealt *out)
{
    struct deal *d = calloc(1, sizeof *d);
    *out = (struct rk_offload_dealt){.tensors = 0};
    *plan = rk_offload_with_share(job, 0, 0, false);
    plan->recompute = RK_KEEP;
    rk_predict(job->model, job->system, plan, p);
    for (int tier = 0; d && p->timed && tier < RK_SHARE_TIERS; tier++) {
        d->there_bytes[tier] = rk_offload_held(p, tier);
        d->written_bytes[tier] = rk_offload_written(p, tier);
    }
    bool can = d && deal_out(d, job, plan, p, p->step_s);
    if (can) out->tensor = calloc((size_t)d->tensors + 1, sizeof *out->tensor);
    can = can && out->tensor;
    if (can) {
        out->layers = d->layers;
        out->tiers = d->tiers;
        for (int part = 0; part <= d->tensors; part++)
            out->tensors += place_of(d, part, &out->tensor[out->tensors]);
    }
    free(d);
    return can;
}

void rk_offload_dealt_release(struct rk_offload_dealt *dealt)
{
    free(dealt->tensor);
    dealt->tensor = NULL;
}
