/* plan_memory.c - what a stage's memory holds. docs/memory.md has the rules of the frameworks. */
#include "estimate/stages.h"

#include <math.h>

/* ---- weights, gradients, optimizer ---- */

struct shares { /* of one rank: 1 / ranks that share it */
    double weights, gradients, optimizer;
};

static struct shares shares_of(const struct rk_plan *plan, bool expert)
{
    const double ranks = (double)(expert ? rk_plan_expert_shards(plan) : rk_plan_shards(plan));
    return (struct shares){.weights = plan->zero >= 3 ? 1 / ranks : 1,
                           .gradients = plan->zero >= 2 ? 1 / ranks : 1,
                           .optimizer = plan->zero >= 1 ? 1 / ranks : 1};
}

/* DualPipe keeps the weights of both directions on each rank, and their gradients [deepseek2024v3].
 */
static double copies_of(const struct rk_plan *plan)
{
    return plan->schedule == RK_DUALPIPE ? 2 : 1;
}

static void hold_state(struct rk_stage *stage, const struct rk_plan *plan,
                       const struct element_bytes *bytes, double parameters, bool expert)
{
    const struct shares shares = shares_of(plan, expert);
    const double copies = copies_of(plan);
    stage->holds[RK_HOLD_weights] += copies * parameters * bytes->weight * shares.weights;
    stage->holds[RK_HOLD_gradients] += copies * parameters * bytes->gradient * shares.gradients;
    stage->holds[RK_HOLD_optimizer] += parameters * bytes->optimizer * shares.optimizer;
}

/* Blocks that are gathered at the same time: the one at hand and the one fetched ahead. */
enum { GATHERED_BLOCKS = 2 };

/* ZeRO-3: gathered weights, and one block's gradients before they are reduced. Below, the gradients
 * of ZeRO-2 on their way. */
static double gathered_bytes(const struct stage_sum *sum, const struct rk_plan *plan,
                             const struct element_bytes *bytes)
{
    const double block = sum->largest_parameters, ends = sum->ends_parameters;
    const double all = sum->parameters + sum->expert_parameters;
    if (plan->zero == 2) return block * bytes->sent_gradient;
    if (plan->zero < 3) return 0;
    if (plan->keep_gathered) return all * bytes->gathered + block * bytes->sent_gradient;
    return (GATHERED_BLOCKS * block + ends) * bytes->gathered +
           (block > ends ? block : ends) * bytes->sent_gradient;
}

/* ---- activations ---- */

/* Chunks that a rank runs forward before its first backward, and the one that then follows:
 * Megatron-LM's interleaved schedule. */
static double interleaved_chunks(const struct rk_plan *plan, double microbatches, uint64_t index)
{
    const double p = (double)plan->pipeline, v = (double)plan->chunks;
    const double chunks = 2 * (p - (double)index - 1) + (v - 1) * p + 1;
    return chunks < microbatches * v ? chunks : microbatches * v;
}

double in_flight_of_plan(const struct rk_plan *plan, double microbatches, uint64_t index)
{
    const double p = (double)plan->pipeline;
    if (plan->schedule == RK_GPIPE) return microbatches;
    if (plan->schedule == RK_DUALPIPE) return fmin(microbatches, p + 1);
    if (plan->chunks > 1)
        return interleaved_chunks(plan, microbatches, index) / (double)plan->chunks;
    return fmin(microbatches, p - (double)index);
}

static void hold_activations(struct rk_stage *stage, const struct stage_sum *sum,
                             const struct rk_plan *plan)
{
    const double kept = 1 - plan->activation_offload;
    const double moving = plan->activation_offload > 0 && sum->blocks > 0
                              ? 2 / sum->blocks * plan->activation_offload
                              : 0; /* two blocks on their way */
    for (int i = 0; i < RK_HOLDING_COUNT; i++) {
        const double bytes = sum->saved_bytes[i];
        stage->holds[i] += bytes * (kept * stage->in_flight + moving);
        stage->offloaded_bytes += bytes * plan->activation_offload * stage->in_flight;
    }
}

/* ---- the rest ---- */

static double sum_of(const struct rk_stage *stage, enum rk_holding first, enum rk_holding last)
{
    double sum = 0;
    for (int i = (int)first; i <= (int)last; i++)
        sum += stage->holds[i];
    return sum;
}

static void offload_state(struct rk_stage *stage, const struct rk_plan *plan)
{
    const struct {
        enum rk_holding holding;
        double share;
    } moved[] = {{RK_HOLD_optimizer, plan->optimizer_offload},
                 {RK_HOLD_weights, plan->weight_offload}};
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        const double bytes = stage->holds[moved[i].holding] * moved[i].share;
        stage->holds[moved[i].holding] -= bytes;
        stage->offloaded_bytes += bytes;
    }
}

void stage_memory(struct rk_stage *stage, const struct stage_sum *sum,
                  const struct layer_folds *fold, const struct rk_system *system,
                  const struct rk_plan *plan, uint64_t index)
{
    const struct element_bytes bytes = element_bytes_of(plan);
    *stage = (struct rk_stage){.blocks = (uint64_t)sum->blocks,
                               .parameters = sum->parameters + sum->expert_parameters};
    stage->in_flight = in_flight_of_plan(plan, microbatches_of(plan), index);
    hold_state(stage, plan, &bytes, sum->parameters, false);
    hold_state(stage, plan, &bytes, sum->expert_parameters, true);
    if (plan->zero < 3)
        stage->holds[RK_HOLD_weights] += sum->narrow_parameters * bytes.narrow_copies;
    offload_state(stage, plan);
    stage->holds[RK_HOLD_gathered] = gathered_bytes(sum, plan, &bytes);
    hold_activations(stage, sum, plan);
    stage->holds[RK_HOLD_working] += sum->working_bytes;
    if (plan->pipeline > 1) stage->holds[RK_HOLD_communication] += 2 * fold->message_bytes;
    stage->static_bytes = sum_of(stage, RK_HOLD_weights, RK_HOLD_optimizer);
    stage->allocated_bytes = sum_of(stage, RK_HOLD_weights, RK_HOLD_communication);
    stage->holds[RK_HOLD_context] = system->kernels.reserve_bytes;
    stage->holds[RK_HOLD_fragmentation] =
        system->kernels.fragmentation * (stage->allocated_bytes - stage->static_bytes);
    stage->total_bytes = sum_of(stage, RK_HOLD_weights, RK_HOLD_fragmentation);
}
