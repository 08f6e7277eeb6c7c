#include "clusters/price.h"

#include <math.h>

double clusters_link_price(const struct rk_machine *machine, const struct clusters_plan *plan)
{
    double price = 0, messages;
    for (int i = 0; i < plan->stages; i++) {
        const int to = plan->stage[clusters_behind(plan, i, &messages)].cluster;
        price +=
            2 * clusters_sent_bytes(plan, i) * machine->link[plan->stage[i].cluster][to].price_USD;
    }
    return price;
}

double clusters_price(const struct rk_machine *machine, const struct clusters_plan *plan)
{
    double price = clusters_link_price(machine, plan);
    for (int i = 0; i < plan->stages; i++)
        price += plan->stage[i].price_USDph / 3600 * plan->simulated_s;
    return price > 0 ? price : NAN;
}
