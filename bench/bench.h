/* bench.h - what the benchmarks share: a clock, the best of several runs, lines of JSON.
 *
 * A benchmark checks its result before it times it, and exits 1 when the check fails; it never
 * fails on a time. Figures are ratios of one run where they can be: machines differ and are noisy.
 */
#ifndef RECKON_BENCH_H
#define RECKON_BENCH_H

#include <reckon/reckon.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void check(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "check failed: %s\n", what);
    exit(1);
}

static inline void check_status(enum rk_status status, const struct rk_error *error)
{
    char text[1024];
    if (status == RK_OK) return;
    rk_error_format(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(1);
}

/* The catalog's entries, or exit with the message. */
static inline void load_model(const char *id, struct rk_model *model)
{
    struct rk_error error;
    check_status(rk_model_load(id, model, &error), &error);
}

static inline void load_system(const char *text, struct rk_system *system)
{
    struct rk_error error;
    check_status(rk_system_load(text, system, &error), &error);
}

/* Seconds that plain Python takes for five million additions of i * i % 7; 0 without python3. The
 * published tool evaluates 936 strategies a second on a core where this takes 0.69 s (measured on
 * the same machine, its logging removed); other machines scale with it. */
static inline double python_loop_s(void)
{
    FILE *python = popen("python3 -c 'import time\nt = time.perf_counter()\ns = 0\n"
                         "for i in range(5000000): s += i * i % 7\n"
                         "print(time.perf_counter() - t)' 2>/dev/null",
                         "r");
    double seconds = 0;
    if (!python) return 0;
    if (fscanf(python, "%lf", &seconds) != 1) seconds = 0;
    pclose(python);
    return seconds;
}

#define PUBLISHED_RATE   936.0 /* strategies per second and core */
#define PUBLISHED_LOOP_S 0.69

#endif
