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
    bool *alive, *wide;
    double live, most, replaced;
    struct stretch at;
    double weights; /* that are there for the stretch at hand */
    bool *read;     /* (tensors) weights that it has read */
};

static const struct rk_form *form_of(const struct walk *w, uint32_t tensor)
{
    return &w->program->form[w->program->tensor[tensor].form];
}

static bool is_16(const struct rk_form *form)
{
    return form->element == RK_IN_BF16 || form->element == RK_IN_FP16;
}

/* Kept in 16 bits from forward to backward. */
static bool is_packed(const struct walk *w, uint32_t tensor)
{
    const struct rk_form *form = form_of(w, tensor);
    return is_16(form) && (form->kind == RK_TENSOR_ACTIVATION || form->kind == RK_TENSOR_INPUT);
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
    const bool wide = is_16(form) && (alloc || w->wide[tensor]);
    const double bytes = (wide ? 2 : 1) * form->bytes;
    if (form->kind == RK_TENSOR_AWAY || w->program->tensor[tensor].microbatch == RK_NONE) return;
    if (form->kind == RK_TENSOR_GATHERED && w->for_a_pass) return;
    w->alive[tensor] = w->wide[tensor] = alloc;
    if (alloc && of_loss)
        w->replaced = bytes;
    else if (!alloc && w->replaced > 0 && bytes == w->replaced)
        w->replaced = 0;
    else
        hold(w, alloc ? bytes : -bytes);
}

/* What a layer keeps of a microbatch changes its width: packed, or unpacked. */
static void widen(struct walk *w, const struct stretch *s, bool wide)
{
    const struct rk_program *p = w->program;
    for (uint32_t t = 0; t < p->tensors; t++)
        if (w->alive[t] && w->wide[t] != wide && w->keeper[t] == s->layer &&
            p->tensor[t].microbatch == s->microbatch && is_packed(w, t)) {
            w->wide[t] = wide;
            hold(w, wide ? form_of(w, t)->bytes : -form_of(w, t)->bytes);
        }
}

static void leave(struct walk *w)
{
    if (w->at.layer != RK_LAYER_NONE && !w->at.back) widen(w, &w->at, false);
    w->live -= w->weights;
    w->weights = 0;
    memset(w->read, 0, w->program->tensors * sizeof *w->read);
    w->at.layer = RK_LAYER_NONE;
}

/* Of weights that a pass reads: in 32 bits, where they last in 16; gathered. */
static double bytes_of_pass(const struct walk *w, const struct rk_form *form)
{
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
        if (next.back) widen(w, &next, true);
    }
    const uint32_t *tensor = &w->program->reference[in->tensors];
    for (int i = 0; i < in->reads; i++) {
        const double bytes = bytes_of_pass(w, form_of(w, tensor[i]));
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
    struct walk w = {
        .program = program, .for_a_pass = !plan->keep_gathered, .at = {.layer = RK_LAYER_NONE}};
    const size_t n = program->tensors + 1;
    w.keeper = malloc(n * sizeof *w.keeper);
    w.alive = calloc(3 * n, sizeof *w.alive);
    w.wide = w.alive ? w.alive + n : NULL;
    w.read = w.alive ? w.alive + 2 * n : NULL;
    const double most = w.keeper && w.alive ? walk(&w) : -1;
    free(w.keeper);
    free(w.alive);
    return most;
}
