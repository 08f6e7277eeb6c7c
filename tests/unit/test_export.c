/* Plans that are written for other tools and read back: what the target can express survives, what
 * it cannot is named. */
#include "interop/deepspeed.h"
#include "interop/megatron.h"
#include "interop/plan_compare.h"
#include "interop/torchtitan.h"

#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct notes notes; /* large */
static struct megatron_import back;

/* A small linear congruential generator: the same plans on every machine. */
static uint64_t state = 20231112;
static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

static struct rk_model load(const char *name)
{
    struct rk_model model;
    struct rk_error error;
    cr_assert_eq(rk_model_load(name, &model, &error), RK_OK, "%s", error.text);
    return model;
}

static void expect_same(const struct rk_model *model, const struct rk_plan *plan,
                        const struct rk_plan *run, const char *tool)
{
    struct plan_difference *list = calloc(PLAN_MAX_FIELDS, sizeof *list);
    const struct rk_plan a = plan_canonical(model, plan), b = plan_canonical(model, run);
    const int count = plan_compare(&a, &b, list);
    for (int i = 0; i < count; i++)
        cr_expect(false, "%s, %s: %s %s came back as %s", model->id, tool,
                  plan_fields[list[i].row].key, list[i].a, list[i].b);
    free(list);
}

/* ---- Megatron-LM ---- */

/* What Megatron Core 0.16 can express of a model: degrees that divide, exclusions kept. */
static struct rk_plan random_megatron(const struct rk_model *m)
{
    struct rk_plan p = rk_plan_default();
    const uint64_t groups = m->kv_heads ? m->kv_heads : m->heads;
    p.tensor = UINT64_C(1) << draw(4);
    while (groups % p.tensor)
        p.tensor /= 2;
    p.pipeline = UINT64_C(1) << draw(3);
    while (m->layers % p.pipeline)
        p.pipeline /= 2;
    p.context = UINT64_C(1) << draw(2);
    const uint64_t data = UINT64_C(8) << draw(3);
    p.ranks = p.tensor * p.pipeline * p.context * data;
    if (p.pipeline > 1 && draw(2))
        while (m->layers % (p.pipeline * p.chunks * 2) == 0 && draw(2))
            p.chunks *= 2;
    p.microbatch = 1 + draw(2);
    p.batch = data * p.microbatch * p.pipeline * (1 + draw(4));
    p.sequence_parallel = p.tensor > 1 && (m->experts || draw(2));
    p.tensor_overlap = p.sequence_parallel && draw(2);
    if (p.context > 1) p.context_kind = draw(2) ? RK_RING : RK_GATHER;
    p.order = p.pipeline > 1 && draw(4) == 0 ? RK_ORDER_TP_CP_PP_DP : RK_ORDER_TP_CP_DP_PP;
    p.zero = (int)draw(2);
    p.gradient_overlap = draw(2);
    p.weight_overlap = p.zero && p.gradient_overlap && draw(2);
    if (m->experts) {
        p.dispatcher = (enum rk_dispatcher)draw(RK_DISPATCHERS);
        p.expert = UINT64_C(1) << draw(4);
        while (m->experts % p.expert || data % p.expert)
            p.expert /= 2;
        p.expert_tensor = p.tensor > 1 && draw(2) ? 1 : 0;
        p.grouped = draw(2);
    }
    p.precision = draw(3) ? RK_BF16 : (enum rk_precision)(RK_FP16 + draw(RK_NVFP4 - RK_FP16 + 1));
    p.weights_fp8 = p.precision > RK_BF16 && p.precision < RK_NVFP4 && p.zero && draw(2);
    p.recompute = (enum rk_recompute_mode)draw(RK_RECOMPUTE_MODES);
    if (p.recompute == RK_SELECTIVE) p.recompute_parts = 1u << RK_PART_MLP;
    if (p.recompute == RK_WHOLE && draw(2)) p.recompute_layers = 1 + draw(3);
    if (p.recompute == RK_WHOLE && !p.recompute_layers) p.recompute_every = draw(2) ? 2 : 0;
    if (p.zero && draw(3) == 0) p.moment1_element_bytes = p.moment2_element_bytes = 2;
    if (p.moment1_element_bytes > 0 && p.precision >= RK_BF16 && p.precision <= RK_FP8_DELAYED)
        p.master_element_bytes = 2; /* all that Megatron-LM keeps beside bf16 */
    if (p.precision != RK_FP32 && draw(3) == 0) p.gradient_element_bytes = 2;
    static const enum rk_attention_kernel kernels[] = {RK_UNFUSED, RK_FLASH, RK_FLASH_3};
    p.transformer_engine = draw(4) != 0;
    p.attention = kernels[draw(p.transformer_engine ? 3 : 2)];
    p.fused = draw(4) != 0;
    p.cuda_graphs = draw(4) == 0;
    p.vocabulary_multiple = draw(2) ? 128 : 0;
    return p;
}

static void round_trip(const struct rk_model *model, const struct rk_plan *plan, int version)
{
    const struct megatron_target target = {.version = version};
    const struct megatron_options options = {.version = version};
    struct rk_error error;
    char *text = NULL, words[RK_PLAN_TEXT];
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    notes = (struct notes){.count = 0};
    rk_plan_text(plan, words, sizeof words);
    const enum rk_status status = megatron_write(memory, model, plan, &target, &notes, &error);
    fclose(memory);
    cr_assert_eq(status, RK_OK, "%s: %s: %s", model->id, words, error.text);
    cr_expect_eq(notes.count, 0, "%s: %s: %s %s", model->id, words, notes.note[0].what,
                 notes.note[0].need);
    cr_assert_eq(megatron_read("run.sh", text, size, &options, &back, &error), RK_OK, "%s: %s",
                 words, error.text);
    cr_expect_eq(rk_model_parameters(&back.model), rk_model_parameters(model));
    cr_expect_eq(rk_model_active_parameters(&back.model), rk_model_active_parameters(model));
    expect_same(model, plan, &back.plan, "megatron");
    free(text);
}

Test(export, random_plans_survive_megatron)
{
    static const char *const names[] = {"gpt3-175b",    "llama3.1-70b",  "llama3.1-8b",
                                        "mixtral-8x7b", "qwen3-30b-a3b", "qwen3-8b"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct rk_model model = load(names[i]);
        for (int k = 0; k < 200; k++) {
            const struct rk_plan plan = random_megatron(&model);
            round_trip(&model, &plan, 16);
        }
    }
}

/* Layouts carry splits that are not even, in every way in which they are given. */
Test(export, splits_survive_megatron)
{
    static const char *const plans[] = {
        "gpus64 tp8 pp4 sp gbs64 split=20,20,20,20",
        "gpus64 tp8 pp4 sp gbs64 split=19,21,21,19",
        "gpus64 tp8 pp4 sp gbs64 vpp2 split=9,10,10,10,11,10,10,10",
        "gpus64 tp8 pp4 sp gbs64 first-layers=18 last-layers=20",
        "gpus64 tp8 pp2 sp gbs64 embedding-counts head-counts",
    };
    const struct rk_model model = load("llama3.1-70b");
    struct rk_error error;
    struct rk_plan plan;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        cr_assert_eq(rk_plan_parse(plans[i], &plan, &error), RK_OK, "%s", error.text);
        round_trip(&model, &plan, 16);
    }
}

static bool named(const char *key)
{
    for (int i = 0; i < notes.count; i++)
        if (strcmp(notes.note[i].what, key) == 0) return true;
    return false;
}

static enum rk_status write_megatron(const char *words, int version, struct rk_error *error)
{
    const struct rk_model model = load("llama3.1-70b");
    const struct megatron_target target = {.version = version};
    struct rk_plan plan;
    char *text = NULL;
    size_t size;
    cr_assert_eq(rk_plan_parse(words, &plan, error), RK_OK, "%s", error->text);
    notes = (struct notes){.count = 0};
    FILE *memory = open_memstream(&text, &size);
    const enum rk_status status = megatron_write(memory, &model, &plan, &target, &notes, error);
    fclose(memory);
    free(text);
    return status;
}

Test(export, megatron_names_what_it_cannot)
{
    struct rk_error error;
    cr_expect_eq(write_megatron("gpus64 tp8 pp4 sp gbs64 schedule=zero-bubble offload-weights=1 "
                                "zero1 precision=fp8-block",
                                16, &error),
                 RK_OK, "%s", error.text);
    cr_expect(named("schedule") && named("weight_offload"));
    cr_expect_not(named("precision"));
    cr_expect_eq(write_megatron("gpus64 tp8 pp4 sp gbs64 precision=fp8-block", 11, &error), RK_OK);
    cr_expect(named("precision")); /* recipes came with 0.12 */
    cr_expect_eq(write_megatron("gpus64 tp8 pp4 sp gbs64 split=19,21,21,19", 12, &error),
                 RK_NOTHING_FITS);
    cr_expect(strstr(error.text, "need core 0.13"), "%s", error.text);
    cr_expect_eq(write_megatron("gpus64 tp16 pp4 gbs64", 16, &error),
                 RK_OK); /* 8 groups: divisor */
    cr_expect_eq(write_megatron("gpus96 tp8 pp3 sp gbs64", 16, &error), RK_OK, "%s", error.text);
    cr_expect_eq(write_megatron("gpus64 tp8 pp4 vpp2 sp gbs66", 16, &error), RK_NOTHING_FITS);
}

/* ---- DeepSpeed ---- */

Test(export, plans_survive_deepspeed)
{
    const struct rk_model model = load("llama3.1-8b");
    struct rk_error error;
    for (int k = 0; k < 300; k++) {
        struct rk_plan p = rk_plan_default(), run;
        char *text = NULL;
        size_t size;
        p.framework = RK_DEEPSPEED;
        p.tensor = UINT64_C(1) << draw(2);
        p.context = UINT64_C(1) << draw(2);
        if (p.context > 1) p.context_kind = RK_ULYSSES;
        p.ranks = p.tensor * p.context << draw(4);
        p.microbatch = 1 + draw(4);
        p.batch = rk_plan_data(&p) * p.microbatch * (1 + draw(5));
        p.zero = (int)draw(4);
        p.precision = draw(2) ? RK_BF16 : RK_FP16;
        p.gradient_overlap = draw(2);
        p.weight_overlap = p.zero == 3 && draw(2);
        if (p.zero && draw(3) == 0) p.share[RK_SHARE_OPTIMIZER][0] = (double)(1 + draw(4)) / 4;
        p.share[RK_SHARE_WEIGHTS][0] = p.zero == 3 && draw(3) == 0;
        p.gradient_element_bytes = draw(2) ? 0 : draw(2) ? 2 : 4;
        FILE *memory = open_memstream(&text, &size);
        notes = (struct notes){.count = 0};
        cr_assert_eq(deepspeed_write(memory, &model, &p, &notes, &error), RK_OK, "%s", error.text);
        fclose(memory);
        cr_expect_eq(notes.count, 0, "%s: %s", notes.note[0].what, notes.note[0].need);
        /* the GPUs follow from batch, microbatch and accumulation */
        const struct config_source source = {.path = "d.json", .text = text};
        struct rk_model same = model;
        cr_assert_eq(deepspeed_read(&source, &same, &run, &notes, &error), RK_OK, "%s\n%s",
                     error.text, text);
        expect_same(&model, &p, &run, "deepspeed");
        free(text);
    }
}

Test(export, deepspeed_refuses_pipelines)
{
    const struct rk_model model = load("llama3.1-8b");
    struct rk_plan plan;
    struct rk_error error;
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    cr_assert_eq(rk_plan_parse("gpus16 pp2 gbs32", &plan, &error), RK_OK);
    notes = (struct notes){.count = 0};
    cr_expect_eq(deepspeed_write(memory, &model, &plan, &notes, &error), RK_NOTHING_FITS);
    cr_expect(named("pipeline"));
    cr_assert_eq(
        rk_plan_parse("framework=deepspeed gpus16 zero3 recompute=full gbs32", &plan, &error),
        RK_OK);
    notes = (struct notes){.count = 0};
    cr_expect_eq(deepspeed_write(memory, &model, &plan, &notes, &error), RK_OK);
    cr_expect(named("recompute")); /* the training code's */
    fclose(memory);
    free(text);
}

/* ---- torchtitan ---- */

Test(export, plans_survive_torchtitan)
{
    const struct rk_model model = load("llama3.1-70b");
    struct rk_error error;
    for (int k = 0; k < 300; k++) {
        struct rk_plan p = rk_plan_default(), run;
        char *text = NULL;
        size_t size;
        p.framework = RK_FSDP;
        p.tensor = UINT64_C(1) << draw(4);
        p.sequence_parallel = p.tensor > 1;
        p.tensor_overlap = p.tensor > 1 && draw(2);
        p.pipeline = UINT64_C(1) << draw(3);
        p.context = UINT64_C(1) << draw(2);
        if (p.context > 1) p.context_kind = draw(2) ? RK_RING : RK_GATHER;
        p.ranks = p.tensor * p.pipeline * p.context << (1 + draw(4));
        p.microbatch = 1 + draw(2);
        const uint64_t data = rk_plan_data(&p);
        p.batch = data * p.microbatch * (1 + draw(8));
        if (p.pipeline > 1) {
            p.embedding_counts = p.head_counts = true;
            p.schedule = draw(2) ? RK_1F1B : RK_GPIPE;
        }
        p.zero = 3;
        p.gradient_overlap = p.weight_overlap = true;
        p.keep_gathered = draw(2);
        if (draw(3) == 0 && data > 2) p.shard_ranks = data / 2 * p.context;
        p.precision = draw(2) ? RK_BF16 : draw(2) ? RK_FP8_CURRENT : RK_MXFP8;
        p.weights_fp8 = p.precision == RK_FP8_CURRENT && draw(2);
        p.recompute = draw(2) ? RK_WHOLE : RK_KEEP;
        p.fused = draw(2);
        FILE *memory = open_memstream(&text, &size);
        notes = (struct notes){.count = 0};
        cr_assert_eq(torchtitan_write(memory, &model, &p, &notes, &error), RK_OK, "%s", error.text);
        fclose(memory);
        cr_expect_eq(notes.count, 0, "%s: %s", notes.note[0].what, notes.note[0].need);
        static const char *const ignored[] = {"model"};
        const struct config_source source = {
            .path = "job.toml", .text = text, .keys = {ignored, 1}};
        struct rk_model same = model;
        cr_assert_eq(torchtitan_read(&source, &same, &run, &notes, &error), RK_OK, "%s\n%s",
                     error.text, text);
        expect_same(&model, &p, &run, "torchtitan");
        free(text);
    }
}

static const struct {
    const char *toml, *message;
    int line, column;
} wrong_jobs[] = {
    {"[training]\nlocal_batch_size = \"a\"\n", "must be a whole number", 2, 20},
    {"[parallelism\n", "']' is expected", 1, 13},
    {"[a]\nx = 1 y\n", "the line should end here", 2, 7},
    {"[a]\nx = 1\nx = 2\n", "this key is given twice", 3, 3},
    {"[parallelism]\ntensor_parallel_degree = 3\n", "not divisible", 0, 0},
    {"[activation_checkpoint]\nmode = \"some\"\n", "must be one of none|selective|full", 2, 8},
    {"[a]\nx = \"b\n", "this text is not closed", 2, 7},
};

Test(export, wrong_jobs)
{
    const struct rk_model model = load("llama3.1-8b");
    for (size_t i = 0; i < sizeof wrong_jobs / sizeof *wrong_jobs; i++) {
        struct rk_plan plan;
        struct rk_error error;
        notes = (struct notes){.count = 0};
        const struct config_source source = {
            .path = "j.toml", .text = wrong_jobs[i].toml, .gpus = 8};
        struct rk_model same = model;
        cr_expect_eq(torchtitan_read(&source, &same, &plan, &notes, &error), RK_BAD_INPUT);
        cr_expect(strstr(error.text, wrong_jobs[i].message), "%s", error.text);
        cr_expect(error.line == wrong_jobs[i].line && error.column == wrong_jobs[i].column,
                  "%s: %d:%d", error.text, error.line, error.column);
    }
}
