/* experts.c - the exchange of experts during the computation of another microbatch. */
#include "estimate/experts.h"
#include "base/extremes.h"
#include "estimate/fold_parts.h"

enum { DISPATCH_UNITS = 20 }; /* multiprocessors that send and receive [deepseek2024v3] */

void experts_add(double exchange_s[FOLD_PASSES], const struct timed_layer *timed, int at,
                 bool redone, int bare)
{
    const struct operation *op = &timed->layer.operation[at];
    const double *time_s = timed->time_s[at];
    if (op->kind != OPERATION_COMM || op->over != OVER_EXPERT) return;
    for (int pass = 0; pass < RK_PASSES; pass++)
        exchange_s[fold_pass_of(op, pass)] += (pass == RK_FORWARD ? 1 + bare : 1) * time_s[pass];
    if (redone) exchange_s[FOLD_RECOMPUTE] += time_s[RK_FORWARD];
}

static double passes_s(const struct layer_fold *fold)
{
    double sum_s = 0;
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        sum_s += fold->pass_s[pass];
    return sum_s;
}

/* The host starts kernels while tokens travel, too. */
static double alone_s(const struct layer_fold *fold, const struct bench *bench,
                      const double exchange_s[FOLD_PASSES], const double starts[FOLD_PASSES])
{
    double sum_s = 0;
    for (int pass = 0; pass < FOLD_PASSES; pass++) {
        const double device_s = fold->pass_s[pass] + exchange_s[pass];
        sum_s += device_s + host_wait_s(bench->system, bench->plan, starts[pass], device_s);
    }
    return sum_s;
}

/* Computing is without the multiprocessors that send, as long as they do. */
struct experts_beside experts_begin(struct layer_fold *fold, const struct bench *bench,
                                    const double exchange_s[FOLD_PASSES],
                                    const double starts[FOLD_PASSES])
{
    const double taken = DISPATCH_UNITS / larger(bench->system->kernels.multiprocessors, 1);
    struct experts_beside beside = {.hidden = false};
    if (!bench->plan->expert_overlap) return beside;
    if (copied_between(bench->system, group_over(&bench->ranks, OVER_EXPERT))) return beside;
    beside.hidden = true;
    beside.alone_s = alone_s(fold, bench, exchange_s, starts);
    beside.slower_s = smaller(taken, 1) * smaller(fold->link_s[LINK_EXPERT], passes_s(fold));
    fold_spend(fold, FOLD_AGRAD, SPENT_EXPERT, beside.slower_s);
    return beside;
}

/* What neither computing nor the host's waits cover is waited for. */
void experts_end(struct layer_fold *fold, const struct experts_beside *beside)
{
    if (!beside->hidden) return;
    const double covered_s = passes_s(fold) - beside->slower_s;
    fold->for_experts_s = larger(0, fold->link_s[LINK_EXPERT] - covered_s);
    fold_spend(fold, FOLD_AGRAD, SPENT_EXPERT, fold->for_experts_s);
    fold->beside_experts_s = larger(0, beside->alone_s - passes_s(fold));
}

double experts_share(double stages, double microbatches)
{
    return smaller(1, stages / microbatches);
}

void experts_alone(struct stage_sum *sum, const struct sharing *sharing)
{
    const double half_s = sharing->alone * sum->beside_experts_s / 2;
    for (int pass = FOLD_FORWARD; pass <= FOLD_AGRAD; pass++) {
        sum->spent_s[pass][SPENT_EXPERT] += half_s;
        sum->pass_s[pass] += half_s;
    }
}
