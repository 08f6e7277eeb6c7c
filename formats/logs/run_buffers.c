#include "logs/run_buffers.h"

#include "logs/step_buffers.h"

#include <math.h>
#include <stdlib.h>

static bool state_is_here(const struct rk_local *local)
{
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++)
        if (local->share[RK_SHARE_WEIGHTS][tier] > 0 || local->share[RK_SHARE_OPTIMIZER][tier] > 0)
            return false;
    return true;
}

static bool is_known(const struct rk_local *local)
{
    return local->zero < 3 && state_is_here(local);
}

bool run_buffers_known(const struct rk_plan *plan)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    bool known = plan->framework == RK_MEGATRON && !rk_plan_freezes(plan) && !layout->segments &&
                 is_known(&plan->local);
    for (int i = 0; i < layout->others; i++) /* of stages over several clusters */
        known &= is_known(&layout->other[i]);
    return known;
}

/* Weights of one operation of one layer. */
struct weights {
    double parameters;
    bool expert;
};

struct state { /* bytes of one parameter, as the program has them; [1] of experts' */
    double parameters[2], weights[2], gradients[2], optimizer[2];
};

struct run {
    const struct rk_program *program;
    const struct rk_plan *plan;
    struct buffers *to;
    struct weights *weights; /* (count) */
    struct rk_buffer *each;  /* (tensors) what each asks for */
    size_t count, room;
    int64_t now;
};

enum { FOREVER = -1 };

static void put(struct run *r, int64_t start, int64_t end, double bytes)
{
    struct rk_buffer *b = &r->to->buffer[r->to->count];
    if (!(bytes >= 1) || r->to->count >= r->room) return;
    *b = (struct rk_buffer){
        .start = start, .end = end, .size = (uint64_t)ceil(bytes), .alignment = 1};
    r->to->count++;
}

/* ---- what the program says of the state ---- */

static bool brings_weights(const struct rk_program *p, const struct rk_instruction *in)
{
    return in->what == RK_DO_RUN && in->task != RK_NONE && in->work == RK_WORK_FORWARD &&
           in->microbatch == 0 && p->task[in->task].parameters > 0;
}

/* Each expert has weights of its own. */
static size_t pieces_of(const struct rk_task *task)
{
    return task->expert && task->product[0] >= 2 ? (size_t)task->product[0] : 1;
}

/* Counts them where there is no list yet. */
static size_t list_weights(const struct rk_program *p, struct weights *list)
{
    size_t count = 0;
    for (size_t i = 0; i < p->instructions; i++) {
        const struct rk_instruction *in = &p->instruction[i];
        if (!brings_weights(p, in)) continue;
        const struct rk_task *task = &p->task[in->task];
        const size_t pieces = pieces_of(task);
        for (size_t k = 0; list && k < pieces; k++)
            list[count + k] = (struct weights){task->parameters / (double)pieces, task->expert};
        count += pieces;
    }
    return count;
}

static bool lasts(const struct rk_tensor *tensor)
{
    return tensor->last == RK_NONE;
}

/* Both groups of weights together: the program does not tell their tensors apart. */
static struct state state_of(const struct run *r)
{
    const struct rk_program *p = r->program;
    struct state s = {{0}, {0}, {0}, {0}};
    double bytes[3] = {0}, parameters = 0;
    for (size_t i = 0; i < r->count; i++)
        s.parameters[r->weights[i].expert] += r->weights[i].parameters;
    parameters = fmax(1, s.parameters[0] + s.parameters[1]);
    for (uint32_t i = 0; i < p->tensors; i++) {
        const struct rk_form *form = &p->form[p->tensor[i].form];
        if (!lasts(&p->tensor[i])) continue;
        if (form->kind == RK_TENSOR_WEIGHTS) bytes[0] += form->bytes;
        if (form->kind == RK_TENSOR_WEIGHT_GRADIENT || form->kind == RK_TENSOR_SHARD)
            bytes[1] += form->bytes;
        if (form->kind == RK_TENSOR_OPTIMIZER) bytes[2] += form->bytes;
    }
    for (int expert = 0; expert < 2; expert++) {
        s.weights[expert] = bytes[0] / parameters;
        s.gradients[expert] = bytes[1] / parameters;
        s.optimizer[expert] = bytes[2] / parameters;
    }
    return s;
}

/* ---- one step ---- */

static bool is_state(enum rk_tensor_kind kind)
{
    return kind == RK_TENSOR_WEIGHTS || kind == RK_TENSOR_WEIGHT_GRADIENT ||
           kind == RK_TENSOR_SHARD || kind == RK_TENSOR_OPTIMIZER || kind == RK_TENSOR_AWAY;
}

static void put_step(struct run *r)
{
    const struct rk_program *p = r->program;
    const struct rk_buffer *each = r->each;
    for (uint32_t i = 0; i < p->tensors; i++) {
        const struct rk_tensor *t = &p->tensor[i];
        const struct rk_form *form = &p->form[t->form];
        if (form->kind == RK_TENSOR_AWAY || (lasts(t) && is_state(form->kind))) continue;
        const int64_t first = t->first == RK_NONE ? 0 : t->first;
        put(r, r->now + first, r->now + each[i].end, (double)each[i].size);
    }
}

static bool is_gradient(const struct rk_instruction *in)
{
    return in->what == RK_DO_RUN && in->task != RK_NONE && in->work == RK_WORK_WEIGHT;
}

/* A tensor for each shape that a weight gradient is of, from the first one on. */
static void put_placeholders(struct run *r, double bytes)
{
    const struct rk_program *p = r->program;
    const double *seen[64];
    int count = 0;
    for (size_t i = 0; i < p->instructions && count < 64; i++) {
        if (!is_gradient(&p->instruction[i])) continue;
        const double *shape = p->task[p->instruction[i].task].product;
        bool known = shape[2] <= 0;
        for (int k = 0; k < count; k++)
            known |= seen[k][2] == shape[2] && seen[k][3] == shape[3];
        if (known) continue;
        seen[count++] = shape;
        put(r, r->now + (int64_t)i, FOREVER, shape[2] * shape[3] * bytes);
    }
}

/* The embedding's gradient: from the last instruction of its layer and microbatch to the next. */
static void put_embedding(struct run *r, double parameters, double bytes)
{
    const struct rk_program *p = r->program;
    for (size_t i = 0; i < p->instructions; i++) {
        const struct rk_instruction *in = &p->instruction[i];
        if (in->layer != RK_LAYER_EMBEDDING || in->microbatch == RK_NONE || in->what != RK_DO_RUN ||
            in->work != RK_WORK_INPUT)
            continue;
        put(r, r->now + (int64_t)i, r->now + (int64_t)i + 1, parameters * bytes);
    }
}

static double embedding_parameters(const struct rk_program *p)
{
    for (size_t i = 0; i < p->instructions; i++)
        if (brings_weights(p, &p->instruction[i]) && p->instruction[i].layer == RK_LAYER_EMBEDDING)
            return p->task[p->instruction[i].task].parameters;
    return 0;
}

static void advance(struct run *r)
{
    r->now += (int64_t)r->program->instructions + 1;
}

/* ---- the run ---- */

static void put_each(struct run *r, const double bytes[2], double share, int64_t end)
{
    for (size_t i = 0; i < r->count; i++)
        put(r, r->now++, end, r->weights[i].parameters * bytes[r->weights[i].expert] * share);
}

/* A run that begins. */
static void put_run(struct run *r)
{
    const bool engine = r->plan->transformer_engine && r->plan->gradient_fusion;
    const struct state s = state_of(r);
    const int64_t built = (int64_t)r->count + 4; /* weights and buffers are there */
    put_each(r, s.weights, 1, built);
    for (int expert = 0; expert < 2; expert++) {
        put(r, r->now++, FOREVER, s.parameters[expert] * s.weights[expert]);
        put(r, r->now++, FOREVER, s.parameters[expert] * s.gradients[expert]);
    }
    r->now = built;
    put_each(r, s.optimizer, 1.0 / 3, FOREVER);
    for (int step = 0; step < 2; step++) {
        put_step(r);
        if (step == 0 && engine) put_placeholders(r, s.weights[0]);
        put_embedding(r, embedding_parameters(r->program), s.weights[0]);
        advance(r);
        if (step > 0) continue;
        put_each(r, s.optimizer, 1.0 / 3, FOREVER);
        put_each(r, s.optimizer, 1.0 / 3, FOREVER);
    }
    for (size_t i = 0; i < r->to->count; i++)
        if (r->to->buffer[i].end == FOREVER) r->to->buffer[i].end = r->now + 1;
}

enum rk_status run_buffers(struct buffers *buffers, const struct rk_program *program,
                           const struct rk_plan *plan, struct rk_error *error)
{
    struct run r = {.program = program, .plan = plan, .to = buffers};
    *buffers = (struct buffers){.count = 0};
    r.count = list_weights(program, NULL);
    r.room = 2 * (program->tensors + program->instructions) + 4 * r.count + 128;
    buffers->buffer = calloc(r.room, sizeof *buffers->buffer);
    r.weights = calloc(r.count + 1, sizeof *r.weights);
    r.each = tensor_buffers(program);
    const bool room = buffers->buffer && r.weights && r.each;
    if (room) list_weights(program, r.weights);
    if (room) put_run(&r);
    free(r.weights);
    free(r.each);
    return room ? RK_OK
                : rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for the buffers of a run");
}
