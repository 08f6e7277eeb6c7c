/* op.h - operations by number. op.def has a row for each; names are for people. */
#ifndef RECKON_WORKLOAD_OP_H
#define RECKON_WORKLOAD_OP_H

#include <stdbool.h>

enum op {
    OP_NONE, /* what is no operation of a layer: the optimizer's step, messages between stages */
#define OP(id, ...) OP_##id,
#include "workload/op.def"
    OPS
};

enum operation_kind {
    OPERATION_MATRIX,
    OPERATION_ATTENTION, /* one kernel, IO-aware */
    OPERATION_MEMORY,    /* limited by bytes: norms, activations, softmax, casts, permutations */
    OPERATION_COMM
};

/* What op.def calls marks, and what an operation keeps in addition to its result. */
enum op_mark {
    MARK_NARROW = 1,
    MARK_SUMMED = 2,
    MARK_STREAM = 4,
    MARK_IN_PLACE = 8,
    MARK_AS_WIDE = 16,
    MARK_LOSS = 32
};
enum op_keeps { KEEPS_NOTHING, KEEPS_SAVED, KEEPS_REST, KEEPS_ROWS };

struct op_facts {
    const char *name;
    enum operation_kind kind;
    unsigned marks;
    enum op_keeps keeps;
};

extern const struct op_facts op_facts[OPS];

static inline const char *op_name(enum op op)
{
    return op_facts[op].name;
}

/* The first of that name, OP_NONE: none has it. Two may share a name: a program's text tells them
 * apart no more than a reader does. */
enum op op_named(const char *name);

#endif
