/* plan_time.c - the time of a step from the times of its stages. docs/prediction.md has the
 * formulas.
 */
#include "estimate/pipeline.h"
#include "estimate/stages.h"

#include <math.h>

/* ---- communication beside computing ---- */

/* What is waited for of `comm_s` that goes layer by layer beside `work_s`: the excess, and the
 * layer that has nothing beside it. */
static double beside(double comm_s, double work_s, double layers, bool overlap)
{
    const double n = layers > 1 ? layers : 1;
    if (!overlap) return comm_s;
    const double left_s = comm_s - work_s * (n - 1) / n, one_s = comm_s / n;
    return left_s > one_s ? left_s : one_s;
}

/* Reduces gradients to shards, and the shards over their copies. */
static double reduce_s(const struct rk_system *system, const struct rk_plan *plan, bool expert,
                       double bytes)
{
    const struct rank_group shards = group_of_shards(plan, expert);
    const struct rank_group copies = group_of_copies(plan, expert);
    return collective_time_s(system, REDUCE_SCATTER, shards, bytes) +
           collective_time_s(system, ALL_REDUCE, copies, bytes / shards.ranks);
}

static double gather_s(const struct rk_system *system, const struct rk_plan *plan, bool expert,
                       double bytes)
{
    return collective_time_s(system, ALL_GATHER, group_of_shards(plan, expert), bytes);
}

/* Both groups of weights, each over its own ranks. */
static double reduce_all_s(const struct stage_sum *sum, const struct rk_system *system,
                           const struct rk_plan *plan)
{
    const double bytes = element_bytes_of(plan).sent_gradient;
    return reduce_s(system, plan, false, sum->parameters * bytes) +
           reduce_s(system, plan, true, sum->expert_parameters * bytes);
}

static double gather_all_s(const struct stage_sum *sum, const struct rk_system *system,
                           const struct rk_plan *plan)
{
    const double bytes = element_bytes_of(plan).sent_weight;
    return gather_s(system, plan, false, sum->parameters * bytes) +
           gather_s(system, plan, true, sum->expert_parameters * bytes);
}

/* ---- for each microbatch ---- */

static double offloaded_s(const struct rk_system *system, double bytes)
{
    return bytes > 0 ? bytes / system->memory[1].bandwidth_Bps : 0;
}

static double backward_s(const struct stage_sum *sum)
{
    return sum->pass_s[FOLD_AGRAD] + sum->pass_s[FOLD_WGRAD] + sum->pass_s[FOLD_RECOMPUTE];
}

/* Activations go out in forward and come back in backward; weights come twice. */
static void offload_transfers(struct stage_sum *sum, const struct rk_system *system,
                              const struct rk_plan *plan)
{
    if (plan->activation_offload <= 0 && plan->weight_offload <= 0) return;
    const double weights = (sum->parameters + sum->expert_parameters) *
                           element_bytes_of(plan).weight * plan->weight_offload;
    const double bytes = sum->saved_total_bytes * plan->activation_offload + weights;
    const double transfer_s = offloaded_s(system, bytes);
    const double out_s = beside(transfer_s, sum->pass_s[FOLD_FORWARD], sum->blocks, true);
    const double back_s = beside(transfer_s, backward_s(sum), sum->blocks, true);
    sum->spent_s[FOLD_FORWARD][SPENT_OFFLOAD] += out_s;
    sum->pass_s[FOLD_FORWARD] += out_s;
    sum->spent_s[FOLD_AGRAD][SPENT_OFFLOAD] += back_s;
    sum->pass_s[FOLD_AGRAD] += back_s;
}

void stage_moves(struct stage_sum *sum, const struct rk_system *system, const struct rk_plan *plan)
{
    const double layers = sum->blocks;
    offload_transfers(sum, system, plan);
    if (plan->zero < 2) return;
    const double reduced_s = reduce_all_s(sum, system, plan);
    const double gathered_s = plan->zero >= 3 ? gather_all_s(sum, system, plan) : 0;
    const double again_s = plan->keep_gathered ? 0 : gathered_s;
    const double back_s = backward_s(sum);
    sum->data_s[FOLD_FORWARD] =
        beside(gathered_s, sum->pass_s[FOLD_FORWARD], layers, plan->weight_overlap);
    sum->data_s[FOLD_AGRAD] =
        beside(again_s + reduced_s, back_s, layers, plan->gradient_overlap || plan->weight_overlap);
    sum->data_link_s = gathered_s + again_s + reduced_s;
}

/* ---- behind the last backward pass ---- */

/* Bytes that an Adam step reads and writes of one parameter, beside the weights it writes: gradient
 * read, master copy and moments read and written; and the gradient once more for its norm. */
static double optimizer_access_bytes(const struct element_bytes *bytes)
{
    return 2 * bytes->gradient + 2 * bytes->optimizer + 2 * bytes->weight;
}

static double optimizer_s(const struct stage_sum *sum, const struct rk_system *system,
                          const struct rk_plan *plan)
{
    const struct element_bytes bytes = element_bytes_of(plan);
    const double own = sum->parameters / (double)rk_plan_shards(plan) +
                       sum->expert_parameters / (double)rk_plan_expert_shards(plan);
    const double away = plan->optimizer_offload;
    return memory_time_s(system, (1 - away) * own * optimizer_access_bytes(&bytes)) +
           offloaded_s(system, away * own * (bytes.gradient + bytes.weight));
}

struct stage_end stage_end_of(const struct stage_sum *sum, const struct rk_system *system,
                              const struct rk_plan *plan)
{
    const double layers = sum->blocks / (double)plan->chunks;
    struct stage_end end = {.optimizer_s = optimizer_s(sum, system, plan)};
    if (plan->zero < 2) {
        const double reduced_s = reduce_all_s(sum, system, plan);
        end.data_s += beside(reduced_s, backward_s(sum), layers, plan->gradient_overlap);
        end.data_link_s += reduced_s;
    }
    if (plan->zero == 1 || plan->zero == 2) {
        const double gathered_s = gather_all_s(sum, system, plan);
        end.data_s += beside(gathered_s, sum->pass_s[FOLD_FORWARD], layers, plan->weight_overlap);
        end.data_link_s += gathered_s;
    }
    return end;
}

/* ---- the pipeline ---- */

static double forward_of(const struct stage_sum *sum)
{
    return sum->pass_s[FOLD_FORWARD] + sum->data_s[FOLD_FORWARD];
}

static double backward_of(const struct stage_sum *sum)
{
    return backward_s(sum) + sum->data_s[FOLD_AGRAD];
}

static double messages_s(const struct layer_folds *fold, const struct rk_system *system,
                         const struct rk_plan *plan)
{
    if (plan->pipeline == 1) return 0;
    const double send_s =
        collective_time_s(system, SEND, group_of_pipeline(plan), fold->message_bytes);
    const bool waits = plan->chunks == 1 || plan->pipeline_blocking;
    const double passed = microbatches_of(plan) * (double)plan->chunks;
    return 2 * ((double)plan->pipeline - 1) * send_s + (waits ? 2 * passed * send_s : 0);
}

static struct pace pace_of(const struct stage_sum *stages, const struct rk_plan *plan)
{
    struct stage_times times[RK_MAX_STAGES];
    for (int i = 0; i < (int)plan->pipeline; i++)
        times[i] = (struct stage_times){.forward_s = forward_of(&stages[i]),
                                        .backward_s = backward_of(&stages[i]),
                                        .wgrad_s = stages[i].pass_s[FOLD_WGRAD]};
    return pipeline_pace(plan->schedule, times, (int)plan->pipeline, (double)plan->chunks,
                         microbatches_of(plan));
}

/* Stages end one after the other, the first one last: what comes behind backward on stage i runs
 * while the stages in front of it drain. Returns the stage whose end is last. */
static int last_end(const struct stage_end *ends, const struct stage_sum *stages,
                    const struct rk_plan *plan, double *slack_s)
{
    double drained_s = 0, worst_s = -1;
    int last = 0;
    *slack_s = 0;
    for (int i = 0; i < (int)plan->pipeline; i++) {
        const double left_s = ends[i].data_s + ends[i].optimizer_s - drained_s;
        if (left_s > worst_s) {
            worst_s = left_s;
            last = i;
            *slack_s = drained_s;
        }
        drained_s += backward_of(&stages[i]) / (double)plan->chunks;
    }
    return last;
}

/* The time before the drained part is neither optimizer's nor data parallelism's. */
static void add_ends(struct rk_prediction *p, const struct stage_sum *stages,
                     const struct rk_system *system, const struct rk_plan *plan)
{
    struct stage_end ends[RK_MAX_STAGES];
    double slack_s;
    for (int i = 0; i < (int)plan->pipeline; i++)
        ends[i] = stage_end_of(&stages[i], system, plan);
    const struct stage_end *end = &ends[last_end(ends, stages, plan, &slack_s)];
    const double data_s = fmax(0, end->data_s - slack_s);
    p->data_s += data_s;
    p->optimizer_s += fmax(0, end->optimizer_s - fmax(0, slack_s - end->data_s));
    p->data_link_s += end->data_link_s;
}

static double spent(const struct stage_sum *sum, enum spending spending)
{
    return sum->spent_s[FOLD_FORWARD][spending] + sum->spent_s[FOLD_AGRAD][spending] +
           sum->spent_s[FOLD_WGRAD][spending];
}

static void add_microbatches(struct rk_prediction *p, const struct stage_sum *sum, double m)
{
    p->matrix_s = m * spent(sum, SPENT_MATRIX);
    p->attention_s = m * spent(sum, SPENT_ATTENTION);
    p->memory_s = m * spent(sum, SPENT_MEMORY);
    p->tensor_s = m * spent(sum, SPENT_TENSOR);
    p->context_s = m * spent(sum, SPENT_CONTEXT);
    p->expert_s = m * spent(sum, SPENT_EXPERT);
    p->offload_s = m * spent(sum, SPENT_OFFLOAD);
    p->launch_s = m * spent(sum, SPENT_LAUNCH);
    p->recompute_s = m * sum->pass_s[FOLD_RECOMPUTE];
    p->data_s = m * (sum->data_s[FOLD_FORWARD] + sum->data_s[FOLD_AGRAD]);
    p->tensor_link_s = m * sum->link_s[LINK_TENSOR];
    p->context_link_s = m * sum->link_s[LINK_CONTEXT];
    p->expert_link_s = m * sum->link_s[LINK_EXPERT];
    p->data_link_s = m * sum->data_link_s;
}

void step_time(struct rk_prediction *p, const struct stage_sum *stages,
               const struct layer_folds *fold, const struct rk_system *system,
               const struct rk_plan *plan)
{
    const struct pace pace = pace_of(stages, plan);
    add_microbatches(p, &stages[pace.stage], microbatches_of(plan));
    p->slowest = pace.stage;
    p->bubble_s = pace.wait_s;
    p->pipeline_s = messages_s(fold, system, plan);
    p->optimizer_s = 0;
    add_ends(p, stages, system, plan);
    p->step_s = 0;
#define ADD(name, help) p->step_s += p->name;
    RK_TIMES(ADD)
#undef ADD
}
