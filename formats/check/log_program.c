/* log_program.c - a program as the operations that its rank is going to do. */
#include "base/memory.h"
#include "check/logs.h"

#include <stdio.h>
#include <string.h>

static const enum rk_log_kind kinds[RK_DOS] = {
    [RK_DO_RUN] = RK_LOG_RUN,
    [RK_DO_ALL_REDUCE] = RK_LOG_ALL_REDUCE,
    [RK_DO_ALL_GATHER] = RK_LOG_ALL_GATHER,
    [RK_DO_REDUCE_SCATTER] = RK_LOG_REDUCE_SCATTER,
    [RK_DO_ALL_TO_ALL] = RK_LOG_ALL_TO_ALL,
    [RK_DO_BROADCAST] = RK_LOG_BROADCAST,
    [RK_DO_SEND] = RK_LOG_SEND,
    [RK_DO_RECV] = RK_LOG_RECV,
    [RK_DO_BEGIN] = RK_LOG_BEGIN,
    [RK_DO_END] = RK_LOG_END,
    [RK_DO_RECORD] = RK_LOG_RECORD,
    [RK_DO_WAIT] = RK_LOG_WAIT,
    [RK_DO_ALLOC] = RK_LOG_ALLOC,
    [RK_DO_FREE] = RK_LOG_FREE,
};

static struct piece piece_of(const char *text)
{
    return (struct piece){text, strlen(text)};
}

static enum rk_status add_tensors(struct rk_logs *logs, const struct rk_program *p, uint32_t first,
                                  uint32_t count, bool writes, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    char name[RK_TENSOR_NAME];
    for (uint32_t i = first; i < first + count && status == RK_OK; i++) {
        const int n = rk_program_tensor_name(p, p->reference[i], name, sizeof name);
        status = log_access(logs, p->rank, name, (size_t)n, writes, error);
    }
    return status;
}

static enum rk_status add_instruction(struct rk_logs *logs, const struct rk_program *p, size_t i,
                                      struct rk_error *error)
{
    const struct rk_instruction *in = &p->instruction[i];
    const char *element = rk_program_element_name(in->element);
    char name[RK_TENSOR_NAME] = "";
    struct pieces pieces = {.kind = kinds[in->what],
                            .line = (uint32_t)i + 1,
                            .stream = piece_of(rk_program_stream_name(in->stream)),
                            .datatype = piece_of(element ? element : ""),
                            .has_stream = true,
                            .peer = in->other,
                            .tag = in->tag,
                            .count = in->count,
                            .flop = in->task == RK_NONE ? 0 : p->task[in->task].flop};
    if (in->what == RK_DO_ALLOC || in->what == RK_DO_FREE)
        rk_program_tensor_name(p, in->other, name, sizeof name);
    else if (in->what == RK_DO_RECORD || in->what == RK_DO_WAIT)
        snprintf(name, sizeof name, "e%u", (unsigned)in->other);
    else if (in->what == RK_DO_RUN && in->task != RK_NONE)
        snprintf(name, sizeof name, "%s", p->task[in->task].name);
    if (in->task != RK_NONE) {
        const char *task = p->task[in->task].name;
        pieces.redistributes = strcmp(task, "relayout") == 0 || strcmp(task, "send parts") == 0 ||
                               strcmp(task, "receive parts") == 0;
    }
    pieces.name = piece_of(name);
    if (is_collective(pieces.kind)) {
        const struct rk_group *group = &p->group[in->other];
        pieces.group = log_group(logs, group->rank, group->ranks);
        if (pieces.group == LOG_NONE) return no_memory(error);
    }
    enum rk_status status = log_add(logs, p->rank, &pieces, error);
    if (status != RK_OK || in->what == RK_DO_BEGIN || in->what == RK_DO_END) return status;
    status = add_tensors(logs, p, in->tensors, in->reads, false, error);
    if (status == RK_OK)
        status = add_tensors(logs, p, in->tensors + in->reads, in->writes, true, error);
    return status;
}

enum rk_status rk_logs_add_program(struct rk_logs *logs, const struct rk_program *program,
                                   struct rk_error *error)
{
    enum rk_status status = RK_OK;
    if (program->rank >= logs->ranks)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "the program's rank is none of the logs'");
    for (size_t i = 0; i < program->instructions && status == RK_OK; i++)
        status = add_instruction(logs, program, i, error);
    return status;
}
