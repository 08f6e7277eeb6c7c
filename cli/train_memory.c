#include "cli/train_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One pass over a layer for a microbatch. */
struct stretch {
    int32_t layer, microbatch;
    bool back;
};

struct walk {
    const struct rk_program *program;
    bool for_a_pass; /* gathered weights are */
    int32_t *keeper; /* (tensors) the layer that packs it in forward: the last one that reads it */
    double *times;   /* (tensors) its bytes that are there: 1, or 2 of 16 bits in 32 */
    double share;    /* of a checkpoint, that a tensor rank keeps */
    double live, most, replaced;
    struct stretch at;
    double weights;     /* that are there for the stretch at hand, and gradients that it works on */
    bool *read, *alive; /* (tensors) that it has read; allocated and not freed */
};

static const struct rk_form *form_of(const struct walk *w, uint32_t tensor)
{
    return &w->program->form[w->program->tensor[tensor].form];
}

static bool is_16(const struct rk_form *form)
{
    return form->element == RK_IN_BF16 || form->element == RK_IN_FP16;
}

/* Of one at work. */
static int times_at_work(const struct rk_form *form)
{
    return is_16(form) ? 2 : 1;
}

/* From forward to backward activations have their own width, checkpoints of tensor ranks a share.
 */
static double times_kept(const struct walk *w, const struct rk_form *form)
{
    const bool kept = form->kind == RK_TENSOR_ACTIVATION || form->kind == RK_TENSOR_INPUT;
    return kept ? w->share : times_at_work(form);
}

static void hold(struct walk *w, double bytes)
{
    w->live += bytes;
    w->most = fmax(w->most, w->live);
}

static bool is_of_loss(const struct rk_program *p, const struct rk_instruction *in)
{
    return in->task != RK_NONE && in->work == RK_WORK_INPUT &&
           strcmp(p->task[in->task].name, "cross entropy") == 0;
}

/* The gradient of the logits takes their place: its allocation and their end are one. */
static void allocate(struct walk *w, uint32_t tensor, bool alloc, bool of_loss)
{
    const struct rk_form *form = form_of(w, tensor);
    const double bytes = (alloc ? times_at_work(form) : w->times[tensor]) * form->bytes;
    if (form->kind == RK_TENSOR_AWAY || w->program->tensor[tensor].microbatch == RK_NONE) return;
    if (form->kind == RK_TENSOR_GATHERED && w->for_a_pass) return;
    if (strcmp(form->name, "key, value ring") == 0) return; /* within attention, in both passes */
    w->alive[tensor] = alloc;
    w->times[tensor] = times_at_work(form);
    if (alloc && of_loss)
        w->replaced = bytes;
    else if (!alloc && w->replaced > 0 && bytes == w->replaced)
        w->replaced = 0;
    else
        hold(w, alloc ? bytes : -bytes);
}

/* What a layer keeps of a microbatch is packed at the end of forward, and unpacked again. */
static void pack(struct walk *w, const struct stretch *s, bool packs)
{
    const struct rk_program *p = w->program;
    for (uint32_t t = 0; t < p->tensors; t++) {
        const struct rk_form *form = form_of(w, t);
        const double kept = times_kept(w, form), at_work = times_at_work(form);
        if (w->keeper[t] != s->layer || p->tensor[t].microbatch != s->microbatch) continue;
        if (!w->alive[t] || kept == at_work || w->times[t] != (packs ? at_work : kept)) continue;
        w->times[t] = packs ? kept : at_work;
        hold(w, (packs ? -1 : 1) * (at_work - kept) * form->bytes);
    }
}

static void leave(struct walk *w)
{
    if (w->at.layer != RK_LAYER_NONE && !w->at.back) pack(w, &w->at, true);
    w->live -= w->weights;
    w->weights = 0;
    memset(w->read, 0, w->program->tensors * sizeof *w->read);
    w->at.layer = RK_LAYER_NONE;
}

/* Of weights that a pass reads: in 32 bits, where they last in 16; gathered. Of gradients of fp16
 * that it adds to: it works on 32 bits. */
static double bytes_of_pass(const struct walk *w, uint32_t tensor)
{
    const struct rk_form *form = form_of(w, tensor);
    const bool lasts = w->program->tensor[tensor].microbatch == RK_NONE;
    if (form->kind == RK_TENSOR_WEIGHT_GRADIENT && form->element == RK_IN_FP16)
        return lasts ? 2 * form->bytes : 0;
    const bool gathered = form->kind == RK_TENSOR_GATHERED && w->for_a_pass;
    if (form->kind == RK_TENSOR_WEIGHTS) return is_16(form) ? 2 * form->bytes : 0;
    return gathered ? (is_16(form) ? 2 : 1) * form->bytes : 0;
}

static void come_to(struct walk *w, const struct rk_instruction *in)
{
    const struct stretch next = {in->layer, in->microbatch, in->work != RK_WORK_FORWARD};
    if (next.layer != w->at.layer || next.microbatch != w->at.microbatch ||
        next.back != w->at.back) {
        leave(w);
        w->at = next;
        if (next.back) pack(w, &next, false);
    }
    const uint32_t *tensor = &w->program->reference[in->tensors];
    for (int i = 0; i < in->reads; i++) {
        const double bytes = bytes_of_pass(w, tensor[i]);
        if (w->read[tensor[i]]) continue;
        const bool gathered = form_of(w, tensor[i])->kind == RK_TENSOR_GATHERED;
        w->read[tensor[i]] = true;
        w->weights += bytes;
        hold(w, bytes);
        if (gathered && is_16(form_of(w, tensor[i]))) /* 16 bits come, and become 32 */
            w->most = fmax(w->most, w->live + bytes / 2);
    }
}

static void find_keepers(struct walk *w)
{
    const struct rk_program *p = w->program;
    for (uint32_t t = 0; t < p->tensors; t++)
        w->keeper[t] = p->tensor[t].layer;
    for (size_t i = 0; i < p->instructions; i++) {
        const struct rk_instruction *in = &p->instruction[i];
        if (in->what != RK_DO_RUN || in->work != RK_WORK_FORWARD) continue;
        for (int r = 0; r < in->reads; r++)
            w->keeper[p->reference[in->tensors + (uint32_t)r]] = in->layer;
    }
}

static double walk(struct walk *w)
{
    const struct rk_program *p = w->program;
    find_keepers(w);
    for (size_t i = 0; i < p->instructions; i++) {
        const struct rk_instruction *in = &p->instruction[i];
        const bool alloc = in->what == RK_DO_ALLOC;
        if (alloc || in->what == RK_DO_FREE)
            allocate(w, in->other, alloc, i + 1 < p->instructions && is_of_loss(p, in + 1));
        else if (in->what == RK_DO_RUN && in->work != RK_WORK_STEP && in->microbatch != RK_NONE)
            come_to(w, in);
    }
    return w->most;
}

double train_live_bytes(const struct rk_program *program, const struct rk_plan *plan)
{
    const bool shares = plan->checkpoint_sharded && plan->recompute == RK_WHOLE &&
                        !plan->recompute_layers && !plan->sequence_parallel;
    struct walk w = {.program = program,
                     .for_a_pass = !plan->keep_gathered,
                     .share = shares ? 1 / (double)plan->tensor : 1,
                     .at = {.layer = RK_LAYER_NONE}};
    const size_t n = program->tensors + 1;
    w.keeper = malloc(n * sizeof *w.keeper);
    w.times = calloc(n, sizeof *w.times);
    w.alive = calloc(n, sizeof *w.alive);
    w.read = calloc(n, sizeof *w.read);
    const double most = w.keeper && w.times && w.alive && w.read ? walk(&w) : -1;
    free(w.keeper);
    free(w.times);
    free(w.alive);
    free(w.read);
    return most;
}
