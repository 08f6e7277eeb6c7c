#include "workload/parts.h"
#include <criterion/criterion.h>

static const unsigned activation = 1u << RK_PART_ACTIVATION, norm = 1u << RK_PART_NORM,
                      up = 1u << RK_PART_UP_PROJECTION, mlp = 1u << RK_PART_MLP,
                      mixture = 1u << RK_PART_EXPERTS, shared = 1u << RK_PART_SHARED_EXPERTS,
                      attention = 1u << RK_PART_CORE_ATTENTION;

Test(parts, a_model_has_what_its_layers_are_made_of)
{
    struct rk_plan plan = rk_plan_default();
    plan.framework = RK_FSDP;
    const struct rk_model dense = {.layers = 4};
    const struct rk_model mixtures = {.layers = 4, .experts = 8};
    const struct rk_model latent = {
        .layers = 4, .experts = 8, .dense_layers = 1, .shared_experts = 1, .kv_rank = 512};
    cr_expect_eq(plan_parts(&dense, &plan), attention | activation | norm | mlp);
    cr_expect_eq(plan_parts(&mixtures, &plan), attention | activation | norm | mixture);
    cr_expect_eq(plan_parts(&latent, &plan),
                 attention | activation | norm | up | mlp | mixture | shared);
}

/* --recompute-modules: moe_act needs --moe-grouped-gemm, and neither it nor layernorm goes with
 * the delayed recipe. */
Test(parts, megatron_cannot_compute_all_of_them_again)
{
    struct rk_plan plan = rk_plan_default();
    const struct rk_model dense = {.layers = 4}, mixtures = {.layers = 4, .experts = 8};
    cr_expect_eq(plan_parts(&dense, &plan), attention | norm | mlp);
    cr_expect_eq(plan_parts(&mixtures, &plan), attention | activation | norm | mixture);
    plan.grouped = false;
    cr_expect_eq(plan_parts(&mixtures, &plan), attention | norm | mixture);
    plan.grouped = true;
    plan.precision = RK_FP8_DELAYED;
    cr_expect_eq(plan_parts(&mixtures, &plan), attention | mixture);
}
