/* The brute-force twin: on random problems, pruned and exhaustive search give the same bytes as one
 * strategy at a time through rk_estimate: counts, best K, ties. RECKON_SEED=N repeats one case. */
#include "drawn.h"
#include "draws.h"

#include "calculon/estimate.h"
#include "calculon/strategies.h"
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = DRAWN(300), MOST_STRATEGIES = 60000 };

static double log_between(double low, double high)
{
    return exp(between(log(low), log(high)));
}
static uint64_t pick(const uint64_t *list, uint64_t count)
{
    return list[below(count)];
}

struct machine {
    struct rk_system system;
    struct rk_memory memory[3];
    struct rk_network network[4];
};

static void draw_curve(struct rk_curve *curve, double peak, double largest)
{
    curve->steps = 1 + (int)below(7);
    for (int i = 0; i < curve->steps; i++) {
        const bool last = i == curve->steps - 1;
        curve->step[i].from = last ? 0 : largest / pow(10, i);
        curve->step[i].efficiency = 1.0 / (1 + i);
        curve->step[i].rate = peak * curve->step[i].efficiency;
    }
}

static void draw_memory(struct rk_memory *memory, int tier)
{
    memory->bandwidth_Bps = coin() && tier ? INFINITY : log_between(1e9, 4e12);
    memory->capacity_bytes = coin() ? log_between(1e8, 1e12) : coin() ? INFINITY : 1e15;
    if (tier && below(8) == 0) memory->capacity_bytes = 0; /* a tier that is not there */
    draw_curve(&memory->curve, memory->bandwidth_Bps, 1e9);
}

static void draw_network(struct rk_network *network)
{
    *network = (struct rk_network){
        .bandwidth_Bps = log_between(1e9, 1e12),
        .efficiency = between(0.3, 1),
        .latency_s = coin() ? 0 : log_between(1e-7, 1e-3),
        .size = UINT64_C(1) << below(7),
        .must_be_filled = below(3) == 0,
        .processor_usage = coin() ? 0 : between(0, 0.5),
    };
    for (int op = 0; op < RK_COLLECTIVES; op++) {
        network->collective[op].scale = between(0.5, 2);
        if (op != RK_POINT_TO_POINT) network->collective[op].offset = (double)below(3) - 1;
    }
}

static void draw_machine(struct machine *m)
{
    memset(m, 0, sizeof *m);
    m->system.processing = coin() ? RK_NO_OVERLAP : RK_ROOFLINE;
    m->system.memory = m->memory;
    m->system.network = m->network;
    m->system.memories = 1 + (int)below(3);
    m->system.networks = 1 + (int)below(4);
    for (int d = 0; d < RK_DATATYPES; d++) {
        m->system.matrix[d].peak_flops = log_between(1e13, 1e16);
        m->system.vector[d].peak_flops = log_between(1e12, 1e15);
        draw_curve(&m->system.matrix[d].curve, m->system.matrix[d].peak_flops, 1e12);
        draw_curve(&m->system.vector[d].curve, m->system.vector[d].peak_flops, 1e10);
    }
    for (int i = 0; i < m->system.memories; i++)
        draw_memory(&m->memory[i], i);
    for (int i = 0; i < m->system.networks; i++)
        draw_network(&m->network[i]);
}

static void draw_model(struct rk_model *model)
{
    static const uint64_t layers[] = {1, 2, 3, 4, 6, 8, 12, 30}, heads[] = {1, 2, 4, 6, 8, 12};
    *model = (struct rk_model){.id = "random", .attention = (enum rk_attention)below(2)};
    model->layers = pick(layers, 8);
    model->heads = pick(heads, 6);
    model->head_dim = 8 * (1 + below(16));
    model->hidden = model->heads * 8 * (1 + below(16));
    model->feedforward = model->heads * 32 * (1 + below(16));
    model->sequence = 16 * (1 + below(64));
}

/* Restricts some axes to one or two values that the space may or may not have. */
static void draw_pins(struct rk_problem *p)
{
    if (below(3) == 0) p->pinned[RK_AXIS_FUSED_ACTIVATION].count = 0;
    for (int axis = 0; axis < RK_AXES; axis++) {
        if (below(6) != 0) continue;
        const bool number = axis <= RK_AXIS_INTERLEAVING || axis == RK_AXIS_MICROBATCH;
        p->pinned[axis].count = 1 + (int)below(2);
        for (int i = 0; i < p->pinned[axis].count; i++)
            p->pinned[axis].value[i] = number ? UINT64_C(1) << below(4) : below(3);
        if (below(4) == 0) p->pinned[axis].to[0] = p->pinned[axis].value[0] + below(8);
        if (p->pinned[axis].count == 2 && p->pinned[axis].value[0] == p->pinned[axis].value[1])
            p->pinned[axis].count = 1;
    }
}

static struct rk_answer run(const struct rk_space *space, enum rk_search_mode mode, int threads,
                            uint64_t top)
{
    const struct rk_query options = {.mode = mode, .threads = threads, .top = top};
    struct rk_answer result;
    cr_assert_eq(rk_ask(space, &options, &result, NULL), RK_OK);
    return result;
}

static uint64_t settled(const struct rk_answer *r)
{
    const struct rk_search_explain *e = &r->explain;
    return e->refused + e->refused_by_memory + e->bounded + e->timed;
}

static void compare(const struct rk_answer *twin, const struct rk_answer *fast, uint64_t seed,
                    const char *name)
{
    cr_assert_eq(memcmp(&twin->counts, &fast->counts, sizeof twin->counts), 0,
                 "seed %" PRIu64 ": %s counts differ", seed, name);
    cr_assert_eq(twin->found, fast->found, "seed %" PRIu64 ": %s found", seed, name);
    for (uint64_t i = 0; i < twin->found; i++)
        cr_assert(twin->best[i].index == fast->best[i].index &&
                      twin->best[i].step_s == fast->best[i].step_s &&
                      twin->best[i].samples_per_s == fast->best[i].samples_per_s,
                  "seed %" PRIu64 ": %s differs at %" PRIu64 ": %" PRIu64 " %.17g, %" PRIu64
                  " %.17g",
                  seed, name, i, twin->best[i].index, twin->best[i].step_s, fast->best[i].index,
                  fast->best[i].step_s);
    cr_assert_eq(settled(fast), fast->counts.total,
                 "seed %" PRIu64 ": %s explains %" PRIu64 " of %" PRIu64, seed, name, settled(fast),
                 fast->counts.total);
}

/* By samples per second, which is not by time: batches differ. */
static void check_order(const struct rk_problem *p, const struct rk_space *space,
                        const struct rk_answer *r, uint64_t seed)
{
    double best = 0;
    for (uint64_t i = 0; i < rk_space_count(space) && r->found > 0; i++) {
        struct rk_strategy strategy;
        struct rk_estimate estimate;
        rk_space_strategy(space, i, &strategy);
        if (rk_estimate(p->model, p->system, &strategy, &estimate) == RK_FITS)
            best = fmax(best, (double)strategy.batch / estimate.step_s);
    }
    cr_assert(r->found == 0 || r->best[0].samples_per_s == best, "seed %" PRIu64, seed);
    for (uint64_t i = 1; i < r->found; i++)
        cr_assert_leq(r->best[i].samples_per_s, r->best[i - 1].samples_per_s, "seed %" PRIu64,
                      seed);
}

/* Whether the case was small enough to count. */
static bool run_case(uint64_t seed, uint64_t *feasible)
{
    static const uint64_t ranks[] = {1, 2, 4, 6, 8, 12, 16, 24, 32}, tops[] = {1, 10, 3000};
    struct machine machine;
    struct rk_model model;
    struct rk_problem problem;
    random_state = seed;
    draw_machine(&machine);
    draw_model(&model);
    const uint64_t n = pick(ranks, 9), batch = 1 + below(24);
    rk_problem_init(&problem, &model, &machine.system, n, batch, (enum rk_datatype)below(4));
    draw_pins(&problem);
    struct rk_space *space = rk_space_open(&problem, NULL);
    cr_assert_not_null(space);
    const bool small = rk_space_count(space) <= MOST_STRATEGIES;
    const uint64_t top = pick(tops, 3);
    if (small) {
        struct rk_answer twin = run(space, RK_SEARCH_TWIN, 1, top);
        struct rk_answer all = run(space, RK_SEARCH_EXHAUSTIVE, 2, top);
        struct rk_answer one = run(space, RK_SEARCH_PRUNED, 1, top);
        struct rk_answer two = run(space, RK_SEARCH_PRUNED, 2, top);
        compare(&twin, &all, seed, "exhaustive");
        compare(&twin, &one, seed, "pruned");
        compare(&twin, &two, seed, "pruned on two threads");
        cr_assert_eq(all.explain.timed, all.counts.verdict[RK_FITS][0]);
        check_order(&problem, space, &twin, seed);
        cr_assert_eq(memcmp(&one.explain, &two.explain, sizeof one.explain), 0,
                     "seed %" PRIu64 ": the explanation depends on the threads", seed);
        *feasible += twin.counts.verdict[RK_FITS][0];
        rk_answer_release(&twin);
        rk_answer_release(&all);
        rk_answer_release(&one);
        rk_answer_release(&two);
    }
    rk_space_close(space);
    return small;
}

Test(search_twin, three_ways_give_the_same_bytes)
{
    const char *only = getenv("RECKON_SEED");
    uint64_t feasible = 0, seed = only ? strtoull(only, NULL, 10) : 1;
    int cases = 0;
    while (cases < (only ? 1 : CASES)) {
        const bool counted = run_case(seed++, &feasible);
        cases += counted || only;
    }
    cr_assert(only || feasible > DRAWN(50000), "only %" PRIu64 " strategies could run", feasible);
}

/* Every index leads to a strategy, every strategy is another, and the order is that of section
 * "space" in docs/search.md: pipeline, then interleaving, ... the data network changes fastest. */
Test(search_twin, the_space_is_a_list_without_repetition)
{
    struct machine machine;
    struct rk_model model = {
        .layers = 4, .hidden = 64, .feedforward = 256, .heads = 4, .head_dim = 16, .sequence = 64};
    struct rk_problem problem;
    random_state = 7;
    draw_machine(&machine);
    machine.system.memories = machine.system.networks = 2;
    machine.memory[1].capacity_bytes = 1e9;
    rk_problem_init(&problem, &model, &machine.system, 8, 8, RK_FLOAT16);
    struct rk_space *space = rk_space_open(&problem, NULL);
    struct rk_strategy before, now;
    rk_space_strategy(space, 0, &before);
    for (uint64_t i = 1; i < rk_space_count(space); i++, before = now) {
        memset(&now, 0, sizeof now);
        rk_space_strategy(space, i, &now);
        cr_assert_neq(memcmp(&now, &before, sizeof now), 0, "%" PRIu64, i);
        const bool ordered =
            now.tensor > before.tensor ||
            (now.tensor == before.tensor &&
             (now.pipeline > before.pipeline ||
              (now.pipeline == before.pipeline && now.interleaving >= before.interleaving)));
        cr_assert(ordered, "%" PRIu64, i);
    }
    rk_space_close(space);
}
