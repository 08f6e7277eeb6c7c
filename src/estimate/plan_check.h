/* plan_check.h - can a plan run at all, memory apart? What a checker of plans catches before
 * launch. Pure. */
#ifndef RECKON_ESTIMATE_PLAN_CHECK_H
#define RECKON_ESTIMATE_PLAN_CHECK_H

#include <reckon/plan.h>
#include <reckon/system.h>
#include <reckon/verdict.h>

/* In the order in which reasons are named, and which members of a plan each of them reads beside
 * the degrees, ranks and batch: the search makes each check where its members are chosen. */
enum plan_check_part {
    CHECK_MODEL,   /* sequence */
    CHECK_MEMBERS, /* what the predictor gives no meaning to; tensor_overlap */
    CHECK_DEGREES,
    CHECK_BATCH,    /* microbatch */
    CHECK_TENSOR,   /* nothing */
    CHECK_SEQUENCE, /* sequence_parallel, context_kind, ulysses, sequence_chunks, attention */
    CHECK_EXPERTS,  /* imbalance, capacity_factor */
    CHECK_STAGES,   /* chunks, split */
    CHECK_SCHEDULE, /* microbatch, chunks, schedule */
    CHECK_START, /* the same, those of layers, and recompute: what no framework starts, but can be
                    timed */
    CHECK_SHARDING, /* zero, shard_ranks */
    CHECK_OFFLOAD,  /* the shares */
    CHECK_AGAIN,    /* sequence_chunks, recompute and its layers */
    CHECK_PRECISION,
    CHECK_KERNELS,  /* attention, dispatcher */
    CHECK_NETWORKS, /* nothing */
    CHECK_PAIRS,    /* all: the rest of what no framework starts, of which no space has plans */
    PLAN_CHECKS
};
enum { PLAN_STARTS = 1 << CHECK_START | 1 << CHECK_PAIRS };

/* The first of `parts` (1 << enum plan_check_part) that the plan fails, with its reason;
 * PLAN_CHECKS when it fails none: `reason` is not written then. */
int plan_check_parts(const struct rk_model *model, const struct rk_system *system,
                     const struct rk_plan *plan, unsigned parts, struct rk_reason *reason);

/* One rule that a plan breaks. */
struct plan_refusal {
    const char *rule; /* of reckon-check(1); "": this predictor has no answer, the plan may run */
    const char *key;  /* of the plan; static storage, as `rule` */
    struct rk_reason reason;
};
enum { PLAN_FAULTS = 96 }; /* there are fewer tests, each made once */
struct plan_faults {
    int count;
    struct plan_refusal fault[PLAN_FAULTS];
};

/* Do so many microbatches fill interleaved stages in groups? The last group must have none, or one
 * for each stage at least. */
static inline bool plan_interleaves(uint64_t microbatches, uint64_t stages, uint64_t group)
{
    const uint64_t left = microbatches % group;
    return microbatches >= stages && (left == 0 || left >= stages);
}

/* Can the framework overlap tensor messages where the fastest links join so many ranks?
 * Megatron-LM does it through Transformer Engine, whose buffers are in each other's reach there and
 * nowhere else (NVIDIA/TransformerEngine#1071, #1470). */
static inline bool plan_overlaps_within(const struct rk_plan *plan, uint64_t domain)
{
    return plan->framework != RK_MEGATRON || plan->tensor == 1 || domain % plan->tensor == 0;
}

/* Does Megatron-LM start the exchange of experts beside another microbatch's computing? It asks for
 * an exchange of tokens, virtual stages where there are stages, layers that are not computed again
 * whole, and at most one layer of further tokens (overlap_moe_expert_parallel_comm in Megatron
 * Core's transformer_config.py). DualPipe, which is no schedule of its, is that overlap. */
static inline bool plan_overlaps_experts(const struct rk_model *model, const struct rk_plan *plan)
{
    const bool virtual = plan->pipeline == 1 || plan->chunks > 1 || plan->schedule == RK_DUALPIPE;
    return plan->expert > 1 && plan->dispatcher != RK_ALL_GATHER_TOKENS && virtual &&
           plan->recompute != RK_WHOLE && model->predict_layers <= 1;
}

/* Does the framework ask for a microbatch for each stage at least, where virtual ones are not
 * interleaved? */
static inline bool plan_must_fill(const struct rk_plan *plan)
{
    return plan->schedule == RK_ZERO_BUBBLE || plan->schedule == RK_ZERO_BUBBLE_2P ||
           plan->framework == RK_FSDP;
}

/* Choices of which one lacks, or excludes, another: tools refuse them at their start. */
struct plan_pair {
    const char *rule, *key, *why, *fix;
};
enum { PLAN_PAIRS = 15 };
extern const struct plan_pair plan_pairs[PLAN_PAIRS];

/* Those that the plan breaks, as bits of plan_pairs. `domain`: ranks that the fastest links join,
 * 0: it is not known; without a system (NULL) what depends on it is not asked. */
unsigned plan_pairs_broken(const struct rk_model *model, const struct rk_system *system,
                           const struct rk_plan *plan, uint64_t domain);

/* All of them but PLAN_STARTS and CHECK_KERNELS, whose rules the checker words itself. What depends
 * on the data degree is not asked where there is none, nor what depends on the system where it is
 * NULL. */
void plan_check_all(const struct rk_model *model, const struct rk_system *system,
                    const struct rk_plan *plan, struct plan_faults *faults);

/* The first reason but PLAN_STARTS and CHECK_KERNELS, which rk_predict() asks (stages of several
 * clusters have one kernel on all), RK_FITS in reason->verdict when there is none. */
void plan_check(const struct rk_model *model, const struct rk_system *system,
                const struct rk_plan *plan, struct rk_reason *reason);

#endif
