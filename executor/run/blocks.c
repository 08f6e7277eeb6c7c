#include "run/blocks.h"

#include <stdlib.h>

static void see(struct run_blocks *b, uint32_t pattern, uint32_t row, uint32_t column)
{
    if (column <= row) b->sees[((uint64_t)pattern * b->side + row) * b->side + column] = 1;
}

static void see_from(struct run_blocks *b, uint32_t pattern, uint32_t first, uint32_t count)
{
    for (uint32_t c = first; c < first + count && c < b->side; c++)
        for (uint32_t r = first; r < b->side; r++)
            see(b, pattern, r, c);
}

bool blocks_fixed(struct run_blocks *b, uint32_t sequence, uint32_t size, uint32_t local,
                  uint32_t global, uint32_t patterns)
{
    const uint32_t side = (sequence + size - 1) / size, full = side / local * local;
    *b = (struct run_blocks){.size = size, .side = side, .patterns = patterns};
    b->sees = calloc((size_t)patterns * side, side);
    if (!b->sees) return false;
    for (uint32_t k = 0; k < patterns; k++) {
        const uint32_t back = (1 + k) * global;
        for (uint32_t r = 0; r < side; r++)
            for (uint32_t c = r / local * local; c <= r; c++)
                see(b, k, r, c);
        for (uint32_t w = 0; w < full; w += local)
            see_from(b, k, w + local - back, global);
        if (full < side) {
            const uint32_t wanted = full + local - back, last = side > global ? side - global : 0;
            see_from(b, k, wanted < last ? wanted : last, global);
        }
    }
    return true;
}

void blocks_release(struct run_blocks *blocks)
{
    free(blocks->sees);
    blocks->sees = NULL;
}
