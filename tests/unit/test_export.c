/* Plans that are written for other tools and read back: what the target can express survives, what
 * it cannot is named. */
#include "catalog/plan_compare.h"
#include "keys/target.h"
#include "megatron/megatron.h"
#include "random_plans.h"
#include "trainers/accelerate.h"
#include "trainers/deepspeed.h"
#include "trainers/nanotron.h"

#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct notes notes; /* large */
static struct megatron_import back;

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
    const struct rk_plan b = plan_canonical(model, run);
    struct rk_plan a = plan_canonical(model, plan);
    if (a.loss == RK_LOSS_USUAL) a.loss = b.loss; /* as the tool has it */
    const int count = plan_compare(&a, &b, list);
    for (int i = 0; i < count; i++)
        cr_expect(false, "%s, %s: %s %s came back as %s", model->id, tool,
                  plan_fields[list[i].row].key, list[i].a, list[i].b);
    free(list);
}

/* ---- Megatron-LM ---- */

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

/* Gated delta layers, gates of attention and of shared experts: parameters and plan come back. */
Test(export, linear_layers_survive_megatron)
{
    struct rk_model model = load("llama3.1-8b");
    struct rk_error error;
    struct rk_plan plan;
    model.recurrence = RK_GATED_DELTA;
    model.recurrent_norm = model.attention_gate = true;
    model.recurrent_heads = 32;
    model.recurrent_groups = 16;
    model.recurrent_dim = model.state = 128;
    model.convolution = 4;
    cr_assert_eq(rk_plan_parse("gpus16 tp4 pp2 sp gbs64", &plan, &error), RK_OK);
    static const char *const patterns[] = {"rrra", "ar", "rra"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        snprintf(model.mixers, sizeof model.mixers, "%s", patterns[i]);
        round_trip(&model, &plan, 19);
    }
    struct rk_model mixture = load("qwen3-30b-a3b");
    mixture.shared_experts = 1;
    mixture.shared_gate = true;
    cr_assert_eq(rk_plan_parse("gpus16 tp2 ep8 etp1 sp gbs64", &plan, &error), RK_OK);
    round_trip(&mixture, &plan, 16);
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
                 RK_UNSUPPORTED);
    cr_expect(strstr(error.text, "need core 0.13"), "%s", error.text);
    cr_expect_eq(write_megatron("gpus64 tp16 pp4 gbs64", 16, &error),
                 RK_OK); /* 8 groups: divisor */
    cr_expect_eq(write_megatron("gpus96 tp8 pp3 sp gbs64", 16, &error), RK_OK, "%s", error.text);
    cr_expect_eq(write_megatron("gpus64 tp8 pp4 vpp2 sp gbs66", 16, &error), RK_UNSUPPORTED);
}

/* ---- DeepSpeed ---- */

Test(export, plans_survive_deepspeed)
{
    const struct rk_model model = load("llama3.1-8b");
    struct rk_error error;
    for (int k = 0; k < 300; k++) {
        const struct rk_plan p = random_deepspeed();
        struct rk_plan run;
        char *text = NULL;
        size_t size;
        FILE *memory = open_memstream(&text, &size);
        notes = (struct notes){.count = 0};
        cr_assert_eq(target_write(&deepspeed_target, memory, &model, &p, 0, &notes, &error), RK_OK,
                     "%s", error.text);
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
    cr_expect_eq(target_write(&deepspeed_target, memory, &model, &plan, 0, &notes, &error),
                 RK_UNSUPPORTED);
    cr_expect(named("pipeline"));
    cr_assert_eq(
        rk_plan_parse("framework=deepspeed gpus16 zero3 recompute=full gbs32", &plan, &error),
        RK_OK);
    notes = (struct notes){.count = 0};
    cr_expect_eq(target_write(&deepspeed_target, memory, &model, &plan, 0, &notes, &error), RK_OK);
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
        const struct rk_plan p = random_torchtitan();
        struct rk_plan run;
        char *text = NULL;
        size_t size;
        FILE *memory = open_memstream(&text, &size);
        notes = (struct notes){.count = 0};
        cr_assert_eq(target_write(&torchtitan_target, memory, &model, &p, 0, &notes, &error), RK_OK,
                     "%s", error.text);
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

/* ---- accelerate ---- */

/* The arguments of the training code are given by words, as an import of the file has them. */
Test(export, plans_survive_accelerate)
{
    const struct rk_model model = load("llama3.1-8b");
    static const struct {
        const char *argument, *key;
    } arguments[] = {
        {"--per_device_train_batch_size ", "per_device_train_batch_size"},
        {"--gradient_accumulation_steps ", "gradient_accumulation_steps"},
        {"--max_length ", "max_seq_length"},
        {"--attn_implementation ", "attn_implementation"},
        {"--torch_compile ", "torch_compile"},
        {"--gradient_checkpointing ", "gradient_checkpointing"},
        {"{\\\"use_reentrant\\\":", "gradient_checkpointing_kwargs.use_reentrant"},
        {"--tf32 ", "tf32"},
    };
    struct rk_error error;
    for (int k = 0; k < 500; k++) {
        const struct rk_plan p = random_accelerate();
        struct rk_plan run;
        char *text = NULL, command[ACCELERATE_COMMAND], sets[8][80];
        const char *list[8];
        size_t size, count = 0;
        FILE *memory = open_memstream(&text, &size);
        notes = (struct notes){.count = 0};
        cr_assert_eq(target_write(&accelerate_target, memory, &model, &p, 0, &notes, &error), RK_OK,
                     "%s", error.text);
        fclose(memory);
        /* without torch.compile the loss is transformers' own, and said */
        const bool loss = notes.count == 1 && !p.fused && strcmp(notes.note[0].what, "loss") == 0;
        cr_expect(!notes.count || loss, "%s: %s", notes.note[0].what, notes.note[0].need);
        accelerate_command(&model, &p, command);
        cr_expect(strstr(text, command));
        for (size_t i = 0; i < 8; i++) {
            const char *at = strstr(command, arguments[i].argument);
            if (!at) continue;
            at += strlen(arguments[i].argument);
            snprintf(sets[count], sizeof sets[count], "%s=%.*s", arguments[i].key,
                     (int)strcspn(at, " }"), at);
            list[count] = sets[count];
            count++;
        }
        const struct config_source source = {
            .path = "a.yaml", .text = text, .sets = list, .set_count = count};
        struct rk_model same = model;
        cr_assert_eq(accelerate_read(&source, &same, &run, &notes, &error), RK_OK, "%s\n%s",
                     error.text, text);
        expect_same(&model, &p, &run, "accelerate");
        free(text);
    }
}

static const struct {
    const char *words, *named;
} refused_by_accelerate[] = {
    {"framework=fsdp gpus16 pp2 zero3 gbs32", "pipeline"},
    {"framework=deepspeed gpus16 tp2 zero3 gbs32", "tensor"},
    {"framework=fsdp gpus16 tp2 gbs32", "zero"},
    {"framework=fsdp gpus8 tp8 zero3 gbs32", "zero"},
    {"framework=fsdp gpus16 cp2 gbs32", "zero"},
};

Test(export, accelerate_refuses_what_it_would_not_start)
{
    const struct rk_model model = load("llama3.1-8b");
    for (size_t i = 0; i < sizeof refused_by_accelerate / sizeof *refused_by_accelerate; i++) {
        struct rk_plan plan;
        struct rk_error error;
        cr_assert_eq(rk_plan_parse(refused_by_accelerate[i].words, &plan, &error), RK_OK, "%s",
                     error.text);
        notes = (struct notes){.count = 0};
        FILE *file = tmpfile();
        cr_expect_eq(target_write(&accelerate_target, file, &model, &plan, 0, &notes, &error),
                     RK_UNSUPPORTED);
        cr_expect_eq(ftell(file), 0);
        cr_expect(named(refused_by_accelerate[i].named), "%s", refused_by_accelerate[i].words);
        fclose(file);
    }
}

/* ---- nanotron ---- */

Test(export, plans_and_models_survive_nanotron)
{
    static const char *const names[] = {"llama3.1-8b", "llama3.1-70b"};
    struct rk_error error;
    for (int k = 0; k < 500; k++) {
        const struct rk_model model = load(names[k % 2]);
        const struct rk_plan p = random_nanotron(&model);
        struct rk_plan run;
        struct rk_model same;
        char *text = NULL;
        size_t size;
        FILE *memory = open_memstream(&text, &size);
        notes = (struct notes){.count = 0};
        cr_assert_eq(target_write(&nanotron_target, memory, &model, &p, 0, &notes, &error), RK_OK,
                     "%s", error.text);
        fclose(memory);
        cr_expect_eq(notes.count, 1);
        cr_expect_str_eq(notes.note[0].what, "rope_factor"); /* Llama 3.1's */
        const struct config_source source = {.path = "n.yaml", .text = text};
        cr_assert_eq(nanotron_read(&source, &same, &run, &notes, &error), RK_OK, "%s\n%s",
                     error.text, text);
        cr_expect_eq(rk_model_parameters(&same), rk_model_parameters(&model));
        run.sequence = p.sequence;
        expect_same(&model, &p, &run, "nanotron");
        free(text);
    }
}

static const struct {
    const char *model, *words, *named;
} refused_by_nanotron[] = {
    {"llama3.1-8b", "tp16 dp2 gbs32", "tensor"},
    {"llama3.1-8b", "dp2 gbs32 precision=fp32", "precision"},
    {"gpt3-175b", "tp8 dp2 gbs32", "gated_mlp"},
    {"qwen3-8b", "tp8 dp2 gbs32", "qk_norm"},
    {"deepseek-v3", "tp8 dp2 gbs32", "shared_experts"},
    {"mixtral-8x7b", "dp8 ep8 gbs32", "expert"},
};

Test(export, nanotron_refuses_what_it_would_not_train)
{
    for (size_t i = 0; i < sizeof refused_by_nanotron / sizeof *refused_by_nanotron; i++) {
        const struct rk_model model = load(refused_by_nanotron[i].model);
        struct rk_plan plan;
        struct rk_error error;
        cr_assert_eq(rk_plan_parse(refused_by_nanotron[i].words, &plan, &error), RK_OK, "%s",
                     error.text);
        notes = (struct notes){.count = 0};
        FILE *file = tmpfile();
        cr_expect_eq(target_write(&nanotron_target, file, &model, &plan, 0, &notes, &error),
                     RK_UNSUPPORTED);
        cr_expect_eq(ftell(file), 0);
        cr_expect(named(refused_by_nanotron[i].named), "%s", refused_by_nanotron[i].model);
        fclose(file);
    }
}
