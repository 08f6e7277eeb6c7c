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

static void check_row(const char *line)
{
    char id[64];
    double published, tolerance;
    struct rk_model model;
    struct rk_error error;
    cr_assert_eq(sscanf(line, "%63[^,],%lf,%lf,", id, &published, &tolerance), 3, "%s", line);
    cr_assert_eq(rk_model_load(id, &model, &error), RK_OK, "%s", formatted(&error));
    const double computed = (double)rk_model_parameters(&model);
    cr_expect_leq(fabs(computed - published), tolerance / 100 * published,
                  "%s: %.0f computed, %.0f published", id, computed, published);
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
    cr_expect_eq(rows, 38);
}
