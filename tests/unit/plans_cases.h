/* Random small problems of the space of plans, for tests; each from a seed. */
#ifndef RECKON_TESTS_PLANS_CASES_H
#define RECKON_TESTS_PLANS_CASES_H

#include <criterion/criterion.h>
#include <math.h>
#include <reckon/reckon.h>
#include <string.h>

struct random {
    uint64_t state;
};

static inline uint64_t draw(struct random *r) /* splitmix64 */
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t below(struct random *r, uint64_t bound)
{
    return draw(r) % bound;
}

static inline bool one_in(struct random *r, uint64_t n)
{
    return below(r, n) == 0;
}

static inline double between(struct random *r, double low, double high)
{
    return low + (high - low) * (double)(draw(r) >> 11) * 0x1p-53;
}

static inline double times(struct random *r, double most) /* 1/most ... most */
{
    return exp(between(r, -log(most), log(most)));
}

static inline void draw_model(struct random *r, struct rk_model *m)
{
    *m = (struct rk_model){.id = "random", .vocabulary = 1000 + below(r, 60000)};
    m->layers = 1 + below(r, 16);
    m->heads = UINT64_C(1) << below(r, 5);
    m->head_dim = UINT64_C(32) << below(r, 3);
    m->hidden = 256 * (1 + below(r, 16));
    m->feedforward = 256 * (1 + below(r, 32));
    m->sequence = UINT64_C(512) << below(r, 5);
    m->kv_heads = one_in(r, 2) ? 0 : (m->heads + 3) / 4;
    m->norm = one_in(r, 2) ? RK_RMS_NORM : RK_LAYER_NORM;
    m->gated_mlp = one_in(r, 2);
    m->tied_embeddings = one_in(r, 2);
    if (one_in(r, 3)) {
        m->experts = UINT64_C(4) << below(r, 3);
        m->active_experts = 1 + below(r, 3);
        m->expert_feedforward = 128 * (1 + below(r, 8));
        m->shared_experts = below(r, 2);
        m->dense_layers = below(r, m->layers);
        m->expert_every = below(r, 3);
    }
    if (one_in(r, 4)) {
        m->kv_rank = 128;
        m->q_rank = one_in(r, 2) ? 0 : 256;
        m->rope_dim = 32;
        m->value_dim = m->head_dim;
    }
    if (one_in(r, 5)) {
        m->window = 256;
        m->window_every = below(r, 4);
    }
    if (one_in(r, 6)) m->predict_layers = 1;
}

/* A system of the catalog with other sizes and speeds. */
static inline void draw_system(struct random *r, struct rk_system *s)
{
    static const char *const names[] = {"a100-80g-nvl8", "h100-80g-nvl8-offload-512g-100",
                                        "h100-sxm5-80g", "a100-sxm4-40g"};
    struct rk_error error;
    cr_assert_eq(rk_system_load(names[below(r, 4)], s, &error), RK_OK, "%s", error.text);
    s->devices = 0;
    s->memory[0].capacity_bytes = 16e9 * times(r, 6);
    s->memory[0].bandwidth_Bps *= times(r, 2);
    s->network[0].size = UINT64_C(2) << below(r, 4);
    s->kernels.fragmentation = one_in(r, 2) ? 0 : between(r, 0, 0.2);
    s->kernels.reserve_bytes = one_in(r, 2) ? 0 : 1e8;
    for (int i = 0; i < s->networks; i++)
        s->network[i].bandwidth_Bps *= times(r, 4);
}

/* Restricts an axis of today's plans to values that a plan of the space has there, so that
 * something is left. */
static inline void draw_pin(struct random *r, struct rk_plans_problem *p)
{
    const enum rk_plan_axis axis =
        one_in(r, 8) ? RK_PLAN_ACTIVATION_OFFLOAD : (enum rk_plan_axis)below(r, RK_PLAN_AXES);
    if (!(rk_plan_axis_info(axis)->by & RK_BY_RECKON)) return;
    struct rk_space *plans = rk_plans_open(p, NULL);
    const uint64_t count = rk_space_count(plans);
    p->pinned[axis].count = 0;
    if (rk_plan_axis_info(axis)->type == RK_PLAN_BOOL && one_in(r, 3)) {
        p->pinned[axis].count = 1; /* no and yes, also where one of them is unusual */
        p->pinned[axis].value[0] = 0;
        p->pinned[axis].to[0] = 1;
    }
    if (axis == RK_PLAN_ACTIVATION_OFFLOAD && p->system->memories > 1) {
        p->pinned[axis].count = 1; /* a share of them */
        p->pinned[axis].value[0] = p->pinned[axis].to[0] = RK_OFFLOAD_VALUE(1, 1 + below(r, 999));
    }
    for (uint64_t i = 0; count > 0 && p->pinned[axis].count < 3 && i < 1 + below(r, 3); i++) {
        struct rk_plan plan;
        rk_plans_plan(plans, below(r, count), &plan);
        p->pinned[axis].value[p->pinned[axis].count++] = rk_plan_axis_get(&plan, axis);
    }
    rk_space_close(plans);
}

struct plans_case {
    struct rk_model model;
    struct rk_system system;
    struct rk_plans_problem problem;
};

/* How large a second memory is, and what all plans have there: drawn apart from the rest. */
static inline void draw_lower(struct plans_case *c, uint64_t seed)
{
    struct random r = {seed * 7919};
    if (c->system.memories < 2) return;
    if (one_in(&r, 2)) c->system.memory[1].capacity_bytes = 4e9 * times(&r, 30);
    c->problem.base.recompute_rest = one_in(&r, 4);
    if (one_in(&r, 4)) rk_plan_offload_activations(&c->problem.base, 0.5);
}

/* A problem with 1 to `most` plans; release its system. */
static inline void draw_case(struct plans_case *c, uint64_t seed, uint64_t most)
{
    static const uint64_t ranks[] = {1, 2, 4, 6, 8, 12, 16, 24, 32};
    struct random r = {seed * 1000003};
    draw_model(&r, &c->model);
    draw_system(&r, &c->system);
    const uint64_t gpus = ranks[below(&r, 9)];
    /* One by one: compilers take arguments in orders of their own. */
    const uint64_t sequence = one_in(&r, 3) ? 1024 : 0;
    const uint64_t batch = gpus * (1 + below(&r, one_in(&r, 2) ? 8 : 100));
    const enum rk_framework framework = (enum rk_framework)below(&r, RK_CALCULON);
    rk_plans_problem_init(&c->problem, &c->model, &c->system, framework, gpus, batch, sequence);
    if (one_in(&r, 4)) c->problem.base.precision = RK_FP32;
    c->problem.unstartable = one_in(&r, 2);
    if (one_in(&r, 8)) c->problem.base.recompute_stride = 1 + below(&r, 3);
    draw_lower(c, seed);
    for (int tries = 0; tries < 100; tries++) {
        struct rk_space *plans = rk_plans_open(&c->problem, NULL);
        cr_assert_not_null(plans);
        const uint64_t count = rk_space_count(plans);
        rk_space_close(plans);
        if (count <= most) break;
        draw_pin(&r, &c->problem);
    }
}

#endif
