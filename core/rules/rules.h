/* rules.h - is a plan legal? Each rule stands once, in rules.def; here is how it is asked: for the
 * first that is broken, for all, and in words. Pure. */
#ifndef RECKON_RULES_RULES_H
#define RECKON_RULES_RULES_H

#include "plan/habits.h"
#include "rules/case.h"

#include <reckon/plan.h>
#include <reckon/status.h>
#include <reckon/system.h>
#include <reckon/verdict.h>

#include <stddef.h>

/* Parts in the order in which their reasons are named, with the members of a plan that each one
 * reads in addition to the degrees, ranks and batch. The search makes each check as soon as its
 * members are chosen. */
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
    PLAN_CHECKS,
    CHECK_RUNS = PLAN_CHECKS, /* of layers that are not run alike */
    CHECK_RUN,                /* each of them, against the plan */
    CHECK_LAUNCH,             /* what costs time, or depends on the launch: no predictor asks */
    CHECK_TOOL,               /* what one tool, or the executor, does not do */
    CHECK_PARTS
};
enum { PLAN_STARTS = 1 << CHECK_START | 1 << CHECK_PAIRS };

/* Who imposes a rule: a framework, and what is to run the plan. */
#define ALL (~0u)
enum {
    BY_CALCULON = 1 << RK_CALCULON,
    BY_MEGATRON = 1 << RK_MEGATRON,
    BY_FSDP = 1 << RK_FSDP,
    BY_DEEPSPEED = 1 << RK_DEEPSPEED,
    BY_EXECUTOR = 1 << 8,
    BY_SHARD = 1 << 9, /* weights cut into files of ranks */
    BY_ACCELERATE = 1 << 10,
    BY_DS_CONFIG = 1 << 11, /* a file of DeepSpeed */
    BY_TORCHTITAN = 1 << 12,
    BY_NANOTRON = 1 << 13,
    BY_BRIDGE = 1 << 14,
    BY_CORE = 1 << 15, /* Megatron Core as a script, version 0.`version` */
};

enum rule {
#define RULE(name, ...) RULE_##name,
#include "rules/rules.def"
    RULES
};

struct rule_case rule_case_of(const struct rk_model *model, const struct rk_system *system,
                              const struct rk_plan *plan);

/* The first of `parts` (1 << enum plan_check_part) that the plan fails, with its reason;
 * PLAN_CHECKS when it fails none: `reason` is not written then. */
int plan_check_parts(const struct rk_model *model, const struct rk_system *system,
                     const struct rk_plan *plan, unsigned parts, struct rk_reason *reason);

/* The first reason but PLAN_STARTS and CHECK_KERNELS, which rk_predict() asks (stages of several
 * clusters have one kernel on all), RK_FITS in reason->verdict when there is none. */
void plan_check(const struct rk_model *model, const struct rk_system *system,
                const struct rk_plan *plan, struct rk_reason *reason);

/* Checks made on each local part after CHECK_RUN, as if all layers were like it; batch and stages
 * are the plan's. */
enum {
    LOCAL_CHECKS = 1 << CHECK_MODEL | 1 << CHECK_MEMBERS | 1 << CHECK_DEGREES | 1 << CHECK_BATCH |
                   1 << CHECK_TENSOR | 1 << CHECK_SEQUENCE | 1 << CHECK_EXPERTS |
                   1 << CHECK_SHARDING | 1 << CHECK_OFFLOAD | 1 << CHECK_AGAIN |
                   1 << CHECK_PRECISION
};

/* The case of a local part, whose plan is `own`. */
struct rule_case rule_case_of_local(const struct rule_case *whole, int local, struct rk_plan *own);

/* All rules of `parts` that are broken, in the order of rules.def; how many. Of plans whose degrees
 * are no whole numbers, or do not divide the ranks, what depends on that is not asked. */
int rules_broken(const struct rule_case *c, unsigned parts, enum rule broken[static RULES]);

/* One rule; the first of a list that is broken, RULES when none is. Require what the rows read. */
bool rule_holds(enum rule rule, const struct rule_case *c);
enum rule rules_first(const struct rule_case *c, const enum rule *rules, size_t count);

/* What to say of a rule that is broken. */
struct rule_words {
    const char *id, *key; /* of reckon-check(1), "": it is the predictor's; of the plan */
    const char *what;     /* of its reason */
    char have[48];        /* what the key has; may be "" */
    char need[208];       /* what it would have to be */
    char fix[208];        /* what to give instead; may be "" */
};
struct rule_words rule_words(enum rule rule, const struct rule_case *c);

/* The same as a text, "batch 9: no multiple of 2 copies * microbatch 1: use 8 or 10", and as an
 * error. */
void rule_text(const struct rule_words *words, char *text, size_t size);
enum rk_status rule_refuse(enum rule rule, const struct rule_case *c, enum rk_status status,
                           struct rk_error *error);

/* ---- what the search offers by, too ---- */

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
    return !habits_of(plan)->overlaps_sequence || plan->tensor == 1 || domain % plan->tensor == 0;
}

/* Does Megatron-LM overlap the all-to-all of experts with another microbatch's computation? It
 * needs an exchange of tokens, virtual stages where there are stages, layers that are not
 * recomputed whole, and at most one multi-token-prediction layer (overlap_moe_expert_parallel_comm
 * in Megatron Core's transformer_config.py). DualPipe, which Megatron-LM does not have, is built on
 * this overlap. */
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
           habits_of(plan)->fills_stages;
}

#endif
