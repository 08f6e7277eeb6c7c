/* layers_chunks.c - a block that takes the sequence chunk by chunk [yao2024fpdt].
 *
 * Each chunk of the tokens of a rank goes through the projections and the all-to-all; its queries
 * meet the keys and values of one chunk after the other, up to its own, which are fetched from
 * memory tier 1 while the chunk before is worked on. Backward takes keys and values in the outer
 * loop: queries, outputs and gradients of later chunks come, and the queries' gradients, summed in
 * fp32, go and come. The MLP runs chunk by chunk too, and as it keeps nothing but its input it
 * multiplies by its first matrix once more in backward. Norms and residual sums are of all tokens.
 * Within a window only those chunks meet that it reaches. So does DeepSpeed, without windows
 * (deepspeed/sequence/fpdt_layer.py: _FPDTGPUOffloadingAttentionImpl_, FPDT_FFN).
 */
#include "workload/layers_build.h"

#include <math.h>

enum { SUM_BYTES = 4 }; /* outputs and gradients of pairs are added up in fp32 */

/* Chunk i meets chunk i - d if its first query sees that one's last key. */
double chunks_back(const struct operation *attention)
{
    const double u = attention->chunks, tokens = attention->keys / u;
    if (!(attention->window > 0)) return u - 1;
    return fmin(u - 1, ceil((attention->window - 1) / tokens));
}

double chunk_pairs_below(const struct operation *attention)
{
    const double u = attention->chunks, back = chunks_back(attention);
    return u * back - back * (back + 1) / 2;
}

/* Pairs within a chunk: a short causal sequence. */
double chunk_pairs_on_diagonal(const struct operation *attention)
{
    const double tokens = attention->keys / attention->chunks, w = attention->window;
    if (w > 0 && w < tokens) return tokens * w - w * (w - 1) / 2;
    return tokens * (tokens + 1) / 2;
}

static void attention_in_chunks(struct operation *op, double u, double element)
{
    const double queries = op->batch * op->heads * op->queries / u; /* of a chunk */
    const double keys = op->batch * op->kv_heads * op->keys / u;
    const double query = queries * op->head_dim, output = queries * op->value_dim;
    const double key_value = keys * (op->head_dim + op->value_dim);
    op->chunks = u;
    op->loaded_bytes[RK_FORWARD] = key_value * element;
    op->returned_bytes[RK_FORWARD] = (query + output + key_value) * element;
    op->loaded_bytes[RK_AGRAD] = (query + 2 * output) * element + query * SUM_BYTES;
    op->returned_bytes[RK_AGRAD] = query * SUM_BYTES;
    op->lent_bytes = u * ((query + 2 * output + key_value) * element + query * SUM_BYTES);
    op->merged_bytes[RK_FORWARD] = output * (element + 2 * SUM_BYTES);
    op->merged_bytes[RK_AGRAD] = (query + key_value) * (2 * element + 2 * SUM_BYTES);
    for (int pass = 0; pass < RK_PASSES; pass++)
        op->kernels[pass] *= u + chunk_pairs_below(op);
    op->working_bytes *= 2 / u; /* one at hand, one on its way */
    op->released_bytes *= 2 / u;
}

static void in_chunks(struct operation *op, double u)
{
    op->chunks = u;
    if (op->kind == OPERATION_MATRIX) {
        op->count *= u;
        op->m /= u;
    }
    for (int pass = 0; pass < RK_PASSES; pass++) {
        op->kernels[pass] *= u;
        op->comm_times[pass] *= u;
        op->comm_bytes[pass] /= u;
    }
    op->working_bytes /= u;
    op->released_bytes /= u;
}

void take_in_chunks(struct build *build)
{
    const double u = (double)build->plan->sequence_chunks;
    bool first = true; /* of the MLP's matrices */
    for (int i = 0; i < build->layer->operations; i++) {
        struct operation *op = &build->layer->operation[i];
        if (op->holding == RK_HOLD_norms) continue;
        if (op->kind == OPERATION_ATTENTION)
            attention_in_chunks(op, u, build->element);
        else
            in_chunks(op, u);
        if (op->kind != OPERATION_MATRIX || op->holding != RK_HOLD_mlp) continue;
        if (first) op->again += 1;
        first = false;
    }
}
