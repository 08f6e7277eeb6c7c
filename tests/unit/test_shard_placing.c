/* Which part of which tensor is where: against the predictor's parameters on every model of the
 * catalog, by the worked examples of docs/shard.md, and (layout_finish) that every element of every
 * tensor is in one box, on random plans. */
#include "catalog/catalog.h"
#include "catalog_cases.h"
#include "drawn.h"
#include "shard/manifest.h"
#include "shard/placing.h"
#include "shard/store.h"
#include "workload/layers.h"

#include <inttypes.h>
#include <reckon/reckon.h>
#include <stdio.h>

static uint64_t state = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (state >> 33) % below;
}

static uint64_t one_of(const uint64_t *list, uint64_t count)
{
    return list[draw(count)];
}

/* ---- the catalog ---- */

static double elements_of(const struct layout *layout, const struct rk_model *model)
{
    double sum = 0;
    for (size_t i = 0; i < layout->tensors; i++) {
        const struct part part = part_of(layout->tensor[i].name, "");
        uint64_t elements;
        tensor_elements(layout->tensor[i].rank, layout->tensor[i].shape, &elements);
        cr_assert_neq(part.role, ROLE_UNKNOWN, "%s", layout->tensor[i].name);
        if (part.layer < (int64_t)model->layers) sum += (double)elements;
    }
    return sum;
}

static struct rk_plan random_plan(const struct rk_model *model)
{
    static const uint64_t tensors[] = {1, 2, 3, 4, 8, 16}, pipelines[] = {1, 2, 3, 4, 6, 8};
    static const uint64_t experts[] = {1, 2, 4, 8, 16}, multiples[] = {0, 0, 1, 128};
    struct rk_plan plan = rk_plan_default();
    plan.tensor = one_of(tensors, 6);
    plan.pipeline = one_of(pipelines, 6);
    plan.context = 1 + draw(2);
    plan.chunks = plan.pipeline > 1 ? 1 + draw(2) : 1;
    plan.vocabulary_multiple = one_of(multiples, 4);
    plan.expert = model->experts ? one_of(experts, 5) : 1;
    plan.expert_tensor = model->experts ? draw(2) : 0;
    plan.zero = (int)draw(3); /* ZeRO-3 divides what a rank holds between its uses */
    plan.order = draw(4) ? RK_ORDER_TP_CP_DP_PP : (enum rk_order)draw(RK_ORDERS);
    plan.ranks = plan.tensor * plan.pipeline * plan.context * plan.expert * (1 + draw(2));
    plan.batch = plan.ranks * 64;
    if (plan.pipeline % 2 == 0 && plan.chunks == 1 && draw(6) == 0) plan.schedule = RK_DUALPIPE;
    if (plan.chunks == 2 && plan.pipeline > 1 && draw(2) == 0)
        plan.schedule = (enum rk_schedule)(RK_V_ZERO + draw(3));
    return plan;
}

static bool can_run(const struct rk_model *model, const struct rk_plan *plan,
                    struct rk_prediction *prediction)
{
    static struct rk_system system;
    if (!system.memories)
        cr_assert_eq(rk_system_load("h100-sxm5-80g x1048576", &system, NULL), RK_OK);
    rk_predict(model, &system, plan, prediction);
    return prediction->timed;
}

static void check_plan(const struct rk_model *model, const struct rk_plan *plan,
                       const struct layout *tensors, const struct rk_prediction *prediction)
{
    const struct placing placing = {.rules = {*model, plan, false}, .type = "", .only = -1};
    struct layout layout = {.files = 0};
    struct placed placed;
    struct rk_error error = {0};
    char words[RK_PLAN_TEXT];
    rk_plan_text(plan, words, sizeof words);
    cr_assert_eq(layout_copy_tensors(&layout, tensors, &error), RK_OK);
    cr_assert_eq(place_plan(&placing, &layout, &placed, &error), RK_OK, "%s %s: %s", model->id,
                 words, error.text);
    for (size_t i = 0; i < layout.files; i++) {
        const struct placed_file *file = &placed.file[i];
        const double bytes = prediction->stage[file->stage].holds[RK_HOLD_weights];
        cr_assert_eq(2 * (double)file->parameters, bytes,
                     "%s %s: stage %u tensor %u expert %u: %" PRIu64 " parameters, %.17g bytes",
                     model->id, words, file->stage, file->tensor, file->expert, file->parameters,
                     bytes);
        cr_assert_eq((double)file->parameters, placed_predicted(model, plan, file->stage));
    }
    placed_release(&placed);
    layout_release(&layout);
}

/* ---- worked examples ---- */

/* What tensor rank `r` of `t` has of one tensor of a model. */
static void cut_by_hand(const struct rk_model *model, const char *type, const char *name,
                        const uint64_t *shape, uint64_t t, uint64_t r, struct cut *cut)
{
    struct rk_plan plan = rk_plan_default();
    struct rk_error error = {0};
    struct tensor tensor = {.name = (char *)name, .type = TENSOR_BF16, .rank = 2};
    const struct part part = part_of(name, type);
    const struct cut_rank at = {r, 0, r};
    plan.tensor = plan.ranks = t;
    plan.vocabulary_multiple = 128;
    const struct cut_rules rules = {*model, &plan, false};
    memcpy(tensor.shape, shape, 2 * sizeof *shape);
    cr_assert_neq(part.role, ROLE_UNKNOWN, "%s", name);
    cr_assert_eq(cut_tensor(&rules, &tensor, &part, NULL, AXIS_BY_ROLE, &at, cut, &error), RK_OK,
                 "%s", error.text);
}

static void expect_range(const struct cut *cut, int i, int axis, uint64_t begin, uint64_t end)
{
    cr_assert_gt(cut->ranges, i);
    cr_assert_eq(cut->axis, axis);
    cr_assert_eq(cut->range[i].begin, begin, "%" PRIu64, cut->range[i].begin);
    cr_assert_eq(cut->range[i].end, end, "%" PRIu64, cut->range[i].end);
}

Test(shard_placing, by_hand)
{
    struct rk_model m;
    struct cut *c = malloc(sizeof *c);
    use_source_catalog();
    cr_assert_eq(rk_model_load("llama3.1-8b", &m, NULL), RK_OK);
    /* 8 groups of 128 rows over 16 ranks: two ranks a group, rank 5 has group 2 */
    for (uint64_t r = 4; r <= 5; r++) {
        cut_by_hand(&m, "llama", "model.layers.3.self_attn.k_proj.weight",
                    (const uint64_t[]){1024, 4096}, 16, r, c);
        expect_range(c, 0, 0, 256, 384);
    }
    /* 32 heads of 128 rows: two a rank */
    cut_by_hand(&m, "llama", "model.layers.3.self_attn.q_proj.weight",
                (const uint64_t[]){4096, 4096}, 16, 5, c);
    expect_range(c, 0, 0, 1280, 1536);
    cut_by_hand(&m, "llama", "model.layers.3.self_attn.o_proj.weight",
                (const uint64_t[]){4096, 4096}, 16, 5, c);
    expect_range(c, 0, 1, 1280, 1536);

    /* V' = 51,200, 6,400 rows a rank; the last has 44,800 to 50,256 and 943 of padding */
    cr_assert_eq(rk_model_load("gpt2-1558m", &m, NULL), RK_OK);
    cut_by_hand(&m, "gpt2", "wte.weight", (const uint64_t[]){50257, 1600}, 8, 7, c);
    expect_range(c, 0, 0, 44800, 50257);
    cr_assert_eq(c->padding, 943);
    /* Conv1D is (in, out): thirds of 1,600 columns, of 25 heads five a rank */
    cut_by_hand(&m, "gpt2", "h.0.attn.c_attn.weight", (const uint64_t[]){1600, 4800}, 5, 2, c);
    expect_range(c, 0, 1, 640, 960);
    expect_range(c, 1, 1, 2240, 2560);
    expect_range(c, 2, 1, 3840, 4160);
    cut_by_hand(&m, "gpt2", "h.0.mlp.c_proj.weight", (const uint64_t[]){6400, 1600}, 5, 4, c);
    expect_range(c, 0, 0, 5120, 6400);

    /* 8 groups of (16 + 2) * 64 = 1,152 rows; over 16 ranks half of a group's queries, k and v */
    cr_assert_eq(rk_model_load("falcon-40b", &m, NULL), RK_OK);
    static const uint64_t falcon[] = {9216, 8192};
    cut_by_hand(&m, "falcon", "transformer.h.0.self_attention.query_key_value.weight", falcon, 4, 1,
                c);
    expect_range(c, 0, 0, 2304, 4608);
    cut_by_hand(&m, "falcon", "transformer.h.0.self_attention.query_key_value.weight", falcon, 16,
                3, c);
    expect_range(c, 0, 0, 1152 + 512, 1152 + 1024 + 128); /* queries 8 to 15 end where k begins */
    cut_by_hand(&m, "falcon", "transformer.h.0.self_attention.query_key_value.weight", falcon, 16,
                2, c);
    expect_range(c, 0, 0, 1152, 1152 + 512);
    expect_range(c, 1, 0, 1152 + 1024, 2304);

    /* 64 heads of 288 rows: 2,304 rows a rank of 8 */
    cr_assert_eq(rk_model_load("gpt-neox-20b", &m, NULL), RK_OK);
    cut_by_hand(&m, "gpt_neox", "gpt_neox.layers.7.attention.query_key_value.weight",
                (const uint64_t[]){18432, 6144}, 8, 3, c);
    expect_range(c, 0, 0, 6912, 9216);

    /* Phi-3: [gate; up] of 8,192 rows each */
    cut_by_hand(&m, "phi3", "model.layers.0.mlp.gate_up_proj.weight",
                (const uint64_t[]){16384, 3072}, 2, 0, c);
    expect_range(c, 0, 0, 0, 4096);
    expect_range(c, 1, 0, 8192, 12288);
    free(c);
}

/* Llama of one layer and four words of width 4, ZeRO-1 over two ranks: the last parameter first,
 * each at a multiple of 64 elements, the bucket a multiple of lcm(2, 128) = 128, cut in two;
 * DeepSpeed's padded to 2 R = 4. */
Test(shard_placing, buffers)
{
    static const struct {
        const char *name;
        uint64_t rows, columns;
    } made[] = {{"lm_head.weight", 4, 4},
                {"model.embed_tokens.weight", 4, 4},
                {"model.layers.0.mlp.up_proj.weight", 30, 4},
                {"model.norm.weight", 4, 0}};
    const struct rk_model model = {.layers = 1,
                                   .hidden = 4,
                                   .feedforward = 30,
                                   .heads = 1,
                                   .head_dim = 4,
                                   .vocabulary = 4,
                                   .sequence = 8};
    struct rk_plan plan = rk_plan_default();
    plan.ranks = plan.batch = 2;
    plan.zero = 1;
    /* in the order of names: first and count of rank 0's and of rank 1's; megatron's buffer is norm
     * 0, head 64, up 128 to 247, embedding 256 to 271, of 384: rank 0 has 0 to 191; deepspeed's is
     * norm 0, head 4, up 20 to 139, embedding 140 to 155, of 156: rank 0 has 0 to 77 */
    static const uint64_t expected[2][4][2][2] = {
        {{{0, 16}, {0, 0}}, {{0, 0}, {0, 16}}, {{0, 64}, {64, 56}}, {{0, 4}, {0, 0}}},
        {{{0, 16}, {0, 0}}, {{0, 0}, {0, 16}}, {{0, 58}, {58, 62}}, {{0, 4}, {0, 0}}},
    };
    for (int kind = 0; kind < 2; kind++) {
        struct layout layout = {.files = 0};
        struct placed placed;
        struct rk_error error = {0};
        struct tensor *tensor = calloc(4, sizeof *tensor);
        for (int i = 0; i < 4; i++)
            tensor[i] = (struct tensor){.name = strdup(made[i].name),
                                        .type = TENSOR_BF16,
                                        .rank = made[i].columns ? 2 : 1,
                                        .shape = {made[i].rows, made[i].columns}};
        layout_take_tensors(&layout, tensor, 4);
        const struct placing placing = {.rules = {model, &plan, false},
                                        .type = "llama",
                                        .zero = kind ? ZERO_DEEPSPEED : ZERO_MEGATRON,
                                        .only = -1};
        cr_assert_eq(place_plan(&placing, &layout, &placed, &error), RK_OK, "%s", error.text);
        cr_assert_eq(layout.files, 2);
        for (size_t i = 0; i < layout.slices; i++) {
            const struct slice *s = &layout.slice[i];
            const uint64_t *want = expected[kind][s->tensor][s->file];
            cr_assert(s->flat);
            cr_expect_eq(s->first, want[0], "%s: %" PRIu64, layout.tensor[s->tensor].name,
                         s->first);
            cr_expect_eq(s->count, want[1], "%s: %" PRIu64, layout.tensor[s->tensor].name,
                         s->count);
        }
        cr_assert_eq(layout.slices, 5);
        placed_release(&placed);
        layout_release(&layout);
    }
}

/* 6 columns of 4 bits over 2 ranks would end within a byte; 8 do not. */
Test(shard_placing, half_bytes)
{
    const struct rk_model model = {
        .layers = 1, .hidden = 6, .feedforward = 8, .heads = 1, .head_dim = 4, .sequence = 8};
    struct rk_plan plan = rk_plan_default();
    plan.tensor = plan.ranks = 2;
    for (uint64_t width = 6; width <= 8; width += 2) {
        struct layout layout = {.files = 0};
        struct placed placed;
        struct rk_error error = {0};
        struct tensor *tensor = calloc(1, sizeof *tensor);
        *tensor = (struct tensor){.name = strdup("model.layers.0.mlp.down_proj.weight"),
                                  .type = TENSOR_F4,
                                  .rank = 2,
                                  .shape = {4, width}};
        layout_take_tensors(&layout, tensor, 1);
        const struct placing placing = {.rules = {model, &plan, false}, .type = "", .only = -1};
        const enum rk_status status = place_plan(&placing, &layout, &placed, &error);
        cr_assert_eq(status, width == 6 ? RK_BAD_INPUT : RK_OK);
        if (width == 6) cr_assert(strstr(error.text, "goes through a byte"), "%s", error.text);
        placed_release(&placed);
        layout_release(&layout);
    }
}

/* ---- published shapes, layers of multi-token prediction among them ---- */

static const char *const published[] = {
    "deepseek-v3", "deepseek-v2-lite", "qwen3-30b-a3b", "mixtral-8x7b",
    "gpt2-xl",     "falcon-7b",        "qwen2.5-7b",    NULL};

Test(shard_placing, published)
{
    static struct rk_prediction prediction;
    int predicting = 0;
    use_source_catalog();
    for (const char *const *name = published; *name; name++) {
        char path[512];
        struct store store = {.has_model = false};
        struct layout tensors = {.files = 0};
        struct rk_error error = {0};
        snprintf(path, sizeof path, "%s/tests/data/hf/%s.json", RECKON_TEST_SOURCE, *name);
        cr_assert_eq(store_read_config(path, &store, &error), RK_OK, "%s", error.text);
        store.model.layers = store.model.layers > 12 ? 12 : store.model.layers;
        if (store.model.experts) store.model.experts = 16;
        cr_assert_eq(manifest_of(&store.model, TENSOR_BF16, &tensors, &error), RK_OK);
        for (int k = 0, done = 0; k < 300 && done < 12; k++) {
            const struct rk_plan plan = random_plan(&store.model);
            if (!can_run(&store.model, &plan, &prediction)) continue;
            check_plan(&store.model, &plan, &tensors, &prediction);
            predicting += store.model.predict_layers > 0 && plan.pipeline > 1;
            done++;
        }
        layout_release(&tensors);
        store_release(&store);
    }
    cr_assert_gt(predicting, 4);
}

Test(shard_placing, catalog)
{
    struct catalog_list list;
    static struct rk_prediction prediction;
    int checked = 0, models = 0;
    use_source_catalog();
    cr_assert_eq(catalog_list(CATALOG_MODELS, &list, NULL), RK_OK);
    for (size_t i = 0; i < list.count; i++) {
        struct rk_model model;
        struct layout tensors = {.files = 0};
        struct rk_error error = {0};
        cr_assert_eq(rk_model_load(list.id[i], &model, NULL), RK_OK);
        if (model.recurrence || model.encoder_sequence || model.index_heads) { /* no tensors without
                                                      a checkpoint; indexers are not predicted */
            models++;
            continue;
        }
        cr_assert_eq(manifest_of(&model, TENSOR_BF16, &tensors, &error), RK_OK, "%s: %s", model.id,
                     error.text);
        if (model.count_embeddings)
            cr_expect_eq(elements_of(&tensors, &model), (double)rk_model_parameters(&model), "%s",
                         model.id);
        const int plans = tensors.tensors > 10000 ? 1 : DRAWN(5);
        int done = 0;
        for (int k = 0; k < 200 && done < plans; k++) {
            const struct rk_plan plan = random_plan(&model);
            if (!can_run(&model, &plan, &prediction)) continue;
            check_plan(&model, &plan, &tensors, &prediction);
            done++;
        }
        cr_expect_gt(done, 0, "%s: no plan of 200 can run", model.id);
        models += done > 0;
        checked += done;
        layout_release(&tensors);
    }
    cr_assert_eq(models, (int)list.count);
    cr_assert_gt(checked, DRAWN(250));
    catalog_list_release(&list);
}
