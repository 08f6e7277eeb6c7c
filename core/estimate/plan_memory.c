/* plan_memory.c - what a stage's memory holds. docs/memory.md has the rules of the frameworks. */
#include "base/extremes.h"
#include "estimate/stages.h"
#include "plan/habits.h"
#include "schedule/flight.h"

#include <math.h>
#include <string.h>

/* ---- weights, gradients, optimizer ---- */

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

/* Blocks that are gathered at the same time: the current one and the prefetched one. FSDP1 frees a
 * unit after its backward before it gathers the next one (limit_all_gathers): one block in addition
 * to the root in 40 runs of fms-acceleration. */
enum { GATHERED_BLOCKS = 2, FLAT_BLOCKS = 1 };

/* DeepSpeed gathers matrix by matrix, and no more ahead than stage3_max_live_parameters, of which
 * 1e9 is the preset. */
static const double live_ahead = 1e9;

/* The largest matrix is about a third of a block. XLA has one table at a time, DeepSpeed all. */
static double matrix_of(const struct stage_sum *sum, const struct memory_rule *rule)
{
    return larger(sum->largest_parameters / 3, rule->xla ? sum->largest_end : sum->ends_parameters);
}

/* XLA schedules the gather of a block's next matrix while it multiplies one. */
static double live_parameters(const struct stage_sum *sum, const struct memory_rule *rule)
{
    const double all = rule->gathered_blocks * sum->largest_parameters + sum->ends_parameters;
    if (!rule->by_matrix) return all;
    const double ahead = rule->xla ? sum->largest_parameters / 3 : live_ahead;
    return smaller(all, matrix_of(sum, rule) + ahead);
}

/* ZeRO-3: gathered weights, and one block's gradients before they are reduced; JAX's have the type
 * of what they are gradients of. Below, the gradients of ZeRO-2 on their way. */
static double gathered_bytes(const struct stage_sum *sum, const struct memory_rule *rule)
{
    const struct element_bytes *bytes = &rule->bytes;
    const double block = sum->largest_parameters;
    if (rule->zero < 3) return rule->zero == 2 ? block * bytes->sent_gradient : 0;
    const double live = live_parameters(sum, rule);
    const double ends = smaller(sum->ends_parameters, live);
    const double all = sum->parameters + sum->expert_parameters;
    if (rule->keep_gathered)
        return (all - ends) * bytes->base + ends * bytes->gathered + block * bytes->sent_gradient;
    const double sent = rule->by_matrix ? matrix_of(sum, rule) : larger(block, ends);
    return (live - ends) * bytes->base + ends * bytes->gathered +
           sent * (rule->xla ? bytes->gathered : bytes->sent_gradient);
}

/* ---- activations ---- */

double in_flight_of_plan(const struct rk_plan *plan, double microbatches, uint64_t index)
{
    const struct pipeline pipeline = pipeline_of(plan, microbatches);
    return flight_of_stage(&pipeline, index);
}

void ends_in_flight(double ends[ENDS], const struct rk_plan *plan, double microbatches)
{
    const struct pipeline pipeline = pipeline_of(plan, microbatches);
    ends[FIRST_END] = flight_of_first(&pipeline);
    ends[LAST_END] = flight_of_last(&pipeline);
}

/* Of what one microbatch saves, two blocks are on their way to the second tier or back. */
static double buffers_of(const struct stage_sum *sum)
{
    return sum->blocks > 2 ? 2 / sum->blocks : 1;
}

static double moving_of(const struct stage_sum *sum, const struct memory_rule *rule)
{
    const double away = rule->activations_away;
    return away > 0 && sum->blocks > 0 ? 2 / sum->blocks * away : 0;
}

/* Two layers are here, the rest is where the plan has it, or dropped; the ends stay. */
static void hold_swapped(struct rk_stage *stage, const struct stage_sum *sum,
                         const struct memory_rule *rule)
{
    for (int i = 0; i < RK_HOLDING_COUNT; i++) {
        double blocks = sum->saved_bytes[i], ends = 0;
        for (int end = 0; end < ENDS; end++) {
            blocks -= sum->ends_saved_bytes[end][i];
            ends += sum->ends_saved_bytes[end][i] * rule->ends_in_flight[end];
        }
        stage->holds[i] += blocks * buffers_of(sum) + ends;
    }
}

static void hold_activations(struct rk_stage *stage, const struct stage_sum *sum,
                             const struct memory_rule *rule)
{
    if (rule->swaps) {
        hold_swapped(stage, sum, rule);
        return;
    }
    const double moving = moving_of(sum, rule);
    for (int i = 0; i < RK_HOLDING_COUNT; i++) {
        double flight = sum->saved_bytes[i] * stage->in_flight;
        for (int end = 0; end < ENDS; end++)
            flight +=
                sum->ends_saved_bytes[end][i] * (rule->ends_in_flight[end] - stage->in_flight);
        stage->holds[i] += flight * rule->kept_here + sum->saved_bytes[i] * moving;
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
    if (!habits_of(plan)->remembers || plan->pipeline == 1) return 0;
    const bool folds = rk_schedule_folds(plan->schedule); /* its last stage hands on what it has */
    const double sent =
        (double)plan->chunks - (index == 0) - (folds && index + 1 == plan->pipeline);
    return 2 * sent * fold->message_bytes;
}

/* The threads of forward and of backward have a handle of cuBLAS each; torch allocates a workspace
 * for either at its first product. Layers of Transformer Engine have products of their own, so that
 * with Megatron-LM only the head's and the router's are torch's. */
enum { HANDLES = 2 };

static double handles_of(const struct memory_rule *rule, const struct stage_sum *sum)
{
    return rule->engines > 0 && !sum->last && !(sum->expert_parameters > 0) ? 0 : HANDLES;
}

/* Transformer Engine has one workspace, and one for each stream that it runs grouped products on.
 */
enum { GROUPED_STREAMS = 4 };

/* Transformer Engine overlaps tensor parallelism through buffers that all ranks can write to, one
 * of the gathered stream for each of ten products: four that gather in rings (forward of query,
 * key, value and of the MLP's first matrix, gradients of the two others), two that scatter their
 * results, four that overlap with other products' communication (both gradients of the former). */
enum { OVERLAPPED_PRODUCTS = 10 };

static double overlap_bytes(const struct layer_folds *fold, const struct rk_plan *plan)
{
    const bool shared = plan->sequence_parallel || plan->messages_sharded;
    const double stream = fold->message_bytes * (shared ? (double)plan->tensor : 1);
    const bool overlaps = plan_has_engine(plan) && plan->tensor_overlap && plan->tensor > 1;
    return overlaps ? OVERLAPPED_PRODUCTS * stream : 0;
}

/* What Transformer Engine hands autograd in place of a weight gradient that its product has added
 * to the main one: a tensor for each shape of weights, kept for good. */
static double placeholder_bytes(const struct stage_sum *sum, const struct memory_rule *rule)
{
    return (sum->block_shapes + sum->end_shapes) * rule->placeholder_bytes;
}

/* torch gives tensors of 1 to 10 MiB their places in segments of 20 MiB, and a rest of at most 1
 * MiB to the last one of a segment, as allocated (kLargeBuffer, kSmallSize and should_split of
 * CUDACachingAllocator.cpp): half of that in the mean. So of weights, main copies and moments that
 * are tensors of their own, without the distributed optimizer, which has them in a few. The largest
 * matrix is about a third of a block. */
static double unsplit_bytes(const struct layer_folds *fold, const struct sharing *sharing,
                            const struct rk_plan *plan)
{
    static const double least = 1 << 20, most = 10 << 20, segment = 20 << 20, rest = 1 << 20;
    double block = 0;
    for (int i = 0; i < fold->blocks; i++)
        block = larger(block, fold->layer[fold->block[i]][AS_IT_IS].parameters);
    const double matrix = 4 * block / 3;
    if (!habits_of(plan)->own_tensors || plan->zero > 0 || matrix < least || matrix > most)
        return 0;
    return rest / 2 / segment * (sharing->bytes.weight + sharing->bytes.optimizer);
}

static double unsplit_of(const struct memory_rule *rule, const struct stage_sum *sum)
{
    return rule->unsplit_bytes * (sum->parameters + sum->expert_parameters - sum->ends_parameters);
}

/* ---- the optimizer's step ---- */

/* Elements that DeepSpeed reduces and gathers at a time: reduce_bucket_size, allgather_bucket_size,
 * and the latter of its bf16 optimizer. */
static const double reduce_bucket = 5e8, gather_bucket = 5e8, gather_bucket_bf16 = 5e9;

/* The optimizer's step of DeepSpeed's ZeRO-1 and 2 and of its bf16 optimizer takes gigabytes at a
 * time, when the activations are gone: the rank's share of the gradients, flat, in 16 bits and in
 * fp32 (step of stage_1_and_2.py), the bucket that is reduced, and what an all-gather into a list
 * of tensors gathers into before it copies (ProcessGroupNCCL). */
static bool steps_as_deepspeed(const struct rk_plan *plan)
{
    return habits_of(plan)->flat_steps && (plan->zero == 1 || plan->zero == 2) &&
           plan->precision != RK_FP32 && plan->precision != RK_TF32;
}

/* num_shards of its all-gathers is rounded down: up to twice a bucket is one. */
static double gathered_at_once(double parameters, double bucket)
{
    return parameters / larger(1, floor(parameters / bucket));
}

/* The activations' segments are too small for pieces of that size, so the allocator has both, each
 * piece in a segment of its own, until the device is full. */
static double cached_by_step(const struct rk_plan *plan, const struct sharing *sharing,
                             double parameters)
{
    const double ranks = sharing->shards[false].ranks;
    if (!steps_as_deepspeed(plan)) return 0;
    if (sums_in_fp32(plan)) return 2 * gathered_at_once(parameters, gather_bucket_bf16);
    return (2 + 4) * parameters / ranks +
           2 * (smaller(parameters, reduce_bucket) + gathered_at_once(parameters, gather_bucket));
}

/* Parameters that the optimizer steps. */
static double trained_of(const struct stage_sum *sum, const struct memory_rule *rule)
{
    return rule->freezes ? next_to_frozen_of(sum, &rule->bytes, false).parameters +
                               next_to_frozen_of(sum, &rule->bytes, true).parameters
                         : sum->parameters + sum->expert_parameters;
}

/* What of it is there at a time; grows with the parameters, which what is gathered does not at
 * whole buckets. */
static double step_of(const struct memory_rule *rule, double parameters)
{
    return larger(rule->step_element * parameters, 2 * smaller(parameters, rule->step_gathers));
}

/* torch.optim.AdamW with foreach forms the denominators of all parameters at a time
 * (_multi_tensor_adamw): Mistral 7B in 16 bits peaks at five copies of its weights, 72.435 GB, of
 * which weights, gradients and moments are four. */
static double foreach_element(const struct rk_plan *plan)
{
    const double moment = moment_bytes(plan, plan->moment1_element_bytes);
    return plan->foreach_step && plan->optimizer == RK_ADAM && !rk_plan_freezes(plan) ? moment : 0;
}

/* ---- all of it ---- */

/* Chunks of the sequence of the layer that runs, until its backward has ended. */
static double most_lent(const struct layer_folds *fold, const struct rk_plan *plan)
{
    double most = 0;
    for (int i = 0; i < fold->blocks && plan->sequence_chunks > 1; i++)
        most = larger(most, fold->layer[fold->block[i]][AS_IT_IS].lent_bytes);
    return most;
}

/* Shares of the gradients that leave as they come: FSDP's with weights and optimizer, DeepSpeed's
 * with the optimizer, where they are sharded. */
static double gradients_leave(double leave[RK_SHARE_TIERS], const struct rk_plan *plan)
{
    const struct habits *habits = habits_of(plan);
    const bool go = habits->gradients_leave && plan->zero >= 2 && !plan->unsynced_gradients;
    double all = 0;
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++) {
        const double optimizer = plan->share[RK_SHARE_OPTIMIZER][tier];
        const double weights = plan->share[RK_SHARE_WEIGHTS][tier];
        leave[tier] = !go ? 0 : habits->offloads_both ? smaller(optimizer, weights) : optimizer;
        all += leave[tier];
    }
    return all;
}

void memory_rule_share(struct memory_rule *rule, const struct sharing *sharing,
                       const struct rk_plan *plan)
{
    for (int expert = 0; expert < 2; expert++)
        rule->shares[expert] = shares_of(plan, sharing, expert);
}

struct memory_rule memory_rule_of(const struct layer_folds *fold, const struct sharing *sharing,
                                  const struct rk_plan *plan)
{
    const bool engine = plan_has_engine(plan);
    const bool wide = plan->precision == RK_FP32 || plan->precision == RK_TF32;
    const double away = rk_plan_activations_away(plan);
    struct memory_rule rule = {
        .bytes = sharing->bytes,
        .zero = plan->zero,
        .keep_gathered = plan->keep_gathered,
        .by_matrix = habits_of(plan)->by_matrix || plan->xla,
        .xla = plan->xla,
        .weights_here = 1 - share_away(plan, RK_SHARE_WEIGHTS),
        .optimizer_here = plan->optimizer_paged ? 0 : 1 - share_away(plan, RK_SHARE_OPTIMIZER),
        .steps_early = plan->step_in_backward,
        .freezes = rk_plan_freezes(plan),
        .adapters = plan->adapters_run == RK_ADAPTERS_IDLE ? (double)plan->adapters : 1,
        .gathered_blocks = plan->flat_units ? FLAT_BLOCKS : GATHERED_BLOCKS,
        .mixed = plan->mixed_units,
        .late = sharing->gradients_late,
        .unsynced = plan->unsynced_gradients && plan->zero >= 2 && sharing->microbatches > 1,
        .kept_here = 1 - away,
        .activations_away = away,
        .away.lent_bytes = most_lent(fold, plan),
        .first_tier = first_tier_of(plan),
        .swaps = plan->recompute_rest,
        .returns = backward_returns(plan),
        .put_off = put_off_of(plan, sharing->microbatches - 1),
        .messages_bytes = messages_bytes(fold, plan),
        .outside_bytes = overlap_bytes(fold, plan),
        .placeholder_bytes = engine && plan->gradient_fusion ? (wide ? 4 : 2) : 0,
        .unsplit_bytes = unsplit_bytes(fold, sharing, plan),
        .engines = engine,
        .expert_engines = engine && plan->grouped ? GROUPED_STREAMS : 0,
    };
    memory_rule_share(&rule, sharing, plan);
    memcpy(rule.away.activations, plan->share[RK_SHARE_ATTENTION], sizeof rule.away.activations);
    memcpy(rule.away.weights, plan->share[RK_SHARE_WEIGHTS], sizeof rule.away.weights);
    memcpy(rule.away.optimizer, plan->share[RK_SHARE_OPTIMIZER], sizeof rule.away.optimizer);
    rule.gradients_here = 1 - gradients_leave(rule.away.gradients, plan);
    if (habits_of(plan)->flat_steps && !wide)
        rule.host_gradient = plan->zero == 2 ? larger(0, 4 - rule.bytes.gradient) : 4;
    ends_in_flight(rule.ends_in_flight, plan, sharing->microbatches);
    rule.step_element = foreach_element(plan) * rule.optimizer_here / sharing->shards[0].ranks;
    if (steps_as_deepspeed(plan)) {
        const bool bf16 = sums_in_fp32(plan);
        const double here = rule.optimizer_here / sharing->shards[false].ranks;
        rule.step_element = bf16 ? 0 : (2 + 4) * here;
        rule.step_gathers = bf16 ? 2 * gather_bucket_bf16 : gather_bucket;
    }
    if (habits_of(plan)->flat_steps && plan->zero == 0 && sharing->bytes.master > 0)
        rule.step_element = 4; /* fp32 gradients: step of fp16/unfused_optimizer.py */
    rule.plain = rule_is_plain(&rule);
    return rule;
}

/* Gradients of the ends are counted as there at once: the head's is the first to come. */
static double late_bytes(const struct stage_sum *sum, const struct memory_rule *rule)
{
    if (!(rule->late > 0)) return 0;
    const double ends = sum->ends_parameters * rule->shares[false].gradients;
    const double all = sum->parameters * rule->shares[false].gradients +
                       sum->expert_parameters * rule->shares[true].gradients;
    return rule->late * (all - ends) * rule->bytes.gradient * rule->gradients_here;
}

static inline __attribute__((always_inline)) struct stage_demand
demand_by(const struct memory_rule *rule, const struct stage_sum *sum)
{
    const struct state state = state_of(sum, rule);
    double flight = sum->saved_total_bytes, fixed = 0;
    for (int end = 0; end < ENDS; end++) {
        flight -= sum->ends_total_bytes[end];
        fixed += sum->ends_total_bytes[end] * rule->ends_in_flight[end];
    }
    return (struct stage_demand){
        .static_bytes = state.weights * rule->weights_here + state.gradients +
                        state.optimizer * rule->optimizer_here + sum->buffer_bytes +
                        placeholder_bytes(sum, rule) + unsplit_of(rule, sum),
        .late_bytes = late_bytes(sum, rule),
        .beside_bytes = rule->late ? sum->loss_beside_bytes : 0,
        .between_bytes = state.between * rule->optimizer_here,
        .step_bytes = step_of(rule, trained_of(sum, rule)),
        .fixed_bytes = gathered_bytes(sum, rule) + sum->working_bytes + rule->messages_bytes +
                       rule->put_off * sum->put_off_bytes +
                       fixed * (rule->swaps ? 1 : rule->kept_here),
        .flight_bytes = rule->swaps ? 0 : flight * rule->kept_here,
        .away_bytes =
            rule->swaps ? flight * buffers_of(sum) : sum->saved_total_bytes * moving_of(sum, rule),
        .handles = handles_of(rule, sum),
        .engines = rule->engines + (sum->expert_parameters > 0 ? rule->expert_engines : 0),
        .outside_bytes = rule->outside_bytes,
    };
}

struct stage_demand stage_demand_by(const struct memory_rule *rule, const struct stage_sum *sum)
{
    return demand_by(rule, sum);
}

double stage_demanded_bytes(const struct memory_rule *rule, const struct stage_sum *sum,
                            const struct rk_system *system, double in_flight)
{
    const struct stage_demand demand = demand_by(rule, sum);
    return demanded_bytes(&demand, system, in_flight);
}

/* Managed memory (get_paged of bitsandbytes/functional.py) gives way to what the allocator asks
 * for. Of a fold nothing counts here: messages are of pipelines, buffers of Megatron-LM. */
double paged_out_bytes(const struct stage_sum *sum, const struct rk_system *system,
                       const struct sharing *sharing, const struct rk_plan *plan)
{
    static const struct layer_folds none;
    const struct memory_rule rule = memory_rule_of(&none, sharing, plan);
    const struct stage_demand demand = stage_demand_by(&rule, sum);
    const double flight = in_flight_of_plan(plan, sharing->microbatches, 0);
    const double room = system->memory[0].capacity_bytes - demanded_bytes(&demand, system, flight);
    const double paged = state_of(sum, &rule).optimizer;
    return larger(0, smaller(paged, paged - room));
}

static void hold_state(struct rk_stage *stage, const struct state *state,
                       const struct memory_rule *rule)
{
    stage->holds[RK_HOLD_weights] = state->weights * rule->weights_here;
    stage->holds[RK_HOLD_gradients] = state->gradients;
    stage->holds[RK_HOLD_optimizer] = state->optimizer * rule->optimizer_here;
}

/* Bytes written for one microbatch and bytes held for those in flight, by the shares of the tiers,
 * and the bytes that two buffers always offload, to one tier. The tensors of the ends are counted
 * with their own number in flight. */
struct moved {
    double once, flight, always;
};

static struct moved moved_of(const struct memory_rule *rule, const struct stage_sum *sum,
                             double in_flight)
{
    struct moved moved = {.once = sum->saved_total_bytes,
                          .flight = sum->saved_total_bytes * in_flight};
    if (rule->swaps) {
        const double blocks = sum->blocks, always = sum->swap.always_bytes;
        const double share = blocks > 0 ? swapped_layers(sum, rule->returns) / blocks : 0;
        const double once = share * (blocks_bytes(sum) - always);
        return (struct moved){once, once * in_flight, share * always};
    }
    for (int end = 0; end < ENDS; end++)
        moved.flight += sum->ends_total_bytes[end] * (rule->ends_in_flight[end] - in_flight);
    return moved;
}

static double always_of(const struct memory_rule *rule, const struct moved *moved, int tier)
{
    return tier == rule->first_tier ? moved->always : 0;
}

static double state_lowered(const struct memory_rule *rule, const struct stage_sum *sum, int tier)
{
    const double weights = rule->away.weights[tier], optimizer = rule->away.optimizer[tier];
    if (weights == 0 && optimizer == 0) return 0;
    const struct state state = state_of(sum, rule);
    const double away = 1 - rule->gradients_here, gradients = rule->away.gradients[tier];
    return state.weights * weights + state.optimizer * optimizer +
           (away > 0 ? state.gradients_away * gradients / away : 0);
}

/* DeepSpeed's optimizer on the host steps fp32 gradients of all parameters, which ZeRO-3 has next
 * to the 16-bit ones that came (stage3.py: grad_partitions_flat_buffer and grad of each of
 * fp32_partitioned_groups_flat; stage_1_and_2.py: of single_partition_of_fp32_groups). */
static double host_gradients(const struct memory_rule *rule, const struct stage_sum *sum, int tier)
{
    const double share = rule->away.optimizer[tier], bytes = rule->bytes.optimizer;
    if (!(share > 0 && bytes > 0 && rule->host_gradient > 0)) return 0;
    return state_of(sum, rule).optimizer / bytes * rule->host_gradient * share;
}

bool rule_lowers(const struct memory_rule *rule, int tier)
{
    const struct away *away = &rule->away;
    return away->activations[tier] > 0 || away->weights[tier] > 0 || away->optimizer[tier] > 0 ||
           (rule->swaps && tier == rule->first_tier) || (tier == 0 && away->lent_bytes > 0);
}

double lowered_bytes(const struct memory_rule *rule, const struct stage_sum *sum, double in_flight,
                     int tier)
{
    const struct moved moved = moved_of(rule, sum, in_flight);
    return state_lowered(rule, sum, tier) + host_gradients(rule, sum, tier) +
           moved.flight * rule->away.activations[tier] + always_of(rule, &moved, tier) * in_flight +
           (tier == 0 ? rule->away.lent_bytes : 0);
}

static void hold_away(struct rk_stage *stage, const struct stage_sum *sum,
                      const struct memory_rule *rule, double microbatches)
{
    const struct moved moved = moved_of(rule, sum, stage->in_flight);
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++) {
        const double once =
            moved.once * rule->away.activations[tier] + always_of(rule, &moved, tier);
        stage->written_bytes[tier] = state_lowered(rule, sum, tier) + microbatches * once;
        stage->away_bytes[tier] = lowered_bytes(rule, sum, stage->in_flight, tier);
        stage->offloaded_bytes += stage->away_bytes[tier];
    }
}

/* What the optimizer needs beyond the activations that are gone when it runs. */
static double idle_bytes(const struct stage_demand *demand, double in_flight)
{
    const double activations = demand->fixed_bytes + demand->flight_bytes * in_flight +
                               demand->away_bytes - absent_bytes(demand, in_flight);
    return larger(0, larger(demand->between_bytes, demand->step_bytes) - activations);
}

void stage_memory(struct rk_stage *stage, const struct stage_sum *sum,
                  const struct layer_folds *fold, const struct rk_system *system,
                  const struct sharing *sharing, const struct rk_plan *plan, uint64_t index)
{
    const struct memory_rule rule = memory_rule_of(fold, sharing, plan);
    const struct state state = state_of(sum, &rule);
    const struct stage_demand demand = stage_demand_by(&rule, sum);
    *stage = (struct rk_stage){.blocks = (uint64_t)sum->blocks,
                               .parameters = sum->parameters + sum->expert_parameters};
    stage->in_flight = in_flight_of_plan(plan, sharing->microbatches, index);
    hold_state(stage, &state, &rule);
    stage->holds[RK_HOLD_gradients] -= absent_bytes(&demand, stage->in_flight);
    hold_activations(stage, sum, &rule);
    hold_away(stage, sum, &rule, sharing->microbatches);
    stage->holds[RK_HOLD_gathered] += gathered_bytes(sum, &rule);
    stage->holds[RK_HOLD_working] += sum->working_bytes + rule.put_off * sum->put_off_bytes +
                                     idle_bytes(&demand, stage->in_flight);
    stage->holds[RK_HOLD_communication] += rule.messages_bytes + sum->buffer_bytes +
                                           demand.outside_bytes + placeholder_bytes(sum, &rule) +
                                           unsplit_of(&rule, sum);
    const double lasting = demand.static_bytes + demanded_workspaces(&demand, system);
    const double freed = habits_of(plan)->frees_gradients ? state.gradients : 0;
    stage->static_bytes =
        lasting - freed + demand.between_bytes + remembered_bytes(fold, plan, index);
    stage->allocated_bytes = lasting + demanded_activations(&demand, stage->in_flight);
    stage->holds[RK_HOLD_context] =
        system->kernels.reserve_bytes + demanded_workspaces(&demand, system);
    stage->holds[RK_HOLD_fragmentation] =
        system->kernels.fragmentation * demanded_activations(&demand, stage->in_flight);
    stage->total_bytes = demanded_bytes(&demand, system, stage->in_flight);
    const double cached = cached_by_step(plan, sharing, trained_of(sum, &rule)) -
                          idle_bytes(&demand, stage->in_flight); /* which counts already */
    const double room = system->memory[0].capacity_bytes - stage->total_bytes;
    stage->cached_bytes = larger(0, smaller(cached, room));
}
