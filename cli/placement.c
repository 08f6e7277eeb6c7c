#include "cli/placement.h"

#include "catalog/hosts.h"
#include "plan/ranks.h"

#include <inttypes.h>

uint64_t placement_used(const struct rk_system *system, const struct rk_plan *plan)
{
    if (system->machine || !system->networks || plan->expert < 2 || !rk_plan_data(plan)) return 0;
    const struct rank_map map = rank_map_of(plan);
    const uint64_t domain = system->network[0].size;
    const uint64_t used = ranks_placed(&map, RANKS_OF_EXPERT, domain);
    return used < domain && plan->ranks > domain ? used : 0;
}

static void say_domains(struct report *report, const struct rk_system *system,
                        const struct rk_plan *plan)
{
    const uint64_t used = placement_used(system, plan);
    if (!used) return;
    report_paragraph(
        report, report_text(report,
                            "placed: %" PRIu64 " of the %" PRIu64 " GPUs of each domain, %" PRIu64
                            " domains, so that no group of experts is split",
                            used, system->network[0].size, (plan->ranks + used - 1) / used));
}

static void say_nodes(struct report *report, const struct rk_system *system, uint64_t ranks)
{
    const uint64_t node = host_node_size(system), rest = node ? ranks % node : 0;
    if (!rest || ranks < node) return;
    report_paragraph(report,
                     report_text(report,
                                 "%" PRIu64 " GPUs are not whole nodes of %" PRIu64
                                 ": a launcher starts the same number on each node, give %" PRIu64
                                 " or %" PRIu64,
                                 ranks, node, ranks - rest, ranks - rest + node));
}

void placement_say(struct report *report, const struct rk_system *system,
                   const struct rk_plan *plan)
{
    if (!system) return;
    say_domains(report, system, plan);
    say_nodes(report, system, plan->ranks);
}
