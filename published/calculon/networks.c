#include "calculon/networks.h"

#include "calculon/check.h"

bool networks_allowed(const struct rk_problem *p, const struct group *g, uint64_t tensor,
                      uint64_t pipeline, uint64_t data, enum rk_verdict *verdict, int *tier)
{
    const struct rk_strategy s = {
        .tensor = g->tensor,
        .pipeline = g->pipeline,
        .data = g->data,
        .tensor_network = (int)tensor,
        .pipeline_network = (int)pipeline,
        .data_network = (int)data,
    };
    for (int i = 0; i < p->system->networks; i++) {
        const enum rk_verdict found =
            check_network(&p->system->network[i], check_network_load(&s, i));
        if (found == RK_FITS) continue;
        if (verdict) *verdict = found;
        if (tier) *tier = i;
        return false;
    }
    return true;
}

void group_count_networks(const struct strategies *space, const struct group *g,
                          struct rk_search_counts *counts, struct rk_search_explain *explain)
{
    const struct values *inner = g->options->inner;
    const struct values *t = &inner[INNER_TENSOR_NETWORK], *p = &inner[INNER_PIPELINE_NETWORK];
    const struct values *d = &inner[INNER_DATA_NETWORK];
    const uint64_t all = g->per_cell * (uint64_t)g->interleavings;
    const uint64_t each = all / (uint64_t)(t->count * p->count * d->count);
    for (int i = 0; i < t->count; i++)
        for (int j = 0; j < p->count; j++)
            for (int k = 0; k < d->count; k++) {
                enum rk_verdict verdict;
                int tier;
                if (networks_allowed(&space->problem, g, t->value[i], p->value[j], d->value[k],
                                     &verdict, &tier))
                    continue;
                counts->verdict[verdict][tier] += each;
                explain->refused += each;
            }
}

uint64_t group_allowed_networks(const struct rk_problem *p, const struct group *g)
{
    const struct values *inner = g->options->inner;
    uint64_t allowed = 0;
    for (int i = 0; i < inner[INNER_TENSOR_NETWORK].count; i++)
        for (int j = 0; j < inner[INNER_PIPELINE_NETWORK].count; j++)
            for (int k = 0; k < inner[INNER_DATA_NETWORK].count; k++)
                allowed += networks_allowed(p, g, inner[INNER_TENSOR_NETWORK].value[i],
                                            inner[INNER_PIPELINE_NETWORK].value[j],
                                            inner[INNER_DATA_NETWORK].value[k], NULL, NULL);
    return allowed;
}
