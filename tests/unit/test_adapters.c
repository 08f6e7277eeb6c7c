/* Adapters beside frozen weights, bases of few bits, optimizers by what they store, preferences:
 * published parameters and measured bytes, worked out by hand. */
#include "estimate/stages.h"
#include "layer_cases.h"

#include <math.h>
#include <reckon/catalog.h>
#include <string.h>

#define NEAR(value, wanted) cr_expect_float_eq(value, wanted, 1e-9 * fabs(wanted), #value)

static struct rk_model model_of(const char *name)
{
    struct rk_model model;
    struct rk_error error;
    cr_assert_eq(rk_model_load(name, &model, &error), RK_OK, "%s", error.text);
    return model;
}

static struct rk_plan plan_of(const char *words)
{
    struct rk_plan plan;
    struct rk_error error;
    cr_assert_eq(rk_plan_load(words, &plan, &error), RK_OK, "%s", error.text);
    return plan;
}

static const struct rk_prediction *predict(const struct rk_model *model, const char *words)
{
    static struct rk_prediction prediction;
    static struct rk_system system;
    struct rk_error error;
    const struct rk_plan plan = plan_of(words);
    if (!system.memories)
        cr_assert_eq(
            rk_system_load("a100-sxm4-80g mem2=1TiB@25GB/s,update=1000GB/s", &system, &error),
            RK_OK);
    rk_predict(model, &system, &plan, &prediction);
    cr_assert(prediction.timed, "%s", prediction.reason[0].what);
    return &prediction;
}

static double adapters(const struct layer *layer)
{
    double sum = 0;
    for (int i = 0; i < layer->operations; i++)
        if (layer->operation[i].adapter) sum += layer->operation[i].parameters;
    return sum;
}

static double adapters_of(const char *name, const char *words)
{
    const struct rk_model model = model_of(name);
    const struct rk_plan plan = plan_of(words);
    const struct layer block = layer_of(&model, layer_kind_of(&model, 0), &plan);
    const struct layer head = layer_of(&model, LAYER_HEAD, &plan);
    return (double)model.layers * adapters(&block) + adapters(&head);
}

/* r (in + out) of each matrix. Printed by PEFT: 4,194,304 and 6,553,600 of Llama 2 7B and 13B, rank
 * 8 on query and value; 13,631,488 of Mistral 7B, rank 16 on all of attention. */
Test(adapters, parameters)
{
    cr_expect_eq(adapters_of("llama2-7b", "lora8 lora-targets=q+v framework=fsdp"), 4194304);
    cr_expect_eq(adapters_of("llama2-13b", "lora8 lora-targets=q+v framework=fsdp"), 6553600);
    cr_expect_eq(adapters_of("mistral-7b", "lora16 lora-targets=q+k+v+o framework=fsdp"), 13631488);
    cr_expect_eq(adapters_of("llama2-7b", "lora8 framework=fsdp"),
                 32 * 8.0 * (4 * 2 * 4096 + 3 * (4096 + 11008)), "all of a block");
    cr_expect_eq(adapters_of("llama2-7b", "lora8 lora-targets=qkv framework=fsdp"),
                 32 * 8.0 * (4096 + 3 * 4096), "one A for all three");
    cr_expect_eq(adapters_of("llama2-7b", "lora8 lora-targets=head framework=fsdp"),
                 8.0 * (4096 + 32000));
    cr_expect_eq(adapters_of("llama2-7b", "lora8 lora-targets=o dora framework=fsdp"),
                 32 * (8.0 * 2 * 4096 + 4096), "and a magnitude of each output");
    cr_expect_eq(adapters_of("mixtral-8x7b", "lora8 lora-targets=up framework=fsdp"),
                 32 * 8 * 8.0 * (4096 + 14336), "of each expert");
}

/* Four of each matrix: trained at once by other samples, parameters alone are four times as many,
 * and a copy of them is stacked in each forward pass; gone through one after another, all is; of
 * idle ones there are the weights, 4 bytes of 16 of one that is trained (prime-rl, PEFT). */
Test(adapters, several)
{
    const char *const one = "lora8 lora-targets=q+v framework=fsdp";
    const char *const mixed = "lora8 lora-targets=q+v framework=fsdp adapters=4";
    const char *const summed =
        "lora8 lora-targets=q+v framework=fsdp adapters=4 adapters-run=summed";
    const char *const idle = "lora8 lora-targets=q+v framework=fsdp adapters=4 adapters-run=idle";
    const struct rk_model model = model_of("llama2-7b");
    cr_expect_eq(adapters_of("llama2-7b", mixed), 4 * 4194304);
    cr_expect_eq(adapters_of("llama2-7b", summed), 4 * 4194304);
    cr_expect_eq(adapters_of("llama2-7b", idle), 4194304);
    const struct rk_stage alone = predict(&model, one)->stage[0];
    NEAR(predict(&model, idle)->stage[0].holds[RK_HOLD_weights] - alone.holds[RK_HOLD_weights],
         3 * 4.0 * 4194304);
    NEAR(predict(&model, idle)->stage[0].holds[RK_HOLD_optimizer], alone.holds[RK_HOLD_optimizer]);
    NEAR(predict(&model, mixed)->stage[0].holds[RK_HOLD_optimizer], 4 * 8.0 * 4194304);
    const struct rk_plan plans[] = {plan_of(one), plan_of(mixed), plan_of(summed)};
    double products[3], saved[3];
    for (int i = 0; i < 3; i++) {
        const struct layer block = layer_of(&model, layer_kind_of(&model, 0), &plans[i]);
        products[i] = saved[i] = 0;
        for (int k = 0; k < block.operations; k++) {
            products[i] += block.operation[k].adapter ? block.operation[k].useful_flop : 0;
            saved[i] += block.operation[k].saved_bytes;
        }
    }
    const double tokens = 4096, copies = 4 * 4194304 / 32.0 * 2;
    NEAR(products[1], products[0]);
    NEAR(products[2], 4 * products[0]);
    NEAR(saved[1] - saved[0], copies);
    NEAR(saved[2] - saved[0], 3 * 2 * tokens * 8 * 2); /* A x of q and of v */
}

/* Bytes of one element of its input that an adapter moves before A reads it, forward and backward:
 * in fp32 beside 16 bits two casts of 2 + 4, with dropout 4 + 4 and a mask of 1 between; backward
 * the same and a sum of 16-bit gradients, 6. Llama-3 8B on one A100, 16 samples of 4,096 tokens,
 * takes 16.84 s (fms-acceleration): 15.59 were predicted without the casts, 16.79 with them. */
Test(adapters, inputs_are_cast_where_adapters_are_wider)
{
    static const struct {
        const char *words;
        double forward, backward;
    } rows[] = {
        {"lora-bytes=4", 12, 18},
        {"lora-bytes=4 lora-dropout=0.05", 21, 27},
        {"lora-bytes=2 lora-dropout=0.05", 5, 5},
        {"lora-bytes=2", 0, 0},
    };
    const struct rk_model model = model_of("llama2-7b");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[128];
        snprintf(words, sizeof words, "framework=fsdp lora8 lora-targets=o %s", rows[i].words);
        const struct rk_plan plan = plan_of(words);
        const struct layer layer = layer_of(&model, LAYER_DENSE, &plan);
        double bytes[2] = {0};
        for (int k = 0; k < layer.operations; k++)
            if (layer.operation[k].op == OP_ADAPTER_INPUT) {
                bytes[0] += layer.operation[k].bytes[RK_FORWARD];
                bytes[1] += layer.operation[k].bytes[RK_AGRAD];
            }
        NEAR(bytes[0], 4096.0 * 4096 * rows[i].forward);
        NEAR(bytes[1], 4096.0 * 4096 * rows[i].backward);
    }
}

/* QLoRA of Mistral 7B on one A100, static: 4.30585 GB by hand, 4.30650 measured (fms-acceleration):
 * 6,979,321,856 parameters in 0.515869 bytes, embedding, head and norms in 2, adapters in 4 + 8,
 * two workspaces. */
Test(adapters, static_bytes_of_qlora)
{
    const struct rk_model model = model_of("mistral-7b");
    const char *words = "framework=fsdp lora16 lora-targets=q+k+v+o lora-bytes=4 base=nf4-dq gbs1";
    const struct rk_stage *stage = &predict(&model, words)->stage[0];
    const double rest = 2 * (2 * 32000.0 * 4096 + 65 * 4096.0), lora = 13631488;
    const double base = 6979321856 * (0.5 + 1.0 / 64 + 4.0 / 16384);
    NEAR(stage->holds[RK_HOLD_weights], base + rest + 4 * lora);
    NEAR(stage->holds[RK_HOLD_gradients], 4 * lora);
    NEAR(stage->holds[RK_HOLD_optimizer], 8 * lora);
    cr_expect_float_eq(stage->static_bytes, 4.3065e9, 0.0007e9);
}

/* Likewise of 16 bits, 14.66408 GB by hand and 14.66449 measured; and GPTQ's groups of 128 on Llama
 * 3 8B are 0.030 GB more than NF4, as measured (5.914 and 5.884). */
Test(adapters, static_bytes_of_other_bases)
{
    const struct rk_model mistral = model_of("mistral-7b"), llama8b = model_of("llama3.1-8b");
    const char *const lora = "framework=fsdp lora16 lora-targets=q+k+v+o lora-bytes=4 gbs1 ";
    char words[160];
    cr_expect_float_eq(predict(&mistral, lora)->stage[0].static_bytes, 14.66449e9, 0.0007e9);
    snprintf(words, sizeof words, "%sbase=nf4-dq", lora);
    const double nf4 = predict(&llama8b, words)->stage[0].static_bytes;
    snprintf(words, sizeof words, "%sbase=gptq4", lora);
    const double gptq = predict(&llama8b, words)->stage[0].static_bytes;
    cr_expect_float_eq(nf4, 5.884e9, 0.002e9);
    cr_expect_float_eq(gptq - nf4, 0.030e9, 0.006e9);
    snprintf(words, sizeof words, "%sbase=nf4", lora);
    NEAR(predict(&llama8b, words)->stage[0].static_bytes - nf4,
         6979321856 * (4.0 / 64 - 1.0 / 64 - 4.0 / 16384));
}

/* QLoRA of Llama 2 70B on two A100s under torch's first FSDP, 2 samples of 4,096 tokens,
 * recomputed: 46.685 GB measured (fms-acceleration). Checkpoints are 80 x 8,192 x 8,192 x 2 = 10.74
 * GB, and as much again are inputs' gradients, which one GPU has not. */
Test(adapters, checkpoints_are_there_twice_under_flat_units)
{
    const struct rk_model model = model_of("llama2-70b");
    const char *const qlora = "framework=fsdp lora16 lora-targets=q+k+v+o lora-dropout=0.1 "
                              "lora-bytes=4 base=nf4-dq no-fused loss=shifted "
                              "recompute=full mbs2 seq4096 ";
    char words[240];
    double working[2];
    for (int i = 0; i < 2; i++) {
        snprintf(words, sizeof words, "%s gpus2 gbs4 zero3 %s", qlora, i ? "flat-units" : "");
        const struct rk_prediction *p = predict(&model, words);
        working[i] = p->stage[0].holds[RK_HOLD_working];
        if (i) cr_expect_float_eq(p->stage[0].allocated_bytes, 46.685e9, 0.02 * 46.685e9);
    }
    NEAR(working[1] - working[0], 80 * 8192 * 8192.0 * 2);
}

/* Mistral 7B with everything in 16 bits on one A100, 8 samples of 4,096 tokens, recomputed: when
 * the loss runs, no gradient of a block is there, and when they all are, neither checkpoints nor
 * logits: the step decides, 5 copies of the weights, 72.43 GB measured (fms-acceleration). */
Test(adapters, gradients_come_after_the_loss)
{
    const struct rk_model model = model_of("mistral-7b");
    const char *words = "framework=fsdp weight-bytes=2 gradient-bytes=2 moment1-bytes=2 "
                        "moment2-bytes=2 master-bytes=0 foreach-step no-fused loss=shifted "
                        "recompute=full seq4096 mbs8 gbs8";
    const struct rk_stage *stage = &predict(&model, words)->stage[0];
    cr_expect_float_eq(stage->allocated_bytes, 72.433e9, 0.0005 * 72.433e9);
}

/* Llama 2 7B in 16 bits with torch's AdamW: gradients and moments are like the weights, 8 bytes of
 * each of 6,738,415,616 parameters, 53.9 GB; 54 measured, and 67.5, two bytes more, with foreach
 * (torchtune PR 389). */
Test(adapters, states_are_like_weights)
{
    const struct rk_model model = model_of("llama2-7b");
    const char *const words = "framework=fsdp weight-bytes=2 recompute=full gbs1 seq512";
    const struct rk_stage *s = &predict(&model, words)->stage[0];
    NEAR(s->holds[RK_HOLD_weights] + s->holds[RK_HOLD_optimizer], 6.0 * 6738415616);
    cr_expect_float_eq(s->allocated_bytes, 54e9, 0.01 * 54e9);
    const char *const each =
        "framework=fsdp weight-bytes=2 recompute=full gbs1 seq512 foreach-step";
    cr_expect_float_eq(predict(&model, each)->stage[0].allocated_bytes, 67.5e9, 0.01 * 67.5e9);
}

/* A frozen weight is kept in the bytes that the plan says, whatever else would be implied. */
Test(adapters, bytes_of_frozen_weights_are_not_ignored)
{
    struct rk_plan plan = plan_of("framework=fsdp frozen weight-bytes=0.5");
    cr_expect_eq(element_bytes_of(&plan).weight, 0.5);
    cr_expect_eq(element_bytes_of(&plan).base, 0.5);
    plan = plan_of("framework=fsdp frozen weight-bytes=1");
    cr_expect_eq(element_bytes_of(&plan).weight, 1);
    plan = plan_of("framework=fsdp lora8 base=int8 weight-bytes=4");
    cr_expect_eq(element_bytes_of(&plan).base, 1, "of blocks");
    cr_expect_eq(element_bytes_of(&plan).weight, 4, "of embedding, norms and head");
    plan = plan_of("framework=fsdp frozen weights-fp8");
    cr_expect_eq(element_bytes_of(&plan).weight, 1);
}

static double saved(const struct layer *layer)
{
    double sum = 0;
    for (int i = 0; i < layer->operations; i++)
        sum += layer->operation[i].saved_bytes;
    return sum;
}

static double saved_of(const char *words)
{
    const struct rk_plan plan = plan_of(words);
    const struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    return saved(&layer) / 8192;
}

/* Of a token of Llama 3.1 8B, h 4096, f 14336: norms keep their inputs, attention q, k, v, output
 * and log-sums; gate and up are kept, their product is not. Adapters keep A's input once, and A x.
 * With dropout each keeps a copy and a mask of 1 byte. */
Test(adapters, what_frozen_products_keep)
{
    const double h = 4096, f = 14336, bare = 2 * 2 * h + 12288 + 8192 + 128 + 2 * 2 * f;
    cr_expect_eq(saved_of("frozen framework=fsdp"), bare);
    cr_expect_eq(saved_of("lora16 lora-targets=q+v framework=fsdp"), bare + 2 * h + 2 * 2 * 16);
    cr_expect_eq(saved_of("lora16 lora-targets=q+v lora-dropout=0.1 framework=fsdp"),
                 bare + 2 * (3 * h + 2 * 16));
    cr_expect_eq(saved_of("lora16 lora-targets=down framework=fsdp"), bare + 2 * f + 2 * 16);
    cr_expect_eq(saved_of("lora16 lora-targets=o framework=fsdp"), bare + 2 * 16,
                 "attention's own");
    cr_expect_eq(saved_of("frozen frozen-inputs framework=fsdp"), bare + 2 * h + 2 * h + 2 * f);
    cr_expect_eq(saved_of("frozen base=nf4 frozen-inputs inputs-linger framework=fsdp"),
                 bare + 2 * h + 2 * h + 2 * f + 2 * (h + h + h + f), "and of the one before");
    cr_expect_eq(saved_of("frozen base=int8 framework=fsdp"), bare + 2 * h + 2 * h + 2 * f,
                 "bitsandbytes keeps what 8-bit products read");
    cr_expect_eq(saved_of("frozen qkv-joined framework=fsdp"), bare + 2 * 40 * 128);
    cr_expect_eq(saved_of("frozen framework=fsdp objective=dpo"), 2 * bare, "two answers");
}

/* litgpt quantises the head, too: 0.5625 bytes of each of its 131,072,000 elements instead of 2,
 * and in its product these in fp16 and in bf16, as bitsandbytes before 0.43.2 has them. */
Test(adapters, head_in_4_bits)
{
    const struct rk_model model = model_of("llama2-7b");
    const char *const words =
        "framework=fsdp lora8 base=nf4 frozen-inputs gbs1 seq1304 loss=narrow";
    const double head = 32000.0 * 4096;
    char narrow[160];
    snprintf(narrow, sizeof narrow, "%s base-head", words);
    const struct rk_stage one = predict(&model, words)->stage[0];
    const struct rk_stage two = predict(&model, narrow)->stage[0];
    NEAR(two.holds[RK_HOLD_weights], one.holds[RK_HOLD_weights] - (2 - 0.5625) * head);
    const struct rk_plan plan = plan_of(narrow), wide = plan_of(words);
    const struct layer last = layer_of(&model, LAYER_HEAD, &plan);
    const struct layer usual = layer_of(&model, LAYER_HEAD, &wide);
    cr_expect_eq(find(&last, "logits")->working_bytes,
                 find(&usual, "logits")->working_bytes + (2 + 2) * head);
}

/* Keys and values of 32 layers of 4 samples of 2,048 tokens, 4.29 GB of Llama 2 7B, stay beside
 * checkpoints: 5.0 GB less are active where a script lets go of them and of its fp32 logits
 * (llama-cookbook#41). */
Test(adapters, cache_beside_checkpoints)
{
    const struct rk_model model = model_of("llama2-7b");
    const char *const words = "framework=fsdp lora8 recompute=full mbs4 gbs4 seq2048";
    char kept[128];
    snprintf(kept, sizeof kept, "%s cache-kept", words);
    const double before = predict(&model, words)->stage[0].holds[RK_HOLD_attention];
    NEAR(predict(&model, kept)->stage[0].holds[RK_HOLD_attention] - before,
         32.0 * 4 * 2048 * 2 * 4096 * 2);
}

/* A block that is computed again, Llama 3 8B with rank 16 on attention and dropout: 31.5 widths of
 * the stream in 16 bits a token, measured on one GPU with Liger's loss (258 KB). */
Test(adapters, one_block_again)
{
    const struct rk_model model = model_of("llama3.1-8b");
    const char *words = "framework=fsdp lora16 lora-targets=q+k+v+o lora-dropout=0.1 base=nf4-dq "
                        "recompute=full no-activation-fused loss-in-chunks gbs16 mbs16 seq4096";
    const struct rk_stage *stage = &predict(&model, words)->stage[0];
    const double beside = stage->holds[RK_HOLD_working];
    cr_expect_float_eq(beside / 65536 / (2 * 4096), 31.5, 0.35);
}

/* Bytes of a trained parameter's optimizer state: docs/memory.md. */
Test(adapters, optimizers)
{
    static const struct {
        const char *words;
        double bytes;
    } rows[] = {{"", 8},
                {"optimizer=adam-8bit", 2.03125},
                {"optimizer=adam-4bit", 1.0625},
                {"optimizer=lion", 4},
                {"optimizer=sgd-momentum", 4},
                {"optimizer=sgd", 0},
                {"optimizer=lion moment1-bytes=2", 2}};
    char words[96];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(words, sizeof words, "framework=fsdp %s", rows[i].words);
        const struct rk_plan plan = plan_of(words);
        cr_expect_eq(element_bytes_of(&plan).optimizer, rows[i].bytes, "%s", rows[i].words);
    }
}

/* GaLore of rank r: 2 r out + r in of a matrix with in <= out, APOLLO without the projector's r in;
 * Adafactor 4 (in + out). The fused products of a block count as one matrix each. */
Test(adapters, optimizers_of_matrices)
{
    const struct rk_model model = model_of("llama2-7b");
    const double h = 4096, f = 11008, ends = 2 * 32000 * h + h;
    const double longer = 32 * (3 * h + h + 2 * f + f) + 32000, shorter = 32 * 4 * h + h;
    const char *const galore = "framework=fsdp gbs1 optimizer=galore optimizer-rank=128";
    const char *const apollo = "framework=fsdp gbs1 optimizer=apollo optimizer-rank=128";
    NEAR(predict(&model, galore)->stage[0].holds[RK_HOLD_optimizer],
         4 * 128 * (2 * longer + shorter) + 8 * ends);
    NEAR(predict(&model, apollo)->stage[0].holds[RK_HOLD_optimizer],
         4 * 128 * 2 * longer + 8 * ends);
    NEAR(predict(&model, "framework=fsdp gbs1 optimizer=adafactor")
             ->stage[0]
             .holds[RK_HOLD_optimizer],
         4 * (longer + shorter));
    cr_expect_eq(
        predict(&model, "framework=fsdp gbs1 optimizer-paged")->stage[0].holds[RK_HOLD_optimizer],
        0);
}

/* Trainer has bitsandbytes keep the embedding's moments in fp32: 8 bytes for 2 + 8/256 of 128,256 x
 * 4,096 elements of Llama 3 8B, 3.1 GB; what is frozen has none. */
Test(adapters, embedding_in_32_bits)
{
    const struct rk_model model = model_of("llama3.1-8b");
    const char *const eight = "framework=fsdp gbs1 recompute=full optimizer=adam-8bit";
    const char *const kept =
        "framework=fsdp gbs1 recompute=full optimizer=adam-8bit embedding-fp32";
    const double before = predict(&model, eight)->stage[0].holds[RK_HOLD_optimizer];
    NEAR(predict(&model, kept)->stage[0].holds[RK_HOLD_optimizer] - before,
         128256.0 * 4096 * (8 - 2.03125));
    const char *const lora = "framework=fsdp gbs1 lora16 optimizer=adam-8bit";
    const char *const both = "framework=fsdp gbs1 lora16 optimizer=adam-8bit embedding-fp32";
    const double adapters = predict(&model, lora)->stage[0].holds[RK_HOLD_optimizer];
    NEAR(predict(&model, both)->stage[0].holds[RK_HOLD_optimizer], adapters);
}

/* Sharded gradients go where the state goes, as they come: under FSDP with weights and optimizer,
 * under DeepSpeed with the optimizer; 2 bytes of each of 8.03e9 parameters. DeepSpeed steps fp32
 * ones there: of ZeRO-3, 2 + 12 + 2 + 4. */
Test(adapters, gradients_leave)
{
    static const struct {
        const char *words;
        double state; /* bytes of a parameter that go in any case */
        bool leave;
    } rows[] = {{"framework=fsdp zero3 offload-optimizer=1 offload-weights=1", 12, true},
                {"framework=fsdp zero3 offload-optimizer=1", 8, false},
                {"framework=deepspeed zero3 offload-optimizer=1 offload-weights=1", 18, true},
                {"framework=deepspeed zero2 offload-optimizer=1", 14, true},
                {"framework=deepspeed zero1 offload-optimizer=1", 16, false}};
    const struct rk_model model = model_of("llama3.1-8b");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[160];
        snprintf(words, sizeof words, "%s gbs8 recompute=full gradient-bytes=2", rows[i].words);
        const struct rk_stage s = predict(&model, words)->stage[0];
        const double gradients = 2 * (double)s.parameters;
        NEAR(s.holds[RK_HOLD_gradients] + 1, rows[i].leave ? 1 : gradients + 1);
        NEAR(s.offloaded_bytes,
             rows[i].state * (double)s.parameters + (rows[i].leave ? gradients : 0));
    }
}

/* Modules to save: a copy of table and head beside the frozen ones, 128,256 x 4,096 each. In 2
 * bytes: weight 2, gradient 2, moments 4; in an adapter's 4: 16; bitsandbytes keeps the table's
 * moments in fp32. */
Test(adapters, ends_are_trained_whole)
{
    static const struct {
        const char *words;
        double bytes; /* of an element: weights, gradients, optimizer */
    } rows[] = {{"lora-whole=head lora-whole-bytes=2", 8},
                {"lora-whole=head", 16},
                {"lora-whole=embedding+head lora-whole-bytes=2", 16},
                {"lora-whole=embedding lora-whole-bytes=2 optimizer=adam-8bit embedding-fp32", 12},
                {"lora-whole=head lora-whole-bytes=2 optimizer=adam-8bit", 6.03125}};
    const struct rk_model model = model_of("llama3.1-8b");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[200], plain[200];
        const char *narrow = strstr(rows[i].words, "optimizer=");
        snprintf(words, sizeof words, "framework=fsdp lora16 lora-bytes=4 gbs1 %s", rows[i].words);
        snprintf(plain, sizeof plain, "framework=fsdp lora16 lora-bytes=4 gbs1 %s",
                 narrow ? narrow : "");
        double all[2];
        for (int k = 0; k < 2; k++) {
            const struct rk_stage s = predict(&model, k ? words : plain)->stage[0];
            all[k] =
                s.holds[RK_HOLD_weights] + s.holds[RK_HOLD_gradients] + s.holds[RK_HOLD_optimizer];
        }
        NEAR(all[1] - all[0], rows[i].bytes * 128256 * 4096);
    }
    const double frozen_s = predict(&model, "framework=fsdp lora16 gbs1")->matrix_s;
    cr_expect_gt(predict(&model, "framework=fsdp lora16 gbs1 lora-whole=head")->matrix_s, frozen_s);
}

/* Frozen weights do not move in a step: only adapters' gradients and weights do, 41,943,040 of
 * 4 + 4 bytes over 25 GB/s. */
Test(adapters, offloaded_steps_are_of_adapters)
{
    const struct rk_model model = model_of("llama3.1-8b");
    const char *const words = "framework=fsdp lora16 lora-bytes=4 gbs1 zero3 offload-optimizer=1 "
                              "offload-weights=1 recompute=full";
    const double adapters = 41943040;
    NEAR(predict(&model, words)->optimizer_s, adapters * (4 + 4) / 25e9);
}

/* What paged state has no room for crosses the link twice in a step: 25 GB/s. */
Test(adapters, paged_state_crosses_the_link)
{
    const struct rk_model model = model_of("llama3.1-8b");
    const char *const plain = "framework=fsdp gbs1 recompute=full weight-bytes=2 moment1-bytes=4 "
                              "moment2-bytes=4";
    const char *const paged = "framework=fsdp gbs1 recompute=full weight-bytes=2 moment1-bytes=4 "
                              "moment2-bytes=4 optimizer-paged";
    const struct rk_prediction *p = predict(&model, plain);
    const double over = p->stage[0].total_bytes - 79.2 * 0x1p30, step_s = p->optimizer_s;
    cr_assert_gt(over, 10e9);
    NEAR(predict(&model, paged)->optimizer_s - step_s, 2 * over / 25e9);
    const char *const narrow = "framework=fsdp gbs1 recompute=full weight-bytes=2 gradient-bytes=2 "
                               "optimizer=adam-8bit";
    const char *const room = "framework=fsdp gbs1 recompute=full weight-bytes=2 gradient-bytes=2 "
                             "optimizer=adam-8bit optimizer-paged";
    const double narrow_s = predict(&model, narrow)->optimizer_s;
    NEAR(predict(&model, room)->optimizer_s, narrow_s);
}

/* Bytes of a logit while the loss runs. */
Test(adapters, losses)
{
    static const struct {
        const char *words;
        double bytes;
    } rows[] = {{"loss=held", 18},
                {"loss=shifted", 14},
                {"loss=padded", 10},
                {"loss=copied", 8},
                {"loss=narrow", 6},
                {"loss=wide", 20},
                {"objective=simpo", 2 * 8},
                {"objective=simpo loss=padded", 2 * 12},
                {"objective=dpo reference=copy", 2 * 8}};
    char words[96];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(words, sizeof words, "framework=fsdp %s", rows[i].words);
        const struct rk_plan plan = plan_of(words);
        const struct layer layer = layer_of(&llama, LAYER_HEAD, &plan);
        const struct operation *loss = find(&layer, "cross entropy");
        cr_expect_eq((loss->saved_bytes + loss->working_bytes) / 8192 / 128256, rows[i].bytes, "%s",
                     rows[i].words);
    }
}

/* A reference is 2 bytes a parameter more, 13.5 GB of Llama 2 7B (ColossalChat's DPO over SimPO, 4
 * H800), and a forward pass; adapters that are switched off are the pass alone. */
Test(adapters, reference)
{
    const struct rk_model model = model_of("llama2-7b");
    const char *const simpo = "framework=deepspeed gbs1 objective=simpo seq2048 recompute=full";
    const char *const dpo =
        "framework=deepspeed gbs1 objective=dpo reference=copy seq2048 recompute=full";
    struct rk_prediction one = *predict(&model, simpo);
    const struct rk_prediction *two = predict(&model, dpo);
    NEAR(two->stage[0].holds[RK_HOLD_weights] - one.stage[0].holds[RK_HOLD_weights],
         2 * one.parameters);
    cr_expect_float_eq(two->stage[0].forward_s, 2 * one.stage[0].forward_s,
                       0.02 * one.stage[0].forward_s);
    one = *predict(&model, "framework=fsdp gbs1 lora8 objective=dpo reference=none");
    two = predict(&model, "framework=fsdp gbs1 lora8 objective=dpo reference=adapter-off");
    cr_expect_eq(two->stage[0].holds[RK_HOLD_weights], one.stage[0].holds[RK_HOLD_weights]);
    cr_expect_gt(two->stage[0].forward_s, 1.9 * one.stage[0].forward_s);
}

/* Llama 3 70B, tensor 4, data 8: whole gradients of a rank's quarter in fp32, 70.6 GB a GPU. Of the
 * last microbatch a block's shard comes as its whole gradient goes. */
Test(adapters, gradients_that_wait)
{
    const struct rk_model model = model_of("llama3.1-70b");
    const char *const shards = "framework=fsdp tp4 dp8 zero3 sp gbs32 mbs1 recompute=full";
    char words[128];
    snprintf(words, sizeof words, "%s unsynced-grads", shards);
    const struct rk_prediction *waiting = predict(&model, words);
    NEAR(waiting->stage[0].holds[RK_HOLD_gradients], 4 * waiting->stage[0].parameters);
    cr_expect_float_eq(4 * waiting->stage[0].parameters, 70.6e9, 0.2e9);
    const struct rk_stage once =
        predict(&model, "framework=fsdp tp4 dp8 zero3 sp mbs1 gbs8")->stage[0];
    snprintf(words, sizeof words, "%s unsynced-grads gbs8", "framework=fsdp tp4 dp8 zero3 sp mbs1");
    NEAR(predict(&model, words)->stage[0].holds[RK_HOLD_gradients], once.holds[RK_HOLD_gradients]);
}

/* DeepSpeed's step of ZeRO-2 over flat copies is of what is trained: of adapters a few megabytes,
 * of 70 billion frozen weights nothing. */
/* Mistral 7B in 16 bits on one GPU, whole layers computed again: the blocks' gradients, 2 x
 * 6,979,584,000 bytes with their norms, are made while checkpoints of 32 x 8,192 bytes a token are
 * let go. With a second microbatch all of them are there when its checkpoints are. 16 samples of
 * 4,096 tokens with Liger's loss: 77.145 GB measured (fms-acceleration), 89.9 GB if both were
 * there. */
Test(adapters, gradients_come_while_checkpoints_go)
{
    const struct rk_model model = model_of("mistral-7b");
#define FULL                                                                                       \
    "gpus1 framework=fsdp recompute=full loss-in-chunks seq4096 weight-bytes=2 "                   \
    "gradient-bytes=2 moment1-bytes=2 moment2-bytes=2 master-bytes=0 "
    const double blocks = 2 * (6979321856.0 + 64 * 4096), token = 32 * 8192;
    const double once = predict(&model, FULL "mbs16 gbs16")->stage[0].allocated_bytes;
    const double twice = predict(&model, FULL "mbs16 gbs32")->stage[0].allocated_bytes;
    NEAR(twice - once, blocks);
    cr_expect_float_eq(once, 77.145e9, 0.03 * 77.145e9, "%g", once);
    const double small = predict(&model, FULL "mbs4 gbs4")->stage[0].allocated_bytes;
    const double again = predict(&model, FULL "mbs4 gbs8")->stage[0].allocated_bytes;
    NEAR(again - small, token * 4 * 4096);
    const struct rk_stage *stage = &predict(&model, FULL "mbs4 gbs4")->stage[0];
    double holds = 0;
    for (int i = 0; i < RK_HOLDING_COUNT; i++)
        holds += stage->holds[i];
    NEAR(holds, stage->total_bytes);
}

Test(adapters, step_of_deepspeed)
{
    const struct rk_model model = model_of("llama2-7b");
    const char *const words = "framework=deepspeed zero2 gbs1 lora8 seq256 recompute=full";
    const struct rk_stage *stage = &predict(&model, words)->stage[0];
    cr_expect_lt(stage->holds[RK_HOLD_working] + stage->cached_bytes, 1e9);
    cr_expect_lt(stage->total_bytes, 1.2 * 13.48e9 + 1.5e9);
}

/* A step of adapters: no gradient of the weights, two thirds of the products' time and a little. */
Test(adapters, time)
{
    const struct rk_model model = model_of("llama2-7b");
    const double full_s = predict(&model, "framework=fsdp gbs1 mbs1 seq4096")->step_s;
    const double lora_s = predict(&model, "framework=fsdp gbs1 mbs1 seq4096 lora8")->step_s;
    const double qlora_s =
        predict(&model, "framework=fsdp gbs1 mbs1 seq4096 lora8 base=nf4-dq")->step_s;
    cr_expect_lt(lora_s, 0.85 * full_s);
    cr_expect_gt(lora_s, 0.6 * full_s);
    cr_expect_gt(qlora_s, lora_s, "matrices are turned into 16 bits");
    const struct rk_plan plan = plan_of("framework=fsdp packed=1024");
    const struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(find(&layer, "attention")->pairs, 8 * 1024.0 * 1025 / 2);
}
