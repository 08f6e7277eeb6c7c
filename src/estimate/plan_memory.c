/* plan_memory.c - what a stage's memory holds. docs/memory.md has the rules of the frameworks. */
#include "estimate/stages.h"
#include "schedule/flight.h"

#include <math.h>

/* ---- weights, gradients, optimizer ---- */

struct shares { /* of one rank: 1 / ranks that share it */
    double weights, gradients, optimizer;
};

/* With DualPipe two ranks hold each stage, and share what ZeRO divides [deepseek2024v3]. */
static double holders_of(const struct rk_plan *plan)
{
    return plan->schedule == RK_DUALPIPE ? 2 : 1;
}

static struct shares shares_of(const struct rk_plan *plan, const struct sharing *sharing,
                               bool expert)
{
    const double ranks = sharing->shards[expert].ranks * holders_of(plan);
    return (struct shares){.weights = plan->zero >= 3 ? 1 / ranks : 1,
                           .gradients = plan->zero >= 2 ? 1 / ranks : 1,
                           .optimizer = plan->zero >= 1 ? 1 / ranks : 1};
}

struct state {
    double weights, gradients, optimizer;
    double between; /* of the optimizer's: not there while forward and backward run */
};

static void add_state(struct state *state, const struct rk_plan *plan,
                      const struct sharing *sharing, double parameters, bool expert)
{
    const struct shares shares = shares_of(plan, sharing, expert);
    const struct element_bytes *bytes = &sharing->bytes;
    state->weights += parameters * bytes->weight * shares.weights;
    state->gradients += parameters * bytes->gradient * shares.gradients;
    state->optimizer += parameters * (bytes->optimizer - bytes->step_gradient) * shares.optimizer;
    state->between += parameters * bytes->step_gradient * shares.optimizer;
}

static struct state state_of(const struct stage_sum *sum, const struct sharing *sharing,
                             const struct rk_plan *plan)
{
    struct state state = {.weights = 0};
    add_state(&state, plan, sharing, sum->parameters, false);
    add_state(&state, plan, sharing, sum->expert_parameters, true);
    if (plan->zero < 3) state.weights += sum->narrow_parameters * sharing->bytes.narrow_copies;
    return state;
}

/* Blocks that are gathered at the same time: the one at hand and the one fetched ahead. */
enum { GATHERED_BLOCKS = 2 };

/* DeepSpeed gathers matrix by matrix, and no more ahead than stage3_max_live_parameters, of which
 * 1e9 is the preset. The largest matrix is about a third of a block. */
static double live_parameters(const struct stage_sum *sum, const struct rk_plan *plan)
{
    const double block = sum->largest_parameters, all = GATHERED_BLOCKS * block;
    if (plan->framework != RK_DEEPSPEED) return all + sum->ends_parameters;
    const double end = sum->ends_parameters, matrix = fmax(block / 3, end);
    return fmin(all + end, 1e9 + matrix);
}

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
    const double sent = plan->framework == RK_DEEPSPEED ? fmax(block / 3, ends) : fmax(block, ends);
    return live_parameters(sum, plan) * bytes->gathered + sent * bytes->sent_gradient;
}

/* ---- activations ---- */

double in_flight_of_plan(const struct rk_plan *plan, double microbatches, uint64_t index)
{
    const struct pipeline pipeline = pipeline_of(plan, microbatches);
    return flight_of_stage(&pipeline, index);
}

/* Of what one microbatch saves: what stays here, and what is on its way to the second tier or
 * back, two blocks of it. */
static double kept_of(const struct rk_plan *plan)
{
    return 1 - rk_plan_offloaded(plan, RK_SHARE_ATTENTION);
}

static double moving_of(const struct stage_sum *sum, const struct rk_plan *plan)
{
    return rk_plan_offloaded(plan, RK_SHARE_ATTENTION) > 0 && sum->blocks > 0
               ? 2 / sum->blocks * rk_plan_offloaded(plan, RK_SHARE_ATTENTION)
               : 0;
}

/* The ends of the model are in flight as often as their chunk alone. */
struct ends_in_flight {
    double microbatches[ENDS];
};

static struct ends_in_flight ends_of(const struct rk_plan *plan, double microbatches)
{
    const struct pipeline pipeline = pipeline_of(plan, microbatches);
    return (struct ends_in_flight){{flight_of_first(&pipeline), flight_of_last(&pipeline)}};
}

static void hold_activations(struct rk_stage *stage, const struct stage_sum *sum,
                             const struct rk_plan *plan, double microbatches)
{
    const struct ends_in_flight ends = ends_of(plan, microbatches);
    const double kept = kept_of(plan), moving = moving_of(sum, plan);
    for (int i = 0; i < RK_HOLDING_COUNT; i++) {
        double flight = sum->saved_bytes[i] * stage->in_flight;
        for (int end = 0; end < ENDS; end++)
            flight += sum->ends_saved[end].bytes[i] * (ends.microbatches[end] - stage->in_flight);
        stage->holds[i] += flight * kept + sum->saved_bytes[i] * moving;
        stage->offloaded_bytes += flight * rk_plan_offloaded(plan, RK_SHARE_ATTENTION);
    }
}

/* ---- the rest ---- */

static double messages_bytes(const struct layer_folds *fold, const struct rk_plan *plan)
{
    return plan->pipeline > 1 ? 2 * fold->message_bytes : 0;
}

/* Between steps each chunk of Megatron-LM still refers to the last input it was sent, and that to
 * its gradient; within a step they are among what is in flight. */
static double remembered_bytes(const struct layer_folds *fold, const struct rk_plan *plan,
                               uint64_t index)
{
    if (plan->framework != RK_MEGATRON || plan->pipeline == 1) return 0;
    const double sent = (double)plan->chunks - (index == 0);
    return 2 * sent * fold->message_bytes;
}

/* The threads of forward and of backward have a handle of cuBLAS each; torch allocates a workspace
 * for either. */
enum { HANDLES = 2 };

/* Transformer Engine has one workspace, and one for each stream that it runs grouped products on.
 */
enum { GROUPED_STREAMS = 4 };

static double engines_of(const struct stage_sum *sum, const struct rk_plan *plan)
{
    if (plan->framework != RK_MEGATRON || !plan->transformer_engine) return 0;
    return 1 + (plan->grouped && sum->expert_parameters > 0 ? GROUPED_STREAMS : 0);
}

/* Transformer Engine overlaps tensor parallelism through buffers that all ranks can write to, one
 * of the gathered stream for each of ten products: four that gather in rings (forward of query,
 * key, value and of the MLP's first matrix, gradients of the two others), two that scatter what
 * they bring, four that communicate beside them (both gradients of the former). */
enum { OVERLAPPED_PRODUCTS = 10 };

static double overlap_bytes(const struct layer_folds *fold, const struct rk_plan *plan)
{
    const bool shared = plan->sequence_parallel || plan->messages_sharded;
    const double stream = fold->message_bytes * (shared ? (double)plan->tensor : 1);
    const bool overlaps = plan->framework == RK_MEGATRON && plan->transformer_engine &&
                          plan->tensor_overlap && plan->tensor > 1;
    return overlaps ? OVERLAPPED_PRODUCTS * stream : 0;
}

/* What Transformer Engine hands autograd in place of a weight gradient that its product has added
 * to the main one: a tensor for each shape of weights, kept for good. */
static double placeholder_bytes(const struct stage_sum *sum, const struct rk_plan *plan)
{
    const bool held =
        plan->framework == RK_MEGATRON && plan->transformer_engine && plan->gradient_fusion;
    const double element = plan->precision == RK_FP32 || plan->precision == RK_TF32 ? 4 : 2;
    return held ? (sum->block_shapes + sum->end_shapes) * element : 0;
}

struct stage_demand stage_demand_of(const struct stage_sum *sum, const struct layer_folds *fold,
                                    const struct sharing *sharing, const struct rk_plan *plan)
{
    const struct state state = state_of(sum, sharing, plan);
    const struct ends_in_flight ends = ends_of(plan, sharing->microbatches);
    double flight = sum->saved_total_bytes, fixed = 0;
    for (int end = 0; end < ENDS; end++) {
        flight -= sum->ends_saved[end].total_bytes;
        fixed += sum->ends_saved[end].total_bytes * ends.microbatches[end];
    }
    return (struct stage_demand){
        .static_bytes = state.weights * (1 - rk_plan_offloaded(plan, RK_SHARE_WEIGHTS)) +
                        state.gradients +
                        state.optimizer * (1 - rk_plan_offloaded(plan, RK_SHARE_OPTIMIZER)) +
                        sum->buffer_bytes + placeholder_bytes(sum, plan),
        .between_bytes = state.between * (1 - rk_plan_offloaded(plan, RK_SHARE_OPTIMIZER)),
        .fixed_bytes = gathered_bytes(sum, plan, &sharing->bytes) + sum->working_bytes +
                       messages_bytes(fold, plan) + fixed * kept_of(plan),
        .flight_bytes = flight * kept_of(plan),
        .away_bytes = sum->saved_total_bytes * moving_of(sum, plan),
        .handles = HANDLES,
        .engines = engines_of(sum, plan),
        .outside_bytes = overlap_bytes(fold, plan),
    };
}

static void hold_state(struct rk_stage *stage, const struct state *state,
                       const struct rk_plan *plan)
{
    const double weights = state->weights * rk_plan_offloaded(plan, RK_SHARE_WEIGHTS);
    const double optimizer = state->optimizer * rk_plan_offloaded(plan, RK_SHARE_OPTIMIZER);
    stage->holds[RK_HOLD_weights] = state->weights - weights;
    stage->holds[RK_HOLD_gradients] = state->gradients;
    stage->holds[RK_HOLD_optimizer] = state->optimizer - optimizer;
    stage->offloaded_bytes = weights + optimizer;
}

/* What the optimizer needs beyond the activations that are gone when it runs. */
static double idle_bytes(const struct stage_demand *demand, double in_flight)
{
    const double activations =
        demand->fixed_bytes + demand->flight_bytes * in_flight + demand->away_bytes;
    return demand->between_bytes > activations ? demand->between_bytes - activations : 0;
}

void stage_memory(struct rk_stage *stage, const struct stage_sum *sum,
                  const struct layer_folds *fold, const struct rk_system *system,
                  const struct sharing *sharing, const struct rk_plan *plan, uint64_t index)
{
    const struct state state = state_of(sum, sharing, plan);
    const struct stage_demand demand = stage_demand_of(sum, fold, sharing, plan);
    *stage = (struct rk_stage){.blocks = (uint64_t)sum->blocks,
                               .parameters = sum->parameters + sum->expert_parameters};
    stage->in_flight = in_flight_of_plan(plan, sharing->microbatches, index);
    hold_state(stage, &state, plan);
    hold_activations(stage, sum, plan, sharing->microbatches);
    stage->holds[RK_HOLD_gathered] += gathered_bytes(sum, plan, &sharing->bytes);
    stage->holds[RK_HOLD_working] += sum->working_bytes + idle_bytes(&demand, stage->in_flight);
    stage->holds[RK_HOLD_communication] += messages_bytes(fold, plan) + sum->buffer_bytes +
                                           demand.outside_bytes + placeholder_bytes(sum, plan);
    const double lasting = demand.static_bytes + demanded_workspaces(&demand, system);
    stage->static_bytes = lasting + demand.between_bytes + remembered_bytes(fold, plan, index);
    stage->allocated_bytes = lasting + demanded_activations(&demand, stage->in_flight);
    stage->holds[RK_HOLD_context] =
        system->kernels.reserve_bytes + demanded_workspaces(&demand, system);
    stage->holds[RK_HOLD_fragmentation] =
        system->kernels.fragmentation * demanded_activations(&demand, stage->in_flight);
    stage->total_bytes = demanded_bytes(&demand, system, stage->in_flight);
}
