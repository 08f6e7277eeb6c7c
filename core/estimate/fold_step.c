/* fold_step.c - the optimizer's step on a layer: matrices that Muon makes orthogonal. */
#include "base/extremes.h"
#include "estimate/fold_parts.h"
#include "machine/busy.h"

/* Muon makes the momentum of each matrix orthogonal by five Newton-Schulz steps in bf16, of three
 * products each: with a <= b the sides of the matrix, (a, b) x (b, a), (a, a) x (a, a), (a, a) x
 * (a, b) [jordan2024]. Tensor ranks gather the whole matrix and do all the same (Megatron-LM's
 * --muon-tp-mode duplicated, its default). The host starts these fifteen and some ten more kernels
 * for each matrix: momentum, norm, casts, scale, decay, update (emerging_optimizers). */
enum { NEWTON_SCHULZ_STEPS = 5, MATRIX_STARTS = 3 * NEWTON_SCHULZ_STEPS + 10 };

static double orthogonal_s(const struct bench *bench, double a, double b)
{
    const enum operand operand = operand_of(RK_BF16, false);
    const double once_s = bench_product_s(bench, operand, 1, a, a, b) +
                          bench_product_s(bench, operand, 1, a, a, a) +
                          bench_product_s(bench, operand, 1, a, b, a);
    return NEWTON_SCHULZ_STEPS * once_s / bench->sustained;
}

static void add_orthogonal(struct step_fold *step, const struct bench *bench,
                           const struct operation *op, const struct operation *whole)
{
    const double share = busy_share_of(bench->system, bench->plan);
    const struct rank_group group =
        group_over(&bench->ranks, op->expert ? OVER_EXPERT_TENSOR : OVER_TENSOR);
    const double a = smaller(whole->n, whole->k), b = larger(whole->n, whole->k);
    const double gathered = a * b > op->n * op->k ? 4 * a * b : 0;
    double work_s = orthogonal_s(bench, a, b);
    if (share > 0) {
        const struct rk_system system = busy_system(bench->system);
        const struct bench busy = bench_of(bench->model, &system, bench->plan);
        work_s = busy_between(work_s, orthogonal_s(&busy, a, b), share);
    }
    step->work_s +=
        op->count * (work_s + collective_time_s(bench->system, ALL_GATHER, group, gathered));
    step->starts += op->count * MATRIX_STARTS;
}

/* That of a layer that no tensor ranks share. */
static const struct operation *same_operation(const struct layer *layer, const struct operation *op)
{
    for (int i = 0; i < layer->operations; i++)
        if (layer->operation[i].op == op->op) return &layer->operation[i];
    return op;
}

void fold_step(struct layer_fold *fold, const struct bench *bench, const struct rk_model *model,
               const struct layer *layer)
{
    if (bench->plan->optimizer != RK_MUON || !is_block(layer->kind)) return;
    struct rk_plan alone = *bench->plan;
    struct layer whole;
    alone.tensor = alone.expert_tensor = 1;
    layer_build(&whole, layer->kind, model, &alone);
    for (int i = 0; i < layer->operations; i++) {
        const struct operation *op = &layer->operation[i];
        if (op->kind == OPERATION_MATRIX && op->of_weights && op->parameters > 0)
            add_orthogonal(&fold->step[op->expert], bench, op, same_operation(&whole, op));
    }
}
