#include "base/stored.h"
#include "calculon/strategies.h"

#include <stddef.h>

/* clang-format off */
#define AT(member) offsetof(struct rk_strategy, member)
static const struct axis_row {
    size_t offset;
    enum stored storage;
} axes[RK_AXES] = {
    [RK_AXIS_TENSOR]             = {AT(tensor),              STORED_U64},
    [RK_AXIS_PIPELINE]           = {AT(pipeline),            STORED_U64},
    [RK_AXIS_DATA]               = {AT(data),                STORED_U64},
    [RK_AXIS_INTERLEAVING]       = {AT(interleaving),        STORED_U64},
    [RK_AXIS_RECOMPUTE]          = {AT(recompute),           STORED_INT},
    [RK_AXIS_OPTIMIZER_SHARDING] = {AT(optimizer_sharding),  STORED_BOOL},
    [RK_AXIS_TENSOR_COMM]        = {AT(tensor_comm),         STORED_INT},
    [RK_AXIS_REDO_ALL_GATHER]    = {AT(redo_all_gather),     STORED_BOOL},
    [RK_AXIS_DATA_OVERLAP]       = {AT(data_overlap),        STORED_BOOL},
    [RK_AXIS_TENSOR_OVERLAP]     = {AT(tensor_overlap),      STORED_INT},
    [RK_AXIS_WEIGHT_OFFLOAD]     = {AT(weight_offload),      STORED_INT},
    [RK_AXIS_ACTIVATION_OFFLOAD] = {AT(activation_offload),  STORED_INT},
    [RK_AXIS_OPTIMIZER_OFFLOAD]  = {AT(optimizer_offload),   STORED_INT},
    [RK_AXIS_FUSED_ACTIVATION]   = {AT(fused_activation),    STORED_BOOL},
    [RK_AXIS_MICROBATCH]         = {AT(microbatch),          STORED_U64},
    [RK_AXIS_TENSOR_NETWORK]     = {AT(tensor_network),      STORED_INT},
    [RK_AXIS_PIPELINE_NETWORK]   = {AT(pipeline_network),    STORED_INT},
    [RK_AXIS_DATA_NETWORK]       = {AT(data_network),        STORED_INT},
};
/* clang-format on */

uint64_t rk_axis_get(const struct rk_strategy *strategy, enum rk_axis axis)
{
    return stored_get((const char *)strategy + axes[axis].offset, axes[axis].storage);
}

void rk_axis_set(struct rk_strategy *strategy, enum rk_axis axis, uint64_t value)
{
    stored_set((char *)strategy + axes[axis].offset, axes[axis].storage, value);
}
