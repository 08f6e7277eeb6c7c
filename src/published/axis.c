#include "published/strategies.h"

#include <string.h>

static const char *const recompute_names[] = {"full", "attention", "none", NULL};
static const char *const comm_names[] = {"all_reduce", "p2p_rs_ag", "rs_ag", NULL};
static const char *const overlap_names[] = {"none", "ring", "pipe", NULL};

/* The C type of a member decides how it is read and written. */
enum storage { STORED_U64, STORED_BOOL, STORED_INT };

#define AT(member) offsetof(struct rk_strategy, member)

/* clang-format off */
static const struct axis_row {
    struct rk_axis_info info;
    enum storage storage;
} axes[RK_AXES] = {
    /*                             name                  type            choices          help                                                        member */
    [RK_AXIS_TENSOR]             = {{"tensor",             RK_AXIS_NUMBER, NULL,            "tensor parallel degree",                                   AT(tensor)},             STORED_U64},
    [RK_AXIS_PIPELINE]           = {{"pipeline",           RK_AXIS_NUMBER, NULL,            "pipeline parallel degree",                                 AT(pipeline)},           STORED_U64},
    [RK_AXIS_DATA]               = {{"data",               RK_AXIS_NUMBER, NULL,            "data parallel degree",                                     AT(data)},               STORED_U64},
    [RK_AXIS_INTERLEAVING]       = {{"interleaving",       RK_AXIS_NUMBER, NULL,            "chunks of blocks on a rank (virtual pipeline stages)",     AT(interleaving)},       STORED_U64},
    [RK_AXIS_RECOMPUTE]          = {{"recompute",          RK_AXIS_CHOICE, recompute_names, "activations computed again in backward",                   AT(recompute)},          STORED_INT},
    [RK_AXIS_OPTIMIZER_SHARDING] = {{"optimizer-sharding", RK_AXIS_BOOL,   NULL,            "shard optimizer state and gradients over data",            AT(optimizer_sharding)}, STORED_BOOL},
    [RK_AXIS_TENSOR_COMM]        = {{"tensor-comm",        RK_AXIS_CHOICE, comm_names,      "what tensor parallelism sends; rs_ag: sequence parallel",  AT(tensor_comm)},        STORED_INT},
    [RK_AXIS_REDO_ALL_GATHER]    = {{"redo-all-gather",    RK_AXIS_BOOL,   NULL,            "gather again in backward instead of keeping",              AT(redo_all_gather)},    STORED_BOOL},
    [RK_AXIS_DATA_OVERLAP]       = {{"data-overlap",       RK_AXIS_BOOL,   NULL,            "reduce gradients while backward runs",                     AT(data_overlap)},       STORED_BOOL},
    [RK_AXIS_TENSOR_OVERLAP]     = {{"tensor-overlap",     RK_AXIS_CHOICE, overlap_names,   "tensor-parallel communication beside the matrices",        AT(tensor_overlap)},     STORED_INT},
    [RK_AXIS_WEIGHT_OFFLOAD]     = {{"weight-offload",     RK_AXIS_TIER,   NULL,            "memory tier of the weights; 0: not offloaded",             AT(weight_offload)},     STORED_INT},
    [RK_AXIS_ACTIVATION_OFFLOAD] = {{"activation-offload", RK_AXIS_TIER,   NULL,            "memory tier of the activations; 0: not offloaded",         AT(activation_offload)}, STORED_INT},
    [RK_AXIS_OPTIMIZER_OFFLOAD]  = {{"optimizer-offload",  RK_AXIS_TIER,   NULL,            "memory tier of the optimizer state; 0: not offloaded",     AT(optimizer_offload)},  STORED_INT},
    [RK_AXIS_FUSED_ACTIVATION]   = {{"fused-activation",   RK_AXIS_BOOL,   NULL,            "GeLU fused into the matrix before it",                     AT(fused_activation)},   STORED_BOOL},
    [RK_AXIS_MICROBATCH]         = {{"microbatch",         RK_AXIS_NUMBER, NULL,            "samples of one forward pass on a rank",                    AT(microbatch)},         STORED_U64},
    [RK_AXIS_TENSOR_NETWORK]     = {{"tensor-network",     RK_AXIS_TIER,   NULL,            "network tier of tensor parallelism",                       AT(tensor_network)},     STORED_INT},
    [RK_AXIS_PIPELINE_NETWORK]   = {{"pipeline-network",   RK_AXIS_TIER,   NULL,            "network tier of pipeline parallelism",                     AT(pipeline_network)},   STORED_INT},
    [RK_AXIS_DATA_NETWORK]       = {{"data-network",       RK_AXIS_TIER,   NULL,            "network tier of data parallelism",                         AT(data_network)},       STORED_INT},
};
/* clang-format on */

const struct rk_axis_info *rk_axis(enum rk_axis axis)
{
    return (unsigned)axis < RK_AXES ? &axes[axis].info : NULL;
}

uint64_t rk_axis_get(const struct rk_strategy *strategy, enum rk_axis axis)
{
    const char *member = (const char *)strategy + axes[axis].info.offset;
    uint64_t number;
    int choice;
    bool flag;
    switch (axes[axis].storage) {
    case STORED_U64:
        memcpy(&number, member, sizeof number);
        return number;
    case STORED_BOOL:
        memcpy(&flag, member, sizeof flag);
        return flag;
    default:
        memcpy(&choice, member, sizeof choice);
        return (uint64_t)choice;
    }
}

void rk_axis_set(struct rk_strategy *strategy, enum rk_axis axis, uint64_t value)
{
    char *member = (char *)strategy + axes[axis].info.offset;
    const int choice = (int)value;
    const bool flag = value != 0;
    switch (axes[axis].storage) {
    case STORED_U64:
        memcpy(member, &value, sizeof value);
        break;
    case STORED_BOOL:
        memcpy(member, &flag, sizeof flag);
        break;
    default:
        memcpy(member, &choice, sizeof choice);
        break;
    }
}
