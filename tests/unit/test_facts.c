/* From the cells of a row to a model, a machine, a plan and figures. */
#include "facts/fact.h"
#include "facts/facts.h"
#include "facts/judge.h"
#include "facts/rules.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row of "column=value|column=value". */
static struct row row_of(const char *text)
{
    struct row row = {.path = "t.csv", .line = 1};
    char copy[4096];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *part = strtok(copy, "|"); part; part = strtok(NULL, "|")) {
        char *value = strchr(part, '=');
        *value++ = '\0';
        row_set(&row, part, value, NULL);
    }
    return row;
}

static struct rules rules_of(const char *text)
{
    static const char path[] = "test_facts.rules.json";
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    struct rules rules;
    struct rk_error error = {.text = ""};
    cr_assert_eq(rules_load(path, &rules, &error), RK_OK, "%s", error.text);
    remove(path);
    return rules;
}

static struct rules own_rules(void)
{
    struct rules rules;
    struct rk_error error = {.text = ""};
    cr_assert_eq(rules_load(RECKON_TEST_SOURCE "/data/measured/rules.json", &rules, &error), RK_OK,
                 "%s", error.text);
    return rules;
}

/* ---- rules ---- */

Test(rules, fill_replace_and_remember_why)
{
    struct rules rules = rules_of(
        "{\"rules\": ["
        "{\"when\": {\"a\": \"^x([0-9]+)y([0-9]+)\"}, \"set\": {\"b\": \"$2-$1\", \"a\": \"no\"}, "
        "\"why\": \"one\"},"
        "{\"when\": {\"b\": \"-\", \"c\": \"!z\"}, \"replace\": {\"a\": \"${b}!\"}, \"why\": "
        "\"two\"},"
        "{\"when\": {\"c\": \"^$\"}, \"set\": {\"c\": \"empty\"}, \"why\": \"three\"},"
        "{\"when\": {\"c\": \"(?i)^EMPTY$\"}, \"set\": {\"d\": \"any case\"}, \"why\": \"four\"},"
        "{\"when\": {\"c\": \"^EMPTY$\"}, \"set\": {\"e\": \"never\"}, \"why\": \"five\"}]}");
    struct row row = row_of("a=x12y34");
    struct rk_error error;
    cr_assert_eq(rules_apply(&rules, &row, &error), RK_OK);
    cr_expect_str_eq(row_get(&row, "b"), "34-12");
    cr_expect_str_eq(row_get(&row, "a"), "34-12!");
    cr_expect_str_eq(row_get(&row, "c"), "empty");
    cr_expect_str_eq(row_get(&row, "d"), "any case");
    cr_expect_str_eq(row_get(&row, "e"), "");
    for (int i = 0; i < row.count; i++)
        if (strcmp(row.cell[i].name, "a") == 0) cr_expect_str_eq(row.cell[i].why, "two");
    row_release(&row);
    rules_release(&rules);
}

Test(rules, what_is_wrong_with_a_file)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"{}", "missing key \"rules\""},
        {"{\"rules\": [{\"when\": {\"a\": \"(\"}, \"why\": \"\"}]}", "not a regular expression"},
        {"{\"rules\": [{\"when\": {\"a\": 3}, \"why\": \"\"}]}", "must be a text"},
        {"{\"rules\": [{\"set\": {\"a\": \"b\"}}]}", "missing key \"why\""},
        {"{\"rules\": [{\"whenn\": {}, \"why\": \"\"}]}", "whenn"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char path[] = "test_facts.wrong.json";
        FILE *file = fopen(path, "w");
        fputs(cases[i].text, file);
        fclose(file);
        struct rules rules;
        struct rk_error error = {.text = ""};
        cr_expect_eq(rules_load(path, &rules, &error), RK_BAD_INPUT);
        cr_expect(strstr(error.text, cases[i].says), "%s", error.text);
        remove(path);
    }
}

/* ---- rows as sources write them ---- */

#define GPT                                                                                        \
    "id=x_1|layers=24|hidden=2048|ffn=8192|heads=16|kv_heads=16|seq=2048|vocab=50257|gated_mlp=0|"
#define RUN                                                                                        \
    "gpu=A100-SXM4-80GB|gpus=64|gpus_per_node=8|tp=2|pp=4|vpp=1|dp=8|cp=1|sp=0|micro_batch=2|"     \
    "global_batch=128|"
#define FULL                                                                                       \
    GPT RUN "precision=bf16|recompute=none|zero=1|flash_attn=1|metric_name=iter_time_s|metric_"    \
            "value=10"

static struct fact fact_of(const char *text)
{
    struct rules rules = own_rules();
    struct row row = row_of(text);
    struct fact fact;
    struct rk_error error;
    cr_assert_eq(rules_apply(&rules, &row, &error), RK_OK);
    cr_assert_eq(fact_read(&row, &fact, &error), RK_OK);
    row_release(&row);
    rules_release(&rules);
    return fact;
}

Test(facts, a_complete_row)
{
    struct fact fact = fact_of(FULL);
    const struct rk_plan *p = &fact.plan;
    cr_expect_str_eq(fact.reason, "");
    cr_expect_eq(fact.model.layers, 24);
    cr_expect_eq(fact.model.head_dim, 128);
    cr_expect_eq(p->ranks, 64);
    cr_expect_eq(p->tensor, 2);
    cr_expect_eq(p->pipeline, 4);
    cr_expect_eq(rk_plan_data(p), 8);
    cr_expect_eq(p->microbatch, 2);
    cr_expect_eq(p->batch, 128);
    cr_expect_eq(p->zero, 1);
    cr_expect_eq(p->precision, RK_BF16);
    cr_expect_eq(p->recompute, RK_KEEP);
    cr_expect_eq(p->attention, RK_FLASH);
    cr_expect_eq(fact.open, 0);
    cr_expect_eq(fact.figures, 1);
    cr_expect_eq(fact.system.network[0].size, 8);
    cr_expect_str_eq(fact.class_of[CLASS_SOURCE], "x");
    cr_expect_str_eq(fact.class_of[CLASS_SCALE], "64 to 511");
    fact_release(&fact);
}

Test(facts, last_layers_in_bf16)
{
    static const struct {
        const char *cells;
        int segments;
    } cases[] = {{"precision=nvfp4|bf16_last=6", 2},
                 {"precision=nvfp4|bf16_last=0", 0},
                 {"precision=nvfp4|bf16_last=24", 0},
                 {"precision=bf16|bf16_last=6", 0},
                 {"precision=nvfp4|bf16_last=6|recompute=?", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "%sgpu=B200-SXM-180GB|gpus=64|gpus_per_node=8|tp=1|pp=1|vpp=1|cp=1|sp=0|"
                 "micro_batch=2|global_batch=128|recompute=none|zero=1|metric_name=iter_time_s|"
                 "metric_value=10|%s",
                 GPT, cases[i].cells);
        struct fact fact = fact_of(text);
        const struct rk_plan *p = &fact.plan;
        cr_expect_str_eq(fact.reason, "", "%s: %s", cases[i].cells, fact.reason);
        cr_expect_eq(rk_plan_layout(p)->segments, cases[i].segments, "%s", cases[i].cells);
        if (rk_plan_layout(p)->segments == 2) {
            cr_expect_eq(rk_plan_layout(p)->segment[0].layers, 18);
            cr_expect_eq(rk_plan_layout(p)->segment[1].layers, 6);
            cr_expect_eq(
                rk_plan_layout(p)->other[rk_plan_layout(p)->segment[1].local - 1].precision,
                RK_BF16);
            cr_expect_eq(p->precision, RK_NVFP4);
        }
        fact_release(&fact);
    }
}

/* 24 layers on four stages, of which the first ones are computed again: 2 of 5, 1 of 6, all 7, 0.
 */
Test(facts, recomputed_layers_of_each_stage)
{
    static const struct rk_segment runs[] = {{2, 1}, {3, 0}, {1, 1}, {5, 0}, {7, 1}, {6, 0}};
    const char *row =
        "gpu=L4-24GB (PCIe)|gpus=4|gpus_per_node=4|tp=1|pp=4|vpp=1|cp=1|sp=0|split=5, 6, 7, 6|"
        "micro_batch=1|global_batch=64|recompute=none|zero=1|metric_name=iter_time_s|metric_value="
        "10|";
    char text[2048];
    snprintf(text, sizeof text, "%s%srecompute_stages=2, 1, 7, 0", GPT, row);
    struct fact fact = fact_of(text);
    cr_expect_str_eq(fact.reason, "", "%s", fact.reason);
    cr_assert_eq(rk_plan_layout(&fact.plan)->segments, 6);
    for (int i = 0; i < 6; i++) {
        cr_expect_eq(rk_plan_layout(&fact.plan)->segment[i].layers, runs[i].layers);
        cr_expect_eq(rk_plan_layout(&fact.plan)->segment[i].local, runs[i].local);
    }
    cr_expect_eq(rk_plan_layout(&fact.plan)->other[0].recompute, RK_WHOLE);
    cr_expect_eq(fact.plan.recompute, RK_KEEP);
    fact_release(&fact);
    static const char *const wrong[] = {"8, 1, 0, 0", "2, 1", "two", "-1, 0, 0, 0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(text, sizeof text, "%s%srecompute_stages=%s", GPT, row, wrong[i]);
        fact = fact_of(text);
        cr_expect(strstr(fact.reason, "recompute_stages"), "%s: %s", wrong[i], fact.reason);
        fact_release(&fact);
    }
}

Test(facts, spellings)
{
    static const struct {
        const char *cells;
        enum rk_precision precision;
        enum rk_recompute_mode recompute;
        unsigned parts;
        int zero;
        uint64_t shards;
    } cases[] = {
        {"precision=fp8 per-tensor current scaling|recompute=full|zero=3 (FSDP2)", RK_FP8_CURRENT,
         RK_WHOLE, 0, 3, 0},
        {"precision=fp16/bf16 mixed|recompute=selective|zero=0", RK_FP16, RK_SELECTIVE,
         1u << RK_PART_CORE_ATTENTION, 0, 0},
        {"precision=mxfp8/subchannel|recompute=core_attn (v25.07 table)|zero=2", RK_FP8_BLOCK,
         RK_SELECTIVE, 1u << RK_PART_CORE_ATTENTION, 2, 0},
        {"precision=fp8|recompute=full:uniform:1|zero=3 (FSDP=16, DP=4)", RK_FP8_DELAYED, RK_WHOLE,
         0, 3, 16},
        {"precision=fp32 (no flag)|recompute=selective:[layernorm mlp moe_act]|zero=1", RK_FP32,
         RK_SELECTIVE, 1u << RK_PART_NORM | 1u << RK_PART_MLP | 1u << RK_PART_ACTIVATION, 1, 0},
        {"precision=BF16|recompute=none|zero=1", RK_BF16, RK_KEEP, 0, 1, 0},
        {"precision=bf16-mixed|recompute=yes|zero=ZeRO-2", RK_BF16, RK_WHOLE, 0, 2, 0},
        {"precision=mixed fp16|recompute=off|zero=FSDP", RK_FP16, RK_KEEP, 0, 3, 0},
        {"precision=TF32|recompute=selective: core_attn, mlp|zero=none", RK_TF32, RK_SELECTIVE,
         1u << RK_PART_CORE_ATTENTION | 1u << RK_PART_MLP, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        const char *run = "gpu=H100-SXM5-80GB|gpus=64|gpus_per_node=8|tp=1|pp=1|vpp=1|cp=1|sp=0|"
                          "micro_batch=2|global_batch=128|";
        snprintf(text, sizeof text, "%s%s%s|metric_name=iter_time_s|metric_value=10", GPT, run,
                 cases[i].cells);
        struct fact fact = fact_of(text);
        cr_expect_str_eq(fact.reason, "", "%s: %s", cases[i].cells, fact.reason);
        cr_expect_eq(fact.plan.precision, cases[i].precision, "%s", cases[i].cells);
        cr_expect_eq(fact.plan.recompute, cases[i].recompute, "%s", cases[i].cells);
        cr_expect_eq(fact.plan.recompute_parts, cases[i].parts, "%s", cases[i].cells);
        cr_expect_eq(fact.plan.zero, cases[i].zero, "%s", cases[i].cells);
        cr_expect_eq(fact.plan.shard_ranks, cases[i].shards, "%s", cases[i].cells);
        fact_release(&fact);
    }
}

/* Seconds of a step that each metric stands for: 128 samples of 2048 tokens on 64 GPUs. */
Test(facts, metrics_become_times)
{
    static const struct {
        const char *metric;
        double value, seconds;
    } cases[] = {
        {"iter_time_s", 10, 10},
        {"samples_per_s", 64, 2},          /* 128 / 64 */
        {"samples_per_s_per_gpu", 0.5, 4}, /* 128 / (64 * 0.5) */
        {"tokens_per_s", 65536, 4},        /* 128 * 2048 / 65536 */
        {"tokens_per_s_per_gpu", 1024, 4}, /* 128 * 2048 / (64 * 1024) */
        {"tokens_per_day", 65536 * 86400.0, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "%sprecision=bf16|recompute=none|zero=1|flash_attn=1|metric_name=%s|metric_value=%.17g",
            GPT RUN, cases[i].metric, cases[i].value);
        struct fact fact = fact_of(text);
        const struct judgement j = {.timed = true, .step_s = 2 * cases[i].seconds};
        cr_assert_eq(fact.figures, 1, "%s", fact.reason);
        const double seconds = judge_measured(&fact, &fact.figure[0], &j);
        cr_expect(fabs(seconds / cases[i].seconds - 1) < 1e-12, "%s: %g s", cases[i].metric,
                  seconds);
        /* at twice the time, half the rate */
        const double predicted = judge_figure(&fact, &fact.figure[0], &j);
        const double expected =
            i == 0 ? 2 * cases[i].value : cases[i].value / 2; /* seconds first */
        cr_expect(fabs(predicted / expected - 1) < 1e-12, "%s: %g", cases[i].metric, predicted);
        fact_release(&fact);
    }
}

/* [narayanan2021] equation 3, by hand for this shape:
 * 96 * 128 * 2048 * 24 * 2048^2 * (1 + 2048 / (6 * 2048) + 50257 / (16 * 24 * 2048)) FLOP. */
Test(facts, flop_formulas)
{
    struct fact fact = fact_of(
        GPT RUN "framework=Megatron-LM|year=2021|precision=fp16|recompute=full|zero=0|flash_attn=0|"
                "metric_name=tflops_per_gpu|metric_value=100");
    const struct judgement j = {.timed = true, .step_s = 1, .model_flop = 1e18};
    const double flop =
        96.0 * 128 * 2048 * 24 * 2048 * 2048 * (1 + 1.0 / 6 + 50257.0 / (16 * 24 * 2048));
    cr_assert_eq(fact.figures, 1, "%s", fact.reason);
    cr_expect_eq(fact.formula, FLOP_MEGATRON);
    const double seconds = judge_measured(&fact, &fact.figure[0], &j);
    cr_expect(fabs(seconds / (flop / (64 * 100e12)) - 1) < 1e-12, "%g", seconds);
    fact_release(&fact);

    /* model FLOP over the peak of the machine: 1e18 / (64 * 0.4 * 312e12) s */
    fact = fact_of(GPT RUN "source=somebody|precision=bf16|recompute=none|zero=0|flash_attn=1|"
                           "metric_name=mfu_pct|metric_value=40");
    cr_assert_eq(fact.figures, 1, "%s", fact.reason);
    const double shared = judge_measured(&fact, &fact.figure[0], &j);
    cr_expect(fabs(shared / (1e18 / (64 * 0.4 * 312e12)) - 1) < 1e-12, "%g", shared);
    fact_release(&fact);
}

Test(facts, memory_in_the_notes)
{
    struct fact fact =
        fact_of(FULL "|notes=also[peak_alloc_gib=66.55; peak_reserved_gib=70.88; x=1]");
    cr_assert_eq(fact.figures, 3, "%s", fact.reason);
    cr_expect_eq(fact.figure[1].kind, FIGURE_ALLOCATED);
    cr_expect(fabs(fact.figure[1].measured - 66.55 * 0x1p30) < 1);
    cr_expect_eq(fact.figure[2].kind, FIGURE_RESERVED);
    fact_release(&fact);

    fact = fact_of(FULL "|notes=also[stage_peak_alloc=[18506 MB/ 13406 MB]; "
                        "stage_peak_reserved=[20412 MB/ 16116 MB]]");
    cr_assert_eq(fact.figures, 3, "%s", fact.reason);
    cr_expect(fabs(fact.figure[1].measured - 18506 * 0x1p20) < 1, "%g", fact.figure[1].measured);
    cr_expect(fabs(fact.figure[2].measured - 20412 * 0x1p20) < 1);
    fact_release(&fact);
}

Test(facts, layers_per_stage)
{
    struct fact fact = fact_of(
        GPT "gpu=A100-SXM4-80GB|gpus=4|gpus_per_node=4|tp=1|pp=4|vpp=1|cp=1|sp=0|micro_batch=1|"
            "global_batch=8|precision=bf16|"
            "recompute=none|zero=0|flash_attn=1|metric_name=iter_time_s|metric_value=1|"
            "notes=layer split per stage [5, 7, 7, 7] (incl. embedding and head pseudo-layers)");
    cr_expect_str_eq(fact.reason, "");
    cr_expect_eq(rk_plan_layout(&fact.plan)->splits, 4);
    cr_expect_eq(rk_plan_layout(&fact.plan)->split[0], 4);
    cr_expect_eq(rk_plan_layout(&fact.plan)->split[1], 7);
    cr_expect_eq(rk_plan_layout(&fact.plan)->split[3], 6);
    cr_expect_eq(fact.system.network[0].size, 4);
    fact_release(&fact);
}

/* t 2 * c 2 * p 4 * d 3 ranks; microbatches of 2, 5 of them on each of 3. */
Test(facts, ranks_and_batch_that_follow)
{
    struct fact fact =
        fact_of(GPT "gpu=A100-SXM4-80GB|gpus_per_node=8|tp=2|cp=2|pp=4|vpp=1|dp=3|sp=0|"
                    "micro_batch=2|grad_accum=5|precision=bf16|recompute=none|zero=0|flash_attn=1|"
                    "metric_name=iter_time_s|metric_value=1");
    cr_expect_str_eq(fact.reason, "");
    cr_expect_eq(fact.plan.ranks, 48);
    cr_expect_eq(fact.plan.batch, 30);
    fact_release(&fact);
}

/* Where all layers are mixtures sources give an expert's width as that of the MLP. */
Test(facts, width_of_experts)
{
    struct fact fact = fact_of(FULL "|experts=8|topk=2");
    cr_expect_str_eq(fact.reason, "");
    cr_expect_eq(fact.model.expert_feedforward, 8192);
    fact_release(&fact);
    fact = fact_of(FULL "|experts=8|topk=2|dense_ffn=4096");
    cr_expect_eq(fact.model.expert_feedforward, 8192);
    cr_expect_eq(fact.model.feedforward, 4096);
    fact_release(&fact);
    fact = fact_of(FULL "|experts=8|topk=2|moe_ffn=1024");
    cr_expect_eq(fact.model.expert_feedforward, 1024);
    cr_expect_eq(fact.model.feedforward, 8192);
    fact_release(&fact);
}

/* 126 layers on 128 virtual stages: embedding and head take a place each. */
Test(facts, ends_count_where_nothing_else_divides)
{
    struct fact fact =
        fact_of("id=y_1|layers=126|hidden=16384|ffn=53248|heads=128|kv_heads=8|seq=8192|vocab="
                "128256|gated_mlp=1|model_name=Llama 3.1 405B|"
                "gpu=H100-SXM5-80GB|gpus=1024|gpus_per_node=8|tp=4|pp=16|vpp=8|cp=1|micro_batch=1|"
                "global_batch=1536|precision=fp8|"
                "zero=1|flash_attn=1|metric_name=iter_time_s|metric_value=10|recompute=none");
    cr_expect_str_eq(fact.reason, "");
    cr_expect(fact.plan.embedding_counts && fact.plan.head_counts);
    cr_expect_eq(rk_plan_split(&fact.plan, &fact.model, 0), 0);
    cr_expect_eq(rk_plan_split(&fact.plan, &fact.model, 1), 1);
    fact_release(&fact);
}

Test(facts, what_the_source_leaves_open)
{
    struct fact fact =
        fact_of(GPT "gpu=A100-SXM4-80GB|gpus=64|gpus_per_node=8|tp=2|pp=4|cp=1|sp=0|global_batch="
                    "128|precision=fp16|"
                    "zero=0|flash_attn=1|metric_name=iter_time_s|metric_value=10|year=2023");
    cr_expect_str_eq(fact.reason, "");
    cr_expect_eq(fact.open, 1u << OPEN_CHUNKS | 1u << OPEN_MICROBATCH | 1u << OPEN_RECOMPUTE);
    fact_release(&fact);
    fact = fact_of(GPT "gpu=A100-SXM4-80GB|gpus=64|gpus_per_node=8|framework=megatron|global_batch="
                       "128|metric_name=iter_time_s|metric_value=10|year=2023");
    cr_expect_str_eq(fact.reason, "");
    const unsigned degrees = 1u << OPEN_TENSOR | 1u << OPEN_CONTEXT | 1u << OPEN_PIPELINE;
    cr_expect_eq(fact.open & degrees, degrees);
    fact_release(&fact);
}

Test(facts, reasons_instead_of_silence)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {RUN "id=a|model_name=Unheard-of|metric_name=iter_time_s|metric_value=1", "no layers"},
        {GPT "gpu=Quantum "
             "9000|gpus=8|tp=1|pp=1|micro_batch=1|global_batch=8|metric_name=iter_time_s|metric_"
             "value=1",
         "no system of the catalog is known as \"Quantum 9000\""},
        {GPT "gpu=A100-SXM4-80GB|tp=?|metric_name=iter_time_s|metric_value=1",
         "neither GPUs nor the degrees"},
        {GPT RUN "precision=int3|metric_name=iter_time_s|metric_value=1",
         "precision: \"int3\" is not known"},
        {GPT RUN "precision=bf16|metric_name=furlongs|metric_value=1",
         "metric_name: \"furlongs\" is not known"},
        {GPT RUN "precision=bf16|metric_name=iter_time_s|metric_value=fast",
         "metric_value: \"fast\" is not a number"},
        {GPT RUN "precision=bf16|metric_name=iter_time_s|metric_value=-1", "must be above 0"},
        {GPT RUN "precision=bf16|recompute=full on [2, 1] layers per "
                 "stage|metric_name=iter_time_s|metric_value=1",
         "is not a list of layers of stages"},
        {GPT RUN "precision=bf16", "measures nothing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fact fact = fact_of(cases[i].text);
        cr_expect(strstr(fact.reason, cases[i].says), "%s\n  %s", cases[i].text, fact.reason);
        fact_release(&fact);
    }
}

/* Every rule of the table can match: no text stands where a pattern of another column was meant,
 * and each GPU that a rule names has a system that loads. */
/* A rule that names a source reads no other source's runs: few may. */
Test(facts, few_rules_look_at_a_source)
{
    json_t *root = json_load_file(RECKON_TEST_SOURCE "/data/measured/rules.json", 0, NULL);
    const json_t *rules = json_object_get(root, "rules");
    size_t i, naming = 0;
    json_t *rule;
    cr_assert_gt(json_array_size(rules), 400);
    json_array_foreach(rules, i, rule)
    {
        const json_t *when = json_object_get(rule, "when");
        naming += json_object_get(when, "source") || json_object_get(when, "id") ||
                  json_object_get(when, "source_group");
    }
    cr_expect_eq(naming, 3, "%zu rules", naming);
    json_decref(root);
}

Test(facts, a_framework_is_read_by_its_name)
{
    struct fact named = fact_of(GPT RUN "framework=torchtitan|zero=3|metric_name=iter_time_s|"
                                        "metric_value=1|year=2025");
    struct fact in_notes = fact_of(GPT RUN "framework=fsdp|notes=torchtitan|zero=3|year=2025|"
                                           "metric_name=iter_time_s|metric_value=1");
    struct fact unknown = fact_of(GPT RUN "framework=nobody's|metric_name=iter_time_s|"
                                          "metric_value=1");
    cr_expect(!named.reason[0] && !in_notes.reason[0], "%s%s", named.reason, in_notes.reason);
    cr_expect_eq(named.plan.framework, RK_FSDP);
    cr_expect(named.plan.gradient_overlap && in_notes.plan.gradient_overlap);
    cr_expect(!named.plan.fused && !in_notes.plan.fused, "no word of a compiler");
    cr_expect(strstr(unknown.reason, "nobody's"), "%s", unknown.reason);
    fact_release(&named);
    fact_release(&in_notes);
    fact_release(&unknown);
}

Test(facts, systems_of_the_rules_load)
{
    static const char *const gpus[] = {"A100-SXM4-80GB",
                                       "A100-SXM4-40GB",
                                       "A100-PCIe-80GB",
                                       "A800-80GB",
                                       "H100-SXM5-80GB",
                                       "H100-PCIe-80GB",
                                       "H100-NVL-94GB",
                                       "H800-SXM",
                                       "H200-SXM-141GB",
                                       "H20-96GB",
                                       "GH200-96GB",
                                       "GB200 (NVL72)",
                                       "GB300 (NVL72)",
                                       "B200-SXM-180GB",
                                       "B300-SXM-288GB",
                                       "V100-SXM3-32GB (DGX-2)",
                                       "L40S",
                                       "L4-24GB (PCIe)",
                                       "A10G-24GB (PCIe)",
                                       "RTX-4090",
                                       "MI250X",
                                       "NVIDIA H100 80GB HBM3",
                                       "AMD Instinct MI300X",
                                       "Tesla V100-SXM2-32GB",
                                       "MI300X-192GB",
                                       "MI325X-256GB",
                                       "MI355X-288GB",
                                       "MI350X-288GB",
                                       "TPU v4",
                                       "TPU v5e",
                                       "TPU v5p",
                                       "TPU v6e",
                                       "Gaudi2-96GB",
                                       "Gaudi3",
                                       "Ascend 910B"};
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "%sgpu=%s|gpus=8|gpus_per_node=8|tp=1|pp=1|vpp=1|cp=1|sp=0|micro_batch=1|global_"
                 "batch=8|"
                 "precision=bf16|recompute=none|zero=0|metric_name=iter_time_s|metric_value=1",
                 GPT, gpus[i]);
        struct fact fact = fact_of(text);
        cr_expect_str_eq(fact.reason, "", "%s: %s", gpus[i], fact.reason);
        fact_release(&fact);
    }
}

/* A cell "kernels.KEY" is a key of the system's kernels, in its unit. */
Test(facts, kernels_by_cells)
{
    struct fact fact = fact_of(FULL "|kernels.workspace_MiB=32|kernels.fragmentation=0.5");
    cr_expect_str_empty(fact.reason, "%s", fact.reason);
    cr_expect_float_eq(fact.system.kernels.workspace_bytes, 32 * 0x1p20, 1e-9);
    cr_expect_float_eq(fact.system.kernels.fragmentation, 0.5, 1e-12);
    fact_release(&fact);
    fact = fact_of(FULL "|kernels.workspace_GiB=32");
    cr_expect_str_eq(fact.reason, "a rule sets kernels.workspace_GiB, which no system has");
    fact_release(&fact);
    fact = fact_of(FULL "|kernels.fragmentation=2");
    cr_expect(strstr(fact.reason, "kernels.fragmentation: "), "%s", fact.reason);
    fact_release(&fact);
}

/* ---- what nothing reads ---- */

static const struct unread_item *find_item(const struct unread *unread, const char *text)
{
    for (size_t i = 0; i < unread->items; i++)
        if (strcmp(unread->item[i].text, text) == 0) return &unread->item[i];
    return NULL;
}

/* Statements that no rule finds a word in, numbers as one; a column that nobody asks for. */
Test(facts, what_nothing_reads_is_listed)
{
    static const char table[] =
        "id,system,gpus,model,micro_batchez,model.tied_embeddings,metric_name,metric_value,notes\n"
        "a_1,h100-sxm5-80g,8,llama3.1-8b,2,false,iter_time_s,9,"
        "conf:A; also[mfu=3; x=4]; mean of 10 steps; says eager here\n"
        "a_2,h100-sxm5-80g,8,llama3.1-8b,,false,iter_time_s,9,mean of 1.5 steps;; lazy\n";
    struct rules rules =
        rules_of("{\"rules\": [{\"when\": {\"notes\": \"eager\"}, \"set\": {\"fused\": \"no\"}, "
                 "\"why\": \"-\"}, {\"when\": {\"notes\": \"lazy\", \"system\": \"a100\"}, "
                 "\"set\": {\"fused\": \"no\"}, \"why\": \"does not hold\"}]}");
    struct csv csv;
    struct rk_error error = {.text = ""};
    struct unread unread = {.items = 0};
    struct facts facts = {.unread = &unread};
    cr_assert_eq(csv_parse("t.csv", table, strlen(table), &csv, &error), RK_OK, "%s", error.text);
    cr_assert_eq(facts_add(&facts, &csv, &rules, &error), RK_OK, "%s", error.text);
    cr_expect_eq(unread.items, 3);
    cr_expect_eq(unread.statements, 6);
    cr_expect_eq(unread.statements_read, 3);
    cr_expect_str_eq(unread.item[0].text, "micro_batchez");
    cr_expect(unread.item[0].is_column && unread.item[0].rows == 1);
    const struct unread_item *mean = find_item(&unread, "mean of # steps");
    cr_assert(mean);
    cr_expect_eq(mean->rows, 2);
    cr_expect_str_eq(mean->first, "a_1");
    cr_expect(find_item(&unread, "lazy"));
    csv_release(&csv);
    facts_release(&facts);
    unread_release(&unread);
    rules_release(&rules);
}
