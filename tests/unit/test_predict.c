/* Predictions against published formulas, published measurements, and properties. */
#include "layouts.h"

#include <criterion/criterion.h>
#include <math.h>
#include <reckon/catalog.h>
#include <reckon/predict.h>
#include <string.h>

static struct rk_prediction prediction;

static struct rk_model model_of(const char *name)
{
    struct rk_model model;
    struct rk_error error = {0};
    cr_assert_eq(rk_model_load(name, &model, &error), RK_OK, "%s", error.text);
    return model;
}

static struct rk_system system_of(const char *name)
{
    struct rk_system system = {0};
    struct rk_error error = {0};
    cr_assert_eq(rk_system_load(name, &system, &error), RK_OK, "%s", error.text);
    return system;
}

static const struct rk_prediction *predict(const struct rk_model *model, const char *machine,
                                           const struct rk_plan *plan)
{
    struct rk_system system = system_of(machine);
    struct rk_plan on = *plan;
    const unsigned have = system.kernels.attention_kernels;
    if (!rk_attends(have, on.attention)) on.attention = rk_usual_attention(on.framework, have);
    rk_predict(model, &system, &on, &prediction);
    rk_system_release(&system);
    cr_assert(prediction.timed, "%s", rk_verdict_name(prediction.verdict));
    return &prediction;
}

/* ---- memory ---- */

/* Weights, gradients and optimizer, without workspaces. */
static double state_bytes(const struct rk_stage *stage)
{
    return stage->holds[RK_HOLD_weights] + stage->holds[RK_HOLD_gradients] +
           stage->holds[RK_HOLD_optimizer];
}

/* [rajbhandari2020] figure 1: 7.5 B parameters on 64 ranks need 120 GB, 31.4, 16.6 and 1.9 GB of
 * static memory as optimizer, gradients and weights are sharded: 16, 4 + 12/64, 2 + 14/64 and 16/64
 * bytes a parameter. */
Test(predict, zero_memory_is_that_of_its_paper)
{
    const double bytes[] = {16, 4 + 12.0 / 64, 2 + 14.0 / 64, 16.0 / 64};
    const struct rk_model model = model_of("megatron-7.5b");
    for (int zero = 0; zero <= 3; zero++) {
        struct rk_plan plan = rk_plan_default();
        plan.framework = RK_DEEPSPEED;
        plan.precision = RK_FP16;
        plan.ranks = plan.batch = 64;
        plan.zero = zero;
        const struct rk_stage *stage = &predict(&model, "h100-sxm5-80g", &plan)->stage[0];
        cr_expect_float_eq(state_bytes(stage) / stage->parameters, bytes[zero], 1e-9);
    }
}

/* Megatron-LM's table for its distributed optimizer: bytes a parameter without it, with it on d
 * ranks. Of fp16's 20 and 4 + 16/d, 4 and 4/d are gradients in fp32 that are there during the
 * optimizer step alone. */
Test(predict, megatron_keeps_what_it_documents)
{
    static const struct {
        enum rk_precision precision;
        double alone, kept, shared;
    } rows[] = {{RK_FP16, 16, 4, 12}, {RK_BF16, 18, 6, 12}, {RK_FP32, 16, 8, 8}};
    const struct rk_model model = model_of("megatron-1.7b");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rk_plan plan = rk_plan_default();
        plan.ranks = plan.batch = 8;
        plan.precision = rows[i].precision;
        const struct rk_stage *stage = &predict(&model, "a100-sxm4-80g", &plan)->stage[0];
        cr_expect_float_eq(state_bytes(stage) / stage->parameters, rows[i].alone, 1e-9);
        plan.zero = 1;
        stage = &predict(&model, "a100-sxm4-80g", &plan)->stage[0];
        cr_expect_float_eq(state_bytes(stage) / stage->parameters,
                           rows[i].kept + rows[i].shared / 8, 1e-9);
    }
}

static double near(const struct rk_stage *stage, double bytes)
{
    return stage->static_bytes / bytes - 1;
}

/* Measured by torch.cuda.memory_allocated() behind the last step of Megatron-LM's functional tests
 * on the A100, deterministic (workspaces of 32 MiB each), 12 layers of 512, heads of 64, 1024
 * tokens, microbatch 4, GPT-2's vocabulary in multiples of 128 t (tests/functional_tests at
 * d98e8a64). Last stages; parameters by hand, L blocks of 12 h^2 + 13 h, norm 2 h, table 50304 h:
 *
 *  gpt3_mcore_tp1_pp2 (its own layers, bf16, 6 blocks): 44,670,976 * 18 + 2 * 32 MiB + the scores'
 *      buffer 4 * 8 * 1024^2 * 2 + the last input and its gradient 2 * 4096 * 512 * 2 =
 * 946,683,904, and what the allocator does not split, 14 / 40 of the blocks' 18,914,304, which is
 * the mean of what is within twice that: 6,620,006; measured 948,653,056
 * gpt3_mcore_tp1_pp1..dist_optimizer (likewise, fp16, 8 ranks, 12 blocks, positions 1024 h):
 * 64,109,568 * (4 + 16/8) + 64 MiB + 64 MiB = 518,875,136; measured 518,880,768
 * gpt3_mcore_te_tp1_pp1..dist_optimizer (Transformer Engine, bf16): 64,109,568 * (6 + 12/8) + 68
 * MiB = 552,124,928; measured 552,128,512 */
Test(predict, static_bytes_of_megatrons_own_tests)
{
    static const struct {
        enum rk_precision precision;
        bool engine;
        uint64_t pipeline;
        int zero;
        double by_hand, measured;
    } rows[] = {{RK_BF16, false, 2, 0, 953303910.4, 948653056},
                {RK_FP16, false, 1, 1, 518875136, 518880768},
                {RK_BF16, true, 1, 1, 552124928, 552128512}};
    const struct rk_model model = {.layers = 12,
                                   .hidden = 512,
                                   .feedforward = 2048,
                                   .heads = 8,
                                   .head_dim = 64,
                                   .sequence = 1024,
                                   .vocabulary = 50257,
                                   .position = RK_POSITION_LEARNED,
                                   .norm = RK_LAYER_NORM,
                                   .biases = true,
                                   .tied_embeddings = true,
                                   .count_embeddings = true};
    struct rk_system system = system_of("a100-sxm4-80g");
    system.kernels.workspace_bytes = 32 * 0x1p20;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rk_plan plan = rk_plan_default();
        plan.ranks = 8;
        plan.batch = 32;
        plan.microbatch = 4;
        plan.pipeline = rows[i].pipeline;
        plan.precision = rows[i].precision;
        plan.transformer_engine = rows[i].engine;
        plan.gradient_fusion = false;
        plan.zero = rows[i].zero;
        plan.attention = RK_UNFUSED;
        plan.vocabulary_multiple = 128;
        rk_predict(&model, &system, &plan, &prediction);
        const struct rk_stage *stage = &prediction.stage[prediction.stages - 1];
        cr_expect_float_eq(near(stage, rows[i].by_hand), 0, 1e-12, "%zu: %.0f", i,
                           stage->static_bytes);
        cr_expect_float_eq(near(stage, rows[i].measured), 0, 0.005, "%zu", i);
    }
    rk_system_release(&system);
}

/* Placeholders of weight gradients, for each shape of one block and for the head: at tensor 8 of a
 * model of width 6144 with 48 heads, 8 of keys, feedforward 24576 and 256000 tokens (2 bytes):
 *     6144 * (6144 + 2 * 1024) / 8 + 6144 * 6144 / 8 + 2 * 6144 * 24576 / 8 + 6144 * 256000 / 8
 *   = 6,291,456 + 4,718,592 + 37,748,736 + 196,608,000 elements = 490,733,568 bytes. */
Test(predict, placeholders_of_gradients_are_one_a_shape)
{
    const struct rk_model model = {.layers = 4,
                                   .hidden = 6144,
                                   .feedforward = 24576,
                                   .heads = 48,
                                   .kv_heads = 8,
                                   .head_dim = 128,
                                   .sequence = 4096,
                                   .vocabulary = 256000,
                                   .position = RK_POSITION_ROPE,
                                   .count_embeddings = true};
    struct rk_plan plan = rk_plan_default();
    plan.ranks = plan.tensor = 8;
    const double with = predict(&model, "h100-sxm5-80g", &plan)->stage[0].static_bytes;
    plan.gradient_fusion = false;
    const double without = predict(&model, "h100-sxm5-80g", &plan)->stage[0].static_bytes;
    cr_expect_float_eq(with - without, 490733568, 1);
}

/* Transformer Engine's overlap has ten buffers of the stream past the allocator: 1 * 4096 * 4096
 * elements of 2 bytes each. */
Test(predict, overlapped_tensor_parallelism_needs_buffers)
{
    const struct rk_model model = model_of("llama3.1-8b");
    struct rk_plan plan = rk_plan_default();
    plan.ranks = plan.tensor = 8;
    plan.sequence = 4096;
    plan.sequence_parallel = true;
    const struct rk_stage alone = predict(&model, "h100-sxm5-80g", &plan)->stage[0];
    plan.tensor_overlap = true;
    const struct rk_stage *stage = &predict(&model, "h100-sxm5-80g", &plan)->stage[0];
    cr_expect_float_eq(stage->total_bytes - alone.total_bytes, 10 * 4096.0 * 4096 * 2, 1);
    cr_expect_float_eq(stage->allocated_bytes, alone.allocated_bytes, 1);
}

/* A head is in flight once on the last stage whatever the interleaving: twice the chunks hold no
 * second set of logits. p = 4, v = 3, one block a chunk: 9 chunks are in flight, and the logits of
 * one microbatch. 4 samples of 1024 tokens, 50304 logits in fp32: 786 MiB. */
Test(predict, interleaving_does_not_multiply_logits)
{
    struct rk_model model = model_of("megatron-1.7b");
    model.layers = 12;
    struct rk_plan plan = rk_plan_default();
    plan.ranks = plan.pipeline = 4;
    plan.batch = 64;
    plan.microbatch = 4;
    const double alone = predict(&model, "h100-sxm5-80g", &plan)->stage[3].holds[RK_HOLD_embedding];
    plan.chunks = 3;
    const struct rk_prediction *p = predict(&model, "h100-sxm5-80g", &plan);
    cr_expect_float_eq(p->stage[3].holds[RK_HOLD_embedding], alone, 1);
    cr_expect_float_eq(p->stage[3].in_flight, 3, 1e-12);
}

/* [narayanan2021] section 2.2: stage i of 1F1B holds min(m, p - i) microbatches; interleaved, the
 * first one (1 + (p-1)/(p v)) p, which Megatron-LM's warm-up makes 2 (p-1)/v + (v-1) p/v + 1/v. */
Test(predict, microbatches_in_flight)
{
    const struct rk_model model = model_of("gpt3-175b");
    struct rk_plan plan = rk_plan_default();
    plan.ranks = plan.pipeline = 8;
    plan.batch = 32;
    const struct rk_prediction *p = predict(&model, "a100-sxm4-80g", &plan);
    for (int i = 0; i < 8; i++)
        cr_expect_float_eq(p->stage[i].in_flight, 8 - i, 1e-12);
    plan.chunks = 3;
    p = predict(&model, "a100-sxm4-80g", &plan);
    for (int i = 0; i < 8; i++)
        cr_expect_float_eq(p->stage[i].in_flight, (2 * (8 - i - 1) + 2 * 8 + 1) / 3.0, 1e-12);
    plan.chunks = 1;
    plan.schedule = RK_GPIPE;
    cr_expect_float_eq(predict(&model, "a100-sxm4-80g", &plan)->stage[7].in_flight, 32, 1e-12);
    plan.schedule = RK_DUALPIPE;
    cr_expect_float_eq(predict(&model, "a100-sxm4-80g", &plan)->stage[7].in_flight, 9, 1e-12);
}

/* [deepseek2024v3]: a rank of DualPipe holds stage i, of which p - i microbatches are in flight,
 * and stage p - 1 - i, of which i + 1 are, and of the head's logits one microbatch's. Both ranks of
 * a pair hold the same; under ZeRO-1 the optimizer's state is over twice the ranks. */
Test(predict, dualpipe_holds_two_stages)
{
    const struct rk_model model = model_of("llama3.1-8b");
    struct rk_plan plan = rk_plan_default();
    struct rk_stage alone[4];
    plan.ranks = 8;
    plan.pipeline = 4;
    plan.batch = 32;
    plan.zero = 1;
    memcpy(alone, predict(&model, "h100-sxm5-80g", &plan)->stage, sizeof alone);
    plan.schedule = RK_DUALPIPE;
    const struct rk_prediction *p = predict(&model, "h100-sxm5-80g", &plan);
    for (int i = 0; i < 4; i++) {
        const struct rk_stage *pair = &p->stage[i], *own = &alone[i], *other = &alone[3 - i];
        cr_expect_float_eq(pair->holds[RK_HOLD_weights],
                           own->holds[RK_HOLD_weights] + other->holds[RK_HOLD_weights], 1);
        cr_expect_float_eq(pair->holds[RK_HOLD_optimizer],
                           (own->holds[RK_HOLD_optimizer] + other->holds[RK_HOLD_optimizer]) / 2,
                           1);
        cr_expect_float_eq(pair->holds[RK_HOLD_mlp],
                           own->holds[RK_HOLD_mlp] + other->holds[RK_HOLD_mlp], 1);
        cr_expect_float_eq(pair->holds[RK_HOLD_embedding],
                           own->holds[RK_HOLD_embedding] + other->holds[RK_HOLD_embedding], 1);
    }
}

/* ---- conservation ---- */

/* Whatever the split, the stages' parameters are the model's; a tied embedding is on both ends. */
Test(predict, stages_hold_the_whole_model)
{
    const struct rk_model model = model_of("llama3.1-8b");
    for (uint64_t pipeline = 1; pipeline <= 16; pipeline++)
        for (int counts = 0; counts < 4; counts++) {
            struct rk_plan plan = rk_plan_default();
            double sum = 0;
            plan.ranks = plan.pipeline = pipeline;
            plan.batch = 16;
            plan.embedding_counts = counts & 1;
            plan.head_counts = counts >> 1;
            const struct rk_prediction *p = predict(&model, "h100-sxm5-80g", &plan);
            for (int i = 0; i < p->stages; i++)
                sum += p->stage[i].parameters;
            cr_expect_float_eq(sum, (double)rk_model_parameters(&model), 0.5);
        }
}

/* The model's FLOP do not depend on how they are spread; what recomputation adds is one forward
 * pass of the blocks. */
Test(predict, flop_are_conserved)
{
    const struct rk_model model = model_of("llama3.1-8b");
    struct rk_plan plan = rk_plan_default();
    plan.batch = 32;
    const double alone = predict(&model, "h100-sxm5-80g", &plan)->model_flop;
    plan.ranks = 32;
    plan.tensor = 4;
    plan.pipeline = 2;
    plan.context = 2;
    plan.sequence_parallel = true;
    const double spread = predict(&model, "h100-sxm5-80g", &plan)->model_flop;
    cr_expect_float_eq(spread / alone, 1, 1e-9);
}

/* [jin2025] Table 4: a step of 524,288 tokens, experts over 32 ranks: TFLOP and GiB of all-to-all.
 */
Test(predict, bigmac_table_4)
{
    static const struct {
        const char *model;
        double flop, bytes; /* 1e12, GiB */
    } rows[] = {{"fine-grained-3.7b", 3490.67, 1488.00}, {"bigmac-3.8b", 3649.00, 372.00}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct rk_model model = model_of(rows[i].model);
        struct rk_plan plan = rk_plan_default();
        plan.ranks = plan.expert = 32;
        plan.batch = 256;
        const struct rk_prediction *p = predict(&model, "h100-sxm5-80g", &plan);
        cr_expect_float_eq(p->model_flop_full / 1e12, rows[i].flop, 0.005);
        cr_expect_float_eq(p->expert_sent_bytes / 0x1p30, rows[i].bytes, 0.005);
    }
}

/* ---- time ---- */

Test(predict, the_terms_are_the_step)
{
    const struct rk_model model = model_of("gpt3-175b");
    struct rk_plan plan = rk_plan_default();
    plan.ranks = 512;
    plan.tensor = plan.pipeline = 8;
    plan.batch = 512;
    plan.recompute = RK_WHOLE;
    const struct rk_prediction *p = predict(&model, "a100-sxm4-80g", &plan);
    double sum = 0;
    for (const struct rk_figure *f = rk_figures(); f->name; f++) {
        if (!f->time) continue;
        cr_expect(rk_figure_value(&p->outcome, f) >= 0, "%s", f->name);
        sum += rk_figure_value(&p->outcome, f);
    }
    cr_expect_float_eq(sum, p->step_s, 1e-12 * sum);
    cr_expect_float_eq(p->samples_per_s * p->step_s, 512, 1e-9);
}

/* [korthikanti2022] Table 5, measured on Selene, whose GPUs kept 0.97 of their rate
 * (data/measured/rules.json). */
Test(predict, selene)
{
    static const char selene[] = "a100-sxm4-80g kernels.sustained=0.97";
    static const struct {
        const char *model;
        uint64_t pipeline, chunks, microbatch, batch;
        double full_s, selective_s;
    } rows[] = {{"megatron-22b", 1, 1, 4, 4, 1.42, 1.10},
                {"gpt3-175b", 8, 3, 1, 64, 18.13, 13.75},
                {"mt-nlg-530b", 35, 3, 1, 280, 49.05, 37.83},
                {"megatron-1t", 64, 1, 1, 512, 94.42, 71.49}};
    double sum = 0, worst = 0;
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const struct rk_model model = model_of(rows[i / 2].model);
        struct rk_plan plan = rk_plan_default();
        plan.tensor = 8;
        plan.pipeline = rows[i / 2].pipeline;
        plan.ranks = 8 * plan.pipeline;
        plan.chunks = rows[i / 2].chunks;
        plan.microbatch = rows[i / 2].microbatch;
        plan.batch = rows[i / 2].batch;
        plan.precision = RK_FP16;
        plan.attention = RK_UNFUSED;
        plan.messages_sharded = true;
        plan.sequence_parallel = i % 2;
        plan.recompute = i % 2 ? RK_SELECTIVE : RK_WHOLE;
        plan.recompute_parts = 1 << RK_PART_CORE_ATTENTION;
        const double measured = i % 2 ? rows[i / 2].selective_s : rows[i / 2].full_s;
        const double off = fabs(predict(&model, selene, &plan)->step_s / measured - 1);
        sum += off;
        worst = fmax(worst, off);
    }
    cr_expect(sum / 8 < 0.04, "mean %.1f %%", 100 * sum / 8);
    cr_expect(worst < 0.08, "worst %.1f %%", 100 * worst);
}

/* ---- properties ---- */

static const struct {
    const char *model;
    uint64_t tensor, pipeline, context, expert, microbatch;
    int zero;
    enum rk_recompute_mode recompute;
} plans[] = {
    {"llama3.1-8b", 1, 1, 1, 1, 1, 3, RK_KEEP},       {"llama3.1-70b", 8, 4, 1, 1, 1, 1, RK_WHOLE},
    {"gpt3-175b", 8, 8, 1, 1, 2, 1, RK_SELECTIVE},    {"llama3.1-70b", 4, 2, 4, 1, 1, 1, RK_KEEP},
    {"mixtral-8x7b", 2, 4, 1, 8, 1, 1, RK_SELECTIVE}, {"deepseek-v3", 1, 8, 1, 32, 1, 1, RK_KEEP},
};

static struct rk_plan plan_at(size_t i)
{
    struct rk_plan plan = rk_plan_default();
    plan.ranks = 256;
    plan.batch = 512;
    plan.tensor = plans[i].tensor;
    plan.sequence_parallel = plan.tensor > 1;
    plan.pipeline = plans[i].pipeline;
    plan.context = plans[i].context;
    plan.expert = plans[i].expert;
    plan.expert_tensor = plan.expert > 1 ? 1 : 0;
    plan.microbatch = plans[i].microbatch;
    plan.zero = plans[i].zero;
    plan.recompute = plans[i].recompute;
    plan.recompute_parts = 1 << RK_PART_CORE_ATTENTION;
    plan.gradient_overlap = plan.weight_overlap = i % 2;
    return plan;
}

static void faster(struct rk_system *system, int what)
{
    if (what == 0)
        for (int d = 0; d < RK_DATATYPES; d++)
            system->matrix[d].peak_flops *= 1.7;
    if (what == 1) system->memory[0].bandwidth_Bps *= 1.7;
    if (what == 2) system->network[0].bandwidth_Bps *= 1.7;
    if (what == 3) system->network[1].bandwidth_Bps *= 1.7;
    if (what == 4) system->memory[0].capacity_bytes *= 1.7;
}

/* So the best plan is not slower either: it is the least of plans that are not. */
Test(predict, a_better_machine_never_makes_a_plan_slower)
{
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        for (int what = 0; what < 5; what++) {
            const struct rk_model model = model_of(plans[i].model);
            const struct rk_plan plan = plan_at(i);
            struct rk_system system = system_of("h100-sxm5-80g");
            const enum rk_verdict before = rk_predict(&model, &system, &plan, &prediction);
            const double before_s = prediction.step_s;
            cr_assert(prediction.timed, "plan %zu: %s: %s", i, rk_verdict_name(before),
                      prediction.reason[0].what);
            faster(&system, what);
            const enum rk_verdict after = rk_predict(&model, &system, &plan, &prediction);
            cr_expect(prediction.step_s <= before_s * (1 + 1e-12), "plan %zu, %d", i, what);
            cr_expect(before != RK_FITS || after == RK_FITS, "plan %zu, %d", i, what);
            rk_system_release(&system);
        }
}

Test(predict, recomputing_more_holds_less_and_takes_longer)
{
    const struct rk_model model = model_of("llama3.1-70b");
    struct rk_plan plan = plan_at(1);
    double bytes = 0, step_s = INFINITY;
    for (uint64_t layers = 1; layers <= 20; layers++) {
        plan.recompute_layers = layers;
        const struct rk_prediction *p = predict(&model, "h100-sxm5-80g", &plan);
        if (layers > 1) {
            cr_expect(p->stage[0].allocated_bytes < bytes, "%d layers", (int)layers);
            cr_expect(p->step_s > step_s, "%d layers", (int)layers);
        }
        bytes = p->stage[0].allocated_bytes;
        step_s = p->step_s;
    }
}

/* ---- what cannot run ---- */

Test(predict, reasons)
{
    const struct rk_model model = model_of("llama3.1-8b");
    struct rk_system system = system_of("a100-sxm4-80g");
#define REFUSED(verdict_, change)                                                                  \
    do {                                                                                           \
        struct rk_plan plan = rk_plan_default();                                                   \
        plan.ranks = plan.batch = 8;                                                               \
        plan.attention = RK_FLASH;                                                                 \
        change;                                                                                    \
        cr_expect_eq(rk_predict(&model, &system, &plan, &prediction), verdict_, #change);          \
        cr_expect(verdict_ == RK_FITS || prediction.reason[0].what, #change);                      \
    } while (0)
    REFUSED(RK_FITS, plan.zero = 3; plan.recompute = RK_WHOLE);
    REFUSED(RK_BAD_DEGREES, plan.tensor = 3);
    REFUSED(RK_BAD_DEGREES, plan.pipeline = 0);
    REFUSED(RK_BAD_BATCH, plan.microbatch = 2);
    REFUSED(RK_BAD_OPTION, plan.expert = 2);
    REFUSED(RK_BAD_OPTION, plan.zero = 4);
    REFUSED(RK_BAD_OPTION, plan.shard_ranks = 3);
    REFUSED(RK_BAD_PIPELINE, plan.chunks = 2);
    REFUSED(RK_BAD_PIPELINE, plan.pipeline = 2; plan.batch = 64; edit(&plan)->splits = 2;
            edit(&plan)->split[0] = 1);
    REFUSED(RK_BAD_PIPELINE, plan.pipeline = 4; plan.batch = 4; plan.schedule = RK_DUALPIPE);
    REFUSED(RK_BAD_DATATYPE, plan.precision = RK_FP8_DELAYED);
    REFUSED(RK_BAD_OPTION, plan.attention = RK_FLASH_3);
    REFUSED(RK_BAD_MEMORY, plan.share[RK_SHARE_OPTIMIZER][0] = 1);
    REFUSED(RK_MEMORY_EXCEEDED, plan.zero = 0);
#undef REFUSED
    rk_system_release(&system);
}
