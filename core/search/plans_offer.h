/* plans_offer.h - which values an axis of the space of plans takes.
 *
 * Each axis has two lists: the usual values, which docs/search.md explains, and all that are
 * possible, from which a restriction picks. Values that can change nothing (a schedule without a
 * pipeline) are never offered twice.
 */
#ifndef RECKON_SEARCH_PLANS_OFFER_H
#define RECKON_SEARCH_PLANS_OFFER_H

#include "search/plans_axes.h"

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

#endif
