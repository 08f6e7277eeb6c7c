#include "machine/kernels.h"

#include "base/extremes.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

/* ---- operands ---- */

static const struct operand_facts {
    double bytes, result_bytes;
} operands[OPERANDS] = {
    [OPERAND_FLOAT4] = {0.5, 2}, [OPERAND_FLOAT8] = {1, 2},   [OPERAND_INT8] = {1, 2},
    [OPERAND_FLOAT16] = {2, 2},  [OPERAND_BFLOAT16] = {2, 2}, [OPERAND_TFLOAT32] = {4, 4},
    [OPERAND_FLOAT32] = {4, 4},
};

double operand_bytes(enum operand operand)
{
    return operands[operand].bytes;
}

double operand_peak(const struct rk_system *system, enum operand operand)
{
    switch (operand) {
    case OPERAND_FLOAT4:
        return system->kernels.float4_FLOPps;
    case OPERAND_FLOAT8:
        return system->matrix[RK_FLOAT8].peak_flops;
    case OPERAND_INT8:
        return system->kernels.int8_FLOPps;
    case OPERAND_FLOAT16:
        return system->matrix[RK_FLOAT16].peak_flops;
    case OPERAND_BFLOAT16:
        return system->matrix[RK_BFLOAT16].peak_flops;
    case OPERAND_TFLOAT32:
        return system->kernels.tfloat32_FLOPps;
    case OPERAND_FLOAT32:
        return system->matrix[RK_FLOAT32].peak_flops;
    case OPERANDS:
        break;
    }
    assert(false);
    return 0;
}

/* ---- matrix products ---- */

struct product {
    double count, m, n, k;
    double peak;      /* FLOP/s */
    double sustained; /* share of it that power allows */
    double tile;      /* share of it that one tile gets at full clocks */
    double k_half;    /* start and end take the same time whatever the operands */
};

static void set_rates(struct product *product, const struct rk_system *system, enum operand operand)
{
    const struct rk_kernels *kernels = &system->kernels;
    const bool eight = operand == OPERAND_FLOAT8 || operand == OPERAND_INT8;
    const bool wide = operand != OPERAND_FLOAT4 && !eight;
    const double half_peak =
        larger(operand_peak(system, OPERAND_BFLOAT16), operand_peak(system, OPERAND_FLOAT16));
    product->peak = operand_peak(system, operand);
    product->sustained = wide    ? kernels->matrix_efficiency
                         : eight ? kernels->narrow_efficiency
                                 : kernels->float4_efficiency;
    product->tile = wide ? kernels->tile_efficiency : kernels->narrow_tile_efficiency;
    product->k_half = kernels->matrix_k_half * (half_peak > 0 ? product->peak / half_peak : 1);
}

static double accessed_s(const struct rk_system *system, double bytes)
{
    return bytes / (system->memory[0].bandwidth_Bps * system->kernels.memory_efficiency);
}

static double tiles(const struct product *product, double tile_m, double tile_n)
{
    return product->count * ceil(product->m / tile_m) * ceil(product->n / tile_n);
}

/* `count` tiles of one shape, in waves over the multiprocessors, each `split` times along k. */
static double tiled_s(const struct rk_kernels *kernels, const struct product *product, double count,
                      double tile_m, double tile_n, double split)
{
    const double units = (double)kernels->multiprocessors;
    const double edges =
        1 / tile_m + 1 / tile_n - (1 / (double)kernels->tile_m + 1 / (double)kernels->tile_n);
    const double rate = product->peak / units * product->tile / (1 + kernels->tile_loss * edges);
    const double k = product->k / split + product->k_half;
    return ceil(count * split / units) * 2 * tile_m * tile_n * k / rate;
}

/* Partial sums of a split product are written and read in fp32, 8 bytes each, in the L2 cache,
 * taken as four times as fast as memory. */
static double split_s(const struct rk_system *system, const struct product *product, double split)
{
    if (split == 1) return 0;
    return accessed_s(system, 8 * split * product->count * product->m * product->n / 4);
}

/* The fastest of the tiles that libraries have: the largest, and halves of it down to a sixteenth.
 * They split k only where the tiles do not fill one wave. */
static double fastest_s(const struct rk_system *system, const struct product *product)
{
    static const int halves[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}, {2, 1}, {2, 2}};
    static const double splits[] = {1, 2, 4, 8, 16};
    const struct rk_kernels *kernels = &system->kernels;
    double fastest = INFINITY;
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        const double tile_m = (double)kernels->tile_m / (1 << halves[i][0]);
        const double tile_n = (double)kernels->tile_n / (1 << halves[i][1]);
        const double count = tiles(product, tile_m, tile_n);
        const double most = larger(1, (double)kernels->multiprocessors / count);
        for (size_t j = 0; j < sizeof splits / sizeof *splits && splits[j] <= most; j++) {
            const double time_s = tiled_s(kernels, product, count, tile_m, tile_n, splits[j]) +
                                  split_s(system, product, splits[j]);
            if (time_s < fastest) fastest = time_s;
        }
    }
    return fastest;
}

double matrix_time_s(const struct rk_system *system, enum operand operand, double count, double m,
                     double n, double k)
{
    struct product product = {count, m, n, k, 0, 0, 0, 0};
    const double flop = 2 * count * m * n * k;
    const double bytes = count * ((m * k + k * n) * operands[operand].bytes +
                                  m * n * operands[operand].result_bytes);
    if (!(flop > 0)) return 0;
    set_rates(&product, system, operand);
    if (!(product.peak > 0)) return INFINITY;
    const double limit =
        larger(flop / (product.peak * product.sustained), accessed_s(system, bytes));
    return system->kernels.kernel_s + larger(limit, fastest_s(system, &product));
}

/* Few rows, as of a decoding step: tiles with no more rows than that, of whole matrix instructions
 * of 16, the fewest that tensor cores multiply (PTX's mma.m16n8k16, MFMA 16x16); operands are
 * streamed through them as through larger ones. */
static double skinny_s(const struct rk_system *system, const struct product *product)
{
    enum { ROWS = 16 };
    const double rows = ROWS * ceil(product->m / ROWS);
    const double tile = (double)system->kernels.tile_m;
    if (!(rows < tile / 4)) return INFINITY;
    return fastest_s(system, product) * rows / (tile / 4);
}

double served_matrix_time_s(const struct rk_system *system, enum operand operand,
                            double weight_bytes, double sustained, double count, double m, double n,
                            double k)
{
    struct product product = {count, m, n, k, 0, 0, 0, 0};
    const double flop = 2 * count * m * n * k;
    const double bytes = count * (m * k * operands[operand].bytes + k * n * weight_bytes +
                                  m * n * operands[operand].result_bytes);
    if (!(flop > 0)) return 0;
    set_rates(&product, system, operand);
    if (!(product.peak > 0)) return INFINITY;
    const double computed_s =
        larger(flop / (product.peak * product.sustained),
               smaller(skinny_s(system, &product), fastest_s(system, &product))) /
        sustained;
    return system->kernels.kernel_s + larger(computed_s, accessed_s(system, bytes));
}

double sustained_share(const struct rk_kernels *kernels)
{
    if (!(kernels->power_W > 0 && kernels->sustained_power_W > 0)) return kernels->sustained;
    return smaller(1, kernels->sustained * cbrt(kernels->power_W / kernels->sustained_power_W));
}

/* ---- tables of measured rates ---- */

/* Where x stands between ascending points, by their logarithms: point *i and the share of the next
 * one; beyond the ends, at them. */
static double place_between(const double *point, int points, double x, int *i)
{
    *i = 0;
    if (points < 2 || !(x > point[0])) return 0;
    while (*i < points - 2 && x > point[*i + 1])
        ++*i;
    return smaller(1, log(x / point[*i]) / log(point[*i + 1] / point[*i]));
}

static double between(double a, double b, double share)
{
    return exp((1 - share) * log(a) + share * log(b));
}

static double attention_rate_at(const struct rk_attention_rates *rates, bool backward, double dim,
                                double keys)
{
    int d, k;
    const double dim_share = place_between(rates->dim, rates->dims, dim, &d);
    const double key_share = place_between(rates->key, rates->keys, keys, &k);
    const int next_d = d + (rates->dims > 1), next_k = k + (rates->keys > 1);
    const double(*table)[RK_RATE_KEYS] = rates->rate_FLOPps[backward];
    return between(between(table[d][k], table[d][next_k], key_share),
                   between(table[next_d][k], table[next_d][next_k], key_share), dim_share);
}

double stream_rate_Bps(const struct rk_stream_rates *rates, double bytes)
{
    int i;
    const double share = place_between(rates->bytes, rates->sizes, bytes, &i);
    return between(rates->rate_Bps[i], rates->rate_Bps[i + (rates->sizes > 1)], share);
}

bool optimizer_is_measured(const struct rk_system *system)
{
    return system->kernels.optimizer_rates.sizes > 0;
}

double optimizer_time_s(const struct rk_system *system, double bytes)
{
    const struct rk_stream_rates *rates = &system->kernels.optimizer_rates;
    if (!rates->sizes || !(bytes > 0)) return memory_time_s(system, bytes);
    return bytes / stream_rate_Bps(rates, bytes);
}

/* ---- attention ---- */

enum { ATTENTION_TILE = 128 }; /* queries (in backward: keys) that one thread block works on */

/* FlashAttention-2 is 1.7 to 3 times as fast as the first, 1.3 to 2.5 times as Triton's [dao2023].
 */
#define OLDEST_RATE 0.55

/* The wider of queries and values: kernels of queries of 192 and values of 128 take what
 * values of 192 would (12 of them on a B200 [simumax2026]: mean error 22 -> 15 %). */
static double head_width(const struct attention_shape *shape)
{
    return larger(shape->head_dim, shape->value_dim);
}

/* `faster`: products over those in 16 bits, whose exponentials are no faster. */
static double attention_rate(const struct rk_kernels *kernels, double peak, double faster,
                             const struct attention_shape *shape, bool backward)
{
    const double dim = head_width(shape);
    const double *table =
        shape->newest ? kernels->newest_attention_efficiency : kernels->attention_efficiency;
    const double half = kernels->attention_dim_half;
    return peak * table[backward] * (shape->oldest ? OLDEST_RATE : 1) * (1 + half / 128) /
           (1 + faster * half / dim);
}

/* Thread blocks run over the multiprocessors: as fast as their mean and no faster than the longest;
 * those of equal length end in whole waves. */
static double spread_s(double units, double blocks, double mean_s, double longest_s)
{
    const double waves = mean_s < longest_s ? blocks / units : ceil(blocks / units);
    return larger(waves * mean_s, longest_s);
}

static double attention_bytes(const struct attention_shape *shape, double bytes)
{
    const double dims = shape->head_dim + shape->value_dim;
    return shape->batch * bytes *
           (shape->heads * shape->queries * dims + shape->kv_heads * shape->keys * dims);
}

/* Row sums of the output times its gradient before, fp32 gradients of the queries after. */
static double backward_extra_s(const struct rk_system *system, const struct attention_shape *shape)
{
    const double rows = shape->batch * shape->heads * shape->queries;
    return 2 * system->kernels.kernel_s +
           accessed_s(system, rows * (4 * shape->value_dim + 10 * shape->head_dim));
}

/* The executor's blocks: queries that are worked on at once, where a call has so many. */
enum { BLOCK_QUERIES = 64 };

/* Keys a query that blocks compute of a causal sample, in the mean, beyond those that it sees. */
static const double HIDDEN = (BLOCK_QUERIES - 1) / 2.0;

/* Keys a query that blocks compute where each sees the last `window`. */
static double window_keys(double queries, double window)
{
    double pairs = 0;
    for (double first = 0; first < queries; first += BLOCK_QUERIES) {
        const double rows = smaller(BLOCK_QUERIES, queries - first);
        pairs += rows * (first + rows - larger(0, first + 1 - window));
    }
    return pairs / queries;
}

/* Mean keys a query of the causal sample that takes as long. */
static double causal_keys(const struct attention_shape *shape)
{
    const double mean = shape->pairs / larger(1, shape->queries);
    const bool cuts = shape->window > 0 && shape->window < shape->queries;
    if (!cuts || shape->queries <= BLOCK_QUERIES) return mean;
    return larger(mean, window_keys(shape->queries, shape->window) - HIDDEN);
}

/* Of what a row of a causal sample of one block takes, what it takes once, whatever pieces it
 * meets: it comes to the caches, its gradients begin at zero, its output is divided. Fitted to
 * rings of pieces of 32, 64 and 128 tokens and heads of 32 and 64 on a Zen 4, forward and backward.
 */
static const double ONCE[2] = {0.10, 0.26};

/* By rates that were measured of whole causal samples. Blocks compute what a mask hides, too: of a
 * window's edges twice what they compute of a causal sample's one. Pieces are causal where queries
 * meet their own keys, else seen whole. A block computes what its mask hides, too: a whole piece of
 * no more than one block takes what a causal one does, and longer ones go at the rate of the causal
 * sample whose blocks compute as many keys in the mean. */
static double measured_s(const struct rk_attention_rates *rates, bool backward,
                         const struct attention_shape *shape)
{
    const double dk = shape->head_dim, dv = shape->value_dim;
    const double pair_flop = backward ? 2 * (3 * dk + 2 * dv) : 2 * (dk + dv);
    const double width = pair_flop / (backward ? 10 : 4), r = shape->piece;
    const double own = r * (r + 1) / 2, causal = r > 0 ? shape->queries / r : 0;
    const double whole = r > 0 ? (shape->pairs - causal * own) / (r * r) : -1;
    if (!(whole >= 0)) { /* windows hide some of the pieces, or nothing is cut */
        const double keys = causal_keys(shape);
        return shape->queries * keys * pair_flop / attention_rate_at(rates, backward, width, keys);
    }
    const double own_s = own * pair_flop / attention_rate_at(rates, backward, width, (r + 1) / 2);
    const double block = (BLOCK_QUERIES + 1) / 2.0;
    const double once_s =
        ONCE[backward] * r * block * pair_flop / attention_rate_at(rates, backward, width, block);
    if (r <= BLOCK_QUERIES) return causal * own_s + whole * larger(0, own_s - once_s);
    const double seen = r - HIDDEN;
    const double rate = attention_rate_at(rates, backward, width, seen) * r / seen;
    return causal * own_s + whole * (r * r * pair_flop / rate - once_s);
}

double attention_time_s(const struct rk_system *system, enum operand operand,
                        const struct attention_shape *shape, bool backward)
{
    const struct rk_kernels *kernels = &system->kernels;
    const double peak = operand_peak(system, operand);
    const double width = head_width(shape);
    const double rows = backward ? shape->keys : shape->queries;
    const double row_pairs = rows > 0 ? shape->pairs / rows : 0,
                 all = backward ? shape->queries : shape->keys;
    if (!(shape->batch * shape->heads * shape->pairs > 0)) return 0;
    if (!(peak > 0)) return INFINITY;

    const double pair_flop = (backward ? 10 : 4) * width;
    if (kernels->attention_rates.dims)
        return shape->batch * shape->heads * measured_s(&kernels->attention_rates, backward, shape);
    const double faster =
        operand == OPERAND_FLOAT8 ? peak / operand_peak(system, OPERAND_BFLOAT16) : 1;
    const double rate =
        attention_rate(kernels, peak, faster, shape, backward) / (double)kernels->multiprocessors;
    const double tile = smaller(rows, ATTENTION_TILE), tile_s = tile * pair_flop / rate;
    const double diagonal = row_pairs < all ? tile / 2 : 0; /* hidden half of the last block */
    const double mean_s = tile_s * (row_pairs + diagonal + kernels->attention_key_half);
    const double longest_s = tile_s * (smaller(all, 2 * row_pairs) + kernels->attention_key_half);
    const double blocks = shape->batch * shape->heads * ceil(rows / ATTENTION_TILE);
    const double computed_s = spread_s((double)kernels->multiprocessors, blocks, mean_s,
                                       row_pairs < all ? longest_s : mean_s);
    const double moved_s =
        accessed_s(system, (backward ? 2 : 1) * attention_bytes(shape, operands[operand].bytes));
    return kernels->kernel_s + larger(computed_s, moved_s) +
           (backward ? backward_extra_s(system, shape) : 0);
}

enum { PRODUCT_ROWS = 16 }; /* least rows of a product of tensor cores (mma.m16n8k16) */

double cached_attention_time_s(const struct rk_system *system, enum operand operand,
                               const struct attention_shape *shape, double bytes)
{
    const double peak = operand_peak(system, operand);
    const double rows = larger(shape->heads / shape->kv_heads, PRODUCT_ROWS) * shape->kv_heads;
    const double flop =
        2 * shape->batch * rows * shape->pairs * (shape->head_dim + shape->value_dim);
    if (!(shape->batch * shape->heads * shape->pairs > 0)) return 0;
    if (!(peak > 0)) return INFINITY;
    const double rate = attention_rate(&system->kernels, peak, 1, shape, false);
    return 2 * system->kernels.kernel_s +
           larger(rate > 0 ? flop / rate : 0, accessed_s(system, bytes));
}

/* ---- memory ---- */

double memory_time_s(const struct rk_system *system, double bytes)
{
    const struct rk_stream_rates *rates = &system->kernels.memory_rates;
    if (bytes > 0 && rates->sizes)
        return system->kernels.kernel_s + bytes / stream_rate_Bps(rates, bytes);
    return bytes > 0 ? system->kernels.kernel_s + accessed_s(system, bytes) : 0;
}
