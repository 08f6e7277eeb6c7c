/* adapt.c - how much is offloaded, by what the second step took [wu2025ssdtrain]. */
#include "run/real/engine.h"
#include "run/real/offload.h"

#include <math.h>
#include <reckon/offload.h>
#include <stdlib.h>

/* Bytes a second at which the plan's mix of tiers takes what is stored; infinity: nothing was. */
static double write_rate(const struct engine *e)
{
    double rate = INFINITY, all = 0;
    for (int t = 0; t < TIERS; t++)
        all += e->deal.dealt_bytes[t];
    for (int t = 0; t < TIERS; t++) {
        if (!e->tier[t]) continue;
        const struct tier_counts c = tier_count(e->tier[t]);
        const double share = e->deal.dealt_bytes[t] / all;
        if (share > 0 && c.write_s > 0)
            rate = fmin(rate, (double)c.written_bytes / c.write_s / share);
    }
    return rate;
}

/* Nodes in post-order: the first half of a layer, the second, the layer. */
static int list_nodes(const struct engine *e, struct rk_adaptive_node *node, double *forward_s)
{
    double bytes = 0;
    int nodes = 0;
    *forward_s = 0;
    for (int i = 0; i < e->layers; i++) {
        const struct unit_times *t = &e->layer[i].times;
        const double both_s = t->forward_s[0] + t->forward_s[1], both = t->bytes[0] + t->bytes[1];
        node[nodes++] = (struct rk_adaptive_node){bytes, t->bytes[0], *forward_s};
        node[nodes++] = (struct rk_adaptive_node){bytes + t->bytes[0], t->bytes[1],
                                                  *forward_s + t->forward_s[0]};
        node[nodes++] = (struct rk_adaptive_node){bytes, both, *forward_s};
        bytes += both;
        *forward_s += both_s;
    }
    return nodes;
}

void offload_adapt(struct engine *e)
{
    struct rk_adaptive_node *node = calloc(3 * (size_t)e->layers, sizeof *node);
    double forward_s;
    if (!node) give_up(e);
    const int nodes = list_nodes(e, node, &forward_s);
    const int kept = rk_adaptive_first_kept(node, nodes, forward_s, write_rate(e));
    free(node);
    for (int i = 0; i < e->layers; i++) { /* where a layer fails, its halves have passed */
        e->layer[i].keeps[0] = 3 * i >= kept;
        e->layer[i].keeps[1] = 3 * i + 1 >= kept;
    }
    pool_forget(&e->pool);
}
