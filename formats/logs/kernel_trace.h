/* kernel_trace.h - what the device did, by a profile of PyTorch: a Chrome trace of some steps.
 *
 * Kernels are told apart by words in their names. Of several devices the one of the first kernel
 * counts. Pure; seconds.
 */
#ifndef RECKON_LOGS_KERNEL_TRACE_H
#define RECKON_LOGS_KERNEL_TRACE_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>

enum trace_class {
    TRACE_MATRIX,
    TRACE_ATTENTION,
    TRACE_MEMORY, /* all others, copies too */
    TRACE_COMMUNICATION,
    TRACE_CLASSES
};

struct kernel_trace {
    size_t kernels, steps;        /* steps: of ProfilerStep marks; 1 without */
    double span_s;                /* from the first kernel to the end of the last */
    double busy_s[TRACE_CLASSES]; /* sums of their times */
    double exposed_s;             /* communication that does not overlap with computation */
    double gap_s;                 /* nothing runs */
};

/* Is this text JSON, by its first two signs? Lines of logs may begin with "[rank0]". */
bool kernel_trace_is(const char *text);

/* RK_BAD_INPUT: no JSON, or no kernels in it. RK_NO_MEMORY: no memory. `path` is for messages. */
enum rk_status kernel_trace_read(const char *text, size_t size, const char *path,
                                 struct kernel_trace *trace, struct rk_error *error);

#endif
