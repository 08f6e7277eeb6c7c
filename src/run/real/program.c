/* program.c - what the rank does in a step: the schedule's passes times the operations of its layers. */
#include "run/real/engine.h"

#include "schedule/order.h"

#include <stdlib.h>
#include <string.h>

static bool put(struct engine *e, struct instruction i)
{
    if (e->instructions == e->program_room) {
        e->program_room = e->program_room ? 2 * e->program_room : 1024;
        struct instruction *more = realloc(e->program, e->program_room * sizeof *more);
        if (!more) return false;
        e->program = more;
    }
    e->program[e->instructions++] = i;
    return true;
}

/* ---- what is computed again ---- */

static bool runs_again(const struct rk_plan *plan, const struct operation *op)
{
    unsigned parts = op->part < 0 ? 0 : 1u << op->part;
    if (plan->recompute == RK_WHOLE) return true;
    if (plan->recompute != RK_SELECTIVE) return false;
    if (strcmp(op->name, "activation") == 0) parts |= 1u << RK_PART_MLP;
    if (strcmp(op->name, "expert activation") == 0) parts |= 1u << RK_PART_EXPERTS;
    return (plan->recompute_parts & parts) != 0;
}

static bool is_block(const struct at_layer *l)
{
    return l->kind >= LAYER_BLOCKS && l->kind < LAYER_PREDICT;
}

static const struct layer *operations_of(const struct engine *e, int layer)
{
    return &e->job->layer[e->layer[layer].kind];
}

static void mark_drops(struct engine *e)
{
    for (int i = 0; i < e->layers; i++) {
        const struct layer *ops = operations_of(e, i);
        if (!is_block(&e->layer[i])) continue;
        for (int o = 0; o < ops->operations; o++) {
            if (!runs_again(&e->job->plan, &ops->operation[o])) continue;
            const struct kernels *k = &kernel_table[kernel_find(ops->operation[o].name)];
            for (int s = 0; s < 3 && k->kept[s]; s++)
                e->drops[i * SLOTS + (int)k->kept[s]] = true;
        }
    }
}

/* ---- passes ---- */

static bool put_operations(struct engine *e, int layer, uint32_t mb, enum work work, bool backwards)
{
    const struct layer *ops = operations_of(e, layer);
    for (int n = 0; n < ops->operations; n++) {
        const struct operation *op = &ops->operation[backwards ? ops->operations - 1 - n : n];
        if (work == WORK_AGAIN && !runs_again(&e->job->plan, op)) continue;
        if (!put(e, (struct instruction){.what = DO_OPERATION,
                                         .work = (uint8_t)work,
                                         .operation = (uint16_t)kernel_find(op->name),
                                         .layer = layer,
                                         .microbatch = mb}))
            return false;
    }
    return true;
}

static bool put_end(struct engine *e, int layer, uint32_t mb, enum work work, bool ends)
{
    return put(e, (struct instruction){.what = DO_LAYER_END,
                                       .work = (uint8_t)work,
                                       .layer = layer,
                                       .microbatch = mb,
                                       .ends = ends});
}

/* Input and weight gradients of an operation follow each other. */
static bool put_backward(struct engine *e, int layer, uint32_t mb, enum pass pass)
{
    const struct layer *ops = operations_of(e, layer);
    if (pass != PASS_WEIGHT_GRAD && is_block(&e->layer[layer]) &&
        !put_operations(e, layer, mb, WORK_AGAIN, false))
        return false;
    for (int n = ops->operations - 1; n >= 0; n--)
        for (int work = WORK_INPUT; work <= WORK_WEIGHT; work++) {
            if (pass == (work == WORK_INPUT ? PASS_WEIGHT_GRAD : PASS_INPUT_GRAD)) continue;
            if (!put(e, (struct instruction){.what = DO_OPERATION,
                                             .work = (uint8_t)work,
                                             .operation = (uint16_t)kernel_find(ops->operation[n].name),
                                             .layer = layer,
                                             .microbatch = mb}))
                return false;
        }
    return put_end(e, layer, mb, pass == PASS_WEIGHT_GRAD ? WORK_WEIGHT : WORK_INPUT,
                   pass != PASS_INPUT_GRAD);
}

/* A message between parts of the model, to or from the rank of another stage. */
static bool put_message(struct engine *e, enum what what, uint64_t part, uint32_t mb, int layer, bool back,
                        int stage)
{
    const uint64_t parts = pipeline_parts(&e->job->pipeline);
    const int peer = e->stages.rank[stage];
    if (peer == e->rank) return true;
    return put(e, (struct instruction){.what = (uint8_t)what,
                                       .layer = layer,
                                       .microbatch = mb,
                                       .peer = peer,
                                       .tag = (uint32_t)(COMM_MESSAGES + (mb * parts + part) * 2 + back),
                                       .back = back});
}

static void layers_of_chunk(const struct engine *e, uint64_t part, int *first, int *end)
{
    const struct job *job = e->job;
    const uint64_t parts = pipeline_parts(&job->pipeline);
    int64_t begin = 0;
    for (uint64_t i = 0; i < part; i++)
        begin += (int64_t)rk_plan_split(&job->plan, &job->model, i);
    const int64_t last = begin + (int64_t)rk_plan_split(&job->plan, &job->model, part);
    *first = e->layers;
    *end = 0;
    for (int i = 0; i < e->layers; i++) {
        const int64_t l = e->layer[i].layer;
        const bool here = l < 0 ? part == 0
                                : l == (int64_t)job->model.layers ? part == parts - 1
                                                                  : l >= begin && l < last;
        if (here && i < *first) *first = i;
        if (here) *end = i + 1;
    }
}

static bool put_pass(struct engine *e, const struct order_pass *p)
{
    const struct pipeline *pipe = &e->job->pipeline;
    const uint64_t stage = (uint64_t)e->stages.me, part = pipeline_part(pipe, stage, p->chunk);
    const bool forward = p->pass == PASS_FORWARD;
    const int up = (int)pipeline_neighbour(pipe, (uint32_t)stage, p->chunk, true),
              down = (int)pipeline_neighbour(pipe, (uint32_t)stage, p->chunk, false);
    const bool first_part = part == 0, last_part = part + 1 == pipeline_parts(pipe);
    int first, end;
    layers_of_chunk(e, part, &first, &end);
    if (forward && !first_part && !put_message(e, DO_RECEIVE, part - 1, p->microbatch, first, false, down))
        return false;
    const bool gradient = p->pass == PASS_BACKWARD || p->pass == PASS_INPUT_GRAD;
    if (gradient && !last_part && !put_message(e, DO_RECEIVE, part, p->microbatch, end - 1, true, up))
        return false;
    for (int n = 0; n < end - first; n++) {
        const int layer = forward ? first + n : end - 1 - n;
        const bool ok = forward ? put_operations(e, layer, p->microbatch, WORK_FORWARD, false) &&
                                      put_end(e, layer, p->microbatch, WORK_FORWARD, false)
                                : put_backward(e, layer, p->microbatch, p->pass);
        if (!ok) return false;
    }
    if (forward && !last_part) return put_message(e, DO_SEND, part, p->microbatch, end - 1, false, up);
    if (gradient && !first_part)
        return put_message(e, DO_SEND, part - 1, p->microbatch, first, true, down);
    return true;
}

bool REAL(program_make)(struct engine *e, struct rk_error *error)
{
    struct order_cursor cursor = order_open(&e->job->pipeline, (uint64_t)e->stages.me);
    struct order_pass pass;
    bool ok = true;
    e->drops = calloc((size_t)e->layers * SLOTS, sizeof *e->drops);
    if (e->drops) mark_drops(e);
    while (ok && e->drops && order_next(&cursor, &pass))
        ok = put_pass(e, &pass);
    if (ok && e->drops && put(e, (struct instruction){.what = DO_STEP})) return true;
    rk_fail(error, RK_IO, NULL, 0, 0, "no memory for the program of rank %d", e->rank);
    return false;
}
