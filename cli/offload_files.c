/* offload_files.c - the published formulas over files of cases: SSDTrain's model of a step (CSV),
 * its rule of how much to store, MEMO's share of the tokens (JSON). */
#include "cli/offload_files.h"

#include "base/number.h"
#include "base/text.h"
#include "text/csv.h"
#include "text/fields.h"

#include <math.h>
#include <reckon/offload.h>
#include <stdlib.h>
#include <string.h>

/* ---- SSDTrain's model of a step ---- */

/* clang-format off */
static const struct input {
    const char *name;
    size_t offset;
    double unit;
} inputs[] = {
#define INPUT(name) {#name, offsetof(struct rk_ssdtrain, name), 1},
    RK_SSDTRAIN_COUNTS(INPUT)
    {"achieved_TFLOPps", offsetof(struct rk_ssdtrain, achieved_FLOPps), 1e12},
    {"hbm_GBps", offsetof(struct rk_ssdtrain, hbm_Bps), 1e9},
};

static const struct report_column step_columns[] = {
    {.name = "model"},
#define COLUMN(column) {.name = #column},
    RK_SSDTRAIN_COUNTS(COLUMN)
    {.name = "achieved_TFLOPps", .digits = 4}, {.name = "hbm_GBps", .digits = 4},
    {.name = "activation_bytes_per_gpu_step", .title = "activations", .unit = "B", .digits = 1},
    {.name = "layer_forward_s", .title = "layer", .unit = "s", .digits = 1, .own_scale = true},
    {.name = "forward_s", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "state_bytes_per_gpu", .title = "state", .unit = "B", .digits = 1},
    {.name = "step_s", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "write_GiBps", .title = "write GiB/s", .digits = 4},
    {.name = "write_GBps", .title = "write GB/s", .digits = 4},
    {.name = "life_4x980pro_years", .title = "life, paper's drives, years", .digits = 3},
    {.name = "life_4x12p8TB_3dwpd_years", .title = "life, code's, years", .digits = 3},
};
/* clang-format on */
enum { STEP_INPUTS = COUNT_OF(inputs), STEP_COLUMNS = COUNT_OF(step_columns) };

static enum rk_status read_input(const struct csv *csv, size_t row, const struct input *input,
                                 double *value, struct rk_error *error)
{
    const int column = csv_column(csv, input->name);
    char quote[TEXT_QUOTE], *end;
    if (column < 0)
        return rk_fail(error, RK_BAD_INPUT, csv->path, 1, 0, "there is no column %s", input->name);
    const char *text = csv_cell(csv, row, (size_t)column);
    *value = strtod(text, &end) * input->unit;
    const bool zero = strcmp(input->name, "zero") == 0;
    if (end == text || *end || !isfinite(*value) || *value < 0 || (*value == 0 && !zero))
        return rk_fail(error, RK_BAD_INPUT, csv->path, csv->line[row], column + 1,
                       "%s: must be a number above 0, got %s", input->name,
                       text_quote(quote, text, strlen(text)));
    return RK_OK;
}

static enum rk_status read_run(const struct csv *csv, size_t row, struct rk_ssdtrain *run,
                               struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (int i = 0; status == RK_OK && i < STEP_INPUTS; i++) {
        double *to = (double *)((char *)run + inputs[i].offset);
        status = read_input(csv, row, &inputs[i], to, error);
    }
    return status;
}

/* What the row is called, if there is a column for it. */
static struct report_cell name_of(const struct csv *csv, size_t row, struct report *report)
{
    const int column = csv_column(csv, "model");
    return column < 0 ? cell_none()
                      : cell_text(report_text(report, "%s", csv_cell(csv, row, (size_t)column)));
}

typedef enum rk_status add_row(const struct csv *, size_t row, struct report *,
                               struct report_table *, struct rk_error *);

static enum rk_status add_rows(const char *path, struct report *report, struct report_table *table,
                               add_row *add, struct rk_error *error)
{
    struct csv csv;
    enum rk_status status = csv_load(path, &csv, error);
    for (size_t row = 0; status == RK_OK && row < csv.rows; row++)
        status = add(&csv, row, report, table, error);
    csv_release(&csv);
    return status;
}

static enum rk_status add_step(const struct csv *csv, size_t row, struct report *report,
                               struct report_table *table, struct rk_error *error)
{
    struct rk_ssdtrain run;
    struct report_cell cell[STEP_COLUMNS];
    const enum rk_status status = read_run(csv, row, &run, error);
    if (status != RK_OK) return status;
    int c = 0;
    cell[c++] = name_of(csv, row, report);
    for (int i = 0; i < STEP_INPUTS; i++)
        cell[c++] = cell_number(*(double *)((char *)&run + inputs[i].offset) / inputs[i].unit);
    const struct rk_ssdtrain_step s = rk_ssdtrain_step(&run);
    const double bytes = s.activation_bytes;
    const double paper = rk_endurance_bytes(&rk_ssdtrain_paper_drives);
    const double code = rk_endurance_bytes(&rk_ssdtrain_code_drives);
    const double results[] = {bytes,
                              s.layer_forward_s,
                              s.forward_s,
                              s.state_bytes,
                              s.step_s,
                              s.write_Bps / 0x1p30,
                              s.write_Bps / 1e9,
                              rk_life_s(paper, s.step_s, bytes) / RK_YEAR_S,
                              rk_life_s(code, s.step_s, bytes) / RK_YEAR_S};
    for (int i = 0; i < COUNT_OF(results); i++)
        cell[c++] = cell_number(results[i]);
    report_row(report, table, cell);
    return RK_OK;
}

static enum rk_status ssdtrain_steps(const char *path, struct report *report,
                                     struct rk_error *error)
{
    return add_rows(
        path, report,
        REPORT_LIST(report, "steps", "SSDTrain's model of a step", REPORT_IN_ALL, step_columns),
        add_step, error);
}

/* ---- a step of it, event by event ---- */

enum { SIMULATED_LAYERS = RK_STORE_MOST / 2 - 1 };

/* Attention and MLP of each layer, then the head with the last norm, which is never stored. The
 * bytes are those of the paper's model; forward time goes by FLOP within a layer. */
static int modules_of(const struct rk_ssdtrain *run, const struct rk_ssdtrain_step *step,
                      struct rk_store_module *module, struct rk_adaptive_node *node)
{
    const double h = run->hidden, sb = run->sequence * run->microbatch, t = run->tensor;
    const double attention = (15 * sb * h + 8 * run->heads * sb) / t, mlp = 18 * sb * h / t;
    const double norm = 4 * sb * h / t;
    const double share = (8 * h + 4 * run->sequence) / (24 * h + 4 * run->sequence);
    const int modules = 2 * (int)(run->layers / run->pipeline);
    double before = 0, before_s = 0;
    for (int i = 0; i < modules; i++) {
        const double forward_s = step->layer_forward_s * (i % 2 ? 1 - share : share);
        const double bytes = (i % 2 ? mlp : attention) + norm;
        module[i] = (struct rk_store_module){forward_s, 2 * forward_s, bytes};
        node[i] = (struct rk_adaptive_node){before, bytes, before_s};
        before += bytes;
        before_s += forward_s;
    }
    const double head_s = step->forward_s - before_s;
    module[modules] =
        (struct rk_store_module){head_s, 2 * head_s, (2 * sb * run->vocabulary + 4 * sb * h) / t};
    return modules;
}

static const struct report_column simulated_columns[] = {
    {.name = "model"},
    {.name = "array_GBps", .title = "array GB/s", .digits = 4},
    {.name = "stored", .title = "modules stored"},
    {.name = "modules", .title = "of"},
    {.name = "kept_peak_bytes", .title = "peak, all kept", .unit = "B", .digits = 2},
    {.name = "peak_bytes", .title = "peak", .unit = "B", .digits = 2},
    {.name = "lower", .unit = "%", .digits = 1},
    {.name = "written_bytes", .title = "written", .unit = "B", .digits = 2},
    {.name = "kept_s", .title = "all kept", .unit = "s", .digits = 3},
    {.name = "pass_s", .title = "stored", .unit = "s", .digits = 3},
    {.name = "wait_s", .title = "exposed", .unit = "s", .digits = 2, .own_scale = true},
};

/* One row: forward and backward of a microbatch with all kept, and under the rule. */
static enum rk_status add_simulated(const struct csv *csv, size_t row, struct report *report,
                                    struct report_table *table, struct rk_error *error)
{
    static struct rk_store_module module[RK_STORE_MOST];
    static struct rk_adaptive_node node[RK_STORE_MOST];
    static const struct input rate = {"array_GBps", 0, 1e9};
    struct rk_ssdtrain run;
    double array_Bps = 0;
    enum rk_status status = read_run(csv, row, &run, error);
    if (status == RK_OK) status = read_input(csv, row, &rate, &array_Bps, error);
    if (status != RK_OK) return status;
    if (!(run.layers / run.pipeline >= 1) || run.layers / run.pipeline > SIMULATED_LAYERS)
        return rk_fail(error, RK_BAD_INPUT, csv->path, csv->line[row], 0,
                       "layers of a stage: from 1 to %d can be simulated", SIMULATED_LAYERS);
    const struct rk_ssdtrain_step step = rk_ssdtrain_step(&run);
    const int modules = modules_of(&run, &step, module, node);
    const int first = rk_adaptive_first_kept(node, modules, step.forward_s, array_Bps);
    const int stored = first < modules ? first : modules - 1; /* the last module never is */
    const struct rk_store none = {0, 1, 1, 1, 0}, store = {stored, 2, array_Bps, array_Bps, 0};
    const struct rk_store_run all = rk_store_simulate(module, modules + 1, &none);
    const struct rk_store_run r = rk_store_simulate(module, modules + 1, &store);
    REPORT_ROW(report, table, name_of(csv, row, report), cell_number(array_Bps / 1e9),
               cell_count((uint64_t)stored), cell_count((uint64_t)modules),
               cell_number(all.peak_bytes), cell_number(r.peak_bytes),
               cell_number(1 - r.peak_bytes / all.peak_bytes), cell_number(r.written_bytes),
               cell_number(all.step_s), cell_number(r.step_s), cell_number(r.wait_s));
    return RK_OK;
}

static enum rk_status ssdtrain_simulated(const char *path, struct report *report,
                                         struct rk_error *error)
{
    return add_rows(path, report,
                    REPORT_LIST(report, "simulated", "SSDTrain's rule, a microbatch event by event",
                                REPORT_IN_ALL, simulated_columns),
                    add_simulated, error);
}

/* ---- MEMO's share ---- */

struct memo {
    char model[256];
    uint64_t layers, hidden, batch, element_bytes;
    uint64_t ranks;
    double bandwidth_Bps, achieved_FLOPps, host_bytes;
    bool causal;
};

static enum rk_status leave(const struct place *place, void *target, struct rk_error *error)
{
    (void)place, (void)target, (void)error;
    return RK_OK;
}

#define AT(type, member) .offset = offsetof(struct type, member)

/* clang-format off */
static const struct field memo_fields[] = {
    { "class",                     FIELD_OTHER,  .load = leave, .help = "where the results come from" },
    { "model",                     FIELD_TEXT,   AT(memo, model), .size = sizeof ((struct memo *)0)->model, .help = "\"NAME: 32 layers, hidden 4096, 2-byte activations, batch 1\"" },
    { "layers",                    FIELD_COUNT,  AT(memo, layers), .max = 1e6, .help = "instead of those in `model`" },
    { "hidden",                    FIELD_COUNT,  AT(memo, hidden), .max = 1e9, .help = "likewise" },
    { "batch",                     FIELD_COUNT,  AT(memo, batch), .max = 1e9, .help = "likewise" },
    { "gpus_sharing_the_sequence", FIELD_COUNT,  FIELD_REQUIRED, AT(memo, ranks), .min = 1, .help = "ranks that activations are divided by" },
    { "bandwidth_Bps",             FIELD_NUMBER, FIELD_REQUIRED, AT(memo, bandwidth_Bps), .above_min = true, .help = "of a GPU's link to the host, each way" },
    { "achieved_FLOPps",           FIELD_NUMBER, FIELD_REQUIRED, AT(memo, achieved_FLOPps), .above_min = true, .help = "of a GPU" },
    { "host_bytes_per_gpu",        FIELD_NUMBER, FIELD_REQUIRED, AT(memo, host_bytes), .help = "a node's host memory over its GPUs" },
    { "causal_attention",          FIELD_BOOL,   AT(memo, causal), .help = "half of the scores" },
    { "cases",                     FIELD_OTHER,  FIELD_REQUIRED, .load = leave, .help = "each with its \"tokens\"" },
    { .key = NULL },
};

static const struct report_column memo_columns[] = {
    {.name = "tokens", .of_1024 = true},
    {.name = "layer_bytes", .title = "layer", .unit = "B", .digits = 2},
    {.name = "layer_forward_s", .title = "layer forward", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "alpha_overlap", .digits = 4}, {.name = "alpha_host", .digits = 4}, {.name = "alpha", .digits = 4},
    {.name = "offload_s", .title = "copy of a layer", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "exposed_s_forward", .title = "exposed part", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "recompute_s_per_layer", .title = "recomputed, by token", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "recompute_s_per_layer_by_tensor", .title = "... by tensor", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "alpha_best", .digits = 4},
    {.name = "gain_of_best", .title = "gain", .unit = "%", .digits = 2},
    {.name = "buffers_bytes", .title = "two buffers", .unit = "B", .digits = 1},
    {.name = "host_bytes_per_gpu", .title = "on the host", .unit = "B", .digits = 1},
    {.name = "verdict"},
};
/* clang-format on */

/* "NAME: 32 layers, hidden 4096, 2-byte activations, batch 1" */
static void read_words(struct memo *memo)
{
    static const struct {
        const char *before, *after;
        size_t offset;
    } words[] = {{"", " layers", offsetof(struct memo, layers)},
                 {"hidden ", "", offsetof(struct memo, hidden)},
                 {"", "-byte", offsetof(struct memo, element_bytes)},
                 {"batch ", "", offsetof(struct memo, batch)}};
    const char *colon = strchr(memo->model, ':');
    for (char *next = colon ? memo->model + (colon - memo->model) + 1 : memo->model, *part;
         (part = strsep(&next, ",")) != NULL;) {
        part += strspn(part, " ");
        for (int i = 0; i < COUNT_OF(words); i++) {
            const size_t skip = strlen(words[i].before);
            char *end;
            uint64_t value, given;
            if (strncmp(part, words[i].before, skip) != 0) continue;
            value = strtoull(part + skip, &end, 10);
            if (end == part + skip || strncmp(end, words[i].after, strlen(words[i].after)) != 0)
                continue;
            memcpy(&given, (char *)memo + words[i].offset, sizeof given);
            if (!given) memcpy((char *)memo + words[i].offset, &value, sizeof value);
        }
    }
}

/* The units of a GPT block: 16 in all, 2 of them always swapped, 16 FLOP units to compute the other
 * 14 again, of which 8 have all the work (long-context table of [zhao2025memo]). */
static struct rk_swap swap_of(const struct memo *m, double tokens)
{
    const double h = (double)m->hidden, s = tokens * (double)m->batch;
    const double unit = (double)m->element_bytes * s * h / (double)m->ranks;
    const double work_s = s * h * h / (double)m->ranks / m->achieved_FLOPps;
    const double scores = (m->causal ? 2 : 4) * s * tokens * h / (double)m->ranks;
    const double forward_s = 24 * work_s + scores / m->achieved_FLOPps;
    return (struct rk_swap){.layers = (int)m->layers,
                            .forward_s = forward_s,
                            .backward_s = 2 * forward_s,
                            .always_bytes = 2 * unit,
                            .token_bytes = 14 * unit,
                            .again_s = 16 * work_s,
                            .bandwidth_Bps = m->bandwidth_Bps,
                            .host_bytes = m->host_bytes};
}

static double by_tensor_s(const struct rk_swap *swap, double alpha)
{
    const double unit = swap->token_bytes / 14, work_s = swap->again_s / 16;
    const struct rk_swap_tensor tensors[] = {{"query, key, value", 3 * unit, 6 * work_s},
                                             {"residual", unit, 2 * work_s},
                                             {"mlp in", 4 * unit, 8 * work_s},
                                             {"norms and gelu", 6 * unit, 0}};
    return rk_swap_by_tensor(tensors, COUNT_OF(tensors), alpha * swap->token_bytes, NULL);
}

static double step_s(const struct rk_swap *swap, double alpha)
{
    const struct rk_swap_time time = rk_swap_at(swap, alpha);
    return time.forward_s + time.backward_s;
}

static struct report_cell known(double value)
{
    return isfinite(value) ? cell_number(value) : cell_none();
}

static void add_share(const struct memo *m, double tokens, struct report *report,
                      struct report_table *table)
{
    const struct rk_swap swap = swap_of(m, tokens);
    const double alpha = rk_swap_share_memo(&swap), best = rk_swap_share_best(&swap);
    const bool fits = alpha >= 0, swaps = fits && swap.layers > 2;
    const double bytes = swaps ? swap.always_bytes + alpha * swap.token_bytes : 0;
    const double copy_s = bytes / swap.bandwidth_Bps;
#define IF_FITS(value) (fits ? cell_number(value) : cell_none())
    REPORT_ROW(report, table, cell_count((uint64_t)tokens),
               cell_number(swap.always_bytes + swap.token_bytes), cell_number(swap.forward_s),
               known(rk_swap_share_hidden(&swap)), known(rk_swap_share_host(&swap)), IF_FITS(alpha),
               IF_FITS(copy_s), IF_FITS(swaps ? fmax(0, copy_s - swap.forward_s) : 0),
               IF_FITS((1 - alpha) * swap.again_s), IF_FITS(by_tensor_s(&swap, alpha)),
               IF_FITS(best), IF_FITS(fmax(0, step_s(&swap, alpha) / step_s(&swap, best) - 1)),
               cell_number(2 * (swap.always_bytes + swap.token_bytes)),
               IF_FITS(swaps ? (swap.layers - 2) * bytes : 0),
               cell_text(!fits                                            ? "the host is too small"
                         : swaps && copy_s > swap.forward_s * (1 + 1e-12) ? "the link is too slow"
                                                                          : "hidden"));
}

static enum rk_status memo_shares(const struct place *root, struct report *report,
                                  struct rk_error *error)
{
    struct memo memo = {.causal = false};
    struct place cases;
    enum rk_status status = fields_load(root, memo_fields, &memo, error);
    if (status != RK_OK) return status;
    read_words(&memo);
    if (!memo.batch) memo.batch = 1;
    if (!memo.element_bytes) memo.element_bytes = 2;
    if (!memo.layers || !memo.hidden)
        return place_fail(root, error,
                          "say \"layers\" and \"hidden\", or both in \"model\": "
                          "\"7b: 32 layers, hidden 4096\"");
    struct report_table *table = REPORT_LIST(
        report, "cases", "MEMO's share of the tokens, and the best", REPORT_IN_ALL, memo_columns);
    place_member(root, "cases", &cases);
    status = place_need_array(&cases, 1, 100000, error);
    for (size_t i = 0; status == RK_OK && i < json_array_size(cases.value); i++) {
        const struct place element = place_element(&cases, i);
        const struct field tokens_field = {.type = FIELD_NUMBER, .above_min = true};
        struct place member;
        double tokens = 0;
        if (!place_member(&element, "tokens", &member))
            return place_fail(&element, error, "a case says its \"tokens\"");
        status = field_load(&member, &tokens_field, &tokens, error);
        if (status == RK_OK) add_share(&memo, tokens, report, table);
    }
    return status;
}

/* ---- SSDTrain's rule ---- */

struct module_cost {
    double forward_ms, bytes_MB;
};

struct tree {
    uint64_t layers;
    struct module_cost module[2]; /* attention, MLP */
    double forward_ms;
};

/* clang-format off */
static const struct field module_fields[] = {
    { "forward_ms", FIELD_NUMBER, FIELD_REQUIRED, AT(module_cost, forward_ms), .help = "forward time" },
    { "bytes_MB",   FIELD_NUMBER, FIELD_REQUIRED, AT(module_cost, bytes_MB), .help = "saved bytes" },
    { .key = NULL },
};

static enum rk_status load_module(const struct place *place, void *target, struct rk_error *error)
{
    return fields_load(place, module_fields, target, error);
}

static const struct field tree_fields[] = {
    { "class",                FIELD_OTHER,  .load = leave, .help = "where the results come from" },
    { "layers",               FIELD_COUNT,  FIELD_REQUIRED, AT(tree, layers), .min = 1, .max = 100000, .help = "layers, all alike" },
    { "attention",            FIELD_OTHER,  FIELD_REQUIRED, AT(tree, module[0]), .load = load_module, .help = "of a layer" },
    { "mlp",                  FIELD_OTHER,  FIELD_REQUIRED, AT(tree, module[1]), .load = load_module, .help = "of a layer" },
    { "forward_total_ms",     FIELD_NUMBER, FIELD_REQUIRED, AT(tree, forward_ms), .above_min = true, .help = "forward of all" },
    { "nodes_in_post_order",  FIELD_OTHER,  .load = leave, .help = "not read" },
    { "first_kept",           FIELD_OTHER,  .load = leave, .help = "each with its \"bandwidth_MB_per_ms\"" },
    { .key = NULL },
};

static const struct report_column node_columns[] = {
    {.name = "node"}, {.name = "bytes_before_MB", .digits = 7}, {.name = "bytes_MB", .digits = 7},
    {.name = "forward_before_ms", .digits = 7}, {.name = "required_MB_per_ms", .digits = 7},
};
static const struct report_column kept_columns[] = {
    {.name = "bandwidth_MB_per_ms", .digits = 7}, {.name = "node"},
};
/* clang-format on */

static const char *node_name(struct report *report, int i)
{
    static const char *const names[] = {"attention", "mlp", "layer"};
    return report_text(report, "%s %d", names[i % 3], i / 3);
}

static struct rk_adaptive_node *nodes_of(const struct tree *tree, int count)
{
    struct rk_adaptive_node *node = malloc((size_t)count * sizeof *node);
    const struct module_cost *a = &tree->module[0], *m = &tree->module[1];
    for (int i = 0; node && i < count; i++) {
        const double before = i / 3, first = i % 3 == 1;
        const double bytes[] = {a->bytes_MB, m->bytes_MB, a->bytes_MB + m->bytes_MB};
        node[i] = (struct rk_adaptive_node){
            .before_bytes = before * (a->bytes_MB + m->bytes_MB) + first * a->bytes_MB,
            .bytes = bytes[i % 3],
            .before_s = before * (a->forward_ms + m->forward_ms) + first * a->forward_ms};
    }
    return node;
}

static void add_nodes(const struct tree *tree, const struct rk_adaptive_node *node, int count,
                      struct report *report)
{
    struct report_table *table =
        REPORT_LIST(report, "nodes_in_post_order", "Bandwidth needed to store up to a node",
                    REPORT_IN_ALL, node_columns);
    for (int i = 0; i < count; i++)
        REPORT_ROW(report, table, cell_text(node_name(report, i)),
                   cell_number(node[i].before_bytes), cell_number(node[i].bytes),
                   cell_number(node[i].before_s),
                   known(rk_adaptive_needs(&node[i], tree->forward_ms)));
}

static enum rk_status add_kept(const struct place *root, const struct tree *tree,
                               const struct rk_adaptive_node *node, int count,
                               struct report *report, struct rk_error *error)
{
    struct place list;
    if (!place_member(root, "first_kept", &list)) return RK_OK;
    enum rk_status status = place_need_array(&list, 0, 100000, error);
    if (status != RK_OK) return status;
    struct report_table *table =
        REPORT_LIST(report, "first_kept", "The first node that stays", REPORT_IN_ALL, kept_columns);
    for (size_t i = 0; status == RK_OK && i < json_array_size(list.value); i++) {
        const struct place element = place_element(&list, i);
        const struct field field = {.type = FIELD_NUMBER};
        struct place member;
        double bandwidth = 0;
        if (!place_member(&element, "bandwidth_MB_per_ms", &member))
            return place_fail(&element, error, "it says its \"bandwidth_MB_per_ms\"");
        status = field_load(&member, &field, &bandwidth, error);
        if (status != RK_OK) return status;
        const int kept = rk_adaptive_first_kept(node, count, tree->forward_ms, bandwidth);
        REPORT_ROW(report, table, cell_number(bandwidth),
                   kept < count ? cell_text(node_name(report, kept)) : cell_none());
    }
    return status;
}

static enum rk_status adaptive(const struct place *root, struct report *report,
                               struct rk_error *error)
{
    struct tree tree = {.layers = 0};
    enum rk_status status = fields_load(root, tree_fields, &tree, error);
    if (status != RK_OK) return status;
    const int count = 3 * (int)tree.layers;
    struct rk_adaptive_node *node = nodes_of(&tree, count);
    if (!node) return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for %d nodes", count);
    add_nodes(&tree, node, count, report);
    status = add_kept(root, &tree, node, count, report, error);
    free(node);
    return status;
}

/* ---- which of them ---- */

enum rk_status offload_file(const char *path, bool simulate, struct report *report,
                            struct rk_error *error)
{
    const size_t length = strlen(path);
    const bool rows = length > 4 && strcmp(path + length - 4, ".csv") == 0;
    if (rows) return (simulate ? ssdtrain_simulated : ssdtrain_steps)(path, report, error);
    if (simulate)
        return rk_fail(error, RK_BAD_ARGUMENT, path, 0, 0,
                       "--simulate takes a .csv of runs with array_GBps, or a plan");
    struct document document = {.size = 0};
    struct place member;
    enum rk_status status = document_load(path, &document, error);
    if (status != RK_OK) return status;
    const struct place root = place_root(&document);
    if (place_member(&root, "attention", &member))
        status = adaptive(&root, report, error);
    else if (place_member(&root, "cases", &member))
        status = memo_shares(&root, report, error);
    else
        status = place_fail(&root, error,
                            "neither a tree of modules (\"attention\", \"mlp\") nor \"cases\" with "
                            "\"tokens\"; reckon offload --help has both");
    document_release(&document);
    return status;
}
