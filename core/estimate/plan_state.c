/* plan_state.c - weights, gradients and optimizer state of a stage. docs/memory.md has the rules of
 * the frameworks. */
#include "base/extremes.h"
#include "estimate/stages.h"

/* Of dense weights those of blocks, and all of experts', are kept as the base says. */
static double base_parameters(const struct stage_sum *sum, bool expert)
{
    return expert ? sum->expert_parameters : sum->narrow_parameters - sum->expert_parameters;
}

static void add_adapters(struct state *state, const struct stage_sum *sum,
                         const struct memory_rule *rule, bool expert)
{
    const struct shares *shares = &rule->shares[expert];
    const struct element_bytes *bytes = &rule->bytes;
    const struct next_to_frozen trained = next_to_frozen_of(sum, bytes, expert);
    const double idle = (rule->adapters - 1) * sum->adapter_parameters[expert];
    state->weights += (base_parameters(sum, expert) * (bytes->base - bytes->weight) +
                       trained.weights + idle * bytes->adapter_weight) *
                      shares->weights;
    state->gradients += trained.gradients * shares->gradients;
    state->optimizer += trained.optimizer * shares->optimizer;
}

/* Gradients that are not reduced yet stay whole, in the precision that they are sent in: FSDP2's
 * post_backward() returns before it reduces (torch/distributed/fsdp/_fully_shard). In the last
 * microbatch a block's shard replaces its whole gradient. */
static double unsynced_bytes(const struct stage_sum *sum, const struct memory_rule *rule)
{
    return rule->unsynced *
           ((sum->parameters + sum->expert_parameters) * rule->bytes.sent_gradient +
            next_to_frozen_of(sum, &rule->bytes, false).gradients +
            next_to_frozen_of(sum, &rule->bytes, true).gradients);
}

/* Then state_add_rest() changes nothing. */
bool rule_is_plain(const struct memory_rule *rule)
{
    const struct element_bytes *bytes = &rule->bytes;
    return !rule->freezes && rule->gradients_here == 1 && !rule->steps_early &&
           !(rule->unsynced > 0) && !(rule->mixed > 0) && !(bytes->reference > 0) &&
           bytes->of_tables == 0 && bytes->of_embedding == 0 && bytes->of_long_sides == 0 &&
           bytes->of_short_sides == 0 && bytes->narrow_copies == 0 && bytes->autocast == 0;
}

void state_add_rest(struct state *state, const struct stage_sum *sum,
                    const struct memory_rule *rule)
{
    const struct element_bytes *bytes = &rule->bytes;
    for (int expert = 0; expert < 2 && rule->freezes; expert++)
        add_adapters(state, sum, rule, expert);
    state->gradients_away = state->gradients * (1 - rule->gradients_here);
    state->gradients *= rule->gradients_here;
    if (rule->steps_early) { /* each is freed after its step, there as here */
        state->gradients = sum->largest_parameters * bytes->gradient;
        state->gradients_away = 0;
    }
    state->gradients = larger(state->gradients, unsynced_bytes(sum, rule)) +
                       rule->mixed * (sum->parameters + sum->expert_parameters) * bytes->gathered;
    state->weights += (sum->parameters * rule->shares[false].weights +
                       sum->expert_parameters * rule->shares[true].weights) *
                      bytes->reference;
    state->optimizer += (tables_bytes(sum, bytes) + sum->long_sides * bytes->of_long_sides +
                         sum->short_sides * bytes->of_short_sides) *
                        rule->shares[false].optimizer;
    if (rule->zero < 3)
        state->weights += sum->narrow_parameters * bytes->narrow_copies +
                          (sum->parameters + sum->expert_parameters) * bytes->autocast;
}
