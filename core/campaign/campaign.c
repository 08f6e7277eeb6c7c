#include "campaign/facts.h"

#include "estimate/checkpoint.h"
#include "estimate/stages.h"

#include <math.h>
#include <stddef.h>

enum { HOUR_S = 3600 };

/* ---- of a plan ---- */

static double nodes_of(const struct rk_campaign *c)
{
    return ceil((double)c->ranks / (double)(c->recovery.node ? c->recovery.node : 1));
}

/* Failures a second after which a node is missing until it is repaired. */
static double breaking_rate(const struct rk_campaign *c)
{
    return (double)c->ranks / c->rates.device_s + nodes_of(c) / c->rates.preempt_s;
}

/* Erlang's loss formula: with `offered` nodes in repair on average if nothing waited, and at most
 * `most` at a time, the share of the time in which `most` are. Nothing fails while the run waits,
 * so that none is added then (M/G/n/n: whatever the law of repairs). */
static double all_away(double offered, uint64_t most)
{
    double share = 1;
    for (uint64_t n = 1; n <= most; n++)
        share = offered * share / ((double)n + offered * share);
    return share;
}

/* What the nodes cost for each second in which the run does not wait for one. */
static double cost_with(const struct rk_campaign *c, uint64_t spares)
{
    const double away = breaking_rate(c) * c->recovery.repair_s;
    return (nodes_of(c) + (double)spares) / (1 - all_away(away, spares + 1));
}

uint64_t rk_campaign_spares_long(const struct rk_campaign *c)
{
    enum { MOST = 500 };
    uint64_t spares = 0;
    while (spares < MOST && cost_with(c, spares + 1) < cost_with(c, spares))
        spares++;
    return spares;
}

static const double rare = 0.02; /* of runs that see a node fail: such a run is a short one */

double rk_campaign_long_step_s(const struct rk_campaign *c)
{
    return rare / breaking_rate(c) / ceil(c->tokens / c->tokens_per_step);
}

uint64_t rk_campaign_spares(const struct rk_campaign *c)
{
    return c->step_s > rk_campaign_long_step_s(c) ? rk_campaign_spares_long(c) : 0;
}

/* That fail together: a rack of NVLink or a pod of ICI has many hosts. */
static uint64_t host_accelerators(const struct rk_system *system)
{
    const uint64_t near = system->networks ? system->network[0].size : 0;
    const uint64_t host = system->kernels.host_accelerators;
    const uint64_t node = host && (!near || host < near) ? host : near;
    return node ? node : 1;
}

struct rk_campaign rk_campaign_of(const struct rk_campaign_facts *facts,
                                  const struct rk_model *model, const struct rk_system *system,
                                  const struct rk_plan *plan,
                                  const struct rk_prediction *prediction, double tokens)
{
    const struct recovery_facts *r = &facts->recovery;
    const uint64_t node = host_accelerators(system);
    struct rk_campaign c = {
        .tokens = tokens,
        .tokens_per_step = (double)plan->batch * rk_tokens_trained(model, plan),
        .step_s = prediction->step_s,
        .ranks = plan->ranks,
        .checkpoint_bytes = checkpoint_bytes_of(model, plan),
        .rates = logbook_rates(&facts->logbook[0]),
        .recovery = {.node = node,
                     .detect_s = r->detect_s,
                     .restart_s = r->restart_s,
                     .repair_s = r->repair_s,
                     .storage_Bps = r->storage_Bps * ceil((double)plan->ranks / (double)node),
                     .host_Bps = r->host_Bps},
        .power_W = rk_campaign_power(facts, system, prediction),
        .node_factor = facts->energy.node_factor,
        .cooling_factor = facts->energy.cooling_factor,
    };
    c.recovery.spares = rk_campaign_spares(&c);
    return c;
}

static double write_s_of(const struct rk_campaign *c)
{
    const struct rk_recovery *v = &c->recovery;
    return v->in_memory ? 2 * c->checkpoint_bytes / (double)c->ranks / v->host_Bps
                        : c->checkpoint_bytes / v->storage_Bps;
}

static bool writes_too_slowly(const struct rk_campaign *c)
{
    return c->recovery.interval_s > 0 && c->recovery.interval_s < write_s_of(c);
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
    if ((v->async || v->in_memory) && !(v->host_Bps > 0))
        return "checkpoints in the background and in memory need a host bandwidth";
    if (writes_too_slowly(c))
        return "a checkpoint takes longer than the interval: give a longer interval, or faster "
               "storage";
    if (c->switch_s < 0) return "a change of plan cannot take less than no time";
    if (c->reduced_ranks > c->ranks || (c->reduced_ranks && !(c->reduced_pace > 0)))
        return "the plan for fewer accelerators has more of them, or no pace";
    if (c->price < 0 || c->carbon < 0 || c->step_usd < 0) return "a price must not be negative";
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

/* Nodes that may be away while the run continues with fewer accelerators, beyond the spare ones. */
static uint64_t spared_by_fewer(const struct rk_campaign *c)
{
    return c->reduced_ranks ? (c->ranks - c->reduced_ranks) / c->recovery.node : 0;
}

/* Shares of the time: in which the run waits for a node, and which it loses to going on with fewer
 * accelerators: their pace, and a change back to all as often as the last spare node goes. */
struct repairs_cost {
    double waiting, fewer;
};

static struct repairs_cost lost_to_repairs(const struct rk_campaign *c, double blocking_s)
{
    const double breaking = breaking_rate(c), away = breaking * c->recovery.repair_s;
    const uint64_t spares = c->recovery.spares, most = spares + spared_by_fewer(c) + 1;
    if (!(away > 0)) return (struct repairs_cost){.waiting = 0};
    struct repairs_cost s = {.waiting = all_away(away, most)};
    double share = s.waiting; /* of `n` nodes away: each is n / offered times the one above */
    for (uint64_t n = most; share > 0 && n > spares + 1; n--) {
        share *= (double)n / away;
        s.fewer += share * (1 - c->reduced_pace);
    }
    if (most > spares + 1) /* entered from where just all spare ones are away */
        s.fewer +=
            breaking * share * (double)(spares + 1) / away * (c->recovery.restart_s + blocking_s);
    return s;
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
    o->write_s = write_s_of(c);
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
        /* A checkpoint on its way, for L = write - blocking, is none yet. Between two failures the
         * first piece counts when t + C + L have passed, each further one t + C later: e^(-(t + C +
         * L)/M) / (1 - e^(-(t + C)/M)) pieces on average, e^(-L/M) times those without the way. */
        const double working = exp(-down / mean); /* share of failures that strike work */
        o->total_s *= exp((o->write_s - cost) / mean);
        const double undisturbed_s = o->total_s;
        const struct repairs_cost lost = lost_to_repairs(c, cost);
        o->total_s /= fmax(0.001, 1 - lost.waiting - lost.fewer);
        o->failures = o->total_s * (1 - lost.waiting) / mean; /* when nothing runs, nothing fails */
        o->down_s = undisturbed_s * (1 - working) + o->total_s - undisturbed_s;
    }
    o->down_s += c->switch_s;
    o->total_s += c->switch_s;
    o->lost_s = fmax(0, o->total_s - o->work_s - o->checkpoint_s - o->down_s);
    o->goodput = o->work_s / o->total_s;
    o->gpu_hours = o->total_s * (double)c->ranks / HOUR_S;
    const double spare = (double)(v->spares * v->node) * o->total_s / HOUR_S;
    o->cost = (o->gpu_hours + spare) * c->price;
    if (c->price > 0) o->cost += c->step_usd * (o->work_s + o->lost_s) / c->step_s;
    o->cost_per_trillion = o->cost / c->tokens * 1e12;
    set_energy(c, o);
}
