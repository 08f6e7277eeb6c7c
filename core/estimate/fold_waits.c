/* fold_waits.c - communication that overlaps with computation: what is waited for. */
#include "estimate/fold_parts.h"

/* The operation of a kind that is nearest to `at`: the one that communication overlaps with. */
static int neighbour(const struct layer *layer, int at, enum operation_kind kind)
{
    for (int distance = 1; distance < layer->operations; distance++) {
        const int after = at + distance, before = at - distance;
        if (after < layer->operations && layer->operation[after].kind == kind) return after;
        if (before >= 0 && layer->operation[before].kind == kind) return before;
    }
    return -1;
}

/* The exposed part of `comm_s` in `steps` steps that overlap with `work_s`: the excess, or one step
 * that has nothing to overlap with, whichever is more. */
static double exposed_beside(double comm_s, double work_s, double steps)
{
    const double left_s = comm_s - work_s * (steps - 1) / steps, one_s = comm_s / steps;
    return left_s > one_s ? left_s : one_s;
}

/* The first step of attention needs no message: it has one step more than forward has messages. */
static double exposed_of_ring(double comm_s, double work_s, double messages)
{
    const double left_s = comm_s - work_s * messages / (messages + 1);
    return left_s > 0 ? left_s : 0;
}

/* The pass of a product that its neighbor's messages of a pass overlap with. In backward the input
 * is gathered again during the input gradient, which is scattered during the weight gradient
 * (ub_bulk_dgrad, ub_bulk_wgrad of Transformer Engine): each product hides one message. */
static int hiding_pass(const struct operation *op, int pass)
{
    const bool twice = op->beside_matrix && op->comm_bytes[RK_WGRAD] > 0;
    if (!twice || pass == RK_FORWARD) return pass;
    return pass == RK_AGRAD ? RK_WGRAD : RK_AGRAD;
}

static double exposed_s(const struct bench *bench, const struct timed_layer *timed, int at,
                        int pass, struct rank_group group)
{
    const struct layer *layer = &timed->layer;
    const struct operation *op = &layer->operation[at];
    const double comm_s = timed->time_s[at][pass];
    if (!(comm_s > 0) || copied_between(bench->system, group)) return comm_s;
    if (op->beside_attention) {
        const int other = neighbour(layer, at, OPERATION_ATTENTION);
        if (other >= 0)
            return exposed_of_ring(comm_s, timed->time_s[other][pass], op->comm_times[RK_FORWARD]);
    }
    if (op->beside_matrix && bench->plan->tensor_overlap) {
        const int other = neighbour(layer, at, OPERATION_MATRIX);
        const double *work_s = timed->time_s[other < 0 ? 0 : other];
        if (other >= 0) return exposed_beside(comm_s, work_s[hiding_pass(op, pass)], group.ranks);
    }
    if (op->over == OVER_EXPERT && bench->plan->expert_overlap) return 0; /* see wait_for_experts */
    return comm_s;
}

/* Bytes that leave a rank in one pass of a collective, by the least that its algorithms move
 * [patarasuk2009]. */
static double sent_bytes(const struct operation *op, int pass, double ranks)
{
    const double times = op->comm_times[pass] > 0 ? op->comm_times[pass] : 1;
    const double bytes = times * op->comm_bytes[pass], others = (ranks - 1) / ranks;
    if (ranks <= 1) return 0;
    if (op->what[pass] == COMM_SEND) return bytes;
    return (op->what[pass] == COMM_ALL_REDUCE ? 2 : 1) * others * bytes;
}

void fold_waits(struct timed_layer *timed, const struct bench *bench, int at)
{
    const struct operation *op = &timed->layer.operation[at];
    const bool comm = op->kind == OPERATION_COMM;
    const struct rank_group none = {1, 1};
    const struct rank_group group = comm ? group_over(&bench->ranks, op->over) : none;
    for (int pass = 0; pass < RK_PASSES; pass++) {
        const int beside = bench->plan->tensor_overlap ? hiding_pass(op, pass) : pass;
        timed->waited_s[at][beside] =
            comm ? exposed_s(bench, timed, at, pass, group) + rearranging_s(bench, op, pass)
                 : timed->time_s[at][pass] + fetch_wait_s(bench, op, pass);
        timed->sent_bytes[at][pass] = comm ? sent_bytes(op, pass, group.ranks) : 0;
    }
}
