/* What must hold for the estimate of any plan, on random models, systems and strategies. The seed
 * of a failing case is printed; Seeds: drawn.h. */
#include "drawn.h"
#include "draws.h"

#include "calculon/estimate.h"
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = DRAWN(4000) };

/* ---- random plans ---- */

static uint64_t power_of_two(uint64_t most)
{
    return UINT64_C(1) << below(most + 1);
}

struct plan {
    uint64_t seed;
    struct rk_model model;
    struct rk_system system;
    struct rk_memory memory[2];
    struct rk_network network[3];
    struct rk_strategy strategy;
    struct rk_estimate estimate;
};

static void draw_model(struct rk_model *model)
{
    const uint64_t heads = 8 * (1 + below(8));
    *model = (struct rk_model){
        .id = "random",
        .layers = 1 + below(96),
        .heads = heads,
        .head_dim = 16 * (1 + below(8)),
        .hidden = heads * 16 * (1 + below(8)),
        .feedforward = heads * 64 * (1 + below(8)),
        .sequence = 64 * (1 + below(64)),
        .attention = coin() ? RK_ATTENTION_MULTIHEAD : RK_ATTENTION_MULTIQUERY,
    };
}

static void draw_curve(struct rk_curve *curve, double peak, double largest)
{
    curve->steps = 1 + (int)below(4);
    for (int i = 0; i < curve->steps; i++) {
        curve->step[i].from = i == curve->steps - 1 ? 0 : largest * pow(0.1, i);
        curve->step[i].efficiency = between(0.5, 1) * pow(0.7, i);
    }
    rk_curve_set_peak(curve, peak);
}

static void draw_engine(struct rk_engine *engine, double low, double high)
{
    engine->peak_flops = between(low, high);
    draw_curve(&engine->curve, engine->peak_flops, 1e11);
}

static void draw_network(struct rk_network *network)
{
    network->bandwidth_Bps = between(1e9, 5e11);
    network->efficiency = between(0.5, 1);
    network->latency_s = between(0, 5e-5);
    network->size = UINT64_C(1) << 40;
    network->processor_usage = between(0, 0.2);
    for (enum rk_collective c = 0; c < RK_COLLECTIVES; c++) {
        network->collective[c].scale = c == RK_ALL_REDUCE ? between(1, 2) : between(0.5, 1.5);
        network->collective[c].offset = c == RK_POINT_TO_POINT ? 0 : (double)below(3) - 1;
    }
}

static void draw_system(struct plan *plan)
{
    struct rk_system *system = &plan->system;
    *system = (struct rk_system){.memories = 2, .networks = 3};
    system->memory = plan->memory;
    system->network = plan->network;
    system->processing = coin() ? RK_NO_OVERLAP : RK_ROOFLINE;
    for (enum rk_datatype type = 0; type < RK_DATATYPES; type++) {
        draw_engine(&system->matrix[type], 1e14, 2e15);
        draw_engine(&system->vector[type], 1e13, 2e14);
    }
    for (int tier = 0; tier < 2; tier++) {
        struct rk_memory *memory = &system->memory[tier];
        *memory = (struct rk_memory){.capacity_bytes = 0x1p80};
        memory->bandwidth_Bps = tier ? between(1e10, 5e11) : between(1e12, 4e12);
        draw_curve(&memory->curve, memory->bandwidth_Bps, 1e8);
    }
    for (int tier = 0; tier < 3; tier++) {
        plan->network[tier] = (struct rk_network){.name = "net"};
        draw_network(&plan->network[tier]);
    }
}

static uint64_t draw_divisor(uint64_t number)
{
    for (;;) {
        const uint64_t divisor = 1 + below(number);
        if (number % divisor == 0) return divisor;
    }
}

static void draw_options(struct rk_strategy *s, uint64_t blocks)
{
    const bool offload = blocks >= 3;
    s->training = below(8) != 0;
    s->recompute = s->training ? below(RK_RECOMPUTES) : RK_RECOMPUTE_NONE;
    s->optimizer_sharding = s->data > 1 && coin();
    s->tensor_comm = below(RK_TENSOR_COMMS);
    s->redo_all_gather =
        s->tensor_comm == RK_COMM_RS_AG && s->recompute != RK_RECOMPUTE_FULL && coin();
    s->data_overlap = s->data > 1 && s->training && coin();
    s->tensor_overlap = s->tensor > 1 ? below(RK_TENSOR_OVERLAPS) : RK_OVERLAP_NONE;
    s->weight_offload = offload && coin();
    s->activation_offload = offload && coin();
    s->optimizer_offload = offload && s->training && coin();
    s->fused_activation = coin();
    s->tensor_network = (int)below(3);
    s->pipeline_network = (int)below(3);
    s->data_network = (int)below(3);
}

static void draw_strategy(struct rk_strategy *s, const struct rk_model *model)
{
    *s = (struct rk_strategy){.datatype = below(RK_DATATYPES)};
    s->tensor = power_of_two(3);
    s->pipeline = 1 + below(model->layers);
    s->data = 1 + below(16);
    s->ranks = s->tensor * s->pipeline * s->data;
    const uint64_t blocks = (model->layers - 1) / s->pipeline + 1;
    s->interleaving = s->pipeline > 1 ? draw_divisor(blocks) : 1;
    s->microbatch = 1 + below(4);
    s->batch = s->data * s->microbatch * (1 + below(3 * s->pipeline));
    draw_options(s, blocks);
}

static void draw_plan(struct plan *plan, uint64_t seed)
{
    random_state = plan->seed = seed;
    draw_model(&plan->model);
    draw_system(plan);
    draw_strategy(&plan->strategy, &plan->model);
    plan->estimate = (struct rk_estimate){0}; /* rk_estimate leaves figures of rk_predict alone */
    rk_estimate(&plan->model, &plan->system, &plan->strategy, &plan->estimate);
    cr_assert_eq(plan->estimate.verdict, RK_FITS, "seed %" PRIu64 ": %s: %s", seed,
                 rk_verdict_name(plan->estimate.verdict), plan->estimate.reason[0].what);
}

static struct rk_estimate estimate_again(const struct plan *plan,
                                         const struct rk_strategy *strategy)
{
    struct rk_estimate estimate;
    rk_estimate(&plan->model, &plan->system, strategy, &estimate);
    return estimate;
}

/* ---- comparing ---- */

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

#define CHECK(plan, condition)                                                                     \
    cr_assert(condition, "seed %" PRIu64 ": %s", (plan)->seed, #condition)
#define CHECK_NEAR(plan, a, b)                                                                     \
    cr_assert(near(a, b, 1e-12), "seed %" PRIu64 ": %s = %.17g, %s = %.17g", (plan)->seed, #a,     \
              (double)(a), #b, (double)(b))
#define CHECK_MOST(plan, a, b)                                                                     \
    cr_assert((a) <= (b) * (1 + 1e-12), "seed %" PRIu64 ": %s = %.17g > %s = %.17g", (plan)->seed, \
              #a, (double)(a), #b, (double)(b))

/* Runs `check` on CASES random plans. */
static void for_plans(void (*check)(struct plan *plan))
{
    const struct drawn cases = drawn_cases(CASES, 20 * CASES);
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        struct plan plan;
        draw_plan(&plan, seed);
        check(&plan);
    }
}

/* ---- what a plan is made of, written down once more ---- */

static double blocks_of(const struct plan *plan)
{
    return (double)((plan->model.layers - 1) / plan->strategy.pipeline + 1);
}

static double microbatches_of(const struct plan *plan)
{
    const struct rk_strategy *s = &plan->strategy;
    return (double)(s->batch / s->data / s->microbatch);
}

static double collective_s(const struct rk_network *network, enum rk_collective op, double ranks,
                           double bytes)
{
    const double scaled = bytes * network->collective[op].scale;
    return network->latency_s + (scaled + scaled * network->collective[op].offset / ranks) /
                                    (network->bandwidth_Bps * network->efficiency);
}

/* ---- all figures ---- */

/* No bandwidth hides transfers behind a block that never waits for its engines: infinite. */
static bool may_be_infinite(const char *name)
{
    return strstr(name, "_required_Bps") != NULL;
}

static void finite_and_not_negative(struct plan *plan)
{
    for (const struct rk_figure *figure = rk_figure_next(NULL, RK_BY_CALCULON); figure;
         figure = rk_figure_next(figure, RK_BY_CALCULON)) {
        const double value = rk_figure_value(&plan->estimate, figure);
        cr_assert(value >= 0 && (isfinite(value) || may_be_infinite(figure->name)),
                  "seed %" PRIu64 ": %s is %g", plan->seed, figure->name, value);
    }
}

Test(property, finite_and_not_negative)
{
    for_plans(finite_and_not_negative);
}

static void parts_make_the_whole(struct plan *plan)
{
    const struct rk_estimate *e = &plan->estimate;
    const double compute_s = e->forward_s + e->backward_s + e->optimizer_s;
    CHECK_NEAR(plan, e->step_s,
               compute_s + e->recompute_s + e->recompute_comm_exposed_s + e->bubble_s +
                   e->tensor_comm_exposed_s + e->pipeline_comm_exposed_s + e->data_comm_exposed_s +
                   e->forward_offload_exposed_s + e->backward_offload_exposed_s);
    CHECK_NEAR(plan, e->samples_per_s * e->step_s, (double)plan->strategy.batch);
    CHECK_NEAR(plan, e->tokens_per_s, e->samples_per_s * (double)plan->model.sequence);
    CHECK_NEAR(plan, e->mfu, e->compute_efficiency * e->system_efficiency);
    CHECK_NEAR(plan, e->system_efficiency, compute_s / e->step_s);
    CHECK_NEAR(plan, e->mfu * e->step_s * plan->system.matrix[plan->strategy.datatype].peak_flops,
               e->useful_flop * blocks_of(plan) * microbatches_of(plan));
    CHECK_MOST(plan, e->mfu, 1);
}

Test(property, parts_make_the_whole)
{
    for_plans(parts_make_the_whole);
}

static void tiers_hold_all_categories(struct plan *plan)
{
    double held[2] = {0, 0};
    for (int tier = 0; tier < 2; tier++)
        for (enum rk_category category = 0; category < RK_CATEGORIES; category++)
            held[tier] += rk_tier_bytes(&plan->estimate, &plan->strategy, tier, category);
    CHECK_NEAR(plan, held[0], plan->estimate.hbm_bytes);
    CHECK_NEAR(plan, held[1], plan->estimate.offload_bytes);
}

Test(property, tiers_hold_all_categories)
{
    for_plans(tiers_hold_all_categories);
}

/* A pure communication: what it takes on the engines counts as time on the link. */
static bool is_communication(const struct rk_operation *op)
{
    return op->weight_bytes == 0 && op->comm_bytes[RK_FORWARD][1] + op->comm_bytes[RK_AGRAD][1] > 0;
}

static void operations_make_the_block(struct plan *plan)
{
    struct rk_operation op[RK_MAX_OPERATIONS];
    const struct rk_estimate *e = &plan->estimate;
    const int count = rk_block_operations(&plan->model, &plan->system, &plan->strategy, op);
    double flop = 0, access = 0, forward_s = 0, weights = 0, link_s = 0, exposed_s = 0;
    double redone_flop = 0, redone_bytes = 0;
    for (int i = 0; i < count; i++) {
        flop += op[i].flop[RK_FORWARD];
        access += op[i].access_bytes[RK_FORWARD];
        if (!is_communication(&op[i])) forward_s += op[i].time_s[RK_FORWARD];
        weights += op[i].weight_bytes;
        link_s += op[i].comm_link_s[RK_FORWARD][0];
        exposed_s += op[i].comm_exposed_s[RK_FORWARD][1];
        if (op[i].recomputed) redone_flop += op[i].flop[RK_FORWARD];
        if (op[i].recommunicated) redone_bytes += op[i].comm_bytes[RK_WGRAD][0];
    }
    CHECK_NEAR(plan, flop, e->block_forward_flop);
    CHECK_NEAR(plan, access, e->block_forward_access_bytes);
    CHECK_NEAR(plan, forward_s, e->block_forward_s);
    CHECK_NEAR(plan, weights, e->block_weight_bytes);
    CHECK_NEAR(plan, link_s, e->base_forward_comm_link_s);
    CHECK_NEAR(plan, exposed_s, e->edge_forward_comm_exposed_s);
    if (!plan->strategy.training) return;
    CHECK_NEAR(plan, redone_flop, e->block_recompute_flop);
    CHECK_NEAR(plan, redone_bytes, e->base_redo_comm_bytes);
}

Test(property, operations_make_the_block)
{
    for_plans(operations_make_the_block);
}

/* ---- a block by hand ---- */

/* FLOP, weights and messages of a block, from the shapes alone: [isaev2023], Table 1. */
static void block_by_hand(struct plan *plan)
{
    const struct rk_model *m = &plan->model;
    const struct rk_strategy *s = &plan->strategy;
    const struct rk_estimate *e = &plan->estimate;
    const double h = (double)m->hidden, f = (double)m->feedforward, t = (double)s->tensor;
    const double attention = (double)(m->heads * m->head_dim), d = (double)m->head_dim;
    const double tokens = (double)(s->microbatch * m->sequence), residual = tokens * h;
    const bool multihead = m->attention == RK_ATTENTION_MULTIHEAD;
    const double kv = multihead ? attention / t : d; /* width of keys and of values */
    const double scores =
        (double)(s->microbatch * m->heads / s->tensor) * (double)(m->sequence * m->sequence);
    const double shard = s->tensor_comm == RK_COMM_RS_AG ? floor(tokens / t) * h : residual;

    const double weights = h * attention / t * 2 + h * kv * 2 + 2 * h * f / t;
    const double matrix_flop = 2 * tokens * weights + 2 * 2 * scores * d;
    const double comm_flop = s->tensor_overlap == RK_OVERLAP_NONE ? 2 * residual * (t - 1) / t : 0;
    const double vector_flop =
        2 * 9 * shard + (5 + 1) * scores + 2 * shard + 2 * shard + 8 * f * tokens / t + comm_flop;
    CHECK_NEAR(plan, e->block_forward_flop, matrix_flop + vector_flop);
    CHECK_NEAR(plan, e->block_weight_bytes, (weights + 2 * 2 * h) * rk_datatype_bytes(s->datatype));
    CHECK_NEAR(plan, e->block_pipeline_forward_bytes,
               s->pipeline == 1
                   ? 0
                   : (s->tensor_comm == RK_COMM_ALL_REDUCE ? tokens : floor(tokens / t)) * h *
                         rk_datatype_bytes(s->datatype));
}

Test(property, block_by_hand)
{
    for_plans(block_by_hand);
}

/* Each half of a block sends the residual stream once per pass, or, scattered, twice. */
static void tensor_messages_by_hand(struct plan *plan)
{
    const struct rk_strategy *s = &plan->strategy;
    const struct rk_estimate *e = &plan->estimate;
    const double whole = (double)(s->microbatch * plan->model.sequence * plan->model.hidden) *
                         rk_datatype_bytes(s->datatype);
    const double one = s->tensor == 1 ? 0 : whole;
    const double times[2] = {s->tensor_comm == RK_COMM_RS_AG ? 4 : 2,
                             s->tensor_comm == RK_COMM_ALL_REDUCE ? 2 : 4};
    CHECK_NEAR(plan, e->base_forward_comm_bytes, times[0] * one);
    CHECK_NEAR(plan, e->edge_forward_comm_bytes, times[1] * one);
    if (!s->training) return;
    CHECK_NEAR(plan, e->base_backward_comm_bytes, times[0] * one);
    CHECK_NEAR(plan, e->edge_backward_comm_bytes, times[1] * one);
    const double full[2] = {times[0], times[1]};
    if (s->recompute != RK_RECOMPUTE_FULL) return;
    CHECK_NEAR(plan, e->base_redo_comm_bytes, full[0] * one);
    CHECK_NEAR(plan, e->edge_redo_comm_bytes, full[1] * one);
}

Test(property, tensor_messages_by_hand)
{
    for_plans(tensor_messages_by_hand);
}

/* ---- composition by hand ---- */

static void totals_by_hand(struct plan *plan)
{
    const struct rk_strategy *s = &plan->strategy;
    const struct rk_estimate *e = &plan->estimate;
    const double n = blocks_of(plan), m = microbatches_of(plan), v = (double)s->interleaving;
    const double bases = n / v - 1;
    CHECK_NEAR(plan, e->forward_s, m * n * e->block_forward_s);
    CHECK_NEAR(plan, e->backward_s, m * n * (e->block_agrad_s + e->block_wgrad_s));
    CHECK_NEAR(plan, e->recompute_s, m * n * e->block_recompute_s);
    CHECK_NEAR(plan, e->optimizer_s, n * e->block_optimizer_s);
    CHECK_NEAR(plan, e->tensor_comm_link_s,
               m * v *
                   (bases * (e->base_forward_comm_link_s + e->base_backward_comm_link_s) +
                    e->edge_forward_comm_link_s + e->edge_backward_comm_link_s));
    CHECK_NEAR(plan, e->recompute_comm_exposed_s,
               m * v * (bases * e->base_redo_comm_exposed_s + e->edge_redo_comm_exposed_s));
}

Test(property, totals_by_hand)
{
    for_plans(totals_by_hand);
}

/* A stage works on microbatches * chunks; the bubble is a number of chunks of the same length.
 * In inference the reference model adds the latency of a message that is not sent. */
static void bubble_is_idle_chunks(struct plan *plan)
{
    const struct rk_strategy *s = &plan->strategy;
    const struct rk_estimate *e = &plan->estimate;
    const double m = microbatches_of(plan), v = (double)s->interleaving;
    const uint64_t stages = s->pipeline, rest = (uint64_t)m % stages;
    const double shortage = rest ? (double)(stages - rest) : 0;
    const double idle = (double)(stages - 1) + (v - 1) * shortage;
    const double busy_s = e->step_s - e->bubble_s - e->optimizer_s - e->data_comm_exposed_s;
    const double unsent_s = s->training ? 0 : plan->network[s->pipeline_network].latency_s;
    const double chunk_s = busy_s / (m * v) + unsent_s;
    const uint64_t missing = (stages - plan->model.layers % stages) % stages;
    if (stages == 1) {
        CHECK(plan, e->bubble_s == 0);
    } else if (missing == 0) {
        CHECK(plan, near(e->bubble_s, idle * chunk_s, 1e-9));
    } else {
        CHECK(plan, e->bubble_s < idle * chunk_s);
        CHECK(plan, e->bubble_s > (idle - (double)missing) * chunk_s - 1e-9 * busy_s);
    }
}

Test(property, bubble_is_idle_chunks)
{
    for_plans(bubble_is_idle_chunks);
}

static void messages_by_hand(struct plan *plan)
{
    const struct rk_strategy *s = &plan->strategy;
    const struct rk_estimate *e = &plan->estimate;
    const struct rk_network *pipeline = &plan->network[s->pipeline_network];
    const struct rk_network *data = &plan->network[s->data_network];
    const double passes = s->training ? 2 : 1, ranks = (double)s->data;
    const double message_s =
        collective_s(pipeline, RK_POINT_TO_POINT, 2, e->block_pipeline_forward_bytes);
    const double bytes = e->block_weight_bytes;
    const double reduce_s = s->optimizer_sharding
                                ? collective_s(data, RK_REDUCE_SCATTER, ranks, bytes) +
                                      collective_s(data, RK_ALL_GATHER, ranks, bytes)
                                : collective_s(data, RK_ALL_REDUCE, ranks, bytes);
    const bool reduces = s->training && s->data > 1;
    CHECK_NEAR(plan, e->pipeline_comm_link_s,
               s->pipeline == 1
                   ? 0
                   : passes * microbatches_of(plan) * (double)s->interleaving * message_s);
    CHECK(plan, e->pipeline_comm_exposed_s == e->pipeline_comm_link_s);
    CHECK_NEAR(plan, e->data_comm_link_s, reduces ? blocks_of(plan) * reduce_s : 0);
    if (!s->data_overlap) CHECK(plan, e->data_comm_exposed_s == e->data_comm_link_s);
    if (reduces && s->data_overlap) /* the first block's reduction hides behind nothing */
        CHECK_MOST(plan, reduce_s, e->data_comm_exposed_s);
}

Test(property, messages_by_hand)
{
    for_plans(messages_by_hand);
}

/* What overlapped data parallelism leaves visible, for plans without offloading: written down from
 * the text of the model, not from its code. */
static double data_exposed_by_hand(const struct plan *plan)
{
    const struct rk_strategy *s = &plan->strategy;
    const struct rk_estimate *e = &plan->estimate;
    const struct rk_network *network = &plan->network[s->data_network];
    const double n = blocks_of(plan), v = (double)s->interleaving, bases = n / v - 1;
    const double p = (double)s->pipeline, usage = network->processor_usage;
    const uint64_t rest = (uint64_t)microbatches_of(plan) % s->pipeline;
    const double reduce_s = e->data_comm_link_s / n;
    const double message_s = collective_s(&plan->network[s->pipeline_network], RK_POINT_TO_POINT, 2,
                                          e->block_pipeline_backward_bytes);
    const double gradients_s = e->block_recompute_s + e->block_agrad_s + e->block_wgrad_s;
    const double base_s =
        gradients_s + e->base_redo_comm_exposed_s + e->base_backward_comm_exposed_s;
    const double edge_s =
        gradients_s + e->edge_redo_comm_exposed_s + e->edge_backward_comm_exposed_s + message_s;
    const double access_s =
        e->block_agrad_access_s + e->block_wgrad_access_s + e->block_recompute_access_s;
    const double step_s =
        s->optimizer_sharding ? 0 : e->block_optimizer_s - e->block_optimizer_access_s;
    const bool with_tensor = s->data_network == s->tensor_network;
    const bool with_pipeline = s->data_network == s->pipeline_network;
    const double window_s =
        bases * base_s + edge_s + (bases + 1) * (step_s - access_s) -
        (with_tensor ? bases * (e->base_redo_comm_link_s + e->base_backward_comm_link_s) +
                           e->edge_redo_comm_link_s + e->edge_backward_comm_link_s
                     : 0);
    const double compute_s = e->block_agrad_flop_s + e->block_wgrad_flop_s +
                             e->block_recompute_flop_s +
                             (s->optimizer_sharding ? 0 : e->block_optimizer_flop_s);
    const double chunk_s = (bases + 1) * reduce_s;
    const double collisions =
        with_pipeline ? fmin(floor(chunk_s / (bases * base_s + edge_s)), rest ? (double)rest : p)
                      : 0;
    const double excess_s =
        chunk_s - (p * window_s - collisions * message_s) + p * (bases + 1) * compute_s * usage;
    const double tail_s = window_s - message_s - (base_s + edge_s) / 2 + step_s;
    const double tail_excess_s = bases * reduce_s + compute_s * usage - (bases > 0 ? tail_s : 0);
    return reduce_s + (v - 1) * (excess_s > 0 ? excess_s : chunk_s * usage) +
           (tail_excess_s > 0 ? tail_excess_s : bases * reduce_s * usage);
}

static void data_overlap_by_hand(struct plan *plan)
{
    const struct rk_strategy *s = &plan->strategy;
    if (!s->data_overlap || s->weight_offload || s->activation_offload || s->optimizer_offload)
        return;
    CHECK(plan, near(plan->estimate.data_comm_exposed_s, data_exposed_by_hand(plan), 1e-9));
}

Test(property, data_overlap_by_hand)
{
    for_plans(data_overlap_by_hand);
}

static void memory_by_hand(struct plan *plan)
{
    const struct rk_strategy *s = &plan->strategy;
    const struct rk_estimate *e = &plan->estimate;
    const double n = blocks_of(plan), stages = (double)s->pipeline;
    double flight = fmin(microbatches_of(plan), stages);
    if (s->interleaving > 1) flight *= 1 + (stages - 1) / ((double)s->interleaving * stages);
    const bool full = s->recompute == RK_RECOMPUTE_FULL;
    CHECK_NEAR(plan, e->weight_bytes, n * e->block_weight_bytes);
    CHECK_NEAR(plan, e->weight_min_bytes, 2 * e->block_weight_bytes);
    if (!s->training) {
        CHECK(plan, e->activation_bytes == e->block_working_bytes);
        CHECK(plan, e->optimizer_bytes == 0 && e->weight_grad_bytes == 0);
        return;
    }
    CHECK_NEAR(plan, e->activation_bytes,
               e->block_working_bytes + (full ? 0 : e->block_stored_bytes * (n * flight - 1)));
    CHECK_NEAR(plan, e->checkpoint_bytes, full ? n * flight * e->block_checkpoint_bytes : 0);
    CHECK_NEAR(plan, e->optimizer_bytes, n * e->block_optimizer_bytes);
    CHECK_NEAR(plan, e->weight_grad_bytes,
               e->block_weight_grad_full_bytes + (n - 1) * e->block_weight_grad_bytes);
    CHECK_NEAR(plan, e->activation_grad_bytes, e->block_activation_grad_bytes);
}

Test(property, memory_by_hand)
{
    for_plans(memory_by_hand);
}

/* ---- one thing changed ---- */

static void batch_doubled(struct plan *plan)
{
    const struct rk_estimate *e = &plan->estimate;
    struct rk_strategy strategy = plan->strategy;
    strategy.batch *= 2;
    const struct rk_estimate twice = estimate_again(plan, &strategy);
    CHECK_NEAR(plan, twice.forward_s, 2 * e->forward_s);
    CHECK_NEAR(plan, twice.backward_s, 2 * e->backward_s);
    CHECK_NEAR(plan, twice.recompute_s, 2 * e->recompute_s);
    CHECK_NEAR(plan, twice.tensor_comm_exposed_s, 2 * e->tensor_comm_exposed_s);
    CHECK_NEAR(plan, twice.pipeline_comm_link_s, 2 * e->pipeline_comm_link_s);
    CHECK_NEAR(plan, twice.forward_offload_exposed_s, 2 * e->forward_offload_exposed_s);
    CHECK(plan, twice.optimizer_s == e->optimizer_s);
    CHECK(plan, twice.data_comm_link_s == e->data_comm_link_s);
    CHECK(plan, twice.weight_bytes == e->weight_bytes);
    CHECK_MOST(plan, e->hbm_bytes, twice.hbm_bytes);
    if (microbatches_of(plan) >= (double)strategy.pipeline)
        CHECK(plan, twice.hbm_bytes == e->hbm_bytes);
}

Test(property, batch_doubled)
{
    for_plans(batch_doubled);
}

static void sharding_spares_memory(struct plan *plan)
{
    struct rk_strategy strategy = plan->strategy;
    if (strategy.data == 1 || !strategy.training) return;
    strategy.optimizer_sharding = true;
    const struct rk_estimate sharded = estimate_again(plan, &strategy);
    strategy.optimizer_sharding = false;
    const struct rk_estimate whole = estimate_again(plan, &strategy);
    CHECK_NEAR(plan, sharded.optimizer_bytes * (double)strategy.data, whole.optimizer_bytes);
    CHECK_NEAR(plan, sharded.block_optimizer_flop * (double)strategy.data,
               whole.block_optimizer_flop);
    CHECK_MOST(plan, sharded.hbm_bytes, whole.hbm_bytes);
    CHECK_MOST(plan, sharded.hbm_bytes + sharded.offload_bytes,
               whole.hbm_bytes + whole.offload_bytes);
}

Test(property, sharding_spares_memory)
{
    for_plans(sharding_spares_memory);
}

static void recomputing_spares_stored_activations(struct plan *plan)
{
    struct rk_strategy strategy = plan->strategy;
    if (!strategy.training) return;
    strategy.redo_all_gather = false;
    strategy.recompute = RK_RECOMPUTE_NONE;
    const struct rk_estimate none = estimate_again(plan, &strategy);
    strategy.recompute = RK_RECOMPUTE_ATTENTION;
    const struct rk_estimate attention = estimate_again(plan, &strategy);
    strategy.recompute = RK_RECOMPUTE_FULL;
    const struct rk_estimate full = estimate_again(plan, &strategy);
    CHECK(plan, attention.block_stored_bytes < none.block_stored_bytes);
    CHECK(plan, full.block_stored_bytes == 0);
    CHECK(plan, none.block_recompute_flop == 0 && none.recompute_s == 0);
    CHECK(plan, attention.recompute_s > 0);
    CHECK(plan, full.recompute_s > attention.recompute_s);
    CHECK(plan, none.forward_s == full.forward_s);
}

Test(property, recomputing_spares_stored_activations)
{
    for_plans(recomputing_spares_stored_activations);
}

static void offload_moves_memory(struct plan *plan)
{
    struct rk_strategy strategy = plan->strategy;
    strategy.weight_offload = strategy.activation_offload = strategy.optimizer_offload = 0;
    const struct rk_estimate none = estimate_again(plan, &strategy);
    CHECK(plan, none.offload_bytes == 0);
    CHECK(plan, none.forward_offload_exposed_s == 0 && none.backward_offload_exposed_s == 0);
    CHECK_MOST(plan, none.step_s, plan->estimate.step_s + plan->estimate.data_comm_exposed_s);
    if (blocks_of(plan) < 3) return;
    strategy.weight_offload = 1;
    const struct rk_estimate weights = estimate_again(plan, &strategy);
    CHECK_NEAR(plan, weights.offload_bytes, none.weight_bytes);
    CHECK_NEAR(plan, none.hbm_bytes - weights.hbm_bytes, none.weight_bytes - none.weight_min_bytes);
}

Test(property, offload_moves_memory)
{
    for_plans(offload_moves_memory);
}

/* ---- better machines ---- */

/* Communication that hides behind computing also slows it by a share of its own time, so that
 * slightly too fast can be slower than slightly too slow; and a single stage lets offloading hide
 * behind the latency of a message that is not sent: those plans are left out. */
static bool is_monotone(const struct rk_strategy *s)
{
    const bool offloads = s->weight_offload || s->activation_offload || s->optimizer_offload;
    return !s->data_overlap && s->tensor_overlap == RK_OVERLAP_NONE &&
           (s->pipeline > 1 || !offloads);
}

static void faster_memory(struct plan *plan)
{
    for (int tier = 0; tier < 2; tier++) {
        struct rk_memory *memory = &plan->memory[tier];
        memory->bandwidth_Bps *= 1.5;
        rk_curve_set_peak(&memory->curve, memory->bandwidth_Bps);
        const struct rk_estimate faster = estimate_again(plan, &plan->strategy);
        if (!plan->strategy.data_overlap) CHECK_MOST(plan, faster.step_s, plan->estimate.step_s);
        CHECK_MOST(plan, faster.forward_s, plan->estimate.forward_s);
    }
}

Test(property, faster_memory)
{
    for_plans(faster_memory);
}

static void faster_networks(struct plan *plan)
{
    for (int tier = 0; tier < 3; tier++) {
        struct rk_network *network = &plan->network[tier];
        network->bandwidth_Bps *= 1.5;
        network->latency_s /= 2;
        const struct rk_estimate faster = estimate_again(plan, &plan->strategy);
        if (is_monotone(&plan->strategy)) CHECK_MOST(plan, faster.step_s, plan->estimate.step_s);
        CHECK_MOST(plan, faster.tensor_comm_link_s, plan->estimate.tensor_comm_link_s);
        CHECK_MOST(plan, faster.data_comm_link_s, plan->estimate.data_comm_link_s);
    }
}

Test(property, faster_networks)
{
    for_plans(faster_networks);
}

/* A plan fits exactly when no tier is smaller than what it needs there. */
static void capacity_decides(struct plan *plan)
{
    const double need[2] = {plan->estimate.hbm_bytes, plan->estimate.offload_bytes};
    for (int tier = 0; tier < 2; tier++) {
        double *capacity = &plan->memory[tier].capacity_bytes;
        const double plenty = *capacity;
        *capacity = need[tier];
        struct rk_estimate tight = estimate_again(plan, &plan->strategy);
        CHECK(plan, tight.verdict == RK_FITS);
        CHECK(plan, tight.step_s == plan->estimate.step_s);
        *capacity = need[tier] * (1 - 1e-15) - 1;
        tight = estimate_again(plan, &plan->strategy);
        if (need[tier] > 0) {
            CHECK(plan, tight.verdict == RK_MEMORY_EXCEEDED);
            CHECK(plan, tight.reasons == 1 && tight.reason[0].tier == tier);
            CHECK(plan, tight.reason[0].need == need[tier]);
            CHECK(plan, tight.timed && tight.step_s == plan->estimate.step_s);
        }
        *capacity = plenty;
    }
}

Test(property, capacity_decides)
{
    for_plans(capacity_decides);
}

/* ---- plans that make no sense ---- */

static uint64_t draw_number(void)
{
    static const uint64_t odd[] = {0, 1, 2, 3, 7, 64, 1000003, UINT64_MAX, UINT64_C(1) << 53};
    return coin() ? 1 + below(8) : odd[below(sizeof odd / sizeof *odd)];
}

static void draw_nonsense(struct rk_strategy *s)
{
    uint64_t *const numbers[] = {&s->ranks,        &s->tensor, &s->pipeline,  &s->data,
                                 &s->interleaving, &s->batch,  &s->microbatch};
    int *const tiers[] = {&s->weight_offload, &s->activation_offload, &s->optimizer_offload,
                          &s->tensor_network, &s->pipeline_network,   &s->data_network};
    for (uint64_t change = 1 + below(3); change > 0; change--) {
        *numbers[below(7)] = draw_number();
        if (coin()) *tiers[below(6)] = (int)below(9) - 3;
        if (coin()) draw_options(s, 1 + below(4));
    }
}

Test(property, nonsense_is_refused_with_reasons)
{
    const struct drawn cases = drawn_cases(CASES, 20 * CASES);
    int refused = 0;
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        struct plan plan;
        draw_plan(&plan, seed);
        draw_nonsense(&plan.strategy);
        const struct rk_estimate e = estimate_again(&plan, &plan.strategy);
        cr_assert_eq(e.verdict == RK_FITS, e.reasons == 0, "seed %" PRIu64, seed);
        if (e.reasons) cr_assert_eq(e.verdict, e.reason[0].verdict, "seed %" PRIu64, seed);
        cr_assert_leq(e.reasons, RK_MAX_REASONS);
        for (int i = 0; i < e.reasons; i++)
            cr_assert_not_null(e.reason[i].what);
        if (e.timed) {
            plan.estimate = e;
            finite_and_not_negative(&plan);
        }
        refused += e.verdict != RK_FITS;
    }
    cr_assert_geq(2 * (uint64_t)refused, cases.end - cases.first);
}
