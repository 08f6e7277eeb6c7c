/* passes.c - a plan's stages part by part, for who simulates them. */
#include "estimate/runs.h"

#include <math.h>

/* What a stage spends beyond its layers goes to its parts by their blocks. */
static double share_of(const struct stage_sum *part, const struct stage_sum *stage, double parts)
{
    return stage->blocks > 0 ? part->blocks / stage->blocks : 1 / parts;
}

static void copies_of(struct rk_chunk *chunk, const struct stage_sum *part)
{
    for (int way = 0; way < RK_WAYS; way++) {
        chunk->chunks_in_s[way] = part->copied[way].in_s;
        chunk->chunks_in_bytes[way] = part->copied[way].in_bytes;
        chunk->chunks_out_s[way] = part->copied[way].out_s;
        chunk->chunks_out_bytes[way] = part->copied[way].out_bytes;
    }
}

static void waits_of(struct rk_chunk *chunk, const struct stage_sum *part)
{
    static const enum fold_pass passes[RK_WAYS][3] = {{FOLD_FORWARD, FOLD_FORWARD, FOLD_FORWARD},
                                                      {FOLD_AGRAD, FOLD_WGRAD, FOLD_RECOMPUTE}};
    for (int way = 0; way < RK_WAYS; way++)
        for (int i = 0; i < (way == RK_WAY_FORWARD ? 1 : 3); i++) {
            const double *spent_s = part->spent_s[passes[way][i]];
            chunk->tensor_s[way] += spent_s[SPENT_TENSOR];
            chunk->context_s[way] += spent_s[SPENT_CONTEXT];
            chunk->expert_s[way] += spent_s[SPENT_EXPERT];
        }
}

/* `stage` with, `alone` without what it moves for each microbatch. */
static void fill_chunk(struct rk_chunk *chunk, const struct stage_sum *part,
                       const struct stage_sum *stage, const struct stage_sum *alone,
                       const struct exchange *exchange, const struct stage_transfers *moved,
                       const struct rk_plan *plan)
{
    const double share = share_of(part, stage, (double)plan->chunks);
    const bool swaps = plan->recompute_rest; /* blocks through two buffers, the ends stay */
    const double offloaded = rk_plan_activations_away(plan);
    double ends_bytes = 0;
    for (int end = 0; end < ENDS; end++)
        ends_bytes += part->ends_total_bytes[end];
    const double held_bytes = swaps ? ends_bytes : part->saved_total_bytes * (1 - offloaded);
    const double moved_bytes =
        swaps ? part->saved_total_bytes - ends_bytes : offloaded * part->saved_total_bytes;
    const double buffers = swaps && stage->blocks < 2 ? 1 : 2 / fmax(stage->blocks, 1);
    const double again_s = stage->pass_s[FOLD_RECOMPUTE] - alone->pass_s[FOLD_RECOMPUTE];
    /* what layers wait for themselves is in their passes */
    const double out_s =
        stage->spent_s[FOLD_FORWARD][SPENT_OFFLOAD] - alone->spent_s[FOLD_FORWARD][SPENT_OFFLOAD];
    const double back_s =
        stage->spent_s[FOLD_AGRAD][SPENT_OFFLOAD] - alone->spent_s[FOLD_AGRAD][SPENT_OFFLOAD];
    const double added_s = stage->pass_s[FOLD_AGRAD] - alone->pass_s[FOLD_AGRAD] - back_s;
    double exchange_s[RK_WAYS]; /* with nothing to hide it: experts.h */
    for (int way = 0; way < RK_WAYS; way++) {
        const enum fold_pass pass = way == RK_WAY_FORWARD ? FOLD_FORWARD : FOLD_AGRAD;
        exchange_s[way] =
            share * (stage->spent_s[pass][SPENT_EXPERT] - alone->spent_s[pass][SPENT_EXPERT]);
    }
    *chunk = (struct rk_chunk){
        .blocks = (uint64_t)part->blocks,
        .forward_s = part->pass_s[FOLD_FORWARD] + exchange_s[RK_WAY_FORWARD],
        .expert_s = {exchange_s[RK_WAY_FORWARD], exchange_s[RK_WAY_BACKWARD]},
        .recompute_s = part->pass_s[FOLD_RECOMPUTE] + share * again_s,
        .input_s = part->pass_s[FOLD_AGRAD] + share * added_s,
        .weight_s = part->pass_s[FOLD_WGRAD],
        .offload_s = {share * out_s, share * back_s},
        .out_s = share * moved->out_s,
        .out_bytes = share * moved->activations_bytes,
        .back_s = share * moved->back_s,
        .weights_s = share * moved->weights_s,
        .weights_bytes = share * moved->weights_bytes,
        .data_s = {share * stage->data_s[FOLD_FORWARD], share * stage->data_s[FOLD_AGRAD]},
        .reduce_s = plan->zero < 2 ? share * exchange->reduce.time_s : 0,
        .held_bytes = held_bytes,
        .released_bytes = part->ends_total_bytes[LAST_END] * (swaps ? 1 : 1 - offloaded),
        .moving_bytes = stage->blocks > 0 ? buffers * moved_bytes : 0,
    };
    waits_of(chunk, part);
    copies_of(chunk, part);
}

/* Stages whose layers are not all run alike. */
static void passes_of_runs(const struct rk_model *model, const struct rk_system *system,
                           const struct rk_plan *plan, struct rk_passes *passes)
{
    struct runs runs;
    runs_of(&runs, model, system, plan);
    *passes = (struct rk_passes){
        .stages = (int)plan->pipeline,
        .parts = (int)(plan->pipeline * plan->chunks),
        .send_s = runs_send_s(&runs, system),
        .message_bytes = plan->pipeline > 1 ? runs_message_bytes(&runs) : 0,
        .sends_wait = sends_wait(plan),
        .reduce_beside = plan->gradient_overlap,
    };
    for (int i = 0; i < passes->stages; i++) {
        const struct exchange none = {.copied = false};
        const struct stage_transfers unknown = {0}; /* runs have shares of their own */
        struct run_stage stage, part;
        run_stage_of(&stage, NULL, &runs, model, system, plan, (uint64_t)i);
        passes->reduce_in_buckets |= plan->gradient_overlap && in_buckets(&stage.sum, plan);
        passes->end[i].optimizer_s = stage.end.optimizer_s;
        passes->end[i].gather_s = stage.end.gather_s;
        for (int at = i; at < passes->parts; at += passes->stages) {
            struct rk_chunk *chunk = &passes->chunk[at];
            run_part_sum(&part, &runs, model, system, plan, (uint64_t)at);
            fill_chunk(chunk, &part.alone, &stage.sum, &stage.alone, &none, &unknown, plan);
            chunk->reduce_s = part.reduce_s;
            chunk->held_bytes = part.held_bytes;
            chunk->released_bytes = part.released_bytes;
            chunk->moving_bytes = part.moving_bytes;
        }
    }
}

void rk_predict_passes(const struct rk_model *model, const struct rk_system *system,
                       const struct rk_plan *plan, struct rk_passes *passes)
{
    struct stage_blocks blocks[RK_MAX_STAGES];
    struct stage_map map = {.blocks = blocks};
    struct layer_folds fold;
    struct class_sums sums;
    const struct sharing sharing = sharing_of(plan);
    if (!plan_is_alike(plan)) {
        passes_of_runs(model, system, plan, passes);
        return;
    }
    fold_layers(&fold, model, system, plan);
    stage_map_of(&map, model, plan);
    stage_sums(&sums, &map, &fold, model, system, &sharing, plan);
    *passes = (struct rk_passes){
        .stages = map.stages,
        .parts = (int)(plan->pipeline * plan->chunks),
        .send_s = send_s_of(&fold, system, plan),
        .message_bytes = plan->pipeline > 1 ? fold.message_bytes : 0,
        .sends_wait = sends_wait(plan),
        .reduce_beside = plan->gradient_overlap,
    };
    for (int i = 0; i < passes->parts; i++) {
        const int class = map.class_of[rk_plan_stage_of(plan, (uint64_t)i)];
        const struct stage_sum *stage = &sums.sum[class];
        const struct exchange exchange = exchange_of(stage, system, &sharing, plan);
        passes->reduce_in_buckets |= plan->gradient_overlap && in_buckets(stage, plan);
        struct stage_blocks part_blocks;
        struct stage_sum part, alone;
        stage_part(&part_blocks, model, plan, (uint64_t)i);
        stage_sum(&part, &fold, model, plan, &part_blocks);
        stage_sum(&alone, &fold, model, plan, &blocks[class]);
        const struct stage_transfers moved = stage_transfers(stage, system, &sharing, plan);
        fill_chunk(&passes->chunk[i], &part, stage, &alone, &exchange, &moved, plan);
    }
    for (int i = 0; i < map.stages; i++) {
        const struct stage_end *end = &sums.end[map.class_of[i]];
        passes->end[i].optimizer_s = end->optimizer_s;
        passes->end[i].gather_s = end->gather_s;
    }
}
