/* Peaks of fine-tuning: worked numbers and measured ones of docs/memory.md's sources, each by the
 * words of the run. */
#include "layer_cases.h"

#include <math.h>
#include <reckon/catalog.h>
#include <stdio.h>
#include <string.h>

#define NEAR(value, wanted) cr_expect_float_eq(value, wanted, 1e-9 * fabs(wanted), #value)
#define WITHIN(value, wanted, share)                                                               \
    cr_expect_float_eq(value, wanted, (share) * (wanted), "%g, not %g", value, (double)(wanted))

static struct rk_stage stage_of(const char *name, const char *words)
{
    static struct rk_system system;
    struct rk_prediction prediction;
    struct rk_model model;
    struct rk_plan plan;
    struct rk_error error;
    if (!system.memories) cr_assert_eq(rk_system_load("h100-sxm5-80g x64", &system, &error), RK_OK);
    cr_assert_eq(rk_model_load(name, &model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_plan_load(words, &plan, &error), RK_OK, "%s", error.text);
    rk_predict(&model, &system, &plan, &prediction);
    cr_assert(prediction.timed, "%s", prediction.reason[0].what);
    return prediction.stage[0];
}

static double peak_of(const char *name, const char *words)
{
    return stage_of(name, words).allocated_bytes;
}

/* litgpt, Llama 2 7B in bf16-true, rank 8 on query and value, no checkpoints, not fused, 1,304
 * tokens: 21.30 GB of one sample and 29.07 of two measured, 186 KB a token and layer. */
Test(adapters_peaks, a_frozen_block_without_checkpoints)
{
    static const char *const words[] = {
        "framework=fsdp lora8 lora-targets=q+v lora-bytes=2 lora-dropout=0.05 qkv-joined no-fused "
        "loss=narrow seq1304 recompute=none mbs1 gbs1",
        "framework=fsdp lora8 lora-targets=q+v lora-bytes=2 lora-dropout=0.05 qkv-joined no-fused "
        "loss=narrow seq1304 recompute=none mbs2 gbs2"};
    const double one = peak_of("llama2-7b", words[0]);
    const double two = peak_of("llama2-7b", words[1]);
    WITHIN(two - one, 7.77e9, 0.05);
    WITHIN(one, 21.30e9, 0.02);
}

/* Maxima in 8 bits instead of 32: litgpt measured 0.30 GB less of Llama 2 7B, 0.59 of 13B. */
Test(adapters_peaks, double_quantisation)
{
    static const char *const bases[] = {"framework=fsdp lora8 gbs1 base=nf4",
                                        "framework=fsdp lora8 gbs1 base=nf4-dq"};
    static const struct {
        const char *model;
        double saved;
    } rows[] = {{"llama2-7b", 0.302e9}, {"llama2-13b", 0.59e9}};
    for (int i = 0; i < 2; i++)
        WITHIN(stage_of(rows[i].model, bases[0]).static_bytes -
                   stage_of(rows[i].model, bases[1]).static_bytes,
               rows[i].saved, 0.01);
}

/* bitsandbytes 0.41 saves the inputs of 4-bit products: litgpt's QLoRA of Llama 2 7B is 7.16 GB
 * below bf16, where weights alone would give 9.5; of 1,304 tokens 1.9 are these inputs. */
Test(adapters_peaks, inputs_of_products_in_4_bits)
{
    static const char *const words[] = {"", " base=nf4 base-head",
                                        " base=nf4 base-head frozen-inputs"};
    double peak[3];
    for (int i = 0; i < 3; i++) {
        char all[256];
        snprintf(all, sizeof all,
                 "framework=fsdp lora8 lora-targets=q+v lora-bytes=2 lora-dropout=0.05 qkv-joined "
                 "no-fused loss=narrow seq1304 recompute=none mbs1 gbs1%s",
                 words[i]);
        peak[i] = peak_of("llama2-7b", all);
    }
    WITHIN(peak[0] - peak[2], 7.16e9, 0.03);
    WITHIN(peak[2] - peak[1], 1.9e9, 0.1);
}

/* torchtitan's "selective: op" keeps of a token of a block every second product, 2 (4 h + kv + f)
 * bytes; what it is read as, norms and activations computed again, keeps k and up, too. */
Test(adapters_peaks, every_second_product)
{
    const double h = 4096, kv = 1024, f = 14336, tokens = 8192, layers = 32;
    const struct rk_stage kept =
        stage_of("llama3.1-8b", "framework=fsdp recompute=selective:moe_act+layernorm mbs1 gbs1");
    const double block =
        kept.holds[RK_HOLD_attention] + kept.holds[RK_HOLD_mlp] + kept.holds[RK_HOLD_norms];
    const double sums = 128 * layers * tokens; /* log-sums of 32 heads */
    WITHIN(block - sums, 2 * (4 * h + 2 * kv + 2 * f) * layers * tokens, 1e-9);
    cr_expect_gt(block, 2 * (4 * h + kv + f) * layers * tokens);
}

/* trl's pass of a policy over two completions of 256 tokens of 151,665 logits: 858 MB measured,
 * 5.5 copies of them in bf16 (trl#3678); a pair without a reference, which is what is said to ask
 * instead, has four: entropies are the rest. */
Test(adapters_peaks, a_pair_stands_for_a_policy)
{
    const struct rk_stage pair =
        stage_of("qwen2.5-7b", "framework=fsdp lora16 recompute=full no-fused "
                               "objective=dpo reference=none seq256 gbs1");
    const double copy = 2.0 * 256 * 152064 * 2;
    const double copies = (pair.holds[RK_HOLD_embedding] + pair.holds[RK_HOLD_working]) / copy;
    cr_expect(copies > 4 && copies < 5.5, "%g", copies);
}

#define MISTRAL                                                                                    \
    "framework=fsdp lora16 lora-targets=q+k+v+o lora-bytes=4 base=nf4-dq recompute=full "          \
    "no-fused loss=shifted seq4096 "

/* prepare_model_for_kbit_training makes the stream fp32: checkpoints of Mistral 7B, 16,384 tokens,
 * are 32 x 16,384 x 4,096 x 2 = 4,294,967,296 bytes more, measured to the byte. */
Test(adapters_peaks, stream_in_fp32)
{
    const struct rk_stage narrow = stage_of("mistral-7b", MISTRAL "mbs4 gbs4");
    const struct rk_stage wide = stage_of("mistral-7b", MISTRAL "mbs4 gbs4 residual-fp32");
    NEAR(wide.holds[RK_HOLD_checkpoints] - narrow.holds[RK_HOLD_checkpoints], 4294967296.0);
}

/* After norms in fp32 bitsandbytes' 4-bit products return fp32: gate, up and silu(gate) have 2
 * bytes more each, 6 x 11,008 x 1,024 x 32 layers = 2,164,260,864; products in 16 bits (GPTQ's) do
 * not. */
Test(adapters_peaks, activation_in_fp32)
{
#define KBIT "framework=fsdp lora64 lora-bytes=4 recompute=none no-fused seq1024 mbs1 gbs1 base="
    const double narrow = stage_of("llama2-7b", KBIT "nf4-dq").holds[RK_HOLD_mlp];
    const double wide = stage_of("llama2-7b", KBIT "nf4-dq residual-fp32").holds[RK_HOLD_mlp];
    NEAR(wide - narrow, 2164260864.0);
    NEAR(stage_of("llama2-7b", KBIT "gptq4 residual-fp32").holds[RK_HOLD_mlp],
         stage_of("llama2-7b", KBIT "gptq4").holds[RK_HOLD_mlp]);
#undef KBIT
}

/* Over what lasts, QLoRA of Mistral 7B needs 12.067 GB with 16,384 tokens and 24.105 with 32,768
 * (fms-acceleration): checkpoints of 4.295 and 14 bytes of each logit, 7.340, are 11.635 of it. */
Test(adapters_peaks, checkpoints_and_logits)
{
    const struct rk_stage four = stage_of("mistral-7b", MISTRAL "mbs4 gbs4");
    const struct rk_stage eight = stage_of("mistral-7b", MISTRAL "mbs8 gbs8");
    const double over = four.allocated_bytes - four.static_bytes;
    NEAR(four.holds[RK_HOLD_checkpoints], 32 * 16384.0 * 4096 * 2);
    cr_expect_gt(over, 11.635e9);
    WITHIN(over, 12.067e9, 0.02);
    WITHIN(eight.allocated_bytes - eight.static_bytes, 24.105e9, 0.02);
}

/* Under torch's first FSDP the root (embedding and head, 2.10 GB of Llama 3 8B, 0.524 of Mistral
 * 7B) and one block in 4 bits stay gathered: 2.11 to 2.27 GB and 0.63 to 0.68 over one GPU. */
Test(adapters_peaks, what_flat_units_gather)
{
#define FLAT "framework=fsdp lora16 lora-targets=q+k+v+o lora-bytes=4 base=nf4-dq recompute=full "
    static const char *const words = FLAT "seq512 loss-in-chunks gpus2 gbs2 zero3 flat-units";
    const double wide = stage_of("llama3.1-8b", words).holds[RK_HOLD_gathered];
    const double narrow = stage_of("mistral-7b", words).holds[RK_HOLD_gathered];
    WITHIN(wide, 2.19e9, 0.06);
    WITHIN(narrow, 0.655e9, 0.06);
}

/* Adapters in the units of frozen weights: their gradient is as large as the whole unit, 13.5 GB of
 * Llama 2 7B on each of two GPUs (litgpt#1538). */
Test(adapters_peaks, mixed_units)
{
    static const char *const words = "framework=fsdp lora8 gpus2 gbs2 zero3 flat-units seq512";
    char mixed[128];
    snprintf(mixed, sizeof mixed, "%s mixed-units", words);
    WITHIN(peak_of("llama2-7b", mixed) - peak_of("llama2-7b", words), 13.48e9, 0.01);
}

/* Liger's fused linear loss on a head that is trained, v 128,256 and h 4,096 in 16 bits, 8,192
 * tokens: 4,024 MiB beyond hidden states measured: the head's gradient buffer, its .grad, the
 * product's temporary, and the weights. */
Test(adapters_peaks, fused_linear_loss)
{
    struct rk_plan plan;
    struct rk_error error;
    cr_assert_eq(rk_plan_load("framework=fsdp loss-in-chunks", &plan, &error), RK_OK);
    const struct layer head = layer_of(&llama, LAYER_HEAD, &plan);
    double bytes = 0;
    for (int i = 0; i < head.operations; i++)
        bytes += head.operation[i].saved_bytes + head.operation[i].working_bytes;
    cr_expect_lt(bytes, 4024.0 * 0x1p20, "%g", bytes);
}

/* ColossalChat, Llama 2 7B on 4 H800 with ZeRO-2, 8 samples of 2,048 tokens recomputed: 45.56 GB;
 * of 4 pairs with a reference 24.3 GB more than without, of which 13.48 are the copy. */
Test(adapters_peaks, colossalchat)
{
#define CHAT "framework=deepspeed gpus4 zero2 seq2048 recompute=full "
    WITHIN(peak_of("llama2-7b", CHAT "mbs8 gbs32"), 45.56e9, 0.2);
    const double dpo = peak_of("llama2-7b", CHAT "mbs4 gbs16 objective=dpo reference=copy");
    const double simpo = peak_of("llama2-7b", CHAT "mbs4 gbs16 objective=simpo");
    cr_expect_geq(dpo - simpo, 13.47e9, "%g", dpo - simpo);
}

/* One matrix at a time is in 16 bits beside everything: of Llama 2 7B 4,096 x 11,008 of 2 bytes, 90
 * MB, of 70B 8,192 x 28,672, 470 MB; nothing of a base in 16 bits. One token, so that little else
 * is there. */
Test(adapters_peaks, one_matrix_is_converted_at_a_time)
{
    static const struct {
        const char *model;
        double in, out;
    } rows[] = {{"llama2-7b", 4096, 11008}, {"llama2-70b", 8192, 28672}};
#define TOKEN "framework=fsdp lora8 lora-targets=q seq1 recompute=full gbs1 loss-in-chunks"
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double matrix = 2 * rows[i].in * rows[i].out;
        const double narrow = stage_of(rows[i].model, TOKEN " base=nf4").holds[RK_HOLD_working];
        const double wide = stage_of(rows[i].model, TOKEN).holds[RK_HOLD_working];
        WITHIN(narrow, matrix, 0.004);
        cr_expect_lt(wide, 0.002 * matrix);
    }
    /* query, key and value of one product are one matrix, here the widest */
    WITHIN(stage_of("llama2-7b", TOKEN " base=nf4 qkv-joined").holds[RK_HOLD_working],
           2.0 * 4096 * 3 * 4096, 0.004);
#undef TOKEN
}

/* Shards of 4 bits: 0.516 N_q / d on each of four GPUs, and a block is gathered in its 4 bits, a
 * quarter of 16 (to double quantisation's 0.5159). */
Test(adapters_peaks, four_bits_in_shards)
{
#define SHARDS "framework=fsdp lora8 lora-targets=q zero3 recompute=full seq512 gpus4 gbs4 "
    const struct rk_stage wide = stage_of("llama2-7b", SHARDS);
    const struct rk_stage narrow = stage_of("llama2-7b", SHARDS "base=nf4-dq");
    const double quantised = 32 * (4 * 4096.0 * 4096 + 3 * 4096.0 * 11008), block = quantised / 32;
    const double bytes = 0.5 + 1.0 / 64 + 4.0 / 16384;
    NEAR(wide.holds[RK_HOLD_weights] - narrow.holds[RK_HOLD_weights], quantised * (2 - bytes) / 4);
    WITHIN(wide.holds[RK_HOLD_gathered] - narrow.holds[RK_HOLD_gathered], 2 * block * (2 - bytes),
           1e-4); /* norms beside */
#undef SHARDS
}

/* FSDP2 in fp32 has 16 N/d bytes in shards, in bf16 8 N/d; with groups of four in eight (HSDP) d is
 * four, and what waits for its reduction 4 N whole. */
Test(adapters_peaks, shards_of_fsdp)
{
#define FSDP "framework=fsdp gpus8 zero3 recompute=full seq512 mbs1 gbs16 "
    static const struct {
        const char *words;
        double bytes;
    } rows[] = {{FSDP, 16.0 / 8},
                {FSDP "weight-bytes=2", 8.0 / 8},
                {FSDP "shard4", 16.0 / 4},
                {FSDP "shard4 unsynced-grads", 12.0 / 4 + 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct rk_stage s = stage_of("llama2-7b", rows[i].words);
        NEAR(s.holds[RK_HOLD_weights] + s.holds[RK_HOLD_gradients] + s.holds[RK_HOLD_optimizer],
             rows[i].bytes * 6738415616.0);
    }
#undef FSDP
}

/* DeepSpeed: ZeRO-1 and 2 have 2 N of weights and 12 N/d of states, gradients 2 N and 2 N/d; ZeRO-3
 * 2 N/d, 2 N/d and 12 N/d. */
Test(adapters_peaks, shards_of_deepspeed)
{
    static const double rows[][3] = {{2, 2, 3}, {2, 0.5, 3}, {0.5, 0.5, 3}};
    for (int zero = 1; zero <= 3; zero++) {
        char words[96];
        snprintf(words, sizeof words,
                 "framework=deepspeed gpus4 zero%d gbs4 mbs1 recompute=full seq512", zero);
        const struct rk_stage s = stage_of("llama2-7b", words);
        NEAR(s.holds[RK_HOLD_weights], rows[zero - 1][0] * 6738415616.0);
        NEAR(s.holds[RK_HOLD_gradients], rows[zero - 1][1] * 6738415616.0);
        NEAR(s.holds[RK_HOLD_optimizer], rows[zero - 1][2] * 6738415616.0);
    }
}

/* torch's autocast keeps a 16-bit copy of each weight until backward, 2 N, where layers are not
 * recomputed whole; an optimizer that steps in backward (LOMO) has the gradients of one block. */
Test(adapters_peaks, casts_and_steps_in_backward)
{
#define PLAIN "framework=fsdp gbs1 seq512 "
    const double weights = stage_of("llama2-7b", PLAIN).holds[RK_HOLD_weights];
    NEAR(stage_of("llama2-7b", PLAIN "autocast").holds[RK_HOLD_weights] - weights,
         2 * 6738415616.0);
    NEAR(stage_of("llama2-7b", PLAIN "autocast recompute=full").holds[RK_HOLD_weights], weights);
    const double block = 4 * 4096.0 * 4096 + 3 * 4096.0 * 11008 + 2 * 4096;
    NEAR(stage_of("llama2-7b", PLAIN "recompute=full weight-bytes=2 step-in-backward")
             .holds[RK_HOLD_gradients],
         2 * block);
#undef PLAIN
}

/* DoRA keeps the results of base and adapter, 2 x 2 T out bytes a matrix, and forms B A and W + s B
 * A whole, 2 x 2 in out; Llama 2 7B, 512 tokens, attention's output alone. */
Test(adapters_peaks, weights_that_are_decomposed)
{
#define OUT "framework=fsdp lora8 lora-targets=o seq512 gbs1 recompute=none "
    NEAR(stage_of("llama2-7b", OUT "dora").holds[RK_HOLD_attention] -
             stage_of("llama2-7b", OUT).holds[RK_HOLD_attention],
         32 * 2 * 2 * 512 * 4096.0);
#undef OUT
    struct rk_plan plan;
    struct rk_error error;
    cr_assert_eq(rk_plan_load("framework=fsdp lora8 lora-targets=o dora", &plan, &error), RK_OK);
    const struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    double formed = 0;
    for (int i = 0; i < layer.operations; i++)
        if (layer.operation[i].op == OP_ADAPTER_NORM) formed += layer.operation[i].working_bytes;
    cr_expect_eq(formed, 2 * 2 * 4096.0 * 4096);
}
