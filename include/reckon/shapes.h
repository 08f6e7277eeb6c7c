/* shapes.h - well-shaped models for any number of parameters.
 *
 * Very large models get wider faster than they get deeper. The rule of the multi-trillion study,
 * [isaev2023scaling] section III, makes the aspect ratio grow linearly with the depth,
 *
 *     hidden / blocks = 192 at 128 blocks ... 320 at 512 blocks,
 *
 * rounds hidden to the nearest multiple of 1,024, takes as many heads as blocks and a feed-forward
 * width of 4 * hidden. Outside 128 ... 512 blocks the line is continued, with heads of a width that
 * attention kernels have: 128 (64 below 3,072), or 64, 96, 256, where hidden divides by it.
 * Everything is pure.
 */
#ifndef RECKON_SHAPES_H
#define RECKON_SHAPES_H

#include <reckon/model.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rk_shape_rule {
    uint64_t blocks_low, blocks_high; /* where the ratio is given; not equal */
    double ratio_low, ratio_high;     /* hidden / blocks there */
    uint64_t hidden_step;             /* hidden is a multiple of it */
};

/* The rule of [isaev2023scaling]. */
RK_API extern const struct rk_shape_rule rk_shape_rule_paper;

/* Is it within the study, and not the line continued? */
RK_API bool rk_shape_is_published(const struct rk_shape_rule *rule, uint64_t blocks);

/* The ratio that the rule wants, at least 1. */
RK_API double rk_shape_ratio(const struct rk_shape_rule *rule, uint64_t blocks);

/* The rule's model of so many blocks (at least 1): all dimensions of a GPT-style model but
 * `id` (empty). Within the study head_dim is hidden / heads, rounded. */
RK_API struct rk_model rk_shape_of(const struct rk_shape_rule *rule, uint64_t blocks,
                                   uint64_t sequence);

/* 12 * blocks * hidden^2: the matrices of the blocks, as the paper counts. */
RK_API double rk_shape_parameters(uint64_t blocks, uint64_t hidden);

/* The same with heads of a multiple of 32, as many as blocks: the cells of Fig. 3 of the paper. */
RK_API double rk_shape_parameters_by_heads(uint64_t blocks, uint64_t hidden);

/* (tensor, pipeline) pairs that the shape allows: divisors of both hidden and heads, times
 * divisors of the blocks. A model with few of them is hard to place: 8 for 254 blocks and heads,
 * 81 for 256. */
RK_API uint64_t rk_shape_splits(const struct rk_model *model);

enum { RK_SHAPE_MOST_BLOCKS = 16384 };

/* The numbers of blocks, multiples of `step` up to RK_SHAPE_MOST_BLOCKS, whose models are nearest
 * to `parameters` by their quotient, the nearest first. Returns how many were written, at most
 * `most`; ties go to fewer blocks. */
RK_API size_t rk_shape_nearest(const struct rk_shape_rule *rule, double parameters, uint64_t step,
                               uint64_t *blocks, size_t most);

#ifdef __cplusplus
}
#endif

#endif
