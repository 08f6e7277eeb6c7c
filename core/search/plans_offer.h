/* plans_offer.h - which values an axis of the space of plans takes.
 *
 * Each axis has two lists: the usual values, which docs/search.md explains, and all that are
 * possible, from which a restriction picks. Values that can change nothing (a schedule without a
 * pipeline) are never offered twice.
 */
#ifndef RECKON_SEARCH_PLANS_OFFER_H
#define RECKON_SEARCH_PLANS_OFFER_H

#include "base/limits.h"
#include <reckon/plans.h>

struct offered {
    const struct rk_plans_problem *problem;
    enum rk_plan_axis axis;
    int count;
    bool crowded; /* there were more than that */
    uint64_t value[MAX_OFFERED];
};

/* Values of an axis when those before it in its bundle, and the layout's, are set in `plan`: the
 * usual ones, or those that are asked for and possible. */
typedef void plan_offer(struct offered *offered, const struct rk_plan *plan);

plan_offer offer_tensor, offer_context, offer_pipeline, offer_data, offer_expert_tensor,
    offer_expert, offer_order;
plan_offer offer_microbatch;
plan_offer offer_sequence_parallel, offer_tensor_overlap, offer_context_kind, offer_ulysses;
plan_offer offer_precision, offer_attention, offer_dispatcher, offer_expert_overlap,
    offer_sequence_chunks;
plan_offer offer_recompute, offer_chunks, offer_recompute_layers, offer_split,
    offer_pipeline_blocking, offer_schedule;
plan_offer offer_zero, offer_shard_ranks, offer_keep_gathered, offer_gradient_overlap,
    offer_weight_overlap;
plan_offer offer_activation_offload, offer_optimizer_offload, offer_weight_offload;

/* May plans overlap the exchange of experts? */
bool plans_search_overlap(const struct rk_plans_problem *problem);

/* Are V-shaped schedules searched for the model? */
bool plans_search_v(const struct rk_model *model);

/* ---- how values are offered: plans_offer.c ---- */

struct habits;

bool plans_asked(const struct offered *o);

/* For which the axis means nothing: no restriction touches it. */
void plans_only(struct offered *o, uint64_t value);

void plans_offer(struct offered *o, uint64_t value);

/* `usual`, or what is asked for of 0 ... last. */
void plans_offer_choice(struct offered *o, uint64_t usual, uint64_t last);

/* The least that is asked for; 0: nothing is. */
uint64_t plans_least_asked(const struct offered *o);

/* No and yes, in that order. */
void plans_offer_both(struct offered *o);

/* Its habits, where they decide what starts. */
const struct habits *plans_starts(const struct offered *o);

/* Are its plans those of trainers around torch (rk_plan_is_torchs), whose files have few of the
 * choices? Where a value is asked for, it is offered all the same. */
bool plans_of_trainers(const struct offered *o);

typedef bool is_usual(const struct offered *o, const struct rk_plan *plan, uint64_t value);

/* Divisors of n that are usual, or asked for. */
void plans_offer_divisors(struct offered *o, const struct rk_plan *plan, uint64_t n, is_usual *is);

#endif
