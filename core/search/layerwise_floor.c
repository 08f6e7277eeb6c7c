#include "search/layerwise_floor.h"

#include <math.h>
#include <stdlib.h>

/* ---- of one way ---- */

/* What rk_predict makes of one run of layers. */
struct run_bill {
    double pass_s, end_s, fixed_bytes, flight_bytes, moment_bytes, constant_bytes;
    double comm_s[WAITS], work_s[WAITS];
};

static struct run_bill bill_of(const struct meter *m, const struct stage_blocks *blocks)
{
    struct stage_sum sum;
    struct waited waits[WAITS];
    struct run_bill bill = {.pass_s = 0};
    stage_sum(&sum, m->fold, m->model, m->plan, blocks);
    const struct exchange exchange = exchange_of(&sum, m->system, &m->sharing, m->plan);
    stage_moves(&sum, &exchange, m->system, &m->sharing, m->plan);
    stage_waits(waits, &sum, &exchange, m->plan);
    const struct stage_end end = stage_end_of(&sum, &exchange, m->system, &m->sharing, m->plan);
    const struct stage_demand demand = stage_demand_by(&m->rule, &sum);
    const double lost = 1 + m->system->kernels.fragmentation;
    double ends = 0;
    for (int i = 0; i < ENDS; i++)
        ends += sum.ends_total_bytes[i] * m->rule.ends_in_flight[i] * m->rule.kept_here;
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        bill.pass_s += sum.pass_s[pass];
    for (int i = 0; i < WAITS; i++) {
        bill.comm_s[i] = waits[i].comm_s;
        bill.work_s[i] = waits[i].work_s;
    }
    bill.end_s = end.optimizer_work_s;
    bill.fixed_bytes = demand.static_bytes - sum.buffer_bytes -
                       (sum.block_shapes + sum.end_shapes) * m->rule.placeholder_bytes +
                       lost * ends;
    bill.flight_bytes = lost * demand.flight_bytes;
    bill.moment_bytes = lost * (demand.fixed_bytes - m->rule.messages_bytes - ends);
    bill.constant_bytes = lost * m->rule.messages_bytes + demand.outside_bytes +
                          demanded_workspaces(&demand, m->system) +
                          m->system->kernels.reserve_bytes;
    return bill;
}

/* Does communication of kind `wait` overlap with computation? */
static bool is_beside(const struct rk_plan *plan, int wait)
{
    const bool reduces = plan->gradient_overlap, gathers = plan->weight_overlap;
    return wait == WAIT_REDUCE ? reduces : wait == WAIT_BACKWARD ? reduces || gathers : gathers;
}

/* What of a run is waited for at least, of two kinds. */
static double excess_s(const struct meter *m, const struct run_bill *bill, int a, int b)
{
    double all_s = 0;
    for (int wait = a; wait <= b; wait++)
        all_s += fmax(0, bill->comm_s[wait] - (is_beside(m->plan, wait) ? bill->work_s[wait] : 0));
    return all_s;
}

static double slack_s(const struct meter *m, const struct run_bill *bill, int a, int b)
{
    double all_s = 0;
    for (int wait = a; wait <= b; wait++)
        if (is_beside(m->plan, wait)) all_s += fmax(0, bill->work_s[wait] - bill->comm_s[wait]);
    return all_s;
}

static double lesser(double one, double all, double layers)
{
    return fmin(one, all / layers);
}

/* Of a run of one layer and of all layers, the less for each: what grows slower or faster with the
 * run is the least at one of its ends. */
static struct layer_floor floor_of_block(const struct meter *m, enum layer_kind kind,
                                         double *constant_bytes)
{
    const double n = (double)m->model->layers;
    const enum treatment treatment = m->plan->recompute == RK_KEEP ? AS_IT_IS : RECOMPUTED;
    struct stage_blocks one = {.all = 1}, all = {.all = n};
    one.counts[treatment][kind] = 1;
    all.counts[treatment][kind] = n;
    const struct run_bill a = bill_of(m, &one), b = bill_of(m, &all);
    *constant_bytes = fmin(*constant_bytes, fmin(a.constant_bytes, b.constant_bytes));
    return (struct layer_floor){
        .fixed_bytes = lesser(a.fixed_bytes, b.fixed_bytes, n),
        .flight_bytes = lesser(a.flight_bytes, b.flight_bytes, n),
        .moment_bytes = fmin(a.moment_bytes, b.moment_bytes),
        .pass_s = lesser(a.pass_s, b.pass_s, n),
        .wait_s = lesser(excess_s(m, &a, WAIT_FORWARD, WAIT_BACKWARD),
                         excess_s(m, &b, WAIT_FORWARD, WAIT_BACKWARD), n),
        .end_s = lesser(a.end_s, b.end_s, n),
        .end_wait_s = lesser(excess_s(m, &a, WAIT_REDUCE, WAIT_GATHER),
                             excess_s(m, &b, WAIT_REDUCE, WAIT_GATHER), n),
    };
}

/* Embedding or head, alone or with a layer. */
static struct layer_floor floor_of_end(const struct meter *m, bool head)
{
    const enum treatment treatment = m->plan->recompute == RK_KEEP ? AS_IT_IS : RECOMPUTED;
    const struct stage_blocks alone = {.first = !head, .last = head};
    struct stage_blocks with = {.all = 1, .first = !head, .last = head}, without = {.all = 1};
    with.counts[treatment][m->shape->kind_of[0]] = without.counts[treatment][m->shape->kind_of[0]] =
        1;
    const struct run_bill end = bill_of(m, &alone), both = bill_of(m, &with),
                          layer = bill_of(m, &without);
    return (struct layer_floor){
        .fixed_bytes = fmin(end.fixed_bytes, both.fixed_bytes - layer.fixed_bytes),
        .flight_bytes = fmin(end.flight_bytes, both.flight_bytes - layer.flight_bytes),
        .pass_s = fmax(0, fmin(end.pass_s, both.pass_s - layer.pass_s)),
        .end_s = fmax(0, fmin(end.end_s, both.end_s - layer.end_s)),
        .slack_s = slack_s(m, &end, WAIT_FORWARD, WAIT_BACKWARD),
        .end_slack_s = slack_s(m, &end, WAIT_REDUCE, WAIT_GATHER),
    };
}

void floor_of_way(struct floors *floors, const struct meter *m, int way)
{
    const struct shape *s = m->shape;
    const int ways = s->ways;
    for (int kind = 0; kind < s->kinds - 2; kind++)
        floors->of[kind * ways + way] =
            floor_of_block(m, s->kind_of[kind], &floors->constant_bytes);
    for (int head = 0; head < 2; head++)
        floors->of[(s->kinds - 2 + head) * ways + way] =
            s->way[way].end ? floor_of_end(m, head) : (struct layer_floor){.pass_s = INFINITY};
    floors->send_s = fmin(floors->send_s, send_s_of(m->fold, s->system, m->plan));
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++)
        floors->unknown |= m->plan->share[RK_SHARE_WEIGHTS][tier] > 0;
    floors->unknown |= m->plan->recompute_rest || m->rule.swaps;
}

/* ---- of the shape ---- */

/* The most that computing of embedding and head may hide of what others wait for. */
static double most_slack(const struct floors *floors, const struct shape *s, int kind, double m)
{
    double most_s = 0;
    for (int way = 0; way < s->ways; way++) {
        const struct layer_floor *floor = &floors->of[kind * s->ways + way];
        const double end_s = s->base.pipeline == 1 ? floor->end_slack_s / m : 0;
        if (!isinf(floor->pass_s)) most_s = fmax(most_s, floor->slack_s + end_s);
    }
    return most_s;
}

static double messages_s(const struct floors *floors, const struct shape *s, double m)
{
    const double chunks = (double)s->base.chunks;
    if (s->base.pipeline == 1) return 0;
    return 2 * ((double)s->base.pipeline - 1) * floors->send_s +
           (sends_wait(&s->base) ? 2 * m * chunks * floors->send_s : 0);
}

/* The step of stages that take so long together, and the longest of them, at least. */
static double pipeline_s(const struct shape *s, double m, double sum_s, double most_s)
{
    const double p = (double)s->base.pipeline, v = (double)s->base.chunks;
    most_s = fmax(most_s, sum_s / p);
    if (isinf(sum_s) || isinf(most_s)) return INFINITY;
    if (v > 1) return m * most_s + (sum_s - most_s) / v;
    double least_s = fmax(sum_s, m * most_s);
    if (m >= p) least_s = fmax(least_s, m * most_s + fmax(0, sum_s - (p + 1) / 2 * most_s));
    if (m >= p + 2) least_s = fmax(least_s, (m + p - 1) / p * sum_s);
    return least_s;
}

/* Choices of stages.h with so much of what is waited for. */
static void choose(struct stage_choice *choice, const struct floors *floors, const struct shape *s,
                   double waits)
{
    for (int i = 0; i < s->kinds * s->ways; i++) {
        const struct layer_floor *floor = &floors->of[i];
        choice[i] = (struct stage_choice){
            .fixed_bytes = floor->fixed_bytes,
            .flight_bytes = floor->flight_bytes,
            .moment_bytes = floor->moment_bytes,
            .time_s = floor->pass_s + waits * floor->wait_s,
            .end_s = floor->end_s + waits * floor->end_wait_s,
        };
    }
}

static double step_with(const struct floors *floors, const struct shape *s,
                        struct stages_problem *problem, struct stage_choice *choice, double waits)
{
    const double m = problem->microbatches;
    const double embedding_s = most_slack(floors, s, s->kinds - 2, m),
                 head_s = most_slack(floors, s, s->kinds - 1, m);
    struct stages_least least;
    choose(choice, floors, s, waits);
    if (!stages_least(problem, &least)) return NAN;
    const double sum_s = fmax(0, least.sum_s - waits * (embedding_s + head_s));
    const double most_s =
        fmax(0, least.most_s - waits * (s->base.pipeline == 1 ? embedding_s + head_s
                                                              : fmax(embedding_s, head_s)));
    return pipeline_s(s, m, sum_s, most_s);
}

double floors_step_s(const struct floors *floors, const struct shape *s)
{
    static const double parts[] = {0, 0.25, 0.5, 0.75, 1};
    const double m = (double)shape_microbatches(s);
    struct stage_choice *choice = calloc((size_t)(s->kinds * s->ways) + 1, sizeof *choice);
    struct stage_place place[LAYERWISE_MOST_STAGES];
    struct stages_problem problem = {.layers = s->layers,
                                     .kinds = s->kinds,
                                     .choices = s->ways,
                                     .stages = (int)s->base.pipeline,
                                     .kind = s->kind,
                                     .microbatches = m,
                                     .place = place};
    double step_s = 0;
    if (!choice) return NAN;
    const struct rk_plan any = shape_plan(s, 0);
    for (int k = 0; k < problem.stages; k++)
        place[k] = (struct stage_place){
            .in_flight = in_flight_of_plan(&any, m, (uint64_t)k),
            .capacity_bytes = s->system->memory[0].capacity_bytes - floors->constant_bytes,
            .choice = choice,
        };
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !floors->unknown; i++)
        step_s = fmax(step_s, step_with(floors, s, &problem, choice, parts[i]));
    free(choice);
    return (step_s + messages_s(floors, s, m)) * (1 - 1e-9);
}
