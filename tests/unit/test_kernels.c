/* Time of matrices, attention and memory-bound kernels: by hand, what must hold for any, and
 * against published measurements. */
#include "catalog_cases.h"
#include "machine/kernels.h"
#include <reckon/catalog.h>

#include <math.h>
#include <stdio.h>

/* 10 multiprocessors of 100 GFLOP/s, tiles of 128 x 128 at half of that rate and nothing else lost;
 * memory of 1 TB/s. */
static struct rk_memory plain_memory = {.bandwidth_Bps = 1e12};
static struct rk_system plain(void)
{
    return (struct rk_system){
        .matrix = {[RK_FLOAT8] = {.peak_flops = 2e12}, [RK_BFLOAT16] = {.peak_flops = 1e12}},
        .memories = 1,
        .memory = &plain_memory,
        .kernels = {.multiprocessors = 10,
                    .tile_m = 128,
                    .tile_n = 128,
                    .matrix_efficiency = 1,
                    .narrow_efficiency = 1,
                    .tile_efficiency = 0.5,
                    .narrow_tile_efficiency = 0.5,
                    .tile_loss = 1e6, /* only the largest tile */
                    .attention_efficiency = {0.5, 0.25},
                    .newest_attention_efficiency = {1, 0.5},
                    .attention_dim_half = 0,
                    .attention_key_half = 0,
                    .memory_efficiency = 0.5},
    };
}

/* ---- matrices by hand ---- */

Test(kernels, a_wave_of_tiles_by_hand)
{
    const struct rk_system system = plain();
    /* 1280 x 128: ten tiles, one on each multiprocessor. 2 * 128 * 128 * 4096 FLOP of it at 50
     * GFLOP/s: 134217728 / 5e10 = 2.68435456 ms. */
    cr_expect_float_eq(matrix_time_s(&system, OPERAND_BFLOAT16, 1, 1280, 128, 4096), 2.68435456e-3,
                       1e-12);
    /* One row more is an eleventh tile and another wave. */
    cr_expect_float_eq(matrix_time_s(&system, OPERAND_BFLOAT16, 1, 1281, 128, 4096),
                       2 * 2.68435456e-3, 1e-12);
    /* Two of five tiles fill the wave as well. */
    cr_expect_float_eq(matrix_time_s(&system, OPERAND_BFLOAT16, 2, 640, 128, 4096), 2.68435456e-3,
                       1e-12);
}

Test(kernels, start_and_end_of_a_tile_and_of_a_kernel)
{
    struct rk_system system = plain();
    system.kernels.matrix_k_half = 1024;
    system.kernels.kernel_s = 1e-3;
    /* 4096 + 1024 long: 2 * 128 * 128 * 5120 / 5e10 = 3.3554432 ms, and 1 ms. */
    cr_expect_float_eq(matrix_time_s(&system, OPERAND_BFLOAT16, 1, 1280, 128, 4096), 4.3554432e-3,
                       1e-12);
    /* In 8 bits twice as fast, but start and end take what they took: 4096 + 2048 at 100 GFLOP/s.
     */
    cr_expect_float_eq(matrix_time_s(&system, OPERAND_FLOAT8, 1, 1280, 128, 4096), 3.01326592e-3,
                       1e-12);
}

Test(kernels, power_and_memory_limit_a_product)
{
    struct rk_system system = plain();
    system.kernels.matrix_efficiency = 0.25; /* 2 * 1280 * 128 * 4096 / 2.5e11 */
    cr_expect_float_eq(matrix_time_s(&system, OPERAND_BFLOAT16, 1, 1280, 128, 4096), 5.36870912e-3,
                       1e-12);
    /* 1280 x 128 x 32: (1280*32 + 32*128 + 1280*128) * 2 bytes = 417792 at 0.5 MB/s */
    plain_memory.bandwidth_Bps = 1e6;
    cr_expect_float_eq(matrix_time_s(&system, OPERAND_BFLOAT16, 1, 1280, 128, 32), 0.835584, 1e-9);
}

/* In 8 bits at a quarter of 2 TFLOP/s, in 4 at an eighth of 4: 2 * 1280 * 128 * 4096 / 5e11. One
 * tile at a quarter of a tenth of 2 TFLOP/s: 2 * 128 * 128 * 4096 / 5e10. */
Test(kernels, narrow_products_have_rates_of_their_own)
{
    struct rk_system system = plain();
    system.kernels.narrow_efficiency = 0.25;
    cr_expect_float_eq(matrix_time_s(&system, OPERAND_FLOAT8, 1, 1280, 128, 4096), 2.68435456e-3,
                       1e-12);
    system.kernels.float4_FLOPps = 4e12;
    system.kernels.float4_efficiency = 0.125;
    cr_expect_float_eq(matrix_time_s(&system, OPERAND_FLOAT4, 1, 1280, 128, 4096), 2.68435456e-3,
                       1e-12);
    system.kernels.narrow_efficiency = 1;
    system.kernels.narrow_tile_efficiency = 0.25;
    cr_expect_float_eq(matrix_time_s(&system, OPERAND_FLOAT8, 1, 1280, 128, 4096), 2.68435456e-3,
                       1e-12);
    /* 1280 x 128 x 32 reads 1 byte an element, writes 2: 372736 bytes at 0.5 MB/s */
    plain_memory.bandwidth_Bps = 1e6;
    cr_expect_float_eq(matrix_time_s(&system, OPERAND_FLOAT8, 1, 1280, 128, 32), 0.745472, 1e-9);
}

Test(kernels, small_products_take_smaller_tiles_or_split_k)
{
    struct rk_system system = plain();
    const double one = matrix_time_s(&system, OPERAND_BFLOAT16, 1, 128, 128, 65536);
    /* Alone, the only tile takes 42.9 ms on one of ten; in 8 parts of k a bit more than an eighth:
     * 5.36870912 ms, and 8 * 128 * 128 * 8 / 4 bytes at 0.5 TB/s = 0.524288 us. */
    cr_expect_float_eq(one, 5.36870912e-3 + 0.524288e-6, 1e-12);
    system.kernels.tile_loss = 0; /* now 64 x 32, ... tiles cost nothing */
    cr_expect_lt(matrix_time_s(&system, OPERAND_BFLOAT16, 1, 128, 128, 65536), one);
}

/* ---- measured rates ---- */

/* Heads of 32 and 128, 16 and 256 keys a query: between them the geometric mean, 64 being half way
 * between 32 and 128, and so is 64 between 16 and 256. */
Test(kernels, measured_rates_of_attention_stand_between_their_neighbours)
{
    struct rk_system system = plain();
    system.kernels.attention_rates = (struct rk_attention_rates){
        .dims = 2,
        .keys = 2,
        .dim = {32, 128},
        .key = {16, 256},
        .rate_FLOPps = {{{1e9, 4e9}, {4e9, 16e9}}, {{2e9, 8e9}, {8e9, 32e9}}}};
    struct attention_shape shape = {.batch = 1,
                                    .heads = 2,
                                    .kv_heads = 2,
                                    .queries = 100,
                                    .keys = 100,
                                    .head_dim = 32,
                                    .value_dim = 32,
                                    .pairs = 1600};
    /* 2 heads, 1600 pairs, 4 * 32 FLOP each at 1 GFLOP/s; backward 10 * 32 at 2 */
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false), 409.6e-6, 1e-12);
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, true), 512e-6, 1e-12);
    shape.head_dim = shape.value_dim = 64;
    shape.pairs = 6400; /* 4 * 64 FLOP at sqrt(sqrt(1 * 4) * sqrt(4 * 16)) = 4 GFLOP/s */
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false), 819.2e-6, 1e-12);
    shape.head_dim = shape.value_dim = 256; /* beyond the table: as at its end */
    shape.pairs = 1e6;
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false),
                       2 * 1e6 * 4 * 256 / 16e9, 1e-12);
    /* two causal pieces of 128 tokens, 64.5 keys, and three whole ones, whose blocks of 64 compute
     * 128 keys as those of a causal sample with 96.5 a query do, less a tenth of what its rows take
     * in a causal sample of 64; FLOP/s are 62.5e6 times the keys, so that a row takes the same */
    shape = (struct attention_shape){.batch = 1,
                                     .heads = 1,
                                     .kv_heads = 1,
                                     .queries = 256,
                                     .keys = 512,
                                     .head_dim = 32,
                                     .value_dim = 32,
                                     .pairs = 2 * 8256 + 3 * 128 * 128,
                                     .piece = 128};
    system.kernels.attention_rates.rate_FLOPps[0][0][1] = 16e9;
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false),
                       128 / 62.5e6 * (2 * 8256 / 64.5 + 3 * 0.9 * 128), 1e-12);
    shape.piece = 64; /* a window that hides some: as if samples were whole */
    shape.pairs = 4 * 2080 - 1;
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false),
                       128 / 62.5e6 * 256, 1e-12);
    /* Queries of 48 and values of 16 take the rate of heads of 32 forward, and what they need:
     * backward 3 * 48 + 2 * 16 of 5 * 32. */
    shape = (struct attention_shape){.batch = 1,
                                     .heads = 1,
                                     .kv_heads = 1,
                                     .queries = 128,
                                     .keys = 128,
                                     .head_dim = 32,
                                     .value_dim = 32,
                                     .pairs = 8256};
    const double equal_s = attention_time_s(&system, OPERAND_BFLOAT16, &shape, false);
    shape.head_dim = 48;
    shape.value_dim = 16;
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false), equal_s, 1e-12);
}

/* Each query sees the last 64 of 256 tokens: the first block of 64 computes 64 keys a query, three
 * others 127, 111.25 in the mean, which a causal sample does where a query sees 79.75. */
Test(kernels, attention_within_a_window_computes_both_edges)
{
    struct rk_system system = plain();
    system.kernels.attention_rates = (struct rk_attention_rates){
        .dims = 1, .keys = 2, .dim = {32}, .key = {1, 1024}, .rate_FLOPps = {{{1e9, 1024e9}}}};
    struct attention_shape shape = {.batch = 1,
                                    .heads = 1,
                                    .kv_heads = 1,
                                    .queries = 256,
                                    .keys = 256,
                                    .head_dim = 32,
                                    .value_dim = 32,
                                    .pairs = 2080 + 192 * 64,
                                    .window = 64};
    /* rates are 1e9 times the keys, so that each key and query take the same */
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false), 128 * 256 / 1e9,
                       1e-12);
    shape.window = 256; /* hides nothing */
    shape.pairs = 256 * 257 / 2;
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false), 128 * 256 / 1e9,
                       1e-12);
    system.kernels.attention_rates.rate_FLOPps[0][0][1] = 1e9; /* one rate: by the keys */
    shape.window = 64;
    shape.pairs = 2080 + 192 * 64;
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false),
                       128 * 256 * 79.75 / 1e9, 1e-12);
}

Test(kernels, measured_rates_of_the_optimizer_and_of_links)
{
    struct rk_network network = {
        .size = 8, .bandwidth_Bps = 1e9, .efficiency = 1, .link = {.efficiency = 1, .hop_s = 1e-6}};
    struct rk_system system = plain();
    const struct rk_stream_rates rates = {2, {1e6, 4e6}, {1e9, 4e9}};
    system.kernels.optimizer_rates = rates;
    cr_expect_float_eq(optimizer_time_s(&system, 1e6), 1e-3, 1e-12);
    cr_expect_float_eq(optimizer_time_s(&system, 2e6), 1e-3, 1e-12); /* at 2 GB/s */
    cr_expect_float_eq(optimizer_time_s(&system, 8e6), 2e-3, 1e-12);
    system.kernels.memory_rates = rates;
    cr_expect_float_eq(memory_time_s(&system, 2e6), 1e-3 + system.kernels.kernel_s, 1e-12);
    cr_expect_eq(memory_time_s(&system, 0), 0);
    network.link.rates = rates;
    system.networks = 1;
    system.network = &network;
    /* two ranks send half of 2 MB twice: 2 MB at 2 GB/s, and two hops */
    const struct rank_group both = {.ranks = 2, .stride = 1};
    cr_expect_float_eq(collective_time_s(&system, ALL_REDUCE, both, 2e6), 1e-3 + 2e-6, 1e-12);
}

Test(kernels, nothing_takes_no_time_and_no_engine_all_of_it)
{
    const struct rk_system system = plain();
    cr_expect_eq(matrix_time_s(&system, OPERAND_BFLOAT16, 0, 8, 8, 8), 0);
    cr_expect_eq(matrix_time_s(&system, OPERAND_BFLOAT16, 1, 8, 0, 8), 0);
    cr_expect(isinf(matrix_time_s(&system, OPERAND_FLOAT4, 1, 8, 8, 8)));
    cr_expect_eq(memory_time_s(&system, 0), 0);
    const struct attention_shape none = {.batch = 1, .heads = 1};
    cr_expect_eq(attention_time_s(&system, OPERAND_BFLOAT16, &none, false), 0);
}

/* ---- attention and memory by hand ---- */

Test(kernels, attention_by_hand)
{
    struct rk_system system = plain();
    struct attention_shape shape = {.batch = 1,
                                    .heads = 10,
                                    .kv_heads = 10,
                                    .queries = 128,
                                    .keys = 1024,
                                    .head_dim = 128,
                                    .value_dim = 128,
                                    .pairs = 128 * 1024};
    plain_memory.bandwidth_Bps = 1e15;
    /* A block of 128 queries a multiprocessor: 128 * 1024 pairs * 512 FLOP at 50 GFLOP/s. */
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false), 1.34217728e-3,
                       1e-9);
    shape.newest = true;
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false), 0.67108864e-3,
                       1e-9);
    shape.heads = 11; /* a second wave */
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false), 1.34217728e-3,
                       1e-9);
    /* Backward, 5 products for 2: 10 heads of 8 blocks of keys, 80 blocks of 128 * 128 pairs * 1280
     * FLOP at 50 GFLOP/s over 10; row sums and gradients of 1280 rows are 2.3 MB at 0.5 PB/s. */
    shape.heads = 10;
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, true), 3.3554432e-3,
                       1e-7);
}

/* 10 heads over 2 of keys, 128 tokens, at 0.5 MB/s: (10 + 2) * 128 * 256 elements of 2 bytes, twice
 * in backward; there row sums read output and gradient, 4 bytes * 128, and query gradients are
 * cleared, read and cast, 10 bytes * 128, of 1280 rows. */
Test(kernels, attention_limited_by_memory)
{
    struct rk_system system = plain();
    const struct attention_shape shape = {1,   10,        2, 128,   128,   128,
                                          128, 128 * 128, 0, false, false, 0};
    plain_memory.bandwidth_Bps = 1e6;
    const double once_s = 12 * 128 * 256 * 2 / 5e5;
    const double forward_s = attention_time_s(&system, OPERAND_BFLOAT16, &shape, false);
    const double backward_s = attention_time_s(&system, OPERAND_BFLOAT16, &shape, true);
    cr_expect_float_eq(forward_s, once_s, 1e-9);
    cr_expect_float_eq(backward_s, 2 * once_s + 1280 * (4 + 10) * 128 / 5e5, 1e-9);
    system.kernels.kernel_s = 1; /* one kernel forward, three backward */
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false), forward_s + 1,
                       1e-9);
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, true), backward_s + 3,
                       1e-9);
}

/* 640 causal tokens are 5 blocks of queries on 10 multiprocessors: as long as the last one, of 128
 * * 640 pairs of 512 FLOP at 50 GFLOP/s. FlashAttention-2 is 1.7 to 3 times as fast as the first
 * [dao2023]. */
Test(kernels, the_longest_row_of_causal_attention)
{
    struct rk_system system = plain();
    struct attention_shape shape = {1, 1, 1, 640, 640, 128, 128, 640 * 641 / 2, 0, false, false, 0};
    plain_memory.bandwidth_Bps = 1e15;
    const double second_s = attention_time_s(&system, OPERAND_BFLOAT16, &shape, false);
    cr_expect_float_eq(second_s, 128.0 * 640 * 512 / 5e10, 1e-9);
    shape.oldest = true;
    const double first_s = attention_time_s(&system, OPERAND_BFLOAT16, &shape, false);
    cr_expect(first_s > 1.7 * second_s && first_s < 3 * second_s, "%g", first_s / second_s);
}

Test(kernels, exponentials_and_short_rows_slow_attention)
{
    struct rk_system system = plain();
    struct attention_shape shape = {.batch = 1,
                                    .heads = 10,
                                    .kv_heads = 10,
                                    .queries = 128,
                                    .keys = 1024,
                                    .head_dim = 64,
                                    .value_dim = 64,
                                    .pairs = 128 * 1024};
    plain_memory.bandwidth_Bps = 1e15;
    const double plain_s = attention_time_s(&system, OPERAND_BFLOAT16, &shape, false);
    system.kernels.attention_dim_half = 64; /* (1 + 64/64) / (1 + 64/128) */
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false),
                       plain_s * 2 / 1.5, 1e-9);
    system.kernels.attention_dim_half = 0;
    system.kernels.attention_key_half = 1024;
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false), 2 * plain_s,
                       1e-9);
}

Test(kernels, bytes_over_achieved_bandwidth_and_the_kernel_itself)
{
    struct rk_system system = plain();
    system.kernels.kernel_s = 3e-6;
    cr_expect_float_eq(memory_time_s(&system, 1e9), 2e-3 + 3e-6, 1e-12);
}

/* ---- what must hold for every system of the catalog ---- */

static struct rk_system loaded(const char *id)
{
    struct rk_system system = {.memories = 0};
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_system_load(id, &system, &error), RK_OK, "%s", formatted(&error));
    return system;
}

static const char *const some[] = {"a100-sxm4-80g", "h100-sxm5-80g", "gb200-nvl72", "l40s",
                                   "mi300x",        "tpu-v5p",       "gaudi3",      "h100-80g"};
enum { SOME = sizeof some / sizeof *some };

static double seconds(const struct rk_system *system, double m, double n, double k)
{
    return matrix_time_s(system, OPERAND_BFLOAT16, 1, m, n, k);
}

Test(kernels, larger_products_never_take_less_and_none_beats_the_peak)
{
    for (int i = 0; i < SOME; i++) {
        struct rk_system system = loaded(some[i]);
        for (double m = 1; m < 40000; m = ceil(m * 1.37))
            for (double n = 16; n < 40000; n = ceil(n * 2.3))
                for (double k = 16; k < 40000; k = ceil(k * 3.1)) {
                    const double t = seconds(&system, m, n, k);
                    cr_expect_geq(t, 2 * m * n * k / system.matrix[RK_BFLOAT16].peak_flops);
                    cr_expect_geq(seconds(&system, m + 1, n, k), t, "%s %g", some[i], m);
                    cr_expect_geq(seconds(&system, m, n + 1, k), t, "%s %g", some[i], n);
                    cr_expect_geq(seconds(&system, m, n, k + 1), t, "%s %g", some[i], k);
                    cr_expect_float_eq(seconds(&system, n, m, k) / t, 1, 0.6); /* tiles turn */
                }
        rk_system_release(&system);
    }
}

/* 12 x 11 tiles of 128 x 256 are 132, 19 x 7 of them 133: nearly the same work. */
Test(kernels, the_133rd_tile_of_an_h100_starts_a_wave)
{
    struct rk_system system = loaded("h100-sxm5-80g");
    system.kernels.tile_loss = 1e6;
    system.kernels.matrix_efficiency = 1;
    const double full = seconds(&system, 12 * 128, 11 * 256, 4096);
    const double next = seconds(&system, 19 * 128, 7 * 256, 4096);
    cr_expect_float_eq((next - system.kernels.kernel_s) / (full - system.kernels.kernel_s), 2,
                       1e-9);
    rk_system_release(&system);
}

Test(kernels, longer_attention_never_takes_less_and_causal_less_than_full)
{
    for (int i = 0; i < SOME; i++) {
        struct rk_system system = loaded(some[i]);
        double before[2][2] = {{0}};
        for (double s = 128; s <= 131072; s *= 2)
            for (int backward = 0; backward < 2; backward++)
                for (int causal = 0; causal < 2; causal++) {
                    const struct attention_shape shape = {
                        1, 32, 8, s, s, 128, 128, causal ? s * s / 2 : s * s, 1, true, false, 0};
                    const double t = attention_time_s(&system, OPERAND_BFLOAT16, &shape, backward);
                    cr_expect_gt(t, before[backward][causal]);
                    before[backward][causal] = t;
                    if (causal) cr_expect_leq(t, before[backward][0] * 1.0001);
                }
        cr_expect_gt(before[1][0], before[0][0]);
        rk_system_release(&system);
    }
}

/* A window of 4,096 in 131,072 tokens: a row has few pairs, however long the sequence. */
Test(kernels, a_window_is_as_fast_as_its_pairs)
{
    struct rk_system system = loaded("h100-sxm5-80g");
    const struct attention_shape window = {
        1, 4, 1, 131072, 131072, 128, 128, 131072.0 * 4096, 0, true, false, 0};
    const struct attention_shape shorter = {16, 4,    1,     8192, 8192, 128, 128, 8192.0 * 4096,
                                            0,  true, false, 0};
    cr_expect_float_eq(attention_time_s(&system, OPERAND_BFLOAT16, &window, false) /
                           attention_time_s(&system, OPERAND_BFLOAT16, &shorter, false),
                       1, 0.05);
    rk_system_release(&system);
}

/* ---- against published measurements ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void check_errors(const char *what, double *errors, size_t count, double median,
                         double worst)
{
    qsort(errors, count, sizeof *errors, by_size);
    cr_expect_leq(errors[count / 2], median, "%s: median %g", what, errors[count / 2]);
    cr_expect_leq(errors[count - 1], worst, "%s: worst %g", what, errors[count - 1]);
}

struct product_case {
    double m, n, k, measured_us;
};

/* TensorRT-LLM's bfloat16 products as [aiconfigurator2026] has them: gemm_perf of trtllm 1.3.0rc20
 * (H200, B200) and 1.0.0 (A100). */
static const struct product_case on_h200[] = {
    {1024, 1024, 8192, 27.8},    {1024, 4096, 128, 5.8},      {1024, 512, 7168, 15.9},
    {1024, 7168, 2048, 45.6},    {2048, 12288, 12288, 758.7}, {2048, 4096, 512, 16.1},
    {2048, 65536, 4096, 1399.3}, {4096, 10240, 8192, 911.7},  {4096, 4096, 4096, 175.5},
    {4096, 6144, 4096, 259.2},   {8192, 1024, 8192, 170.6},   {8192, 4096, 128, 27.8},
    {8192, 512, 7168, 76.7},     {8192, 7168, 2048, 335.7},
};
static const struct product_case on_a100[] = {
    {1024, 1024, 8192, 87.2},    {1024, 4096, 128, 18.9},      {1024, 512, 7168, 48.4},
    {1024, 7168, 2048, 161.4},   {2048, 12288, 12288, 2494.9}, {2048, 4096, 512, 52.7},
    {2048, 65536, 4096, 4282.8}, {4096, 10240, 8192, 2548.4},  {4096, 4096, 4096, 514.1},
    {4096, 6144, 4096, 818.4},   {8192, 1024, 8192, 534.1},    {8192, 4096, 128, 89.5},
    {8192, 512, 7168, 289.4},    {8192, 7168, 2048, 907.8},
};
static const struct product_case on_b200[] = {
    {1024, 1024, 8192, 17.1},   {1024, 4096, 128, 4.6},      {1024, 512, 7168, 10.7},
    {1024, 7168, 2048, 24.4},   {2048, 12288, 12288, 453.4}, {2048, 4096, 512, 8.8},
    {2048, 65536, 4096, 659.8}, {4096, 10240, 8192, 439.7},  {4096, 4096, 4096, 112.3},
    {4096, 6144, 4096, 143.9},  {8192, 1024, 8192, 97.2},    {8192, 4096, 128, 14.6},
    {8192, 512, 7168, 44.6},    {8192, 7168, 2048, 154.1},
};
enum { PRODUCTS = sizeof on_h200 / sizeof *on_h200 };

static void check_products(const char *id, const struct product_case cases[PRODUCTS], double median,
                           double worst)
{
    struct rk_system system = loaded(id);
    double errors[PRODUCTS];
    for (int i = 0; i < PRODUCTS; i++)
        errors[i] = fabs(
            seconds(&system, cases[i].m, cases[i].n, cases[i].k) * 1e6 / cases[i].measured_us - 1);
    check_errors(id, errors, PRODUCTS, median, worst);
    rk_system_release(&system);
}

Test(kernels, measured_products)
{
    check_products("h200-sxm-141g", on_h200, 0.06, 0.3);
    check_products("a100-sxm4-80g", on_a100, 0.08, 0.35);
    check_products("b200-sxm-180g", on_b200, 0.1, 0.3);
}

struct attention_case {
    double batch, tokens, head_dim, measured_us;
};

/* Causal forward of 32 heads over 8 of keys and values, bfloat16: vLLM 0.24's FlashAttention-3 on
 * an H100, 0.14's FlashAttention-2 on an A100 [aiconfigurator2026]. */
static const struct attention_case on_h100[] = {
    {1, 8192, 64, 593.3},    {2, 16384, 64, 4430.3},   {4, 4096, 64, 709.4},
    {8, 1024, 64, 173.6},    {16, 512, 64, 138.7},     {32, 2048, 64, 1717.7},
    {1, 10240, 128, 1367.8}, {4, 16384, 128, 14429.6}, {4, 4096, 128, 1011.0},
    {8, 1024, 128, 222.0},   {8, 3072, 128, 1181.0},   {16, 512, 128, 180.0},
    {32, 2048, 128, 2431.7},
};
static const struct attention_case on_an_a100[] = {
    {1, 10240, 128, 4897.8}, {2, 16384, 128, 25373.5}, {4, 2048, 128, 944.6},
    {4, 8192, 128, 12942.9}, {8, 1536, 128, 1154.1},   {16, 1024, 128, 1143.2},
    {32, 512, 128, 790.5},   {64, 256, 128, 608.4},
};

struct attention_rate_case {
    double batch, heads, kv_heads, tokens, TFLOPps[2]; /* forward, backward */
};

/* Causal, heads of 128, bfloat16: AITER's assembly kernels [aiter2026]. */
static const struct attention_rate_case on_mi300x[] = {{1, 32, 8, 8192, {522.68, 436.13}},
                                                       {4, 32, 8, 2048, {419.435, 377.51}},
                                                       {4, 64, 8, 4096, {513.79, 449}},
                                                       {8, 64, 8, 8192, {550.67, 474.02}},
                                                       {1, 64, 4, 10240, {515.275, 499.72}}};
static const struct attention_rate_case on_mi355x[] = {{1, 32, 8, 8192, {1247.73, 1062.76}},
                                                       {4, 32, 8, 2048, {809.835, 783.305}},
                                                       {4, 64, 8, 4096, {1174.92, 971.395}},
                                                       {8, 64, 8, 8192, {1311.955, 1067.89}},
                                                       {1, 64, 4, 10240, {1348.155, 1087.905}}};

static void check_attention_rates(const char *id, const struct attention_rate_case *cases,
                                  size_t count, double median, double worst)
{
    struct rk_system system = loaded(id);
    double errors[32];
    for (size_t i = 0; i < 2 * count; i++) {
        const struct attention_rate_case *of = &cases[i / 2];
        const double s = of->tokens, pairs = s * s / 2, backward = (double)(i % 2);
        const struct attention_shape shape = {
            of->batch, of->heads, of->kv_heads, s, s, 128, 128, pairs, 1, true, false, 0};
        const double flop = of->batch * of->heads * pairs * 128 * (backward > 0 ? 10 : 4);
        errors[i] = fabs(attention_time_s(&system, OPERAND_BFLOAT16, &shape, i % 2) /
                             (flop / of->TFLOPps[i % 2] / 1e12) -
                         1);
    }
    check_errors(id, errors, 2 * count, median, worst);
    rk_system_release(&system);
}

static void check_attention(const char *id, bool newest, const struct attention_case *cases,
                            size_t count, double median, double worst)
{
    struct rk_system system = loaded(id);
    double errors[32];
    for (size_t i = 0; i < count; i++) {
        const double s = cases[i].tokens, d = cases[i].head_dim;
        const struct attention_shape shape = {cases[i].batch, 32, 8,      s,     s, d, d,
                                              s * s / 2,      1,  newest, false, 0};
        errors[i] = fabs(attention_time_s(&system, OPERAND_BFLOAT16, &shape, false) * 1e6 /
                             cases[i].measured_us -
                         1);
    }
    check_errors(id, errors, count, median, worst);
    rk_system_release(&system);
}

Test(kernels, measured_attention)
{
    check_attention("h100-sxm5-80g", true, on_h100, sizeof on_h100 / sizeof *on_h100, 0.08, 0.35);
    check_attention("a100-sxm4-80g", false, on_an_a100, sizeof on_an_a100 / sizeof *on_an_a100,
                    0.08, 0.2);
    check_attention_rates("mi300x", on_mi300x, sizeof on_mi300x / sizeof *on_mi300x, 0.06, 0.25);
    check_attention_rates("mi355x", on_mi355x, sizeof on_mi355x / sizeof *on_mi355x, 0.06, 0.2);
}
