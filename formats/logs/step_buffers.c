#include "logs/step_buffers.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* A pass of one layer: `work` is forward (0) or backward (1). */
struct pass {
    int32_t layer, microbatch, work;
    uint32_t buffer;
};

static bool same(const struct pass *a, const struct pass *b)
{
    return a->layer == b->layer && a->microbatch == b->microbatch && a->work == b->work;
}

static int by_pass(const void *x, const void *y)
{
    const struct pass *a = x, *b = y;
    if (a->microbatch != b->microbatch) return a->microbatch < b->microbatch ? -1 : 1;
    if (a->work != b->work) return a->work - b->work;
    if (a->layer != b->layer) return a->layer < b->layer ? -1 : 1;
    return a->buffer < b->buffer ? -1 : a->buffer > b->buffer;
}

/* Of the next instruction from `at` on, or before it, that says its layer: those that allocate and
 * free need not. */
static struct pass pass_at(const struct rk_program *program, int32_t at, int step)
{
    for (int64_t i = at; i >= 0 && i < (int64_t)program->instructions; i += step) {
        const struct rk_instruction *in = &program->instruction[i];
        if (in->what == RK_DO_ALLOC || in->what == RK_DO_FREE || in->what == RK_DO_RECORD ||
            in->what == RK_DO_WAIT)
            continue;
        return (struct pass){in->layer, in->microbatch, in->work != RK_WORK_FORWARD, 0};
    }
    return (struct pass){RK_LAYER_NONE, RK_NONE, 0, 0};
}

static bool lasts(const struct rk_tensor *tensor)
{
    return tensor->last == RK_NONE;
}

static bool counts(const struct rk_program *program, const struct rk_tensor *tensor, bool lasting)
{
    const struct rk_form *form = &program->form[tensor->form];
    return form->kind != RK_TENSOR_AWAY && form->bytes > 0 && (lasting || !lasts(tensor));
}

/* ---- keys and values that go around a ring ---- */

/* A program has those of all ranks in one tensor, which the executor fills and keeps. A ring holds
 * two messages at a time, the one at hand and the one on its way [liu2023], and only while
 * attention runs: backward sends them around once more, with their gradients, whose messages count
 * both. */
struct ring {
    double bytes;     /* of two messages; 0: not of a ring */
    int32_t last_use; /* by forward, also once more; RK_NONE: of backward */
};

static bool is_forward(const struct rk_instruction *in)
{
    return in->work == RK_WORK_FORWARD || in->work == RK_WORK_AGAIN;
}

static const uint32_t *tensors_of(const struct rk_program *program, size_t i)
{
    return &program->reference[program->instruction[i].tensors];
}

/* Messages of a ring that begin at instruction `i`: those of forward are received into the tensor,
 * those of backward sent from it. */
static void note_turn(const struct rk_program *program, size_t i, struct ring *ring)
{
    const struct rk_instruction *send = &program->instruction[i];
    if (send->what != RK_DO_SEND || send->stream != RK_ON_CONTEXT || send->task == RK_NONE) return;
    const size_t at = is_forward(send) ? i + 1 : i;
    const struct rk_instruction *in = &program->instruction[at];
    const int first = is_forward(send) ? in->reads : 0;
    const int count = is_forward(send) ? in->writes : in->reads;
    for (int k = 0; k < count; k++)
        ring[tensors_of(program, at)[first + k]].bytes = 2 * program->task[send->task].sent_bytes;
}

static struct ring *rings_of(const struct rk_program *program)
{
    struct ring *ring = calloc(program->tensors + 1, sizeof *ring);
    if (!ring) return NULL;
    for (uint32_t i = 0; i < program->tensors; i++)
        ring[i].last_use = RK_NONE;
    for (size_t i = 0; i < program->instructions; i++) {
        const struct rk_instruction *in = &program->instruction[i];
        note_turn(program, i, ring);
        for (int k = 0; k < in->reads + in->writes && is_forward(in); k++)
            ring[tensors_of(program, i)[k]].last_use = (int32_t)i;
    }
    return ring;
}

/* What a tensor asks memory for. */
static struct rk_buffer buffer_of(const struct rk_program *program, uint32_t i,
                                  const struct ring *ring)
{
    const struct rk_tensor *t = &program->tensor[i];
    const double all = program->form[t->form].bytes;
    const bool turns = ring->bytes > 0 && ring->bytes < all;
    struct rk_buffer b = {
        .start = t->first == RK_NONE ? -1 : t->first,
        .end = t->last == RK_NONE ? (int64_t)program->instructions : t->last,
        .size = (uint64_t)ceil(turns ? ring->bytes : all),
        .alignment = 1,
    };
    if (turns && ring->last_use != RK_NONE) b.end = ring->last_use + 1;
    if (b.end <= b.start) b.end = b.start + 1;
    return b;
}

struct rk_buffer *tensor_buffers(const struct rk_program *program)
{
    struct ring *ring = rings_of(program);
    struct rk_buffer *buffer = calloc(program->tensors + 1, sizeof *buffer);
    for (uint32_t i = 0; i < program->tensors && ring && buffer; i++)
        buffer[i] = buffer_of(program, i, &ring[i]);
    if (!ring) free(buffer), buffer = NULL;
    free(ring);
    return buffer;
}

static bool take_room(struct buffers *b, size_t count)
{
    b->buffer = calloc(count + 1, sizeof *b->buffer);
    b->address = calloc(count + 1, sizeof *b->address);
    b->pass = calloc(count + 1, sizeof *b->pass);
    b->id = calloc(count + 1, sizeof *b->id);
    b->names = malloc(count * RK_TENSOR_NAME + 1);
    return b->buffer && b->address && b->pass && b->id && b->names;
}

/* Numbers the passes that buffers are of, in the order of microbatches. */
static void number_passes(struct buffers *b, struct pass *pass, size_t count)
{
    int number = -1;
    qsort(pass, count, sizeof *pass, by_pass);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !same(&pass[i], &pass[i - 1])) number++;
        b->pass[pass[i].buffer] = number;
    }
}

static void fill(struct buffers *b, const struct rk_program *program, bool lasting,
                 const struct rk_buffer *each, struct pass *pass)
{
    size_t passes = 0;
    char *name = b->names;
    for (uint32_t i = 0; i < program->tensors; i++) {
        const struct rk_tensor *t = &program->tensor[i];
        if (!counts(program, t, lasting)) continue;
        const uint32_t n = (uint32_t)b->count++;
        b->buffer[n] = each[i];
        b->id[n] = name;
        name += rk_program_tensor_name(program, i, name, RK_TENSOR_NAME) + 1;
        b->pass[n] = -1;
        if (lasts(t) || t->first == RK_NONE) continue;
        struct pass first = pass_at(program, t->first, 1);
        const struct pass last = pass_at(program, (int32_t)b->buffer[n].end, -1);
        if (!same(&first, &last) || first.microbatch == RK_NONE) continue;
        first.buffer = n;
        pass[passes++] = first;
    }
    number_passes(b, pass, passes);
}

enum rk_status step_buffers(struct buffers *buffers, const struct rk_program *program, bool lasting,
                            struct rk_error *error)
{
    struct pass *pass = malloc((program->tensors + 1) * sizeof *pass);
    struct rk_buffer *each = tensor_buffers(program);
    *buffers = (struct buffers){.passes = true};
    enum rk_status status = RK_OK;
    if (!pass || !each || !take_room(buffers, program->tensors))
        status = no_memory(error);
    else
        fill(buffers, program, lasting, each, pass);
    free(each);
    free(pass);
    return status;
}
