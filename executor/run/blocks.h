/* blocks.h - which blocks of keys each block of queries sees: layouts of block-sparse attention.
 *
 * A layout is a set of n x n blocks of `size` tokens for each of `patterns` kinds of heads; head k
 * has pattern k mod patterns. Within a diagonal block the causal mask applies token by token.
 */
#ifndef RECKON_RUN_BLOCKS_H
#define RECKON_RUN_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct run_blocks {
    uint32_t size, side; /* tokens of a block, blocks of a sequence */
    uint32_t patterns;
    uint8_t *sees; /* (patterns, side, side): 1 where the row's queries see the column's keys */
};

static inline bool blocks_see(const struct run_blocks *b, uint32_t head, uint32_t row,
                              uint32_t column)
{
    const uint64_t pattern = head % b->patterns;
    return b->sees[(pattern * b->side + row) * b->side + column];
}

/* DeepSpeed's `fixed` pattern, one way: windows of `local` blocks see their own past; of each full
 * window the `global` blocks that end (1 + k mod patterns) * global before its end (are seen by all
 * rows from them on); of a short last window as near to that as it has blocks. `global` divides
 * `local`, patterns <= local / global. False when there is no memory. */
bool blocks_fixed(struct run_blocks *blocks, uint32_t sequence, uint32_t size, uint32_t local,
                  uint32_t global, uint32_t patterns);
void blocks_release(struct run_blocks *blocks);

#endif
