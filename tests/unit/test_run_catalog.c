/* Every model of the catalog is computed as its checkpoint's config.json says, or refused by name.
 */
#include "catalog/catalog.h"
#include "catalog_cases.h"
#include "cli/train_model.h"

#include <reckon/command.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct rk_error error_;

static enum rk_status opened(const char *id, struct rk_model *model, struct rk_train *train)
{
    *train = rk_train_default();
    return train_model_open(id, model, train, &error_);
}

/* Is the type, or the reason, behind the id? */
static bool says_why(const char *id)
{
    const char *text = formatted(&error_), *at = strstr(text, id);
    return at && (strstr(at, " models: ") || strstr(at, ": take another model") ||
                  strstr(at, ": give the config.json"));
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

/* What the model's own file says, which has other sources than the table. */
static void check_numbers(const struct rk_model *m, const struct rk_train *t)
{
    if (m->rotary_base > 0)
        cr_expect(is_near(t->rotary_base, m->rotary_base), "%s: base %g", m->id, t->rotary_base);
    if (m->norm_epsilon > 0)
        cr_expect(is_near(t->norm_eps, m->norm_epsilon), "%s: epsilon %g", m->id, t->norm_eps);
    if (m->router_scaling > 0)
        cr_expect(is_near(t->route_scale, m->router_scaling), "%s: %g", m->id, t->route_scale);
    if (m->rope_factor > 0)
        cr_expect(is_near(t->rotary_stretch.factor, m->rope_factor), "%s: factor", m->id);
    cr_expect_eq(m->attention_cap, t->arithmetic.attention_cap > 0, "%s: cap of scores", m->id);
    cr_expect_eq(m->logit_cap, t->arithmetic.logit_cap > 0, "%s: cap of logits", m->id);
    if (m->attention_sinks) cr_expect_gt(t->arithmetic.gate_limit, 0, "%s: limit", m->id);
    if (m->block_norms == 4 || m->parallel_block || m->qk_norm_wide)
        cr_expect_neq(t->arithmetic.naming, RK_NAMES_OF_MODEL, "%s: nobody says more", m->id);
}

Test(run_catalog, every_model_is_computed_as_released_or_refused_by_name)
{
    struct catalog_list list;
    struct rk_model *model = malloc(sizeof *model);
    struct rk_train train;
    int run = 0, refused = 0;
    use_source_catalog();
    cr_assert_eq(catalog_list(CATALOG_MODELS, &list, &error_), RK_OK);
    for (size_t i = 0; i < list.count; i++) {
        const enum rk_status status = opened(list.id[i], model, &train);
        if (status == RK_OK) {
            check_numbers(model, &train);
            run++;
        } else {
            cr_expect_eq(status, RK_UNSUPPORTED, "%s: %s", list.id[i], formatted(&error_));
            cr_expect(says_why(list.id[i]), "%s: %s", list.id[i], formatted(&error_));
            cr_expect_null(strstr(formatted(&error_), "add a row"), "%s", formatted(&error_));
            refused++;
        }
    }
    cr_expect_geq(run, 120);
    cr_expect_geq(refused, 30);
    catalog_list_release(&list);
    free(model);
}

Test(run_catalog, each_row_is_of_models_that_there_are_and_none_has_two)
{
    use_source_catalog();
    json_t *root = json_load_file(RECKON_TEST_SOURCE "/data/model-arithmetic.json", 0, NULL);
    json_t *seen = json_object(), *row, *id;
    size_t i, j;
    cr_assert(root);
    json_array_foreach(json_object_get(root, "models"), i, row)
    {
        cr_expect_eq(json_object_size(row), json_object_get(row, "source") ? 3 : 2);
        cr_expect(json_is_object(json_object_get(row, "said")) !=
                  json_is_string(json_object_get(row, "lacks")));
        json_array_foreach(json_object_get(row, "of"), j, id)
        {
            const char *name = json_string_value(id);
            cr_assert(name);
            cr_expect(catalog_has(CATALOG_MODELS, name), "%s", name);
            cr_expect_null(json_object_get(seen, name), "%s has two rows", name);
            json_object_set_new(seen, name, json_true());
        }
    }
    json_decref(seen);
    json_decref(root);
}

/* Numbers that config.json of these checkpoints has, and what they are to the executor. */
Test(run_catalog, what_a_shape_does_not_say_is_there)
{
#define AT(member) offsetof(struct rk_train, member)
    static const struct {
        const char *id;
        size_t at;
        double value;
    } rows[] = {
        {"glm4.5", AT(arithmetic.rotary_part), 0.5},
        {"glm4.5", AT(route_scale), 2.5},
        {"glm4-9b", AT(arithmetic.rotary_part), 0.5},
        {"phi-2", AT(arithmetic.rotary_part), 0.4},
        {"gpt-j-6b", AT(arithmetic.rotary_part), 64.0 / 256},
        {"gpt-neox-20b", AT(arithmetic.rotary_part), 0.25},
        {"nemotron4-15b", AT(arithmetic.rotary_part), 0.5},
        {"nemotron4-15b", AT(arithmetic.norm_offset), 1},
        {"gemma-2b", AT(arithmetic.norm_offset), 1},
        {"gemma2-9b", AT(arithmetic.attention_scale), 1.0 / 16},
        {"gemma2-27b", AT(arithmetic.attention_scale), 1.0 / 12},
        {"gemma2-27b", AT(arithmetic.attention_cap), 50},
        {"gemma2-27b", AT(arithmetic.logit_cap), 30},
        {"gemma3-1b", AT(arithmetic.local_base), 10000},
        {"gemma3-4b", AT(rotary_stretch.factor), 8},
        {"granite3-8b", AT(arithmetic.embedding_scale), 12},
        {"granite3-8b", AT(arithmetic.residual_scale), 0.22},
        {"granite3-8b", AT(arithmetic.attention_scale), 1.0 / 128},
        {"granite3-8b", AT(arithmetic.logit_scale), 1.0 / 16},
        {"gpt-oss-20b", AT(arithmetic.gate_limit), 7},
        {"gpt-oss-20b", AT(rotary_stretch.factor), 32},
        {"olmo3-7b", AT(arithmetic.local_base), 500000},
        {"olmo3-7b", AT(rotary_stretch.factor), 8},
        {"llama3.1-8b", AT(rotary_stretch.factor), 8},
        {"llama3.2-1b", AT(rotary_stretch.factor), 32},
        {"phi-4", AT(rotary_base), 250000},
        {"mistral-small-24b", AT(rotary_base), 1e8},
        {"kimi-k2", AT(rotary_stretch.factor), 32},
        {"deepseek-v3", AT(rotary_stretch.softmax), 1.8738542070926265},
        {"deepseek-v2-lite", AT(rotary_stretch.softmax), 1.5896261651208736},
        {"deepseek-v2", AT(route_scale), 16},
        {"minimax-m2", AT(arithmetic.rotary_part), 0.5},
        {"minimax-m2", AT(rotary_base), 5e6},
        {"moonlight-16b-a3b", AT(route_scale), 2.446},
        {"pythia-1b", AT(arithmetic.rotary_part), 0.25},
        {"deepseek-coder-33b", AT(rotary_stretch.factor), 4},
        {"deepseek-coder-33b", AT(rotary_base), 100000},
        {"yi-34b", AT(rotary_base), 5e6},
        {"starcoder2-15b", AT(rotary_base), 100000},
    };
#undef AT
    struct rk_model *model = malloc(sizeof *model);
    struct rk_train train;
    use_source_catalog();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(opened(rows[i].id, model, &train), RK_OK, "%s", formatted(&error_));
        const double value = *(const double *)((const char *)&train + rows[i].at);
        cr_expect_float_eq(value, rows[i].value, 1e-9 * rows[i].value, "%s, row %zu: %.12g",
                           rows[i].id, i, value);
    }
    cr_assert_eq(opened("smollm3-3b", model, &train), RK_OK);
    cr_expect_eq(train.arithmetic.unturned[0], 0x888888888);
    cr_assert_eq(opened("opt-175b", model, &train), RK_OK);
    cr_expect_eq(train.arithmetic.first_position, 2);
    cr_assert_eq(opened("qwen2.5-7b", model, &train), RK_OK);
    cr_expect(train.renormalise && !train.exact_gelu);
    cr_assert_eq(opened("falcon-40b", model, &train), RK_OK);
    cr_expect(train.exact_gelu && train.arithmetic.naming == RK_NAMES_FALCON_NEW);
    free(model);
}

static const char factor[] = "\"rope_factor\": 8";

static enum rk_status opened_text(const char *source, const char *member, struct rk_model *model,
                                  struct rk_train *train)
{
    char path[64];
    snprintf(path, sizeof path, "./test_run_catalog.%ld.json", (long)getpid());
    FILE *out = fopen(path, "w");
    cr_assert(out);
    fprintf(out,
            "{\"layers\": 1, \"hidden\": 64, \"feedforward\": 64, \"heads\": 4, "
            "\"sequence\": 16, \"vocabulary\": 64, \"position\": \"rope\", "
            "\"rotary_base\": 500000, %s, \"norm_epsilon\": 1e-6, \"source\": [\"%s\"]}",
            member, source);
    fclose(out);
    const enum rk_status status = opened(path, model, train);
    remove(path);
    return status;
}

/* A model file of one's own says some numbers, which were once passed over. */
Test(run_catalog, numbers_of_a_model_file_hold)
{
    struct rk_model *model = malloc(sizeof *model);
    struct rk_train train;
    cr_assert_eq(opened_text("a paper", factor, model, &train), RK_OK, "%s", formatted(&error_));
    cr_expect_eq(train.rotary_base, 500000);
    cr_expect_eq(train.norm_eps, 1e-6);
    cr_expect_eq(train.rotary_stretch.factor, 8);
    cr_expect_eq(train.rotary_stretch.context, 8192);
    free(model);
}

/* A model file that was imported without its config.json has the shape alone. */
Test(run_catalog, an_imported_shape_is_no_arithmetic)
{
    struct rk_model *model = malloc(sizeof *model);
    struct rk_train train;
    static const char *const types[] = {"llama", "gemma"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char source[96];
        snprintf(source, sizeof source, "config.json of Hugging Face transformers, model_type %s",
                 types[i]);
        cr_expect_eq(opened_text(source, factor, model, &train), RK_UNSUPPORTED);
        cr_expect(strstr(formatted(&error_), types[i]), "%s", formatted(&error_));
    }
    free(model);
}

/* With it, what it says holds: of RoPE that is stretched once nothing was left. */
Test(run_catalog, an_imported_file_turns_as_its_config_json_says)
{
    static const char source[] = "config.json of Hugging Face transformers, model_type llama";
    struct rk_model *model = malloc(sizeof *model);
    struct rk_train train;
    cr_assert_eq(
        opened_text(source,
                    "\"config\": {\"model_type\": \"llama\", \"max_position_embeddings\": 256, "
                    "\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4, "
                    "\"original_max_position_embeddings\": 64}}",
                    model, &train),
        RK_OK, "%s", formatted(&error_));
    cr_expect(train.rotary_stretch.yarn && train.rotary_stretch.factor == 4);
    cr_expect_eq(train.rotary_stretch.context, 64);
    cr_expect_eq(train.rotary_base, 500000); /* the file's own numbers come first */
    free(model);
}

/* What is written there; NULL: as the library writes the model of that name. */
static enum rk_status opened_as_file(const char *name, const char *written, struct rk_model *model,
                                     struct rk_train *train)
{
    char path[64], *text = NULL;
    snprintf(path, sizeof path, "./test_run_catalog.%ld.json", (long)getpid());
    if (!written)
        cr_assert_eq(rk_model_text(name, &text, &error_), RK_OK, "%s", formatted(&error_));
    FILE *out = fopen(path, "w");
    cr_assert(out);
    fputs(written ? written : text, out);
    fclose(out);
    rk_text_free(text);
    const enum rk_status status = opened(path, model, train);
    remove(path);
    return status;
}

/* The text of a model, changed or not, trains as the model, or is refused as it is. */
Test(run_catalog, the_text_of_a_model_keeps_what_it_computes)
{
    static const char *const names[] = {"llama3.1-8b",
                                        "gemma3-4b",
                                        "gemma2-27b",
                                        "olmo3-7b",
                                        "gpt-oss-20b",
                                        "deepseek-v2-lite",
                                        "deepseek-v3",
                                        "minimax-m2",
                                        "qwen3-30b-a3b",
                                        "smollm3-3b",
                                        "granite3-8b",
                                        "phi-2",
                                        "gpt3-13b",
                                        RECKON_TEST_SOURCE "/tests/data/torch/qwen2_moe",
                                        RECKON_TEST_SOURCE
                                        "/tests/data/torch/phi3_long/config.json"};
    struct rk_model *model = malloc(sizeof *model);
    struct rk_train here, file;
    use_source_catalog();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cr_assert_eq(opened(names[i], model, &here), RK_OK, "%s", formatted(&error_));
        cr_assert_eq(opened_as_file(names[i], NULL, model, &file), RK_OK, "%s: %s", names[i],
                     formatted(&error_));
        cr_expect_eq(memcmp(&here.arithmetic, &file.arithmetic, sizeof here.arithmetic), 0, "%s",
                     names[i]);
        cr_expect_eq(memcmp(&here.rotary_stretch, &file.rotary_stretch, sizeof here.rotary_stretch),
                     0, "%s", names[i]);
        cr_expect(here.norm_eps == file.norm_eps && here.rotary_base == file.rotary_base &&
                      here.scores == file.scores && here.renormalise == file.renormalise &&
                      here.route_scale == file.route_scale && here.context == file.context &&
                      here.exact_gelu == file.exact_gelu,
                  "%s", names[i]);
    }
    cr_expect_eq(opened_as_file("baichuan2-7b", NULL, model, &file), RK_UNSUPPORTED);
    cr_expect(strstr(formatted(&error_), "NormHead"), "%s", formatted(&error_));
    free(model);
}

/* Qwen's mixtures of one shape differ in what a router's weights are divided by. */
Test(run_catalog, a_mixture_like_qwens_says_if_weights_sum_to_one)
{
    static const char shape[] =
        "{\"layers\": 1, \"hidden\": 64, \"feedforward\": 64, \"heads\": 4, \"sequence\": 16, "
        "\"vocabulary\": 64, \"position\": \"rope\", \"norm\": \"rmsnorm\", \"gated_mlp\": true, "
        "\"biases\": false, \"experts\": 4, \"active_experts\": 2, \"expert_feedforward\": 64, %s}";
    static const struct {
        const char *more;
        bool refused, renormalises;
    } rows[] = {
        {"\"qk_norm\": true", true, false},
        {"\"shared_experts\": 1, \"shared_gate\": true, \"qkv_biases\": true", true, false},
        {"\"qkv_biases\": true", false, true},
        {"\"qk_norm\": true, \"router_biases\": true", false, true},
        {"\"qk_norm\": true, \"config\": {\"model_type\": \"qwen3_moe\", \"norm_topk_prob\": true}",
         false, true},
        {"\"qk_norm\": true, \"config\": {\"model_type\": \"qwen3_moe\"}", false, false},
    };
    struct rk_model *model = malloc(sizeof *model);
    struct rk_train train;
    char text[800];
    use_source_catalog();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, shape, rows[i].more);
        const enum rk_status status = opened_as_file("x", text, model, &train);
        cr_expect_eq(status, rows[i].refused ? RK_UNSUPPORTED : RK_OK, "row %zu: %s", i,
                     status == RK_OK ? "" : formatted(&error_));
        if (status == RK_OK) cr_expect_eq(train.renormalise, rows[i].renormalises, "row %zu", i);
        if (rows[i].refused) cr_expect(strstr(formatted(&error_), "norm_topk_prob"), "row %zu", i);
    }
    free(model);
}
