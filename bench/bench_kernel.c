/* The search's kernels alone, on lanes that stay in the first cache: strategies a second, and their
 * arithmetic, by vector unit. Beside it what this core does of dependent additions, which take as
 * many cycles as the unit's latency: the clock. */
#include "bench.h"

#include "calculon/kernel.h"

#include <math.h>
#include <string.h>

enum { ARRAYS = 24, ROUNDS = 20000, RUNS = 7 };

/* Operations on doubles of a step time: see lane_step_s and lane_exposed_s in kernel.c. */
enum { PLAIN_FLOP = 11, OVERLAPPED_FLOP = 40 };

static _Alignas(64) double array[ARRAYS][LANES];

static struct time_job job_of(double *step_s, int meets)
{
    return (struct time_job){
        .lanes = LANES,
        .base_s = array[0],
        .edge_s = array[1],
        .base_backward_s = array[2],
        .edge_backward_s = array[3],
        .microbatches = array[4],
        .shortage = array[5],
        .last_round = array[6],
        .optimizer_s = array[7],
        .reduce_s = array[8],
        .penalty = array[9],
        .blocks = 16,
        .bases = 3,
        .pipeline = 8,
        .interleaving = 4,
        .access_s = array[10],
        .optimizer_hides_s = array[11],
        .compute_s = array[12],
        .message_s = array[13],
        .link_s = {array[14], array[15]},
        .usage = 0.02,
        .meets_messages = meets,
        .step_s = step_s,
    };
}

static void fill(void)
{
    srand(3);
    for (int a = 0; a < ARRAYS; a++)
        for (int i = 0; i < LANES; i++)
            array[a][i] = a == 9 ? 0 : 1 + (double)rand() / RAND_MAX;
}

typedef int time_kernel(const struct time_job *job, double limit);

/* Best seconds of one call. */
static double time_calls(time_kernel *kernel, const struct time_job *job)
{
    double best_s = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        const double start_s = now_s();
        int hits = 0;
        for (int i = 0; i < ROUNDS; i++)
            hits += kernel(job, 0);
        check(hits == 0, "nothing is faster than no time");
        best_s = fmin(best_s, (now_s() - start_s) / ROUNDS);
    }
    return best_s;
}

/* A dependent chain of additions: seconds each. */
static double addition_s(void)
{
    double best_s = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        uint64_t x = 1;
        const double start_s = now_s();
        for (int i = 0; i < 10000000; i++) {
            x += (uint64_t)i;
            __asm__ volatile("" : "+r"(x));
        }
        best_s = fmin(best_s, (now_s() - start_s) / 1e7);
    }
    return best_s;
}

static void bench(const char *vector, const char *name, time_kernel *kernel, time_kernel *twin,
                  int meets, int flop, double cycle_s)
{
    static double step_s[LANES], expected_s[LANES];
    const struct time_job job = job_of(step_s, meets), other = job_of(expected_s, meets);
    kernel(&job, 0);
    twin(&other, 0);
    check(memcmp(step_s, expected_s, sizeof step_s) == 0, "the same bits as the baseline");
    const double each_s = time_calls(kernel, &job) / LANES;
    printf("{\"bench\": \"kernel\", \"vector\": \"%s\", \"kernel\": \"%s\", \"flop\": %d, "
           "\"million_per_s\": %.0f, \"gflop_per_s\": %.1f, \"cycles_per_8\": %.1f}\n",
           vector, name, flop, 1e-6 / each_s, flop * 1e-9 / each_s, 8 * each_s / cycle_s);
}

int main(void)
{
    static const char *const vectors[] = {"avx512", "avx2", "sse4.2", "baseline"};
    const double cycle_s = addition_s();
    fill();
    setenv("RECKON_VECTOR", "baseline", 1);
    const struct kernels *baseline = kernels();
    printf("{\"bench\": \"kernel\", \"GHz_if_an_addition_is_a_cycle\": %.2f}\n", 1e-9 / cycle_s);
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        setenv("RECKON_VECTOR", vectors[v], 1);
        const struct kernels *k = kernels();
        if (strcmp(k->name, vectors[v]) != 0) continue;
        bench(k->name, "plain", k->plain, baseline->plain, 0, PLAIN_FLOP, cycle_s);
        bench(k->name, "overlapped", k->overlapped, baseline->overlapped, 0, OVERLAPPED_FLOP,
              cycle_s);
        bench(k->name, "overlapped, shared network", k->overlapped, baseline->overlapped, 1,
              OVERLAPPED_FLOP + 8, cycle_s);
    }
    return 0;
}
