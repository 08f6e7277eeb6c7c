/* Model files: what is read, and each thing that can be wrong with one. */
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

/* { what takes the place of "layers": 2, the message } */
static const struct bad_case lines[] = {
    {"\"layer\": 2", "x.json:2:3: unknown key \"layer\"; did you mean \"layers\"?"},
    {"\"layers\": 2, \"zebra\": 1",
     "x.json:2:16: unknown key \"zebra\"; known here: name, description, layers, hidden, "
     "feedforward, heads, head_dim, sequence, vocabulary, attention, position, tied_embeddings, "
     "biases, embedding_norm, count_embeddings, source"},
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
     "x.json:2:28: position: must be one of learned, rope, alibi, relative; got 3"},
    {"\"layers\": 2, \"source\": 3", "x.json:2:26: source: must be a text, got 3"},
    {"\"layers\": 2, \"source\": []", "x.json:2:26: source: must have at least 1 element, has 0"},
    {"\"layers\": 2, \"name\": \"\"", "x.json:2:24: name: must be a text, got the string \"\""},
    {"\"name\": \"x\"", "x.json:1:1: missing key \"layers\" (transformer blocks): add it"},
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
    cr_expect_eq(rk_model_load("gpt3-175", &model, &error), RK_USAGE);
    cr_expect_str_eq(formatted(&error), "unknown model \"gpt3-175\": did you mean \"gpt3-175b\"? "
                                        "(\"reckon models\" lists them; a file's name ends in "
                                        ".json)");
    cr_expect_eq(rk_model_load("../models/bloom-176b", &model, &error), RK_BAD_INPUT);
    cr_expect_eq(rk_model_load("", &model, &error), RK_USAGE);
    cr_expect_eq(rk_model_load("..", &model, &error), RK_USAGE);
}
