/* operations.c - the operations of a plan's layers, one by one; and what a memory tier holds. */
#include "estimate/fold.h"
#include "estimate/predict.h"

#include <string.h>

/* clang-format off */
static const char *const block_names[MLP_KINDS][MIXERS] = {
    /*                attention             local                    recurrent             both                    encoder            cross                    none */
    [MLP_DENSE]   = {"block",              "block, window",          "block, recurrent",   "block, both mixers",   "encoder block",   "decoder block",         "MLP"},
    [MLP_EXPERTS] = {"experts",            "experts, window",        "experts, recurrent", "experts, both mixers", "encoder experts", "decoder experts",       "experts alone"},
    [MLP_NONE]    = {"attention",          "attention, window",      "recurrence",         "both mixers",          "encoder",         "decoder attention",     "nothing"},
};
/* clang-format on */

const char *layer_kind_name(enum layer_kind kind)
{
    if (kind == LAYER_EMBEDDING) return "embedding";
    if (kind == LAYER_HEAD) return "head";
    if (kind == LAYER_PREDICT) return "token prediction";
    return block_names[mlp_of_kind(kind)][mixer_of_kind(kind)];
}

static double element_bytes(const struct rk_plan *plan, const struct operation *op)
{
    const enum operand operand = operand_of(plan->precision, op->narrow);
    if (operand == OPERAND_FLOAT32 || operand == OPERAND_TFLOAT32) return 4;
    return operand == OPERAND_FLOAT8 || operand == OPERAND_INT8 ? 1
           : operand == OPERAND_FLOAT4                          ? 0.5
                                                                : 2;
}

double operation_access_bytes(const struct rk_plan *plan, const struct operation *op, int pass)
{
    const double element = element_bytes(plan, op);
    if (op->kind == OPERATION_MEMORY) return op->bytes[pass];
    if (op->flop[pass] == 0) return 0;
    if (op->kind == OPERATION_MATRIX)
        return element * op->count * (op->m * op->k + op->k * op->n + op->m * op->n);
    if (op->kind != OPERATION_ATTENTION) return 0;
    const double once = op->batch * (op->head_dim + op->value_dim) *
                        (op->heads * op->queries + op->kv_heads * op->keys);
    return element * once * (pass == RK_FORWARD ? 1 : 2); /* and their gradients */
}

static void fill(struct rk_operation *out, const struct timed_layer *timed, int at,
                 const struct rk_plan *plan)
{
    const struct operation *op = &timed->layer.operation[at];
    const bool comm = op->kind == OPERATION_COMM;
    const bool block = timed->layer.kind != LAYER_EMBEDDING && timed->layer.kind != LAYER_HEAD;
    *out = (struct rk_operation){.layer = layer_kind_name(timed->layer.kind),
                                 .name = op_name(op->op),
                                 .parameters = op->parameters,
                                 .activation_bytes = op->saved_bytes,
                                 .keeps_output = op->saved_bytes > 0,
                                 .recomputed = block && runs_again(plan, op)};
    for (int pass = 0; pass < RK_PASSES; pass++) {
        out->flop[pass] = op->flop[pass];
        out->access_bytes[pass] = operation_access_bytes(plan, op, pass);
        out->time_s[pass] = comm ? 0 : timed->time_s[at][pass];
        out->comm_bytes[pass][0] = comm ? timed->sent_bytes[at][pass] : 0;
        out->comm_link_s[pass][0] = comm ? timed->time_s[at][pass] : 0;
        out->comm_exposed_s[pass][0] = comm ? timed->waited_s[at][pass] : 0;
    }
}

int layers_operations(const struct rk_model *model, const struct rk_system *system,
                      const struct rk_plan *plan, struct rk_operation *operations, int most)
{
    double counts[LAYER_KINDS] = {[LAYER_EMBEDDING] = 1, [LAYER_HEAD] = 1};
    struct timed_layer timed;
    int used = 0;
    layer_count(model, 0, model->layers, counts);
    counts[LAYER_PREDICT] = (double)model->predict_layers;
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        if (counts[kind] == 0) continue;
        time_layer(&timed, (enum layer_kind)kind, model, system, plan);
        for (int i = 0; i < timed.layer.operations; i++, used++) {
            if (used >= most) continue;
            fill(&operations[used], &timed, i, plan);
            operations[used].layers = counts[kind];
        }
    }
    return used;
}

double layers_tier(const struct rk_prediction *prediction, const struct rk_plan *plan, int tier,
                   double holds[RK_HOLDING_COUNT])
{
    const struct rk_stage *stage = &prediction->stage[prediction->tightest];
    double most = 0; /* of a lower tier: another stage may have more of it */
    (void)plan;
    memset(holds, 0, RK_HOLDING_COUNT * sizeof *holds);
    if (tier == 0) memcpy(holds, stage->holds, sizeof stage->holds);
    if (tier == 0) return stage->total_bytes;
    for (int i = 0; i < prediction->stages && tier <= RK_SHARE_TIERS; i++)
        if (prediction->stage[i].away_bytes[tier - 1] > most)
            most = prediction->stage[i].away_bytes[tier - 1];
    return most;
}
