/* swap.c - what a plan's layers are to rk_swap_share_memo and its like (offload.h). */
#include "estimate/stages.h"
#include "machine/part.h"

#include <math.h>
#include <reckon/offload.h>

/* Optimizer and weights in memory tier 1, of one rank. */
static double state_away(const struct rk_stage *stage, const struct stage_sum *sum,
                         const struct rk_plan *plan)
{
    return stage->away_bytes[0] -
           swapped_bytes(sum, plan) * stage->in_flight * (first_tier_of(plan) == 0);
}

struct rk_swap rk_swap_of_plan(const struct rk_model *model, const struct rk_system *system,
                               const struct rk_plan *plan)
{
    struct stage_blocks blocks[RK_MAX_STAGES];
    struct stage_map map = {.blocks = blocks};
    struct layer_folds fold;
    struct stage_sum sum;
    struct rk_stage stage;
    struct rk_plan none = *plan;
    const struct sharing sharing = sharing_of(plan);
    for (int share = RK_SHARE_ATTENTION; share <= RK_SHARE_CHECKPOINTS; share++)
        for (int tier = 0; tier < RK_SHARE_TIERS; tier++)
            none.share[share][tier] = 0;
    fold_layers(&fold, model, system, &none);
    stage_map_of_first(&map, model, &none);
    stage_sum(&sum, &fold, model, &none, &blocks[0]);
    stage_memory(&stage, &sum, &fold, system, &sharing, &none, 0);
    const double n = sum.blocks > 0 ? sum.blocks : 1;
    double bytes = sum.saved_total_bytes;
    for (int end = 0; end < ENDS; end++)
        bytes -= sum.ends_total_bytes[end];
    const double swapped = swapped_layers(&sum, backward_returns(&none));
    const struct rk_memory host = memory_part(&system->memory[1], plan->ranks);
    const double room = host.capacity_bytes - state_away(&stage, &sum, &none);
    return (struct rk_swap){
        .layers = (int)(swapped + 2), /* of which two stay */
        .forward_s = sum.swap.forward_s / n,
        .backward_s = sum.swap.backward_s / n,
        .always_bytes = sum.swap.always_bytes / n,
        .token_bytes = (bytes - sum.swap.always_bytes) / n,
        .again_s = sum.swap.again_s / n,
        .bandwidth_Bps = fmin(rk_memory_write_Bps(&host), rk_memory_read_Bps(&host)),
        .host_bytes = room / stage.in_flight,
    };
}
