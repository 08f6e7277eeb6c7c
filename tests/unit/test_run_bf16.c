/* Products of bf16: against sums in 64 bits, whatever the layout and the number of threads; and
 * what training with them brings, beside 32 bits. Without such a processor bf16 is emulated, and
 * the rest holds as well. */
#include "run/bf16.h"
#include "run/real/kernels.h"
#include "run/real/sixteen.h"
#include "run_cases.h"

#include <math.h>
#include <stdlib.h>

static uint16_t *random_low(size_t n)
{
    uint16_t *x = malloc(n * sizeof *x);
    cr_assert(x);
    for (size_t i = 0; i < n; i++)
        x[i] = bf16_of((float)rand() / (float)RAND_MAX - 0.5f);
    return x;
}

/* Of each element, and the sum of the absolute values, from which rounding is. */
static void compare(const struct bf16_product *p, const float *before)
{
    for (size_t i = 0; i < p->m; i++)
        for (size_t j = 0; j < p->n; j++) {
            double sum = p->add ? (double)before[i * p->c_row + j] : 0, size = 1 + fabs(sum);
            for (size_t l = 0; l < p->k; l++) {
                const double x = (double)of_bf16(p->a[i * p->a_row + l * p->a_col]) *
                                 (double)of_bf16(p->b[l * p->b_row + j * p->b_col]);
                sum += x;
                size += fabs(x);
            }
            const double off = fabs((double)p->c[i * p->c_row + j] - sum);
            cr_assert(off < 4e-7 * size, "%zu x %zu x %zu at %zu, %zu: off by %g", p->m, p->n, p->k,
                      i, j, off);
        }
}

Test(run_bf16, products)
{
    static const struct {
        size_t m, n, k;
    } sizes[] = {{1, 32, 32}, {7, 48, 33}, {64, 64, 64}, {130, 96, 200}, {33, 50, 257}};
    for (size_t i = 0; bf16_library() && i < sizeof sizes / sizeof *sizes; i++)
        for (int layout = 0; layout < 8; layout++) {
            const size_t m = sizes[i].m, n = sizes[i].n, k = sizes[i].k, c_row = n + 16;
            struct bf16_product p = {.m = m, .n = n, .k = k, .c_row = c_row, .add = layout & 4};
            p.a_row = layout & 1 ? 1 : k;
            p.a_col = layout & 1 ? m : 1;
            p.b_row = layout & 2 ? 1 : n;
            p.b_col = layout & 2 ? k : 1;
            uint16_t *a = random_low(m * k), *b = random_low(k * n);
            float *c = malloc(2 * m * c_row * sizeof *c), *before = c + m * c_row;
            cr_assert(c);
            for (size_t j = 0; j < m * c_row; j++)
                c[j] = before[j] = (float)j;
            p.a = a;
            p.b = b;
            p.c = c;
            cr_assert(bf16_product(&p));
            compare(&p, before);
            for (size_t j = 0; j < m * c_row; j++) /* what lies between the rows is not touched */
                if (j % c_row >= n) cr_assert_eq(c[j], before[j]);
            free(a);
            free(b);
            free(c);
        }
}

static float *random_reals(size_t n)
{
    float *x = malloc(n * sizeof *x);
    cr_assert(x);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    return x;
}

static void compare_single(const struct single_product *p)
{
    for (size_t i = 0; i < p->m; i++)
        for (size_t j = 0; j < p->n; j++) {
            double sum = p->add ? 1 : 0, size = 1;
            for (size_t l = 0; l < p->k; l++) {
                const double x = (double)p->a[p->a_turned ? l * p->lda + i : i * p->lda + l] *
                                 (double)p->b[p->b_turned ? j * p->ldb + l : l * p->ldb + j];
                sum += x;
                size += fabs(x);
            }
            const double off = fabs((double)p->c[i * p->ldc + j] - sum);
            cr_assert(off < 4e-7 * size, "%zu, %zu: off by %g", i, j, off);
        }
}

Test(run_bf16, products_of_32_bits)
{
    static const size_t sizes[][3] = {{1, 128, 128}, {129, 272, 768}, {40, 300, 130}};
    for (size_t i = 0; single_library() && i < sizeof sizes / sizeof *sizes; i++)
        for (int layout = 0; layout < 8; layout++) {
            const size_t m = sizes[i][0], n = sizes[i][1], k = sizes[i][2], ldc = n + 16;
            float *a = random_reals(m * k), *b = random_reals(k * n), *c = random_reals(m * ldc);
            struct single_product p = {.m = m, .n = n, .k = k, .ldc = ldc, .a = a, .b = b, .c = c};
            p.a_turned = layout & 1;
            p.b_turned = layout & 2;
            p.add = layout & 4;
            p.lda = p.a_turned ? m : k;
            p.ldb = p.b_turned ? k : n;
            for (size_t j = 0; j < m * ldc; j++)
                c[j] = 1;
            single_product(&p);
            compare_single(&p);
            for (size_t j = 0; j < m * ldc; j++)
                if (j % ldc >= n) cr_assert_eq(c[j], 1);
            free(a);
            free(b);
            free(c);
        }
}

/* Slices are never wide, and two at least where a second thread would be of use. */
Test(run_bf16, slices)
{
    for (size_t n = 1; n < 60000; n += n < 4096 ? 1 : 61) {
        const size_t slice = product_slice(n), slices = (n + slice - 1) / slice;
        cr_assert(slice > 0 && slice <= 1152, "%zu: %zu", n, slice);
        cr_assert_eq(slices > 1, n >= PRODUCT_LEAST, "%zu: %zu", n, slices);
        cr_assert(gradient_slice(n) >= slice && gradient_slice(n) <= 2304, "%zu", n);
        cr_assert_eq(gradient_slice(n) < n, n >= PRODUCT_LEAST, "%zu", n);
    }
}

Test(run_bf16, threads_change_no_bit)
{
    static const char *const precisions[] = {"bf16", "fp32"};
    struct rk_train train = run_settings(2), more;
    struct rk_model model = run_model(1);
    struct run_trace a, b;
    struct rk_error error;
    train.double_precision = false;
    model.hidden = 320; /* several slices */
    model.heads = 40;
    model.kv_heads = 10;
    model.feedforward = 600;
    more = train;
    for (int p = 0; p < 2; p++) {
        char plan[64];
        snprintf(plan, sizeof plan, "mbs2 gbs4 precision=%s", precisions[p]);
        cr_assert_eq(run_plan(&model, plan, &train, &a, &error), RK_OK, "%s", error.text);
        for (int threads = 2; threads <= 5; threads += 3) {
            more.threads = threads;
            cr_assert_eq(run_plan(&model, plan, &more, &b, &error), RK_OK, "%s", error.text);
            for (int s = 0; s < 2; s++)
                cr_expect(a.loss[s] == b.loss[s] && a.norm[s] == b.norm[s], "%s, %d threads", plan,
                          threads);
        }
    }
    unlink(run_data());
}
