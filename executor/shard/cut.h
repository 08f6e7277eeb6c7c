/* cut.h - which part of a tensor a rank holds, by the part that the tensor plays and the plan.
 *
 * An axis is a list of segments ([q; k; v] has three) of units (heads, groups, rows) of so many
 * rows each. With t ranks and n units, rank r has units [r n/t, (r + 1) n/t) of every segment;
 * where t > n and the segment may be copied, unit r div (t/n). A vocabulary is padded to V' =
 * ceil(V / (m t)) m t rows, of which rank r has [r V'/t, (r + 1) V'/t). Expert j is on rank
 * j div (E/e). Pure; docs/shard.md has examples.
 */
#ifndef RECKON_SHARD_CUT_H
#define RECKON_SHARD_CUT_H

#include "shard/roles.h"

#include <reckon/plan.h>

/* How tensors are split where names do not say it: over all tensor ranks, along one dimension. */
enum { AXIS_BY_ROLE = -2, AXIS_NONE = -1 };

struct cut_rules {
    struct rk_model model;
    const struct rk_plan *plan;
    bool copy_scales; /* scales of 128 x 128 that a cut goes through are copied to both sides */
};

struct cut_rank { /* coordinates; see plan/ranks.h */
    uint64_t tensor, expert, expert_tensor;
};

struct range {
    uint64_t begin, end;
};

enum { CUT_MOST_RANGES = 1024 };

struct cut {
    bool here; /* else the rank has nothing of it */
    int axis;  /* that ranges cut; -1: none is cut */
    int ranges;
    struct range range[CUT_MOST_RANGES]; /* in the order in which the rank holds them */
    uint64_t padding;                    /* rows after the last range */
    struct range experts;                /* of axis 0, where experts are stacked; else all of it */
};

/* What rank `at` holds of `tensor`. `weight`: that a scale belongs to (NULL: there is none);
 * `axis`: AXIS_BY_ROLE, AXIS_NONE, or the axis that is cut evenly. RK_BAD_INPUT names the tensor
 * and what does not divide. */
enum rk_status cut_tensor(const struct cut_rules *rules, const struct tensor *tensor,
                          const struct part *part, const struct tensor *weight, int axis,
                          const struct cut_rank *at, struct cut *cut, struct rk_error *error);

#endif
