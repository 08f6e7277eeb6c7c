#include "workload/op.h"

#include <string.h>

enum {
    NARROW = MARK_NARROW,
    SUMMED = MARK_SUMMED,
    STREAM = MARK_STREAM,
    IN_PLACE = MARK_IN_PLACE,
    AS_WIDE = MARK_AS_WIDE,
    LOSS = MARK_LOSS
};

const struct op_facts op_facts[OPS] = {
    [OP_NONE] = {.name = ""},
#define OP(id, name, class, marks, keeps, ...)                                                     \
    [OP_##id] = {name, OPERATION_##class, marks, KEEPS_##keeps},
#include "workload/op.def"
};

enum op op_named(const char *name)
{
    for (enum op op = OP_NONE + 1; op < OPS; op++)
        if (strcmp(op_facts[op].name, name) == 0) return op;
    return OP_NONE;
}
