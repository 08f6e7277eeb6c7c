/* layers_served.c - what inference does otherwise than training: one token a sample, and a cache.
 */
#include "workload/layers.h"
#include "workload/layers_build.h"

#include <math.h>

static const struct place_in core = {RK_HOLD_attention, RK_PART_CORE_ATTENTION};

enum { STATE_BYTES = 4 }; /* of a number of a recurrence's state */

bool is_decoding(const struct build *build)
{
    return build->served && build->sequence == 1;
}

/* Elements that a token has in the cache; latent attention has one vector as key and value. */
static double entry_of(const struct rk_model *model, double kv_heads, double width, double value)
{
    if (model->kv_rank) return (double)(model->kv_rank + model->rope_dim);
    return kv_heads * (width + value);
}

/* Tensor ranks that need the same keys and values. */
static double sharers(const struct rk_model *model, double tensor, double kv_heads)
{
    return model->kv_rank ? tensor : fmax(1, tensor / kv_heads);
}

double lookup_sharers(const struct build *build, bool local)
{
    return sharers(build->model, build->tensor, head_shape_of(build->model, local).kv_heads);
}

/* Queries of all heads for some of the samples, and their outputs back. */
static void exchange_samples(struct build *build, enum op id, double width)
{
    add_comm(build, id, core, OVER_TENSOR, COMM_ALL_TO_ALL, COMM_ALL_TO_ALL,
             build->batch * width * build->element);
}

/* A kernel over parts of the keys, and one that puts these together [dao2023flashdecoding]. */
void build_lookup(struct build *build, const struct looked_up *at)
{
    const bool split = build->served->cache_split && at->sharers > 1;
    const double share = split ? fmin(at->sharers, build->batch) : 1;
    if (split) exchange_samples(build, OP_QUERIES_ACROSS, at->heads * at->width);
    struct operation *op = add_operation(build, OP_ATTENTION, core);
    const double readers = build->served->heads_apart ? at->heads : at->kv_heads;
    const double entry = entry_of(build->model, readers, at->width, at->value);
    op->batch = build->batch / share;
    op->heads = at->heads * share;
    op->kv_heads = at->kv_heads;
    op->queries = 1;
    op->keys = at->pairs;
    op->pairs = at->pairs;
    op->head_dim = at->width;
    op->value_dim = at->value;
    op->flop[RK_FORWARD] = 2 * build->batch * at->heads * at->pairs * (at->width + at->value);
    op->useful_flop = op->flop[RK_FORWARD];
    op->cache_bytes = op->batch * at->pairs * entry * build->served->cache_element;
    op->bytes[RK_FORWARD] = op->cache_bytes;
    op->kernels[RK_FORWARD] = 2;
    op->parameters = build->model->attention_sinks ? at->heads : 0;
    if (split) exchange_samples(build, OP_OUTPUTS_ACROSS, at->heads * at->value);
}

static double state_bytes(const struct rk_model *model, const struct rk_plan *plan)
{
    const struct recurrence_shape shape = recurrence_shape_of(model);
    const double taps = fmax(0, (double)model->convolution - 1);
    return (shape.heads * shape.key * shape.value * STATE_BYTES + shape.channels * taps * 2) /
           (double)plan->tensor;
}

double layer_cache_bytes(enum layer_kind kind, const struct rk_model *model,
                         const struct rk_plan *plan, const struct served *served, double tokens)
{
    double bytes = 0;
    if (kind < LAYER_BLOCKS || kind >= LAYER_PREDICT) return 0;
    const enum mixer mixer = mixer_of_kind(kind);
    const bool local = mixer == MIXER_LOCAL;
    const struct head_shape shape = head_shape_of(model, local);
    const double heads = fmax(1, shape.kv_heads / (double)plan->tensor);
    const double window = (double)model->window, globals = (double)model->window_globals;
    const double kept =
        local ? fmin(tokens, window + (globals > 0 ? globals * floor(tokens / window) : 0))
              : tokens;
    const double share =
        served->cache_split ? sharers(model, (double)plan->tensor, shape.kv_heads) : 1;
    if (mixer_attends(mixer))
        bytes +=
            kept * served->cache_element * entry_of(model, heads, shape.width, shape.value) / share;
    if (mixer_recurs(mixer)) bytes += state_bytes(model, plan);
    return bytes;
}
