/* bench_run: training on one thread, beside OpenBLAS's own rate; then in bf16, and on two threads,
 * beside that. The rows are a table; arguments are the shapes that run, "4x64" or others: none,
 * all.
 *
 * Between steps a product of 512 x 3072 x 768 is timed, so that both see the same machine; time is
 * the thread's own. `share` is what a step's FLOP (6 for each weight and token, and causal
 * attention) would take at that rate, over what it took: the least step against the best product.
 * Before any time counts the results are compared: bf16 must lose what fp32 loses to 0.1 %, and two
 * threads the same to the bit. `limit_s` is what no step in 32 bits can be below on this core: its
 * FLOP at the rate of multiplications and additions without a memory, then AdamW's bytes at the
 * rate of a loop that reads and writes as many. Prints JSON lines.
 */
#include "run/pages.h"

#include <cblas.h>
#include <math.h>
#include <reckon/reckon.h>
#include <reckon/train.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { M = 512, N = 3072, K = 768 };

/* clang-format off */
static const struct row {
    const char *name, *shape, *model, *precision;
    int threads, samples, sequence, steps;
    double most_off; /* of the loss, from that of the shape's first row */
} rows[] = {
    {"fp32",        "4x64",       "gpt2-124m",    "fp32", 1, 4, 64,   5, 0},
    {"bf16",        "4x64",       "gpt2-124m",    "bf16", 1, 4, 64,   5, 1e-3},
    {"two-threads", "4x64",       "gpt2-124m",    "fp32", 2, 4, 64,   5, 0},
    {"fp32",        "llama-4x64", "smollm2-135m", "fp32", 1, 4, 64,   5, 0},
    {"fp32",        "1x1024",     "gpt2-124m",    "fp32", 1, 1, 1024, 3, 0},
    {"bf16",        "1x1024",     "gpt2-124m",    "bf16", 1, 1, 1024, 3, 1e-3},
};
/* clang-format on */
enum { ROWS = (int)(sizeof rows / sizeof *rows) };

static double thread_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- what a core can do ---- */

#if defined __x86_64__ && !defined __clang__
#define VECTORS __attribute__((target_clones("avx512f", "fma", "default"), optimize("O3")))
#else
#define VECTORS
#endif

enum { CHAINS = 16 * 12, TURNS = 4000000, REALS = 1 << 24 };

/* Chains of multiplications and additions that stay in registers. */
VECTORS static float multiply_and_add(float factor)
{
    float chain[CHAINS], sum = 0;
    for (int i = 0; i < CHAINS; i++)
        chain[i] = (float)i;
    for (int t = 0; t < TURNS; t++)
        for (int i = 0; i < CHAINS; i++)
            chain[i] = __builtin_fmaf(chain[i], factor, factor);
    for (int i = 0; i < CHAINS; i++)
        sum += chain[i];
    return sum;
}

/* Reads four arrays and writes three, as AdamW does. */
VECTORS static void update(const float *restrict g, float *restrict m, float *restrict v,
                           float *restrict w)
{
    for (int i = 0; i < REALS; i++) {
        m[i] += g[i];
        v[i] += g[i];
        w[i] += g[i];
    }
}

struct core {
    double flops, Bps;
};

static struct core core_of(void)
{
    struct core best = {0, 0};
    float *all = pages_take(4 * sizeof(float) * REALS);
    volatile float sink;
    if (!all) exit(1);
    memset(all, 0, 4 * sizeof(float) * REALS);
    for (int i = 0; i < 5; i++) {
        double from = thread_s();
        sink = multiply_and_add(0.5f);
        best.flops = fmax(best.flops, 2.0 * CHAINS * TURNS / (thread_s() - from));
        from = thread_s();
        update(all, all + REALS, all + 2 * (size_t)REALS, all + 3 * (size_t)REALS);
        best.Bps = fmax(best.Bps, 7.0 * sizeof(float) * REALS / (thread_s() - from));
    }
    (void)sink;
    free(all);
    printf("{\"bench\": \"core\", \"fma_GFLOPps\": %.1f, \"read_and_written_GBps\": %.1f}\n",
           best.flops / 1e9, best.Bps / 1e9);
    return best;
}

/* ---- steps ---- */

struct watch {
    float *a, *b, *c;
    double since, step_s, product_s;
};

static void time_product(struct watch *w)
{
    for (int i = 0; i < 5; i++) {
        const double from = thread_s();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, M, N, K, 1, w->a, K, w->b, K, 0, w->c,
                    N);
        w->product_s = fmin(w->product_s, thread_s() - from);
    }
}

static bool on_step(void *context, const struct rk_train_step *step)
{
    struct watch *w = context;
    if (step->step > 1) w->step_s = fmin(w->step_s, thread_s() - w->since);
    time_product(w);
    w->since = thread_s();
    return true;
}

struct ran {
    double step_s, loss;
};

/* Of products alone, of a token; `weights` counts what they read. */
static double flop_of(const struct rk_model *m, double sequence, double *weights)
{
    const double h = (double)m->hidden, d = (double)m->head_dim, layers = (double)m->layers,
                 heads = (double)m->heads, kv = m->kv_heads ? (double)m->kv_heads : heads,
                 inner = (double)m->feedforward * (m->gated_mlp ? 3 : 2);
    *weights = layers * h * (2 * (heads + kv) * d + inner) + (double)m->vocabulary * h;
    return 6 * (*weights + layers * heads * d * sequence);
}

static struct ran bench(struct watch *w, const char *data, const struct rk_system *system,
                        const struct row *row, struct core core)
{
    struct rk_model model;
    struct rk_plan plan;
    struct rk_error error;
    struct rk_train_result result;
    struct rk_train train = rk_train_default();
    const struct rk_train_run run = {.data = data, .system = system, .step = on_step, .context = w};
    char words[96];
    snprintf(words, sizeof words, "mbs%d gbs%d seq%d precision=%s", row->samples, row->samples,
             row->sequence, row->precision);
    train.steps = (uint64_t)row->steps;
    train.repeat = true;
    train.threads = row->threads;
    w->step_s = INFINITY;
    if (rk_model_load(row->model, &model, &error) != RK_OK ||
        rk_plan_parse(words, &plan, &error) != RK_OK ||
        rk_train_threads(&model, &plan, &train, &run, &result, &error) != RK_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    if (row->threads > 1) w->step_s = result.step_s; /* not of one thread alone */
    double weights;
    const double tokens = (double)row->samples * row->sequence,
                 flop = tokens * flop_of(&model, row->sequence, &weights),
                 rate = 2.0 * M * N * K / w->product_s;
    printf("{\"bench\": \"train\", \"name\": \"%s\", \"shape\": \"%s\", \"model\": \"%s\", "
           "\"step_s\": %.4f, \"tokens_per_s\": %.1f, \"GFLOPps\": %.1f, \"sgemm_GFLOPps\": %.1f, "
           "\"share\": %.3f, \"limit_s\": %.3f, \"loss\": %.4f}\n",
           row->name, row->shape, row->model, w->step_s, tokens / w->step_s, flop / w->step_s / 1e9,
           rate / 1e9, flop / w->step_s / rate,
           flop / core.flops + 7 * sizeof(float) * weights / core.Bps, result.last_loss);
    fflush(stdout);
    return (struct ran){w->step_s, result.last_loss};
}

/* What another way brings beside fp32 on one thread. */
static void beside(const struct row *row, struct ran plain, struct ran other)
{
    const double off = fabs(other.loss / plain.loss - 1);
    if (!(off <= row->most_off)) {
        fprintf(stderr, "%s %s: the loss is %g for %g\n", row->name, row->shape, other.loss,
                plain.loss);
        exit(1);
    }
    printf("{\"bench\": \"train\", \"beside\": \"%s\", \"shape\": \"%s\", "
           "\"times_as_fast\": %.3f, \"loss_off\": %.2g}\n",
           row->name, row->shape, plain.step_s / other.step_s, off);
}

static bool is_asked_for(const struct row *row, int count, char **words)
{
    bool found = count < 2;
    for (int i = 1; i < count; i++)
        found = found || strcmp(words[i], row->shape) == 0;
    return found;
}

static bool write_bytes(const char *path)
{
    FILE *out = fopen(path, "w");
    for (int i = 0; out && i < 100000; i++)
        fputc(i * 7919 % 251, out);
    return out && fclose(out) == 0;
}

int main(int count, char **words)
{
    struct rk_system system;
    struct rk_error error;
    char path[] = "bench-run-XXXXXX";
    struct watch w = {.product_s = INFINITY};
    struct ran plain = {0, 0};
    w.a = calloc(M * K + N * K + M * N, sizeof *w.a);
    if (mkstemp(path) < 0 || !w.a || rk_system_load("h100-sxm5-80g", &system, &error) != RK_OK ||
        !write_bytes(path))
        return 1;
    w.b = w.a + M * K;
    w.c = w.b + N * K;
    for (int i = 0; i < M * K + N * K; i++)
        w.a[i] = (float)(i % 251) / 251 - 0.5f;
    openblas_set_num_threads(1);
    const struct core core = core_of();
    for (int i = 0; i < ROWS; i++) {
        if (!is_asked_for(&rows[i], count, words)) continue;
        const bool first = i == 0 || strcmp(rows[i].shape, rows[i - 1].shape) != 0;
        const struct ran ran = bench(&w, path, &system, &rows[i], core);
        if (first)
            plain = ran;
        else
            beside(&rows[i], plain, ran);
    }
    unlink(path);
    free(w.a);
    rk_system_release(&system);
    return 0;
}
