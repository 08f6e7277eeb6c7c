#include "cli/import_mlperf.h"

#include "cli/show.h"
#include "logs/mlperf.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

struct mlperf_args {
    const char *folder, *output;
    struct show_args show;
};

/* clang-format off */
#define AT(member) .offset = offsetof(struct mlperf_args, member)
static const struct operand mlperf_operands[] = {
    {.name = "DIR", AT(folder), .complete = "file"},
    {.name = NULL},
};
static const struct option mlperf_options[] = {
    {.letter = 'o', .name = "output", .data = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = NULL},
};

const struct usage import_mlperf_usage = {
#include "help/import-mlperf.h"
    .operands = mlperf_operands,
    .groups = {{"Import", mlperf_options, 0}, {"Form", show_options, offsetof(struct mlperf_args, show)}, {"General", options_help_rows, 0}},
};

/* The cells of a row, in the order of the tables in data/measured. */
static const struct report_column columns[] = {
    {.name = "id"}, {.name = "source"}, {.name = "table_or_fig"}, {.name = "year"}, {.name = "model_name"}, {.name = "model"},
    {.name = "layers"}, {.name = "hidden"}, {.name = "ffn"}, {.name = "heads"}, {.name = "kv_heads"}, {.name = "seq", .of_1024 = true}, {.name = "vocab"},
    {.name = "gated_mlp"}, {.name = "experts"}, {.name = "topk"}, {.name = "model.head_dim"}, {.name = "model.qkv_biases"},
    {.name = "model.window"}, {.name = "model.window_every"}, {.name = "model.attention_sinks"}, {.name = "model.predict_layers"},
    {.name = "gpu"}, {.name = "gpus"}, {.name = "gpus_per_node"}, {.name = "tp"}, {.name = "pp"}, {.name = "vpp"}, {.name = "dp"},
    {.name = "cp"}, {.name = "ep"}, {.name = "etp"}, {.name = "sp"}, {.name = "micro_batch"}, {.name = "global_batch"}, {.name = "precision"},
    {.name = "recompute"}, {.name = "zero"}, {.name = "flash_attn"}, {.name = "framework"}, {.name = "tensor_overlap"},
    {.name = "gradient_overlap"}, {.name = "weight_overlap"}, {.name = "bucket"}, {.name = "context_kind"}, {.name = "cuda_graphs"}, {.name = "dispatcher"},
    {.name = "expert_overlap"}, {.name = "weights_fp8"}, {.name = "activation_fp8"}, {.name = "attention_fp8"}, {.name = "attention"},
    {.name = "metric_name"}, {.name = "metric_value"}, {.name = "unmodelled"}, {.name = "notes"},
};

static const struct report_column shown_columns[] = {
    {.name = "result"}, {.name = "gpus"}, {.name = "tp"}, {.name = "pp"}, {.name = "cp"}, {.name = "dp"}, {.name = "batch"},
    {.name = "precision"}, {.name = "step_s", .title = "step", .unit = "s", .digits = 4}, {.name = "runs", .title = "from"},
};
static const char *const shown_cells[] = {NULL, "gpus", "tp", "pp", "cp", "dp", "global_batch", "precision"};

static const struct report_column refused_columns[] = {{.name = "result"}, {.name = "why"}};
/* clang-format on */
enum {
    COLUMNS = sizeof columns / sizeof *columns,
    SHOWN = sizeof shown_cells / sizeof *shown_cells,
    SHOWN_COLUMNS = sizeof shown_columns / sizeof *shown_columns
};

static int write_rows(const struct mlperf *mlperf, const struct mlperf_args *args)
{
    struct report report = {.first = NULL};
    struct report_table *table = REPORT_LIST(&report, "rows", NULL, REPORT_IN_ALL, columns);
    const struct show_args show = {.format = REPORT_AS_CSV, .colour = COLOUR_NEVER};
    for (size_t i = 0; i < mlperf->results; i++) {
        struct report_cell cells[COLUMNS];
        if (*mlperf->result[i].why) continue;
        for (int c = 0; c < COLUMNS; c++) {
            const char *value = mlperf_get(&mlperf->result[i], columns[c].name);
            cells[c] = *value ? cell_text(value) : cell_none();
        }
        report_row(&report, table, cells);
    }
    return show_end(&report, &show, args->output, RK_OK, RK_OK, NULL);
}

static void add_result(struct report *report, struct report_table *table,
                       const struct mlperf_result *result)
{
    struct report_cell cells[SHOWN_COLUMNS];
    cells[0] = cell_text(result->where);
    for (int c = 1; c < SHOWN; c++) {
        const char *value = mlperf_get(result, shown_cells[c]);
        cells[c] = *value ? cell_text(value) : cell_none();
    }
    cells[SHOWN] = cell_number(strtod(mlperf_get(result, "metric_value"), NULL));
    cells[SHOWN + 1] =
        cell_text(*mlperf_get(result, "tp") ? "its configuration" : "no configuration");
    report_row(report, table, cells);
}

static int print_results(const struct mlperf *mlperf, const struct mlperf_args *args)
{
    struct report report = {.first = NULL};
    size_t rows = 0, configured = 0;
    struct report_table *table =
        REPORT_LIST(&report, "results", NULL, REPORT_IN_ALL, shown_columns);
    for (size_t i = 0; i < mlperf->results; i++) {
        if (*mlperf->result[i].why) continue;
        rows++;
        configured += *mlperf_get(&mlperf->result[i], "tp") != '\0';
        add_result(&report, table, &mlperf->result[i]);
    }
    struct report_table *refused =
        rows == mlperf->results ? NULL
                                : REPORT_LIST(&report, "refused", "No rows",
                                              REPORT_IN_TEXT | REPORT_IN_JSON, refused_columns);
    for (size_t i = 0; i < mlperf->results; i++) {
        if (*mlperf->result[i].why)
            REPORT_ROW(&report, refused, cell_text(mlperf->result[i].where),
                       cell_text(mlperf->result[i].why));
    }
    report_note(&report,
                report_text(&report,
                            "%zu results, %zu with the time of a step, %zu with a configuration",
                            mlperf->results, rows, configured));
    return show_end(&report, &args->show, NULL, RK_OK, RK_OK, NULL);
}

int import_mlperf(int argc, char **argv)
{
    struct mlperf_args args = {.output = NULL};
    struct mlperf mlperf;
    struct rk_error error;
    const int done = options_read(&import_mlperf_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (mlperf_read(args.folder, &mlperf, &error) != RK_OK) return options_fail(&error);
    int code = args.output ? write_rows(&mlperf, &args) : RK_OK;
    if (code == RK_OK && !(args.output && strcmp(args.output, "-") == 0))
        code = print_results(&mlperf, &args);
    mlperf_release(&mlperf);
    return code;
}
