/* fold.h - what the layers of a plan cost on a machine: operation lists folded to a few numbers.
 *
 * A fold depends on the local part of a plan alone (tensor, context and expert degrees, microbatch,
 * sequence, precision, recomputation, kernels), not on pipeline, data parallelism, ZeRO or batch:
 * the search keeps one for each combination of the former. Pure; seconds, bytes, FLOP, for one
 * microbatch on one rank.
 */
#ifndef RECKON_ESTIMATE_FOLD_H
#define RECKON_ESTIMATE_FOLD_H

#include "estimate/operation_times.h"
#include "machine/kernels.h"
#include "plan/ranks.h"
#include "workload/layers.h"

#include <reckon/predict.h>
#include <reckon/system.h>

/* Where time goes within a layer. */
enum spending {
    SPENT_MATRIX,
    SPENT_ATTENTION,
    SPENT_MEMORY,
    SPENT_TENSOR,
    SPENT_CONTEXT,
    SPENT_EXPERT,
    SPENT_OFFLOAD,
    SPENT_LAUNCH,
    SPENDINGS,
    SPENT_DATA = SPENT_TENSOR /* what no operation of a layer sends */
};

/* Links by the parallelism that keeps them busy, hidden or not. */
enum link { LINK_TENSOR, LINK_CONTEXT, LINK_EXPERT, LINKS };

enum fold_pass { FOLD_FORWARD, FOLD_AGRAD, FOLD_WGRAD, FOLD_RECOMPUTE, FOLD_PASSES };

/* Of a layer, or a stage's blocks, that go through two buffers: what is always offloaded, and what
 * it takes to compute the rest again, by token [zhao2025memo]. */
struct swap_fold {
    double forward_s, backward_s;
    double always_bytes; /* input of the layer, what attention brings and keeps */
    double again_s, again_flop, again_kernel_flop; /* flop: model FLOP; those executed */
    double link_s[LINKS], link_bytes[LINKS];       /* of computing again */
};

/* What chunks of the sequence take of the link to memory tier 1, each way. */
struct copied_fold {
    double in_s, out_s, in_bytes, out_bytes;
};

struct layer_fold {
    /* the outline: what a stage's time and memory depend on */
    struct copied_fold copied[RK_WAYS]; /* backward: with all of the recomputation */
    double pass_s[FOLD_PASSES];         /* sums of spent_s */
    double for_experts_s; /* of backward: what the exchange of experts takes beyond both passes */
    double beside_experts_s; /* what that exchange takes more with nothing to hide it */
    double parameters, expert_parameters; /* of this rank */
    double narrow_parameters;             /* of both: multiplied in 8 or 4 bits */
    double copied_parameters;             /* of tables that the first stage has */
    double adapter_parameters[2];         /* dense, of experts; not among the others */
    double whole_parameters[2];           /* of ends that are trained whole next to adapters */
    double loss_bytes; /* of what is saved, the loss's: gone when what stands in front runs back */
    double long_sides, short_sides; /* of its matrices: larger and smaller of both numbers */
    double saved_total_bytes;
    double working_bytes; /* the most an operation needs on top of that, recomputed ones included */
    double weight_groups; /* operations that have parameters */
    double weight_shapes; /* elements of its matrices' weights, of experts one's */
    double buffer_bytes;  /* of the buffer that all operations share, at its largest */
    double lent_bytes;    /* in memory tier 1 while it runs: chunks of the sequence */
    double put_off_bytes; /* of a microbatch's weight gradients, where they are put off */
    struct step_fold {    /* of the optimizer's step: making matrices orthogonal */
        double work_s, starts;
    } step[2];             /* dense, experts' */
    struct swap_fold swap; /* of the outline only with recompute_rest */
    /* the details */
    double spent_s[FOLD_PASSES][SPENDINGS];
    double link_s[LINKS];                 /* all passes */
    double link_bytes[LINKS];             /* that leave this rank, all passes */
    double useful_flop;                   /* of forward */
    double masked_flop, megatron_flop;    /* what other counts have more: layers.h */
    double kernel_flop;                   /* executed, all passes */
    double again_flop;                    /* of recomputed forward work, counted as useful_flop */
    double again_masked_flop;             /* ... and what the count of attention in full has more */
    double saved_bytes[RK_HOLDING_COUNT]; /* held until backward; checkpoints among them */
};

/* Whether the recomputation of the plan is applied to a layer. */
enum treatment { AS_IT_IS, RECOMPUTED, TREATMENTS };

struct layer_folds {
    bool present[LAYER_KINDS];
    int blocks;
    enum layer_kind block[LAYER_KINDS]; /* (blocks) those of blocks that are present, in order */
    struct layer_fold layer[LAYER_KINDS][TREATMENTS];
    double message_bytes; /* to the next stage */
};

/* Folds the kinds of layer that the model has. Requires a plan that plan_check accepts. */
void fold_layers(struct layer_folds *fold, const struct rk_model *model,
                 const struct rk_system *system, const struct rk_plan *plan);

/* The same in two steps: what recomputation has no part in is the first, so that plans that differ
 * in that alone share it. */
struct timed_layer {
    struct layer layer;
    double time_s[MAX_OPERATIONS][RK_PASSES];
    double waited_s[MAX_OPERATIONS][RK_PASSES]; /* of communication, what is not hidden; else all */
    double sent_bytes[MAX_OPERATIONS][RK_PASSES]; /* of communication */
    struct layer_fold kept;                       /* without recomputation */
    double steady_bytes;                          /* working memory of the others */
    int again;                                    /* operations that recomputation matters to */
    struct again {
        double forward_s, starts, saved_bytes, saved_recomputed_bytes;
        double working_bytes, released_bytes; /* where that depends on it, else 0 */
        enum rk_holding holding;
        unsigned parts;          /* of the plan's recompute_parts that run it again */
    } operation[MAX_OPERATIONS]; /* (again) in their order */
};

struct timed_layers {
    struct known_product *known; /* (KNOWN_PRODUCTS), of one system; NULL: none are kept */
    bool present[LAYER_KINDS];
    struct timed_layer layer[LAYER_KINDS];
};

/* What the first step depends on, apart from the axes of width and kernels and what all plans of a
 * space have in common: plans with equal keys have the same timed layers. */
enum { LAYER_KEY = 13 };
void layer_key(uint64_t key[LAYER_KEY], const struct rk_model *model,
               const struct rk_system *system, const struct rk_plan *plan);

void time_layers(struct timed_layers *timed, const struct rk_model *model,
                 const struct rk_system *system, const struct rk_plan *plan);
void fold_timed(struct layer_folds *fold, const struct timed_layers *timed,
                const struct rk_system *system, const struct rk_plan *plan);

/* The same, but for the details, which it leaves alone. */
void fold_outline(struct layer_folds *fold, const struct timed_layers *timed,
                  const struct rk_system *system, const struct rk_plan *plan);
void fold_copy_outline(struct layer_folds *to, const struct layer_folds *fold,
                       const struct rk_plan *plan);

/* One kind at a time: a list of operations is large. */
void time_layer(struct timed_layer *timed, enum layer_kind kind, const struct rk_model *model,
                const struct rk_system *system, const struct rk_plan *plan);

/* "block", "embedding", ...; static storage. */
const char *layer_kind_name(enum layer_kind kind);

/* Of an operation's operands and results, each once. */
double operation_access_bytes(const struct rk_plan *plan, const struct operation *op, int pass);

/* In a layer that goes through two buffers: is the operation recomputed, for the tokens whose
 * results were dropped? */
bool swap_runs_again(const struct layer *layer, int operation);

/* Does backward run the operation again? */
bool runs_again(const struct rk_plan *plan, const struct operation *op);

/* Its peak working memory, on top of saved tensors. */
double working_of(const struct rk_plan *plan, const struct operation *op, bool redone);

/* What an operation's time is spent on. */
enum spending spending_of(const struct operation *op);

/* The sum that a pass of an operation is part of. Keys and values that are gathered once more are
 * read by the gradients of attention's inputs, so that they cannot wait with the gradients of
 * weights; what a product gathers once more can. */
enum fold_pass fold_pass_of(const struct operation *op, int pass);

/* What the host takes to start a kernel; 0 when it starts none. */
double host_start_s(const struct rk_system *system, const struct rk_plan *plan);

#endif
