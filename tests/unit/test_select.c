/* Selections against a walk through all plans of the published model, one prediction at a time. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <reckon/catalog.h>
#include <reckon/plans.h>
#include <stdlib.h>
#include <string.h>

static struct rk_model model = {
    .layers = 12, .hidden = 768, .feedforward = 3072, .heads = 12, .head_dim = 64, .sequence = 512};

static const char machine[] =
    "matrix.float16=300TFLOP/s vector.float16=80TFLOP/s hbm=1GiB@2TB/s mem2=16GiB@100GB/s "
    "net0=300GB/s,size=4 net1=25GB/s,size=65536";

static struct rk_space *open_space(struct rk_system *system)
{
    struct rk_plans_problem problem;
    struct rk_error error;
    *system = (struct rk_system){0};
    cr_assert_eq(rk_system_load(machine, system, &error), RK_OK, "%s", error.text);
    rk_plans_problem_init(&problem, &model, system, RK_CALCULON, 4, 8, 0);
    return rk_plans_open(&problem, NULL);
}

static struct rk_answer select_with(const struct rk_space *space, struct rk_query query)
{
    struct rk_answer selection;
    struct rk_error error;
    if (query.top == 0) query.top = 50;
    cr_assert_eq(rk_ask(space, &query, &selection, &error), RK_OK, "%s", error.text);
    return selection;
}

/* Predictions of every plan that fits, in order. */
struct walk {
    uint64_t count;
    uint64_t *index;
    struct rk_plan *plan;
    struct rk_outcome *outcome;
};

static struct walk walk_all(const struct rk_space *space, const struct rk_system *system)
{
    const uint64_t total = rk_space_count(space);
    struct walk w = {0, malloc(total * sizeof *w.index), malloc(total * sizeof *w.plan),
                     malloc(total * sizeof *w.outcome)};
    for (uint64_t i = 0; i < total; i++) {
        struct rk_prediction p;
        rk_plans_plan(space, i, &w.plan[w.count]);
        w.index[w.count] = i;
        if (rk_predict(&model, system, &w.plan[w.count], &p) != RK_FITS) continue;
        w.outcome[w.count++] = p.outcome;
    }
    return w;
}

static void walk_free(struct walk *w)
{
    free(w->index);
    free(w->plan);
    free(w->outcome);
}

Test(select, conditions_count_what_a_walk_counts)
{
    struct rk_system system;
    struct rk_space *space = open_space(&system);
    struct walk w = walk_all(space, &system);
    static const char *const where[] = {
        "hbm <= 512MiB and tensor <= 2",
        "recompute == none or tensor_overlap == ring",
        "not (pipeline > 1) and gradient_overlap = yes",
        "bubble_s / step_s < 10% and mfu > 5%",
        "step_s * 1000 - 2 * 10 < 30 and mem2 == 0",
        "-time <= -40ms and batch == 8",
    };
    for (size_t k = 0; k < sizeof where / sizeof *where; k++) {
        struct rk_answer s = select_with(space, (struct rk_query){.where = where[k]});
        struct rk_condition *condition = rk_condition_open(where[k], RK_CALCULON, NULL);
        uint64_t expected = 0;
        for (uint64_t i = 0; i < w.count; i++)
            expected += rk_condition_holds(condition, &w.plan[i], &w.outcome[i]);
        cr_assert_eq(s.matches, expected, "%s: %" PRIu64 ", expected %" PRIu64, where[k], s.matches,
                     expected);
        cr_assert(expected > 0 && expected < w.count, "%s is not a test: %" PRIu64 " of %" PRIu64,
                  where[k], expected, w.count);
        rk_condition_close(condition);
        rk_answer_release(&s);
    }
    walk_free(&w);
    rk_space_close(space);
    rk_system_release(&system);
}

Test(select, a_condition_by_hand)
{
    const struct rk_plan plan = {.tensor = 8, .recompute = RK_KEEP, .batch = 64};
    const struct rk_outcome outcome = {.step_s = 2, .hbm_bytes = 60.0 * (1 << 30), .mfu = 0.5};
    static const struct {
        const char *text;
        bool holds;
    } cases[] = {
        {"hbm<=60GiB", true},      {"hbm<60GiB", false},        {"tensor<=8 and time==2", true},
        {"1+2*3 == 7", true},      {"(1+2)*3 == 9", true},      {"2-1-1 == 0", true},
        {"recompute==none", true}, {"recompute!=none", false},  {"not not mfu > 0.4", true},
        {"1 or 0 and 0", true},    {"batch/tensor == 8", true}, {"-1 < 0", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rk_condition *c = rk_condition_open(cases[i].text, RK_CALCULON, NULL);
        cr_assert_not_null(c, "%s", cases[i].text);
        cr_assert_eq(rk_condition_holds(c, &plan, &outcome), cases[i].holds, "%s", cases[i].text);
        rk_condition_close(c);
    }
}

Test(select, sorting_by_any_figure)
{
    struct rk_system system;
    struct rk_space *space = open_space(&system);
    struct walk w = walk_all(space, &system);
    struct rk_answer least = select_with(space, (struct rk_query){.sort = "hbm", .top = 3});
    struct rk_answer most = select_with(space, (struct rk_query){.sort = "mfu", .top = 3});
    double least_hbm = INFINITY, most_mfu = 0;
    for (uint64_t i = 0; i < w.count; i++) {
        least_hbm = fmin(least_hbm, w.outcome[i].hbm_bytes);
        most_mfu = fmax(most_mfu, w.outcome[i].mfu);
    }
    cr_assert_eq(least.best[0].key, least_hbm);
    cr_assert_eq(most.best[0].key, most_mfu);
    cr_assert(most.best[0].key >= most.best[1].key && most.best[1].key >= most.best[2].key);
    rk_answer_release(&least);
    rk_answer_release(&most);
    walk_free(&w);
    rk_space_close(space);
    rk_system_release(&system);
}

/* Is a as good as b in time, memory and offloaded bytes, and comes first where all are equal? */
static bool covers(const struct walk *w, uint64_t a, uint64_t b)
{
    const struct rk_outcome *x = &w->outcome[a], *y = &w->outcome[b];
    if (x->step_s > y->step_s || x->hbm_bytes > y->hbm_bytes || x->offload_bytes > y->offload_bytes)
        return false;
    const bool equal = x->step_s == y->step_s && x->hbm_bytes == y->hbm_bytes &&
                       x->offload_bytes == y->offload_bytes;
    return !equal || a < b;
}

Test(select, the_frontier_is_what_nothing_covers)
{
    struct rk_system system;
    struct rk_space *space = open_space(&system);
    struct walk w = walk_all(space, &system);
    struct rk_answer one =
        select_with(space, (struct rk_query){.pareto = "time,hbm,mem2", .threads = 1});
    struct rk_answer two =
        select_with(space, (struct rk_query){.pareto = "time,hbm,mem2", .threads = 2});
    cr_assert(one.found > 5 && one.found == two.found, "%" PRIu64, one.found);
    cr_assert_eq(memcmp(one.best, two.best, one.found * sizeof *one.best), 0);
    uint64_t expected = 0;
    for (uint64_t i = 0; i < w.count; i++) {
        bool covered = false, listed = false;
        for (uint64_t k = 0; k < one.found; k++)
            listed |= one.best[k].index == w.index[i];
        for (uint64_t j = 0; j < w.count && !covered; j++)
            covered = j != i && covers(&w, j, i);
        expected += !covered;
        cr_assert_eq(listed, !covered, "strategy %" PRIu64, w.index[i]);
    }
    cr_assert_eq(one.found, expected);
    rk_answer_release(&one);
    rk_answer_release(&two);
    walk_free(&w);
    rk_space_close(space);
    rk_system_release(&system);
}

Test(select, wrong_expressions_say_where)
{
    static const struct {
        const char *text;
        int column;
        const char *says;
    } cases[] = {
        {"hbm <= ", 8, "missing"},
        {"hbn <= 60GiB", 1, "hbm"},
        {"hbm <= 60GiB/", 14, "missing"},
        {"hbm <= 60XB", 10, "unit"},
        {"(hbm <= 1", 10, "')'"},
        {"hbm <= 1 tensor", 10, "not part"},
        {"recompute == nine", 14, "did you mean none"},
        {"", 1, "missing"},
        {"time < 60GiB", 8, "this is bytes, the other operand is seconds"},
        {"2 * time < 60GiB", 12, "bytes"},
        {"time + hbm < 1", 8, "bytes"},
        {"mfu > 3s", 7, "seconds"},
        {"hbm <= 60", 8, "a size needs its unit"},
        {"60e9 > memory", 1, "a size needs its unit"},
        {"2*hbm < 60", 9, "a size needs its unit"},
        {"hbm / 2 < 60", 11, "a size needs its unit"},
        {"-hbm > -60", 9, "a size needs its unit"},
        {"hbm + mem2 < 2 * 30", 14, "a size needs its unit"},
        {"(hbm_bytes + mem2) < 60", 22, "a size needs its unit"},
        {"hbm + 5 < 60GiB", 7, "a size needs its unit"},
        {"hbm / time < 3", 14, "a rate needs its unit"},
        {"hbm > 50%", 7, "a percentage is of shares"},
        {"hbm_bytes > 50%", 13, "a percentage is of shares"},
        {"30% < 2 * time", 1, "a percentage is of shares"},
        {"tensor > 50%", 10, "a percentage is of shares"},
        {"mfu > 50", 7, "at most 1: write 50%"},
        {"mfu > 120%", 7, "at most 1"},
        {"tensor < 50%x", 13, "not part"},
        {"tensor < 2GiB", 10, "bytes"},
        {"hbm / time < 3GB", 14, "bytes per second"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rk_error error = {0};
        cr_assert_null(rk_condition_open(cases[i].text, RK_CALCULON, &error), "%s", cases[i].text);
        cr_assert_eq(error.status, RK_BAD_ARGUMENT);
        cr_assert_eq(error.column, cases[i].column, "%s: column %d, %s", cases[i].text,
                     error.column, error.text);
        cr_assert(strstr(error.text, cases[i].says), "%s: %s", cases[i].text, error.text);
    }
}

/* One unit on both sides, or a plain number on one. */
Test(select, units_that_go_together)
{
    static const char *const texts[] = {"time < 3",
                                        "time < 3s and hbm < 60GiB",
                                        "hbm / 1e9 < tensor * 10",
                                        "hbm/time < 3GB/s",
                                        "rate * time > batch",
                                        "-time > 0 - 10us * 1e6",
                                        "2*hbm_bytes < 6e10",
                                        "hbm / (1024*1024*1024) < 60",
                                        "hbm * 1e-9 < 60",
                                        "hbm < 90% * 80GiB",
                                        "hbm > 0",
                                        "mfu > 50%",
                                        "1 - mfu < 50%",
                                        "mem2 / hbm > 50%",
                                        "2 * time < 3"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct rk_error error = {0};
        struct rk_condition *condition = rk_condition_open(texts[i], RK_CALCULON, &error);
        cr_expect(condition, "%s: %s", texts[i], error.text);
        rk_condition_close(condition);
    }
}
