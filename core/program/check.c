#include "base/memory.h"

#include <reckon/program.h>

#include <stdlib.h>
#include <string.h>

enum { IS_THERE = 1, WAS_THERE = 2, IS_WRITTEN = 4 };

struct checking {
    const struct rk_program *p;
    struct rk_error *error;
    uint8_t *tensor; /* bits */
    uint8_t *event;
    bool open[RK_STREAMS];
    size_t at;
};

static enum rk_status fail(const struct checking *c, const char *what, uint32_t tensor)
{
    char name[RK_TENSOR_NAME] = "";
    if (tensor != UINT32_MAX) rk_program_tensor_name(c->p, tensor, name, sizeof name);
    return rk_fail(c->error, RK_BAD_INPUT, NULL, 0, 0, "rank %u, instruction %zu, %s %s: %s",
                   c->p->rank, c->at + 1, rk_program_do_name(c->p->instruction[c->at].what), name,
                   what);
}

/* Weights and the like are there before the step, and so are the tokens of its batch. */
static bool is_given(const struct rk_program *p, uint32_t tensor)
{
    const struct rk_form *form = &p->form[p->tensor[tensor].form];
    return p->tensor[tensor].microbatch == RK_NONE ||
           (form->kind == RK_TENSOR_REST && strcmp(form->name, "tokens") == 0);
}

static enum rk_status check_life(struct checking *c, const struct rk_instruction *in)
{
    uint8_t *bits = &c->tensor[in->other];
    if (in->what == RK_DO_ALLOC) {
        if (*bits & (IS_THERE | WAS_THERE)) return fail(c, "it is allocated twice", in->other);
        *bits |= IS_THERE;
        return RK_OK;
    }
    if (!(*bits & IS_THERE)) return fail(c, "it is freed, and not there", in->other);
    *bits = WAS_THERE;
    return RK_OK;
}

static enum rk_status check_uses(struct checking *c, const struct rk_instruction *in)
{
    for (uint32_t i = 0; i < (uint32_t)in->reads + in->writes; i++) {
        const uint32_t tensor = c->p->reference[in->tensors + i];
        uint8_t *bits = &c->tensor[tensor];
        if (!(*bits & IS_THERE)) return fail(c, "it uses what is not allocated", tensor);
        if (i < in->reads && !(*bits & IS_WRITTEN) && !is_given(c->p, tensor))
            return fail(c, "it reads what nobody has written", tensor);
        if (i >= in->reads) *bits |= IS_WRITTEN;
    }
    return RK_OK;
}

static enum rk_status check_one(struct checking *c, const struct rk_instruction *in)
{
    bool *open = &c->open[in->stream];
    switch (in->what) {
    case RK_DO_ALLOC:
    case RK_DO_FREE:
        return check_life(c, in);
    case RK_DO_RECORD:
        c->event[in->other] = 1;
        return RK_OK;
    case RK_DO_WAIT:
        return c->event[in->other] ? RK_OK
                                   : fail(c, "it waits for what is not recorded", UINT32_MAX);
    case RK_DO_BEGIN:
    case RK_DO_END:
        if (*open == (in->what == RK_DO_BEGIN))
            return fail(c, "begin and end do not alternate", UINT32_MAX);
        *open = in->what == RK_DO_BEGIN;
        return RK_OK;
    default:
        return check_uses(c, in);
    }
}

/* One more than the largest event. */
static size_t events_of(const struct rk_program *p)
{
    size_t events = 1;
    for (size_t i = 0; i < p->instructions; i++) {
        const struct rk_instruction *in = &p->instruction[i];
        if ((in->what == RK_DO_RECORD || in->what == RK_DO_WAIT) && in->other >= events)
            events = (size_t)in->other + 1;
    }
    return events;
}

enum rk_status rk_program_check(const struct rk_program *program, struct rk_error *error)
{
    struct checking c = {.p = program,
                         .error = error,
                         .tensor = calloc(program->tensors + 1, 1),
                         .event = calloc(events_of(program), 1)};
    enum rk_status status = RK_OK;
    if (!c.tensor || !c.event) status = no_memory(error);
    for (; status == RK_OK && c.at < program->instructions; c.at++)
        status = check_one(&c, &program->instruction[c.at]);
    for (uint32_t t = 0; status == RK_OK && t < program->tensors; t++)
        if (c.tensor[t] & IS_THERE && program->tensor[t].microbatch != RK_NONE) {
            c.at = program->instructions - 1;
            status = fail(&c, "it is never freed", t);
        }
    free(c.tensor);
    free(c.event);
    return status;
}
