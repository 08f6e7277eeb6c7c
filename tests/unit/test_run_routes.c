/* Which experts a token goes to, against a choice by sorting; the loss that balances them. */
#define RUN_F64
#include "run/real/mixture.h"
#include "run_cases.h"

static uint64_t state = 1;

static double draw(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (double)(state >> 33) / 0x1p31;
}

struct candidate {
    double value;
    uint32_t index;
};

static int by_value(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? 1 : -1;
    return x->index < y->index ? -1 : 1;
}

/* DeepSeek-V2's choice takes the groups with the best expert, V3's those with the best two. */
static void choose_by_sorting(const struct rk_model *m, const double *p, const double *bias,
                              struct candidate *all)
{
    struct candidate group[16], member[64];
    const size_t size = m->experts / m->expert_groups;
    size_t count = 0;
    for (size_t g = 0; g < m->expert_groups; g++) {
        for (uint32_t i = 0; i < size; i++)
            member[i].value = p[g * size + i] + (bias ? bias[g * size + i] : 0),
            member[i].index = i;
        qsort(member, size, sizeof *member, by_value);
        group[g].index = (uint32_t)g;
        group[g].value = member[0].value + (bias && size > 1 ? member[1].value : 0);
    }
    qsort(group, m->expert_groups, sizeof *group, by_value);
    for (size_t g = 0; g < m->active_groups; g++)
        for (uint32_t i = 0; i < size; i++) {
            const uint32_t x = (uint32_t)(group[g].index * size + i);
            all[count].index = x;
            all[count++].value = p[x] + (bias ? bias[x] : 0);
        }
    qsort(all, count, sizeof *all, by_value);
}

Test(run_routes, groups)
{
    for (int n = 0; n < 2000; n++) {
        struct rk_model m = run_model(7);
        uint32_t chosen[8];
        struct candidate all[64];
        double p[64], bias[64];
        const struct REAL(choosing) room = {(double[64]){0}, (double[8]){0}, (uint32_t[8]){0}};
        m.expert_groups = 1 + (uint64_t)(draw() * 4);
        m.experts = m.expert_groups * (2 + (uint64_t)(draw() * 5));
        m.active_groups = 1 + (uint64_t)(draw() * (double)m.expert_groups);
        m.active_experts = 1 + (uint64_t)(draw() * 2);
        m.router_biases = n % 2;
        for (size_t i = 0; i < m.experts; i++) { /* some are equal */
            p[i] = floor(draw() * 20) / 20;
            bias[i] = floor(draw() * 5) / 10 - 0.2;
        }
        choose_experts(&m, p, m.router_biases ? bias : NULL, &room, chosen);
        choose_by_sorting(&m, p, m.router_biases ? bias : NULL, all);
        for (size_t k = 0; k < m.active_experts; k++)
            cr_assert_eq(chosen[k], all[k].index, "case %d, choice %d: %u for %u", n, (int)k,
                         chosen[k], all[k].index);
    }
}

/* Where every token goes to all experts, their loads are 1 and their scores 1 in sum: each layer's
 * loss is the coefficient, whatever the scores are made of. */
Test(run_routes, balance)
{
    for (int scores = RK_SCORES_SOFTMAX; scores <= RK_SCORES_SIGMOID; scores++) {
        struct rk_model model = run_model(3);
        struct rk_train train = run_settings(2);
        struct run_trace trace;
        struct rk_error error;
        model.active_experts = model.experts;
        train.balance = 0.05;
        train.scores = (enum rk_scores)scores;
        cr_assert_eq(run_plan(&model, "dp2 ep2 mbs1 gbs4", &train, &trace, &error), RK_OK, "%s",
                     error.text);
        for (int i = 0; i < 2; i++)
            cr_expect_float_eq(trace.balance[i], 0.05 * (double)model.layers, 1e-14);
    }
    unlink(run_data());
}

/* With a heavy coefficient the experts of a model that learns become as busy as each other: of what
 * the loss of routers is above its least, a coefficient a layer of experts, 28 % are left behind 40
 * steps; with a hundredth of the coefficient 45 %. */
Test(run_routes, balance_is_learnt)
{
    enum { ALL = 40, LAST = 5 };
    const struct rk_model model = run_model(8); /* two layers of experts */
    struct rk_train train = run_settings(ALL);
    struct run_trace trace;
    struct rk_error error;
    double left = 0;
    train.balance = 10;
    train.rate = train.least_rate = 1e-3;
    cr_assert_eq(run_plan(&model, "mbs2 gbs4", &train, &trace, &error), RK_OK, "%s", error.text);
    for (int i = ALL - LAST; i < ALL; i++)
        left += (trace.balance[i] / train.balance - 2) / LAST;
    const double first = trace.balance[0] / train.balance - 2;
    cr_expect(left > 0 && left < 0.4 * first, "%g of %g are left", left, first);
    unlink(run_data());
}
