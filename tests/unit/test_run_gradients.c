/* Gradients of whole models against finite differences of their loss, in 64 bits. With a learning
 * rate of 0 the first moment behind one step is a tenth of the gradient. */
#include "run_cases.h"

#include "run/device.h"
#include "run/job.h"

#include <math.h>

struct bench {
    struct job job;
    struct data data;
    struct comm_hub *hub;
    struct engine *engine;
};

static void bench_open(struct bench *b, const struct rk_model *model)
{
    static struct rk_system system;
    struct rk_error error;
    struct rk_plan plan;
    struct rk_train train = run_settings(1000);
    train.rate = train.least_rate = train.decay = train.clip = 0;
    train.bias_rate = 0;
    train.balance = 0.5; /* of mixtures */
    train.route_scale = 1.5;
    train.arithmetic = run_arithmetic(model);
    if (!*system.id) cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, &error), RK_OK);
    cr_assert_eq(rk_plan_parse("mbs1 gbs1 seq16 precision=fp32", &plan, &error), RK_OK);
    cr_assert_eq(job_open(&b->job, model, &plan, &train, &error), RK_OK, "%s", error.text);
    cr_assert_eq(data_open(&b->data, run_data(), 16, model->vocabulary, 1, &error), RK_OK, "%s",
                 error.text);
    b->job.data = &b->data;
    b->job.system = &system;
    b->hub = comm_hub_open(1, 10);
    struct comm *comm = comm_hub_rank(b->hub, 0);
    cr_assert_eq(engine_f64.open(&b->job, comm, &b->engine), RK_OK, "%s", comm->error.text);
}

static void bench_close(struct bench *b)
{
    engine_f64.close(b->engine);
    comm_hub_close(b->hub);
    data_close(&b->data);
    job_close(&b->job);
}

/* Of step 0, which always has the same sample. */
static double loss(struct bench *b)
{
    struct step_result result;
    cr_assert(engine_f64.step(b->engine, 0, &result));
    return result.loss + result.balance + b->job.settings.ahead_weight * result.ahead;
}

static void check_element(struct bench *b, const char *model, const struct weight *w, int group,
                          double *weights, size_t at, double gradient)
{
    const double h = 1e-5, was = weights[at];
    weights[at] = was + h;
    engine_f64.scatter(b->engine, group, 0, weights);
    const double up = loss(b);
    weights[at] = was - h;
    engine_f64.scatter(b->engine, group, 0, weights);
    const double down = loss(b);
    weights[at] = was;
    engine_f64.scatter(b->engine, group, 0, weights);
    const double wanted = (up - down) / (2 * h);
    cr_expect(fabs(gradient - wanted) < 1e-7 * (1 + fabs(wanted)) + 1e-5 * fabs(wanted),
              "%s, %s[%zu]: %.10g for %.10g", model, w->name, at - w->at, gradient, wanted);
}

Test(run_gradients, models)
{
    for (int m = 0; m < RUN_MODELS; m++) {
        const struct rk_model model = run_model(m);
        struct bench b;
        bench_open(&b, &model);
        loss(&b);
        const struct weights *all = engine_f64.weights(b.engine);
        for (int n = 0; n < all->weights; n++) {
            const struct weight *w = &all->weight[n];
            int group = 0;
            while (n >= all->group[group].first + all->group[group].count)
                group++;
            const size_t size = all->group[group].size;
            double *weights = calloc(size, sizeof *weights),
                   *moments = calloc(size, sizeof *moments);
            bench_close(&b); /* moments add up: begin anew */
            bench_open(&b, &model);
            all = engine_f64.weights(b.engine);
            w = &all->weight[n];
            loss(&b);
            cr_assert(engine_f64.gather(b.engine, group, 0, weights));
            cr_assert(engine_f64.gather(b.engine, group, 1, moments));
            size_t most = w->at; /* where it is largest: a token that is not there has none */
            for (size_t i = w->at; i < w->at + w->box_rows * w->box_cols; i++)
                if (fabs(moments[i]) > fabs(moments[most])) most = i;
            check_element(&b, model.id, w, group, weights, most, moments[most] / 0.1);
            free(weights);
            free(moments);
        }
        bench_close(&b);
    }
    unlink(run_data());
}

/* The biases of each router: `set`, or expected. */
static void each_bias(struct bench *b, bool set, double first, double second)
{
    const struct weights *all = engine_f64.weights(b->engine);
    for (int g = 0; g < all->groups; g++) {
        const struct weight_group *group = &all->group[g];
        if (group->at[WEIGHT_ROUTER_BIAS] < 0) continue;
        double *weights = calloc(group->size, sizeof *weights);
        double *bias = weights + group->at[WEIGHT_ROUTER_BIAS];
        cr_assert(engine_f64.gather(b->engine, g, 0, weights));
        if (set) {
            bias[0] = first;
            bias[1] = second;
            engine_f64.scatter(b->engine, g, 0, weights);
        }
        cr_expect(bias[0] == first && bias[1] == second, "%g, %g", bias[0], bias[1]);
        free(weights);
    }
}

/* Routers of two experts. Where a bias sends all tokens to the first one, a step takes of that bias
 * and gives to the other; where all tokens go to both, their loads are equal and nothing moves. */
Test(run_gradients, biases_of_routers)
{
    for (int chosen = 1; chosen <= 2; chosen++) {
        struct rk_model model = run_model(3);
        struct bench b;
        model.experts = 2;
        model.active_experts = (uint64_t)chosen;
        model.router_biases = true;
        bench_open(&b, &model);
        b.job.settings.bias_rate = 0.25;
        each_bias(&b, false, 0, 0);
        each_bias(&b, true, 10, 0);
        loss(&b);
        each_bias(&b, false, chosen == 1 ? 9.75 : 10, chosen == 1 ? 0.25 : 0);
        bench_close(&b);
    }
    unlink(run_data());
}
