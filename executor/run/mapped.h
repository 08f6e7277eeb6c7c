/* mapped.h - weights where they lie in a file, for forward passes alone (real/decode.c). */
#ifndef RECKON_RUN_MAPPED_H
#define RECKON_RUN_MAPPED_H

#include <stddef.h>

enum mapped_type { MAPPED_REAL, MAPPED_F32, MAPPED_BF16, MAPPED_F16 };

/* (out, in), of which element (i, j) is data[i * row + j * col]; one of both is 1. */
struct mapped {
    const void *data; /* NULL: not in a file */
    enum mapped_type type;
    size_t row, col;
};

#endif
