/* collectives.c - collectives over any number of network tiers, by the fastest algorithm.
 *
 * With l[i] ranks of the group in one domain of tier i (l[-1] = 1) and all of them driving their
 * own links, the ranks of one domain of tier i - 1 share l[i-1] links of tier i. docs/kernels.md.
 */
#include "base/extremes.h"
#include "machine/kernels.h"

#include "base/limits.h"

#include <math.h>
#include <stddef.h>

enum {
    REDUCE_LEAST = 4, /* ranks up to which rings are as good as reductions in the switches */
    REDUCE_HOPS = 8   /* steps that a reduction in the switches takes as long as */
};

/* The tiers that a group spans, innermost first; those within which it has one rank are left out.
 */
struct span {
    int tiers;
    double ranks;
    bool divided; /* a domain may be as well off in parts */
    struct span_tier {
        double inside;     /* ranks of the group in one domain of the tiers below */
        double domains;    /* of those below that one domain of this tier joins, >= 2 */
        double rate_Bps;   /* achieved, of one rank's link */
        double reduce_Bps; /* of reductions in the network; 0: none */
        double base_s, hop_s, ramp_bytes;
        const struct rk_stream_rates *rates;    /* of a stream; sizes 0: rate_Bps with the ramp */
        const struct rk_stream_rates *exchange; /* (RK_EXCHANGES), measured one by one; or NULL */
        double latency_s;                       /* of a message, where they were */
        bool copied;                            /* by what computes */
        bool innermost;                         /* of the system's tiers: one node */
        bool outermost;                         /* ... the last one */
    } tier[RK_MAX_NETWORKS];
};

static double efficiency_of(const struct rk_network *network)
{
    return network->link.efficiency > 0 ? network->link.efficiency : network->efficiency;
}

static bool wired(const struct rk_network *network)
{
    return network->link.mesh || (double)network->size <= network->link.mesh_to;
}

static double tier_rate(const struct rk_network *network, double joined)
{
    const double others = (double)network->size - 1;
    const double wires = wired(network) && others > 0 ? smaller(1, (joined - 1) / others) : 1;
    return network->bandwidth_Bps * efficiency_of(network) * wires;
}

static struct span_tier make_tier(const struct rk_system *system, int index, double inside,
                                  double joined)
{
    const struct rk_network *network = &system->network[index];
    const bool own = network->link.efficiency > 0;
    return (struct span_tier){
        .inside = inside,
        .domains = joined / inside,
        .rate_Bps = tier_rate(network, joined),
        .reduce_Bps = wired(network) ? 0 : network->bandwidth_Bps * network->link.in_network,
        .base_s = own ? network->link.base_s : network->latency_s,
        .hop_s = network->link.hop_s,
        .ramp_bytes = network->link.ramp_bytes,
        .rates = &network->link.rates,
        .exchange = network->link.exchange[0].sizes ? network->link.exchange : NULL,
        .latency_s = network->latency_s,
        .copied = network->link.copied,
        .innermost = index == 0,
        .outermost = index == system->networks - 1,
    };
}

/* Bytes of a stream over `links` links. */
static double stream_s(const struct span_tier *tier, double bytes, double links)
{
    if (tier->rates->sizes && bytes > 0)
        return bytes / (stream_rate_Bps(tier->rates, bytes) * links);
    return (bytes + sqrt(bytes * tier->ramp_bytes)) / (tier->rate_Bps * links);
}

/* Ranks of the group that one domain of `size` holds. */
static double held(struct rank_group group, double size)
{
    return larger(1, smaller(group.ranks, floor(size / group.stride)));
}

/* Is a domain not much better than what is outside? Its ring takes longer than a step there, its
 * links are not three times as fast, or the start of their pipeline takes more than what is saved
 * outside: sqrt(1/2) of it for 1 - sqrt(1/2), a ratio of sqrt(6). */
static bool gains_in_parts(const struct rk_system *system, int tier, const struct span_tier *made)
{
    if (tier + 1 >= system->networks) return false;
    const struct rk_network *outside = &system->network[tier + 1];
    const double faster = made->rate_Bps / (outside->bandwidth_Bps * efficiency_of(outside));
    return (made->domains - 1) * made->hop_s > outside->link.hop_s || faster < 3 ||
           6 * made->ramp_bytes > faster * faster * outside->link.ramp_bytes;
}

/* Domains of tier i in parts[i] equal parts, whose ranks are joined by the next tier alone; NULL:
 * whole. Tiers beyond the last one are left as they are. */
static void make_span(struct span *span, const struct rk_system *system, struct rank_group group,
                      const double *parts)
{
    double inside = 1;
    span->ranks = group.ranks; /* not all of it is cleared, which takes longer than the rest */
    span->tiers = 0;
    span->divided = false;
    RK_REQUIRE(system->networks <= RK_MAX_NETWORKS);
    for (int i = 0; i < system->networks; i++) {
        const bool last = i == system->networks - 1; /* however large it is said to be */
        const double size = (double)system->network[i].size / (parts ? parts[i] : 1);
        const double joined = last ? group.ranks : held(group, size);
        if (joined <= inside) continue;
        struct span_tier *tier = &span->tier[span->tiers++];
        *tier = make_tier(system, i, inside, joined);
        span->divided |= gains_in_parts(system, i, tier);
        inside = joined;
    }
}

bool copied_between(const struct rk_system *system, struct rank_group group)
{
    struct span span;
    make_span(&span, system, group, NULL);
    for (int i = 0; i < span.tiers; i++)
        if (span.tier[i].copied) return true;
    return false;
}

/* Engines' time for a byte, of a group that tier i joins. Who copies messages waits for the slowest
 * link, the outermost: NCCL starts as many blocks as the rate that flows needs [nccl2025channels].
 * What stays further inside takes no more than what goes out. */
static double engine_s_of_byte(const struct rk_system *system, struct rank_group group)
{
    double least_s = INFINITY;
    for (int i = system->networks - 1; i >= 0; i--) {
        const struct rk_network *network = &system->network[i];
        const bool last = i == system->networks - 1;
        if (!last && held(group, (double)network->size) < group.ranks) break;
        least_s = smaller(least_s, network->processor_usage /
                                       (network->bandwidth_Bps * efficiency_of(network)));
    }
    return least_s;
}

double engine_s(const struct rk_system *system, enum collective collective, struct rank_group group,
                double bytes)
{
    if (group.ranks <= 1 || !(bytes > 0)) return 0;
    const bool twice = collective == ALL_REDUCE || collective == SUM_WHOLE;
    const double passed = (twice ? 2 : 1) * bytes * (group.ranks - 1) / group.ranks;
    return passed * engine_s_of_byte(system, group);
}

/* ---- algorithms ---- */

static double base_s(const struct span *span)
{
    double most = 0;
    for (int i = 0; i < span->tiers; i++)
        most = larger(most, span->tier[i].base_s);
    return most;
}

/* Time of `bytes` that cross each tier in one stream per rank of the domains below. */
static double streamed_s(const struct span *span, double bytes)
{
    double slowest = 0;
    for (int i = 0; i < span->tiers; i++) {
        const struct span_tier *tier = &span->tier[i];
        slowest = larger(slowest, stream_s(tier, bytes, tier->inside));
    }
    return slowest;
}

/* n - 1 steps of 1/n of the vector [patarasuk2009]; of the steps, n / l[i-1] - ... cross tier i. */
static double ring_s(const struct span *span, double passes, double bytes)
{
    double hops_s = 0, crossing = span->ranks - 1;
    for (int i = 0; i < span->tiers; i++) {
        const double above = span->ranks / (span->tier[i].inside * span->tier[i].domains) - 1;
        hops_s += (crossing - above) * span->tier[i].hop_s;
        crossing = above;
    }
    return passes * hops_s + streamed_s(span, passes * bytes * (span->ranks - 1) / span->ranks);
}

/* Up a tree and down again, with chains inside a node, as NCCL has them; the whole vector crosses
 * each link in both directions. */
static double tree_s(const struct span *span, double bytes)
{
    double hops_s = 0;
    for (int i = 0; i < span->tiers; i++) {
        const struct span_tier *tier = &span->tier[i];
        hops_s += tier->hop_s * (tier->innermost ? tier->domains - 1 : ceil(log2(tier->domains)));
    }
    return 2 * hops_s + streamed_s(span, 2 * bytes);
}

/* Tier by tier, each rank with those of its place in the domains below [singh2026]: rings in a
 * node, recursive halving or doubling outside [thakur2005], bytes as in a ring. */
static double by_tiers_s(const struct span *span, double bytes)
{
    double total_s = 0;
    for (int i = 0; i < span->tiers; i++) {
        const struct span_tier *tier = &span->tier[i];
        const double d = tier->domains, moved = bytes / tier->inside * (d - 1) / d;
        const double steps = tier->innermost ? d - 1 : ceil(log2(d));
        total_s += steps * tier->hop_s + stream_s(tier, moved, 1);
    }
    return total_s;
}

/* Reduce-scatter tier by tier inwards out, the outermost all-reduced, all-gather back. Where
 * switches reduce, the whole vector goes up once and comes down once. */
static double hierarchical_s(const struct span *span, double bytes)
{
    double total_s = 0;
    for (int i = 0; i < span->tiers; i++) {
        const struct span_tier *tier = &span->tier[i];
        const double d = tier->domains, part = bytes / tier->inside;
        const double moved = 2 * part * (d - 1) / d;
        const double ring = 2 * (d - 1) * tier->hop_s + stream_s(tier, moved, 1);
        const double reduced =
            REDUCE_HOPS * tier->hop_s + (part + sqrt(part * tier->ramp_bytes)) / tier->reduce_Bps;
        total_s += tier->reduce_Bps > 0 && d > REDUCE_LEAST ? smaller(ring, reduced) : ring;
    }
    return total_s;
}

/* How long a link between nodes would have carried what the start of each message of an all-to-all
 * costs it: fitted to 35 all-to-alls of NCCL, 32 MiB to 2 GiB over 16 to 256 H100 on EFA
 * [chang2025], mean error 12.3 -> 3.9 %, worst 39 -> 10 %. */
#define MESSAGE_S 5.8e-6

/* To each of the others at once, one message after the other on each link; all tiers at once. */
static double all_to_all_s(const struct span *span, double bytes)
{
    double slowest_s = 0;
    for (int i = 0; i < span->tiers; i++) {
        const struct span_tier *tier = &span->tier[i];
        const double peers = tier->inside * (tier->domains - 1);
        const double moved = bytes * peers / span->ranks;
        const double hops_s = tier->hop_s * ceil(log2(peers + 1));
        struct span_tier each = *tier;
        if (!tier->innermost && isfinite(tier->rate_Bps))
            each.ramp_bytes = larger(tier->ramp_bytes, peers * MESSAGE_S * tier->rate_Bps);
        slowest_s = larger(slowest_s, hops_s + stream_s(&each, moved, 1));
    }
    return slowest_s;
}

/* What one collective moves. */
struct job {
    enum collective collective;
    double bytes;
    bool passed_on;       /* tokens, of which the ranks of a domain are sent one copy: */
    double copies, reach; /* dispatch_time_s */
};

/* Expected number of `groups` equal groups that `copies` random members are of, all from a share
 * `reach` of the groups, or from one. */
static double groups_met(double groups, double reach, double copies)
{
    const double reached = larger(1, groups * reach);
    return reached * (1 - pow(1 - 1 / reached, copies));
}

/* Copies cross a tier once for each domain below it that they go to, to the rank of the same place
 * there, which passes them on [deepseek2024v3]. */
static double passed_on_s(const struct span *span, const struct job *job, bool *inside)
{
    const double all = groups_met(span->ranks, job->reach, job->copies);
    double hops_s = 0, slowest_s = 0;
    for (int i = 0; i < span->tiers; i++) {
        const struct span_tier *tier = &span->tier[i];
        const double domains = span->ranks / tier->inside;
        const double met = tier->inside > 1 ? groups_met(domains, job->reach, job->copies) : all;
        const double moved = job->bytes * met / all * (tier->domains - 1) / tier->domains;
        const double moved_s = stream_s(tier, moved, 1);
        hops_s += tier->hop_s * ceil(log2(tier->domains));
        if (moved_s <= slowest_s) continue;
        slowest_s = moved_s;
        *inside = !tier->outermost;
    }
    return hops_s + slowest_s;
}

static double send_s(const struct span *span, double bytes)
{
    const struct span_tier *tier =
        &span->tier[span->tiers - 1]; /* the slowest of the group sets the pace */
    return tier->hop_s + stream_s(tier, bytes, 1);
}

_Static_assert((int)COLLECTIVES == (int)RK_EXCHANGES && (int)SEND == (int)RK_EXCHANGE_send &&
                   (int)GATHER_HERE == (int)RK_EXCHANGE_gather_here,
               "collectives are in the order of the exchanges of system.def");

/* The executor's own (run/comm.h): each rank posts its messages to all others, and takes theirs one
 * by one. With two ranks it is what was measured. */
static double exchange_s(const struct span_tier *tier, enum collective collective, double ranks,
                         double bytes)
{
    const bool one = collective == SEND || collective == PASS;
    const double others = one ? 1 : ranks - 1, part = one ? bytes : bytes / ranks;
    const double rounds = collective == ALL_REDUCE || collective == SUM_WHOLE ? 2 : 1;
    return rounds * tier->latency_s +
           others * part / stream_rate_Bps(&tier->exchange[collective], part);
}

/* `inside`: an inner tier, which smaller domains have less on, sets the pace. */
static double job_s(const struct span *span, const struct job *job, bool *inside)
{
    static const enum collective plain[COLLECTIVES] = {ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER,
                                                       ALL_TO_ALL, SEND,           SEND,
                                                       ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER};
    const double bytes = job->bytes;
    *inside = false;
    if (job->passed_on) return passed_on_s(span, job, inside);
    switch (plain[job->collective]) {
    case ALL_REDUCE:
        return smaller(smaller(ring_s(span, 2, bytes), tree_s(span, bytes)),
                       hierarchical_s(span, bytes));
    case REDUCE_SCATTER:
    case ALL_GATHER:
        return smaller(ring_s(span, 1, bytes), by_tiers_s(span, bytes));
    case ALL_TO_ALL:
        return all_to_all_s(span, bytes);
    case SEND:
        return send_s(span, bytes);
    default:
        return 0;
    }
}

/* The next way to halve domains that still join ranks of the group; false: that was all. */
static bool next_parts(double parts[RK_MAX_NETWORKS], const struct rk_system *system,
                       struct rank_group group)
{
    for (int i = 0; i + 1 < system->networks; i++) {
        if (held(group, (double)system->network[i].size / parts[i]) > 1) {
            parts[i] *= 2;
            return true;
        }
        parts[i] = 1;
    }
    return false;
}

/* No algorithm is faster than what each rank sends out of its domain of the tiers below. */
static double least_s(const struct span *span, const struct job *job)
{
    const struct span_tier *outer = &span->tier[span->tiers - 1];
    const double d = outer->domains, rate_Bps = larger(outer->rate_Bps, outer->reduce_Bps);
    return outer->rates->sizes ? 0 : job->bytes * (d - 1) / (d * outer->inside * rate_Bps);
}

/* A group may use a domain as several smaller ones (NCCL_MNNVL_CLIQUE_ID, NCCL_P2P_DISABLE). */
static double fastest_s(const struct rk_system *system, struct rank_group group,
                        const struct span *whole, const struct job *job)
{
    bool inside;
    double parts[RK_MAX_NETWORKS], time_s = base_s(whole) + job_s(whole, job, &inside);
    if (!whole->divided && !inside) return time_s;
    for (int i = 0; i < system->networks; i++)
        parts[i] = 1;
    while (next_parts(parts, system, group)) {
        struct span span;
        make_span(&span, system, group, parts);
        if (least_s(&span, job) < time_s)
            time_s = smaller(time_s, base_s(&span) + job_s(&span, job, &inside));
        else if (system->networks == 2)
            break; /* smaller ones send more */
    }
    return time_s;
}

double collective_time_s(const struct rk_system *system, enum collective collective,
                         struct rank_group group, double bytes)
{
    if (group.ranks <= 1 || !(bytes > 0)) return 0;
    struct span span;
    make_span(&span, system, group, NULL);
    if (span.tiers == 1 && span.tier[0].exchange)
        return span.tier[0].base_s + exchange_s(&span.tier[0], collective, group.ranks, bytes);
    const struct job job = {.collective = collective, .bytes = bytes};
    return fastest_s(system, group, &span, &job);
}

double dispatch_time_s(const struct rk_system *system, struct rank_group group, double copies,
                       double reach, double bytes)
{
    if (group.ranks <= 1 || !(bytes > 0)) return 0;
    struct span span;
    make_span(&span, system, group, NULL);
    const struct job job = {.bytes = bytes, .passed_on = true, .copies = copies, .reach = reach};
    return fastest_s(system, group, &span, &job);
}
