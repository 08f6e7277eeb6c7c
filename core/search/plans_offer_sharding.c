/* plans_offer_sharding.c - what is offered of sharding and offload. */
#include "plan/habits.h"
#include "search/numbers.h"
#include "search/plans_offer.h"

/* Is there a second rank that has the same weights? */
static bool has_copies(const struct offered *o, const struct rk_plan *plan)
{
    return rk_plan_data(plan) * plan->context > 1 ||
           (o->problem->model->experts && rk_plan_expert_data(plan) > 1);
}

static bool has_second_memory(const struct offered *o)
{
    const struct rk_system *system = o->problem->system;
    return system->memories > 1 && system->memory[1].capacity_bytes > 0;
}

/* What is offloaded only where ZeRO shards it, over one rank or more. */
static void offer_to_offload(struct offered *o, int least)
{
    if (least && has_second_memory(o)) plans_offer(o, (uint64_t)least);
}

/* FSDP shards gradients with the optimizer; Megatron-LM and DeepSpeed shard gradients and weights
 * where there is no pipeline. */
static bool usual_zero(const struct rk_plan *plan, uint64_t zero)
{
    if (habits_of(plan)->zero_2) return zero != 1;
    return zero < 2 || plan->pipeline == 1;
}

static bool asks_to_offload(const struct offered *o, enum rk_plan_axis axis)
{
    const struct rk_plans_problem *p = o->problem;
    bool any = false;
    for (int i = 0; i < p->pinned[axis].count; i++)
        any |= p->pinned[axis].value[i] > 0 || p->pinned[axis].to[i] > 0;
    return any;
}

/* What torch starts; of JAX gradients are sharded alone, too. */
static bool can_shard(const struct offered *o, uint64_t zero)
{
    const struct rk_plan *base = &o->problem->base;
    return zero != 2 || !plans_starts(o)->weights_too || base->flat_units || base->xla;
}

void offer_zero(struct offered *o, const struct rk_plan *plan)
{
    if (has_copies(o, plan)) {
        for (uint64_t zero = 0; zero <= 3; zero++)
            if (plans_asked(o) || (usual_zero(plan, zero) && can_shard(o, zero)))
                plans_offer(o, zero);
        return;
    }
    /* Of one rank, which shards nothing, what is said; ZeRO 1 is there what none is, and offloads.
     */
    const int of_optimizer = plans_starts(o)->zero_of_optimizer;
    if (of_optimizer != 1 || plans_asked(o) || !has_second_memory(o))
        plans_only(o, plans_least_asked(o));
    offer_to_offload(o, of_optimizer);
    if (asks_to_offload(o, RK_PLAN_WEIGHT_OFFLOAD))
        offer_to_offload(o, plans_starts(o)->zero_of_weights);
}

/* Hybrid sharding: as many ranks as one innermost domain has. */
static uint64_t ranks_of_domain(const struct offered *o, const struct rk_plan *plan, uint64_t all)
{
    uint64_t divisor[MAX_DIVISORS], found = 0;
    const int count = divisors_of(all, divisor);
    for (int i = 0; i < count; i++)
        if (divisor[i] > 1 && divisor[i] < all &&
            divisor[i] * plan->tensor <= o->problem->system->network[0].size)
            found = divisor[i];
    return found;
}

static bool any_divisor(const struct offered *o, const struct rk_plan *plan, uint64_t value)
{
    (void)o;
    (void)plan;
    return value > 0;
}

void offer_shard_ranks(struct offered *o, const struct rk_plan *plan)
{
    const uint64_t all = rk_plan_data(plan) * plan->context;
    if (plan->zero == 0) {
        plans_only(o, 0);
        return;
    }
    plans_offer(o, 0);
    if (plans_asked(o))
        plans_offer_divisors(o, plan, all, any_divisor);
    else if (ranks_of_domain(o, plan, all) && !plans_of_trainers(o))
        plans_offer(o, ranks_of_domain(o, plan, all));
}

void offer_keep_gathered(struct offered *o, const struct rk_plan *plan)
{
    const bool starts =
        plans_asked(o) || o->problem->unstartable || plans_starts(o)->keeps_gathered;
    if (plan->zero == 3 && has_copies(o, plan) && starts)
        plans_offer_both(o);
    else
        plans_only(o, 0);
}

void offer_gradient_overlap(struct offered *o, const struct rk_plan *plan)
{
    if (has_copies(o, plan))
        plans_offer_choice(o, 1, 1);
    else
        plans_only(o, 0);
}

/* Megatron-LM's needs that of gradients, DeepSpeed's ZeRO 3. */
void offer_weight_overlap(struct offered *o, const struct rk_plan *plan)
{
    if (plan->zero == 0 || !has_copies(o, plan))
        plans_only(o, 0);
    else if (plans_starts(o)->gathers_late && plan->zero < 3)
        plans_offer(o, 0);
    else if (plans_starts(o)->weights_follow && !plan->gradient_overlap)
        plans_offer(o, 0);
    else
        plans_offer_choice(o, 1, 1);
}

/* ---- offload ---- */

/* All or nothing, and the shares and tiers that are asked for by themselves. */
static void offer_offload(struct offered *o, bool usually)
{
    if (plans_asked(o) || (has_second_memory(o) && usually))
        plans_offer_both(o);
    else
        plans_offer(o, 0);
    for (int i = 0; i < o->problem->pinned[o->axis].count; i++)
        plans_offer(o, o->problem->pinned[o->axis].value[i]);
}

void offer_activation_offload(struct offered *o, const struct rk_plan *plan)
{
    (void)plan;
    offer_offload(o, !plans_starts(o)->offloads_optimizer);
}

/* What has to be sharded for it: such pairs are refused. */
void offer_optimizer_offload(struct offered *o, const struct rk_plan *plan)
{
    (void)plan;
    offer_offload(o, true);
}

void offer_weight_offload(struct offered *o, const struct rk_plan *plan)
{
    const bool both = plans_starts(o)->offloads_both && has_second_memory(o);
    const bool optimizer = rk_plan_offloaded(plan, RK_SHARE_OPTIMIZER) > 0;
    int left = 0;
    offer_offload(o, both);
    for (int i = 0; i < o->count && both; i++)
        if ((o->value[i] > 0) == optimizer) o->value[left++] = o->value[i];
    if (both) o->count = left;
}
