#include "calculon/layer.h"

#include "machine/work.h"

#include <assert.h>
#include <string.h>

static void op_cost_fold(struct op_cost *cost, const struct op *op, const struct rk_curve *engine,
                         const struct rk_system *system)
{
    for (int pass = 0; pass < RK_PASSES; pass++) {
        cost->flop_s[pass] = curve_time_s(engine, op->flop[pass]);
        cost->access_s[pass] = curve_time_s(&system->memory[0].curve, op->access_bytes[pass]);
        cost->time_s[pass] =
            processing_time_s(system->processing, cost->flop_s[pass], cost->access_s[pass]);
    }
}

static void pass_add(struct pass_cost *sum, const struct op *op, const struct op_cost *cost,
                     int pass)
{
    sum->flop += op->flop[pass];
    sum->flop_s += cost->flop_s[pass];
    sum->access_bytes += op->access_bytes[pass];
    sum->access_s += cost->access_s[pass];
    if (op->comm == COMM_NONE) sum->time_s += cost->time_s[pass];
}

void block_cost_fold(struct block_cost *cost, const struct block *block,
                     const struct rk_system *system, enum rk_datatype datatype)
{
    const struct rk_curve *engines[] = {[ENGINE_VECTOR] = &system->vector[datatype].curve,
                                        [ENGINE_MATRIX] = &system->matrix[datatype].curve};
    cost->block = block;
    cost->system = system;
    cost->datatype = datatype;
    cost->upstream = false;
    cost->comm_ops = 0;
    memset(cost->pass, 0, sizeof cost->pass);
    cost->weights = cost->weight_bytes = cost->working_bytes = 0;
    cost->activation_bytes = cost->activation_grad_bytes = 0;
    for (int i = 0; i < block->ops; i++) {
        const struct op *op = &block->op[i];
        op_cost_fold(&cost->op[i], op, engines[op->engine], system);
        for (int pass = 0; pass < RK_PASSES; pass++)
            pass_add(&cost->pass[pass], op, &cost->op[i], pass);
        if (op->comm != COMM_NONE) {
            assert(cost->comm_ops < MAX_COMM_OPS);
            cost->comm_op[cost->comm_ops++] = i;
        }
        cost->weights += op->weights;
        cost->weight_bytes += op->weight_bytes;
        cost->activation_bytes += op->activation_bytes;
        cost->activation_grad_bytes += op->activation_grad_bytes;
        if (!op->reuses_buffer) cost->working_bytes += op->activation_bytes;
    }
}

/* The published tool adds all forward figures so far, but the operation's own time. */
static void add_running(struct pass_cost *sum, const struct pass_cost *running, const struct op *op,
                        const struct op_cost *cost)
{
    sum->flop += running->flop;
    sum->flop_s += running->flop_s;
    sum->access_bytes += running->access_bytes;
    sum->access_s += running->access_s;
    if (op->comm == COMM_NONE) sum->time_s += cost->time_s[RK_FORWARD];
}

void recompute_fold(struct recompute_cost *cost, const struct block_cost *block,
                    enum rk_recompute recompute, bool redo_all_gather, bool training)
{
    *cost = (struct recompute_cost){.stored_bytes = block->activation_bytes};
    if (!training) return;
    const unsigned conditions = conditions_of(recompute, redo_all_gather);
    struct pass_cost running = {.flop = 0};
    for (int i = 0; i < block->block->ops; i++) {
        const struct op *op = &block->block->op[i];
        if (block->upstream) pass_add(&running, op, &block->op[i], RK_FORWARD);
        if (holds(conditions, op->recomputed) && block->upstream)
            add_running(&cost->pass, &running, op, &block->op[i]);
        else if (holds(conditions, op->recomputed))
            pass_add(&cost->pass, op, &block->op[i], RK_FORWARD);
        if (!holds(conditions, op->keeps_output)) cost->stored_bytes -= op->output_bytes;
        if (!holds(conditions, op->keeps_input)) cost->stored_bytes -= op->activation_bytes;
    }
    if (recompute != RK_RECOMPUTE_FULL) return;
    cost->stored_bytes = 0;
    cost->checkpoint_bytes = block->block->activation * rk_datatype_bytes(block->datatype);
}

/* ---- communication ---- */

/* What one side sends in a pass; RK_COLLECTIVES: nothing. Recomputation sends what forward does.
 * Columns: not split, split into reduce-scatters and all-gathers. */
static const enum rk_collective sends[3][RK_PASSES][2] = {
    [COMM_GATHER] = {{RK_COLLECTIVES, RK_ALL_GATHER},
                     {RK_ALL_REDUCE, RK_REDUCE_SCATTER},
                     {RK_COLLECTIVES, RK_ALL_GATHER}},
    [COMM_REDUCE] = {{RK_ALL_REDUCE, RK_REDUCE_SCATTER},
                     {RK_COLLECTIVES, RK_ALL_GATHER},
                     {RK_ALL_REDUCE, RK_REDUCE_SCATTER}},
};

static bool is_split(enum rk_tensor_comm type, int edge)
{
    return type == RK_COMM_RS_AG || (type == RK_COMM_P2P_RS_AG && edge);
}

/* Vector-engine time of the sums that a reduction does on the way. */
static double reduction_s(const struct block_cost *block, const struct op *op, double ranks)
{
    return curve_time_s(&block->system->vector[block->datatype].curve,
                        op->comm_elements * (ranks - 1) / ranks);
}

/* Whether a pass of this side sums: forward after a row-parallel matrix, else backward. */
static bool reduces(enum comm_side side, int pass)
{
    return pass == (side == COMM_REDUCE ? RK_FORWARD : RK_AGRAD);
}

/* Bytes and link time of one operation in one pass, base [0] and edge [1]. */
static void send(const struct block_cost *block, int index, const struct comm_choice *choice,
                 int pass, double bytes[2], double link_s[2])
{
    const struct op *op = &block->block->op[index];
    const double whole = op->comm_elements * rk_datatype_bytes(block->datatype);
    double beside_s = op->overlapped ? 0 : block->op[index].time_s[pass];
    if (op->overlapped && reduces(op->comm, pass)) beside_s = reduction_s(block, op, choice->ranks);
    for (int edge = 0; edge < 2; edge++) {
        const enum rk_collective collective = sends[op->comm][pass][is_split(choice->type, edge)];
        const bool sent = collective != RK_COLLECTIVES;
        bytes[edge] = sent ? whole : 0;
        link_s[edge] = 0;
        if (sent) link_s[edge] = network_time_s(choice->network, collective, choice->ranks, whole);
        if (sent || !op->overlapped) link_s[edge] += beside_s;
    }
}

/* A matrix in `tiles`, where each tile's communication overlaps with the next one's computation and
 * slows it by the engines it occupies. Returns the time of the matrix; exposed_s is the exposed
 * communication. link_s is that of a base block, in edge blocks too. */
static double overlapped_s(const struct block_cost *block, int index, int pass, double link_s,
                           const struct comm_choice *choice, double *exposed_s)
{
    const struct op_cost *op = &block->op[index];
    const double tiles = block->block->op[index].tiles;
    const double usage = choice->network->processor_usage;
    *exposed_s = 0;
    if (link_s == 0) return op->time_s[pass];
    const double slowed_s = op->flop_s[pass] / (1 - usage);
    const double excess_s = (link_s - slowed_s) / tiles;
    double time_s;
    if (excess_s > 0) {
        const double slowed_time_s =
            processing_time_s(block->system->processing, slowed_s, op->access_s[pass]);
        time_s = (op->time_s[pass] + (tiles - 1) * slowed_time_s) / tiles;
        *exposed_s = (tiles - 1) * excess_s;
    } else {
        time_s = op->time_s[pass] + (tiles - 1) * usage * link_s / tiles;
    }
    if (choice->overlap == RK_OVERLAP_PIPE) *exposed_s += link_s / tiles;
    if (choice->overlap == RK_OVERLAP_PIPE && block->upstream) time_s += link_s / tiles;
    return time_s;
}

static void comm_require(struct comm_op_cost *cost, const struct op_cost *op, int pass,
                         double usage)
{
    const double slowed_s = op->flop_s[pass] / (1 - usage);
    for (int edge = 0; edge < 2; edge++)
        if (cost->bytes[pass][edge] > cost->required_Bps[pass] * slowed_s)
            cost->required_Bps[pass] = cost->bytes[pass][edge] / slowed_s;
}

static void comm_op_overlap(struct comm_op_cost *cost, const struct block_cost *block, int index,
                            const struct comm_choice *choice)
{
    double exposed_s[RK_PASSES], hidden_s;
    for (int pass = 0; pass < RK_PASSES; pass++)
        cost->time_s[pass] =
            overlapped_s(block, index, pass, cost->link_s[pass][0], choice, &exposed_s[pass]);
    cost->time_redone_s = cost->time_s[RK_WGRAD];
    cost->time_s[RK_WGRAD] = overlapped_s(block, index, RK_WGRAD, 0, choice, &hidden_s);
    exposed_s[RK_WGRAD] = exposed_s[RK_FORWARD];
    for (int pass = 0; pass < RK_PASSES; pass++)
        cost->exposed_s[pass][0] = cost->exposed_s[pass][1] = exposed_s[pass];
    comm_require(cost, &block->op[index], RK_FORWARD, choice->network->processor_usage);
    comm_require(cost, &block->op[index], RK_AGRAD, choice->network->processor_usage);
}

void comm_op_fold(struct comm_op_cost *cost, const struct block_cost *block, int index,
                  const struct comm_choice *choice)
{
    memset(cost, 0, sizeof *cost);
    for (int pass = 0; pass < RK_PASSES && choice->ranks > 1; pass++)
        send(block, index, choice, pass, cost->bytes[pass], cost->link_s[pass]);
    if (block->block->op[index].overlapped)
        comm_op_overlap(cost, block, index, choice);
    else
        memcpy(cost->exposed_s, cost->link_s, sizeof cost->exposed_s);
}

void comm_add(struct comm_cost *cost, const struct op *op, const struct comm_op_cost *more,
              unsigned conditions)
{
    const bool redone = holds(conditions, op->recommunicated);
    const int passes = redone ? RK_PASSES : RK_WGRAD;
    for (int pass = 0; pass < passes; pass++)
        for (int edge = 0; edge < 2; edge++) {
            cost->bytes[pass][edge] += more->bytes[pass][edge];
            cost->link_s[pass][edge] += more->link_s[pass][edge];
            cost->exposed_s[pass][edge] += more->exposed_s[pass][edge];
        }
    cost->time_s[RK_FORWARD] += more->time_s[RK_FORWARD];
    cost->time_s[RK_AGRAD] += more->time_s[RK_AGRAD];
    cost->time_s[RK_WGRAD] += redone ? more->time_redone_s : more->time_s[RK_WGRAD];
    if (op->overlapped && holds(conditions, op->recomputed))
        cost->recompute_s += more->time_s[RK_FORWARD];
    for (int pass = RK_FORWARD; pass <= RK_AGRAD; pass++)
        if (more->required_Bps[pass] > cost->required_Bps[pass])
            cost->required_Bps[pass] = more->required_Bps[pass];
}

void comm_sum(struct comm_cost *cost, const struct block_cost *block,
              const struct comm_op_cost *ops, unsigned conditions)
{
    memset(cost, 0, sizeof *cost);
    for (int i = 0; i < block->comm_ops; i++)
        comm_add(cost, &block->block->op[block->comm_op[i]], &ops[i], conditions);
}

/* ---- optimizer ---- */

enum { ADAM_FLOP = 11, MOMENT_BYTES = 8, MASTER_BYTES = 4, FULL_GRAD_BYTES = 4 }; /* per weight */

struct optimizer_cost optimizer_fold_op(const struct block_cost *block, int index, double shards)
{
    const double weights = block->block->op[index].weights;
    const double bytes = rk_datatype_bytes(block->datatype);
    const double master = bytes < 4 ? MASTER_BYTES : 0;
    struct optimizer_cost cost = {
        .state_bytes = (master * weights + MOMENT_BYTES * weights) / shards,
        .grad_bytes = weights * bytes / shards,
        .grad_full_bytes = FULL_GRAD_BYTES * weights,
    };
    cost.pass.flop = ADAM_FLOP * weights / shards;
    cost.pass.flop_s = curve_time_s(&block->system->vector[block->datatype].curve, cost.pass.flop);
    cost.pass.access_bytes = cost.state_bytes;
    cost.pass.access_s = curve_time_s(&block->system->memory[0].curve, cost.state_bytes);
    cost.pass.time_s =
        processing_time_s(block->system->processing, cost.pass.flop_s, cost.pass.access_s);
    return cost;
}

void optimizer_fold(struct optimizer_cost *sum, const struct block_cost *block, double shards)
{
    memset(sum, 0, sizeof *sum);
    for (int i = 0; i < block->block->ops; i++) {
        if (block->block->op[i].weights == 0) continue;
        const struct optimizer_cost cost = optimizer_fold_op(block, i, shards);
        sum->pass.flop += cost.pass.flop;
        sum->pass.flop_s += cost.pass.flop_s;
        sum->pass.access_bytes += cost.pass.access_bytes;
        sum->pass.access_s += cost.pass.access_s;
        sum->pass.time_s += cost.pass.time_s;
        sum->state_bytes += cost.state_bytes;
        sum->grad_bytes += cost.grad_bytes;
        sum->grad_full_bytes += cost.grad_full_bytes;
    }
}

/* ---- all of it ---- */

void layer_join(struct layer_cost *layer, const struct block_cost *block,
                const struct recompute_cost *recompute, const struct comm_cost *comm, bool training)
{
    const struct pass_cost *agrad = &block->pass[RK_AGRAD], *wgrad = &block->pass[RK_WGRAD];
    *layer = (struct layer_cost){
        .forward_access_s = block->pass[RK_FORWARD].access_s,
        .weight_bytes = block->weight_bytes,
        .working_bytes = block->working_bytes,
        .stored_bytes = recompute->stored_bytes,
        .checkpoint_bytes = recompute->checkpoint_bytes,
    };
    const double forward_s = block->pass[RK_FORWARD].time_s + comm->time_s[RK_FORWARD];
    for (int edge = 0; edge < 2; edge++)
        layer->forward_s[edge] = forward_s + comm->exposed_s[RK_FORWARD][edge];
    if (!training) return;
    const double backward_s = (recompute->pass.time_s + comm->recompute_s) +
                              (agrad->time_s + comm->time_s[RK_AGRAD]) +
                              (wgrad->time_s + comm->time_s[RK_WGRAD]);
    for (int edge = 0; edge < 2; edge++) {
        layer->backward_s[edge] =
            backward_s + comm->exposed_s[RK_WGRAD][edge] + comm->exposed_s[RK_AGRAD][edge];
        layer->backward_link_s[edge] = comm->link_s[RK_WGRAD][edge] + comm->link_s[RK_AGRAD][edge];
    }
    layer->backward_access_s = agrad->access_s + wgrad->access_s;
    layer->recompute_access_s = recompute->pass.access_s;
    layer->backward_flop_s = agrad->flop_s + wgrad->flop_s + recompute->pass.flop_s;
    layer->activation_grad_bytes = block->activation_grad_bytes;
}
