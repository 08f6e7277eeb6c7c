/* What no plan can be: one reason after the other, on a machine and models that allow the rest. */
#include "layouts.h"
#include "predict_cases.h"
#include "rules/predicates.h"
#include "rules/rules.h"

#include <reckon/check.h>

#include <string.h>

static struct machine machine;
static struct rk_model model;
static struct rk_plan plan;
static struct rk_prediction prediction;

static void begin(const struct rk_model *of)
{
    machine_init(&machine, 1e6);
    model = *of;
    plan = rk_plan_default();
    plan.ranks = 8;
    plan.batch = 64;
}

/* The verdict with `change`, which fits without it. */
#define EXPECT(verdict_, of, change)                                                               \
    do {                                                                                           \
        begin(of);                                                                                 \
        cr_expect_eq(rk_predict(&model, &machine.system, &plan, &prediction), RK_FITS);            \
        change;                                                                                    \
        cr_expect_eq(rk_predict(&model, &machine.system, &plan, &prediction), verdict_, "%s: %s",  \
                     #change, rk_verdict_name(prediction.verdict));                                \
        cr_expect(verdict_ == RK_FITS || prediction.reason[0].what, #change);                      \
    } while (0)

Test(plan_check, ranks)
{
    EXPECT(RK_FITS, &small, machine.system.devices = 8);
    EXPECT(RK_BAD_DEGREES, &small, machine.system.devices = 7);
    EXPECT(RK_FITS, &small, machine.network[1].size = 8);
    EXPECT(RK_NETWORK_TOO_SMALL, &small, machine.network[1].size = 7);
}

/* 4 heads; 6 * 64 = 384 of hidden and 256 of the MLP. */
Test(plan_check, tensor)
{
    EXPECT(RK_FITS, &small, plan.tensor = 4);
    EXPECT(RK_BAD_TENSOR, &small, plan.tensor = 8);
    EXPECT(RK_BAD_TENSOR, &small, plan.tensor = 4; model.feedforward = 258);
    EXPECT(RK_BAD_TENSOR, &small, plan.tensor = 4; model.hidden = 66);
    EXPECT(RK_FITS, &small, plan.tensor = 4; model.kv_heads = 2);
    EXPECT(RK_BAD_TENSOR, &small, plan.tensor = 4; model.heads = 12; model.kv_heads = 3);
    EXPECT(RK_FITS, &small, plan.tensor = 4; model.attention = RK_ATTENTION_MULTIQUERY);
}

/* Where all layers are mixtures there is no dense MLP to divide. */
Test(plan_check, tensor_of_mixtures)
{
    const struct rk_model mixture = small_mixture();
    EXPECT(RK_FITS, &mixture, plan.tensor = 4; model.feedforward = 258);
    EXPECT(RK_BAD_TENSOR, &mixture, plan.tensor = 4; model.feedforward = 258;
           model.dense_layers = 1);
    EXPECT(RK_BAD_TENSOR, &mixture, plan.tensor = 4; model.expert_feedforward = 258);
    EXPECT(RK_FITS, &mixture, plan.tensor = 4; plan.expert_tensor = 1;
           model.expert_feedforward = 258);
}

/* 128 tokens, 4 heads. */
Test(plan_check, context)
{
    EXPECT(RK_FITS, &small, plan.context = 8);
    EXPECT(RK_BAD_OPTION, &small, plan.context = 8; plan.sequence = 132);
    EXPECT(RK_BAD_OPTION, &small, plan.tensor = 4; plan.sequence = 126;
           plan.sequence_parallel = true);
    EXPECT(RK_FITS, &small, plan.context = 4; plan.context_kind = RK_ULYSSES);
    EXPECT(RK_BAD_OPTION, &small, plan.context = 8; plan.context_kind = RK_ULYSSES);
    EXPECT(RK_FITS, &small, plan.context = 8; plan.context_kind = RK_RING_ULYSSES;
           plan.ulysses = 2);
    EXPECT(RK_BAD_OPTION, &small, plan.context = 2; plan.context_kind = RK_RING_ULYSSES;
           plan.ulysses = 4);
}

/* 8 experts. */
Test(plan_check, experts)
{
    const struct rk_model mixture = small_mixture();
    EXPECT(RK_FITS, &mixture, plan.expert = 8);
    EXPECT(RK_BAD_OPTION, &mixture, plan.expert = 8; model.experts = 12);
    EXPECT(RK_BAD_DEGREES, &mixture, plan.expert = 8; plan.pipeline = 2);
    EXPECT(RK_BAD_DEGREES, &mixture, plan.expert = 8; plan.expert_tensor = 2);
    EXPECT(RK_BAD_OPTION, &mixture, plan.imbalance = 0.5);
    EXPECT(RK_BAD_OPTION, &mixture, plan.capacity_factor = -1);
    EXPECT(RK_BAD_OPTION, &small, plan.expert = 2);
}

/* 4 blocks. */
Test(plan_check, pipeline)
{
    EXPECT(RK_FITS, &small, plan.pipeline = 4);
    EXPECT(RK_BAD_PIPELINE, &small, plan.pipeline = 8);
    EXPECT(RK_FITS, &small, plan.pipeline = plan.chunks = 2);
    EXPECT(RK_BAD_PIPELINE, &small, plan.pipeline = plan.chunks = 2;
           plan.schedule = RK_ZERO_BUBBLE);
    EXPECT(RK_BAD_PIPELINE, &small, plan.chunks = 2);
    EXPECT(RK_FITS, &small, plan.pipeline = 2; edit(&plan)->splits = 2; edit(&plan)->split[0] = 3;
           edit(&plan)->split[1] = 1);
    EXPECT(RK_BAD_PIPELINE, &small, plan.pipeline = 2; edit(&plan)->splits = 2;
           edit(&plan)->split[0] = 2; edit(&plan)->split[1] = 1);
    EXPECT(RK_BAD_PIPELINE, &small, plan.pipeline = 2; edit(&plan)->splits = 2;
           edit(&plan)->split[0] = 3; edit(&plan)->split[1] = 2);
    EXPECT(RK_BAD_PIPELINE, &small, plan.pipeline = 2; edit(&plan)->splits = 1;
           edit(&plan)->split[0] = 4);
    EXPECT(RK_BAD_PIPELINE, &small, plan.pipeline = 2; plan.first_layers = 3; plan.last_layers = 2);
}

/* An even number of stages and of microbatches, at least twice as many as stages. */
Test(plan_check, dualpipe)
{
    EXPECT(RK_FITS, &small, plan.pipeline = 2; plan.schedule = RK_DUALPIPE);
    EXPECT(RK_BAD_PIPELINE, &small, plan.ranks = 3; plan.pipeline = 3; plan.schedule = RK_DUALPIPE);
    EXPECT(RK_BAD_PIPELINE, &small, plan.pipeline = 2; plan.batch = 4 * 2;
           plan.schedule = RK_DUALPIPE);
    EXPECT(RK_BAD_PIPELINE, &small, plan.pipeline = 2; plan.batch = 4 * 5;
           plan.schedule = RK_DUALPIPE);
}

/* Two chunks on 2 to 64 stages, dealt by split alone. */
Test(plan_check, v_shaped)
{
    EXPECT(RK_FITS, &small, plan.pipeline = 2; plan.chunks = 2; plan.schedule = RK_V_HALF);
    EXPECT(RK_BAD_PIPELINE, &small, plan.pipeline = 2; plan.schedule = RK_V_ZERO);
    EXPECT(RK_BAD_PIPELINE, &small, plan.chunks = 2; plan.schedule = RK_V_ZERO);
    EXPECT(RK_BAD_PIPELINE, &small, plan.pipeline = 2; plan.chunks = 2; plan.schedule = RK_V_MIN;
           plan.microbatch_group = 2);
    EXPECT(RK_BAD_PIPELINE, &small, plan.pipeline = 2; plan.chunks = 2; plan.schedule = RK_V_MIN;
           plan.first_layers = 1);
}

/* Of Megatron-LM's pipelines, which add gradients within the product; whole matrices. */
Test(plan_check, put_off_gradients_and_muon)
{
    EXPECT(RK_FITS, &small, plan.pipeline = 2; plan.deferred_wgrad = 2);
    EXPECT(RK_BAD_OPTION, &small, plan.deferred_wgrad = 2);
    EXPECT(RK_BAD_OPTION, &small, plan.pipeline = 2; plan.deferred_wgrad = 2;
           plan.gradient_fusion = false);
    EXPECT(RK_BAD_OPTION, &small, plan.pipeline = 2; plan.deferred_wgrad = 2;
           plan.schedule = RK_ZERO_BUBBLE);
    EXPECT(RK_BAD_OPTION, &small, plan.pipeline = 2; plan.deferred_wgrad = 2;
           plan.framework = RK_FSDP);
    EXPECT(RK_FITS, &small, plan.optimizer = RK_MUON);
    EXPECT(RK_FITS, &small, plan.optimizer = RK_MUON; plan.zero = 1);
    EXPECT(RK_BAD_OPTION, &small, plan.optimizer = RK_MUON; plan.zero = 2);
    EXPECT(RK_BAD_OPTION, &small, plan.optimizer = RK_MUON; plan.framework = RK_DEEPSPEED);
    EXPECT(RK_FITS, &small, plan.optimizer = RK_MUON; plan.framework = RK_FSDP; plan.zero = 3);
    EXPECT(RK_BAD_OPTION, &small, plan.adapters = 2);
    EXPECT(RK_BAD_OPTION, &small, plan.embedding_fp32 = true);
}

Test(plan_check, sharding_and_offload)
{
    EXPECT(RK_FITS, &small, plan.framework = RK_DEEPSPEED; plan.pipeline = 2; plan.zero = 1);
    EXPECT(RK_BAD_OPTION, &small, plan.framework = RK_DEEPSPEED; plan.pipeline = 2; plan.zero = 2);
    EXPECT(RK_FITS, &small, plan.zero = 1; plan.shard_ranks = 4);
    EXPECT(RK_BAD_OPTION, &small, plan.zero = 1; plan.shard_ranks = 5);
    EXPECT(RK_BAD_OPTION, &small, rk_plan_offload_activations(&plan, 1.5));
    EXPECT(RK_BAD_OPTION, &small, plan.share[RK_SHARE_WEIGHTS][0] = -0.5);
    EXPECT(RK_FITS, &small, plan.share[RK_SHARE_WEIGHTS][0] = 0.5);
    EXPECT(RK_BAD_MEMORY, &small, plan.share[RK_SHARE_WEIGHTS][0] = 0.5;
           machine.system.memories = 1);
    EXPECT(RK_BAD_MEMORY, &small, rk_plan_offload_activations(&plan, 0.5);
           machine.system.memories = 1);
}

/* What just fits fits. */
Test(plan_check, memory)
{
    begin(&small);
    plan.pipeline = 2;
    rk_predict(&model, &machine.system, &plan, &prediction);
    const double most = fmax(prediction.stage[0].total_bytes, prediction.stage[1].total_bytes);
    cr_expect_eq(prediction.stage[prediction.tightest].total_bytes, most);
    cr_expect_neq(prediction.stage[0].total_bytes, prediction.stage[1].total_bytes);
    EXPECT(RK_FITS, &small, plan.pipeline = 2; machine.memory[0].capacity_bytes = most);
    EXPECT(RK_MEMORY_EXCEEDED, &small, plan.pipeline = 2;
           machine.memory[0].capacity_bytes = most - 1);
    cr_expect(prediction.timed);
    cr_expect_eq(prediction.reason[0].need, most);
    cr_expect_eq(prediction.reason[0].have, most - 1);
}

/* ---- the table ---- */

/* Each row names a rule of the checker, or none; the first broken is the first of all of them. */
Test(plan_check, rows_name_rules_of_the_checker)
{
    static const char *const ids[] = {
#define RULE(name, part, who, id, ...) id,
#include "rules/rules.def"
    };
    for (int i = 0; i < RULES; i++) {
        const struct rk_rule *rule = rk_rules();
        while (rule->id && strcmp(rule->id, ids[i]) != 0)
            rule++;
        cr_expect(!*ids[i] || rule->id, "%s", ids[i]);
    }
}

Test(plan_check, all_that_is_broken_begins_with_the_first)
{
    enum rule broken[RULES];
    struct rk_reason reason;
    begin(&small);
    plan.tensor = 8;
    plan.batch = 9;
    plan.zero = 4;
    const struct rule_case c = rule_case_of(&model, &machine.system, &plan);
    const unsigned parts = (1u << PLAN_CHECKS) - 1;
    cr_expect_eq(plan_check_parts(&model, &machine.system, &plan, parts, &reason), CHECK_TENSOR);
    cr_expect_eq(rules_broken(&c, parts, broken), 2);
    cr_expect_eq(broken[0], RULE_HEADS);
    cr_expect_eq(broken[1], RULE_ZERO);
    cr_expect_str_eq(rule_words(RULE_HEADS, &c).need, "heads: 4 over 8 ranks is not whole");
    cr_expect_str_eq(rule_words(RULE_HEADS, &c).fix, "use 4");
    cr_expect_str_eq(rule_words(RULE_ZERO, &c).need, "zero is 0 to 3");
    for (int i = 0; i < RULES; i++) /* who is broken does not hold */
        if (i == RULE_HEADS || i == RULE_ZERO) cr_expect_not(rule_holds((enum rule)i, &c));
}

static uint64_t state = 11;

static uint64_t below(uint64_t most)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % most;
}

static void draw_plan(void)
{
    const struct rk_model mixture = small_mixture();
    begin(below(2) ? &mixture : &small);
    plan.framework = (enum rk_framework)below(RK_CALCULON);
    plan.precision = (enum rk_precision)below(RK_PRECISIONS);
    plan.ranks = 1 + below(16);
    plan.batch = below(12) ? 8 * (1 + below(8)) : below(3);
    plan.tensor = 1 + below(5);
    plan.context = 1 + below(3);
    plan.pipeline = 1 + below(5);
    plan.chunks = 1 + below(3);
    plan.expert = 1 + below(3);
    plan.expert_tensor = below(3);
    plan.context_kind = (enum rk_context_kind)below(RK_CONTEXT_KINDS);
    plan.ulysses = below(4);
    plan.schedule = (enum rk_schedule)below(RK_SCHEDULES);
    plan.microbatch_group = below(3) ? 0 : below(5);
    plan.deferred_wgrad = below(4) ? 0 : 1;
    plan.sequence_parallel = below(2);
    plan.tensor_overlap = (enum rk_tensor_overlap)below(3);
    plan.sequence_chunks = below(4) ? 1 : 3;
    plan.first_layers = below(4) ? 0 : below(7);
    plan.zero = (int)below(5);
    plan.shard_ranks = below(4);
    plan.optimizer = below(4) ? RK_ADAM : RK_MUON;
    plan.recompute = (enum rk_recompute_mode)below(3);
    plan.recompute_rest = below(4) == 0;
    plan.expert_overlap = below(3) == 0;
    plan.share[RK_SHARE_ATTENTION][below(RK_SHARE_TIERS)] = below(3) ? 0 : 0.5 * (double)below(4);
}

/* Whole words, and a remedy that fits its room; most rows are met. */
Test(plan_check, each_broken_rule_has_words)
{
    bool met[RULES] = {false};
    int rows = 0;
    for (int i = 0; i < 20000; i++) {
        enum rule broken[RULES];
        draw_plan();
        struct rule_case c = rule_case_of(&model, &machine.system, &plan);
        c.who = ALL;
        const int count = rules_broken(&c, (1u << CHECK_PARTS) - 1, broken);
        for (int k = 0; k < count; k++) {
            const struct rule_words w = rule_words(broken[k], &c);
            cr_expect(*w.key && *w.need && strlen(w.need) + 1 < sizeof w.need &&
                          strlen(w.fix) + 1 < sizeof w.fix && strlen(w.have) + 1 < sizeof w.have,
                      "%d: %s: %s: %s", broken[k], w.key, w.need, w.fix);
            cr_expect_not(rule_holds(broken[k], &c), "%d", broken[k]);
            rows += !met[broken[k]];
            met[broken[k]] = true;
        }
    }
    cr_expect_gt(rows, 75);
}

/* A dense model has no experts whose tensor ranks could divide the others. */
Test(plan_check, expert_tensor_of_a_dense_model)
{
    EXPECT(RK_FITS, &small, plan.expert_tensor = 2);
    EXPECT(RK_BAD_DEGREES, &small, plan.expert_tensor = 3);
}

/* ---- rates, by hand ---- */

/* Forward of a sample: four blocks of 24 T h^2 and 2 a T (T + 1) d, and the head, 2 T h v; three
 * times that for each of 64 samples. Recomputed whole, the blocks' forward once more. In 8 bits the
 * peak is twice as high. */
Test(plan_check, rates)
{
    const double blocks = 4 * (24 * 128.0 * 64 * 64 + 2 * 4 * 128.0 * 129 * 16);
    const double head = 2 * 128 * 64 * 1024.0;
    begin(&small);
    plan.tensor = plan.context = 2;
    plan.attention = RK_UNFUSED;
    plan.recompute = RK_WHOLE;
    for (int narrow = 0; narrow < 2; narrow++) {
        const struct rk_prediction *p = &prediction;
        if (narrow) plan.precision = RK_FP8_CURRENT;
        rk_predict(&model, &machine.system, &plan, &prediction);
        const double possible = (narrow ? 2e6 : 1e6) * 8 * p->step_s;
        NEAR(p->model_flop, 3 * 64 * (blocks + head));
        NEAR(p->executed_flop, 64 * (4 * blocks + 3 * head));
        NEAR(p->mfu, p->model_flop / possible);
        NEAR(p->hfu, p->executed_flop / possible);
        NEAR(p->samples_per_s, 64 / p->step_s);
        NEAR(p->tokens_per_s, 64 * 128 / p->step_s);
    }
    plan.sequence = 64;
    rk_predict(&model, &machine.system, &plan, &prediction);
    NEAR(prediction.tokens_per_s, 64 * 64 / prediction.step_s);
}
