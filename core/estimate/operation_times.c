#include "estimate/operation_times.h"
#include "base/extremes.h"
#include "estimate/stages.h"
#include "machine/busy.h"
#include "machine/part.h"
#include "plan/habits.h"

#include <string.h>

/* ---- products ---- */

struct bench bench_of(const struct rk_model *model, const struct rk_system *system,
                      const struct rk_plan *plan)
{
    return (struct bench){
        model, system, plan, rank_map_of(plan), NULL, sustained_share(&system->kernels)};
}

double bench_product_s(const struct bench *bench, enum operand operand, double count, double m,
                       double n, double k)
{
    if (!bench->known) return matrix_time_s(bench->system, operand, count, m, n, k);
    const double shape[] = {count, m, n, k};
    uint64_t hash = operand, bits;
    for (int i = 0; i < 4; i++) {
        memcpy(&bits, &shape[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    /* doubles of small numbers differ in their high bits alone, and so do products with them */
    struct known_product *known = &bench->known[hash >> 52];
    _Static_assert(KNOWN_PRODUCTS == 1 << 12, "12 bits of the hash");
    if (known->operand != operand || known->count != count || known->m != m || known->n != n ||
        known->k != k || count == 0)
        *known = (struct known_product){
            operand, count, m, n, k, matrix_time_s(bench->system, operand, count, m, n, k)};
    return known->time_s;
}

/* Start and end of one product of several that are started apart, in starts of a kernel; fitted to
 * 48 grouped products in bf16 that SimuMax measured on a B200. */
#define APART_STARTS 1.5

static double apart_s(const struct bench *bench, const struct operation *op)
{
    return op->starts > 1 ? APART_STARTS * (op->starts - 1) * bench->system->kernels.kernel_s : 0;
}

/* Of each pass of one product: its weights, which it reads or whose gradients it adds to. */
static double weights_s(const struct bench *bench, const struct operation *op, enum operand operand)
{
    const double rate_Bps = bench->system->kernels.weights_Bps;
    if (!op->of_weights || !(rate_Bps > 0)) return 0;
    return op->count / larger(1, op->kernels[RK_FORWARD]) * op->n * op->k * operand_bytes(operand) /
           rate_Bps;
}

/* Share of reading and writing the main gradients, to which the weight gradients of experts are
 * added, that their products do not hide: few rows for large results. Fitted, and rounded, to 54
 * grouped products that SimuMax measured on a B200, mean error 24 -> 11 %; its dense ones hide it.
 */
#define ADDED_SHARE 0.5

static double adding_s(const struct bench *bench, const struct operation *op)
{
    const struct rk_plan *plan = bench->plan;
    const bool adds = op->expert && habits_of(plan)->adds_in_products && plan->gradient_fusion &&
                      !optimizer_is_measured(bench->system);
    const double bytes = 2 * element_bytes_of(plan).gradient * op->count * op->n * op->k;
    return adds ? ADDED_SHARE * memory_time_s(bench->system, bytes) : 0;
}

static void matrix_times(const struct bench *bench, const struct operation *op,
                         double time_s[RK_PASSES])
{
    const enum operand operand = operand_of(bench->plan->precision, op->narrow);
    const double kernels = larger(1, op->kernels[RK_FORWARD]), count = op->count / kernels;
    const double apart = apart_s(bench, op) + weights_s(bench, op, operand);
    const double forward_s = bench_product_s(bench, operand, count, op->m, op->n, op->k) + apart;
    const double first_s = bench_product_s(bench, operand, count, op->m, op->k, op->n) + apart;
    /* AQT's training configuration leaves the gradients of weights in 16 bits */
    const bool wide = op->of_weights && bench->plan->precision == RK_INT8;
    const enum operand second = wide ? operand_of(RK_INT8, false) : operand;
    const double second_s = bench_product_s(bench, second, count, op->k, op->n, op->m) + apart;
    time_s[RK_FORWARD] = kernels * forward_s;
    time_s[RK_AGRAD] = kernels * (op->of_weights ? first_s : first_s + second_s);
    time_s[RK_AGRAD] += op->again * kernels * forward_s;
    time_s[RK_WGRAD] = 0;
    if (op->of_weights &&
        (op->adapter || !rk_plan_freezes(bench->plan))) /* adding does not slow down in long runs */
        time_s[RK_WGRAD] = kernels * second_s + bench->sustained * adding_s(bench, op);
}

/* ---- attention ---- */

/* Ranks that share keys have two pieces of the sequence, one from either end, or one, and take
 * queries with each piece of keys that they see [dubey2024]. */
static double attention_piece(const struct rk_plan *plan, const struct operation *op)
{
    const struct rank_map map = rank_map_of(plan);
    if (ranks_of_group(&map, RANKS_OF_RING) <= 1 || op->chunks > 1) return 0;
    return plan->context_contiguous ? op->queries : op->queries / 2;
}

struct attention_shape attention_shape_of(const struct rk_plan *plan, const struct operation *op)
{
    return (struct attention_shape){
        .batch = op->batch,
        .heads = op->heads,
        .kv_heads = op->kv_heads,
        .queries = op->queries,
        .keys = op->keys,
        .head_dim = op->head_dim,
        .value_dim = op->value_dim,
        .pairs = op->pairs,
        .newest = plan->attention == RK_FLASH_3,
        .oldest = plan->attention == RK_FLASH_1,
        .piece = attention_piece(plan, op),
        .window = op->slides ? op->window : 0,
    };
}

static enum operand operand_of_attention(const struct rk_plan *plan)
{
    return plan->attention_fp8 ? OPERAND_FLOAT8 : operand_of(plan->precision, false);
}

/* Of a pair of chunks: those below the diagonal all alike, also where a window cuts some. */
struct chunk_times chunk_times_of(const struct rk_system *system, const struct rk_plan *plan,
                                  const struct operation *op, bool backward)
{
    const enum operand operand = operand_of_attention(plan);
    const enum rk_pass pass = backward ? RK_AGRAD : RK_FORWARD;
    const double merged_s = memory_time_s(system, op->merged_bytes[pass]);
    struct attention_shape pair = attention_shape_of(plan, op);
    struct chunk_times t = {.chunks = op->chunks, .back = chunks_back(op)};
    const double below = chunk_pairs_below(op);
    pair.queries /= op->chunks;
    pair.keys /= op->chunks;
    pair.pairs = below > 0 ? (op->pairs - op->chunks * chunk_pairs_on_diagonal(op)) / below : 0;
    t.below = below > 0 ? attention_time_s(system, operand, &pair, backward) + merged_s : 0;
    pair.pairs = chunk_pairs_on_diagonal(op);
    t.on = attention_time_s(system, operand, &pair, backward) + merged_s;
    if (system->memories < 2) return t;
    const struct rk_memory part = memory_part(&system->memory[1], plan->ranks);
    const struct rk_memory *host = &part;
    t.load = op->loaded_bytes[pass] / rk_memory_read_Bps(host) + host->latency_s;
    t.returned = op->returned_bytes[pass] / rk_memory_write_Bps(host) + host->latency_s;
    return t;
}

/* The executor, whose optimizer was measured, copies keys and values for the ranks around: reads
 * and writes them, forward and again backward; gradients of them begin as zeros and are read, and
 * added to the others. */
static double packing_s(const struct bench *bench, const struct operation *op, bool backward)
{
    const double times = backward ? 2 + 1 + 3 : 2;
    if (!optimizer_is_measured(bench->system) || !(op->packed_bytes > 0)) return 0;
    return memory_time_s(bench->system, times * op->packed_bytes);
}

static void attention_times(const struct bench *bench, const struct operation *op,
                            double time_s[RK_PASSES])
{
    const struct attention_shape shape = attention_shape_of(bench->plan, op);
    const enum operand operand = operand_of_attention(bench->plan);
    const bool chunks = op->chunks > 1;
    for (int back = 0; back < 2; back++) {
        double *at = &time_s[back ? RK_AGRAD : RK_FORWARD];
        const struct chunk_times t =
            chunks ? chunk_times_of(bench->system, bench->plan, op, back) : (struct chunk_times){0};
        *at = chunks ? chunks_computing_s(&t)
                     : attention_time_s(bench->system, operand, &shape, back);
        *at += packing_s(bench, op, back);
    }
    time_s[RK_WGRAD] = 0;
}

/* Stages lie apart, or turn by turn with data ranks: in the mean over ranks, a node has of each
 * stage what it has of all. */
double busy_share_of(const struct rk_system *system, const struct rk_plan *plan)
{
    const double here = ranks_of_node(system, (double)plan->ranks), p = (double)plan->pipeline;
    if (system->busy_devices < 2) return 0;
    if (plan->pipeline == 1) return busy_share(system, here - 1);
    const double stage = smaller(here, (double)plan->ranks / p); /* of a node's, of one stage */
    return busy_share(
        system, stage - 1 + (here - stage) * stages_beside(plan->pipeline, microbatches_of(plan)));
}

/* A time as busy as the plan's ranks make a node (machine/busy.h). */
static double as_busy_s(const struct bench *bench, const struct operation *op, int pass,
                        double (*time_s)(const struct bench *, const struct operation *, int))
{
    const double share = busy_share_of(bench->system, bench->plan);
    const double alone_s = time_s(bench, op, pass);
    if (!(share > 0)) return alone_s;
    const struct rk_system system = busy_system(bench->system);
    const struct bench busy = bench_of(bench->model, &system, bench->plan);
    return busy_between(alone_s, time_s(&busy, op, pass), share);
}

static double waiting_s(const struct bench *bench, const struct operation *op, int pass)
{
    if (pass == RK_WGRAD) return 0;
    const struct chunk_times t = chunk_times_of(bench->system, bench->plan, op, pass == RK_AGRAD);
    return pass == RK_AGRAD ? chunks_backward_wait_s(&t) : chunks_forward_wait_s(&t);
}

double fetch_wait_s(const struct bench *bench, const struct operation *op, int pass)
{
    const bool chunks = op->kind == OPERATION_ATTENTION && op->chunks > 1;
    return chunks ? as_busy_s(bench, op, pass, waiting_s) : 0;
}

/* ---- memory ---- */

static enum rk_kernel kernel_of(const struct rk_model *model, const struct operation *op)
{
    static const enum rk_kernel activations[][2] = {
        [RK_GELU] = {RK_KERNEL_gelu, RK_KERNEL_gated_gelu},
        [RK_SILU] = {RK_KERNEL_silu, RK_KERNEL_gated_silu},
        [RK_SQUARED_RELU] = {RK_KERNEL_relu, RK_KERNEL_gated_relu},
        [RK_RELU] = {RK_KERNEL_relu, RK_KERNEL_gated_relu},
        [RK_XIELU] = {RK_KERNEL_BY_BYTES, RK_KERNEL_BY_BYTES},
    };
    switch (op->memory) {
    case MEMORY_NORM:
        return model->norm == RK_RMS_NORM ? RK_KERNEL_rms_norm : RK_KERNEL_layer_norm;
    case MEMORY_RESIDUAL:
        return model->biases ? RK_KERNEL_biased_residual : RK_KERNEL_residual;
    case MEMORY_ACTIVATION:
        return activations[model->activation][model->gated_mlp];
    case MEMORY_ROTARY:
        return RK_KERNEL_rotary;
    case MEMORY_LOSS:
        return RK_KERNEL_cross_entropy;
    default:
        return RK_KERNEL_BY_BYTES;
    }
}

/* Atomic additions are made in the second-level cache, one by one, whatever memory's rate. */
static double additions_s(const struct bench *bench, const struct operation *op, int pass)
{
    const double rate = bench->system->kernels.additions_FLOPps;
    return rate > 0 ? op->added[pass] / rate : 0;
}

static void memory_times(const struct bench *bench, const struct operation *op,
                         double time_s[RK_PASSES])
{
    const double *element_s = bench->system->kernels.element_s[kernel_of(bench->model, op)];
    if (element_s[0] > 0) {
        for (int pass = 0; pass < RK_WGRAD; pass++)
            time_s[pass] = op->bytes[pass] > 0 ? op->elements * element_s[pass] : 0;
        time_s[RK_WGRAD] = 0;
        return;
    }
    for (int pass = 0; pass < RK_PASSES; pass++) {
        const double kernels = op->kernels[pass] > 1 ? op->kernels[pass] : 1;
        time_s[pass] = op->bytes[pass] > 0
                           ? kernels * memory_time_s(bench->system, op->bytes[pass] / kernels)
                           : 0;
        time_s[pass] = larger(time_s[pass], additions_s(bench, op, pass));
    }
    if (op->table_bytes > 0 && !optimizer_is_measured(bench->system))
        time_s[RK_AGRAD] += memory_time_s(bench->system, op->table_bytes);
}

static double copying_s(const struct bench *bench, const struct operation *op, int pass)
{
    const double kernels = op->kernels[pass] - 1;
    if (!(op->comm_bytes[pass] > 0)) return 0;
    return kernels * memory_time_s(bench->system, op->rearranged_bytes / kernels);
}

double rearranging_s(const struct bench *bench, const struct operation *op, int pass)
{
    return op->rearranged_bytes > 0 ? as_busy_s(bench, op, pass, copying_s) : 0;
}

/* ---- messages ---- */

struct rank_group group_over(const struct rank_map *ranks, enum comm_over over)
{
    return group_of(ranks, comm_group(over));
}

static const enum collective collectives[] = {
    [COMM_ALL_REDUCE] = ALL_REDUCE,
    [COMM_REDUCE_SCATTER] = REDUCE_SCATTER,
    [COMM_ALL_GATHER] = ALL_GATHER,
    [COMM_ALL_TO_ALL] = ALL_TO_ALL,
    [COMM_SEND] = PASS, /* a ring */
};

static double exchange_s(const struct rk_system *system, struct rank_group group,
                         const struct operation *op, int pass)
{
    const double times = op->comm_times[pass] > 0 ? op->comm_times[pass] : 1;
    const double bytes = op->comm_bytes[pass];
    return op->copies > 0
               ? times * dispatch_time_s(system, group, op->copies, op->reach, bytes)
               : times * collective_time_s(system, collectives[op->what[pass]], group, bytes);
}

double forward_exchange_s(const struct rk_system *system, const struct rank_map *ranks,
                          const struct operation *op)
{
    return exchange_s(system, group_over(ranks, op->over), op, RK_FORWARD);
}

/* Of the executor alone: other frameworks' exchanges are taken to have it in their start. */
static double told_s(const struct bench *bench, const struct operation *op)
{
    if (!(op->told_bytes > 0) || !optimizer_is_measured(bench->system)) return 0;
    return collective_time_s(bench->system, collectives[op->what[RK_FORWARD]],
                             group_over(&bench->ranks, op->over), op->told_bytes);
}

static void comm_times(const struct bench *bench, const struct operation *op,
                       double time_s[RK_PASSES])
{
    const struct rank_group group = group_over(&bench->ranks, op->over);
    for (int pass = 0; pass < RK_PASSES; pass++) {
        const bool again = pass > 0 && op->what[pass] == op->what[pass - 1] &&
                           op->comm_bytes[pass] == op->comm_bytes[pass - 1] &&
                           op->comm_times[pass] == op->comm_times[pass - 1];
        if (again) {
            time_s[pass] = time_s[pass - 1];
            continue;
        }
        time_s[pass] = exchange_s(bench->system, group, op, pass);
    }
    time_s[RK_FORWARD] += told_s(bench, op);
}

/* ---- any ---- */

static void times_on(const struct bench *bench, const struct operation *op,
                     double time_s[RK_PASSES])
{
    static void (*const times[])(const struct bench *, const struct operation *, double *) = {
        [OPERATION_MATRIX] = matrix_times,
        [OPERATION_ATTENTION] = attention_times,
        [OPERATION_MEMORY] = memory_times,
        [OPERATION_COMM] = comm_times,
    };
    times[op->kind](bench, op, time_s);
    const double rate = op->kind == OPERATION_MATRIX ? bench->sustained : 1;
    const double slower = op->slower > 0 ? op->slower : 1;
    for (int pass = 0; pass < RK_PASSES; pass++)
        time_s[pass] = slower * time_s[pass] / rate;
}

/* Messages were measured between ranks that are all busy. */
void operation_times(const struct bench *bench, const struct operation *op,
                     double time_s[RK_PASSES])
{
    const double share = busy_share_of(bench->system, bench->plan);
    times_on(bench, op, time_s);
    if (!(share > 0) || op->kind == OPERATION_COMM) return;
    const struct rk_system system = busy_system(bench->system);
    const struct bench busy = bench_of(bench->model, &system, bench->plan);
    double busy_s[RK_PASSES];
    times_on(&busy, op, busy_s);
    for (int pass = 0; pass < RK_PASSES; pass++)
        time_s[pass] = busy_between(time_s[pass], busy_s[pass], share);
}
