/* Model files: what is read, and each thing that can be wrong with one. */
#include "catalog/catalog.h"
#include "catalog/model_fields.h"
#include "catalog/readers.h"
#include "catalog_cases.h"

#include <reckon/catalog.h>

static enum rk_status read_text(const char *text, struct rk_model *model, struct rk_error *error)
{
    struct document document;
    enum rk_status status = document_parse("x.json", text, strlen(text), &document, error);
    if (status == RK_OK) status = model_read(&document, "x", model, error);
    document_release(&document);
    return status;
}

static const char complete[] = "{\n"
                               "  \"layers\": 2,\n"
                               "  \"hidden\": 64,\n"
                               "  \"feedforward\": 256,\n"
                               "  \"heads\": 4,\n"
                               "  \"sequence\": 128\n"
                               "}\n";

Test(catalog_model, presets)
{
    struct rk_model model;
    struct rk_error error;
    cr_assert_eq(read_text(complete, &model, &error), RK_OK, "%s", formatted(&error));
    cr_expect_str_eq(model.id, "x");
    cr_expect_eq(model.layers, 2);
    cr_expect_eq(model.hidden, 64);
    cr_expect_eq(model.feedforward, 256);
    cr_expect_eq(model.heads, 4);
    cr_expect_eq(model.head_dim, 16);
    cr_expect_eq(model.sequence, 128);
    cr_expect_eq(model.vocabulary, 0);
    cr_expect_eq(model.attention, RK_ATTENTION_MULTIHEAD);
    cr_expect_eq(model.position, RK_POSITION_LEARNED);
    cr_expect(model.tied_embeddings && model.biases && model.count_embeddings);
    cr_expect_not(model.embedding_norm);
}

Test(catalog_model, presets_of_modern_keys)
{
    struct rk_model model;
    struct rk_error error;
    cr_assert_eq(read_text(complete, &model, &error), RK_OK, "%s", formatted(&error));
    cr_expect_eq(model.kv_heads, 0);
    cr_expect_eq(model.norm, RK_LAYER_NORM);
    cr_expect_eq(model.block_norms, 0);
    cr_expect_not(model.gated_mlp || model.qkv_biases || model.qk_norm || model.parallel_block);
    cr_expect_not(model.no_dropout || model.flash_attention || model.causal_skip);
    cr_expect_eq(model.experts + model.active_experts + model.shared_experts, 0);
    cr_expect_eq(model.expert_feedforward + model.dense_layers, 0);
    cr_expect_eq(model.q_rank + model.kv_rank + model.rope_dim + model.value_dim, 0);
    char *text =
        replaced(complete, "\"layers\": 2", "\"layers\": 2, \"experts\": 4, \"active_experts\": 2");
    cr_assert_eq(read_text(text, &model, &error), RK_OK, "%s", formatted(&error));
    cr_expect_eq(model.expert_feedforward, 256, "as wide as the MLP");
    free(text);
}

/* { what takes the place of "layers": 2, the message } */
static const struct bad_case lines[] = {
    {"\"layer\": 2", "x.json:2:3: unknown key \"layer\"; did you mean \"layers\"?"},
    {"\"layers\": 2, \"zebra\": 1",
     "x.json:2:16: unknown key \"zebra\"; known here: name, description, layers, hidden, "
     "feedforward, heads, head_dim, sequence, vocabulary, attention, kv_heads, position, "
     "position_rows, norm, block_norms, parallel_block, gated_mlp, activation, tied_embeddings, "
     "biases, qkv_biases, out_biases, mlp_biases, head_biases, head_matrices, "
     "encoder_sequence, bidirectional, qk_norm, qk_norm_wide, attention_gate, attention_sinks, "
     "attention_cap, logit_cap, ..."},
    {"\"layers\": 0", "x.json:2:13: layers: must be >= 1 and <= 1000000000, got 0"},
    {"\"layers\": -2", "x.json:2:13: layers: must be >= 1 and <= 1000000000, got -2"},
    {"\"layers\": 2.5", "x.json:2:13: layers: must be an integer, got 2.5"},
    {"\"layers\": \"two\"", "x.json:2:13: layers: must be an integer, got the string \"two\""},
    {"\"layers\": null", "x.json:2:13: layers: must be an integer, got null"},
    {"\"layers\": [2]", "x.json:2:13: layers: must be an integer, got a list"},
    {"\"layers\": true", "x.json:2:13: layers: must be an integer, got true"},
    {"\"layers\": 9007199254740993",
     "x.json:2:13: layers: must be at most 2^53 = 9007199254740992, got 9007199254740993"},
    {"\"layers\": 1e300",
     "x.json:2:13: layers: must be at most 2^53 = 9007199254740992, got 1e+300"},
    {"\"layers\": 2, \"layers\": 2", "x.json:2:16: key given twice: remove one of the two"},
    {"\"layers\": 2, \"head_dim\": 0",
     "x.json:2:28: head_dim: must be >= 1 and <= 1000000000, got 0"},
    {"\"layers\": 2, \"biases\": 1", "x.json:2:26: biases: must be true or false, got 1"},
    {"\"layers\": 2, \"attention\": \"multiqueri\"",
     "x.json:2:29: attention: must be one of multihead, multiquery; got the string "
     "\"multiqueri\"; did you mean \"multiquery\"?"},
    {"\"layers\": 2, \"position\": 3",
     "x.json:2:28: position: must be one of learned, rope, alibi, relative, none; got 3"},
    {"\"layers\": 2, \"source\": 3", "x.json:2:26: source: must be a text, got 3"},
    {"\"layers\": 2, \"source\": []", "x.json:2:26: source: must have at least 1 element, has 0"},
    {"\"layers\": 2, \"name\": \"\"", "x.json:2:24: name: must be a text, got the string \"\""},
    {"\"name\": \"x\"", "x.json:1:1: missing key \"layers\" (transformer blocks): add it"},
    {"\"layers\": 2, \"norm\": \"rmsnrom\"",
     "x.json:2:24: norm: must be one of layernorm, rmsnorm, layernorm_unbiased, "
     "layernorm_plain; got the string \"rmsnrom\"; did you "
     "mean \"rmsnorm\"?"},
    {"\"layers\": 2, \"kv_heads\": 3", "x.json:2:28: kv_heads: must divide heads"},
    {"\"layers\": 2, \"kv_heads\": 0",
     "x.json:2:28: kv_heads: must be >= 1 and <= 1000000000, got 0"},
    {"\"layers\": 2, \"attention\": \"multiquery\", \"kv_heads\": 2",
     "x.json:2:55: kv_heads: must be 1 for multiquery attention"},
    {"\"layers\": 2, \"block_norms\": 1",
     "x.json:2:31: block_norms: must be at least 2 unless parallel_block is true"},
    {"\"layers\": 2, \"causal_skip\": true", "x.json:2:31: causal_skip: needs flash_attention"},
    {"\"layers\": 2, \"experts\": 4",
     "x.json:2:27: experts: needs active_experts: how many a token goes to"},
    {"\"layers\": 2, \"experts\": 4, \"active_experts\": 5",
     "x.json:2:48: active_experts: must be at most experts"},
    {"\"layers\": 2, \"active_experts\": 5",
     "x.json:1:1: experts: missing, but other keys speak of experts: add it"},
    {"\"layers\": 2, \"experts\": 4, \"active_experts\": 1, \"dense_layers\": 2",
     "x.json:2:67: dense_layers: must be less than layers"},
    {"\"layers\": 2, \"experts\": 4, \"active_experts\": 1, \"expert_every\": 3",
     "x.json:2:67: expert_every: leaves no layer with experts: must be at most layers - "
     "dense_layers"},
    {"\"layers\": 2, \"experts\": 4, \"active_experts\": 1, \"expert_hidden\": 65",
     "x.json:2:68: expert_hidden: must be at most hidden"},
    {"\"layers\": 2, \"experts\": 4, \"active_experts\": 1, \"expert_groups\": 3",
     "x.json:2:68: expert_groups: must divide experts"},
    {"\"layers\": 2, \"experts\": 4, \"active_experts\": 1, \"active_groups\": 2",
     "x.json:2:68: active_groups: must be at most expert_groups"},
    {"\"layers\": 2, \"experts\": 4, \"active_experts\": 3, \"expert_groups\": 2, "
     "\"active_groups\": 1",
     "x.json:2:88: active_groups: have fewer experts than a token goes to"},
    {"\"layers\": 2, \"expert_hidden\": 32",
     "x.json:1:1: experts: missing, but other keys speak of experts: add it"},
    {"\"layers\": 2, \"window_every\": 2",
     "x.json:2:32: window_every: needs window: what local layers see"},
    {"\"layers\": 2, \"window\": 64, \"window_every\": 1",
     "x.json:2:46: window_every: leaves no local layer: must be 0 or at least 2, or leave window "
     "out"},
    {"\"layers\": 2, \"activation\": \"swiglu\"", "x.json:2:30: activation: must be one of gelu, "
                                                  "silu, squared_relu, relu, xielu; got the string "
                                                  "\"swiglu\"; did you mean \"silu\"?"},
    {"\"layers\": 2, \"predict_layers\": 65",
     "x.json:2:34: predict_layers: must be >= 0 and <= 64, got 65"},
    {"\"layers\": 2, \"head_dim\": 8, \"kv_rank\": 4",
     "x.json:2:42: kv_rank: needs rope_dim and value_dim"},
    {"\"layers\": 2, \"kv_rank\": 4, \"rope_dim\": 4, \"value_dim\": 4",
     "x.json:1:1: missing key \"head_dim\" (with kv_rank, the part of a head without position): "
     "add it"},
    {"\"layers\": 2, \"head_dim\": 8, \"kv_rank\": 4, \"rope_dim\": 4, \"value_dim\": 4, "
     "\"kv_heads\": 1",
     "x.json:2:42: kv_rank: latent attention has no kv_heads: leave them out"},
    {"\"layers\": 2, \"head_dim\": 8, \"kv_rank\": 4, \"rope_dim\": 4, \"value_dim\": 4, "
     "\"qk_norm\": true",
     "x.json:2:42: kv_rank: latent attention has norms of its own, and no gate or sinks: leave "
     "these out"},
    {"\"layers\": 2, \"rope_dim\": 4",
     "x.json:1:1: kv_rank: missing, but other keys speak of latent attention: add it"},
    {"\"layers\": 1000000000, \"experts\": 1000000000, \"active_experts\": 1, "
     "\"expert_feedforward\": 1000000000",
     "x.json:1:1: 1.84e+19 parameters: more than 2^53, check the dimensions"},
    {"\"layers\": 1000000000, \"vocabulary\": 1000000000, \"head_dim\": 1000000",
     "x.json:1:1: 1.04e+18 parameters: more than 2^53, check the dimensions"},
};

Test(catalog_model, bad_lines)
{
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct rk_model model = {.layers = 77};
        struct rk_error error = {0};
        char *text = replaced(complete, "\"layers\": 2", lines[i].input);
        cr_expect_eq(read_text(text, &model, &error), RK_BAD_INPUT, "%s", lines[i].input);
        cr_expect_str_eq(formatted(&error), lines[i].message, "%s", formatted(&error));
        cr_expect_eq(model.layers, 77, "untouched on failure");
        free(text);
    }
}

Test(catalog_model, products_that_overflow)
{
    struct rk_model model;
    struct rk_error error;
    char *heads = replaced(complete, "\"heads\": 4", "\"heads\": 5");
    cr_expect_eq(read_text(heads, &model, &error), RK_BAD_INPUT);
    cr_expect_str_eq(formatted(&error),
                     "x.json:1:1: hidden 64 is not divisible by heads 5: give \"head_dim\"");
    free(heads);
    char *sequence = replaced(complete, "128", "100000000"); /* 4 * 1e8 * 1e8 scores */
    cr_expect_eq(read_text(sequence, &model, &error), RK_BAD_INPUT);
    cr_expect_str_eq(
        formatted(&error),
        "x.json:1:1: 4e+16 attention scores of a sample: more than 2^53, check the dimensions");
    free(sequence);
}

Test(catalog_model, other_values_than_objects)
{
    struct rk_model model;
    struct rk_error error;
    cr_expect_eq(read_text("[1]", &model, &error), RK_BAD_INPUT);
    cr_expect_str_eq(formatted(&error), "x.json:1:1: must be an object, {...}, got a list");
    cr_expect_eq(read_text(" 3", &model, &error), RK_BAD_INPUT);
    cr_expect_str_eq(formatted(&error), "x.json:1:2: must be an object, {...}, got 3");
}

/* What is written says the same when it is read. */
Test(catalog_model, written_models_read_the_same)
{
    struct catalog_list list;
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(catalog_list(CATALOG_MODELS, &list, &error), RK_OK);
    for (size_t i = 0; i < list.count; i++) {
        const char *const sources[] = {"here", "and \"there\""};
        struct rk_model model = {.id = ""}, again = {.id = ""};
        cr_assert_eq(rk_model_load(list.id[i], &model, &error), RK_OK);
        char *text = model_text(&model, list.id[i], NULL, sources, 2);
        cr_assert(text);
        cr_expect_eq(read_text(text, &again, &error), RK_OK, "%s", formatted(&error));
        for (const struct field *field = model_fields; field->key; field++)
            if (model_field_counts(field))
                cr_expect_eq(model_field_value(&model, field), model_field_value(&again, field),
                             "%s: %s", list.id[i], field->key);
        free(text);
    }
    catalog_list_release(&list);
}

Test(catalog_model, names)
{
    struct rk_model model;
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_model_load("gpt3-175b", &model, &error), RK_OK, "%s", formatted(&error));
    cr_expect_str_eq(model.id, "gpt3-175b");
    cr_assert_eq(rk_model_load(RECKON_TEST_SOURCE "/data/models/bloom-176b.json", &model, &error),
                 RK_OK, "%s", formatted(&error));
    cr_expect_str_eq(model.id, "bloom-176b");
    cr_expect_eq(rk_model_load("gpt3-175", &model, &error), RK_BAD_ARGUMENT);
    cr_expect_str_eq(formatted(&error), "unknown model \"gpt3-175\": did you mean \"gpt3-175b\"? "
                                        "(\"reckon models\" lists them; a file's name ends in "
                                        ".json)");
    cr_expect_eq(rk_model_load("../models/bloom-176b", &model, &error), RK_BAD_INPUT);
    cr_expect_eq(rk_model_load("", &model, &error), RK_BAD_ARGUMENT);
    cr_expect_eq(rk_model_load("..", &model, &error), RK_BAD_ARGUMENT);
}
