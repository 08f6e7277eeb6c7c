#include <reckon/campaign.h>

#include "estimate/stages.h"

#include <math.h>
#include <stddef.h>

enum { DAY_S = 86400, HOUR_S = 3600 };

/* ---- defaults ---- */

/* [dubey2024] Table 5: 54 days on 16,384 H100 in 2,048 nodes. GPUs: faulty, HBM3, SRAM, system
 * processor, thermal interface and sensors, silent corruption: 148 + 72 + 19 + 17 + 6 + 6; network:
 * switches and cables, NIC, watchdog of NCCL: 35 + 7 + 7; the other 102 are of hosts and software.
 */
struct rk_failure_rates rk_failure_rates_default(void)
{
    const double gpus = 16384, nodes = 2048, run_s = 54.0 * DAY_S;
    return (struct rk_failure_rates){.device_s = gpus * run_s / 268,
                                     .network_s = gpus * run_s / 49,
                                     .node_s = nodes * run_s / 102,
                                     .preempt_s = INFINITY};
}

/* Noticed, diagnosed and running again: [jiang2024] section 4.2, 10 minutes and less to detect and
 * 15 to catch up. Storage: [dubey2024] 3.3.1, 2 TB/s that last, of some 2,000 nodes. */
struct rk_recovery rk_recovery_default(void)
{
    return (struct rk_recovery){.node = 8,
                                .spares = 1,
                                .detect_s = 3 * 60,
                                .restart_s = 12 * 60,
                                .repair_s = 24.0 * HOUR_S,
                                .storage_Bps = 0,
                                .host_Bps = 25e9,
                                .async = false};
}

#define STORAGE_OF_NODE_BPS 1e9

static double state_bytes(const struct rk_plan *plan)
{
    if (plan->framework == RK_CALCULON)
        return 14; /* 16-bit weights, fp32 master copy and moments */
    const struct element_bytes e = element_bytes_of(plan);
    return e.weight + e.optimizer;
}

static double nodes_of(const struct rk_campaign *c)
{
    return ceil((double)c->ranks / (double)(c->recovery.node ? c->recovery.node : 1));
}

/* Failures a second after which a node is missing until it is repaired. */
static double breaking_rate(const struct rk_campaign *c)
{
    return (double)c->ranks / c->rates.device_s + nodes_of(c) / c->rates.preempt_s;
}

/* Nodes in repair are Poisson (M/G/infinity): the share of failures that find all spare ones away.
 */
static double none_left(double away, uint64_t spares)
{
    double term = exp(-away), below = 0;
    for (uint64_t k = 0; k < spares; k++) {
        below += term;
        term *= away / (double)(k + 1);
    }
    return fmax(0, 1 - below);
}

static uint64_t usual_spares(const struct rk_campaign *c)
{
    enum { MOST = 500 };
    const double away = breaking_rate(c) * c->recovery.repair_s;
    uint64_t spares = 0;
    while (spares < MOST && none_left(away, spares) > 0.02)
        spares++;
    return spares;
}

struct rk_campaign rk_campaign_of(const struct rk_model *model, const struct rk_system *system,
                                  const struct rk_plan *plan,
                                  const struct rk_prediction *prediction, double tokens)
{
    const uint64_t sequence = plan->sequence ? plan->sequence : model->sequence;
    struct rk_campaign c = {
        .tokens = tokens,
        .tokens_per_step = (double)plan->batch * (double)sequence,
        .step_s = prediction->step_s,
        .ranks = plan->ranks,
        .checkpoint_bytes = (double)rk_model_parameters(model) * state_bytes(plan),
        .rates = rk_failure_rates_default(),
        .recovery = rk_recovery_default(),
        .power_W = rk_campaign_power(system, prediction),
        .node_factor = 1.35,
        .cooling_factor = 1.1,
    };
    if (system->networks && system->network[0].size > 0) c.recovery.node = system->network[0].size;
    c.recovery.spares = usual_spares(&c);
    c.recovery.storage_Bps =
        STORAGE_OF_NODE_BPS * ceil((double)plan->ranks / (double)c.recovery.node);
    return c;
}

const char *rk_campaign_fault(const struct rk_campaign *c)
{
    const struct rk_failure_rates *r = &c->rates;
    const struct rk_recovery *v = &c->recovery;
    if (!(c->tokens > 0)) return "tokens must be more than 0";
    if (!(c->tokens_per_step > 0) || !(c->step_s > 0) || !isfinite(c->step_s))
        return "the plan has no step time";
    if (c->tokens < c->tokens_per_step) return "the tokens are fewer than those of one step";
    if (!(r->device_s > 0) || !(r->network_s > 0) || !(r->node_s > 0) || !(r->preempt_s > 0))
        return "a mean time between failures must be more than 0 (or \"never\")";
    if (!(v->storage_Bps > 0)) return "the storage needs a bandwidth";
    if (v->detect_s < 0 || v->restart_s < 0 || v->repair_s < 0 || v->interval_s < 0)
        return "times must not be negative";
    if (v->async && !(v->host_Bps > 0)) return "asynchronous checkpoints need a host bandwidth";
    if (c->price < 0 || c->carbon < 0) return "a price must not be negative";
    if (c->node_factor < 1 || c->cooling_factor < 1) return "factors of power are at least 1";
    return NULL;
}

/* ---- what failures take ---- */

/* Failures a second of all the run. */
static double rate_of(const struct rk_campaign *c)
{
    const double ranks = (double)c->ranks, nodes = nodes_of(c);
    return ranks / c->rates.device_s + ranks / c->rates.network_s + nodes / c->rates.node_s +
           nodes / c->rates.preempt_s;
}

/* Expected wait for a node, over all failures: a run with all spare nodes away waits for the first
 * to come back, repair / (spares + 1) on average. */
static double waiting_s(const struct rk_campaign *c)
{
    const double rate = rate_of(c), breaking = breaking_rate(c), repair_s = c->recovery.repair_s;
    if (rate <= 0 || breaking <= 0) return 0;
    return breaking / rate * none_left(breaking * repair_s, c->recovery.spares) * repair_s /
           (double)(c->recovery.spares + 1);
}

/* Time per second of work with pieces of t: Daly's exact one. */
static double slowdown(double mean_s, double restart_s, double checkpoint_s, double t)
{
    if (!isfinite(mean_s)) return (t + checkpoint_s) / t;
    return mean_s * exp(restart_s / mean_s) * expm1((t + checkpoint_s) / mean_s) / t;
}

/* The t at which that is least: its derivative is (t/M - 1) e^((t+C)/M) + 1 = 0, by bisection. */
static double best_interval(double mean_s, double checkpoint_s, double work_s)
{
    double low = 0, high = mean_s;
    if (!isfinite(mean_s)) return work_s;
    if (!(checkpoint_s > 0)) return 0;
    for (int i = 0; i < 200; i++) {
        const double t = (low + high) / 2;
        *(((t / mean_s - 1) * exp((t + checkpoint_s) / mean_s) + 1 < 0) ? &low : &high) = t;
    }
    return fmin(high, work_s);
}

static double daly_interval(double mean_s, double checkpoint_s)
{
    const double root = sqrt(checkpoint_s / (2 * mean_s));
    if (checkpoint_s >= 2 * mean_s) return mean_s;
    return sqrt(2 * checkpoint_s * mean_s) * (1 + root / 3 + checkpoint_s / (2 * mean_s) / 9) -
           checkpoint_s;
}

/* ---- all of it ---- */

static void set_checkpoints(const struct rk_campaign *c, struct rk_campaign_outcome *o)
{
    const struct rk_recovery *v = &c->recovery;
    const double per_rank = c->checkpoint_bytes / (double)c->ranks;
    const bool behind = v->async || v->in_memory;
    o->write_s = v->in_memory ? 2 * per_rank / v->host_Bps : c->checkpoint_bytes / v->storage_Bps;
    o->blocking_s = behind ? fmin(per_rank / v->host_Bps, o->write_s) : o->write_s;
}

static void set_energy(const struct rk_campaign *c, struct rk_campaign_outcome *o)
{
    o->energy_kWh = o->gpu_hours * c->power_W * c->node_factor * c->cooling_factor / 1000;
    o->carbon_t = o->energy_kWh * c->carbon / 1e6;
}

void rk_campaign_expect(const struct rk_campaign *c, struct rk_campaign_outcome *o)
{
    const struct rk_recovery *v = &c->recovery;
    const double rate = rate_of(c);
    *o = (struct rk_campaign_outcome){.steps = ceil(c->tokens / c->tokens_per_step)};
    o->work_s = o->steps * c->step_s;
    o->mtbf_s = rate > 0 ? 1 / rate : INFINITY;
    o->breaking = rate > 0 ? breaking_rate(c) / rate : 0;
    set_checkpoints(c, o);
    const double mean = o->mtbf_s, cost = o->blocking_s;
    const double down = v->detect_s + v->restart_s;
    o->young_s = isfinite(mean) ? sqrt(2 * cost * mean) : o->work_s;
    o->daly_s = isfinite(mean) ? daly_interval(mean, cost) : o->work_s;
    o->interval_s = v->interval_s > 0 ? v->interval_s : best_interval(mean, cost, o->work_s);
    /* not more often than one can be written, nor than steps end */
    o->interval_s = fmax(o->interval_s, fmax(c->step_s, v->async || v->in_memory ? o->write_s : 0));
    o->interval_s = fmin(o->interval_s, o->work_s);
    o->total_s = o->work_s * slowdown(mean, down, cost, o->interval_s);
    o->checkpoint_s = o->work_s / o->interval_s * cost;
    if (isfinite(mean)) {
        /* a checkpoint on its way is no checkpoint yet: what was done meanwhile is lost, too */
        const double working = exp(-down / mean); /* share of failures that strike work */
        o->total_s *= 1 + working * (o->write_s - cost) / mean;
        o->failures = o->total_s / mean;
        o->down_s = o->total_s * (1 - working);
        const double waiting = o->failures * waiting_s(c); /* when nothing runs, nothing fails */
        o->down_s += waiting;
        o->total_s += waiting;
    }
    o->lost_s = fmax(0, o->total_s - o->work_s - o->checkpoint_s - o->down_s);
    o->goodput = o->work_s / o->total_s;
    o->gpu_hours = o->total_s * (double)c->ranks / HOUR_S;
    const double spare = (double)(v->spares * v->node) * o->total_s / HOUR_S;
    o->cost = (o->gpu_hours + spare) * c->price;
    o->cost_per_trillion = o->cost / c->tokens * 1e12;
    set_energy(c, o);
}
