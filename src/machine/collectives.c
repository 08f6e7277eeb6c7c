/* collectives.c - collectives over any number of network tiers, by the fastest algorithm.
 *
 * With l[i] ranks of the group in one domain of tier i (l[-1] = 1) and all of them driving their
 * own links, the ranks of one domain of tier i - 1 share l[i-1] links of tier i. docs/kernels.md.
 */
#include "machine/kernels.h"

#include "base/require.h"

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
    struct span_tier {
        double inside;     /* ranks of the group in one domain of the tiers below */
        double domains;    /* of those below that one domain of this tier joins, >= 2 */
        double rate_Bps;   /* achieved, of one rank's link */
        double reduce_Bps; /* of reductions in the network; 0: none */
        double base_s, hop_s, ramp_bytes;
        const struct rk_stream_rates *rates;    /* of a stream; sizes 0: rate_Bps with the ramp */
        const struct rk_stream_rates *exchange; /* (RK_EXCHANGES), measured one by one; or NULL */
        double latency_s;                       /* of a message, where they were */
        double usage;                           /* share of what computes that driving it takes */
        bool copied;                            /* by what computes */
        bool innermost;                         /* of the system's tiers: one node */
    } tier[RK_MAX_NETWORKS];
};

static double tier_rate(const struct rk_network *network, double joined)
{
    const double efficiency =
        network->link.efficiency > 0 ? network->link.efficiency : network->efficiency;
    const double others = (double)network->size - 1;
    const double wires = network->link.mesh && others > 0 ? fmin(1, (joined - 1) / others) : 1;
    return network->bandwidth_Bps * efficiency * wires;
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
        .reduce_Bps = network->bandwidth_Bps * network->link.in_network,
        .base_s = own ? network->link.base_s : network->latency_s,
        .hop_s = network->link.hop_s,
        .ramp_bytes = network->link.ramp_bytes,
        .rates = &network->link.rates,
        .exchange = network->link.exchange[0].sizes ? network->link.exchange : NULL,
        .latency_s = network->latency_s,
        .usage = network->processor_usage,
        .copied = network->link.copied,
        .innermost = index == 0,
    };
}

/* Bytes of a stream over so many links. */
static double stream_s(const struct span_tier *tier, double bytes, double links)
{
    if (tier->rates->sizes && bytes > 0)
        return bytes / (stream_rate_Bps(tier->rates, bytes) * links);
    return (bytes + sqrt(bytes * tier->ramp_bytes)) / (tier->rate_Bps * links);
}

/* Ranks of the group that one domain of `size` holds. */
static double held(struct rank_group group, double size)
{
    return fmax(1, fmin(group.ranks, floor(size / group.stride)));
}

/* Tiers beyond the last one are left as they are. */
static void make_span(struct span *span, const struct rk_system *system, struct rank_group group)
{
    double inside = 1;
    span->ranks = group.ranks;
    span->tiers = 0;
    RK_REQUIRE(system->networks <= RK_MAX_NETWORKS);
    for (int i = 0; i < system->networks; i++) {
        const bool last = i == system->networks - 1; /* however large it is said to be */
        const double joined = last ? group.ranks : held(group, (double)system->network[i].size);
        if (joined <= inside) continue;
        span->tier[span->tiers++] = make_tier(system, i, inside, joined);
        inside = joined;
    }
}

bool copied_between(const struct rk_system *system, struct rank_group group)
{
    struct span span;
    make_span(&span, system, group);
    for (int i = 0; i < span.tiers; i++)
        if (span.tier[i].copied) return true;
    return false;
}

double usage_between(const struct rk_system *system, struct rank_group group)
{
    struct span span;
    double most = 0;
    make_span(&span, system, group);
    for (int i = 0; i < span.tiers; i++)
        most = fmax(most, span.tier[i].usage);
    return most;
}

/* ---- algorithms ---- */

static double base_s(const struct span *span)
{
    double most = 0;
    for (int i = 0; i < span->tiers; i++)
        most = fmax(most, span->tier[i].base_s);
    return most;
}

/* Time of `bytes` that cross each tier in one stream per rank of the domains below. */
static double streamed_s(const struct span *span, double bytes)
{
    double slowest = 0;
    for (int i = 0; i < span->tiers; i++) {
        const struct span_tier *tier = &span->tier[i];
        slowest = fmax(slowest, stream_s(tier, bytes, tier->inside));
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

/* Recursive halving or doubling, bytes as in a ring [thakur2005]. */
static double halving_s(const struct span *span, double bytes)
{
    double hops_s = 0;
    for (int i = 0; i < span->tiers; i++)
        hops_s += ceil(log2(span->tier[i].domains)) * span->tier[i].hop_s;
    return hops_s + streamed_s(span, bytes * (span->ranks - 1) / span->ranks);
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
        total_s += tier->reduce_Bps > 0 && d > REDUCE_LEAST ? fmin(ring, reduced) : ring;
    }
    return total_s;
}

/* To each of the others at once, one message after the other on each link. */
static double all_to_all_s(const struct span *span, double bytes)
{
    double hops_s = 0, slowest = 0;
    for (int i = 0; i < span->tiers; i++) {
        const struct span_tier *tier = &span->tier[i];
        const double peers = tier->inside * (tier->domains - 1);
        const double moved = bytes * peers / span->ranks;
        hops_s += tier->hop_s * ceil(log2(peers + 1));
        slowest = fmax(slowest, stream_s(tier, moved, 1));
    }
    return hops_s + slowest;
}

/* Expected number of `groups` equal groups that `copies` random members are of, all from a share
 * `reach` of the groups, or from one. */
static double groups_met(double groups, double reach, double copies)
{
    const double reached = fmax(1, groups * reach);
    return reached * (1 - pow(1 - 1 / reached, copies));
}

/* Copies cross a tier once for each domain below it that they go to. */
double dispatch_time_s(const struct rk_system *system, struct rank_group group, double copies,
                       double reach, double bytes)
{
    if (group.ranks <= 1 || !(bytes > 0)) return 0;
    struct span span;
    make_span(&span, system, group);
    const double all = groups_met(span.ranks, reach, copies);
    double hops_s = 0, slowest = 0;
    for (int i = 0; i < span.tiers; i++) {
        const struct span_tier *tier = &span.tier[i];
        const double share = groups_met(span.ranks / tier->inside, reach, copies) / all;
        const double moved = bytes * share * (tier->domains - 1) / tier->domains;
        hops_s += tier->hop_s * ceil(log2(tier->inside * (tier->domains - 1) + 1));
        slowest = fmax(slowest, stream_s(tier, moved, 1));
    }
    return base_s(&span) + hops_s + slowest;
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

double collective_time_s(const struct rk_system *system, enum collective collective,
                         struct rank_group group, double bytes)
{
    static const enum collective plain[COLLECTIVES] = {ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER,
                                                       ALL_TO_ALL, SEND,           SEND,
                                                       ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER};
    if (group.ranks <= 1 || !(bytes > 0)) return 0;
    struct span span;
    make_span(&span, system, group);
    if (span.tiers == 1 && span.tier[0].exchange)
        return span.tier[0].base_s + exchange_s(&span.tier[0], collective, group.ranks, bytes);
    double time_s = 0;
    switch (plain[collective]) {
    case ALL_REDUCE:
        time_s =
            fmin(fmin(ring_s(&span, 2, bytes), tree_s(&span, bytes)), hierarchical_s(&span, bytes));
        break;
    case REDUCE_SCATTER:
    case ALL_GATHER:
        time_s = ring_s(&span, 1, bytes);
        if (span.tiers == 1 && !span.tier[0].innermost)
            time_s = fmin(time_s, halving_s(&span, bytes));
        break;
    case ALL_TO_ALL:
        time_s = all_to_all_s(&span, bytes);
        break;
    case SEND:
        time_s = send_s(&span, bytes);
        break;
    default:
        break;
    }
    return base_s(&span) + time_s;
}
