/* step_trace.h - a measured step, as `reckon train --trace` writes it: a Chrome trace with a
 * process for each rank, its operations one after the other, and a counter of the bytes of its
 * tensors.
 */
#ifndef RECKON_LOGS_STEP_TRACE_H
#define RECKON_LOGS_STEP_TRACE_H

#include "text/document.h"

enum step_kind {
    STEP_FORWARD,
    STEP_RECOMPUTE,
    STEP_BACKWARD, /* gradients of what goes in */
    STEP_WEIGHTS,  /* gradients of weights */
    STEP_MESSAGE,  /* to or from another stage, waiting included */
    STEP_SHARED,   /* gradients and weights between replicas */
    STEP_OPTIMIZER,
    STEP_KINDS
};

/* Operations of one kind and microbatch that follow each other, as one. */
struct step_span {
    int rank, stage;
    enum step_kind kind;
    unsigned microbatch;
    double begin_s, end_s; /* since the first operation of any rank */
};

struct step_sample { /* after an operation */
    int rank, stage;
    double time_s, bytes;
};

struct step_trace {
    struct step_span *span; /* (spans) rank by rank, in time */
    size_t spans;
    struct step_sample *sample; /* (samples) likewise */
    size_t samples;
    int stages;
    double step_s; /* of the rank that ends last */
};

/* RK_BAD_INPUT: the file is another one. Release it in any case; a zeroed one is fine. */
enum rk_status step_trace_read(const struct document *document, struct step_trace *trace,
                               struct rk_error *error);
void step_trace_release(struct step_trace *trace);

#endif
