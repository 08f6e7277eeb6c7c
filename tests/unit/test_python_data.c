/* Configurations written as Python: what is read of them as data, and that nothing else is. */
#include "keys/reader.h"
#include "text/python_data.h"

#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct settings settings;
static struct rk_error error;

static enum rk_status read(const char *text, const char *function)
{
    settings_release(&settings);
    error = (struct rk_error){.text = ""};
    return python_settings(&settings, "c.py", text, function, NULL, 0, &error);
}

static void expect(const char *key, const char *text)
{
    const struct setting *s = settings_find(&settings, key);
    cr_expect(s && strcmp(s->text, text) == 0, "%s: %s", key, s ? s->text : "missing");
}

Test(python_data, values)
{
    static const char text[] =
        "from x import y\n"
        "SIZE = 8\n\n"
        "def base(flavor, *, tokens: int = 2 * 1024, **more) -> Trainer.Config:\n"
        "    \"\"\"What it is: if, for.\"\"\"\n"
        "    spec = registry(flavor, backend='a' \"b\")  # a comment\n"
        "    return Trainer.Config(\n"
        "        spec=spec,\n"
        "        training=TrainingConfig(tokens=tokens, lr=3e-4, none=None, on=True),\n"
        "        names=[\"a, b\", Part.Config(x=(1 + 2) * 3 - 4 // 2), -7],\n"
        "        odd=4 if spec else 5,\n"
        "    )\n\n"
        "def small() -> Trainer.Config:\n"
        "    import os\n"
        "    config = base('8B')\n"
        "    assert config.spec is not None\n"
        "    config.training.tokens = config.training.tokens * 2\n"
        "# a comment in the first column\n"
        "    config.fresh.member = 1\n"
        "    other = replace(config, odd=6)\n"
        "    config.training.lr = 1.5 / 2\n"
        "    config.list.append('kernel')\n"
        "    return other\n";
    cr_assert_eq(read(text, "small"), RK_OK, "%s", error.text);
    expect("spec", "registry");
    expect("spec.0", "8B");
    expect("spec.backend", "ab");
    expect("training", "TrainingConfig");
    expect("training.tokens", "4096");
    expect("training.lr", "3e-4"); /* `replace` made a copy before */
    expect("training.on", "True");
    cr_expect(settings_find(&settings, "training.none")->null);
    expect("names.0", "a, b");
    expect("names.1.x", "7");
    expect("names.2", "-7");
    expect("odd", "6");
    expect("fresh.member", "1");
    cr_assert_eq(read(text, NULL), RK_OK, "%s", error.text); /* `base` needs arguments */
    cr_assert_eq(read(text, "base"), RK_OK, "%s", error.text);
    expect("odd", "4 if spec else 5");
    expect("spec.0", "flavor"); /* its own text */
    settings_release(&settings);
}

/* What is appended is kept, whatever was there; long texts are not cut; signs add up. */
Test(python_data, appended)
{
    char text[4000], many[2001];
    memset(many, 'x', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    snprintf(text, sizeof text,
             "def f() -> A.Config:\n"
             "    config = A.Config(names=['a'], title='%s', sign=---5, plus=--5)\n"
             "    config.names.append(Part.Config(x=1))\n"
             "    config.override.imports.append('kernel')\n"
             "    config.override.imports.append(\n        'other',\n    )\n"
             "    return config\n",
             many);
    cr_assert_eq(read(text, NULL), RK_OK, "%s", error.text);
    expect("names.0", "a");
    expect("names.1", "Part.Config");
    expect("names.1.x", "1");
    expect("override.imports.0", "kernel");
    expect("override.imports.1", "other");
    expect("title", many);
    expect("sign", "-5");
    expect("plus", "5");
    settings_release(&settings);
}

/* Depth by statements is depth, and no text makes the reader call itself without end. */
Test(python_data, depth)
{
    enum { SIGNS = 300000 };
    char *text = calloc(1, SIGNS + 200), *at = text;
    cr_assert_not_null(text);
    at += sprintf(at, "def f() -> A.Config:\n    a0 = B(x=1)\n");
    for (int i = 1; i < 40; i++)
        at += sprintf(at, "    a%d = B(x=a%d)\n", i, i - 1);
    sprintf(at, "    return A.Config(x=a39)\n");
    cr_expect_eq(read(text, NULL), RK_BAD_INPUT);
    cr_expect(strstr(error.text, "nested too deeply"), "%s", error.text);
    at = text + sprintf(text, "def f() -> A.Config:\n    return A.Config(x=");
    memset(at, '-', SIGNS);
    strcpy(at + SIGNS, "1)\n");
    cr_assert_eq(read(text, NULL), RK_OK, "%s", error.text);
    expect("x", "1");
    settings_release(&settings);
    free(text);
}

/* What decides by running, what never ends, what is no configuration. */
Test(python_data, refusals)
{
    static const struct {
        const char *text, *function, *message;
    } rows[] = {
        {"def f() -> A.Config:\n    if x:\n        return A.Config()\n", NULL,
         "decides what is built"},
        {"def f() -> A.Config:\n    for x in y: pass\n    return A.Config()\n", NULL,
         "decides what is built"},
        {"def g(c): c.x = 1\ndef f() -> A.Config:\n    c = A.Config()\n    g(c)\n    return c\n",
         NULL, "may change the configuration"},
        {"def f() -> A.Config:\n    os.system('touch here')\n    return A.Config()\n", NULL,
         "is not understood"},
        {"def f() -> A.Config:\n    exec('x')\n    return A.Config()\n", NULL, "is not understood"},
        {"def f() -> A.Config:\n    return f()\n", NULL, "calls itself too often"},
        {"def f() -> A.Config:\n    return A.Config(x=f())\n", NULL, "calls itself too often"},
        {"def f() -> A.Config:\n    return "
         "A.Config(x=[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]"
         "]]]]]]]]]]]]]]]])\n",
         NULL, "nested too deeply"},
        {"def f() -> A.Config:\n    return 4\n", NULL, "returns a configuration"},
        {"def f() -> A.Config:\n    return A.Config(x=1\n", "f", ""},
        {"def f() -> A.Config:\n    return A.Config(x='", "f", ""},
        {"def a() -> A.Config:\n    pass\ndef b() -> A.Config:\n    pass\n", NULL, "one of a, b"},
        {"x = 1\n", NULL, "has no function"},
        {"def f(", "f", ""},
        {"", NULL, "has no function"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const enum rk_status status = read(rows[i].text, rows[i].function);
        if (*rows[i].message) cr_expect_neq(status, RK_OK, "%s", rows[i].text);
        cr_expect(strstr(error.text, rows[i].message), "%s: %s", rows[i].text, error.text);
    }
    cr_expect_eq(
        read("def f() -> A.Config:\n    return A.Config(x=__import__('os').system('a'))\n", NULL),
        RK_OK, "%s", error.text); /* a text, no more */
    expect("x", "__import__('os').system('a')");
    settings_release(&settings);
}

#define TITAN(rest)                                                                                \
    "def llama3_8b() -> Trainer.Config:\n    return Trainer.Config(\n"                             \
    "        model_spec=model_registry('8B'),\n"                                                   \
    "        training=TrainingConfig(num_tokens_per_microbatch_per_dp_rank=2 * 8192,\n"            \
    "                                max_context_length=8192),\n" rest ")\n"

static const struct {
    const char *text, *want; /* the words of the plan, or what is refused */
} jobs[] = {
    {TITAN("        activation_checkpoint=FullAC.Config(), loss=ChunkedLossWrapper.Config(),\n"
           "        parallelism=ParallelismConfig(tensor_parallel_degree=2),\n"
           "        compile=CompileConfig(enable=True),\n"),
     "framework=fsdp dp4 tp2 mbs2 gbs8 sp zero3 grad-overlap weight-overlap recompute=full "
     "loss-in-chunks cuda-graphs"},
    {TITAN("        activation_checkpoint=None, optimizer=default_adamw(lr=3e-4),\n"
           "        parallelism=ParallelismConfig(pipeline_parallel_degree=2, "
           "num_pp_microbatches=4),\n"),
     "framework=fsdp dp4 pp2 mbs2 gbs32 zero3 grad-overlap weight-overlap keep-gathered no-fused "
     "embedding-counts head-counts"},
    {"def llama3_8b() -> T.Config:\n    return T.Config(model_spec=model_registry('8B'), "
     "training=TrainingConfig(num_tokens_per_microbatch_per_dp_rank=3000))\n",
     "are not a whole number of samples"},
    {TITAN("        activation_checkpoint=MemoryBudgetAC.Config(),\n"), "is not covered"},
    {TITAN("        parallelism=ParallelismConfig(tensor_parallel_degree=get()),\n"),
     "tensor_parallel_degree get: must be a whole number"},
    {TITAN("        speed=4,\n"), "speed: is not known"},
    {"def llama3_70b() -> T.Config:\n    return T.Config(model_spec=model_registry('70B'))\n",
     "has 80 layers"},
};

/* What a configuration leaves to torchtitan is said, under the name that it has there. */
Test(python_data, assumed)
{
    static struct notes notes;
    struct rk_model model;
    struct rk_plan plan;
    int found = 0;
    const struct config_source source = {
        .path = "j.py",
        .text = "def llama3_8b() -> T.Config:\n    return T.Config(model_spec=registry('8B'))\n",
        .gpus = 8};
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(torchtitan_read(&source, &model, &plan, &notes, &error), RK_OK, "%s", error.text);
    for (int i = 0; i < notes.count; i++)
        found += notes.note[i].severity == NOTE_ASSUMED &&
                 (!strcmp(notes.note[i].what, "training.max_context_length") ||
                  !strcmp(notes.note[i].what, "training.num_tokens_per_microbatch_per_dp_rank"));
    cr_expect_eq(found, 2);
    cr_expect_eq(plan.microbatch * plan.sequence, 16384);
}

Test(python_data, torchtitan)
{
    static struct notes notes;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct rk_model model;
        struct rk_plan plan, want;
        char got[RK_PLAN_TEXT], expected[RK_PLAN_TEXT];
        const struct config_source source = {.path = "j.py", .text = jobs[i].text, .gpus = 8};
        notes = (struct notes){.count = 0};
        cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
        const enum rk_status status = torchtitan_read(&source, &model, &plan, &notes, &error);
        if (status != RK_OK) {
            cr_expect(strstr(error.text, jobs[i].want), "%zu: %s", i, error.text);
            continue;
        }
        cr_assert_eq(rk_plan_parse(jobs[i].want, &want, &error), RK_OK, "%zu: %s", i, error.text);
        rk_plan_text(&plan, got, sizeof got);
        rk_plan_text(&want, expected, sizeof expected);
        cr_expect_str_eq(got, expected, "%zu: %s", i, got);
    }
}
