#include "calculon/plan.h"

#include "plan/members.h"

/* ---- values ---- */

/* What a precision is stored in; RK_DATATYPES: the Calculon model has none like it. */
static enum rk_datatype datatype_of(enum rk_precision precision)
{
    static const enum rk_datatype types[RK_PRECISIONS] = {
        [RK_FP32] = RK_FLOAT32,    [RK_TF32] = RK_DATATYPES,     [RK_FP16] = RK_FLOAT16,
        [RK_BF16] = RK_BFLOAT16,   [RK_FP8_DELAYED] = RK_FLOAT8, [RK_FP8_CURRENT] = RK_FLOAT8,
        [RK_FP8_ROW] = RK_FLOAT8,  [RK_FP8_BLOCK] = RK_FLOAT8,   [RK_MXFP8] = RK_DATATYPES,
        [RK_NVFP4] = RK_DATATYPES, [RK_INT8] = RK_DATATYPES,
    };
    return types[precision];
}

enum { CORE = 1 << RK_PART_CORE_ATTENTION };

/* RK_RECOMPUTES: the Calculon model has none like it. */
static enum rk_recompute recompute_of(const struct rk_plan *plan)
{
    if (plan->recompute == RK_WHOLE) return RK_RECOMPUTE_FULL;
    if (plan->recompute == RK_KEEP) return RK_RECOMPUTE_NONE;
    return plan->recompute_parts == CORE ? RK_RECOMPUTE_ATTENTION : RK_RECOMPUTES;
}

static enum rk_tensor_comm tensor_comm_of(const struct rk_plan *plan)
{
    if (plan->sequence_parallel) return RK_COMM_RS_AG;
    return plan->messages_sharded ? RK_COMM_P2P_RS_AG : RK_COMM_ALL_REDUCE;
}

/* The memory tier that all of a class is offloaded to, 0: none; -1: only a share of it is. */
static int tier_of(const struct rk_plan *plan, enum rk_share class)
{
    for (int i = 0; i < RK_SHARE_TIERS; i++)
        if (plan->share[class][i] != 0) return plan->share[class][i] == 1 ? i + 1 : -1;
    return 0;
}

/* ---- networks ---- */

/* Does a degree fit on a tier that `load` ranks are on already? */
static bool network_holds(const struct rk_network *network, double load, uint64_t degree)
{
    const double both = load * (double)degree;
    if (both > (double)network->size) return false;
    return !network->must_be_filled || network->size % (uint64_t)both == 0;
}

/* Innermost first: tensor, pipeline, data; each goes outwards until it fits. */
static void choose_networks(const struct rk_plan *plan, const struct rk_system *system,
                            struct rk_strategy *s)
{
    const uint64_t degree[] = {s->tensor, s->pipeline, s->data};
    const int given[] = {plan->tensor_network, plan->pipeline_network, plan->data_network};
    int *const network[] = {&s->tensor_network, &s->pipeline_network, &s->data_network};
    int tier = 0;
    double load = 1;
    for (int i = 0; i < 3; i++) {
        *network[i] = given[i] >= 0 ? given[i] : 0;
        if (degree[i] <= 1) continue;
        while (tier + 1 < system->networks &&
               !network_holds(&system->network[tier], load, degree[i])) {
            tier++;
            load = 1;
        }
        load *= (double)degree[i];
        if (given[i] < 0) *network[i] = tier;
    }
}

/* ---- there and back ---- */

static bool want(bool holds, enum rk_verdict verdict, const char *what, struct rk_reason *reason)
{
    if (!holds) *reason = (struct rk_reason){.verdict = verdict, .tier = -1, .what = what};
    return holds;
}

bool strategy_of_plan(const struct rk_plan *plan, const struct rk_system *system,
                      struct rk_strategy *s, struct rk_reason *reason)
{
    const char *beyond = plan_beyond(plan, RK_BY_CALCULON);
    *s = (struct rk_strategy){
        .ranks = plan->ranks,
        .tensor = plan->tensor,
        .pipeline = plan->pipeline,
        .data = rk_plan_data(plan),
        .interleaving = plan->chunks,
        .batch = plan->batch,
        .microbatch = plan->microbatch,
        .datatype = datatype_of(plan->precision),
        .training = plan->training,
        .recompute = recompute_of(plan),
        .optimizer_sharding = plan->zero > 0,
        .tensor_comm = tensor_comm_of(plan),
        .redo_all_gather = plan->regather,
        .data_overlap = plan->gradient_overlap,
        .tensor_overlap = plan->tensor_overlap,
        .weight_offload = tier_of(plan, RK_SHARE_WEIGHTS),
        .activation_offload = tier_of(plan, RK_SHARE_ATTENTION),
        .optimizer_offload = tier_of(plan, RK_SHARE_OPTIMIZER),
        .fused_activation = plan->fused,
    };
    const bool whole =
        s->weight_offload >= 0 && s->activation_offload >= 0 && s->optimizer_offload >= 0;
    if (!want(!beyond, RK_BAD_OPTION, beyond, reason) ||
        !want(s->datatype != RK_DATATYPES, RK_BAD_DATATYPE, rk_precision_name(plan->precision),
              reason) ||
        !want(plan->zero <= 1, RK_BAD_OPTION, "zero: calculon has 0 and 1", reason) ||
        !want(s->recompute != RK_RECOMPUTES, RK_BAD_OPTION,
              "recompute_parts: calculon has only core_attn", reason) ||
        !want(whole, RK_BAD_OPTION, "offload: calculon has all of it or none", reason))
        return false;
    choose_networks(plan, system, s);
    return true;
}

/* ---- and as a plan ---- */

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
