/* Watching a run: simulated traces of drifting networks, stragglers, growing context, lost nodes.
 * Against the best sequence of plans known afterwards, switches paid for. */
#include "advise/adapt.h"
#include "catalog_cases.h"

#include <math.h>
#include <reckon/catalog.h>

enum { STEPS = 600, GPUS = 64, MOST_PLANS = 24, MOST_PHASES = STEPS };

static struct rk_model model;
static struct rk_system machine;
static unsigned seed = 20261122;

struct truth { /* of one step */
    double factor[ADAPT_FACTORS];
    double slowest;
    uint64_t sequence, batch, ranks;
};

typedef struct truth trace(int step);

static struct truth quiet(int step)
{
    (void)step;
    return (struct truth){{1, 1, 1, 1}, 1, 8192, 512, GPUS};
}

static struct truth drifting_network(int step)
{
    struct truth t = quiet(step);
    if (step > 100) t.factor[ADAPT_OUTER] = fmax(0.15, 1 - (step - 100) / 100.0);
    return t;
}

static struct truth straggler(int step)
{
    struct truth t = quiet(step);
    if (step >= 150 && step < 450) t.slowest = t.factor[ADAPT_COMPUTE] = 1.5;
    return t;
}

static struct truth growing_context(int step)
{
    struct truth t = quiet(step);
    t.sequence = step < 200 ? 4096 : step < 400 ? 16384 : 65536;
    t.batch = 512 * 8192 / t.sequence;
    return t;
}

static struct truth lost_nodes(int step)
{
    struct truth t = quiet(step);
    if (step >= 200 && step < 400) t.ranks = GPUS - 32;
    return t;
}

static struct truth coming_and_going(int step)
{
    struct truth t = quiet(step);
    if (step / 12 % 2) t.factor[ADAPT_OUTER] = 0.1;
    return t;
}

/* A rank that lags every other 20 steps: each time a plan without its node is faster, and each time
 * it is not any more. */
static struct truth lagging_on_and_off(int step)
{
    struct truth t = quiet(step);
    if (step / 20 % 2) t.slowest = t.factor[ADAPT_COMPUTE] = 1.6;
    return t;
}

/* Over before a switch would have paid. */
static struct truth short_trouble(int step)
{
    struct truth t = quiet(step);
    if (step >= 100 && step < 112) t.factor[ADAPT_OUTER] = 0.1;
    return t;
}

static double uniform(void)
{
    return (rand_r(&seed) + 0.5) / (RAND_MAX + 1.0);
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static uint64_t steps_known = STEPS;

static const struct adapt_options *options(void)
{
    static struct adapt_options o;
    o = adapt_options_default();
    o.steps = steps_known;
    o.threads = 1;
    return &o;
}

static struct rk_plan best_of(uint64_t ranks, uint64_t batch, uint64_t sequence,
                              const struct rk_system *on)
{
    struct rk_plans_problem problem;
    struct rk_plan plan;
    struct rk_error error;
    rk_plans_problem_init(&problem, &model, on, RK_MEGATRON, ranks, batch, sequence);
    cr_assert_eq(rk_plans_best(&problem, &plan, NULL, &error), RK_OK, "%s", error.text);
    return plan;
}

/* Of a plan in truth; INFINITY: it cannot run. The straggler is in the last node: plans that leave
 * it out are as fast as the others. */
static double true_step(const struct truth *t, const struct rk_plan *plan, struct rk_prediction *p)
{
    struct rk_system now;
    struct rk_plan with = *plan;
    double factor[ADAPT_FACTORS];
    memcpy(factor, t->factor, sizeof factor);
    if (plan->ranks < t->ranks) factor[ADAPT_COMPUTE] /= t->slowest;
    with.sequence = t->sequence;
    with.batch = t->batch;
    cr_assert_eq(adapt_machine(&now, &machine, factor, NULL), RK_OK);
    const enum rk_verdict verdict = rk_predict(&model, &now, &with, p);
    rk_system_release(&now);
    return verdict == RK_FITS && plan->ranks <= t->ranks ? p->step_s : INFINITY;
}

static double cost_of(const struct truth *t, const struct rk_plan *from, const struct rk_plan *to)
{
    struct rk_plan a = *from, b = *to;
    a.sequence = b.sequence = t->sequence;
    a.batch = b.batch = t->batch;
    return switching_of(&model, &machine, &a, &b).move_s + options()->restart_s;
}

struct outcome {
    double spent_s;
    int switches, forced;
    int plans;
    struct rk_plan plan[MOST_PLANS]; /* that ran */
};

static bool known(struct outcome *o, const struct rk_plan *plan)
{
    for (int i = 0; i < o->plans; i++)
        if (o->plan[i].ranks == plan->ranks && o->plan[i].tensor == plan->tensor &&
            o->plan[i].pipeline == plan->pipeline && o->plan[i].context == plan->context &&
            o->plan[i].zero == plan->zero && o->plan[i].microbatch == plan->microbatch &&
            o->plan[i].recompute == plan->recompute && o->plan[i].chunks == plan->chunks)
            return true;
    return false;
}

static void note(struct outcome *o, const struct rk_plan *plan)
{
    if (!known(o, plan) && o->plans < MOST_PLANS) o->plan[o->plans++] = *plan;
}

/* What is measured: with noise of 2 %, and one step of fifty much longer. */
static struct adapt_record measured(int step, const struct truth *t, const struct rk_prediction *p)
{
    const double noise = exp(0.02 * normal()) * (rand_r(&seed) % 50 ? 1 : 1.5);
    return (struct adapt_record){
        .step = (uint64_t)step,
        .step_s = noise * p->step_s,
        .compute_s = noise * (p->matrix_s + p->attention_s + p->memory_s + p->launch_s +
                              p->recompute_s + p->optimizer_s),
        .inner_s = noise * (p->tensor_s + p->context_s + p->expert_s),
        .outer_s = noise * (p->data_s + p->pipeline_s),
        .memory_bytes = p->hbm_bytes,
        .slowest = t->slowest,
        .sequence = t->sequence,
        .batch = t->batch,
        .ranks = t->ranks,
    };
}

static struct outcome run(trace *of)
{
    struct outcome o = {.spent_s = 0};
    struct rk_error error;
    const struct truth first = of(0);
    const struct rk_plan plan = best_of(first.ranks, first.batch, first.sequence, &machine);
    struct adapt *adapt = adapt_open(&model, &machine, &plan, options(), &error);
    cr_assert(adapt, "%s", error.text);
    note(&o, &plan);
    for (int step = 0; step < STEPS; step++) {
        const struct truth t = of(step);
        struct rk_prediction p;
        struct adapt_event event;
        double step_s = true_step(&t, adapt_plan(adapt), &p);
        struct adapt_record record = measured(step, &t, &p);
        if (isinf(step_s)) record.step_s = record.compute_s = 0; /* it did not run */
        cr_assert_eq(adapt_take(adapt, &record, &event, &error), RK_OK);
        cr_assert_neq(event.kind, ADAPT_STRANDED, "step %d", step);
        o.switches += event.kind == ADAPT_SWITCH;
        o.forced += event.kind == ADAPT_FORCED;
        if (event.kind == ADAPT_SWITCH || event.kind == ADAPT_FORCED) {
            o.spent_s += cost_of(&t, &event.from, &event.to);
            if (event.kind == ADAPT_FORCED) step_s = true_step(&t, &event.to, &p);
            note(&o, &event.to);
        }
        cr_assert(!isinf(step_s), "step %d", step);
        o.spent_s += step_s;
    }
    adapt_close(adapt);
    return o;
}

/* The least that any sequence of plans takes: of those that ran, and of the best at every hundredth
 * step, each in truth. */
static double afterwards(trace *of, struct outcome *o)
{
    static double least[MOST_PLANS], next[MOST_PLANS], step_s[MOST_PLANS],
        cost[MOST_PLANS][MOST_PLANS];
    struct truth before = {.slowest = 0};
    for (int step = 0; step < STEPS; step += 100) {
        const struct truth t = of(step);
        struct rk_system now;
        if (memcmp(&t, &before, sizeof t) == 0) continue;
        before = t;
        cr_assert_eq(adapt_machine(&now, &machine, t.factor, NULL), RK_OK);
        const struct rk_plan best = best_of(t.ranks, t.batch, t.sequence, &now);
        note(o, &best);
        rk_system_release(&now);
    }
    before = (struct truth){.slowest = 0};
    for (int i = 0; i < o->plans; i++)
        least[i] = i ? INFINITY : 0; /* the one that it began with */
    for (int step = 0; step < STEPS; step++) {
        const struct truth t = of(step);
        if (memcmp(&t, &before, sizeof t) != 0)
            for (int i = 0; i < o->plans; i++) {
                struct rk_prediction p;
                step_s[i] = true_step(&t, &o->plan[i], &p);
                if (t.sequence == before.sequence && t.batch == before.batch) continue;
                for (int j = 0; j < o->plans; j++)
                    cost[j][i] = i == j ? 0 : cost_of(&t, &o->plan[j], &o->plan[i]);
            }
        before = t;
        for (int i = 0; i < o->plans; i++) {
            next[i] = INFINITY;
            for (int j = 0; j < o->plans; j++)
                next[i] = fmin(next[i], least[j] + cost[j][i] + step_s[i]);
        }
        memcpy(least, next, sizeof least);
    }
    double best = INFINITY;
    for (int i = 0; i < o->plans; i++)
        best = fmin(best, least[i]);
    return best;
}

/* The least of one plan for all steps. */
static double fixed(trace *of, const struct outcome *o)
{
    double best = INFINITY;
    for (int i = 0; i < o->plans; i++) {
        double sum = 0, step_s = 0;
        struct truth before = {.slowest = 0};
        struct rk_prediction p;
        for (int step = 0; step < STEPS; step++) {
            const struct truth t = of(step);
            if (memcmp(&t, &before, sizeof t) != 0) step_s = true_step(&t, &o->plan[i], &p);
            before = t;
            sum += step_s;
        }
        best = fmin(best, sum);
    }
    return best;
}

static void check(const char *name, const char *of_model, trace *of, int most_switches, int forced,
                  bool changes)
{
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_model_load(of_model, &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &machine, &error), RK_OK);
    struct outcome o = run(of);
    const double any_s = afterwards(of, &o), best_s = changes ? any_s : fixed(of, &o),
                 regret = o.spent_s / best_s - 1;
    printf("%s: %.0f s, best known afterwards %.0f s, regret %.2f %%, %d switches, %d forced\n",
           name, o.spent_s, best_s, 100 * regret, o.switches, o.forced);
    cr_expect_leq(regret, 0.05, "%s: %g", name, regret);
    cr_expect_leq(o.switches, most_switches, "%s: %d switches", name, o.switches);
    cr_expect_eq(o.forced, forced, "%s: %d forced", name, o.forced);
    rk_system_release(&machine);
}

Test(adapt, a_slow_device_is_slow_alone_and_busy)
{
    const double twice[ADAPT_FACTORS] = {
        [ADAPT_COMPUTE] = 2, [ADAPT_MEMORY] = 1, [ADAPT_INNER] = 1, [ADAPT_OUTER] = 1};
    struct rk_system system, slow;
    use_source_catalog();
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, NULL), RK_OK);
    cr_assert_eq(adapt_machine(&slow, &system, twice, NULL), RK_OK);
    cr_expect_eq(slow.kernels.sustained, system.kernels.sustained / 2);
    cr_expect_eq(slow.busy.sustained, system.busy.sustained / 2);
    rk_system_release(&slow);
    rk_system_release(&system);
}

Test(adapt, a_quiet_run_is_left_alone)
{
    check("quiet", "llama3.1-8b", quiet, 0, 0, true);
    check("quiet", "llama3.1-70b", quiet, 0, 0, true);
}

Test(adapt, a_network_that_gets_slower)
{
    check("drift", "llama3.1-8b", drifting_network, 1, 0, true);
    check("drift", "llama3.1-70b", drifting_network, 2, 0, true);
}

Test(adapt, a_straggler)
{
    check("straggler", "llama3.1-8b", straggler, 2, 0, true);
    check("straggler", "llama3.1-70b", straggler, 2, 0, true);
}

Test(adapt, growing_context)
{
    check("context", "llama3.1-8b", growing_context, 2, 2, true);
}

Test(adapt, lost_nodes)
{
    check("nodes", "llama3.1-8b", lost_nodes, 1, 1, true);
    check("nodes", "llama3.1-70b", lost_nodes, 1, 1, true);
}

/* What goes wrong, from when, for how long and how far. */
enum trouble { NETWORK_FALLS, RANK_LAGS, NODES_GO, NODE_NETWORK_FALLS, NETWORK_BREAKS, TROUBLES };
static struct {
    enum trouble kind;
    int start, length, nodes;
    double depth;
} drawn;

static struct truth in_trouble(int step)
{
    struct truth t = quiet(step);
    const bool on = step >= drawn.start && step < drawn.start + 2 * drawn.length;
    const double slope = 1 - fmax(0, step - drawn.start) / drawn.length * (1 - drawn.depth);
    const double fallen = fmax(drawn.depth, slope);
    if (drawn.kind == NETWORK_FALLS) t.factor[ADAPT_OUTER] = fallen;
    if (drawn.kind == NODE_NETWORK_FALLS) t.factor[ADAPT_INNER] = fallen;
    if (drawn.kind == RANK_LAGS && on) t.slowest = t.factor[ADAPT_COMPUTE] = 1 + drawn.depth;
    if (drawn.kind == NODES_GO && on) t.ranks = (uint64_t)(GPUS - 8 * drawn.nodes);
    if (drawn.kind == NETWORK_BREAKS && on) t.factor[ADAPT_OUTER] = drawn.depth;
    return t;
}

Test(adapt, random_trouble)
{
    for (int i = 0; i < TROUBLES; i++) {
        drawn.kind = (enum trouble)(i % TROUBLES);
        drawn.start = 30 + rand_r(&seed) % 350;
        drawn.length = 20 + rand_r(&seed) % 150;
        drawn.nodes = 1 + rand_r(&seed) % 4;
        drawn.depth = 0.1 + 0.8 * uniform();
        check("random", i % 2 ? "llama3.1-8b" : "llama3.1-70b", in_trouble, 2,
              drawn.kind == NODES_GO, true);
    }
}

/* The best plan of a phase that is about to end is not gone to, where that is known. */
Test(adapt, a_phase_that_ends_soon)
{
    int switches[2];
    use_source_catalog();
    for (int known = 0; known < 2; known++) {
        struct rk_error error;
        struct rk_prediction p;
        cr_assert_eq(rk_model_load("llama3.1-70b", &model, &error), RK_OK);
        cr_assert_eq(rk_system_load("h100-sxm5-80g", &machine, &error), RK_OK);
        struct truth t = quiet(0);
        const struct rk_plan plan = best_of(GPUS, t.batch, t.sequence, &machine);
        struct adapt *adapt = adapt_open(&model, &machine, &plan, options(), &error);
        switches[known] = 0;
        t.factor[ADAPT_OUTER] = 0.02; /* another plan is faster by less than a switch costs */
        for (int step = 0; step < 30; step++) {
            struct adapt_event event;
            true_step(&t, adapt_plan(adapt), &p);
            struct adapt_record record = measured(step, &t, &p);
            record.phase_left = known ? 1 : 0;
            cr_assert_eq(adapt_take(adapt, &record, &event, &error), RK_OK);
            switches[known] += event.kind == ADAPT_SWITCH;
        }
        adapt_close(adapt);
        rk_system_release(&machine);
    }
    cr_expect_eq(switches[0], 1);
    cr_expect_eq(switches[1], 0);
}

/* Plans that change each time would be better still, and flap. */
Test(adapt, a_network_that_comes_and_goes)
{
    check("flapping", "llama3.1-8b", coming_and_going, 2, 0, false);
    check("flapping", "llama3.1-70b", coming_and_going, 2, 0, false);
}

/* Each way back needs twice the loss of the time before. */
Test(adapt, it_never_flaps)
{
    struct rk_error error;
    use_source_catalog();
    steps_known = 0;
    cr_assert_eq(rk_model_load("llama3.1-70b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &machine, &error), RK_OK);
    const struct outcome o = run(lagging_on_and_off);
    cr_expect_geq(o.switches, 1, "%d", o.switches);
    cr_expect_leq(o.switches, 8, "%d", o.switches); /* of 29 changes */
    rk_system_release(&machine);
}

Test(adapt, what_is_over_soon_is_sat_out)
{
    steps_known = 0;
    check("short", "llama3.1-8b", short_trouble, 0, 0, true);
}

/* Two ranks with all weights, to two with a half each: they have it. Back: each lacks a half. Bytes
 * of a parameter: 2 of the weight and 12 of optimizer state; layers alone. */
Test(adapt, what_a_switch_moves)
{
    struct rk_error error;
    struct rk_plan whole = rk_plan_default(), halves;
    use_source_catalog();
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &machine, &error), RK_OK);
    whole.ranks = whole.batch = 2;
    halves = whole;
    halves.tensor = 2;
    const double layers =
        32.0 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3.0 * 4096 * 14336 + 2 * 4096);
    cr_expect_eq(switching_of(&model, &machine, &whole, &whole).moved_bytes, 0);
    cr_expect_eq(switching_of(&model, &machine, &whole, &halves).moved_bytes, 0);
    const struct switching back = switching_of(&model, &machine, &halves, &whole);
    cr_expect_float_eq(back.moved_bytes, layers * 14, 1e-6 * layers * 14, "%g, %g",
                       back.moved_bytes, layers * 14);
    cr_expect_float_eq(back.busiest_bytes, layers * 7, 1e-6 * layers * 7);
    rk_system_release(&machine);
}
