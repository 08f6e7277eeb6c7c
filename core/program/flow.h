/* flow.h - which operation of a layer reads the result of which other one.
 *
 * layers.h has a layer's operations in order, with their sizes. op.def says who reads whose result,
 * what backward reads again, and what an operation keeps in addition to its result. Pure.
 */
#ifndef RECKON_PROGRAM_FLOW_H
#define RECKON_PROGRAM_FLOW_H

#include "workload/layers.h"

#include <reckon/program.h>

/* In place of an operation of the layer. */
enum { FLOW_INPUT = -1, FLOW_TOKENS = -2 };

enum { FLOW_READS = 4 };

struct flow_operation {
    int reads;
    int from[FLOW_READS];   /* operations, FLOW_INPUT, FLOW_TOKENS */
    unsigned again;         /* bits of `from` that the gradient of the input reads again; bit
                               FLOW_READS: its own result */
    bool in_place;          /* brings from[0] itself, changed or (`alias`) not */
    bool alias;             /* ... because nothing is done forward */
    bool is_stream;         /* what it brings is the residual stream */
    bool adds;              /* ... to which it adds: from[0] is the stream before */
    bool is_loss;           /* backward begins here */
    bool passes[RK_PASSES]; /* is there something to do? */
    double rows, width;     /* of what it brings */
    enum rk_element element;
    double bytes;
    double mask_bytes; /* of what dropout left, or of sums of rows, which backward reads again */
};

struct flow {
    int operations;
    struct flow_operation operation[MAX_OPERATIONS];
    double rows, width; /* of the residual stream where the layer begins */
    enum rk_element element;
    double bytes; /* of it */
    int output;   /* the operation whose result leaves the layer; FLOW_INPUT: none does */
};

/* NULL, or the name of an operation whose place is not known. */
const char *flow_of(struct flow *flow, const struct layer *layer, const struct rk_model *model,
                    const struct rk_plan *plan);

/* Elements of `bytes` each: 4, 2, or fewer. */
enum rk_element flow_element(const struct rk_plan *plan, double bytes);
double flow_element_bytes(enum rk_element element);

#endif
