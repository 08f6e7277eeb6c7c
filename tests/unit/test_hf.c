/* config.json of Hugging Face: counts of published models, what is assumed, what is refused. */
#include "catalog/model_fields.h"
#include "catalog/readers.h"
#include "catalog_cases.h"
#include "huggingface/hf.h"
#include "huggingface/hf_keys.h"
#include "workload/layers.h"

#include <math.h>
#include <stdio.h>

static const struct hf_options plain = {.type = -1};

static enum rk_status read_file(const char *name, struct hf_import *import, struct rk_error *error)
{
    char path[512];
    struct document document;
    snprintf(path, sizeof path, "%s/tests/data/hf/%s.json", RECKON_TEST_SOURCE, name);
    enum rk_status status = document_load(path, &document, error);
    if (status == RK_OK) status = hf_read(&document, name, &plain, import, error);
    document_release(&document);
    return status;
}

static enum rk_status read_text(const char *text, const struct hf_options *options,
                                struct hf_import *import, struct rk_error *error)
{
    struct document document;
    enum rk_status status = document_parse("c.json", text, strlen(text), &document, error);
    if (status == RK_OK) status = hf_read(&document, "c", options, import, error);
    document_release(&document);
    return status;
}

static const struct hf_note *find_note(const struct hf_import *import, const char *what)
{
    for (int i = 0; i < import->notes; i++)
        if (strcmp(import->note[i].what, what) == 0) return &import->note[i];
    return NULL;
}

/* The sizes of the published checkpoints; active: 0 for dense models. */
static const struct {
    const char *file;
    uint64_t total, active;
    uint64_t sequence;
} published[] = {
    {"gpt2", 124439808, 0, 1024},
    {"gpt2-medium", 354823168, 0, 1024},
    {"gpt2-large", 774030080, 0, 1024},
    {"gpt2-xl", 1557611200, 0, 1024},
    {"gpt-neox-20b", 20554567680, 0, 2048},
    {"bloom", 176247271424, 0, 2048},
    {"falcon-7b", 6921720704, 0, 2048},
    {"falcon-40b", 41303293952, 0, 2048},
    {"llama-2-7b", 6738415616, 0, 4096},
    {"llama-3.1-8b", 8030261248, 0, 8192},
    {"llama-3.1-70b", 70553706496, 0, 8192},
    {"llama-3.1-405b-v5", 405853388800, 0, 8192},
    {"mistral-7b", 7241732096, 0, 4096},
    {"mixtral-8x7b", 46702792704, 12879925248, 4096},
    {"mixtral-8x22b", 140620634112, 39152031744, 4096},
    {"qwen2.5-7b", 7615616512, 0, 4096},
    {"qwen3-8b", 8190735360, 0, 4096},
    {"qwen3-32b", 32762123264, 0, 4096},
    {"qwen3-30b-a3b", 30532122624, 3353032704, 4096},
    {"qwen3-235b-a22b", 235093634560, 22190763520, 4096},
    {"deepseek-v3", 671026419200, 37552297472, 4096},
    {"deepseek-v2-lite", 15706484224, 0, 4096},
};

Test(hf, published_counts)
{
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        struct hf_import import;
        struct rk_error error;
        cr_assert_eq(read_file(published[i].file, &import, &error), RK_OK, "%s", formatted(&error));
        cr_expect_eq(rk_model_parameters(&import.model), published[i].total, "%s",
                     published[i].file);
        if (published[i].active)
            cr_expect_eq(rk_model_active_parameters(&import.model), published[i].active, "%s",
                         published[i].file);
        cr_expect_eq(import.model.sequence, published[i].sequence, "%s", published[i].file);
        cr_expect_str_eq(import.model.id, published[i].file);
        cr_expect_lt(import.notes, HF_MAX_NOTES);
    }
}

/* What import writes loads as the same model. */
Test(hf, written_models_read_the_same)
{
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        const char *const source = "a config.json";
        struct hf_import import;
        struct rk_error error;
        struct rk_model model;
        struct document document;
        cr_assert_eq(read_file(published[i].file, &import, &error), RK_OK);
        char *text = model_text(&import.model, "a name", NULL, &source, 1);
        cr_assert_eq(document_parse("m.json", text, strlen(text), &document, &error), RK_OK);
        cr_expect_eq(model_read(&document, "m", &model, &error), RK_OK, "%s", formatted(&error));
        for (const struct field *field = model_fields; field->key; field++)
            if (model_field_counts(field))
                cr_expect_eq(model_field_value(&model, field),
                             model_field_value(&import.model, field), "%s: %s", published[i].file,
                             field->key);
        document_release(&document);
        free(text);
    }
}

/* The catalog's entries of the same models, apart from the sample's length and multi-token
 * prediction, which the catalog leaves out. */
Test(hf, agrees_with_the_catalog)
{
    static const char *const pairs[][2] = {
        {"llama-3.1-8b", "llama3.1-8b"}, {"llama-3.1-405b-v5", "llama3.1-405b"},
        {"mistral-7b", "mistral-7b"},    {"mixtral-8x7b", "mixtral-8x7b"},
        {"qwen2.5-7b", "qwen2.5-7b"},    {"qwen3-32b", "qwen3-32b"},
        {"falcon-40b", "falcon-40b"},    {"qwen3-30b-a3b", "qwen3-30b-a3b"},
        {"deepseek-v3", "deepseek-v3"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char path[512];
        struct hf_import import;
        struct rk_model model;
        struct rk_error error;
        struct document document;
        snprintf(path, sizeof path, "%s/data/models/%s.json", RECKON_TEST_SOURCE, pairs[i][1]);
        cr_assert_eq(read_file(pairs[i][0], &import, &error), RK_OK);
        cr_assert_eq(document_load(path, &document, &error), RK_OK);
        cr_assert_eq(model_read(&document, "x", &model, &error), RK_OK);
        for (const struct field *field = model_fields; field->key; field++)
            if (model_field_counts(field) && strcmp(field->key, "sequence") != 0 &&
                strcmp(field->key, "predict_layers") != 0)
                cr_expect_eq(model_field_value(&model, field),
                             model_field_value(&import.model, field), "%s: %s", pairs[i][1],
                             field->key);
        document_release(&document);
    }
}

Test(hf, notes_what_is_assumed_and_ignored)
{
    struct hf_import import;
    struct rk_error error;
    cr_assert_eq(read_file("llama-2-7b", &import, &error), RK_OK);
    cr_expect_str_eq(find_note(&import, "num_key_value_heads")->value, "32");
    cr_expect_str_eq(find_note(&import, "num_key_value_heads")->why,
                     "not in the file: as many as heads");
    cr_expect_str_eq(find_note(&import, "head_dim")->value, "128");
    cr_expect_str_eq(find_note(&import, "attention_dropout")->value, "0");
    cr_expect_str_eq(import.datatype, "float16");
    cr_assert_eq(read_file("qwen2.5-7b", &import, &error), RK_OK);
    cr_expect_str_eq(find_note(&import, "qkv_biases")->value, "yes");
    cr_expect_null(find_note(&import, "sliding_window"), "use_sliding_window is false");
    cr_assert_eq(read_file("mistral-7b", &import, &error), RK_OK);
    cr_expect_null(find_note(&import, "sliding_window"), "it is followed");
    cr_expect_eq(import.model.window, 4096);
    cr_assert_eq(read_file("deepseek-v3", &import, &error), RK_OK);
    cr_expect_eq(find_note(&import, "num_nextn_predict_layers")->kind, HF_IGNORED);
    cr_expect_str_eq(find_note(&import, "quantization_config")->value, "fp8");
    cr_assert_eq(read_file("wrapped", &import, &error), RK_OK);
    cr_expect_eq(find_note(&import, "text_config")->kind, HF_IGNORED);
    cr_expect_not(find_note(&import, "tie_word_embeddings"), "stands outside the text_config");
    cr_expect_eq(rk_model_parameters(&import.model), 7241732096 + 2 * 64 * 4096);
}

/* ---- small models ---- */

/* h 64, f 128, 4 heads of 16, 6 layers, V 100: attention 4*64*64, MLP 3*64*128, norms 2*64 */
#define BODY                                                                                       \
    "\"hidden_size\": 64, \"intermediate_size\": 128, \"num_hidden_layers\": 6, "                  \
    "\"num_attention_heads\": 4, \"vocab_size\": 100, \"max_position_embeddings\": 32"
#define BARE                                                                                       \
    "\"hidden_size\": 64, \"num_hidden_layers\": 6, \"num_attention_heads\": 4, "                  \
    "\"vocab_size\": 100, \"max_position_embeddings\": 32"
#define LAYER (4 * 64 * 64 + 3 * 64 * 128 + 2 * 64)
#define REST  (2 * 100 * 64 + 64)

static uint64_t parameters(const char *text, struct hf_import *import)
{
    struct rk_error error;
    const enum rk_status status = read_text(text, &plain, import, &error);
    cr_assert_eq(status, RK_OK, "%s: %s", text, formatted(&error));
    return rk_model_parameters(&import->model);
}

Test(hf, spellings_and_types)
{
    struct hf_import import;
    cr_expect_eq(parameters("{\"model_type\": \"llama\", " BODY "}", &import), 6 * LAYER + REST);
    cr_expect_eq(parameters("{\"architectures\": [\"LlamaForCausalLM\"], " BODY "}", &import),
                 6 * LAYER + REST);
    cr_expect_str_eq(import.type, "llama");
    cr_expect_eq(parameters("{\"model_type\": \"mine\", \"architectures\": [\"Qwen3ForCausalLM\"], "
                            "\"head_dim\": 16, " BODY "}",
                            &import),
                 6 * (LAYER + 2 * 16) + REST);
    cr_expect_eq(parameters("{\"architectures\": [\"Qwen3MoeForCausalLM\"], \"num_experts\": 0, "
                            "\"num_experts_per_tok\": 1, \"moe_intermediate_size\": 8, " BODY "}",
                            &import),
                 6 * (LAYER + 2 * 16) + REST, "no experts: dense");
    cr_expect_eq(
        parameters("{\"model_type\": \"llama\", \"tie_word_embeddings\": true, " BODY "}", &import),
        6 * LAYER + REST - 6400);
    struct rk_error error;
    const struct hf_options as = {.type = 0, .sequence = 77};
    cr_assert_eq(read_text("{\"model_type\": \"yi\", " BODY "}", &as, &import, &error), RK_OK);
    cr_expect_eq(import.model.sequence, 77);
    cr_expect_str_eq(find_note(&import, "model_type")->why, "by --as");
}

/* What transformers takes for keys that are not there. */
Test(hf, defaults_of_the_library)
{
    struct hf_import import;
    struct rk_error error;
    parameters("{\"model_type\": \"qwen3\", " BODY "}", &import);
    cr_expect_eq(import.model.head_dim, 128);
    parameters("{\"model_type\": \"llama\", " BODY "}", &import);
    cr_expect_eq(import.model.head_dim, 16);
    cr_expect(import.model.no_dropout);
    parameters("{\"model_type\": \"gpt2\", \"attn_pdrop\": 0, \"embd_pdrop\": 0, " BARE "}",
               &import);
    cr_expect_not(import.model.no_dropout, "resid_pdrop is 0.1");
    cr_expect(import.model.tied_embeddings);
    const struct hf_options shorter = {.type = -1, .sequence = 16};
    cr_assert_eq(read_text("{\"model_type\": \"gpt2\", " BARE "}", &shorter, &import, &error),
                 RK_OK);
    cr_expect_eq(import.model.position_rows, 32);
    cr_expect_eq(import.model.sequence, 16);
}

Test(hf, the_language_model_inside_comes_first)
{
    struct hf_import import;
    cr_expect_eq(parameters("{\"model_type\": \"other\", \"hidden_size\": 32, \"vocab_size\": 7, "
                            "\"tie_word_embeddings\": true, "
                            "\"text_config\": {\"model_type\": \"llama\", " BODY "}}",
                            &import),
                 6 * LAYER + REST - 6400);
}

Test(hf, biases)
{
    struct hf_import import;
    const uint64_t bare = 6 * LAYER + REST;
    cr_expect_eq(parameters("{\"model_type\": \"llama\", \"attention_bias\": true, \"mlp_bias\": "
                            "true, " BODY "}",
                            &import),
                 bare + 6 * (4 * 64 + 2 * 128 + 64));
    cr_expect_null(find_note(&import, "attention_bias"));
    cr_expect_eq(
        parameters("{\"model_type\": \"llama\", \"attention_bias\": true, " BODY "}", &import),
        bare + 6 * 4 * 64);
    cr_expect(import.model.qkv_biases && import.model.out_biases && !import.model.mlp_biases);
    cr_expect_eq(parameters("{\"model_type\": \"llama\", \"mlp_bias\": true, " BODY "}", &import),
                 bare + 6 * (2 * 128 + 64));
    cr_expect_eq(parameters("{\"model_type\": \"glm\", \"head_dim\": 16, " BODY "}", &import),
                 bare + 6 * 3 * 64);
}

/* A router of 64*4 and four experts of width 8, 3*64*8 each, instead of the MLP. */
Test(hf, layers_with_and_without_experts)
{
    static const char text[] =
        "{\"model_type\": \"qwen3_moe\", \"num_experts\": 4, \"num_experts_per_tok\": 2, "
        "\"moe_intermediate_size\": 8, %s " BODY "}";
    static const struct {
        const char *keys;
        uint64_t dense;
        uint64_t first, every; /* as the model says it */
        const char *mlps;      /* ... when these do not */
    } rows[] = {
        {"", 0, 0, 0, ""},
        {"\"mlp_only_layers\": [0, 1],", 2, 2, 0, ""},
        {"\"mlp_only_layers\": [1, 5, 5, 9],", 2, 0, 0, "edee"},
        {"\"decoder_sparse_step\": 2,", 3, 0, 2, ""},
        {"\"decoder_sparse_step\": 2, \"mlp_only_layers\": [1],", 4, 2, 2, ""},
        {"\"decoder_sparse_step\": 2, \"mlp_only_layers\": [0],", 3, 0, 2, ""},
        {"\"decoder_sparse_step\": 2, \"mlp_only_layers\": [0, 1],", 4, 2, 2, ""},
        {"\"decoder_sparse_step\": 7,", 6, 0, 0, ""},
    };
    const uint64_t less = 3 * 64 * 128 - (64 * 4 + 4 * 3 * 64 * 8);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char file[1024];
        struct hf_import import;
        snprintf(file, sizeof file, text, rows[i].keys);
        cr_expect_eq(parameters(file, &import),
                     6 * (LAYER + 2 * 16) + REST - (6 - rows[i].dense) * less, "%s", rows[i].keys);
        cr_expect_str_eq(import.model.mlps, rows[i].mlps, "%s", rows[i].keys);
        cr_expect_eq(import.model.dense_layers, rows[i].first, "%s", rows[i].keys);
        cr_expect_eq(import.model.expert_every, rows[i].every, "%s", rows[i].keys);
    }
}

Test(hf, deepseek_layers)
{
    static const char text[] =
        "{\"model_type\": \"deepseek_v3\", \"n_routed_experts\": 4, \"num_experts_per_tok\": 2, "
        "\"moe_intermediate_size\": 8, \"q_lora_rank\": null, \"kv_lora_rank\": 8, "
        "\"qk_nope_head_dim\": 16, \"qk_rope_head_dim\": 4, \"v_head_dim\": 16, "
        "\"first_k_dense_replace\": 3, \"moe_layer_freq\": %d, " BODY "}";
    char file[1024];
    struct hf_import import;
    snprintf(file, sizeof file, text, 1);
    parameters(file, &import);
    cr_expect_eq(import.model.dense_layers, 3);
    cr_expect(import.model.router_biases, "deepseek_v3 has them");
    const uint64_t bare = rk_model_parameters(&import.model);
    strcpy(strrchr(file, '}'), ", \"attention_bias\": true}");
    /* of the way down, and behind attention */
    cr_expect_eq(parameters(file, &import), bare + 6 * (8 + 4 + 64));
    snprintf(file, sizeof file, text, 2); /* only layer 4 */
    parameters(file, &import);
    cr_expect_eq(import.model.dense_layers, 3);
    cr_expect_eq(import.model.expert_every, 2);
    char *from = strstr(file, "\"first_k_dense_replace\": 3");
    from[strlen("\"first_k_dense_replace\": ")] = '0'; /* layers 0, 2, 4 */
    parameters(file, &import);
    cr_expect_str_eq(import.model.mlps, "ed");
}

/* Six layers; which of them see 128 tokens. */
#define L "\"sliding_attention\""
#define F "\"full_attention\""

Test(hf, windows)
{
    static const struct {
        const char *type, *keys;
        uint64_t window, every;
        const char *mixers;
    } rows[] = {
        {"mistral", "", 128, 0, ""},
        {"qwen2", "", 0, 0, ""},
        {"qwen2", "\"use_sliding_window\": true,", 0, 0, ""}, /* from layer 28 on */
        {"qwen2", "\"use_sliding_window\": true, \"max_window_layers\": 0,", 128, 0, ""},
        {"qwen2", "\"use_sliding_window\": true, \"max_window_layers\": 3,", 128, 0, "aaalll"},
        {"mistral", "\"layer_types\": [" L ", " F ", " L ", " F ", " L ", " F "],", 128, 2, ""},
        {"mistral", "\"layer_types\": [" L ", " L ", " L ", " L ", " L ", " L "],", 128, 0, ""},
        {"mistral", "\"layer_types\": [" F ", " F ", " F ", " F ", " F ", " F "],", 0, 0, ""},
        {"mistral", "\"layer_types\": [" F ", " L ", " F ", " L ", " F ", " L "],", 128, 0, "al"},
        {"gemma2", "\"head_dim\": 16,", 128, 2, ""},
        {"cohere2", "\"sliding_window_pattern\": 3,", 128, 3, ""},
        {"exaone4", "\"sliding_window_pattern\": \"LLLG\",", 128, 4, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char file[1024];
        struct hf_import import;
        snprintf(file, sizeof file,
                 "{\"model_type\": \"%s\", \"sliding_window\": 128, %s " BODY "}", rows[i].type,
                 rows[i].keys);
        parameters(file, &import);
        cr_expect_eq(import.model.window, rows[i].window, "%s", rows[i].keys);
        cr_expect_eq(import.model.window_every, rows[i].every, "%s", rows[i].keys);
        cr_expect_str_eq(import.model.mixers, rows[i].mixers, "%s", rows[i].keys);
    }
}

Test(hf, activations)
{
    static const struct {
        const char *type, *name;
        enum rk_activation activation;
        bool noted;
    } rows[] = {
        {"llama", "silu", RK_SILU, false},
        {"llama", "gelu_pytorch_tanh", RK_GELU, false},
        {"llama", "relu2", RK_SQUARED_RELU, false},
        {"llama", "mish", RK_SILU, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char file[1024];
        struct hf_import import;
        snprintf(file, sizeof file, "{\"model_type\": \"%s\", \"hidden_act\": \"%s\", " BODY "}",
                 rows[i].type, rows[i].name);
        parameters(file, &import);
        cr_expect_eq(import.model.activation, rows[i].activation, "%s", rows[i].name);
        cr_expect_eq(find_note(&import, "hidden_act") != NULL, rows[i].noted, "%s", rows[i].name);
    }
    struct hf_import import;
    parameters("{\"model_type\": \"llama\", " BODY "}", &import);
    cr_expect_eq(import.model.activation, RK_SILU);
}

Test(hf, falcon_architectures)
{
    static const char text[] = "{\"model_type\": \"falcon\", \"hidden_size\": 64, \"n_layer\": 1, "
                               "\"n_head\": 4, \"vocab_size\": 100%s}";
    static const struct {
        const char *keys;
        uint64_t kv_heads, norms;
        bool parallel;
    } rows[] = {
        {"", 1, 1, true},
        {", \"multi_query\": false", 0, 1, true},
        {", \"multi_query\": false, \"parallel_attn\": false", 0, 0, false},
        {", \"new_decoder_architecture\": true, \"num_kv_heads\": 2", 2, 0, true},
        {", \"new_decoder_architecture\": true, \"n_head_kv\": 2, \"num_ln_in_parallel_attn\": 1",
         2, 1, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char file[512];
        struct hf_import import;
        snprintf(file, sizeof file, text, rows[i].keys);
        parameters(file, &import);
        cr_expect_eq(import.model.kv_heads, rows[i].kv_heads, "%s", rows[i].keys);
        cr_expect_eq(import.model.block_norms, rows[i].norms, "%s", rows[i].keys);
        cr_expect_eq(import.model.parallel_block, rows[i].parallel, "%s", rows[i].keys);
        cr_expect_eq(import.model.feedforward, 256, "4 * hidden");
    }
}

/* ---- what is refused ---- */

static const char llama[] = "{\n"
                            "  \"model_type\": \"llama\",\n"
                            "  " BODY "\n"
                            "}\n";

/* { what takes the place of "model_type": "llama", the message } */
static const struct bad_case heads[] = {
    {"\"model_type\": \"lama\"",
     "c.json:2:17: model_type: \"lama\" is not known (did you mean \"llama\"?); reckon import hf "
     "--help lists the types that are. If its layers are made like those of one of them, give --as "
     "TYPE"},
    {"\"model_type\": 3", "c.json:2:17: model_type: must be a text, got 3"},
    {"\"x\": 3",
     "c.json:1:1: missing key \"model_type\": add it, or give --as TYPE; reckon import hf --help "
     "lists the types"},
    {"\"model_type\": \"mixtral\"",
     "c.json:1:1: missing key \"num_experts\" (or \"num_local_experts\"): add "
     "it"},
    {"\"model_type\": \"mixtral\", \"num_local_experts\": 2, \"num_experts_per_tok\": 3",
     "c.json:2:75: num_experts_per_tok: must be 1 to 2 experts, got 3"},
    {"\"model_type\": \"llama\", \"num_key_value_heads\": 3",
     "c.json:2:49: num_key_value_heads: must divide the 4 heads, got 3"},
    {"\"model_type\": \"llama\", \"num_key_value_heads\": \"2\"",
     "c.json:2:49: num_key_value_heads: must be an integer, got the string \"2\""},
    {"\"model_type\": \"llama\", \"tie_word_embeddings\": 1",
     "c.json:2:49: tie_word_embeddings: must be true or false, got 1"},
    {"\"model_type\": \"llama\", \"rope_scaling\": 1",
     "c.json:2:42: rope_scaling: must be an object, {...}, got 1"},
    {"\"model_type\": \"llama\", \"rope_parameters\": {\"original_max_position_embeddings\": []}",
     "c.json:2:82: rope_parameters.original_max_position_embeddings: must be an integer, got a "
     "list"},
    {"\"model_type\": \"llama\", \"rope_theta\": \"big\"",
     "c.json:2:40: rope_theta: must be a number, got the string \"big\""},
    {"\"model_type\": \"llama\", \"dtype\": 3", "c.json:2:35: dtype: must be a text, got 3"},
    {"\"model_type\": \"llama\", \"layer_types\": [3]",
     "c.json:2:41: layer_types: has 1 elements for 6 layers"},
    {"\"model_type\": \"llama\", \"layer_types\": [3, 3, 3, 3, 3, 3]",
     "c.json:2:42: layer_types[0]: 3 is not a kind of layer that is known here"},
    {"\"model_type\": \"llama\", \"quantization_config\": \"fp8\"",
     "c.json:2:49: quantization_config: must be an object, {...}, got the string \"fp8\""},
    {"\"model_type\": \"llama\", \"text_config\": []",
     "c.json:2:41: text_config: must be an object, {...}, got a list"},
    {"\"model_type\": \"llama\", \"text_config\": {\"model_type\": \"my\"}",
     "c.json:2:56: text_config.model_type: \"my\" is not known; reckon import hf --help lists "
     "the "
     "types that are. If its layers are made like those of one of them, give --as TYPE"},
    {"\"model_type\": \"llama\", \"attention_dropout\": 2",
     "c.json:2:47: attention_dropout: must be >= 0 and <= 1, got 2"},
};

Test(hf, bad_heads)
{
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        struct hf_import import = {.notes = 77};
        struct rk_error error = {0};
        char *text = replaced(llama, "\"model_type\": \"llama\"", heads[i].input);
        cr_expect_eq(read_text(text, &plain, &import, &error), RK_BAD_INPUT, "%s", heads[i].input);
        cr_expect_str_eq(formatted(&error), heads[i].message, "%s", formatted(&error));
        cr_expect_eq(import.notes, 77, "untouched on failure");
        free(text);
    }
}

/* { what of the body, what takes its place, the message } */
Test(hf, bad_bodies)
{
    static const char *const cases[][3] = {
        {"\"hidden_size\": 64, ", "",
         "c.json:1:1: missing key \"hidden_size\" (or \"n_embd\"): add it"},
        {"64", "null", "c.json:3:18: hidden_size: must be an integer, got null"},
        {"64", "-1", "c.json:3:18: hidden_size: must be >= 1 and <= 1000000000, got -1"},
        {"64", "66",
         "c.json:3:95: num_attention_heads: 4 heads do not divide the hidden size 66, "
         "and no head_dim is given: correct one of them"},
        {"\"num_hidden_layers\": 6", "\"num_hidden_layers\": 1e9, \"head_dim\": 1000000000",
         "c.json:1:1: 1000000000 layers: at most 4096 are read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hf_import import;
        struct rk_error error = {0};
        char *text = replaced(llama, cases[i][0], cases[i][1]);
        const enum rk_status status = read_text(text, &plain, &import, &error);
        cr_expect_eq(status, RK_BAD_INPUT, "%s", cases[i][1]);
        cr_expect_str_eq(formatted(&error), cases[i][2], "%s", formatted(&error));
        free(text);
    }
}

/* Of learned positions there are as many as the file says; of others the usual length is assumed.
 */
Test(hf, a_length_that_the_file_lacks)
{
    struct hf_import import;
    struct rk_error error = {0};
    char *text = replaced(llama, ", \"max_position_embeddings\": 32", "");
    cr_expect_eq(read_text(text, &plain, &import, &error), RK_OK, "%s", formatted(&error));
    cr_expect_eq(import.model.sequence, 4096);
    free(text);
    text =
        replaced("{\"model_type\": \"gpt2\", " BARE "}", ", \"max_position_embeddings\": 32", "");
    cr_expect_eq(read_text(text, &plain, &import, &error), RK_BAD_INPUT);
    cr_expect_str_eq(formatted(&error),
                     "c.json:1:1: missing key \"max_position_embeddings\": add it, or give "
                     "--sequence N");
    free(text);
}

/* A key that the type has not, and that would change shape, count or cost. */
Test(hf, keys_of_other_types_are_refused)
{
    static const char *const cases[][2] = {
        {"\"model_type\": \"llama\", \"num_experts\": 60", "num_experts: 60: not a key of llama"},
        {"\"model_type\": \"llama\", \"final_logit_softcapping\": 30.0", "not a key of llama"},
        {"\"model_type\": \"llama\", \"kv_lora_rank\": 512", "not a key of llama"},
        {"\"model_type\": \"llama\", \"norm_type\": \"layer_norm\", \"use_bias\": true",
         "use_bias: true: not a key of llama"},
        {"\"model_type\": \"llama\", \"some_new_heads\": 3",
         "some_new_heads: 3: not a key of llama"},
        {"\"model_type\": \"llama\", \"flavours\": [1, 1, 1, 2, 1, 1]",
         "flavours: a list: not a key"},
        {"\"model_type\": \"cohere2\", \"use_qk_norm\": true", "only those without it"},
        {"\"model_type\": \"opt\", \"ffn_dim\": 8, \"do_layer_norm_before\": false", "norms after"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hf_import import;
        struct rk_error error = {0};
        char *text = replaced(llama, "\"model_type\": \"llama\"", cases[i][0]);
        if (i == 7) {
            free(text);
            text = replaced("{\"model_type\": \"llama\", " BARE "}", "\"model_type\": \"llama\"",
                            cases[i][0]);
        }
        cr_expect_eq(read_text(text, &plain, &import, &error), RK_BAD_INPUT, "%s", cases[i][0]);
        cr_expect(strstr(formatted(&error), cases[i][1]), "%s", formatted(&error));
        free(text);
    }
}

/* Keys that files of a type have beside those of its shape, where they say what is always so; with
 * another value they would change it. */
Test(hf, keys_that_are_always_so)
{
    static const struct {
        const char *type, *always, *never; /* NULL: any value */
    } cases[] = {
        {"phi3", "\"full_attn_mod\": 1, \"lm_head_bias\": false", "\"full_attn_mod\": 2"},
        {"starcoder2", "\"activation_function\": \"gelu\"", NULL},
        {"cohere2",
         "\"use_parallel_block\": true, \"use_gated_activation\": true, \"layer_switch\": 4",
         "\"use_parallel_block\": false, \"x\": 0"},
        {"nemotron", "\"position_embedding_type\": \"rope\"", NULL},
        {"ernie4_5", "\"fuse_rms_norm\": true, \"compression_ratio\": 1.0",
         "\"compression_ratio\": 2.0"},
        {"hunyuan_v1_dense", "\"org_vocab_size\": 128166, \"dense_list\": [4096, 0]", NULL},
        {"grok",
         "\"sliding_window_size\": -1, \"global_attn_every_n\": 1, \"num_local_experts\": 8, "
         "\"num_experts_per_tok\": 2",
         "\"sliding_window_size\": 4096, \"num_local_experts\": 8, \"num_experts_per_tok\": 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int bad = 0; bad < 2; bad++) {
            struct hf_import import;
            struct rk_error error = {0};
            char text[1024];
            const char *keys = bad ? cases[i].never : cases[i].always;
            if (!keys) continue;
            snprintf(text, sizeof text, "{\"model_type\": \"%s\", %s, " BODY "}", cases[i].type,
                     keys);
            const enum rk_status want = bad ? RK_BAD_INPUT : RK_OK;
            cr_expect_eq(read_text(text, &plain, &import, &error), want, "%s: %s", text,
                         formatted(&error));
        }
}

/* ... but what is off, harmless, or a text that nobody knows is not. */
Test(hf, other_keys_are_passed_over)
{
    struct hf_import import;
    parameters("{\"model_type\": \"llama\", \"num_experts\": 0, \"sliding_window\": null, "
               "\"use_cache\": true, \"rope_theta\": 1e4, \"flavour\": \"sweet\", " BODY "}",
               &import);
    cr_expect_str_eq(find_note(&import, "unknown keys")->why, "not known, not followed: flavour");
}

/* Every word of every row is a key, every fact a member of models with a value that it may have. */
Test(hf, rows_of_types_are_sound)
{
    for (const struct hf_type *type = hf_types; type->name; type++) {
        char facts[512];
        cr_assert_lt(strlen(type->facts), sizeof facts);
        strcpy(facts, type->facts);
        for (char *word = strtok(facts, " "); word; word = strtok(NULL, " ")) {
            char *value = strchr(word, '=');
            const struct field *field = model_fields;
            cr_assert(value, "%s: %s", type->name, word);
            *value++ = '\0';
            while (field->key && strcmp(field->key, word) != 0)
                field++;
            cr_assert(field->key, "%s: no model has %s", type->name, word);
            bool known = field->type != FIELD_CHOICE;
            for (int i = 0; field->type == FIELD_CHOICE && field->choices[i]; i++)
                known |= strcmp(field->choices[i], value) == 0;
            cr_expect(known, "%s: %s=%s", type->name, word, value);
        }
        cr_expect(hf_type_reads(type, "hidden_size") && hf_type_reads(type, "num_hidden_layers"));
    }
}

Test(hf, numbers_as_python_writes_them)
{
    struct document document;
    struct rk_error error;
    struct hf_import import;
    char path[] = "hf-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    fprintf(file, "{\"model_type\": \"llama\", \"time_step_limit\": [0.0, Infinity], "
                  "\"name\": \"NaN \\\" Infinity\", \"initializer_range\": NaN, "
                  "\"rope_theta\": 1, \"x\": -Infinity, " BODY "}");
    fclose(file);
    cr_assert_eq(hf_document_load(path, &document, &error), RK_OK, "%s", formatted(&error));
    cr_expect_str_eq(json_string_value(json_object_get(document.root, "name")), "NaN \" Infinity");
    cr_expect_eq(hf_read(&document, "c", &plain, &import, &error), RK_OK, "%s", formatted(&error));
    document_release(&document);
    remove(path);
}

/* ---- published models ---- */

/* Parameters that the operations of all layers have, padding apart. */
static double operations_parameters(const struct rk_model *model)
{
    struct rk_plan plan = rk_plan_default();
    double counts[LAYER_KINDS] = {[LAYER_EMBEDDING] = 1, [LAYER_HEAD] = 1}, sum = 0;
    layer_count(model, 0, model->layers, counts);
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        struct layer layer;
        if (counts[kind] == 0) continue;
        layer_build(&layer, (enum layer_kind)kind, model, &plan);
        for (int i = 0; i < layer.operations; i++)
            sum += counts[kind] * layer.operation[i].parameters;
    }
    return sum;
}

static void check_published(const json_t *row)
{
    static const struct hf_options options = {.type = -1, .sequence = 2048};
    const char *name = json_string_value(json_object_get(row, "name"));
    const double count = json_number_value(json_object_get(row, "parameters"));
    const double tolerance = json_number_value(json_object_get(row, "tolerance_percent")) / 100;
    const double active = json_number_value(json_object_get(row, "active"));
    char *text = json_dumps(json_object_get(row, "config"), 0);
    struct hf_import import;
    struct rk_error error;
    cr_assert(name && count > 0 && json_string_length(json_object_get(row, "source")) > 0);
    cr_assert_eq(read_text(text, &options, &import, &error), RK_OK, "%s: %s", name,
                 formatted(&error));
    const double got = (double)rk_model_parameters(&import.model);
    cr_expect(fabs(got - count) <= tolerance * count, "%s: %.0f, published %.0f", name, got, count);
    if (active > 0)
        cr_expect_eq((double)rk_model_active_parameters(&import.model), active, "%s", name);
    if (!rk_model_unmodelled(&import.model, 2048))
        cr_expect_eq(operations_parameters(&import.model), got, "%s: of its operations", name);
    char *file = model_text(&import.model, name, NULL, NULL, 0);
    struct document document;
    struct rk_model model;
    cr_assert_eq(document_parse("m.json", file, strlen(file), &document, &error), RK_OK);
    cr_expect_eq(model_read(&document, "m", &model, &error), RK_OK, "%s: %s", name,
                 formatted(&error));
    for (const struct field *field = model_fields; field->key; field++)
        cr_expect(model_fields_equal(&model, &import.model, field), "%s: %s", name, field->key);
    document_release(&document);
    free(file);
    free(text);
}

/* tests/data/hf/published.jsonl: models of the types that people train, each with the keys of its
 * config.json that say its shape, its published count and where that is from. */
Test(hf, published_models_have_their_published_counts)
{
    char *line = NULL;
    size_t room = 0;
    int rows = 0, exact = 0;
    FILE *file = fopen(RECKON_TEST_SOURCE "/tests/data/hf/published.jsonl", "r");
    cr_assert(file);
    while (getline(&line, &room, file) > 0) {
        json_t *row = json_loads(line, 0, NULL);
        cr_assert(row, "%s", line);
        check_published(row);
        exact += json_number_value(json_object_get(row, "tolerance_percent")) == 0;
        json_decref(row);
        rows++;
    }
    free(line);
    fclose(file);
    cr_expect_geq(exact, 120, "%d of %d rows are exact", exact, rows);
}
