/* layer.c - the passes of one layer: its operations forward, once more, and backward. */
#include "program/pass.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct pass_of_layer begin(struct build *b, const struct slot *slot, int32_t microbatch)
{
    b->draft.layer = slot->layer;
    b->draft.microbatch = microbatch;
    b->draft.chunk = slot->chunk;
    return (struct pass_of_layer){b,
                                  slot,
                                  place_of(b, slot),
                                  kind_of(b, slot),
                                  live_of(b, slot, microbatch),
                                  microbatch,
                                  NO_CHUNK,
                                  1};
}

static bool is_redone(const struct pass_of_layer *p, int i)
{
    return p->slot->treatment == RECOMPUTED && runs_again(&p->place->plan, operation_of(p, i));
}

/* Share of the tokens to recompute where layers go through two buffers. */
static double redone_share(const struct pass_of_layer *p, enum rk_work work)
{
    const bool part = p->slot->swapped && work == RK_WORK_AGAIN;
    return part ? 1 - rk_plan_activations_away(&p->place->plan) : 1;
}

/* ---- tasks ---- */

static const enum rk_pass passes[RK_WORKS] = {RK_FORWARD, RK_FORWARD, RK_AGRAD, RK_WGRAD,
                                              RK_FORWARD};
static const enum fold_pass fold_passes[RK_WORKS] = {FOLD_FORWARD, FOLD_RECOMPUTE, FOLD_AGRAD,
                                                     FOLD_WGRAD, FOLD_FORWARD};

static double times_of(const struct operation *op, enum rk_pass pass)
{
    return op->kind == OPERATION_COMM && op->comm_times[pass] > 1 ? op->comm_times[pass] : 1;
}

/* A layer that is recomputed whole keeps only its input, which counts as the first operation's. */
static void fill_kept(struct rk_task *task, const struct pass_of_layer *p, int i)
{
    const struct operation *op = operation_of(p, i);
    const bool whole = p->place->plan.recompute == RK_WHOLE && p->slot->treatment == RECOMPUTED;
    const uint64_t every = p->place->plan.recompute_every;
    task->holding = op->holding;
    task->keeps_bytes = is_redone(p, i) ? op->saved_recomputed_bytes : op->saved_bytes;
    if (p->b->plan->recompute_rest && is_block(p->slot)) task->keeps_bytes = 0; /* the buffers' */
    if (!whole) return;
    task->holding = RK_HOLD_checkpoints;
    task->keeps_bytes =
        i == 0 ? p->kind->timed.layer.input_bytes / (every > 1 ? (double)every : 1) : 0;
}

static void fill_drops(struct rk_task *task, const struct pass_of_layer *p)
{
    for (int i = 0; i < p->kind->flow.operations; i++) {
        struct rk_task kept;
        fill_kept(&kept, p, i);
        task->drops[kept.holding] += kept.keeps_bytes;
    }
}

static int32_t pass_task(const struct pass_of_layer *p, int i, enum rk_work work, bool last)
{
    int32_t *known = &p->kind->task[p->slot->treatment][work][last][i];
    const struct operation *op = operation_of(p, i);
    const struct timed_layer *timed = &p->kind->timed;
    const enum rk_pass pass = passes[work];
    const double times = times_of(op, pass);
    const bool comm = op->kind == OPERATION_COMM;
    const double share = redone_share(p, work) / p->chunks;
    const double each = comm ? redone_share(p, work) / times : share;
    if (*known != RK_NONE) return *known;
    struct rk_task task = {.work = work,
                           .flop = share * op->flop[pass],
                           .useful_flop = pass == RK_FORWARD ? share * op->useful_flop : 0,
                           .access_bytes =
                               share * operation_access_bytes(&p->place->plan, op, pass),
                           .sent_bytes = each * timed->sent_bytes[i][pass],
                           .seconds = each * timed->waited_s[i][pass],
                           .link_s = comm ? each * timed->time_s[i][pass] : 0,
                           .working_bytes = working_of(&p->place->plan, op, is_redone(p, i)),
                           .parameters = work == RK_WORK_FORWARD ? op->parameters / p->chunks : 0,
                           .expert = op->expert};
    if (op->kind == OPERATION_MATRIX)
        memcpy(task.product,
               (double[]){op->count / p->chunks, share * p->chunks * op->m, op->n, op->k},
               sizeof task.product);
    if (work == RK_WORK_INPUT && op->again > 0) /* in front of it: chunk_again */
        task.seconds -= chunk_again_s(p, i);
    task.op = op->op;
    strncpy(task.name, op_name(op->op), sizeof task.name - 1);
    strncpy(task.layer, layer_kind_name(p->slot->kind), sizeof task.layer - 1);
    if (work == RK_WORK_FORWARD) fill_kept(&task, p, i);
    task.keeps_bytes /= p->chunks;
    if (last) fill_drops(&task, p);
    return *known = new_task(p->b, &task);
}

/* What a pass waits for beyond its operations: the host, experts' exchanges that nothing hides. */
/* What an operation takes of a pass. */
static double waited_s(const struct pass_of_layer *p, int i, enum rk_work work)
{
    double all_s = 0;
    if (work == RK_WORK_AGAIN) return is_redone(p, i) ? p->kind->timed.waited_s[i][RK_FORWARD] : 0;
    for (int of = 0; of < RK_PASSES; of++)
        if (fold_pass_of(operation_of(p, i), of) == fold_passes[work])
            all_s += p->kind->timed.waited_s[i][of];
    return all_s;
}

static void put_waits(const struct pass_of_layer *p, enum rk_work work)
{
    const enum fold_pass pass = fold_passes[work];
    int32_t *known = &p->kind->waits[p->slot->treatment][pass];
    const struct layer_fold *fold = &p->place->folds.layer[p->slot->kind][p->slot->treatment];
    if (*known == RK_NONE) {
        struct rk_task task = {.work = work, .name = "waits", .seconds = fold->pass_s[pass]};
        for (int i = 0; i < p->kind->flow.operations; i++)
            task.seconds -= waited_s(p, i, work);
        strncpy(task.layer, layer_kind_name(p->slot->kind), sizeof task.layer - 1);
        if (task.seconds < 1e-12 * fold->pass_s[pass]) task.seconds = 0;
        *known = new_task(p->b, &task);
    }
    if (*known == RK_NONE || p->b->program->task[*known].seconds <= 0) return;
    p->b->draft.work = (uint8_t)work;
    put_run(p->b, RK_ON_GPU, *known, NO_TENSOR, NO_TENSOR);
}

/* ---- tensors ---- */

int32_t pass_tensor(const struct pass_of_layer *p, int i, enum rk_tensor_kind kind)
{
    const struct flow_operation *flow = &p->kind->flow.operation[i];
    int32_t *form = &p->kind->form[kind][i];
    enum rk_element element = flow->element;
    const double share = redone_share(p, kind == RK_TENSOR_AGAIN ? RK_WORK_AGAIN : RK_WORK_FORWARD);
    const double part = is_of_chunk(p, i, kind) ? share / p->chunks : share;
    double bytes = part * flow->bytes;
    if (kind == RK_TENSOR_GRADIENT && flow->element == RK_IN_BYTES) {
        element = p->kind->flow.element;
        bytes = part * flow->rows * flow->width * flow_element_bytes(element);
    }
    if (*form == RK_NONE)
        *form = new_form(p->b, kind, op_name(operation_of(p, i)->op), element, part * flow->rows,
                         flow->width, bytes);
    return chunk_tensor(p, *form);
}

/* What an operation keeps in addition to its result. */
int32_t pass_mask(const struct pass_of_layer *p, int i, bool again)
{
    const struct flow_operation *flow = &p->kind->flow.operation[i];
    int32_t *form = &p->kind->mask_form[i];
    char name[RK_TASK_NAME];
    if (!(flow->mask_bytes > 0)) return NO_TENSOR;
    const bool attention = operation_of(p, i)->kind == OPERATION_ATTENTION;
    snprintf(name, sizeof name, "%.24s %s", op_name(operation_of(p, i)->op),
             attention ? "sums" : "mask");
    const double part = attention ? 1 / p->chunks : 1;
    if (p->chunk > 0 && !attention) return p->live->mask[i]; /* of all chunks */
    if (*form == RK_NONE)
        *form = new_form(p->b, RK_TENSOR_REST, name, RK_IN_BYTES, part * flow->rows,
                         flow->mask_bytes / flow->rows, part * flow->mask_bytes);
    const int32_t mask = chunk_tensor(p, *form);
    if (again && mask != NO_TENSOR && p->chunk == NO_CHUNK) p->b->program->tensor[mask].number = 1;
    return p->live->mask[i] = mask;
}

static int32_t input_tensor(const struct pass_of_layer *p, enum rk_tensor_kind kind)
{
    const struct flow *flow = &p->kind->flow;
    int32_t *form = &p->kind->form[kind][0];
    if (*form == RK_NONE)
        *form = new_form(p->b, kind, "", flow->element, flow->rows, flow->width, flow->bytes);
    return new_tensor(p->b, *form, p->slot->layer, p->microbatch);
}

static int32_t tokens_of(const struct pass_of_layer *p)
{
    const struct rk_plan *plan = &p->place->plan;
    const double samples = (double)plan->microbatch / (double)plan->context;
    const double tokens = samples * rk_tokens_of_sample(p->b->model, plan);
    int32_t *form = &p->kind->form[RK_TENSOR_REST][0];
    if (p->live->tokens != NO_TENSOR) return p->live->tokens;
    if (*form == RK_NONE)
        *form = new_form(p->b, RK_TENSOR_REST, "tokens", RK_IN_BYTES, tokens, 8, 8 * tokens);
    return p->live->tokens = new_tensor(p->b, *form, p->slot->layer, p->microbatch);
}

/* What a source brought; in backward what it brought again, if it did. */
int32_t pass_source(const struct pass_of_layer *p, int from, bool again)
{
    if (from == FLOW_TOKENS) return tokens_of(p);
    while (from >= 0 && p->kind->flow.operation[from].alias)
        from = p->kind->flow.operation[from].from[0];
    const int32_t once_more = from >= 0 ? p->live->again[from] : NO_TENSOR;
    if (again && once_more != NO_TENSOR) return once_more;
    if (again && p->live->all_returned != NO_TENSOR) return p->live->all_returned;
    return from == FLOW_INPUT ? p->live->input : p->live->brought[from];
}

/* Where the gradient of what an operation brings is noted: changed in place, it is that of what it
 * changes. */
static int32_t *pass_gradient_at(const struct pass_of_layer *p, int from)
{
    static int32_t none;
    if (from == FLOW_TOKENS) return none = NO_TENSOR, &none;
    while (from >= 0 && p->kind->flow.operation[from].in_place)
        from = p->kind->flow.operation[from].from[0];
    return from == FLOW_INPUT ? &p->live->input_gradient : &p->live->gradient[from];
}

static int32_t new_gradient(const struct pass_of_layer *p, int from)
{
    while (from >= 0 && p->kind->flow.operation[from].in_place)
        from = p->kind->flow.operation[from].from[0];
    return from == FLOW_INPUT ? input_tensor(p, RK_TENSOR_INPUT_GRADIENT)
                              : pass_tensor(p, from, RK_TENSOR_GRADIENT);
}

/* ---- communication ---- */

static enum rk_stream stream_of(const struct pass_of_layer *p, const struct operation *op)
{
    if (op->kind != OPERATION_COMM) return RK_ON_GPU;
    if (op->beside_attention) return RK_ON_CONTEXT;
    if (op->over == OVER_TENSOR && p->place->plan.tensor_overlap) return RK_ON_TENSOR;
    return op->over == OVER_EXPERT && p->place->plan.expert_overlap ? RK_ON_EXPERT : RK_ON_GPU;
}

static const enum rk_do collectives[] = {
    [COMM_ALL_REDUCE] = RK_DO_ALL_REDUCE,
    [COMM_REDUCE_SCATTER] = RK_DO_REDUCE_SCATTER,
    [COMM_ALL_GATHER] = RK_DO_ALL_GATHER,
    [COMM_ALL_TO_ALL] = RK_DO_ALL_TO_ALL,
    [COMM_SEND] = RK_DO_SEND,
};

static void add(int32_t *list, int *count, int32_t tensor)
{
    for (int i = 0; i < *count; i++)
        if (list[i] == tensor) return;
    if (tensor != NO_TENSOR) list[(*count)++] = tensor;
}

void add_read(struct tensors *t, int32_t tensor)
{
    add(t->read, &t->reads, tensor);
}

void add_write(struct tensors *t, int32_t tensor)
{
    add(t->written, &t->writes, tensor);
}

static void put_tensors(struct build *b, const struct tensors *t)
{
    for (int i = 0; i < t->reads; i++)
        put_read(b, t->read[i]);
    for (int i = 0; i < t->writes; i++)
        put_write(b, t->written[i]);
}

/* One step of a ring: sends to the next rank, receives from the previous one. */
static void put_turn(const struct pass_of_layer *p, const struct operation *op, int32_t task,
                     const struct tensors *t, uint64_t count, enum rk_element element)
{
    struct build *b = p->b;
    const struct rank_map *map = &p->place->map;
    const enum rank_groups ring = comm_group(op->over);
    const enum rk_stream stream = stream_of(p, op);
    const uint64_t n = ranks_of_group(map, ring);
    const uint64_t own = rank_position(map, ring, b->rank);
    put_begin(b, RK_DO_BEGIN, stream, RK_NONE);
    put_end(b);
    put_begin(b, RK_DO_SEND, stream, task);
    for (int i = 0; i < t->reads; i++)
        put_read(b, t->read[i]);
    b->draft.other = member_of(b, map, ring, (own + 1) % n);
    b->draft.count = count;
    b->draft.element = (uint8_t)element;
    put_end(b);
    put_begin(b, RK_DO_RECV, stream, RK_NONE);
    for (int i = 0; i < t->writes; i++)
        put_write(b, t->written[i]);
    b->draft.other = member_of(b, map, ring, (own + n - 1) % n);
    b->draft.count = count;
    b->draft.element = (uint8_t)element;
    put_end(b);
    put_begin(b, RK_DO_END, stream, RK_NONE);
    put_end(b);
}

static void put_comm(const struct pass_of_layer *p, int i, int32_t task, enum rk_pass pass,
                     const struct tensors *t)
{
    struct build *b = p->b;
    const struct operation *op = operation_of(p, i);
    const enum rk_stream stream = stream_of(p, op);
    const enum rk_element element = flow_element(&p->place->plan, op->comm_element[pass]);
    const double share = redone_share(p, (enum rk_work)b->draft.work);
    const uint64_t count =
        (uint64_t)ceil(share * op->comm_bytes[pass] / flow_element_bytes(element));
    for (double n = times_of(op, pass) / p->chunks; n >= 1; n--) {
        if (op->what[pass] == COMM_SEND) {
            put_turn(p, op, task, t, count, element);
            continue;
        }
        put_begin(b, collectives[op->what[pass]], stream, task);
        put_tensors(b, t);
        b->draft.element = (uint8_t)element;
        b->draft.count = count;
        b->draft.other = (uint32_t)group_in(b, p->place, comm_group(op->over));
        put_end(b);
    }
}

/* What comes from another stage or a lower memory tier must be here when the first operation of a
 * pass begins, even if only its recomputation could do without. */
static void add_returned(const struct pass_of_layer *p, struct tensors *t)
{
    add_read(t, p->b->arrived);
    p->b->arrived = NO_TENSOR;
    add_read(t, p->live->returned);
    add_read(t, p->live->fetched);
    p->live->returned = p->live->fetched = NO_TENSOR;
}

void pass_put(const struct pass_of_layer *p, int32_t task, struct tensors *t)
{
    add_returned(p, t);
    put_begin(p->b, RK_DO_RUN, RK_ON_GPU, task);
    put_tensors(p->b, t);
    put_end(p->b);
}

static void put_operation(const struct pass_of_layer *p, int i, enum rk_work work, bool last,
                          struct tensors *t)
{
    const struct operation *op = operation_of(p, i);
    const int32_t task = pass_task(p, i, work, last);
    p->b->draft.work = (uint8_t)work;
    if (op->kind != OPERATION_COMM) {
        pass_put(p, task, t);
        return;
    }
    add_returned(p, t);
    put_comm(p, i, task, passes[work], t);
}

/* ---- forward ---- */

static void add_weights(const struct pass_of_layer *p, int i, struct tensors *t)
{
    const struct operation *op = operation_of(p, i);
    if (op->parameters > 0) add_read(t, weights_of(p->slot, op->expert));
}

void pass_forward(const struct pass_of_layer *p, int i, enum rk_work work, int32_t *brought)
{
    const struct flow_operation *flow = &p->kind->flow.operation[i];
    const bool again = work == RK_WORK_AGAIN;
    struct tensors t = {.reads = 0};
    for (int k = 0; k < flow->reads; k++)
        add_read(&t, pass_source(p, flow->from[k], again));
    if (flow->alias) {
        *brought = pass_source(p, flow->from[0], again);
        return;
    }
    add_weights(p, i, &t);
    const enum rk_tensor_kind kind = again ? RK_TENSOR_AGAIN : RK_TENSOR_ACTIVATION;
    if (flow->in_place)
        *brought = pass_source(p, flow->from[0], again);
    else if (p->chunk <= 0 || is_of_chunk(p, i, kind))
        *brought = pass_tensor(p, i, kind);
    add_write(&t, *brought);
    add_write(&t, pass_mask(p, i, again));
    put_operation(p, i, work, false, &t);
}

/* All operations, or those that are recomputed. */
static void forward_all(const struct pass_of_layer *p, enum rk_work work, int32_t *brought)
{
    for (int i = 0; i < p->kind->flow.operations; i++) {
        if (work == RK_WORK_AGAIN && !is_redone(p, i)) continue;
        if (!in_chunks(p, i)) {
            pass_forward(p, i, work, &brought[i]);
            continue;
        }
        chunks_forward(p, i, work, brought);
        i = chunk_run_end(p, i) - 1;
    }
}

void layer_forward(struct build *b, const struct slot *slot, int32_t microbatch)
{
    const struct pass_of_layer p = begin(b, slot, microbatch);
    forward_all(&p, RK_WORK_FORWARD, p.live->brought);
    put_waits(&p, RK_WORK_FORWARD);
}

/* By token, what was neither copied out nor is attention's. */
static void swapped_again(const struct pass_of_layer *p)
{
    if (!(redone_share(p, RK_WORK_AGAIN) > 0)) return;
    for (int i = 0; i < p->kind->flow.operations; i++)
        if (swap_runs_again(&p->kind->timed.layer, i))
            pass_forward(p, i, RK_WORK_AGAIN, &p->live->again[i]);
}

void layer_again(struct build *b, const struct slot *slot, int32_t microbatch)
{
    const struct pass_of_layer p = begin(b, slot, microbatch);
    if (slot->swapped) swapped_again(&p);
    if (slot->treatment != RECOMPUTED) return;
    forward_all(&p, RK_WORK_AGAIN, p.live->again);
    put_waits(&p, RK_WORK_AGAIN);
}

/* ---- backward ---- */

/* The matrix product after attention keeps its input, the result of attention, even where attention
 * is recomputed. */
static bool is_kept(const struct pass_of_layer *p, int reader, int from)
{
    const struct operation *op = operation_of(p, from);
    return op->part == RK_PART_CORE_ATTENTION && !is_redone(p, reader) &&
           op->saved_recomputed_bytes > 0;
}

/* What a source brought, for backward: gathered once more where that is how it goes. */
static int32_t source_again(const struct pass_of_layer *p, int reader, int from)
{
    if (from < 0) return pass_source(p, from, true);
    if (is_kept(p, reader, from) && p->live->all_returned == NO_TENSOR)
        return pass_source(p, from, false);
    const struct operation *op = operation_of(p, from);
    const struct flow_operation *flow = &p->kind->flow.operation[from];
    if (op->kind != OPERATION_COMM || !flow->passes[RK_WGRAD]) return pass_source(p, from, true);
    if (!(p->live->ungathered[from / 64] >> from % 64 & 1)) return p->live->again[from];
    p->live->ungathered[from / 64] &= ~(UINT64_C(1) << from % 64);
    const int32_t once_more = p->live->again[from];
    struct tensors t = {.reads = 0};
    for (int k = 0; k < flow->reads; k++)
        add_read(&t, pass_source(p, flow->from[k], true));
    p->live->again[from] = pass_tensor(p, from, RK_TENSOR_AGAIN);
    if (once_more != NO_TENSOR && p->chunk == NO_CHUNK && !p->b->failed) /* of the recomputation */
        p->b->program->tensor[p->live->again[from]].number = 1;
    add_write(&t, p->live->again[from]);
    const uint8_t work = p->b->draft.work;
    put_operation(p, from, RK_WORK_WEIGHT, false, &t);
    p->b->draft.work = work;
    return p->live->again[from];
}

/* Nothing to do: the gradients of the sources are that of the result. */
static void hand_on(const struct pass_of_layer *p, int i)
{
    const struct flow_operation *flow = &p->kind->flow.operation[i];
    const int32_t gradient = *pass_gradient_at(p, i);
    for (int k = 0; k < flow->reads; k++) {
        int32_t *at = pass_gradient_at(p, flow->from[k]);
        if (*at == NO_TENSOR) *at = gradient;
    }
}

/* The gradient of a source: new, or added to what others have brought. */
static void add_gradient(const struct pass_of_layer *p, int from, struct tensors *t)
{
    if (from == FLOW_TOKENS) return;
    int32_t *at = pass_gradient_at(p, from);
    if (*at == NO_TENSOR)
        *at = new_gradient(p, from);
    else
        add_read(t, *at);
    add_write(t, *at);
}

/* A collective brings one result, whatever it read. */
void pass_add_gradients(const struct pass_of_layer *p, int i, struct tensors *t)
{
    const struct flow_operation *flow = &p->kind->flow.operation[i];
    const bool comm = operation_of(p, i)->kind == OPERATION_COMM;
    if (flow->in_place) {
        add_write(t, *pass_gradient_at(p, i));
        return;
    }
    if (flow->adds) *pass_gradient_at(p, flow->from[0]) = *pass_gradient_at(p, i);
    for (int k = flow->adds; k < flow->reads; k++) {
        if (comm && k > flow->adds && *pass_gradient_at(p, flow->from[k]) == NO_TENSOR)
            *pass_gradient_at(p, flow->from[k]) = *pass_gradient_at(p, flow->from[0]);
        else
            add_gradient(p, flow->from[k], t);
    }
}

/* The gradient of a layer's weights is added to what there is: of a microbatch's own, if others of
 * its operations have brought some. */
static void add_weight_gradient(const struct pass_of_layer *p, bool expert, struct tensors *t)
{
    const bool begun = p->live->fresh[expert] != NO_TENSOR;
    const int32_t gradient = gradient_of(p->b, (struct slot *)p->slot, expert, p->microbatch);
    if (begun || gradient != p->live->fresh[expert]) add_read(t, gradient);
    add_write(t, gradient);
}

void pass_input(const struct pass_of_layer *p, int i, bool last)
{
    const struct flow_operation *flow = &p->kind->flow.operation[i];
    const struct operation *op = operation_of(p, i);
    struct tensors t = {.reads = 0};
    if (!flow->passes[RK_AGRAD]) {
        hand_on(p, i);
        return;
    }
    add_read(&t, *pass_gradient_at(p, i));
    for (int k = 0; k < flow->reads; k++)
        if (flow->again >> k & 1) add_read(&t, source_again(p, i, flow->from[k]));
    if (flow->again >> FLOW_READS & 1) add_read(&t, pass_source(p, i, true));
    add_read(&t, p->live->all_returned != NO_TENSOR ? p->live->all_returned : p->live->mask[i]);
    add_weights(p, i, &t);
    pass_add_gradients(p, i, &t);
    if (op->parameters > 0 && !flow->passes[RK_WGRAD] && !rk_plan_freezes(&p->place->plan)) {
        add_weight_gradient(p, op->expert, &t);
    }
    put_operation(p, i, RK_WORK_INPUT, last, &t);
}

void pass_weight(const struct pass_of_layer *p, int i, bool last)
{
    const struct flow_operation *flow = &p->kind->flow.operation[i];
    struct tensors t = {.reads = 0};
    if (!flow->passes[RK_WGRAD] || operation_of(p, i)->kind == OPERATION_COMM) return;
    add_read(&t, *pass_gradient_at(p, i));
    for (int k = 0; k < flow->reads; k++)
        add_read(&t, source_again(p, i, flow->from[k]));
    if (p->slot->swapped) add_read(&t, p->live->all_returned); /* the other tokens */
    add_weight_gradient(p, operation_of(p, i)->expert, &t);
    put_operation(p, i, RK_WORK_WEIGHT, last, &t);
}

/* The operation, and whether its weight gradient, with which the layer's backward ends. */
static int find_last(const struct pass_of_layer *p, bool input, bool weight, bool *of_weight)
{
    for (int i = 0; i < p->kind->flow.operations; i++) {
        const bool *there = p->kind->flow.operation[i].passes;
        *of_weight = weight && there[RK_WGRAD] && operation_of(p, i)->kind != OPERATION_COMM;
        if (*of_weight || (input && there[RK_AGRAD])) return i;
    }
    return -1;
}

static bool has_weight_pass(const struct pass_of_layer *p)
{
    bool of_weight;
    return find_last(p, false, true, &of_weight) >= 0;
}

/* In which of two passes the layer's tensors are dropped: the one with the weight gradients, except
 * for layers after the last block. */
static bool drops_here(const struct pass_of_layer *p, bool input, bool weight)
{
    const bool is_end = p->slot->kind == LAYER_HEAD || p->slot->kind == LAYER_PREDICT;
    if (input && weight) return true;
    return input == (is_end || !has_weight_pass(p));
}

void layer_backward(struct build *b, const struct slot *slot, int32_t microbatch, bool input,
                    bool weight)
{
    const struct pass_of_layer p = begin(b, slot, microbatch);
    bool of_weight = false;
    const int last = drops_here(&p, input, weight) ? find_last(&p, input, weight, &of_weight) : -1;
    for (int i = p.kind->flow.operations - 1; i >= 0; i--) {
        if (in_chunks(&p, i)) {
            chunks_backward(&p, i + 1, last, of_weight);
            i = chunk_run_begin(&p, i);
            continue;
        }
        b->draft.work = RK_WORK_INPUT;
        if (input) pass_input(&p, i, i == last && !of_weight);
        b->draft.work = RK_WORK_WEIGHT;
        if (weight) pass_weight(&p, i, i == last && of_weight);
    }
    if (input) put_waits(&p, RK_WORK_INPUT);
    if (weight) put_waits(&p, RK_WORK_WEIGHT);
}
