#include "cli/program_source.h"

#include "base/memory.h"
#include "clusters/ranks.h"

#include <stdlib.h>

void program_source_release(struct program_source *asked)
{
    plan_input_release(&asked->plan);
    if (asked->several) clusters_input_release(asked->several);
    free(asked->several);
    free(asked->stages);
}

enum rk_status program_lower(struct rk_program *program, const struct program_source *asked,
                             uint64_t rank, struct rk_error *error)
{
    const struct plan_input *input = &asked->plan;
    if (asked->stages)
        return rk_program_of_uneven(program, &asked->several->model, asked->stages, rank, error);
    return rk_program_of(program, &input->model, &input->system, &input->draft.plan, rank, error);
}

uint64_t program_ranks(const struct program_source *asked)
{
    return asked->stages ? clusters_ranks(&asked->several->answer->best)
                         : asked->plan.draft.plan.ranks;
}

/* Stages that are alike but for their clusters and layers: a program asks of its machine only
 * whether it could run at all, and what fits is judged stage by stage before. */
static void take_plain(struct program_source *asked)
{
    struct plan_input *input = &asked->plan;
    struct clusters_input *found = asked->several;
    input->model = found->model;
    input->system = found->machine.cluster[0].system;
    found->machine.cluster[0].system = (struct rk_system){.devices = 0};
    struct rk_network *last = &input->system.network[input->system.networks - 1];
    if (last->size < input->draft.plan.ranks) last->size = input->draft.plan.ranks;
    input->system.devices = 0;
    plan_assume(input, "stages over %d clusters, as reckon clusters has them",
                found->machine.clusters);
}

static enum rk_status open_clusters(const struct plan_source *source, struct program_source *asked,
                                    struct rk_error *error)
{
    struct clusters_input *found = asked->several = calloc(1, sizeof *found);
    if (!found) return no_memory(error);
    asked->plan.draft = plan_draft();
    const enum rk_status status = clusters_input_of(found, source, false, error);
    if (status != RK_OK) return status;
    if (clusters_plain_plan(found, &asked->plan.draft.plan)) return take_plain(asked), RK_OK;
    return clusters_stage_plans(found, &asked->stages, error);
}

enum rk_status program_source_open(struct program_source *asked, const struct plan_source *source,
                                   struct rk_error *error)
{
    if (source->system && rk_machine_is_several(source->system))
        return open_clusters(source, asked, error);
    const enum rk_status status = plan_gather(source, &asked->plan, error);
    return status == RK_OK ? plan_settle(source, &asked->plan, NULL, NULL, error) : status;
}
