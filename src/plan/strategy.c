#include "plan/strategy.h"

static enum rk_precision precision_of(enum rk_datatype datatype)
{
    static const enum rk_precision precisions[RK_DATATYPES] = {[RK_FLOAT8] = RK_FP8_CURRENT,
                                                               [RK_FLOAT16] = RK_FP16,
                                                               [RK_BFLOAT16] = RK_BF16,
                                                               [RK_FLOAT32] = RK_FP32};
    return precisions[datatype];
}

static void offload_to(struct rk_plan *plan, enum rk_share first, enum rk_share last, int tier)
{
    for (int i = (int)first; tier > 0 && tier <= RK_SHARE_TIERS && i <= (int)last; i++)
        plan->share[i][tier - 1] = 1;
}

void plan_of_strategy(const struct rk_strategy *s, struct rk_plan *plan)
{
    *plan = rk_plan_default();
    plan->framework = RK_CALCULON;
    plan->ranks = s->ranks;
    plan->tensor = s->tensor;
    plan->pipeline = s->pipeline;
    plan->chunks = s->interleaving;
    plan->batch = s->batch;
    plan->microbatch = s->microbatch;
    plan->precision = precision_of(s->datatype);
    plan->training = s->training;
    plan->recompute = s->recompute == RK_RECOMPUTE_FULL   ? RK_WHOLE
                      : s->recompute == RK_RECOMPUTE_NONE ? RK_KEEP
                                                          : RK_SELECTIVE;
    plan->recompute_parts =
        s->recompute == RK_RECOMPUTE_ATTENTION ? 1u << RK_PART_CORE_ATTENTION : 0;
    plan->zero = s->optimizer_sharding;
    plan->sequence_parallel = s->tensor_comm == RK_COMM_RS_AG;
    plan->messages_sharded = s->tensor_comm == RK_COMM_P2P_RS_AG;
    plan->regather = s->redo_all_gather;
    plan->gradient_overlap = s->data_overlap;
    plan->tensor_overlap = s->tensor_overlap;
    plan->fused = s->fused_activation;
    offload_to(plan, RK_SHARE_WEIGHTS, RK_SHARE_WEIGHTS, s->weight_offload);
    offload_to(plan, RK_SHARE_OPTIMIZER, RK_SHARE_OPTIMIZER, s->optimizer_offload);
    offload_to(plan, RK_SHARE_ATTENTION, RK_SHARE_CHECKPOINTS, s->activation_offload);
    plan->tensor_network = s->tensor_network;
    plan->pipeline_network = s->pipeline_network;
    plan->data_network = s->data_network;
}
