/* parts.h - which parts of a layer a run can compute again by themselves.
 *
 * A model has only some of the parts of enum rk_part, and a framework can name only some of those:
 * Megatron-LM computes activation functions again (moe_act) for experts in one grouped product, not
 * for dense MLPs, and neither them nor norms with the delayed recipe of fp8 (validate_args and
 * TransformerConfig of Megatron Core 0.12 and later).
 */
#ifndef RECKON_WORKLOAD_PARTS_H
#define RECKON_WORKLOAD_PARTS_H

#include <reckon/model.h>
#include <reckon/plan.h>

/* Bits of enum rk_part. */
enum {
    ATTENTION = 1 << RK_PART_CORE_ATTENTION,
    ACTIVATION = 1 << RK_PART_ACTIVATION,
    NORM = 1 << RK_PART_NORM,
    UP_PROJECTION = 1 << RK_PART_UP_PROJECTION,
    MLP = 1 << RK_PART_MLP,
    MIXTURE = 1 << RK_PART_EXPERTS,
    SHARED = 1 << RK_PART_SHARED_EXPERTS
};

/* Bits 1 << enum rk_part, by the model and by framework, precision and `grouped` of the plan. */
unsigned plan_parts(const struct rk_model *model, const struct rk_plan *plan);

/* Can a run of the framework be told to compute these parts again and no others? Megatron-LM names
 * parts one by one; torchtitan has one selection, of all operations but products and attention
 * (selective_ac_option "op"); what training code under DeepSpeed
 * computes again are whole layers. */
bool parts_start(enum rk_framework framework, unsigned parts);

#endif
