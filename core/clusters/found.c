#include "clusters/found.h"

#include "clusters/costs.h"
#include "clusters/told.h"
#include "optimize/chain.h"

#include <math.h>

/* A problem may have some of a cluster's ways alone. */
static const struct stage_way *way_of(const struct cluster_costs *costs,
                                      const struct chain_choice *choice)
{
    return &costs->way[choice - costs->choice];
}

/* `order` names the clusters of the problem. */
void clusters_found_plan(struct clusters_plan *plan, const struct clusters_costs *costs,
                         const struct chain_problem *problem, const int *order,
                         const struct chain_answer *answer)
{
    plan->value_s = answer->value_s;
    plan->simulated_s = INFINITY;
    plan->round = costs->round;
    plan->microbatches = costs->microbatches;
    plan->message_bytes = clusters_message_bytes(costs);
    plan->schedule = costs->question->words.schedule;
    plan->chunks = 1;
    plan->stages = answer->stages;
    for (int i = 0, first = 0; i < answer->stages; first += answer->stage[i++].layers) {
        const struct chain_stage *s = &answer->stage[i];
        const int cluster = order[s->cluster];
        const struct chain_choice *choice = &problem->cluster[s->cluster].choice[s->choice];
        const struct stage_way *way = way_of(&costs->cluster[cluster], choice);
        const struct chain_cost *cost = &choice->cost[chain_row(problem, first, s->layers)];
        const struct rk_cluster *c = &costs->question->machine->cluster[cluster];
        struct clusters_stage *stage = &plan->stage[i];
        *stage = (struct clusters_stage){
            .cluster = cluster,
            .layers = (uint64_t)s->layers,
            .gpus = way->gpus,
            .nodes = (uint64_t)choice->units,
            .tensor = way->plan.tensor,
            .context = way->plan.context,
            .expert = way->plan.expert,
            .expert_tensor = way->plan.expert_tensor,
            .data = rk_plan_data(&way->plan),
            .microbatch = way->plan.microbatch,
            .recompute = way->plan.recompute,
            .zero = way->plan.zero,
            .expert_overlap = way->plan.expert_overlap,
            .activations_away = way->plan.share[RK_SHARE_ATTENTION][0],
            .optimizer_away = rk_plan_offloaded(&way->plan, RK_SHARE_OPTIMIZER),
            .forward_s = cost->time_s - cost->backward_s,
            .backward_s = cost->backward_s,
            .sync_s = cost->sync_s + (i == 0 ? problem->closing_s : 0),
            .capacity_bytes = c->system.memory[0].capacity_bytes,
            .price_USDph = (double)way->gpus * c->price_USDph,
        };
        if (i + 1 == answer->stages) continue;
        const struct chain_stage *next = &answer->stage[i + 1];
        const int to = problem->cluster[next->cluster].choice[next->choice].width;
        stage->message_s = problem->boundary_s[choice->width * problem->widths + to];
    }
}

/* What is not needed to choose. */
void clusters_found_details(struct clusters_plan *plan, const struct clusters_costs *costs,
                            const struct chain_problem *problem, const int *order,
                            const struct chain_answer *answer)
{
    struct fold_shelf shelf = {.count = 0};
    for (int i = 0, first = 0; i < plan->stages; first += answer->stage[i++].layers) {
        const struct chain_stage *s = &answer->stage[i];
        const int cluster = order[s->cluster];
        const struct stage_run run = {first, s->layers, clusters_stage_place(i, plan->stages)};
        const struct stage_asked asked = {
            .cluster = cluster,
            .index = i,
            .stages = plan->stages,
            .chunks = 1,
            .run = &run,
            .microbatches = plan->microbatches,
            .plan =
                &way_of(&costs->cluster[cluster], &problem->cluster[s->cluster].choice[s->choice])
                     ->plan};
        struct stage_told told = {.data_link_s = 0};
        clusters_stage_cost(costs->question, &shelf, &asked, &told);
        plan->stage[i].memory = told.memory;
        plan->stage[i].bytes = told.memory.total_bytes;
        plan->stage[i].in_flight = told.memory.in_flight;
        plan->stage[i].work = told.work;
        plan->stage[i].data_link_s = told.data_link_s;
        plan->stage[i].gradient_bytes = told.gradient_bytes;
        plan->chunk[i] = (struct clusters_chunk){.layers = plan->stage[i].layers,
                                                 .forward_s = plan->stage[i].forward_s,
                                                 .backward_s = plan->stage[i].backward_s,
                                                 .weights_s = told.weights_s,
                                                 .again_s = told.again_s,
                                                 .message_s = plan->stage[i].message_s};
    }
    fold_shelf_release(&shelf);
}
