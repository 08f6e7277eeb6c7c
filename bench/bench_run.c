/* bench_run: training GPT-2 124M's shape on one thread, beside OpenBLAS's own rate; then in bf16,
 * and on two threads, beside that.
 *
 * Between steps a product of 512 x 3072 x 768 is timed, so that both see the same machine; time is
 * the thread's own. `share` is what a step's FLOP (6 for each weight and token, and causal
 * attention) would take at that rate, over what it took: the least step against the best product.
 * Before any time counts the results are compared: bf16 must lose what fp32 loses to 0.1 %, and two
 * threads the same to the bit. Prints JSON lines.
 */
#include <cblas.h>
#include <math.h>
#include <reckon/reckon.h>
#include <reckon/train.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { M = 512, N = 3072, K = 768 };

static double thread_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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

static struct ran bench(struct watch *w, const char *data, const struct rk_system *system,
                        const char *words, int threads, double samples, double sequence)
{
    struct rk_model model;
    struct rk_plan plan;
    struct rk_error error;
    struct rk_train_result result;
    struct rk_train train = rk_train_default();
    const struct rk_train_run run = {.data = data, .system = system, .step = on_step, .context = w};
    train.steps = 6;
    train.repeat = true;
    train.threads = threads;
    w->step_s = INFINITY;
    if (rk_model_load("gpt2-124m", &model, &error) != RK_OK ||
        rk_plan_parse(words, &plan, &error) != RK_OK ||
        rk_train_threads(&model, &plan, &train, &run, &result, &error) != RK_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    if (threads > 1) w->step_s = result.step_s; /* not of one thread alone */
    const double h = (double)model.hidden, layers = (double)model.layers,
                 tokens = samples * sequence;
    const double weights = layers * 12 * h * h + (double)model.vocabulary * h;
    const double flop = tokens * (6 * weights + 6 * layers * h * sequence);
    const double rate = 2.0 * M * N * K / w->product_s;
    printf("{\"bench\": \"train\", \"model\": \"gpt2-124m\", \"plan\": \"%s\", \"threads\": %d, "
           "\"step_s\": %.4f, \"tokens_per_s\": %.1f, "
           "\"GFLOPps\": %.1f, \"sgemm_GFLOPps\": %.1f, \"share\": %.3f, \"loss\": %.4f}\n",
           words, threads, w->step_s, tokens / w->step_s, flop / w->step_s / 1e9, rate / 1e9,
           flop / w->step_s / rate, result.last_loss);
    fflush(stdout);
    return (struct ran){w->step_s, result.last_loss};
}

/* What another way brings beside fp32 on one thread; its loss may be so far off. */
static void beside(const char *what, struct ran plain, struct ran other, double most_off)
{
    const double off = fabs(other.loss / plain.loss - 1);
    if (!(off <= most_off)) {
        fprintf(stderr, "%s: the loss is %g for %g\n", what, other.loss, plain.loss);
        exit(1);
    }
    printf(
        "{\"bench\": \"train\", \"beside\": \"%s\", \"times_as_fast\": %.3f, \"loss_off\": %.2g}\n",
        what, plain.step_s / other.step_s, off);
}

int main(void)
{
    struct rk_system system;
    struct rk_error error;
    char path[] = "bench-run-XXXXXX";
    struct watch w = {.product_s = INFINITY};
    const int file = mkstemp(path);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    w.a = calloc(M * K + N * K + M * N, sizeof *w.a);
    if (!out || !w.a || rk_system_load("h100-sxm5-80g", &system, &error) != RK_OK) return 1;
    w.b = w.a + M * K;
    w.c = w.b + N * K;
    for (int i = 0; i < M * K + N * K; i++)
        w.a[i] = (float)(i % 251) / 251 - 0.5f;
    for (int i = 0; i < 100000; i++)
        fputc(i * 7919 % 251, out);
    if (fclose(out) != 0) return 1;
    openblas_set_num_threads(1);
    const struct ran plain = bench(&w, path, &system, "mbs4 gbs4 seq64 precision=fp32", 1, 4, 64);
    beside("bf16 4 x 64", plain,
           bench(&w, path, &system, "mbs4 gbs4 seq64 precision=bf16", 1, 4, 64), 1e-3);
    beside("two threads 4 x 64", plain,
           bench(&w, path, &system, "mbs4 gbs4 seq64 precision=fp32", 2, 4, 64), 0);
    const struct ran whole =
        bench(&w, path, &system, "mbs1 gbs1 seq1024 precision=fp32", 1, 1, 1024);
    beside("bf16 1 x 1024", whole,
           bench(&w, path, &system, "mbs1 gbs1 seq1024 precision=bf16", 1, 1, 1024), 1e-3);
    unlink(path);
    free(w.a);
    rk_system_release(&system);
    return 0;
}
