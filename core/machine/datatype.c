#include <reckon/system.h>
#include <stddef.h>

static const struct {
    const char *name;
    double bytes;
} datatypes[RK_DATATYPES] = {
    [RK_FLOAT8] = {"float8", 1},
    [RK_FLOAT16] = {"float16", 2},
    [RK_BFLOAT16] = {"bfloat16", 2},
    [RK_FLOAT32] = {"float32", 4},
};

const char *rk_datatype_name(enum rk_datatype datatype)
{
    return (unsigned)datatype < RK_DATATYPES ? datatypes[datatype].name : NULL;
}

double rk_datatype_bytes(enum rk_datatype datatype)
{
    return datatypes[datatype].bytes;
}
