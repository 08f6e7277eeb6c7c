/* Models as patterns of layers: what a file can say, parameters and work of each kind of mixer. */
#include "catalog/readers.h"
#include "catalog_cases.h"
#include "workload/layers.h"

#include <math.h>
#include <reckon/catalog.h>
#include <reckon/predict.h>

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

/* ---- recurrences ---- */

/* Published counts of checkpoints, which are tied and have norms of hidden: layers, hidden, heads
 * of 64, one group, state 128, convolution over 4 tokens, vocabulary padded to 16
 * (state-spaces/mamba2-*, arXiv 2405.21060). */
static struct rk_model mamba2(uint64_t layers, uint64_t hidden)
{
    return (struct rk_model){.layers = layers,
                             .hidden = hidden,
                             .heads = hidden / 32,
                             .head_dim = 64,
                             .sequence = 2048,
                             .vocabulary = 50288,
                             .position = RK_POSITION_NONE,
                             .norm = RK_RMS_NORM,
                             .tied_embeddings = true,
                             .count_embeddings = true,
                             .no_dropout = true,
                             .mixers = "r",
                             .mlps = "-",
                             .recurrence = RK_MAMBA_2,
                             .recurrent_heads = hidden / 32,
                             .recurrent_dim = 64,
                             .recurrent_groups = 1,
                             .state = 128,
                             .convolution = 4,
                             .recurrent_norm = true};
}

/* h 8, 2 heads of 3, 1 group, state 5, convolution over 4: in 8*(6 + 6 + 10 + 2), conv 16*5, A, D
 * and steps 2 each, norm 6, out 48; block norm 8. Vocabulary 7, final norm. */
Test(layers_pattern, state_space_by_hand)
{
    struct rk_model m = mamba2(3, 8);
    m.recurrent_heads = 2;
    m.recurrent_dim = 3;
    m.state = 5;
    m.vocabulary = 7;
    const uint64_t block = 8 * 24 + 16 * 5 + 6 + 6 + 48 + 8;
    cr_expect_eq(rk_model_parameters(&m), 3 * block + 7 * 8 + 8);
    m.recurrence =
        RK_MAMBA; /* w 6, r 2, s 5: in 8*12, conv 6*5, x 6*(2 + 10), steps 2*6 + 6, A 30, D 6 */
    m.time_rank = 2;
    m.recurrent_norm = false;
    cr_expect_eq(rk_model_parameters(&m),
                 3 * (96 + 30 + 72 + 18 + 36 + 48 + 8) + 7 * 8 + (uint64_t)8);
}

/* h 8, 2 value heads of 3, 1 key head of 5: in 8*(10 + 12 + 4), conv 16*4, A and steps 2 each, norm
 * 3, out 48. Kimi: keys of both heads 8*(20 + 6 + 2), conv 26*4, gates 2*8*2 + 2*10 + 2*6, A 2,
 * steps
 * 10. Lightning: 8*(20 + 12), norm 6. */
Test(layers_pattern, linear_attention_by_hand)
{
    struct rk_model m = mamba2(1, 8);
    m.recurrent_heads = 2;
    m.recurrent_dim = 3;
    m.state = 5;
    m.vocabulary = 7;
    const uint64_t rest = 48 + 8 + 7 * 8 + 8;
    m.recurrence = RK_GATED_DELTA;
    cr_expect_eq(rk_model_parameters(&m), 8 * 26 + 16 * 4 + 4 + 3 + rest);
    m.recurrence = RK_KIMI_DELTA;
    m.time_rank = 2;
    cr_expect_eq(rk_model_parameters(&m), 8 * 28 + 26 * 4 + 64 + 12 + 3 + rest);
    m.recurrence = RK_LIGHTNING;
    m.convolution = m.time_rank = 0;
    cr_expect_eq(rk_model_parameters(&m), 8 * 32 + 6 + rest);
}

static struct rk_plan plan_of(uint64_t tensor)
{
    struct rk_plan plan = rk_plan_default();
    plan.ranks = plan.tensor = tensor;
    return plan;
}

static const struct operation *find(const struct layer *layer, const char *name)
{
    for (int i = 0; i < layer->operations; i++)
        if (strcmp(op_name(layer->operation[i].op), name) == 0) return &layer->operation[i];
    cr_assert_fail("no %s", name);
    return NULL;
}

/* [dao2024] section 6: of T tokens in chunks of Q, with a state of N and heads of P, the products
 * within chunks take T Q N and T Q P, states and what they bring T N P each, times 2. */
Test(layers_pattern, state_space_duality_work)
{
    const struct rk_model m = mamba2(1, 2048);
    const struct rk_plan plan = plan_of(1);
    struct layer layer;
    layer_build(&layer, layer_kind_of(&m, 0), &m, &plan);
    const double T = 2048, Q = 128, N = 128, P = 64, heads = 64;
    cr_expect_float_eq(find(&layer, "chunk scores")->flop[RK_FORWARD], 2 * T * Q * N, 1);
    cr_expect_float_eq(find(&layer, "chunk outputs")->flop[RK_FORWARD], 2 * T * Q * P * heads, 1);
    cr_expect_float_eq(find(&layer, "chunk states")->flop[RK_FORWARD], 2 * T * N * P * heads, 1);
    cr_expect_float_eq(find(&layer, "outputs from states")->flop[RK_FORWARD], 2 * T * N * P * heads,
                       1);
    /* backward runs two products for each, and scores and states once more */
    cr_expect_float_eq(find(&layer, "chunk states")->flop[RK_AGRAD], 3 * 2 * T * N * P * heads, 1);
    cr_expect_float_eq(find(&layer, "chunk outputs")->flop[RK_AGRAD], 2 * 2 * T * Q * P * heads, 1);
}

static double sum_of(const struct layer *layer, double (*value)(const struct operation *))
{
    double sum = 0;
    for (int i = 0; i < layer->operations; i++)
        sum += value(&layer->operation[i]);
    return sum;
}

static double forward(const struct operation *op)
{
    return op->flop[RK_FORWARD];
}

static double saved(const struct operation *op)
{
    return op->saved_bytes;
}

/* A recurrence is linear in the sequence, where attention's scores are quadratic. */
Test(layers_pattern, recurrences_are_linear_in_the_sequence)
{
    static const enum rk_recurrence kinds[] = {RK_MAMBA_2, RK_GATED_DELTA, RK_KIMI_DELTA,
                                               RK_LIGHTNING};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct rk_model m = mamba2(1, 2048);
        struct rk_plan plan = plan_of(1);
        struct layer once, twice;
        m.recurrence = kinds[i];
        m.recurrent_groups = 16;
        m.time_rank = kinds[i] == RK_KIMI_DELTA ? 64 : 0;
        layer_build(&once, layer_kind_of(&m, 0), &m, &plan);
        plan.sequence = 2 * m.sequence;
        layer_build(&twice, layer_kind_of(&m, 0), &m, &plan);
        cr_expect_float_eq(sum_of(&twice, forward), 2 * sum_of(&once, forward), 1);
        cr_expect_float_eq(sum_of(&twice, saved), 2 * sum_of(&once, saved), 1);
    }
}

/* [waleffe2024]: a hybrid of 24 Mamba-2, 4 attention and 28 MLP layers (the pattern of
 * Megatron-LM's README) uses 1,024 H100 nearly as well as a transformer of the same size. */
Test(layers_pattern, a_hybrid_trains_nearly_as_well_as_a_transformer)
{
    static const char pattern[] = "M-M-M--M-M*-M-M-M-M--M*-M-M-M-M-M*--M-M-M-M-M*-M--M-M-M-";
    struct rk_plan plan = plan_of(4);
    struct rk_model model[2];
    static struct rk_prediction prediction[2];
    struct rk_system system;
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, &error), RK_OK, "%s", error.text);
    plan.ranks = plan.batch = 1024;
    plan.microbatch = 4;
    plan.sequence_parallel = true;
    plan.zero = 1;
    for (int i = 0; i < 2; i++) {
        struct rk_model *m = &model[i];
        *m = mamba2(i ? 56 : 32, 4096);
        m->feedforward = 16384;
        m->heads = 32;
        m->head_dim = 128;
        m->sequence = 4096;
        m->vocabulary = 256000;
        m->tied_embeddings = false;
        m->flash_attention = m->causal_skip = true;
        m->activation = RK_SQUARED_RELU;
        m->mixers[0] = m->mlps[0] = '\0';
        m->recurrence = RK_RECURRENCE_NONE;
        m->recurrent_groups = 0;
    }
    struct rk_model *hybrid = &model[1];
    hybrid->recurrence = RK_MAMBA_2;
    hybrid->recurrent_heads = 128;
    hybrid->recurrent_groups = hybrid->kv_heads = 8;
    for (int i = 0; i < 56; i++) {
        hybrid->mixers[i] = pattern[i] == 'M' ? 'r' : pattern[i] == '*' ? 'a' : '-';
        hybrid->mlps[i] = pattern[i] == '-' ? 'd' : '-';
    }
    const struct pattern_counts counts = pattern_count(hybrid);
    cr_expect(counts.mixers[MIXER_RECURRENT] == 24 && counts.mixers[MIXER_ATTENTION] == 4 &&
              counts.mlps[MLP_DENSE] == 28);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(rk_predict(&model[i], &system, &plan, &prediction[i]), RK_FITS, "%d %s",
                     (int)prediction[i].verdict, prediction[i].reason[0].what);
    const double ratio = prediction[1].mfu / prediction[0].mfu;
    cr_expect(ratio > 0.8 && ratio < 1.05, "%g, %g", prediction[0].mfu, prediction[1].mfu);
    rk_system_release(&system);
}

/* What is counted has no operations: no plan runs it, and the reason has its name. */
Test(layers_pattern, what_is_not_predicted_is_refused_by_name)
{
    struct rk_model m = mamba2(2, 1024);
    struct rk_plan plan = plan_of(1);
    static struct rk_prediction prediction;
    struct rk_system system;
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, &error), RK_OK, "%s", error.text);
    cr_expect_eq(rk_predict(&m, &system, &plan, &prediction), RK_FITS);
    plan.ranks = plan.context = 2;
    cr_expect_eq(rk_predict(&m, &system, &plan, &prediction), RK_BAD_OPTION);
    plan.ranks = plan.context = 1;
    plan.tensor = plan.ranks = 2; /* one group */
    cr_expect_eq(rk_predict(&m, &system, &plan, &prediction), RK_BAD_TENSOR);
    cr_expect_str_eq(prediction.reason[0].what, "recurrent_groups");
    plan.tensor = plan.ranks = 1;
    m.recurrence = RK_MAMBA;
    m.time_rank = 64;
    cr_expect_eq(rk_predict(&m, &system, &plan, &prediction), RK_BAD_MODEL);
    cr_expect_str_eq(prediction.reason[0].what,
                     "the selective scan of Mamba, counted but not predicted");
    rk_system_release(&system);
}

/* ---- any pattern ---- */

static void random_letters(char *to, const char *letters)
{
    const uint64_t length = 1 + draw(6);
    for (uint64_t i = 0; i < length; i++)
        to[i] = letters[draw(strlen(letters))];
    to[length] = '\0';
}

static struct rk_model random_model(void)
{
    struct rk_model m = {.layers = 2 + draw(11),
                         .hidden = 128 * (1 + draw(4)),
                         .feedforward = 128 * (1 + draw(4)),
                         .heads = 16,
                         .head_dim = 16 * (1 + draw(3)),
                         .kv_heads = UINT64_C(4) << draw(3),
                         .sequence = 512,
                         .vocabulary = 1024,
                         .position = coin() ? RK_POSITION_ROPE : RK_POSITION_LEARNED,
                         .position_rows = coin() ? 700 : 0,
                         .tied_embeddings = coin(),
                         .qkv_biases = coin(),
                         .out_biases = coin(),
                         .mlp_biases = coin(),
                         .head_biases = coin(),
                         .count_embeddings = true,
                         .norm = (enum rk_norm)draw(4),
                         .block_norms = coin()   ? 4
                                        : coin() ? 3
                                                 : 0,
                         .gated_mlp = coin(),
                         .activation = (enum rk_activation)draw(5),
                         .attention_gate = coin(),
                         .attention_sinks = coin(),
                         .attention_cap = coin(),
                         .logit_cap = coin(),
                         .qk_norm = coin(),
                         .no_dropout = coin(),
                         .window = 64,
                         .window_chunks = coin(),
                         .local_heads = coin() ? 32 : 0,
                         .local_kv_heads = coin() ? 8 : 0,
                         .local_head_dim = coin() ? 48 : 0,
                         .value_dim = coin() ? 32 : 0,
                         .experts = 8,
                         .active_experts = 2,
                         .expert_feedforward = 64,
                         .shared_feedforward = coin() ? 192 : 0,
                         .recurrence = (enum rk_recurrence)(RK_MAMBA_2 + draw(4)),
                         .recurrent_heads = 16,
                         .recurrent_dim = 8 * (1 + draw(4)),
                         .recurrent_groups = UINT64_C(4) << draw(3),
                         .state = 32,
                         .convolution = 4,
                         .recurrent_norm = coin()};
    m.shared_gate = m.shared_feedforward && coin();
    m.qk_norm_wide = m.qk_norm && coin();
    m.time_rank = m.recurrence == RK_KIMI_DELTA ? 16 : 0;
    if (m.recurrence == RK_LIGHTNING) m.convolution = 0;
    random_letters(m.mixers, coin() ? "alrb" : "alrb-");
    random_letters(m.mlps, strchr(m.mixers, '-') ? "de" : "de-");
    return m;
}

static double parameters_of_a_rank(const struct rk_model *m, const struct rk_plan *plan)
{
    double counts[LAYER_KINDS] = {[LAYER_EMBEDDING] = 1, [LAYER_HEAD] = 1}, sum = 0;
    layer_count(m, 0, m->layers, counts);
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        struct layer layer;
        if (counts[kind] == 0) continue;
        layer_build(&layer, (enum layer_kind)kind, m, plan);
        for (int i = 0; i < layer.operations; i++) {
            const struct operation *op = &layer.operation[i];
            sum += counts[kind] * op->parameters;
            cr_assert(isfinite(op->saved_bytes + op->working_bytes + op->flop[RK_AGRAD]), "%s",
                      op_name(op->op));
            cr_assert(op->part != NOT_A_PART || op->saved_bytes == op->saved_recomputed_bytes,
                      "%s is not a part, but drops something", op_name(op->op));
        }
    }
    return sum;
}

/* The operations of all layers have the parameters that are counted, whatever the pattern. */
Test(layers_pattern, operations_have_the_parameters_that_are_counted)
{
    for (uint64_t seed = 0; seed < 2000; seed++) {
        state = seed * 977 + 1;
        const struct rk_model m = random_model();
        const struct rk_plan plan = plan_of(1);
        cr_assert_eq(parameters_of_a_rank(&m, &plan), (double)rk_model_parameters(&m), "seed %d",
                     (int)seed);
    }
}

/* Matrices of recurrences are split over tensor ranks: twice the ranks, half of a wide model's. */
Test(layers_pattern, tensor_ranks_share_a_recurrence)
{
    struct rk_model m = mamba2(2, 2048);
    m.recurrent_groups = 8;
    const struct rk_plan one = plan_of(1), four = plan_of(4);
    const double whole = parameters_of_a_rank(&m, &one), part = parameters_of_a_rank(&m, &four);
    cr_expect_float_eq(4 * part, whole + 3 * 3 * 2048, 1e-6, "block norms, and the final one");
}

/* Chunks see half of themselves on average, a window all of itself behind its first tokens. */
Test(layers_pattern, chunks_and_windows)
{
    struct rk_model m = random_model();
    struct rk_plan plan = plan_of(1);
    struct layer layer;
    strcpy(m.mixers, "l");
    strcpy(m.mlps, "d");
    m.local_heads = 0;
    m.sequence = 512;
    m.window = 128;
    m.window_chunks = true;
    layer_build(&layer, layer_kind_of(&m, 0), &m, &plan);
    cr_expect_eq(find(&layer, "attention")->pairs, 4 * 128 * 129 / 2);
    m.window_chunks = false;
    layer_build(&layer, layer_kind_of(&m, 0), &m, &plan);
    cr_expect_eq(find(&layer, "attention")->pairs, 128 * 129 / 2 + 384 * 128);
    m.window = 200; /* chunks of 200, 200 and 112 */
    m.window_chunks = true;
    layer_build(&layer, layer_kind_of(&m, 0), &m, &plan);
    cr_expect_eq(find(&layer, "attention")->pairs, 2 * 200 * 201 / 2 + 112 * 113 / 2);
}

/* The last tokens of each chunk are seen by all that follow: counted pair by pair. */
Test(layers_pattern, chunks_with_globals)
{
    static const uint64_t shapes[][3] = {
        {512, 128, 16}, {512, 200, 40}, {512, 64, 64}, {96, 128, 32}};
    struct rk_model m = random_model();
    struct rk_plan plan = plan_of(1);
    struct layer layer;
    strcpy(m.mixers, "l");
    strcpy(m.mlps, "d");
    m.local_heads = 0;
    m.window_chunks = true;
    for (int n = 0; n < 4; n++) {
        const uint64_t s = m.sequence = shapes[n][0], w = m.window = shapes[n][1];
        const uint64_t globals = m.window_globals = shapes[n][2];
        double pairs = 0;
        for (uint64_t q = 0; q < s; q++)
            for (uint64_t k = 0; k <= q; k++)
                pairs += k / w == q / w || k % w >= w - globals;
        layer_build(&layer, layer_kind_of(&m, 0), &m, &plan);
        cr_expect_eq(find(&layer, "attention")->pairs, pairs, "%d: %g for %g", n,
                     find(&layer, "attention")->pairs, pairs);
    }
}

/* The short way to say a pattern and the long one are the same model. */
Test(layers_pattern, letters_say_what_the_short_keys_say)
{
    struct rk_model brief = {.layers = 14, .experts = 4, .active_experts = 1, .window = 64};
    struct rk_model letters = brief;
    brief.dense_layers = 3;
    brief.expert_every = 2;
    brief.window_every = 6;
    strcpy(letters.mixers, "llllla");
    strcpy(letters.mlps, "ddddededededed");
    for (uint64_t i = 0; i < 14; i++)
        cr_expect_eq(layer_kind_of(&brief, i), layer_kind_of(&letters, i), "%d", (int)i);
    const struct pattern_counts a = pattern_count(&brief), b = pattern_count(&letters);
    cr_expect(memcmp(&a, &b, sizeof a) == 0);
}

/* ---- files ---- */

static enum rk_status read_keys(const char *keys, struct rk_model *model, struct rk_error *error)
{
    char text[1024];
    struct document document;
    snprintf(
        text, sizeof text,
        "{\"layers\": 4, \"hidden\": 64, \"feedforward\": 256, \"heads\": 4, \"sequence\": 128, "
        "%s}",
        keys);
    enum rk_status status = document_parse("x.json", text, strlen(text), &document, error);
    if (status == RK_OK) status = model_read(&document, "x", model, error);
    document_release(&document);
    return status;
}

Test(layers_pattern, contradicting_keys_are_refused)
{
    static const char *const cases[][2] = {
        {"\"mixers\": \"az\"", "must be of the letters"},
        {"\"mlps\": \"da\"", "must be of the letters"},
        {"\"mixers\": \"ee\", \"encoder_sequence\": 8", "need each other"},
        {"\"mixers\": \"ex\"", "goes with layers of an encoder"},
        {"\"encoder_sequence\": 8", "goes with layers of an encoder"},
        {"\"mixers\": \"ex\", \"encoder_sequence\": 8, \"parallel_block\": true",
         "plain attention"},
        {"\"mixers\": \"al\"", "needs window"},
        {"\"mixers\": \"aa\", \"window\": 32", "no layer of mixers is local"},
        {"\"mixers\": \"ar\"", "needs recurrence"},
        {"\"mixers\": \"ar\", \"recurrence\": \"mamba2\"", "needs recurrent_heads"},
        {"\"recurrence\": \"mamba2\"", "no layer of mixers is recurrent"},
        {"\"state\": 16", "recurrence: missing"},
        {"\"mlps\": \"de\"", "needs experts"},
        {"\"mlps\": \"d\", \"experts\": 4, \"active_experts\": 1", "leaves no layer with experts"},
        {"\"mlps\": \"de\", \"experts\": 4, \"active_experts\": 1, \"dense_layers\": 1",
         "leave these out"},
        {"\"mixers\": \"a-\", \"mlps\": \"d-\"", "neither a mixer nor an MLP"},
        {"\"mixers\": \"a-\", \"parallel_block\": true", "both halves"},
        {"\"block_norms\": 4, \"parallel_block\": true", "must be 1 or 2"},
        {"\"qk_norm_wide\": true", "needs qk_norm"},
        {"\"index_heads\": 4", "needs latent attention"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rk_model model;
        struct rk_error error = {.text = ""};
        cr_expect_eq(read_keys(cases[i][0], &model, &error), RK_BAD_INPUT, "%s", cases[i][0]);
        cr_expect(strstr(error.text, cases[i][1]), "%s: %s", cases[i][0], error.text);
    }
}
