/* layers.h - the operations of one layer on one rank, for one microbatch, under a plan.
 *
 * What block.h is for the Calculon model, this is for all other models and plans: a layer of
 * any kind (embedding, dense block, block with experts, head) is a list of operations, each with
 * its shape, FLOP and bytes per pass, the tensors it holds from forward to backward, its
 * communication with the group it runs over, and what recomputation does to it. Nothing downstream
 * knows what an attention is. Pure: knows nothing of machines, networks or pipelines.
 *
 * Conservation, which the tests check: for every plan the parameters of all ranks sum to the
 * model's (padding apart), the FLOP of all ranks to the model's, and all-to-all bytes sent equal
 * bytes received.
 */
#ifndef RECKON_WORKLOAD_LAYERS_H
#define RECKON_WORKLOAD_LAYERS_H

#include "workload/layer.h"
#include "workload/op.h"
#include "workload/pattern.h"

#include <reckon/model.h>
#include <reckon/plan.h>
#include <reckon/predict.h>
#include <stdbool.h>

/* Of a kind that is a block's. */
enum mixer mixer_of_kind(enum layer_kind kind);
enum mlp_kind mlp_of_kind(enum layer_kind kind);

/* Kind of block `i` (of model->layers), and how many blocks from it on are of that kind. */
enum layer_kind layer_kind_of(const struct rk_model *model, uint64_t i);
uint64_t layer_run(const struct rk_model *model, uint64_t i);

/* How many of each kind blocks first ... first + count - 1 are; adds to counts. */
void layer_count(const struct rk_model *model, uint64_t first, uint64_t count,
                 double counts[LAYER_KINDS]);

/* Requires a plan whose degrees divide the model: see plan_check in estimate/. */
void layer_build(struct layer *layer, enum layer_kind kind, const struct rk_model *model,
                 const struct rk_plan *plan);

/* Does a CUDA graph start the kernels of that part, instead of the host? That of a mixture has its
 * router, too. */
static inline bool plan_captures(const struct rk_plan *plan, enum rk_graph_part part)
{
    const bool routes = part == RK_GRAPH_ROUTER || part == RK_GRAPH_PREPROCESS;
    const unsigned by = 1u << part | (routes ? 1u << RK_GRAPH_EXPERTS : 0);
    return plan->cuda_graphs && (!plan->graph_parts || plan->graph_parts & by);
}

/* Of attention in chunks: how many chunks before its own a chunk of queries meets at most, and how
 * many pairs of two chunks that makes. */
double chunks_back(const struct operation *attention);
double chunk_pairs_below(const struct operation *attention);
double chunk_pairs_on_diagonal(const struct operation *attention); /* of tokens, in one chunk */

/* ---- inference ---- */

/* What engines of inference run: no loss, no dropout; logits of the last token of each sample;
 * residual sums, rotary and casts within an adjacent kernel; experts that no token goes to are not
 * read. Only RK_FORWARD counts. Requires context 1. */
void layer_build_served(struct layer *layer, enum layer_kind kind, const struct rk_model *model,
                        const struct rk_plan *plan, const struct served *served);

/* Bytes that a layer keeps of one sample of `tokens` tokens, on one rank (its share of them where
 * they are split): keys and values [pope2023],
 * the latent vectors of latent attention [deepseek2024], within a window those in it, of a
 * recurrence its state in fp32 and the inputs of its convolution. */
double layer_cache_bytes(enum layer_kind kind, const struct rk_model *model,
                         const struct rk_plan *plan, const struct served *served, double tokens);

/* Bytes of an element of the input that a narrow linear layer keeps. */
double narrow_kept_bytes(const struct rk_plan *plan);

/* Entries of the padded embedding table. */
double padded_vocabulary(const struct rk_model *model, const struct rk_plan *plan);

#endif
