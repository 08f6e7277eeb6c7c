#include "machines/node.h"

#include <string.h>

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

int node_joined(const struct node_topology *node, int accelerator)
{
    int others = 0;
    for (int k = 0; k < node->accelerators; k++)
        others += node->joined[accelerator][k];
    return others;
}

int node_odd(const struct node_topology *node)
{
    int odd = 1;
    while (odd < node->accelerators - 1 && node_joined(node, odd) == node_joined(node, 0))
        odd++;
    return odd;
}

double node_links_Bps(const struct node_topology *node, const struct rk_network *network)
{
    const int generation = strncmp(network->name, "NVLink", 6) == 0 ? network->name[6] - '0' : 0;
    const double each_Bps = generation == 5 ? 50e9 : 25e9;
    double least_Bps = node->links_Bps;
    if (least_Bps > 0 || generation < 2 || generation > 5) return least_Bps;
    for (int i = 0; i < node->accelerators; i++) {
        int all = 0, least = 0;
        for (int k = 0; k < node->accelerators; k++) {
            const int links = node->links[i][k];
            all += links;
            if (links && (!least || links < least)) least = links;
        }
        const bool direct = all * each_Bps <= 1.005 * network->bandwidth_Bps;
        const double Bps = (direct ? all : least) * each_Bps;
        if (i == 0 || Bps < least_Bps) least_Bps = Bps;
    }
    return least_Bps;
}

enum node_distance node_near(const struct node_topology *node, int accelerator)
{
    enum node_distance least = NODE_SYS;
    for (int k = 0; k < node->adapters; k++)
        if (node->distance[accelerator][k] < least) least = node->distance[accelerator][k];
    return least;
}

bool node_uses(const struct node_topology *node, int accelerator, int adapter)
{
    return node->distance[accelerator][adapter] == node_near(node, accelerator);
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
