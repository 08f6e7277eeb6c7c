/* weights.h - which weights a rank holds: each tensor's name in checkpoints, its box of the whole,
 * and where it lies in the flat buffer of its layer.
 *
 * Weights are (out, in). A flat buffer ("group") holds what is gathered and reduced together: the
 * table of tokens, that of positions, each block, its experts, the final norm, the head. It is
 * padded to 16 elements for each data rank, so that ZeRO cuts it evenly; weights, gradients and
 * moments share the layout. The table names come from Hugging Face.
 */
#ifndef RECKON_RUN_WEIGHTS_H
#define RECKON_RUN_WEIGHTS_H

#include "plan/ranks.h"
#include "run/weight_names.h"

#include <reckon/model.h>
#include <reckon/plan.h>
#include <reckon/status.h>

/* Gradients that tensor ranks have parts of. */
enum weight_sum {
    SUM_NONE,   /* each rank has its own weights, or all compute the same */
    SUM_TENSOR, /* replicated, each rank has seen other tokens or heads */
    SUM_KEYS    /* of keys and values that `copies` neighbours share */
};

struct weight {
    char name[96]; /* in checkpoints */
    enum weight_role role;
    bool transposed; /* stored as (in, out), as GPT-2 does */
    bool decays;     /* not norms and biases */
    bool counted;    /* by this rank in the norm of gradients, and written by it */
    enum weight_sum sum;
    uint64_t file_rows, file_cols; /* (out, in) in the file; a vector has one column */
    uint64_t file_at;              /* row of the file where the tensor begins: k after q */
    uint64_t file_unit, file_step; /* so many rows lie together, and the next ones so many rows
                                      after them: q, k, v of each head; 0: all do */
    uint64_t turn, turn_width;     /* `turn` of each so many rows, from `turn_at` on, are turned by
                                      their positions: neighbours in the file, halves here; 0: none */
    uint64_t turn_at;
    uint64_t file_experts, file_col; /* a matrix of each of so many experts in one tensor, one after
                                        another; columns of it before this one's; 0: one */
    uint64_t file_wide;              /* of a vector that is a matrix in the file: its columns; 0 */
    uint64_t rows, cols;             /* of the whole tensor, (out, in), without padding */
    uint64_t row0, col0;             /* the box that is here ... */
    uint64_t box_rows, box_cols;     /* ... some rows of which may be padding */
    uint64_t at;                     /* in the group */
    double spread;                   /* standard deviation to start from; 0 */
    double start;                    /* ... or this value */
    uint64_t stream;                 /* of its random numbers */
};

struct weight_group {
    int id;    /* the model's: order of sums of all plans */
    int local; /* how its layer sees the plan: 0, or of rk_plan.other */
    bool expert;
    int first, count;         /* weights */
    uint64_t size;            /* elements, padded */
    int64_t at[WEIGHT_ROLES]; /* -1: it has none */
    uint64_t stride, experts; /* elements between experts, and how many are here */
};

/* A part of the model on this rank. */
struct weight_part {
    uint64_t first, layers;
    bool embeds, heads;
};

struct weights {
    struct weight *weight;      /* owned */
    struct weight_group *group; /* owned */
    int weights, groups;
    int ids; /* groups of the model */
};

/* Ids of groups. Blocks of prediction layers follow the others; what else these have comes
 * last. */
enum { GROUP_TABLE, GROUP_POSITIONS, GROUP_BLOCKS };
static inline int group_of_block(uint64_t layer, bool experts)
{
    return GROUP_BLOCKS + 2 * (int)layer + experts;
}
static inline int group_of_final_norm(const struct rk_model *m)
{
    return GROUP_BLOCKS + 2 * (int)(m->layers + m->predict_layers);
}
static inline int group_of_head(const struct rk_model *m)
{
    return group_of_final_norm(m) + 1;
}
static inline int group_of_predict(const struct rk_model *m, uint64_t i)
{
    return group_of_head(m) + 1 + (int)i;
}

/* Those of world rank `rank` that holds `parts`. Requires a checked plan. */
enum rk_status weights_plan(const struct rk_model *model, const struct rk_arithmetic *arithmetic,
                            const struct rk_plan *plan, uint64_t rank,
                            const struct weight_part *part, int parts, struct weights *weights,
                            struct rk_error *error);

/* Tensor ranks that share a key head. */
uint64_t weights_key_copies(const struct rk_model *model, const struct rk_plan *plan);
void weights_release(struct weights *weights);

#endif
