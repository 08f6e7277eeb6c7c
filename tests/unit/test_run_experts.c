/* What the exchanges of experts send is Table 4's formula [jin2025], byte for byte: four exchanges
 * a layer of each token's copies, of which those for experts elsewhere leave; narrowed tokens are
 * as much smaller as they are narrow. Every token goes to all experts here, so that the router
 * decides nothing.
 */
#include "run_cases.h"

enum {
    COMM = 4, /* of RK_TRAIN_PARTS */
    LAYERS = 3,
    HIDDEN = 32,
    NARROW = 8,
    EXPERTS = 4,
    TOKENS = 8 * 32
};

static struct rk_model mixture(bool narrowed)
{
    struct rk_model model = run_model(3);
    model.layers = LAYERS;
    model.shared_experts = 0;
    model.shared_gate = false;
    model.experts = model.active_experts = EXPERTS;
    model.gated_mlp = false;
    model.expert_feedforward = narrowed ? HIDDEN : NARROW; /* as many FLOP */
    model.expert_hidden = narrowed ? NARROW : 0;
    return model;
}

/* Beside it each rank says to each peer how many rows come, of `counts` kinds, once a layer and
 * microbatch. */
static double counts_bytes(int ranks, double microbatches, int counts)
{
    return LAYERS * microbatches * ranks * (ranks - 1) * counts * sizeof(size_t);
}

static double sent_bytes(bool narrowed, int ranks, const char *dispatcher)
{
    const struct rk_model model = mixture(narrowed);
    struct rk_train settings = run_settings(2);
    struct rk_train_result result;
    struct run_trace trace;
    struct rk_error error;
    char words[80];
    settings.double_precision = false;
    snprintf(words, sizeof words, "dp%d ep%d mbs1 gbs8 dispatcher=%s", ranks, ranks, dispatcher);
    cr_assert_eq(run_plan_result(&model, words, &settings, &trace, &result, &error), RK_OK,
                 "%s: %s", words, error.text);
    return result.part_sent_bytes[COMM];
}

Test(run_experts, bytes)
{
    for (int ranks = 2; ranks <= 4; ranks *= 2)
        for (int narrowed = 0; narrowed < 2; narrowed++) {
            const double width = narrowed ? NARROW : HIDDEN;
            const double copies = 4.0 * LAYERS * TOKENS * EXPERTS * width * sizeof(float);
            const double need =
                copies * (ranks - 1) / ranks + counts_bytes(ranks, 8.0 / ranks, EXPERTS / ranks);
            const double sent = sent_bytes(narrowed, ranks, "alltoall");
            cr_expect_eq(sent, need, "%d ranks, width %g: %.0f for %.0f", ranks, width, sent, need);
        }
    unlink(run_data());
}

/* Of a sample of 32 tokens, which go to all experts, each expert takes the first ones. */
Test(run_experts, bytes_of_capacity)
{
    static const struct {
        const char *words;
        double kept;
    } capacities[] = {{"alltoall capacity=0.5", 16},
                      {"alltoall capacity=0.51", 17},
                      {"alltoall capacity=0.01", 1},
                      {"alltoall capacity=1", 32},
                      {"alltoall capacity=3", 32}};
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
        const double copies =
            4.0 * LAYERS * TOKENS / 32 * capacities[i].kept * EXPERTS * HIDDEN * sizeof(float);
        const double need = copies / 2 + counts_bytes(2, 4, EXPERTS / 2);
        const double sent = sent_bytes(false, 2, capacities[i].words);
        cr_expect_eq(sent, need, "%s: %.0f for %.0f", capacities[i].words, sent, need);
    }
    unlink(run_data());
}

/* Dispatchers that send tokens: each once to every other rank, in all four exchanges. With it go
 * its experts and their weights, and the weights' gradients come back. */
Test(run_experts, bytes_by_token)
{
    static const char *const dispatchers[] = {"allgather", "deepep"};
    for (int i = 0; i < 2; i++)
        for (int ranks = 2; ranks <= 4; ranks *= 2) {
            const double route = EXPERTS * (sizeof(float) + sizeof(uint32_t));
            const double token = 4 * HIDDEN * sizeof(float) + route + EXPERTS * sizeof(float);
            const double need =
                LAYERS * TOKENS * token * (ranks - 1) + counts_bytes(ranks, 8.0 / ranks, 1);
            const double sent = sent_bytes(false, ranks, dispatchers[i]);
            cr_expect_eq(sent, need, "%s, %d ranks: %.0f for %.0f", dispatchers[i], ranks, sent,
                         need);
        }
    unlink(run_data());
}
