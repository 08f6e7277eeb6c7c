/* The search: every strategy timed, and pruned by proof; by vector unit and number of threads. */
#include "bench.h"
#include "calculon/strategies.h"

#include <math.h>
#include <string.h>

/* The models of the published tool's counts: 256 blocks of 1T, and the 11T of [isaev2023]. */
static const struct rk_model t1_256 = {.id = "t1-256",
                                       .layers = 256,
                                       .hidden = 18432,
                                       .feedforward = 73728,
                                       .heads = 256,
                                       .head_dim = 72,
                                       .sequence = 8192};
static const struct rk_model t11 = {.id = "t11",
                                    .layers = 384,
                                    .hidden = 49152,
                                    .feedforward = 196608,
                                    .heads = 384,
                                    .head_dim = 128,
                                    .sequence = 8192};

static const struct problem {
    const char *name;
    const struct rk_model *model;
    const char *system;
    uint64_t gpus, batch, total; /* strategies; the published tool counts the same */
} problems[] = {
    {"t1-256", &t1_256, "h100-80g-nvl8", 4096, 3072, 23311328},
    {"t1-256, nearly all fit", &t1_256,
     "h100-80g-nvl8 hbm=100TB mem2=100TB net0.size=65536 net0.must_be_filled=no", 4096, 3072,
     23311328},
    {"t11", &t11, "h100-80g-nvl8", 4096, 3072, 31651264},
};

enum { RUNS = 15, TOP = 10 };

static struct rk_answer run(const struct rk_space *space, enum rk_search_mode mode, int threads)
{
    const struct rk_query options = {.mode = mode, .threads = threads, .top = TOP};
    struct rk_answer result;
    check(rk_ask(space, &options, &result, NULL) == RK_OK, "the search runs");
    return result;
}

static void check_same(const struct rk_answer *a, const struct rk_answer *b)
{
    check(memcmp(&a->counts, &b->counts, sizeof a->counts) == 0, "the same counts");
    check(a->found == b->found, "as many found");
    for (uint64_t i = 0; i < a->found; i++)
        check(a->best[i].index == b->best[i].index && a->best[i].step_s == b->best[i].step_s,
              "the same best strategies");
}

/* Best of RUNS, each checked against `expected`. */
static double best_of(const struct rk_space *space, enum rk_search_mode mode, int threads,
                      const struct rk_answer *expected)
{
    double best_s = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        struct rk_answer result = run(space, mode, threads);
        check_same(expected, &result);
        best_s = fmin(best_s, result.seconds);
        rk_answer_release(&result);
    }
    return best_s;
}

static void bench(const struct problem *p, const char *vector, double published_rate)
{
    struct rk_system system;
    struct rk_problem problem;
    load_system(p->system, &system);
    rk_problem_init(&problem, p->model, &system, p->gpus, p->batch, RK_FLOAT8);
    struct rk_space *space = rk_space_open(&problem, NULL);
    check(space && rk_space_count(space) == p->total, "as many strategies as published");
    struct rk_answer expected = run(space, RK_SEARCH_EXHAUSTIVE, 1);
    for (int pruned = 0; pruned < 2; pruned++) {
        const enum rk_search_mode mode = pruned ? RK_SEARCH_PRUNED : RK_SEARCH_EXHAUSTIVE;
        const double one_s = best_of(space, mode, 1, &expected);
        const double two_s = best_of(space, mode, 2, &expected);
        const double rate = (double)p->total / one_s;
        printf("{\"bench\": \"search\", \"problem\": \"%s\", \"mode\": \"%s\", \"vector\": \"%s\", "
               "\"strategies\": %llu, \"fit\": %llu, \"one_thread_ms\": %.3f, "
               "\"million_per_s_and_core\": %.0f, \"two_threads_ms\": %.3f, \"speedup\": %.2f, "
               "\"times_published_tool\": %.0f}\n",
               p->name, pruned ? "pruned" : "exhaustive", vector, (unsigned long long)p->total,
               (unsigned long long)expected.counts.verdict[RK_FITS][0], one_s * 1e3, rate / 1e6,
               two_s * 1e3, one_s / two_s, published_rate > 0 ? rate / published_rate : 0);
        fflush(stdout);
    }
    rk_answer_release(&expected);
    rk_space_close(space);
    rk_system_release(&system);
}

int main(void)
{
    static const char *const vectors[] = {"avx512", "avx2", "sse4.2", "baseline"};
    const double loop_s = python_loop_s();
    const double published = loop_s > 0 ? PUBLISHED_RATE * PUBLISHED_LOOP_S / loop_s : 0;
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        setenv("RECKON_VECTOR", vectors[v], 1);
        const size_t some = v == 0 ? sizeof problems / sizeof *problems : 2;
        for (size_t i = 0; i < some; i++)
            bench(&problems[i], vectors[v], published);
    }
    return 0;
}
