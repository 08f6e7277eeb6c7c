/* The search of plans: every plan timed, and pruned; on one thread and on two. Each result is first
 * compared with the twin's, on a restricted space that one plan at a time can go through.
 *
 * With RECKON_OLDER, the search command of another build ("../old/build/reckon search
 * --framework megatron"), that command and build/reckon (or RECKON) answer the same questions in
 * turn, on one thread, and are compared by processor time: the whole command, which must name as
 * many plans. */
#include "bench.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

static const struct problem {
    const char *name, *model, *system;
    uint64_t gpus, batch;
} problems[] = {
    {"llama3.1-70b on 512 H100", "llama3.1-70b", "h100-sxm5-80g", 512, 1024},
    {"llama3.1-405b on 8192 H100", "llama3.1-405b", "h100-sxm5-80g", 8192, 2048},
    {"mixtral-8x7b on 64 H100", "mixtral-8x7b", "h100-sxm5-80g", 64, 512},
    {"deepseek-v3 on 2048 H800", "deepseek-v3", "h800-sxm5-80g", 2048, 15360},
};

enum { RUNS = 5, TOP = 10 };

static struct rk_answer run(const struct rk_space *plans, enum rk_search_mode mode, int threads)
{
    const struct rk_query options = {.mode = mode, .threads = threads, .top = TOP};
    struct rk_answer result;
    check(rk_ask(plans, &options, &result, NULL) == RK_OK, "the search runs");
    return result;
}

static void check_same(const struct rk_answer *a, const struct rk_answer *b)
{
    check(memcmp(&a->counts, &b->counts, sizeof a->counts) == 0, "the same counts");
    check(a->found == b->found, "as many found");
    for (uint64_t i = 0; i < a->found; i++)
        check(a->best[i].index == b->best[i].index && a->best[i].step_s == b->best[i].step_s,
              "the same best plans");
}

static void only(struct rk_plans_problem *problem, enum rk_plan_axis axis, uint64_t value)
{
    problem->pinned[axis].count = 1;
    problem->pinned[axis].value[0] = problem->pinned[axis].to[0] = value;
}

/* Some tens of thousands of plans. */
static void check_twin(const struct rk_plans_problem *all)
{
    struct rk_plans_problem few = *all;
    only(&few, RK_PLAN_MICROBATCH, 1);
    only(&few, RK_PLAN_TENSOR, 8);
    only(&few, RK_PLAN_CONTEXT, 1);
    only(&few, RK_PLAN_ZERO, 1);
    only(&few, RK_PLAN_EXPERT_TENSOR, 1);
    struct rk_space *plans = rk_plans_open(&few, NULL);
    check(plans != NULL, "memory");
    struct rk_answer twin = run(plans, RK_SEARCH_TWIN, 1);
    for (int mode = RK_SEARCH_PRUNED; mode <= RK_SEARCH_EXHAUSTIVE; mode++) {
        struct rk_answer fast = run(plans, (enum rk_search_mode)mode, 2);
        check_same(&twin, &fast);
        rk_answer_release(&fast);
    }
    rk_answer_release(&twin);
    rk_space_close(plans);
}

/* Best of RUNS, each checked against `expected`. */
static double best_of(const struct rk_space *plans, enum rk_search_mode mode, int threads,
                      const struct rk_answer *expected)
{
    double best_s = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        struct rk_answer result = run(plans, mode, threads);
        check_same(expected, &result);
        best_s = fmin(best_s, result.seconds);
        rk_answer_release(&result);
    }
    return best_s;
}

static void bench(const struct problem *p)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_plans_problem problem;
    load_model(p->model, &model);
    load_system(p->system, &system);
    rk_plans_problem_init(&problem, &model, &system, RK_MEGATRON, p->gpus, p->batch, 0);
    problem.unstartable = true; /* all there are */
    check_twin(&problem);
    struct rk_space *plans = rk_plans_open(&problem, NULL);
    check(plans != NULL, "memory");
    struct rk_answer expected = run(plans, RK_SEARCH_EXHAUSTIVE, 1);
    for (int pruned = 0; pruned < 2; pruned++) {
        const enum rk_search_mode mode = pruned ? RK_SEARCH_PRUNED : RK_SEARCH_EXHAUSTIVE;
        const double one_s = best_of(plans, mode, 1, &expected);
        const double two_s = best_of(plans, mode, 2, &expected);
        const double total = (double)expected.counts.total;
        printf("{\"bench\": \"plans\", \"problem\": \"%s\", \"mode\": \"%s\", \"plans\": %llu, "
               "\"fit\": %llu, \"folds\": %llu, \"one_thread_s\": %.4f, "
               "\"million_per_s_and_core\": %.2f, \"two_threads_s\": %.4f, \"speedup\": %.2f}\n",
               p->name, pruned ? "pruned" : "exhaustive", (unsigned long long)expected.counts.total,
               (unsigned long long)expected.counts.verdict[RK_FITS][0],
               (unsigned long long)expected.explain.folds, one_s, total / one_s / 1e6, two_s,
               one_s / two_s);
        fflush(stdout);
    }
    rk_answer_release(&expected);
    rk_space_close(plans);
    rk_system_release(&system);
}

/* ---- beside another build ---- */

static double children_s(void)
{
    struct rusage r;
    getrusage(RUSAGE_CHILDREN, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

/* Processor seconds of a command; how many plans its answer says that there are, into `plans`. */
static double command_s(const char *search, const struct problem *p, char plans[32])
{
    char command[1024], line[1024];
    const double before_s = children_s();
    snprintf(command, sizeof command,
             "%s -m %s -s %s -g %llu -b %llu -j1 -q -k1 "
             "--schedule 1f1b,gpipe,zero-bubble,dualpipe",
             search, p->model, p->system, (unsigned long long)p->gpus,
             (unsigned long long)p->batch);
    FILE *answer = popen(command, "r");
    check(answer != NULL, "the command starts");
    plans[0] = 0;
    while (fgets(line, sizeof line, answer))
        if (!plans[0] && strstr(line, " plans, ")) sscanf(line, "%*[^0-9]%31[0-9,]", plans);
    check(pclose(answer) == 0 && plans[0], "the command answers");
    return children_s() - before_s;
}

static void bench_beside(const struct problem *p, const char *older)
{
    const char *path = getenv("RECKON");
    char newer[512], plans[2][32];
    double older_s = INFINITY, newer_s = INFINITY;
    snprintf(newer, sizeof newer, "%s search --unstartable", path ? path : "build/reckon");
    for (int i = 0; i < RUNS; i++) {
        older_s = fmin(older_s, command_s(older, p, plans[0]));
        newer_s = fmin(newer_s, command_s(newer, p, plans[1]));
        check(strcmp(plans[0], plans[1]) == 0, "as many plans");
    }
    printf("{\"bench\": \"plans_beside\", \"problem\": \"%s\", \"plans\": \"%s\", "
           "\"older_s\": %.4f, \"newer_s\": %.4f, \"times_as_fast\": %.2f}\n",
           p->name, plans[1], older_s, newer_s, older_s / newer_s);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *older = getenv("RECKON_OLDER");
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        if (argc > 1 && !strstr(problems[i].name, argv[1])) continue;
        if (older)
            bench_beside(&problems[i], older);
        else
            bench(&problems[i]);
    }
    return 0;
}
