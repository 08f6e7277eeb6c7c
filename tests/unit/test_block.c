/* The operations of modern blocks, by hand. */
#include "calculon/estimate.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "calculon/block.h"

/* Llama-2-70B: 80 layers, hidden 8192, 64 heads of 128, 8 key-value heads, SwiGLU 28672. */
static const struct rk_model llama = {.layers = 80,
                                      .hidden = 8192,
                                      .feedforward = 28672,
                                      .heads = 64,
                                      .head_dim = 128,
                                      .sequence = 4096,
                                      .kv_heads = 8,
                                      .norm = RK_RMS_NORM,
                                      .gated_mlp = true,
                                      .no_dropout = true,
                                      .flash_attention = true};

static struct block build(const struct rk_model *model, double tensor, bool overlapped)
{
    struct block block;
    const struct block_split split = {.tensor = tensor,
                                      .microbatch = 1,
                                      .element_bytes = 2,
                                      .sequence_parallel = true,
                                      .overlapped = overlapped};
    block_build(&block, model, &split);
    return block;
}

static const struct op *find(const struct block *block, const char *name)
{
    for (int i = 0; i < block->ops; i++)
        if (strcmp(block->op[i].name, name) == 0) return &block->op[i];
    return NULL;
}

static double weights(const struct block *block)
{
    double sum = 0;
    for (int i = 0; i < block->ops; i++)
        sum += block->op[i].weights;
    return sum;
}

Test(block, llama_70b_weights_add_up_to_the_layer)
{
    /* q and o: 2 * 8192^2; k and v: 2 * 8192 * 1024; MLP: 3 * 8192 * 28672; norms: 2 * 8192 */
    const double layer = 2 * 8192.0 * 8192 + 2 * 8192.0 * 1024 + 3 * 8192.0 * 28672;
    const struct block one = build(&llama, 1, false);
    cr_assert_eq(weights(&one), layer + 2 * 8192);
    for (int overlapped = 0; overlapped < 2; overlapped++) {
        const struct block eight = build(&llama, 8, overlapped);
        cr_assert_eq(weights(&eight), layer / 8 + 2 * 8192, "%d", overlapped);
    }
}

Test(block, key_value_heads_are_repeated_when_there_are_too_few)
{
    const struct block sixteen = build(&llama, 16, false), overlapped = build(&llama, 16, true);
    cr_assert_eq(find(&sixteen, "AttnBlock_Key")->weights, 8192.0 * 128); /* one whole head */
    cr_assert_eq(find(&overlapped, "AttnBlock_Key")->weights, 8192.0 * 128);
    cr_assert_eq(find(&overlapped, "AttnBlock_Query_AG")->weights, 8192.0 * 512);
}

Test(block, flash_attention_works_more_and_holds_less)
{
    struct rk_model unfused = llama;
    unfused.flash_attention = false;
    const struct block a = build(&llama, 8, false), b = build(&unfused, 8, false);
    const struct op *flash = find(&a, "AttnBlock_Flash");
    const double product = 2 * 8.0 * 4096 * 4096 * 128; /* 8 heads of a rank */
    cr_assert_eq(flash->flop[RK_FORWARD], 2 * product);
    cr_assert_eq(flash->flop[RK_AGRAD], 5 * product);
    cr_assert_eq(find(&b, "AttnBlock_Multihead_Key_Query")->flop[RK_FORWARD], product);
    /* queries, keys and values in 2 bytes, a log-sum of 4 bytes a row; no 4096 x 4096 scores */
    cr_assert_eq(flash->activation_bytes, 2 * (8 + 2) * 4096.0 * 128 + 4 * 8 * 4096.0);
    cr_assert_null(find(&a, "AttnBlock_Multihead_SoftMax"));
    cr_assert_eq(find(&b, "AttnBlock_Multihead_SoftMax")->activation_bytes, 2 * 8 * 4096.0 * 4096);
    struct rk_model causal = llama;
    causal.causal_skip = true;
    const struct block half = build(&causal, 8, false);
    cr_assert_eq(find(&half, "AttnBlock_Flash")->flop[RK_FORWARD], product);
}

Test(block, a_parallel_block_communicates_half_as_often)
{
    struct rk_model palm = {.layers = 118,
                            .hidden = 18432,
                            .feedforward = 73728,
                            .heads = 48,
                            .head_dim = 256,
                            .sequence = 2048,
                            .kv_heads = 1,
                            .gated_mlp = true,
                            .no_dropout = true,
                            .parallel_block = true,
                            .block_norms = 1};
    for (int overlapped = 0; overlapped < 2; overlapped++) {
        const struct block block = build(&palm, 4, overlapped);
        int gathers = 0, reductions = 0;
        for (int i = 0; i < block.ops; i++) {
            gathers += block.op[i].comm == COMM_GATHER;
            reductions += block.op[i].comm == COMM_REDUCE;
        }
        cr_assert(gathers == 1 && reductions == 1, "%d gathers, %d reductions", gathers,
                  reductions);
        /* q, o: 2 h * 12288 / 4; k, v: 2 h * 256; MLP: 3 h f / 4; one LayerNorm: 2 h */
        const double h = 18432;
        cr_assert_eq(weights(&block), 2 * h * 12288 / 4 + 2 * h * 256 + 3 * h * 73728 / 4 + 2 * h);
    }
}

Test(block, what_is_not_covered_is_refused)
{
    struct rk_model mixture = llama;
    struct rk_estimate estimate;
    struct rk_system system = {0};
    struct rk_strategy strategy = {.ranks = 1, .tensor = 1};
    mixture.experts = 8;
    cr_assert_eq(rk_estimate(&mixture, &system, &strategy, &estimate), RK_BAD_MODEL);
    cr_assert_not(estimate.timed);
    struct rk_model local = llama, predicting = llama;
    local.window = llama.sequence - 1;
    cr_assert_eq(rk_estimate(&local, &system, &strategy, &estimate), RK_BAD_MODEL);
    local.window = llama.sequence; /* hides nothing */
    cr_assert_neq(rk_estimate(&local, &system, &strategy, &estimate), RK_BAD_MODEL);
    predicting.predict_layers = 1;
    cr_assert_eq(rk_estimate(&predicting, &system, &strategy, &estimate), RK_BAD_MODEL);
}
