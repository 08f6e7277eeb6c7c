/* plans.h - the space of plans for one model on one system, and the best of it.
 *
 * What search.h is for the Calculon model, this is for other plans (plan.h). The space is a
 * list of layouts (how ranks are split); within a layout a plan's index is a mixed-radix number
 * over choices that do not depend on each other: microbatch, width, kernels, stages, sharding,
 * offload. Which axes there are, and what each is called, is in rk_plan_axis_info(); docs/search.md
 * says which values an axis takes when it is not restricted.
 */
#ifndef RECKON_PLANS_H
#define RECKON_PLANS_H

#include <reckon/machine.h>
#include <reckon/predict.h>
#include <reckon/search.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of the enumeration, outermost first. */
enum rk_plan_axis {
    /* layout */
    RK_PLAN_TENSOR,
    RK_PLAN_CONTEXT,
    RK_PLAN_PIPELINE,
    RK_PLAN_DATA, /* what is left: it can be restricted, not chosen */
    RK_PLAN_EXPERT_TENSOR,
    RK_PLAN_EXPERT,
    RK_PLAN_ORDER,
    /* microbatch */
    RK_PLAN_MICROBATCH,
    /* width */
    RK_PLAN_SEQUENCE_PARALLEL,
    RK_PLAN_TENSOR_OVERLAP,
    RK_PLAN_CONTEXT_KIND,
    RK_PLAN_ULYSSES,
    /* kernels */
    RK_PLAN_PRECISION,
    RK_PLAN_ATTENTION,
    RK_PLAN_SEQUENCE_CHUNKS,
    RK_PLAN_DISPATCHER,
    RK_PLAN_EXPERT_OVERLAP,
    /* stages */
    RK_PLAN_RECOMPUTE, /* RK_RECOMPUTE_VALUE(mode, parts) */
    RK_PLAN_CHUNKS,
    RK_PLAN_RECOMPUTE_LAYERS,
    RK_PLAN_SPLIT, /* enum rk_plan_split */
    RK_PLAN_PIPELINE_BLOCKING,
    RK_PLAN_SCHEDULE,
    /* sharding */
    RK_PLAN_ZERO,
    RK_PLAN_SHARD_RANKS,
    RK_PLAN_KEEP_GATHERED,
    RK_PLAN_GRADIENT_OVERLAP,
    RK_PLAN_WEIGHT_OVERLAP,
    /* offload: 0, or the memory tier that all of it goes to; the detailed model has only tier 1 */
    RK_PLAN_ACTIVATION_OFFLOAD,
    RK_PLAN_OPTIMIZER_OFFLOAD,
    RK_PLAN_WEIGHT_OFFLOAD,
    /* what only calculon chooses */
    RK_PLAN_TENSOR_COMM, /* enum rk_tensor_comm: sequence_parallel and messages_sharded as one */
    RK_PLAN_REGATHER,
    RK_PLAN_FUSED,
    RK_PLAN_TENSOR_NETWORK,
    RK_PLAN_PIPELINE_NETWORK,
    RK_PLAN_DATA_NETWORK,
    RK_PLAN_AXES
};

/* How blocks are dealt to stages. */
enum rk_plan_split {
    RK_SPLIT_EVEN,     /* as even as it goes; what is left over goes to the first stages */
    RK_SPLIT_ENDS,     /* embedding and head take the place of a block each */
    RK_SPLIT_BALANCED, /* the slowest stage is as fast as it can be */
    RK_SPLITS
};

/* What tensor parallelism sends: all-reduces; the same with the pipeline's messages scattered;
 * reduce-scatters and all-gathers, with sequence parallelism between them. */
enum rk_tensor_comm { RK_COMM_ALL_REDUCE, RK_COMM_P2P_RS_AG, RK_COMM_RS_AG, RK_TENSOR_COMMS };

#define RK_RECOMPUTE_VALUE(mode, parts) ((uint64_t)(mode) | (uint64_t)(parts) << 2)

/* Of an axis of offload: the memory tier that all of it goes to, or so many thousandths of it; 0:
 * none does. */
#define RK_OFFLOAD_VALUE(tier, thousandths)                                                        \
    ((uint64_t)(tier) | (uint64_t)((thousandths) % 1000) << 8)
#define RK_OFFLOAD_TIER(value) ((value)&255)

enum rk_plan_axis_type {
    RK_PLAN_NUMBER, /* a degree or a size: 1, 2, 3, ... */
    RK_PLAN_BOOL,   /* no, yes */
    RK_PLAN_CHOICE, /* one of `choices` */
    RK_PLAN_PARTS,  /* none, full, or parts with '+' between them */
    RK_PLAN_TIER    /* of memory (RK_OFFLOAD_VALUE) or network, from 0; no and yes are 0 and 1 */
};

struct rk_plan_axis_info {
    const char *name; /* the flag, the JSON key (with '_') and the CSV column */
    enum rk_plan_axis_type type;
    const char *const *choices; /* ended by NULL; only for RK_PLAN_CHOICE */
    bool local;    /* changes the layers of a stage; else only what is composed of them */
    enum rk_by by; /* which predictor has it as an axis */
    const char *help;
};

RK_API const struct rk_plan_axis_info *rk_plan_axis_info(enum rk_plan_axis axis);

/* A plan's value on an axis, whatever the member's C type; and the other way round. Setting
 * RK_PLAN_DATA does nothing; setting RK_SPLIT_BALANCED leaves the blocks of the stages to be found
 * (rk_plans_plan does). */
RK_API uint64_t rk_plan_axis_get(const struct rk_plan *plan, enum rk_plan_axis axis);
RK_API void rk_plan_axis_set(struct rk_plan *plan, enum rk_plan_axis axis, uint64_t value);

/* "8", "yes", "zero-bubble", "core_attn+layernorm": writes to `buffer` and returns it. */
enum { RK_PLAN_AXIS_TEXT = 128 };
RK_API const char *rk_plan_axis_text(enum rk_plan_axis axis, uint64_t value,
                                     char buffer[RK_PLAN_AXIS_TEXT]);

/* The value that a text stands for; false when it stands for none. */
RK_API bool rk_plan_axis_parse(enum rk_plan_axis axis, const char *text, uint64_t *value);

/* What to search. `base` has what no axis chooses: ranks, batch, sequence, framework, bytes of an
 * element, ...; of axes that are not restricted it has the precision and the attention kernel.
 * `pinned[axis]` is as in struct rk_problem: count 0 leaves the axis to its usual values. What
 * reckon-check(1) calls an error is left out, and what the framework cannot start by itself, but
 * for values that are pinned: docs/search.md says which; `unstartable` takes both in. */
struct rk_plans_problem {
    const struct rk_model *model;
    const struct rk_system *system;
    struct rk_plan base;
    struct {
        int count;
        uint64_t value[RK_MAX_PINNED];
        uint64_t to[RK_MAX_PINNED];
    } pinned[RK_PLAN_AXES];
    bool unstartable;
    /* Of a system of several clusters (machine.h): only plans that one launcher runs as one job;
     * what plans may fill of an accelerator's memory on each cluster (0: all of it). */
    bool launchable;
    double usable_bytes[RK_MAX_CLUSTERS];
};

/* bf16 if the system has it, else fp16, else what it has. */
RK_API enum rk_precision rk_usual_precision(const struct rk_system *system);

/* No restrictions; the usual precision. `sequence` 0: the model's. */
RK_API void rk_plans_problem_init(struct rk_plans_problem *problem, const struct rk_model *model,
                                  const struct rk_system *system, enum rk_framework framework,
                                  uint64_t ranks, uint64_t batch, uint64_t sequence);

/* ---- the space as a list ---- */

/* A space of plans: search.h counts, asks and closes it. Over several clusters it is empty until it
 * is asked, by one thread at a time; then it has the plans that were simulated for the last
 * question, docs/clusters.md. With framework calculon it is that of
 * [isaev2023], whose plans have the largest multiple of their data degree as batch that is at most
 * that of `base`, and a fused activation unless RK_PLAN_FUSED is pinned. NULL when there is no
 * memory, when an axis has more values than a search takes, or when calculon has not what is
 * pinned. The model and system must outlive it. */
RK_API struct rk_space *rk_plans_open(const struct rk_plans_problem *problem,
                                      struct rk_error *error);

/* Requires index < rk_space_count(space). False when the plan repeats one before it: its balanced
 * split is also the even one. */
RK_API bool rk_plans_plan(const struct rk_space *space, uint64_t index, struct rk_plan *plan);

/* ---- one plan ---- */

/* rk_predict of a plan of the space, which also refuses what the problem leaves out. */
RK_API enum rk_verdict rk_plans_predict(const struct rk_plans_problem *problem,
                                        const struct rk_plan *plan,
                                        struct rk_prediction *prediction);

/* Whether a predicted plan satisfies a condition, as struct rk_query has them (NULL: yes); of plans
 * of one framework's predictor. NULL and RK_BAD_ARGUMENT when it is wrong. */
struct rk_condition;
RK_API struct rk_condition *rk_condition_open(const char *text, enum rk_framework framework,
                                              struct rk_error *error);
RK_API void rk_condition_close(struct rk_condition *condition);
RK_API bool rk_condition_holds(const struct rk_condition *condition, const struct rk_plan *plan,
                               const struct rk_outcome *outcome);

/* ---- the best ---- */

/* The best plan of a problem and its prediction. RK_NOTHING_FITS when there is none: `error` then
 * says which verdict refuses most. Either of plan and prediction may be NULL. */
RK_API enum rk_status rk_plans_best(const struct rk_plans_problem *problem, struct rk_plan *plan,
                                    struct rk_prediction *prediction, struct rk_error *error);

/* Why a space has no plans, the first restriction that leaves no value: "pipeline 2: with tensor 8
 * the space has pipeline 1". False: it is not a restriction of an axis. */
enum { RK_PLANS_EMPTY_TEXT = 512 };
RK_API bool rk_plans_empty(const struct rk_plans_problem *problem, char text[RK_PLANS_EMPTY_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
