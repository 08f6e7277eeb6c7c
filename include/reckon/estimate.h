/* estimate.h - time and memory of one training step under one strategy.
 *
 * The model is [isaev2023] with the corrections listed in docs/model.md. Everything is pure:
 * no allocation, no files, no globals, no failure; safe to call from any number of threads.
 */
#ifndef RECKON_ESTIMATE_H
#define RECKON_ESTIMATE_H

#include <reckon/model.h>
#include <reckon/strategy.h>
#include <reckon/system.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every figure of an estimate: X(name, unit, help). From this one list come the struct below,
 * rk_figure_find, the columns of tables and CSV files, and the names in JSON.
 *
 * `block` is one transformer block on one rank for one microbatch. Passes: forward, recompute
 * (forward again, in backward), activation gradient, weight gradient, optimizer. A `base` block
 * has another block behind it on the same rank; an `edge` block is the last one of a chunk.
 * Link times are what the network is busy for; exposed times are what the step waits for. */
/* clang-format off */
#define RK_FIGURES(X) \
    X(step_s,                      "s",     "time of one training step") \
    X(forward_s,                   "s",     "forward passes") \
    X(backward_s,                  "s",     "activation and weight gradients") \
    X(optimizer_s,                 "s",     "optimizer step") \
    X(recompute_s,                 "s",     "activations computed again in backward") \
    X(recompute_comm_exposed_s,    "s",     "tensor-parallel communication redone in backward, exposed") \
    X(recompute_comm_link_s,       "s",     "tensor-parallel communication redone in backward, on the link") \
    X(bubble_s,                    "s",     "pipeline bubble") \
    X(tensor_comm_exposed_s,       "s",     "tensor-parallel communication, exposed") \
    X(tensor_comm_link_s,          "s",     "tensor-parallel communication, on the link") \
    X(pipeline_comm_exposed_s,     "s",     "pipeline-parallel communication, exposed") \
    X(pipeline_comm_link_s,        "s",     "pipeline-parallel communication, on the link") \
    X(data_comm_exposed_s,         "s",     "data-parallel communication, exposed") \
    X(data_comm_link_s,            "s",     "data-parallel communication, on the link") \
    X(forward_offload_exposed_s,   "s",     "offload transfers in forward that computing does not hide") \
    X(backward_offload_exposed_s,  "s",     "offload transfers in backward that computing does not hide") \
    X(samples_per_s,               "1/s",   "samples per second, all ranks") \
    X(tokens_per_s,                "1/s",   "tokens per second, all ranks") \
    X(mfu,                         "",      "useful FLOP (forward, both gradients, optimizer) over peak times step time") \
    X(compute_efficiency,          "",      "useful FLOP over peak times the time spent computing them") \
    X(system_efficiency,           "",      "time spent computing useful FLOP over step time") \
    X(useful_flop,                 "FLOP",  "useful FLOP of a block") \
    X(hbm_bytes,                   "B",     "needed in memory tier 0") \
    X(offload_bytes,               "B",     "needed in all lower memory tiers together") \
    X(weight_bytes,                "B",     "weights of a rank") \
    X(activation_bytes,            "B",     "activations of a rank") \
    X(checkpoint_bytes,            "B",     "activation checkpoints of a rank") \
    X(activation_grad_bytes,       "B",     "activation gradients of a rank") \
    X(weight_grad_bytes,           "B",     "weight gradients of a rank") \
    X(weight_grad_reduced_bytes,   "B",     "... once all of them are reduced and sharded") \
    X(optimizer_bytes,             "B",     "optimizer state of a rank") \
    X(weight_min_bytes,            "B",     "... what stays in tier 0 when weights are offloaded") \
    X(activation_min_bytes,        "B",     "... activations, likewise") \
    X(checkpoint_min_bytes,        "B",     "... checkpoints, likewise") \
    X(activation_grad_min_bytes,   "B",     "... activation gradients, likewise") \
    X(weight_grad_min_bytes,       "B",     "... weight gradients, likewise") \
    X(optimizer_min_bytes,         "B",     "... optimizer state, likewise") \
    X(offload_required_Bps,        "B/s",   "lower-tier bandwidth that hides all transfers") \
    X(activation_required_Bps,     "B/s",   "... of the activations") \
    X(weight_required_Bps,         "B/s",   "... of the weights") \
    X(optimizer_required_Bps,      "B/s",   "... of the optimizer state") \
    X(tensor_required_Bps,         "B/s",   "network bandwidth that hides overlapped tensor parallelism") \
    X(data_chunk_required_Bps,     "B/s",   "network bandwidth that hides data parallelism of all but the last chunk") \
    X(data_tail_required_Bps,      "B/s",   "network bandwidth that hides data parallelism of the last chunk") \
    X(block_forward_flop,          "FLOP",  "block, forward") \
    X(block_forward_flop_s,        "s",     "block, forward: time on the engines") \
    X(block_forward_access_bytes,  "B",     "block, forward: bytes read and written") \
    X(block_forward_access_s,      "s",     "block, forward: time in memory") \
    X(block_forward_s,             "s",     "block, forward: both") \
    X(block_recompute_flop,        "FLOP",  "block, recompute") \
    X(block_recompute_flop_s,      "s",     "block, recompute: time on the engines") \
    X(block_recompute_access_bytes,"B",     "block, recompute: bytes read and written") \
    X(block_recompute_access_s,    "s",     "block, recompute: time in memory") \
    X(block_recompute_s,           "s",     "block, recompute: both") \
    X(block_agrad_flop,            "FLOP",  "block, activation gradient") \
    X(block_agrad_flop_s,          "s",     "block, activation gradient: time on the engines") \
    X(block_agrad_access_bytes,    "B",     "block, activation gradient: bytes read and written") \
    X(block_agrad_access_s,        "s",     "block, activation gradient: time in memory") \
    X(block_agrad_s,               "s",     "block, activation gradient: both") \
    X(block_wgrad_flop,            "FLOP",  "block, weight gradient") \
    X(block_wgrad_flop_s,          "s",     "block, weight gradient: time on the engines") \
    X(block_wgrad_access_bytes,    "B",     "block, weight gradient: bytes read and written") \
    X(block_wgrad_access_s,        "s",     "block, weight gradient: time in memory") \
    X(block_wgrad_s,               "s",     "block, weight gradient: both") \
    X(block_optimizer_flop,        "FLOP",  "block, optimizer step") \
    X(block_optimizer_flop_s,      "s",     "block, optimizer step: time on the engines") \
    X(block_optimizer_access_bytes,"B",     "block, optimizer step: bytes read and written") \
    X(block_optimizer_access_s,    "s",     "block, optimizer step: time in memory") \
    X(block_optimizer_s,           "s",     "block, optimizer step: both") \
    X(base_forward_comm_bytes,     "B",     "base block, tensor-parallel bytes in forward") \
    X(edge_forward_comm_bytes,     "B",     "edge block, tensor-parallel bytes in forward") \
    X(base_backward_comm_bytes,    "B",     "base block, tensor-parallel bytes in backward") \
    X(edge_backward_comm_bytes,    "B",     "edge block, tensor-parallel bytes in backward") \
    X(base_redo_comm_bytes,        "B",     "base block, tensor-parallel bytes redone") \
    X(edge_redo_comm_bytes,        "B",     "edge block, tensor-parallel bytes redone") \
    X(base_forward_comm_link_s,    "s",     "base block, tensor-parallel link time in forward") \
    X(edge_forward_comm_link_s,    "s",     "edge block, tensor-parallel link time in forward") \
    X(base_backward_comm_link_s,   "s",     "base block, tensor-parallel link time in backward") \
    X(edge_backward_comm_link_s,   "s",     "edge block, tensor-parallel link time in backward") \
    X(base_redo_comm_link_s,       "s",     "base block, tensor-parallel link time redone") \
    X(edge_redo_comm_link_s,       "s",     "edge block, tensor-parallel link time redone") \
    X(base_forward_comm_exposed_s, "s",     "base block, tensor-parallel time exposed in forward") \
    X(edge_forward_comm_exposed_s, "s",     "edge block, tensor-parallel time exposed in forward") \
    X(base_backward_comm_exposed_s,"s",     "base block, tensor-parallel time exposed in backward") \
    X(edge_backward_comm_exposed_s,"s",     "edge block, tensor-parallel time exposed in backward") \
    X(base_redo_comm_exposed_s,    "s",     "base block, tensor-parallel time redone and exposed") \
    X(edge_redo_comm_exposed_s,    "s",     "edge block, tensor-parallel time redone and exposed") \
    X(block_pipeline_forward_bytes,"B",     "message between stages in forward") \
    X(block_pipeline_backward_bytes,"B",    "message between stages in backward") \
    X(block_data_bytes,            "B",     "weights of a block that data parallelism reduces") \
    X(block_weight_bytes,          "B",     "block, weights") \
    X(block_working_bytes,         "B",     "block, activations while it is computed") \
    X(block_stored_bytes,          "B",     "block, activations kept for backward") \
    X(block_checkpoint_bytes,      "B",     "block, checkpoint under full recompute") \
    X(block_weight_grad_bytes,     "B",     "block, weight gradients, sharded if they are") \
    X(block_weight_grad_full_bytes,"B",     "block, weight gradients, unsharded") \
    X(block_activation_grad_bytes, "B",     "block, activation gradients") \
    X(block_optimizer_bytes,       "B",     "block, optimizer state")
/* clang-format on */

enum { RK_MAX_REASONS = 24 };

struct rk_estimate {
    enum rk_verdict verdict; /* RK_FITS, or reasons[0].verdict */
    int reasons;             /* how many; those beyond RK_MAX_REASONS are dropped */
    struct rk_reason reason[RK_MAX_REASONS];
    bool timed; /* the figures below are filled: true also when only memory or networks refuse */
#define RK_FIGURE_MEMBER(name, unit, help) double name;
    RK_FIGURES(RK_FIGURE_MEMBER)
#undef RK_FIGURE_MEMBER
};

/* Fills `estimate` and returns its verdict. All reasons for which the plan cannot run are listed
 * at once. Requires a checked model and system (as loaded by catalog.h). */
RK_API enum rk_verdict rk_estimate(const struct rk_model *model, const struct rk_system *system,
                                   const struct rk_strategy *strategy,
                                   struct rk_estimate *estimate);

/* ---- figures by name ---- */

struct rk_figure {
    const char *name;
    const char *unit; /* "s", "B", "FLOP", "B/s", "1/s" or "" */
    const char *help;
    size_t offset; /* in struct rk_estimate */
};

/* All figures, ended by one whose name is NULL. */
RK_API const struct rk_figure *rk_figures(void);

/* NULL when there is no such figure. */
RK_API const struct rk_figure *rk_figure_find(const char *name);
RK_API double rk_figure_value(const struct rk_estimate *estimate, const struct rk_figure *figure);

/* ---- memory per tier ---- */

enum rk_category {
    RK_WEIGHTS,
    RK_ACTIVATIONS,
    RK_CHECKPOINTS,
    RK_ACTIVATION_GRADS,
    RK_WEIGHT_GRADS,
    RK_OPTIMIZER,
    RK_CATEGORIES
};

RK_API const char *rk_category_name(enum rk_category category);

/* Bytes of one category in one memory tier under the strategy that was estimated. */
RK_API double rk_tier_bytes(const struct rk_estimate *estimate, const struct rk_strategy *strategy,
                            int tier, enum rk_category category);

/* ---- operations of a block ---- */

enum rk_pass { RK_FORWARD, RK_AGRAD, RK_WGRAD, RK_PASSES };

/* One operation as `estimate --layers` shows it. Communication figures are of the tensor-parallel
 * network; [0] base block, [1] edge block. The third pass of communication is the redone one. */
struct rk_operation {
    const char *name;       /* static storage */
    double inputs, outputs; /* elements */
    double flop[RK_PASSES];
    double access_bytes[RK_PASSES];
    double time_s[RK_PASSES]; /* 0 for communication alone: its link time has all of it */
    double comm_bytes[RK_PASSES][2];
    double comm_tile_bytes[RK_PASSES][2];
    double comm_link_s[RK_PASSES][2];
    double comm_exposed_s[RK_PASSES][2];
    double optimizer_flop, optimizer_access_bytes, optimizer_s;
    double weight_bytes, activation_bytes, weight_grad_bytes, activation_grad_bytes,
        optimizer_bytes;
    bool recomputed, recommunicated, keeps_input, keeps_output, reuses_buffer;
};

enum { RK_MAX_OPERATIONS = 48 };

/* The operations of one block in order; returns how many were written to `operations`
 * (RK_MAX_OPERATIONS entries). Requires a strategy whose estimate is `timed`. */
RK_API int rk_block_operations(const struct rk_model *model, const struct rk_system *system,
                               const struct rk_strategy *strategy, struct rk_operation *operations);

#ifdef __cplusplus
}
#endif
#endif
