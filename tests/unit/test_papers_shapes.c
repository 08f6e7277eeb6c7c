/* Well-shaped models: the rule of [isaev2023scaling] section III. */
#include <reckon/shapes.h>

#include <criterion/criterion.h>
#include <math.h>

/* Table III: hidden, head size, blocks, parameters in 1e12. */
static const struct {
    uint64_t hidden, head_dim, blocks;
    double trillions;
} table3[] = {
    {24576, 192, 128, 0.93},   {32768, 205, 160, 2.06},   {40960, 213, 192, 3.87},
    {50176, 224, 224, 6.77},   {60416, 236, 256, 11.21},  {70656, 245, 288, 17.25},
    {81920, 256, 320, 25.77},  {94208, 268, 352, 37.49},  {106496, 277, 384, 52.26},
    {119808, 288, 416, 71.65}, {134144, 299, 448, 96.74}, {148480, 309, 480, 126.99},
};

Test(shapes, table3)
{
    for (size_t i = 0; i < sizeof table3 / sizeof *table3; i++) {
        const struct rk_model model = rk_shape_of(&rk_shape_rule_paper, table3[i].blocks, 8192);
        cr_expect_eq(model.hidden, table3[i].hidden);
        cr_expect_eq(model.head_dim, table3[i].head_dim);
        cr_expect_eq(model.heads, model.layers);
        cr_expect_eq(model.feedforward, 4 * model.hidden);
        cr_expect_float_eq(rk_shape_parameters(model.layers, model.hidden) / 1e12,
                           table3[i].trillions, 0.005);
    }
}

Test(shapes, ratio_is_linear)
{
    cr_expect_eq(rk_shape_ratio(&rk_shape_rule_paper, 128), 192);
    cr_expect_eq(rk_shape_ratio(&rk_shape_rule_paper, 512), 320);
    cr_expect_eq(rk_shape_ratio(&rk_shape_rule_paper, 320), 256);
    cr_expect_eq(rk_shape_ratio(&rk_shape_rule_paper, 896), 448); /* the line goes on */
}

Test(shapes, splits)
{
    /* 256 = 2^8 blocks and heads, 60416 = 2^10 * 59: 9 * 9. 254 = 2 * 127, 59392 = 2^11 * 29:
     * tensor 1, 2; pipeline 1, 2, 127, 254. */
    const struct rk_model good = rk_shape_of(&rk_shape_rule_paper, 256, 8192);
    const struct rk_model bad = rk_shape_of(&rk_shape_rule_paper, 254, 8192);
    cr_expect_eq(rk_shape_splits(&good), 81);
    cr_expect_eq(rk_shape_splits(&bad), 8);
}

Test(shapes, nearest_is_sorted_and_complete)
{
    uint64_t blocks[8];
    for (double target = 1e8; target < 1e16; target *= 1.7) {
        const size_t count = rk_shape_nearest(&rk_shape_rule_paper, target, 32, blocks, 8);
        cr_assert_eq(count, 8);
        double last = 0;
        for (size_t i = 0; i < count; i++) {
            const struct rk_model model = rk_shape_of(&rk_shape_rule_paper, blocks[i], 1);
            const double off = fabs(log(rk_shape_parameters(blocks[i], model.hidden) / target));
            cr_expect_eq(blocks[i] % 32, 0);
            cr_expect_geq(off, last);
            last = off;
        }
    }
    cr_expect_eq(rk_shape_nearest(&rk_shape_rule_paper, 1e12, RK_SHAPE_MOST_BLOCKS, blocks, 8), 1);
}
