/* Muon: orthogonal matrices against plain loops, plans against one rank, and what changes no bit.
 */
#define RUN_F64
#include "run/real/kernels.h"
#include "run_random.h"

/* ---- the steps, as they are written down ---- */

/* z (m, n) = x (m, k) y (k, n) */
static void product(size_t m, size_t k, size_t n, const double *x, const double *y, double *z)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            z[i * n + j] = 0;
            for (size_t l = 0; l < k; l++)
                z[i * n + j] += x[i * k + l] * y[l * n + j];
        }
}

static void turned(size_t m, size_t n, const double *x, double *y)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            y[j * m + i] = x[i * n + j];
}

enum { SIDE = 24, MOST = SIDE * SIDE };

/* Of a wide matrix; a tall one is turned before and behind. */
static void plainly(size_t m, size_t n, double *x)
{
    double t[MOST], s[MOST], ss[MOST], sx[MOST], ssx[MOST], norm = 0;
    if (m > n) {
        turned(m, n, x, t);
        plainly(n, m, t);
        turned(n, m, t, x);
        return;
    }
    for (size_t i = 0; i < m * n; i++)
        norm += x[i] * x[i];
    for (size_t i = 0; i < m * n; i++)
        x[i] /= sqrt(norm) + 1e-7;
    for (int step = 0; step < 5; step++) {
        turned(m, n, x, t);
        product(m, n, m, x, t, s);
        product(m, m, m, s, s, ss);
        product(m, m, n, s, x, sx);
        product(m, m, n, ss, x, ssx);
        for (size_t i = 0; i < m * n; i++)
            x[i] = 3.4445 * x[i] - 4.7750 * sx[i] + 2.0315 * ssx[i];
    }
}

Test(run_muon, orthogonal)
{
    static const size_t shapes[][2] = {{1, 1}, {1, 9}, {9, 1}, {7, 7}, {5, 24}, {24, 5}, {24, 24}};
    run_random_state = 1;
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        const size_t rows = shapes[n][0], cols = shapes[n][1];
        double x[MOST], y[MOST], scratch[4 * MOST];
        cr_assert(orthogonal_room(rows, cols) <= 4 * MOST);
        for (size_t i = 0; i < rows * cols; i++)
            x[i] = y[i] = (double)below(1000) / 500 - 1;
        orthogonal(1, rows, cols, x, scratch);
        plainly(rows, cols, y);
        for (size_t i = 0; i < rows * cols; i++)
            cr_expect(fabs(x[i] - y[i]) < 1e-11, "%zu x %zu: %.15g for %.15g", rows, cols, x[i],
                      y[i]);
        /* all directions alike: the sum of squares is about that of as many singular values of 1 */
        double sum = 0;
        for (size_t i = 0; i < rows * cols; i++)
            sum += x[i] * x[i];
        const double least = (double)(rows < cols ? rows : cols);
        cr_expect(sum > 0.3 * least && sum < 1.5 * least, "%zu x %zu: %g", rows, cols, sum);
    }
    double none[12] = {0}, scratch[64];
    orthogonal(1, 3, 4, none, scratch);
    for (int i = 0; i < 12; i++)
        cr_expect_eq(none[i], 0);
}

/* ---- plans ---- */

Test(run_muon, one_rank)
{
    static const struct {
        int model;
        const char *plan;
    } plans[] = {
        {0, "tp2 dp2 mbs1 gbs8 zero1"},
        {0, "pp2 dp4 mbs1 gbs16 zero1 grad-overlap weight-overlap"},
        {1, "tp4 sp dp1 mbs1 gbs4"}, /* keys that ranks share */
        {1, "tp2 dp2 cp2 mbs1 gbs8 zero1 shard2"},
        {2, "tp2 pp2 dp2 mbs1 gbs8 zero1 offload-optimizer=0.5+1.5"},
        {3, "tp2 sp dp2 mbs1 gbs4 ep2 etp1 zero1"},
        {3, "tp4 dp2 mbs1 gbs4 ep2 etp2 zero1"},
        {4, "tp2 sp dp4 mbs1 gbs8 ep4 etp1 zero1 whole-grads"},
        {5, "tp2 dp2 mbs1 gbs4 zero1"},
        {6, "pp4 dp2 mbs1 gbs16 schedule=dualpipe zero1"},
    };
    const struct rk_train train = run_settings(RUN_STEPS);
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        const struct rk_model model = run_model(plans[i].model);
        char line[128];
        snprintf(line, sizeof line, "%s optimizer=muon", plans[i].plan);
        cr_expect(run_equals_one_rank(&model, line, &train, "muon"), "%s is not allowed", line);
    }
    unlink(run_data());
}

Test(run_muon, same)
{
    static const struct {
        int model;
        const char *plan, *same;
    } same[] = {
        {0, "mbs2 gbs16 dp1", "mbs2 gbs16 pp2 dp1 recompute=full"},
        {1, "mbs2 gbs16 dp4", "mbs2 gbs16 dp4 zero1"},
        {3, "mbs2 gbs16 dp4 ep2", "mbs2 gbs16 dp4 ep2 zero1 grad-overlap"},
        {1, "mbs2 gbs16 dp4", "mbs2 gbs16 dp4 zero1 offload-optimizer=1"},
        {4, "mbs2 gbs16 dp2 tp2", "mbs2 gbs16 pp2 vpp2 dp2 tp2 zero1"},
    };
    static const char *const precisions[] = {"", " precision=bf16", " precision=fp16"};
    struct rk_train train = run_settings(RUN_STEPS), threads;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        for (int p = 0; p < 3; p++) {
            char one[128], other[128];
            train.double_precision = p == 0 && i % 2;
            threads = train;
            threads.threads = 2;
            snprintf(one, sizeof one, "%s optimizer=muon%s", same[i].plan, precisions[p]);
            snprintf(other, sizeof other, "%s optimizer=muon%s", same[i].same, precisions[p]);
            same_bits(same[i].model, one, &train, other, &threads);
        }
    unlink(run_data());
}

/* It learns, by another way than AdamW. */
Test(run_muon, learns)
{
    struct rk_train train = run_settings(20);
    struct run_trace muon, adam;
    struct rk_error error;
    const struct rk_model model = run_model(1);
    train.double_precision = false;
    cr_assert_eq(run_plan(&model, "mbs2 gbs8 optimizer=muon", &train, &muon, &error), RK_OK, "%s",
                 error.text);
    cr_assert_eq(run_plan(&model, "mbs2 gbs8", &train, &adam, &error), RK_OK);
    cr_expect(muon.loss[0] == adam.loss[0] && muon.loss[1] != adam.loss[1]);
    cr_expect(muon.loss[19] < muon.loss[0] - 0.2, "%g to %g", muon.loss[0], muon.loss[19]);
    train.momentum = 1;
    cr_expect_eq(run_plan(&model, "mbs2 gbs8 optimizer=muon", &train, &muon, &error),
                 RK_BAD_ARGUMENT);
    cr_expect_eq(run_plan(&model, "mbs2 gbs8 dp2 zero2 optimizer=muon", &train, &muon, &error),
                 RK_BAD_ARGUMENT);
    unlink(run_data());
}
