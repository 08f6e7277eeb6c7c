#include "calculon/check.h"
#include "workload/pattern.h"

void check_add(struct rk_estimate *estimate, enum rk_verdict verdict, const char *what, int tier,
               double need, double have)
{
    if (estimate->reasons++ < RK_MAX_REASONS)
        estimate->reason[estimate->reasons - 1] = (struct rk_reason){
            .verdict = verdict, .tier = tier, .need = need, .have = have, .what = what};
}

static void add(struct rk_estimate *estimate, bool bad, enum rk_verdict verdict, const char *what,
                double need, double have)
{
    if (bad) check_add(estimate, verdict, what, -1, need, have);
}

/* a * b, or UINT64_MAX when that is too large */
static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* Nothing can be computed with a zero. */
static bool check_zeros(const struct rk_strategy *s, struct rk_estimate *e)
{
    const int before = e->reasons;
    add(e, s->ranks == 0, RK_BAD_DEGREES, "gpus", 1, 0);
    add(e, s->tensor == 0, RK_BAD_DEGREES, "tensor", 1, 0);
    add(e, s->pipeline == 0, RK_BAD_DEGREES, "pipeline", 1, 0);
    add(e, s->data == 0, RK_BAD_DEGREES, "data", 1, 0);
    add(e, s->interleaving == 0, RK_BAD_DEGREES, "interleaving", 1, 0);
    add(e, s->batch == 0, RK_BAD_BATCH, "batch", 1, 0);
    add(e, s->microbatch == 0, RK_BAD_BATCH, "microbatch", 1, 0);
    return e->reasons == before;
}

/* Sizes are computed in doubles, which count exactly up to here. */
#define EXACT (UINT64_C(1) << 53)

static uint64_t widest(const struct rk_model *m)
{
    return m->feedforward > m->hidden ? m->feedforward : m->hidden;
}

static bool check_sizes(const struct rk_model *model, const struct rk_strategy *s,
                        struct rk_estimate *e)
{
    const uint64_t elements = times(times(s->microbatch, model->sequence), widest(model));
    add(e, elements > EXACT, RK_BAD_BATCH, "microbatch * sequence * width", (double)elements,
        (double)EXACT);
    return elements <= EXACT;
}

static void check_degrees(const struct rk_system *system, const struct rk_strategy *s,
                          struct rk_estimate *e)
{
    const uint64_t product = times(times(s->tensor, s->pipeline), s->data);
    add(e, product != s->ranks, RK_BAD_DEGREES, "tensor * pipeline * data", (double)product,
        (double)s->ranks);
    add(e, system->devices && s->ranks > system->devices, RK_BAD_DEGREES, "devices of the system",
        (double)s->ranks, (double)system->devices);
    add(e, s->batch % s->data != 0, RK_BAD_BATCH, "batch / data", (double)s->batch,
        (double)s->data);
    if (s->batch % s->data == 0)
        add(e, s->batch / s->data % s->microbatch != 0, RK_BAD_BATCH, "batch / data / microbatch",
            (double)(s->batch / s->data), (double)s->microbatch);
}

static void check_tensor(const struct rk_model *m, const struct rk_strategy *s,
                         struct rk_estimate *e)
{
    const double t = (double)s->tensor;
    add(e, m->hidden % s->tensor != 0, RK_BAD_TENSOR, "hidden", (double)m->hidden, t);
    add(e, m->feedforward % s->tensor != 0, RK_BAD_TENSOR, "feedforward", (double)m->feedforward,
        t);
    add(e, m->heads % s->tensor != 0, RK_BAD_TENSOR, "heads", (double)m->heads, t);
    if (m->kv_heads)
        add(e, m->kv_heads % s->tensor != 0 && s->tensor % m->kv_heads != 0, RK_BAD_TENSOR,
            "kv_heads", (double)m->kv_heads, t);
    const uint64_t tokens = times(s->microbatch, m->sequence);
    add(e, s->tensor_comm != RK_COMM_ALL_REDUCE && tokens % s->tensor != 0, RK_BAD_TENSOR,
        "microbatch * sequence", (double)tokens, t);
}

static void check_pipeline(const struct rk_model *m, const struct rk_strategy *s,
                           struct rk_estimate *e)
{
    const uint64_t blocks = (m->layers - 1) / s->pipeline + 1;
    add(e, blocks % s->interleaving != 0, RK_BAD_PIPELINE, "blocks of a rank", (double)blocks,
        (double)s->interleaving);
    add(e, s->pipeline == 1 && s->interleaving > 1, RK_BAD_PIPELINE, "interleaving",
        (double)s->interleaving, 1);
}

/* Features of models that are counted but not estimated: all but those of plain blocks. */
static bool check_model(const struct rk_model *m, struct rk_estimate *e)
{
    const int before = e->reasons;
    const struct pattern_counts counts = pattern_count(m);
    const bool halves = counts.mixers[MIXER_NONE] + counts.mlps[MLP_NONE] > 0;
    add(e, m->experts > 0, RK_BAD_MODEL, "mixtures of experts", 0, 0);
    add(e, m->kv_rank > 0, RK_BAD_MODEL, "latent attention", 0, 0);
    add(e, m->window > 0 && m->window < m->sequence, RK_BAD_MODEL, "attention over a window", 0, 0);
    add(e, m->predict_layers > 0, RK_BAD_MODEL, "multi-token prediction", 0, 0);
    add(e, m->recurrence != RK_RECURRENCE_NONE, RK_BAD_MODEL, "recurrences", 0, 0);
    add(e, m->encoder_sequence > 0, RK_BAD_MODEL, "encoder-decoders", 0, 0);
    add(e, halves, RK_BAD_MODEL, "layers without a mixer or an MLP", 0, 0);
    add(e, m->norm > RK_RMS_NORM, RK_BAD_MODEL, "norms without biases", 0, 0);
    add(e, m->block_norms > 2, RK_BAD_MODEL, "more than two norms a block", 0, 0);
    add(e, m->attention_gate, RK_BAD_MODEL, "gated attention", 0, 0);
    add(e, !m->kv_rank && m->value_dim > 0, RK_BAD_MODEL, "value heads of another width", 0, 0);
    return e->reasons == before;
}

/* Options that exclude each other. */
static void check_options(const struct rk_strategy *s, struct rk_estimate *e)
{
    const bool full = s->recompute == RK_RECOMPUTE_FULL;
    const struct {
        bool bad;
        const char *what;
    } rules[] = {
        {s->optimizer_sharding && s->data == 1, "optimizer_sharding needs data > 1"},
        {s->data_overlap && s->data == 1, "data_overlap needs data > 1"},
        {s->tensor_overlap != RK_OVERLAP_NONE && s->tensor == 1, "tensor_overlap needs tensor > 1"},
        {s->redo_all_gather && s->tensor_comm != RK_COMM_RS_AG,
         "redo_all_gather needs tensor_comm rs_ag"},
        {s->redo_all_gather && full, "redo_all_gather excludes recompute full"},
        {!s->training && s->recompute != RK_RECOMPUTE_NONE, "recompute needs training"},
        {!s->training && s->data_overlap, "data_overlap needs training"},
        {!s->training && s->optimizer_offload, "optimizer_offload needs training"},
    };
    for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
        add(e, rules[i].bad, RK_BAD_OPTION, rules[i].what, 0, 0);
}

struct tier_choice {
    const char *name;
    int tier;
};

/* Whether all of them are there; adds those that are not. */
static bool check_tiers(const struct tier_choice *choices, int count, int tiers,
                        enum rk_verdict verdict, struct rk_estimate *e)
{
    const int before = e->reasons;
    for (int i = 0; i < count; i++)
        add(e, choices[i].tier < 0 || choices[i].tier >= tiers, verdict, choices[i].name,
            choices[i].tier, tiers - 1);
    return e->reasons == before;
}

static bool check_memories(const struct rk_system *system, const struct rk_strategy *s,
                           struct rk_estimate *e)
{
    const struct tier_choice choices[] = {{"weight_offload", s->weight_offload},
                                          {"activation_offload", s->activation_offload},
                                          {"optimizer_offload", s->optimizer_offload}};
    const int before = e->reasons;
    add(e, system->matrix[s->datatype].curve.steps == 0, RK_BAD_DATATYPE, "matrix", 0, 0);
    add(e, system->vector[s->datatype].curve.steps == 0, RK_BAD_DATATYPE, "vector", 0, 0);
    check_tiers(choices, 3, system->memories, RK_BAD_MEMORY, e);
    return e->reasons == before;
}

static bool check_networks(const struct rk_system *system, const struct rk_strategy *s,
                           struct rk_estimate *e)
{
    const struct tier_choice choices[] = {{"tensor_network", s->tensor_network},
                                          {"pipeline_network", s->pipeline_network},
                                          {"data_network", s->data_network}};
    return check_tiers(choices, 3, system->networks, RK_BAD_NETWORK, e);
}

double check_network_load(const struct rk_strategy *s, int tier)
{
    double load = 1;
    if (s->tensor_network == tier) load *= (double)s->tensor;
    if (s->pipeline_network == tier) load *= (double)s->pipeline;
    if (s->data_network == tier) load *= (double)s->data;
    return load;
}

/* The figures exist all the same when only these refuse. */
static void check_placement(const struct rk_model *model, const struct rk_system *system,
                            const struct rk_strategy *s, struct rk_estimate *e)
{
    for (int tier = 0; tier < system->networks; tier++) {
        const double load = check_network_load(s, tier);
        const enum rk_verdict verdict = check_network(&system->network[tier], load);
        if (verdict != RK_FITS)
            check_add(e, verdict, "network", tier, load, (double)system->network[tier].size);
    }
    const uint64_t blocks = (model->layers - 1) / s->pipeline + 1;
    if (check_offloads(s) && blocks < OFFLOAD_MIN_BLOCKS)
        check_add(e, RK_TOO_FEW_BLOCKS, "blocks of a rank", -1, OFFLOAD_MIN_BLOCKS, (double)blocks);
}

enum soundness check_strategy(const struct rk_model *model, const struct rk_system *system,
                              const struct rk_strategy *strategy, struct rk_estimate *estimate)
{
    const bool modelled = check_model(model, estimate);
    const bool whole = check_zeros(strategy, estimate) && check_sizes(model, strategy, estimate);
    if (whole) { /* these divide by the degrees */
        check_degrees(system, strategy, estimate);
        check_tensor(model, strategy, estimate);
        check_pipeline(model, strategy, estimate);
    }
    check_options(strategy, estimate);
    const bool sound = estimate->reasons == 0;
    const bool memories = check_memories(system, strategy, estimate);
    const bool networks = check_networks(system, strategy, estimate);
    if (!modelled || !whole || !memories) return SENSELESS;
    if (networks) check_placement(model, system, strategy, estimate);
    return sound && networks ? SOUND : UNSOUND;
}
