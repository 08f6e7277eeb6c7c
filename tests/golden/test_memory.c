/* Golden numbers of memory planning: MEMO's and SSDTrain's tables and points. What a source prints
 * and nothing here computes is compared with the print. */
#include "golden/perturb.h"

#include <inttypes.h>
#include <reckon/catalog.h>
#include <reckon/model.h>
#include <reckon/offload.h>

/* ---- SSDTrain ---- */

static void check_ssdtrain(const char *name, const struct text *text)
{
    struct csv csv = csv_of(name, text);
    for (size_t i = 0; i < csv.rows; i++) {
        struct rk_ssdtrain run;
#define GET(name) run.name = cell(&csv, i, #name);
        RK_SSDTRAIN_COUNTS(GET)
        const double data = cell(&csv, i, "data"), zero = cell(&csv, i, "zero");
        near(cell(&csv, i, "gpus"), cell(&csv, i, "tensor") * cell(&csv, i, "pipeline") * data, 0);
        near(cell(&csv, i, "global_batch"),
             cell(&csv, i, "microbatch") * cell(&csv, i, "accumulation") * data, 0);
        wrong += zero != 0 && zero != 3;
        run.achieved_FLOPps = 1e12 * cell(&csv, i, "achieved_TFLOPps");
        run.hbm_Bps = 1e9 * cell(&csv, i, "hbm_GBps");
        const struct rk_ssdtrain_step s = rk_ssdtrain_step(&run);
        const double paper = rk_endurance_bytes(&rk_ssdtrain_paper_drives);
        const double code = rk_endurance_bytes(&rk_ssdtrain_code_drives);
#define SAME(value, name, tolerance) near(value, cell(&csv, i, name), tolerance)
        SAME(s.activation_bytes, "activation_bytes_per_gpu_step", 1e-9);
        SAME(s.layer_forward_s, "layer_forward_s", 1e-9);
        SAME(s.forward_s, "forward_s", 1e-9);
        SAME(s.state_bytes, "state_bytes_per_gpu", 1e-9);
        SAME(s.step_s, "step_s", 1e-9);
        SAME(s.write_Bps / 0x1p30, "write_GiBps", 1e-9);
        SAME(rk_life_s(paper, s.step_s, s.activation_bytes) / RK_YEAR_S, "life_4x980pro_years",
             5e-6);
        SAME(rk_life_s(code, s.step_s, s.activation_bytes) / RK_YEAR_S, "life_4x12p8TB_3dwpd_years",
             5e-6);
    }
    csv_release(&csv);
}

Test(memory, ssdtrain_figures)
{
    perturb("memory/ssdtrain_fig5.csv", check_ssdtrain, 12 * 23);
    perturb("memory/ssdtrain_fig8b.csv", check_ssdtrain, 18 * 23);
    cr_assert_eq(rk_endurance_bytes(&rk_ssdtrain_paper_drives), 516e15); /* 516 PB, as printed */
}

/* Attention and MLP of `layers` layers, then each layer, in post-order. */
static int post_order(struct rk_adaptive_node *node, int layers, const json_t *attention,
                      const json_t *mlp)
{
    const double a = member(attention, "bytes_MB"), a_s = member(attention, "forward_ms");
    const double m = member(mlp, "bytes_MB"), m_s = member(mlp, "forward_ms");
    int n = 0;
    for (int i = 0; i < layers; i++) {
        const double bytes = i * (a + m), time_s = i * (a_s + m_s);
        node[n++] = (struct rk_adaptive_node){bytes, a, time_s};
        node[n++] = (struct rk_adaptive_node){bytes + a, m, time_s + a_s};
        node[n++] = (struct rk_adaptive_node){bytes, a + m, time_s};
    }
    return n;
}

static int node_named(const json_t *rows, const char *name, int nodes)
{
    for (int k = 0; name && k < nodes; k++)
        if (strcmp(name, json_string_value(
                             json_object_get(json_array_get(rows, (size_t)k), "node"))) == 0)
            return k;
    return nodes;
}

/* Bandwidths between what two nodes need would give the same choice: they are as asked. */
static void check_adaptive(const char *name, const struct text *text)
{
    static const double asked[] = {3, 9, 10, 16, 20, 24, 30, 40, 50};
    enum { LAYERS = 4, NODES = 3 * LAYERS };
    json_t *root = json_of(text), *row;
    const json_t *rows = json_object_get(root, "nodes_in_post_order");
    const json_t *kept = json_object_get(root, "first_kept");
    struct rk_adaptive_node node[NODES];
    const double forward = member(root, "forward_total_ms");
    post_order(node, LAYERS, json_object_get(root, "attention"), json_object_get(root, "mlp"));
    near(member(root, "layers"), LAYERS, 0);
    near(forward, node[NODES - 1].before_s + node[NODES - 1].before_s / (LAYERS - 1), 0);
    size_t i;
    (void)name;
    cr_assert_eq(json_array_size(rows), NODES);
    cr_assert_eq(json_array_size(kept), sizeof asked / sizeof *asked);
    json_array_foreach(rows, i, row)
    {
        near(node[i].before_bytes, member(row, "bytes_before_MB"), 0);
        near(node[i].bytes, member(row, "bytes_MB"), 0);
        near(node[i].before_s, member(row, "forward_before_ms"), 0);
        near(rk_adaptive_needs(&node[i], forward), member(row, "required_MB_per_ms"), 1e-6);
    }
    json_array_foreach(kept, i, row)
    {
        const double W = member(row, "bandwidth_MB_per_ms");
        const char *first = json_string_value(json_object_get(row, "node"));
        near(W, asked[i], 0);
        wrong += rk_adaptive_first_kept(node, NODES, forward, W) != node_named(rows, first, NODES);
    }
    json_decref(root);
}

Test(memory, ssdtrain_adaptive_rule)
{
    perturb("memory/ssdtrain_adaptive.json", check_adaptive, 6 + 12 * 4 + 9);
}

/* Table III: activations of `layers` layers, tensor 2, 16 samples of 1,024 tokens. */
static double table3_bytes(double hidden, double layers)
{
    const struct rk_ssdtrain run = {.layers = layers,
                                    .hidden = hidden,
                                    .heads = hidden / 128,
                                    .vocabulary = 32000,
                                    .sequence = 1024,
                                    .tensor = 2,
                                    .pipeline = 1,
                                    .data = 1,
                                    .microbatch = 16,
                                    .accumulation = 1,
                                    .achieved_FLOPps = 1,
                                    .hbm_Bps = 1};
    return rk_ssdtrain_step(&run).activation_bytes;
}

/* In the order of the file: as printed, with the tolerance beside it, or worked out. */
static void check_published(const char *name, const struct text *text)
{
    const struct rk_endurance *drives = &rk_ssdtrain_paper_drives;
    const struct {
        const char *id;
        double value, tolerance;
    } points[] = {
        {"text_peak_low", 28, 1},
        {"text_peak_high", 40, 1},
        {"text_peak_max", 47, 1},
        {"text_write_max", 12.1, 0.05},
        {"text_life_min", 2, 0},
        {"text_act_low", 0.4, 0},
        {"text_act_high", 1.8, 0},
        {"text_price_gpu", 10000, 0},
        {"text_price_ssd", 360, 0},
        {"code_waf", drives->rated_amplification / drives->amplification, 0},
        {"text_retention", drives->retention_gain, 0},
        {"vendor_tbw", drives->rated_bytes / 1e12, 0},
        {"table3_est_8192", table3_bytes(8192, 4), 0},
        {"table3_est_12288", table3_bytes(12288, 3), 0},
        {"table3_est_16384", table3_bytes(16384, 2), 0},
    };
    struct csv csv = csv_of(name, text);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        cr_assert_str_eq(csv_cell(&csv, i, (size_t)csv_column(&csv, "id")), points[i].id);
        near(cell(&csv, i, "value"), points[i].value, 0);
        near(cell(&csv, i, "tolerance"), points[i].tolerance, 0);
        const char *unit = csv_cell(&csv, i, (size_t)csv_column(&csv, "unit"));
        wrong += unit[0] >= '0' && unit[0] <= '9' && strcmp(unit, "1") != 0;
    }
    csv_release(&csv);
}

Test(memory, ssdtrain_points)
{
    perturb("memory/ssdtrain_points.csv", check_published, 15);
}

/* ---- MEMO ---- */

static void check_example(const json_t *root, const json_t *row)
{
    const double h = 4096, layers = 32, ranks = member(root, "gpus_sharing_the_sequence");
    const double F = member(root, "achieved_FLOPps"), B = member(root, "bandwidth_Bps");
    const double s = member(row, "tokens"), unit = 2 * s * h / ranks;
    const double work_s = s * h * h / ranks / F;
    const struct rk_swap swap = {.layers = (int)layers,
                                 .forward_s = 24 * work_s + 2 * s * s * h / ranks / F,
                                 .backward_s = 1,
                                 .always_bytes = 2 * unit,
                                 .token_bytes = 14 * unit,
                                 .again_s = 16 * work_s,
                                 .bandwidth_Bps = B,
                                 .host_bytes = member(root, "host_bytes_per_gpu")};
    const double alpha = rk_swap_share_memo(&swap);
    const double bytes = swap.always_bytes + alpha * swap.token_bytes;
    const struct rk_swap_tensor tensors[] = {
        {"norm", unit, 0}, {"qkv", 3 * unit, 6 * work_s},    {"residual", unit, 2 * work_s},
        {"norm", unit, 0}, {"mlp in", 4 * unit, 8 * work_s}, {"gelu", 4 * unit, 0}};
    near(16 * unit, member(row, "layer_bytes"), 1e-12);
    near(2 * 16 * unit, member(row, "buffers_bytes"), 1e-12);
    near(swap.forward_s, member(row, "layer_forward_s"), 1e-12);
    near(rk_swap_share_hidden(&swap), member(row, "alpha_overlap"), 1e-12);
    near(rk_swap_share_host(&swap), member(row, "alpha_host"), 1e-12);
    near(alpha, member(row, "alpha"), 1e-12);
    near(bytes / B, member(row, "offload_s"), 1e-12);
    near((layers - 2) * bytes, member(row, "host_bytes_per_gpu"), 1e-12);
    near((1 - alpha) * swap.again_s, member(row, "recompute_s_per_layer"), 1e-12);
    near(rk_swap_by_tensor(tensors, 6, alpha * swap.token_bytes, NULL),
         member(row, "recompute_s_per_layer_by_tensor"), 1e-12);
    near(round(1e9 * rk_swap_at(&swap, alpha).forward_wait_s / swap.forward_s),
         member(row, "exposed_s_forward"), 0);
}

static void check_examples(const char *name, const struct text *text)
{
    json_t *root = json_of(text), *row;
    size_t i;
    (void)name;
    json_array_foreach(json_object_get(root, "cases"), i, row) check_example(root, row);
    cr_assert_eq(i, 7);
    json_decref(root);
}

Test(memory, memo_worked_examples)
{
    perturb("memory/memo_alpha.json", check_examples, 4 + 7 * 12);
}

/* What the paper prints [zhao2025memo], in the order of the file. */
static const struct {
    const char *id, *value;
} printed[] = {
    {"cross_192k", "196608"},
    {"flash_90", "589824"},
    {"mfu_7b_1m", "52.3"},
    {"host", "2"},
    {"frag_reserved_1", "73.5;65.7"},
    {"frag_reserved_2", "76.5;68.2"},
    {"solve_time", "300"},
    {"gain_megatron_v1", "2.42"},
    {"gain_deepspeed_v1", "2.26"},
    {"gain_megatron_SIGMOD", "1.97"},
    {"gain_deepspeed_SIGMOD", "1.80"},
};

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void check_shape(const char *id, const char *value)
{
    struct rk_model model;
    char shape[96];
    cr_assert_eq(rk_model_load(id, &model, NULL), RK_OK);
    snprintf(shape, sizeof shape, "%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";%" PRIu64,
             model.layers, model.hidden, model.feedforward, model.heads, model.vocabulary);
    wrong += strcmp(value, shape) != 0;
}

/* Of all layers in 16 bits; inputs are one of 16 units. */
static void check_bytes(const char *model_id, double tokens, double units, double value)
{
    struct rk_model model;
    cr_assert_eq(rk_model_load(model_id, &model, NULL), RK_OK);
    near((double)model.layers * units * tokens * (double)model.hidden * 2, value, 0);
}

static void check_parameters(const char *model_id, double value)
{
    struct rk_model model;
    cr_assert_eq(rk_model_load(model_id, &model, NULL), RK_OK);
    const double norms = (4.0 * (double)model.layers + 2) * (double)model.hidden;
    near((double)rk_model_parameters(&model) - norms, value, 0);
}

/* The tokens that an id names: "skeletal_7b_64k"; of the paper's figures, those of the value. */
static double tokens_named(const char *id, double value)
{
    const char *last = strrchr(id, '_');
    if (begins(id, "skeletal") || begins(id, "inputs"))
        return strcmp(last, "_1m") == 0 ? 1048576 : 1024 * atof(last + 1);
    return begins(id, "mfu") ? 1048576 : begins(id, "frag") ? 524288 : value;
}

static void check_points(const char *name, const struct text *text)
{
    struct csv csv = csv_of(name, text);
    size_t print = 0;
#define TEXT(column) csv_cell(&csv, i, (size_t)csv_column(&csv, column))
    for (size_t i = 0; i < csv.rows; i++) {
        const char *id = TEXT("id"), *model = TEXT("model"), *value = TEXT("value");
        if (strcmp(TEXT("class"), "unverified") == 0) continue;
        if (TEXT("gpus")[0]) near(cell(&csv, i, "gpus"), 8, 0);
        if (TEXT("tokens")[0]) near(cell(&csv, i, "tokens"), tokens_named(id, atof(value)), 0);
        if (begins(id, "config"))
            check_shape(model, value);
        else if (begins(id, "params")) {
            check_parameters(model, atof(value));
            wrong += strcmp(TEXT("tolerance"), "0.001") != 0;
        } else if (begins(id, "skeletal"))
            check_bytes(model, tokens_named(id, 0), 16, atof(value));
        else if (begins(id, "inputs"))
            check_bytes(model, tokens_named(id, 0), 1, atof(value));
        else {
            cr_assert_lt(print, sizeof printed / sizeof *printed);
            cr_assert_str_eq(id, printed[print].id);
            wrong += strcmp(value, printed[print++].value) != 0;
        }
        const bool gain = begins(id, "gain");
        wrong += gain && strcmp(TEXT("unit"), "1") != 0;
    }
    cr_assert_eq(print, sizeof printed / sizeof *printed);
    csv_release(&csv);
}

Test(memory, points_of_the_paper)
{
    perturb("memory/memo_points.csv", check_points, 60);
}
