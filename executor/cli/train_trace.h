/* train_trace.h - a measured step as a Chrome trace, to view with that of `reckon timeline
 * --trace`. */
#ifndef RECKON_CLI_TRAIN_TRACE_H
#define RECKON_CLI_TRAIN_TRACE_H

#include <reckon/train.h>
#include <stdio.h>

struct train_trace {
    FILE *file; /* NULL: none */
    uint64_t ranks_of_stage;
    double origin_s; /* 0: not known yet */
    bool more;       /* an event has been written */
};

/* The ranks of a step one after another, in any order; then the end. False: not all was written. */
void train_trace_rank(struct train_trace *t, int rank, const struct rk_train_event *event,
                      size_t events);
bool train_trace_end(struct train_trace *t);

#endif
