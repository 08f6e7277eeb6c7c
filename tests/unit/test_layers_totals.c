/* What all ranks have together is what the model has, for random models and plans: parameters,
 * FLOP, all-to-all bytes. The formulas here are written anew, from the definition of each kind of
 * layer.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "workload/layers.h"

enum { CASES = 1500 };

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

static bool coin(void)
{
    return draw(2);
}

static uint64_t power(uint64_t below)
{
    return UINT64_C(1) << draw(below);
}

/* Widths that degrees up to 8 divide. */
static struct rk_model random_model(void)
{
    struct rk_model m = {
        .layers = 1 + draw(9),
        .hidden = 64 * (1 + draw(8)),
        .feedforward = 64 * (1 + draw(16)),
        .heads = 8 * power(3),
        .head_dim = 16 * (1 + draw(4)),
        .sequence = 256 * power(3),
        .vocabulary = 1000 + draw(3000),
        .attention = draw(5) ? RK_ATTENTION_MULTIHEAD : RK_ATTENTION_MULTIQUERY,
        .position = (enum rk_position)draw(3),
        .tied_embeddings = coin(),
        .biases = coin(),
        .embedding_norm = coin(),
        .count_embeddings = true,
        .norm = coin() ? RK_RMS_NORM : RK_LAYER_NORM,
        .gated_mlp = coin(),
        .qkv_biases = coin(),
        .qk_norm = coin(),
        .parallel_block = !draw(3),
        .no_dropout = coin(),
        .activation = (enum rk_activation)draw(4),
    };
    if (m.parallel_block) m.block_norms = 1 + draw(2);
    if (m.attention == RK_ATTENTION_MULTIHEAD && coin()) m.kv_heads = power(4);
    if (coin()) {
        m.window = 1 + draw(300);
        m.window_every = coin() ? 2 + draw(3) : 0;
    }
    return m;
}

static void add_experts(struct rk_model *m)
{
    m->experts = 8 * power(4);
    m->active_experts = 1 + draw(8);
    m->shared_experts = draw(3);
    m->expert_feedforward = 64 * (1 + draw(4));
    m->dense_layers = draw(m->layers);
    m->router_biases = coin();
    if (coin()) m->expert_hidden = 32 * (1 + draw(m->hidden / 32));
    if (coin()) m->expert_every = 1 + draw(m->layers - m->dense_layers);
}

static void add_latent(struct rk_model *m)
{
    m->attention = RK_ATTENTION_MULTIHEAD;
    m->kv_heads = 0;
    m->qk_norm = m->qkv_biases = false;
    m->q_rank = coin() ? 48 : 0;
    m->kv_rank = 32;
    m->rope_dim = 16;
    m->value_dim = 8 * (1 + draw(4));
}

static struct rk_plan random_plan(const struct rk_model *m)
{
    struct rk_plan p = rk_plan_default();
    p.tensor = power(4);
    p.context = power(3);
    p.ranks = p.tensor * p.context * power(4);
    p.sequence_parallel = coin();
    p.microbatch = 1 + draw(3);
    p.batch = p.microbatch * rk_plan_data(&p) * (1 + draw(3));
    p.context_kind = (enum rk_context_kind)draw(RK_CONTEXT_KINDS);
    p.ulysses = p.context > 1 ? 2 : 1;
    if (m->heads / p.tensor % p.context) p.context_kind = RK_RING; /* else refused */
    p.framework = (enum rk_framework)draw(RK_FRAMEWORKS);
    p.precision = (enum rk_precision)draw(RK_PRECISIONS);
    p.attention = (enum rk_attention_kernel)draw(RK_ATTENTION_KERNELS);
    p.full_attention = coin();
    p.fused = coin();
    p.vocabulary_multiple = draw(2) * 128;
    if (!m->experts) return p;
    p.expert_tensor = coin() ? power(3) : 0;
    while (p.ranks % rk_plan_expert_tensor(&p))
        p.expert_tensor /= 2;
    const uint64_t rest = p.ranks / rk_plan_expert_tensor(&p);
    p.expert = power(4);
    while (rest % p.expert)
        p.expert /= 2;
    p.dispatcher = (enum rk_dispatcher)draw(RK_DISPATCHERS);
    p.grouped = coin();
    return p;
}

static void random_case(uint64_t seed, struct rk_model *m, struct rk_plan *p)
{
    state = seed * 977 + 1;
    *m = random_model();
    if (coin()) add_experts(m);
    if (!draw(3)) add_latent(m);
    *p = random_plan(m);
}

/* Per rank, over all layers: of one pipeline stage. */
struct totals {
    double dense, experts;            /* parameters */
    double useful, executed, forward; /* FLOP; executed in all passes, in forward */
};

static struct totals totals_of(const struct rk_model *m, const struct rk_plan *p)
{
    double counts[LAYER_KINDS] = {[LAYER_EMBEDDING] = 1, [LAYER_HEAD] = 1};
    struct totals sum = {0};
    layer_count(m, 0, m->layers, counts);
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        struct layer layer;
        if (counts[kind] == 0) continue;
        layer_build(&layer, (enum layer_kind)kind, m, p);
        for (int i = 0; i < layer.operations; i++) {
            const struct operation *op = &layer.operation[i];
            *(op->expert ? &sum.experts : &sum.dense) += counts[kind] * op->parameters;
            sum.useful += counts[kind] * op->useful_flop;
            sum.forward += counts[kind] * op->flop[RK_FORWARD];
            for (int pass = 0; pass < RK_PASSES; pass++)
                sum.executed += counts[kind] * op->flop[pass];
        }
    }
    return sum;
}

static double norm_of(const struct rk_model *m, double width)
{
    return m->norm == RK_RMS_NORM ? width : 2 * width;
}

static double kv_heads_of(const struct rk_model *m)
{
    if (m->attention == RK_ATTENTION_MULTIQUERY) return 1;
    return (double)(m->kv_heads ? m->kv_heads : m->heads);
}

static double mixtures_of(const struct rk_model *m)
{
    double mixtures = 0;
    for (uint64_t i = m->dense_layers; m->experts && i < m->layers; i++)
        mixtures +=
            m->expert_every < 2 || (i - m->dense_layers) % m->expert_every == m->expert_every - 1;
    return mixtures;
}

/* Parameters that each tensor rank has whole, of all layers. */
static double copied_parameters(const struct rk_model *m)
{
    const double h = (double)m->hidden, L = (double)m->layers, mixtures = mixtures_of(m);
    const double e = m->expert_hidden ? (double)m->expert_hidden : h, bias = m->biases;
    double sum = norm_of(m, h) + (m->embedding_norm ? norm_of(m, h) : 0);
    if (m->position == RK_POSITION_LEARNED) sum += (double)m->sequence * h;
    sum += L * (m->block_norms == 1 ? 1 : 2) * norm_of(m, h);
    sum += L * bias * h;              /* behind attention */
    sum += (L - mixtures) * bias * h; /* behind the MLP */
    if (m->qk_norm) sum += L * 2 * norm_of(m, (double)m->head_dim);
    if (m->kv_rank) {
        const double q = (double)m->q_rank, kv = (double)m->kv_rank, rope = (double)m->rope_dim;
        sum += L * (h * (kv + rope) + bias * (kv + rope) + norm_of(m, kv));
        if (q > 0) sum += L * (h * q + bias * q + norm_of(m, q));
    }
    sum += mixtures * (double)m->experts * (h + m->router_biases);
    if (e != h) sum += mixtures * (2 * h * e + bias * (h + e));
    if (m->shared_experts) sum += mixtures * bias * h;
    return sum;
}

/* Keys and values that more tensor ranks than heads have. */
static double copied_heads(const struct rk_model *m, double t)
{
    const double kv = kv_heads_of(m), h = (double)m->hidden, d = (double)m->head_dim;
    if (m->kv_rank || t <= kv) return 0;
    return (double)m->layers * (t - kv) * 2 * d * (h + (m->biases || m->qkv_biases));
}

Test(layers_totals, parameters_of_all_ranks_are_the_models)
{
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct rk_model m;
        struct rk_plan p;
        random_case(seed, &m, &p);
        const double t = (double)p.tensor, x = (double)rk_plan_expert_tensor(&p);
        const double e = m.expert_hidden ? (double)m.expert_hidden : (double)m.hidden;
        const double padding = (padded_vocabulary(&m, &p) - (double)m.vocabulary) *
                               (double)m.hidden * (m.tied_embeddings ? 1 : 2);
        const struct totals sum = totals_of(&m, &p);
        const double dense =
            t * sum.dense - (t - 1) * copied_parameters(&m) - copied_heads(&m, t) - padding;
        const double experts = (double)p.expert * x * sum.experts -
                               (x - 1) * mixtures_of(&m) * (double)m.experts * (m.biases ? e : 0);
        cr_assert_float_eq(dense + experts, (double)rk_model_parameters(&m), 1e-3, "seed %d",
                           (int)seed);
    }
}

/* ---- FLOP ---- */

/* Of one token in one layer's products with weights, two for each weight. */
static double attention_weights(const struct rk_model *m)
{
    const double h = (double)m->hidden, a = (double)m->heads, d = (double)m->head_dim;
    if (!m->kv_rank) return h * d * (2 * a + 2 * kv_heads_of(m));
    const double q = (double)m->q_rank, kv = (double)m->kv_rank, rope = (double)m->rope_dim;
    const double v = (double)m->value_dim;
    return (q > 0 ? h * q + q * a * (d + rope) : h * a * (d + rope)) + h * (kv + rope) +
           kv * a * (d + v) + a * v * h;
}

static double mixture_weights(const struct rk_model *m)
{
    const double h = (double)m->hidden, e = m->expert_hidden ? (double)m->expert_hidden : h;
    const double matrices = m->gated_mlp ? 3 : 2, f = (double)m->expert_feedforward;
    return matrices * f * (e * (double)m->active_experts + h * (double)m->shared_experts) +
           (e != h ? 2 * h * e : 0);
}

static double attention_pairs(const struct rk_model *m, uint64_t layer)
{
    const double s = (double)m->sequence;
    const bool whole =
        !m->window || (m->window_every && layer % m->window_every == m->window_every - 1);
    const double w = whole ? s : fmin(s, (double)m->window);
    return w * (w + 1) / 2 + (s - w) * w;
}

/* Forward, of one sample. */
static double model_flop(const struct rk_model *m)
{
    const double h = (double)m->hidden, a = (double)m->heads, s = (double)m->sequence;
    const double width =
        m->kv_rank ? (double)(m->head_dim + m->rope_dim + m->value_dim) : 2 * (double)m->head_dim;
    const double mixtures = mixtures_of(m), L = (double)m->layers;
    const double dense = (m->gated_mlp ? 3 : 2) * h * (double)m->feedforward;
    double sum = 2 * s *
                 (L * attention_weights(m) + (L - mixtures) * dense +
                  mixtures * (m->experts ? mixture_weights(m) : 0) + h * (double)m->vocabulary);
    for (uint64_t i = 0; i < m->layers; i++)
        sum += 2 * a * width * attention_pairs(m, i);
    return sum;
}

Test(layers_totals, flop_of_all_ranks_are_the_models)
{
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct rk_model m;
        struct rk_plan p;
        random_case(seed, &m, &p);
        const double all = (double)(p.tensor * p.context) * totals_of(&m, &p).useful;
        const double flop = (double)p.microbatch * model_flop(&m);
        cr_assert_float_eq(all, flop, 1e-9 * flop, "seed %d: %.17g, %.17g", (int)seed, all, flop);
    }
}

/* Context parallelism divides what is computed, whatever its kind. */
Test(layers_totals, context_divides_the_work)
{
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct rk_model m;
        struct rk_plan p;
        random_case(seed, &m, &p);
        const double share = totals_of(&m, &p).executed * (double)p.context;
        p.ranks /= p.context;
        p.context = p.ulysses = 1;
        p.expert = p.expert_tensor = 1; /* how experts are split does not change their work */
        const double whole = totals_of(&m, &p).executed;
        cr_assert_float_eq(share, whole, 1e-9 * whole, "seed %d", (int)seed);
    }
}

/* ---- all-to-all ---- */

static const struct operation *find(const struct layer *layer, const char *name)
{
    for (int i = 0; i < layer->operations; i++)
        if (strcmp(op_name(layer->operation[i].op), name) == 0) return &layer->operation[i];
    return NULL;
}

/* Each copy of a token that leaves arrives at an expert, and comes back. */
Test(layers_totals, what_is_sent_is_received)
{
    int seen = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct rk_model m;
        struct rk_plan p;
        struct layer layer;
        random_case(seed, &m, &p);
        p.dispatcher = RK_ALL_TO_ALL;
        if (p.expert == 1) continue;
        layer_build(&layer, LAYER_EXPERTS, &m, &p);
        const struct operation *in = find(&layer, "experts in");
        const struct operation *out = find(&layer, "dispatch"), *back = find(&layer, "combine");
        const double element = p.precision <= RK_TF32 ? 4 : 2;
        const double sent = out->comm_bytes[RK_FORWARD] * (double)rk_plan_expert_tensor(&p);
        cr_assert_float_eq(in->count * in->m * in->k * element, sent, 1e-9 * sent);
        cr_assert_float_eq(out->comm_bytes[RK_FORWARD], back->comm_bytes[RK_FORWARD], 1e-6);
        cr_assert_float_eq(out->comm_bytes[RK_FORWARD], back->comm_bytes[RK_AGRAD], 1e-6);
        seen++;
    }
    cr_assert_gt(seen, 100);
}

/* ---- what is held ---- */

Test(layers_totals, tensors_are_sound)
{
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct rk_model m;
        struct rk_plan p;
        random_case(seed, &m, &p);
        m.predict_layers = 1;
        double counts[LAYER_KINDS] = {[LAYER_EMBEDDING] = 1, [LAYER_HEAD] = 1, [LAYER_PREDICT] = 1};
        layer_count(&m, 0, m.layers, counts);
        for (int kind = 0; kind < LAYER_KINDS; kind++) {
            struct layer layer;
            if (counts[kind] == 0) continue;
            layer_build(&layer, (enum layer_kind)kind, &m, &p);
            cr_assert_gt(layer.operations, 0);
            cr_assert_leq(layer.operations, MAX_OPERATIONS);
            for (int i = 0; i < layer.operations; i++) {
                const struct operation *op = &layer.operation[i];
                cr_assert(op->saved_recomputed_bytes >= 0 && op->working_bytes >= 0);
                cr_assert(op->saved_bytes >= op->saved_recomputed_bytes, "%s", op_name(op->op));
                cr_assert(op->part != NOT_A_PART || op->saved_bytes == op->saved_recomputed_bytes,
                          "%s is not a part, but drops something", op_name(op->op));
                cr_assert(op->holding >= RK_HOLD_attention && op->holding <= RK_HOLD_embedding);
                cr_assert(isfinite(op->saved_bytes + op->working_bytes + op->parameters));
                for (int pass = 0; pass < RK_PASSES; pass++)
                    cr_assert(op->flop[pass] >= 0 && op->bytes[pass] >= 0 &&
                              op->comm_bytes[pass] >= 0 && isfinite(op->flop[pass]));
            }
        }
    }
}
