#include "interop/node.h"

#define NODE_ROW(id, name, help) name,
const char *const node_distance_names[] = {NODE_DISTANCES(NODE_ROW) NULL};
#undef NODE_ROW

/* Blocks of equal size, all of each joined with all of it and with no other. */
int node_domain(const struct node_topology *node)
{
    int size = 0;
    if (!node->joins_said) return node->accelerators;
    for (int i = 0; i < node->accelerators; i++) {
        int mine = 0;
        for (int k = 0; k < node->accelerators; k++) {
            const bool with = k == i || node->joined[i][k];
            mine += with;
            for (int l = 0; with && l < node->accelerators; l++)
                if ((l == k || node->joined[k][l]) != (l == i || node->joined[i][l])) return 0;
        }
        if (size && mine != size) return 0;
        size = mine;
    }
    return size;
}

bool node_uses(const struct node_topology *node, int accelerator, int adapter)
{
    enum node_distance least = NODE_SYS;
    for (int k = 0; k < node->adapters; k++)
        if (node->distance[accelerator][k] < least) least = node->distance[accelerator][k];
    return node->distance[accelerator][adapter] == least;
}

double node_network_Bps(const struct node_topology *node, double each_Bps)
{
    double all_Bps = 0;
    for (int k = 0; k < node->adapters; k++) {
        bool used = false;
        for (int i = 0; i < node->accelerators; i++)
            used |= node_uses(node, i, k);
        if (!used) continue;
        const double rate_Bps = each_Bps > 0 ? each_Bps : node->adapter[k].rate_Bps;
        if (!(rate_Bps > 0)) return 0;
        all_Bps += rate_Bps;
    }
    return node->accelerators ? all_Bps / node->accelerators : 0;
}
