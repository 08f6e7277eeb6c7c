/* Parameter counts, by hand and against the published ones. */
#include "catalog_cases.h"

#include <math.h>
#include <reckon/catalog.h>
#include <stdio.h>

/* h 4, f 8, one layer, 2 heads of 3, s 5, V 7:
 * queries, keys, values 3 * (4*6 + 6) = 90; projection 6*4 + 4 = 28;
 * MLP (4*8 + 8) + (8*4 + 4) = 76; two LayerNorms 2 * 8 = 16; block 210;
 * final norm 8; embedding 28; positions 20 */
static const struct rk_model small = {.layers = 1,
                                      .hidden = 4,
                                      .feedforward = 8,
                                      .heads = 2,
                                      .head_dim = 3,
                                      .sequence = 5,
                                      .vocabulary = 7,
                                      .tied_embeddings = true,
                                      .biases = true,
                                      .count_embeddings = true};

Test(parameters, by_hand)
{
    cr_expect_eq(rk_model_parameters(&small), 210 + 8 + 28 + 20);
}

Test(parameters, each_feature_changes_its_own_term)
{
    const uint64_t base = rk_model_parameters(&small);
    struct rk_model model = small;
    model.biases = false; /* 3*6 + 4 + 8 + 4 biases */
    cr_expect_eq(rk_model_parameters(&model), base - 34);
    model = small;
    model.tied_embeddings = false;
    cr_expect_eq(rk_model_parameters(&model), base + 28);
    model = small;
    model.embedding_norm = true;
    cr_expect_eq(rk_model_parameters(&model), base + 8);
    model = small;
    model.count_embeddings = false;
    cr_expect_eq(rk_model_parameters(&model), base - 48);
    model = small;
    model.position = RK_POSITION_ALIBI;
    cr_expect_eq(rk_model_parameters(&model), base - 20);
    model = small;
    model.attention = RK_ATTENTION_MULTIQUERY; /* keys and values 2 * (4*3 + 3) */
    cr_expect_eq(rk_model_parameters(&model), base - 30);
    model = small;
    model.layers = 3;
    cr_expect_eq(rk_model_parameters(&model), base + 2 * 210);
}

/* The same with 4 heads that share 2 keys and values, RMSNorm, a gate, no biases but of query, key
 * and value, norms on these, one norm a block: query, projection 2 * 4*12; key, value 2 * (4*6 +
 * 6), 12 biases; norms 2*3; MLP 3 * 4*8; block norm 4; final norm 4; embedding, head 2*28 */
Test(parameters, modern_by_hand)
{
    const struct rk_model model = {.layers = 1,
                                   .hidden = 4,
                                   .feedforward = 8,
                                   .heads = 4,
                                   .head_dim = 3,
                                   .sequence = 5,
                                   .vocabulary = 7,
                                   .position = RK_POSITION_ROPE,
                                   .count_embeddings = true,
                                   .kv_heads = 2,
                                   .norm = RK_RMS_NORM,
                                   .gated_mlp = true,
                                   .qkv_biases = true,
                                   .qk_norm = true,
                                   .parallel_block = true,
                                   .block_norms = 1};
    const uint64_t total = 96 + 60 + 12 + 6 + 96 + 4 + 4 + 56;
    cr_expect_eq(rk_model_parameters(&model), total);
    cr_expect_eq(rk_model_active_parameters(&model), total);
}

/* Two layers, the first dense; h 4, f 8, no biases. A layer's attention 4 * 4*6, its norms 8.
 * Dense MLP 2*4*8. Experts of width 3: 2*4*3 = 24 each, five routed, two for a token, and two
 * shared ones; router 4*5 and 5 values. Final norm 4, embedding 28. */
Test(parameters, mixture_by_hand)
{
    struct rk_model model = small;
    model.layers = 2;
    model.position = RK_POSITION_ROPE;
    model.biases = false;
    model.norm = RK_RMS_NORM;
    model.experts = 5;
    model.active_experts = 2;
    model.shared_experts = 2;
    model.expert_feedforward = 3;
    model.dense_layers = 1;
    model.router_biases = true;
    const uint64_t besides = 2 * (96 + 8) + 64 + 25 + 2 * 24 + 4 + 28;
    cr_expect_eq(rk_model_parameters(&model), besides + 5 * 24);
    cr_expect_eq(rk_model_active_parameters(&model), besides + 2 * 24);
}

/* h 4, two heads of 3 + 1 (position), values of 5, ranks 6 and 7: query 4*6 + 6 + 6*8, or 4*8
 * without; key and value 4*(7 + 1) + 7 + 7 * 2*(3 + 5); projection 10*4. */
Test(parameters, latent_attention_by_hand)
{
    struct rk_model model = small;
    model.biases = false;
    model.norm = RK_RMS_NORM;
    model.q_rank = 6;
    model.kv_rank = 7;
    model.rope_dim = 1;
    model.value_dim = 5;
    const uint64_t besides = 32 + 7 + 112 + 40 + 8 + 64 + 4 + 28 + 20;
    cr_expect_eq(rk_model_parameters(&model), 78 + besides);
    model.q_rank = 0;
    cr_expect_eq(rk_model_parameters(&model), 32 + besides);
}

static void check_row(const char *line)
{
    char id[64];
    double published, tolerance, active = 0;
    struct rk_model model;
    struct rk_error error;
    cr_assert_geq(sscanf(line, "%63[^,],%lf,%lf,%lf,", id, &published, &tolerance, &active), 3,
                  "%s", line);
    cr_assert_eq(rk_model_load(id, &model, &error), RK_OK, "%s", formatted(&error));
    const double computed = (double)rk_model_parameters(&model);
    cr_expect_leq(fabs(computed - published), tolerance / 100 * published,
                  "%s: %.0f computed, %.0f published", id, computed, published);
    if (active == 0) active = computed; /* dense */
    cr_expect_eq((double)rk_model_active_parameters(&model), active, "%s: %.0f active", id,
                 (double)rk_model_active_parameters(&model));
}

Test(parameters, agree_with_the_published_counts)
{
    char line[1024];
    int rows = 0;
    use_source_catalog();
    FILE *file = fopen(RECKON_TEST_SOURCE "/tests/data/parameters.csv", "r");
    cr_assert(file && fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        check_row(line);
        rows++;
    }
    fclose(file);
    cr_expect_eq(rows, 181);
}
