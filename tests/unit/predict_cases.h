/* A machine and a model small enough to reckon with by hand. */
#ifndef RECKON_TESTS_PREDICT_CASES_H
#define RECKON_TESTS_PREDICT_CASES_H

#include <criterion/criterion.h>
#include <math.h>
#include <reckon/predict.h>

#define NEAR(a, b)                                                                                 \
    do {                                                                                           \
        const double got = (a), want = (b);                                                        \
        cr_expect(fabs(got - want) <= 1e-9 * fabs(want) + 1e-12, #a " is %.12g, not %.12g", got,   \
                  want);                                                                           \
    } while (0)

/* Nodes of 8 ranks; memory, second memory and networks as fast as the test says, products without
 * loss at 1 FLOP/s in 16 bits, twice that in 8 and four times in 4. */
struct machine {
    struct rk_memory memory[2];
    struct rk_network network[2];
    struct rk_system system;
};

/* Infinitely fast but for its products; all latencies 0. */
static inline void machine_init(struct machine *m, double flops)
{
    *m = (struct machine){
        .memory = {{.capacity_bytes = 1e15, .bandwidth_Bps = 1e30},
                   {.capacity_bytes = 1e15, .bandwidth_Bps = 1e30}},
        .network = {{.bandwidth_Bps = 1e30, .size = 8, .link = {.efficiency = 1}},
                    {.bandwidth_Bps = 1e30, .size = 1 << 20, .link = {.efficiency = 1}}},
    };
    m->system = (struct rk_system){
        .matrix = {[RK_FLOAT8] = {.peak_flops = 2 * flops},
                   [RK_FLOAT16] = {.peak_flops = flops},
                   [RK_BFLOAT16] = {.peak_flops = flops},
                   [RK_FLOAT32] = {.peak_flops = flops / 2}},
        .memories = 2,
        .networks = 2,
        .memory = m->memory,
        .network = m->network,
        .kernels = {.multiprocessors = 1,
                    .tile_m = 1,
                    .tile_n = 1,
                    .float4_FLOPps = 4 * flops,
                    .matrix_efficiency = 1,
                    .narrow_efficiency = 1,
                    .float4_efficiency = 1,
                    .tile_efficiency = 1,
                    .narrow_tile_efficiency = 1,
                    .tile_loss = 1e6, /* only the largest tile */
                    .attention_efficiency = {0.5, 0.25},
                    .newest_attention_efficiency = {1, 0.5},
                    .memory_efficiency = 1,
                    .sustained = 1},
    };
}

/* Four blocks of 12 h^2 + 4 h parameters: h 64, 4 heads of 16, MLP 4 h, two vectors for each of the
 * two norms; 128 tokens, a table of 1024. */
static const struct rk_model small = {.layers = 4,
                                      .hidden = 64,
                                      .feedforward = 256,
                                      .heads = 4,
                                      .head_dim = 16,
                                      .sequence = 128,
                                      .vocabulary = 1024,
                                      .position = RK_POSITION_ROPE,
                                      .norm = RK_LAYER_NORM,
                                      .no_dropout = true,
                                      .count_embeddings = true};

enum {
    SMALL_BLOCK = 12 * 64 * 64 + 4 * 64,
    SMALL_TABLE = 1024 * 64,
    SMALL_ENDS = 2 * SMALL_TABLE + 2 * 64, /* embedding, final norm, head */
};

/* ... with 8 experts as wide as the MLP, of which a token goes to 2. */
static inline struct rk_model small_mixture(void)
{
    struct rk_model model = small;
    model.experts = 8;
    model.active_experts = 2;
    model.expert_feedforward = 256;
    return model;
}

enum {
    MIXTURE_DENSE = 4 * 64 * 64 + 4 * 64 + 8 * 64, /* of a block: attention, norms, router */
    MIXTURE_EXPERT = 8 * 64 * 64
};

#endif
