#include "base/number.h"
#include "plan/ranks.h"

#include <reckon/program.h>
#include <string.h>

/* By the name of the group; "tied" and "pair" are no groups of a dimension. */
static double *sent_over(struct rk_program_sums *sums, const char *over)
{
    enum { TENSOR, CONTEXT, EXPERT, DATA };
#define GROUP(id, name, counted) {name, counted},
    static const struct {
        const char *name;
        int counted;
    } groups[] = {RANK_GROUPS_OF(GROUP){"tensor layout", TENSOR}};
#undef GROUP
    double *const bytes[] = {&sums->tensor_sent_bytes, &sums->context_sent_bytes,
                             &sums->expert_sent_bytes, &sums->data_sent_bytes};
    for (int i = 0; i < COUNT_OF(groups); i++)
        if (strcmp(over, groups[i].name) == 0) return bytes[groups[i].counted];
    return &sums->data_sent_bytes;
}

static void add_comm(struct rk_program_sums *sums, const struct rk_program *p,
                     const struct rk_instruction *in, double bytes)
{
    if (in->what == RK_DO_SEND)
        *(in->stream == RK_ON_CONTEXT ? &sums->context_sent_bytes : &sums->message_bytes) += bytes;
    else if (in->what >= RK_DO_ALL_REDUCE && in->what <= RK_DO_BROADCAST)
        *sent_over(sums, p->group[in->other].name) += bytes;
    else if (in->stream == RK_ON_OUT || in->stream == RK_ON_IN)
        sums->offload_bytes += bytes;
}

struct held {
    double now[RK_HOLDING_COUNT], live;
    const struct rk_instruction *first; /* of forward; how often it comes: of each microbatch */
    double microbatches;
};

static void add_task(struct rk_program_sums *sums, struct held *held, const struct rk_program *p,
                     const struct rk_instruction *in)
{
    const struct rk_task *task = &p->task[in->task];
    if (!held->first && in->work == RK_WORK_FORWARD && task->parameters > 0) held->first = in;
    if (held->first && in->layer == held->first->layer && in->task == held->first->task)
        held->microbatches++;
    sums->flop += task->flop;
    *(in->work == RK_WORK_AGAIN ? &sums->again_flop : &sums->useful_flop) += task->useful_flop;
    add_comm(sums, p, in, task->sent_bytes);
    held->now[task->holding] += task->keeps_bytes;
    for (int i = 0; i < RK_HOLDING_COUNT; i++) {
        if (held->now[i] > sums->held_bytes[i]) sums->held_bytes[i] = held->now[i];
        held->now[i] -= task->drops[i];
    }
    if (in->work == RK_WORK_FORWARD) sums->parameters += task->parameters;
}

static void add_tensor(struct rk_program_sums *sums, struct held *held, const struct rk_program *p,
                       const struct rk_instruction *in)
{
    const struct rk_tensor *tensor = &p->tensor[in->other];
    const double bytes = p->form[tensor->form].bytes;
    if (p->form[tensor->form].kind == RK_TENSOR_AWAY) return;
    held->live += in->what == RK_DO_ALLOC ? bytes : -bytes;
    if (tensor->microbatch == RK_NONE) sums->state_bytes += bytes;
    if (held->live > sums->live_bytes) sums->live_bytes = held->live;
}

void rk_program_sum(const struct rk_program *program, struct rk_program_sums *sums)
{
    struct held held = {.live = 0};
    *sums = (struct rk_program_sums){.flop = 0};
    for (size_t i = 0; i < program->instructions; i++) {
        const struct rk_instruction *in = &program->instruction[i];
        sums->instructions[in->what]++;
        if (in->task != RK_NONE) add_task(sums, &held, program, in);
        if (in->what == RK_DO_ALLOC || in->what == RK_DO_FREE) add_tensor(sums, &held, program, in);
    }
    if (held.microbatches > 0) sums->parameters /= held.microbatches;
}
