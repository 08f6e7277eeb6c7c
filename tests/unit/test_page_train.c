/* The curve of a run: few points, whatever the number of steps, and the sums of all of them. */
#include "cli/page_train.h"

#include <criterion/criterion.h>

static struct train_curve curve;

static void run(uint64_t steps)
{
    double loss = 0, seconds = 0, tokens = 0;
    curve = (struct train_curve){.points = 0};
    for (uint64_t i = 1; i <= steps; i++)
        train_curve_add(&curve,
                        &(struct rk_train_step){
                            .step = i, .loss = 1.0 / (double)i, .tokens = 8, .wall_s = 0.5});
    uint64_t last = 0;
    for (int i = 0; i < curve.points; i++) {
        const struct train_point *p = &curve.point[i];
        const uint64_t of = i + 1 < curve.points ? curve.every : curve.in_last;
        cr_assert_eq(p->step, last + of, "%d of %d: up to %llu", i, curve.points,
                     (unsigned long long)p->step);
        cr_assert_float_eq(p->seconds, 0.5 * (double)of, 1e-9);
        last = p->step;
        loss += p->loss;
        seconds += p->seconds;
        tokens += p->tokens;
    }
    double expected = 0;
    for (uint64_t i = 1; i <= steps; i++)
        expected += 1.0 / (double)i;
    cr_assert_eq(last, steps);
    cr_assert_float_eq(loss, expected, 1e-9);
    cr_assert_float_eq(seconds, 0.5 * (double)steps, 1e-6);
    cr_assert_float_eq(tokens, 8.0 * (double)steps, 1e-6);
}

Test(page_train, each_step_is_in_one_point)
{
    static const uint64_t steps[] = {1,    2,    3,    511,  512,  1023,  1024,
                                     1025, 2048, 2049, 2050, 5000, 100000};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        run(steps[i]);
        cr_assert(curve.points <= TRAIN_CURVE_POINTS);
        cr_assert(steps[i] <= TRAIN_CURVE_POINTS ? curve.every == 1
                                                 : curve.points > TRAIN_CURVE_POINTS / 2 - 1);
    }
}
