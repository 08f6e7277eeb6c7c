#include "logs/mlperf_cells.h"

#include "base/text.h"
#include "shell/shell.h"
#include "text/text_file.h"

#include <glob.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- what the rules of a benchmark fix [mlcommons-training-rules, reference implementations] ----
 */

/* clang-format off */
static const struct mlperf_benchmark benchmarks[] = {
#define ROW(name, cells, lora, experts, by_all_to_all, note, folders) {name, cells, lora, experts, by_all_to_all, note, OR_NULL(folders)},
#include "tables/mlperf.h"
#undef ROW
};

/* ---- what its configuration says: a variable of the scripts, and the default of their yaml ---- */

enum { LORA_DEFAULTS = 2025 };

enum word_kind { COUNT, TRUTH, IF_TRUE };

static const struct word {
    const char *cell, *variable, *fallback; /* NULL fallback: the cell stays empty */
    const char *lora, *lora_fallback;       /* the same in the LoRA scripts; NULL: there is none */
    enum word_kind kind;
    bool experts;                           /* of mixtures alone */
    bool lora_lately;                       /* the LoRA scripts have the default since LORA_DEFAULTS */
} words[] = {
#define ROW(cell, variable, fallback, lora, lora_fallback, kind, experts, lately) \
    {cell, variable, OR_NULL(fallback), OR_NULL(lora), OR_NULL(lora_fallback), kind, experts, lately},
#include "tables/mlperf-words.h"
#undef ROW
};
/* clang-format on */
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks, WORDS = sizeof words / sizeof *words };

const char *mlperf_benchmark(size_t index)
{
    return index < BENCHMARKS ? benchmarks[index].name : NULL;
}

const struct mlperf_benchmark *mlperf_benchmark_named(const char *name)
{
    for (size_t i = 0; i < BENCHMARKS; i++)
        if (strcmp(benchmarks[i].name, name) == 0) return &benchmarks[i];
    return NULL;
}

/* ---- cells ---- */

const char *mlperf_get(const struct mlperf_result *result, const char *name)
{
    for (size_t i = 0; i < result->cells; i++)
        if (strcmp(result->cell[i].name, name) == 0) return result->cell[i].value;
    return "";
}

bool mlperf_set(struct mlperf_result *result, const char *name, const char *format, ...)
{
    size_t i = 0;
    va_list values;
    while (i < result->cells && strcmp(result->cell[i].name, name) != 0)
        i++;
    if (i == MLPERF_CELLS) return false;
    if (i == result->cells) result->cell[result->cells++].name = name;
    va_start(values, format);
    vsnprintf(result->cell[i].value, sizeof result->cell[i].value, format, values);
    va_end(values);
    return true;
}

/* The names of the columns that benchmarks fix, which outlive their text. */
static const char *column_of(const char *name, size_t length)
{
    static const char *const columns[] = {"model_name",
                                          "model",
                                          "layers",
                                          "hidden",
                                          "ffn",
                                          "heads",
                                          "kv_heads",
                                          "seq",
                                          "vocab",
                                          "gated_mlp",
                                          "experts",
                                          "topk",
                                          "zero",
                                          "flash_attn",
                                          "framework",
                                          "metric_name",
                                          "model.head_dim",
                                          "model.qkv_biases",
                                          "model.window",
                                          "model.window_every",
                                          "model.attention_sinks",
                                          "model.predict_layers"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strlen(columns[i]) == length && strncmp(columns[i], name, length) == 0)
            return columns[i];
    return NULL;
}

bool mlperf_set_benchmark(struct mlperf_result *result, const struct mlperf_benchmark *benchmark)
{
    for (const char *at = benchmark->cells; at && *at;) {
        const char *is = strchr(at, '='), *end = at + strcspn(at, "|");
        const char *column = column_of(at, (size_t)(is - at));
        if (!column || !mlperf_set(result, column, "%.*s", (int)(end - is) - 1, is + 1))
            return false;
        at = *end ? end + 1 : end;
    }
    return true;
}

/* ---- a configuration ---- */

static bool is_true(const char *text)
{
    return strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0;
}

static const char *value_of(const struct shell *shell, const char *variable, const char *fallback)
{
    const char *value = variable ? shell_variable(shell, variable) : NULL;
    return value && *value ? value : fallback;
}

/* "null" is one chunk. */
static double number_of(const char *text)
{
    const double number = text ? strtod(text, NULL) : 0;
    return number >= 1 && number < 1e9 ? floor(number) : 0;
}

/* NVIDIA's LoRA scripts changed defaults in 2025 (v5.0); AMD's have a yaml of their own. */
static bool lora_defaults(const struct mlperf_benchmark *benchmark, int year,
                          const struct mlperf_config *config)
{
    const char *file = strrchr(config->path, '/');
    return benchmark->lora && year >= LORA_DEFAULTS && !strstr(file ? file : "", "_MI3");
}

static void read_word(const struct word *word, const struct mlperf_benchmark *benchmark, int year,
                      const struct shell *shell, struct mlperf_config *config)
{
    struct mlperf_result *cells = &config->cells;
    const char *fallback = benchmark->lora ? word->lora_fallback : word->fallback;
    const char *variable = benchmark->lora ? word->lora : word->variable;
    if (word->experts && !benchmark->experts) return;
    if (benchmark->lora && word->lora_lately && !lora_defaults(benchmark, year, config))
        fallback = NULL;
    const bool short_too = word->kind == COUNT && !benchmark->lora; /* as AMD's 8B scripts */
    const char *value =
        value_of(shell, variable, value_of(shell, short_too ? word->lora : NULL, fallback));
    if (!value) return;
    if (word->kind == COUNT) {
        const double number = number_of(value);
        mlperf_set(cells, word->cell, "%.0f", number > 0 ? number : 1);
    } else if (word->kind == TRUTH || is_true(value))
        mlperf_set(cells, word->cell, "%d", is_true(value));
}

/* NVFP4 switches the overlap of tensor parallelism off (config_common_fp4.sh). */
static void read_precision(const struct mlperf_benchmark *benchmark, int year,
                           const struct shell *shell, struct mlperf_result *cells)
{
    const char *eight = benchmark->lora && year >= LORA_DEFAULTS ? "True" : "False";
    const char *recipe = value_of(shell, "FP8_RECIPE", "");
    const char *precision = "bf16";
    if (is_true(value_of(shell, "FP8_PARAMS", "False")))
        eight = "True"; /* they need products of 8 */
    if (is_true(value_of(shell, "FP8", eight)))
        precision = strstr(recipe, "mxfp8") ? "mxfp8" : "fp8";
    if (is_true(value_of(shell, "FP4", "False"))) {
        precision = "nvfp4";
        mlperf_set(cells, "tensor_overlap", "0");
    }
    mlperf_set(cells, "precision", "%s", precision);
}

/* Frozen weights of the LoRA scripts are kept in 8 bits where products are (fp8_params: FP8), those
 * of the others where FP8_PARAMS, FP8_PARAM_GATHER since v5.1, says so. */
static void read_weights(const struct mlperf_benchmark *benchmark, const struct shell *shell,
                         struct mlperf_result *cells)
{
    const bool eight = strstr(mlperf_get(cells, "precision"), "fp8") != NULL;
    const char *said = value_of(shell, "FP8_PARAM_GATHER", value_of(shell, "FP8_PARAMS", ""));
    if (eight && (benchmark->lora || is_true(said)))
        mlperf_set(cells, "weights_fp8", "1");
    else if (!benchmark->lora && *said)
        mlperf_set(cells, "weights_fp8", "0");
}

/* Transformer Engine's attention in 8 bits: FP8_DPA of the scripts, fp8_dot_product_attention of
 * the configurations that read it; off where nothing sets it. On ROCm the assembly kernels of
 * AITER, forward and backward that adds up in 16 bits, stand for what is newest. */
static void read_attention(const struct shell *shell, struct mlperf_result *cells)
{
    const char *in_32_bits = value_of(shell, "NVTE_CK_IS_V3_ATOMIC_FP32", "1");
    if (is_true(value_of(shell, "FP8_DPA", "False"))) mlperf_set(cells, "attention_fp8", "1");
    if (is_true(value_of(shell, "NVTE_CK_USES_FWD_V3", "0")) &&
        is_true(value_of(shell, "NVTE_CK_USES_BWD_V3", "0")) && !is_true(in_32_bits))
        mlperf_set(cells, "attention", "flash3");
}

/* What makes room in memory; "room": what no column can say, the notes have it. */
static void read_room(const struct mlperf_benchmark *benchmark, const struct shell *shell,
                      struct mlperf_result *cells)
{
    const char *store = value_of(shell, "FP8_ACT", value_of(shell, "FP8_ACTIVATION", "False"));
    const char *layers = value_of(shell, "CPU_OFFLOADING_NUM_LAYERS", "20");
    char text[MLPERF_VALUE] = "";
    if (!benchmark->lora) return;
    if (is_true(store)) mlperf_set(cells, "activation_fp8", "1");
    if (is_true(value_of(shell, "CPU_OFFLOADING", "False")))
        snprintf(text, sizeof text, "activations of %.40s layers go to the host", layers);
    if (*text) mlperf_set(cells, "room", "%s", text);
}

static void read_recompute(const struct mlperf_benchmark *benchmark, const struct shell *shell,
                           struct mlperf_result *cells)
{
    const char *modules = value_of(shell, "RECOMPUTE_MODULES", "");
    const char *kind = value_of(shell, benchmark->lora ? "ACG" : "ACT_CKPT_GRANULARITY", "");
    const char *layers = value_of(shell, benchmark->lora ? "ACL" : "ACT_CKPT_NUM_LAYERS", "");
    if (strcmp(kind, "full") == 0 && number_of(layers) > 0)
        mlperf_set(cells, "recompute", "full:block:%.0f", number_of(layers));
    else if (strcmp(kind, "full") == 0 || strcmp(kind, "selective") == 0)
        mlperf_set(cells, "recompute", "%s", kind);
    else if (*modules)
        mlperf_set(cells, "recompute", "selective:[%s]", modules);
    else
        mlperf_set(cells, "recompute", "none");
}

/* Only where there is more than one rank of the kind. */
static void read_ranks(const struct mlperf_benchmark *benchmark, int year,
                       const struct shell *shell, struct mlperf_config *config)
{
    struct mlperf_result *cells = &config->cells;
    const bool tensor = strcmp(mlperf_get(cells, "tp"), "1") != 0;
    const bool context = strcmp(mlperf_get(cells, "cp"), "1") != 0;
    const bool copies = benchmark->context_by_all_to_all &&
                        (!benchmark->lora || lora_defaults(benchmark, year, config));
    const char *kind = value_of(shell, "CP_COMM_TYPE", copies ? "a2a" : "p2p");
    const char *dispatcher = value_of(shell, "MOE_TOKEN_DISPATCHER_TYPE", "alltoall");
    const char *backend = value_of(shell, "MOE_FLEX_DISPATCHER_BACKEND", "deepep");
    if (!tensor) mlperf_set(cells, "sp", "0");
    if (!tensor) mlperf_set(cells, "tensor_overlap", "%s", "");
    if (context && strcmp(kind, "a2a") == 0) mlperf_set(cells, "context_kind", "ulysses");
    if (benchmark->experts && strcmp(dispatcher, "flex") == 0)
        mlperf_set(cells, "dispatcher", "%s",
                   strcmp(backend, "hybridep") == 0 ? "deepep" : backend);
}

static double cell_number(const struct mlperf_result *cells, const char *name)
{
    return number_of(mlperf_get(cells, name));
}

static const char *const sharded[] = {"USE_DIST_OPTIMIZER", "USE_DISTRIBUTED_OPTIMIZER"};

/* All of them train with Megatron-Core and attention of cuDNN or FlashAttention. */
static void read_shell(const struct shell *shell, const struct mlperf_benchmark *benchmark,
                       int year, struct mlperf_config *config)
{
    struct mlperf_result *cells = &config->cells;
    config->nodes = number_of(value_of(shell, "DGXNNODES", value_of(shell, "NNODES", NULL)));
    config->gpus_per_node =
        number_of(value_of(shell, "DGXNGPU", value_of(shell, "GPUS_PER_NODE", NULL)));
    config->samples = number_of(value_of(shell, "MINIBS", NULL));
    for (size_t i = 0; i < WORDS; i++)
        read_word(&words[i], benchmark, year, shell, config);
    mlperf_set(cells, "framework", "megatron");
    mlperf_set(cells, "flash_attn", "1");
    mlperf_set(cells, "zero", "%d", is_true(value_of(shell, sharded[benchmark->lora], "True")));
    read_precision(benchmark, year, shell, cells);
    read_weights(benchmark, shell, cells);
    read_attention(shell, cells);
    read_room(benchmark, shell, cells);
    read_recompute(benchmark, shell, cells);
    read_ranks(benchmark, year, shell, config);
    config->tensor = cell_number(cells, "tp");
    config->pipeline = cell_number(cells, "pp");
    config->context = cell_number(cells, "cp");
    config->microbatch = cell_number(cells, "micro_batch");
    if (config->samples == 0 && config->nodes * config->gpus_per_node > 0) /* AMD's 8B scripts */
        config->samples = number_of(value_of(shell, "GBS", NULL)) * config->tensor *
                          config->pipeline * config->context /
                          (config->nodes * config->gpus_per_node);
}

enum { MOST_BYTES = 1 << 20 };

/* The text of a script that this one sources and that is not where it says: submitters keep it in a
 * folder next to it, or in another implementation alone. NULL: nowhere. */
static char *load_astray(const char *folder, const char *name)
{
    static const char *const places[] = {"configs", "*", "../*", "../*/*"};
    char *text = NULL, pattern[4096];
    size_t size;
    for (size_t i = 0; !text && i < sizeof places / sizeof *places; i++) {
        glob_t found;
        if (snprintf(pattern, sizeof pattern, "%s/%s/%s", folder, places[i], name) >=
            (int)sizeof pattern)
            continue;
        if (glob(pattern, 0, NULL, &found) == 0 &&
            text_file_load(found.gl_pathv[0], MOST_BYTES, &text, &size, NULL) != RK_OK)
            text = NULL;
        globfree(&found);
    }
    return text;
}

/* "source $(dirname ${BASH_SOURCE[0]})/config_common.sh": its last part; false: another line. */
static bool sourced_name(const char *line, size_t length, char *name, size_t size)
{
    if (length < 8 || strncmp(line, "source ", 7) != 0) return false;
    const char *from = line + 7, *end = line + length;
    for (const char *at = from; at < end; at++)
        if (*at == '/') from = at + 1;
    const size_t used =
        strspn(from, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    snprintf(name, size, "%.*s", (int)(from + used <= end ? used : 0), from);
    return *name != '\0';
}

/* Scripts that are sourced, and are not where they should be, stand before the text. */
static char *complete(const char *path, char *text, size_t *size)
{
    const char *slash = strrchr(path, '/');
    char folder[4096], name[256], file[sizeof folder + sizeof name];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    for (const char *line = text; line && *size < MOST_BYTES;) {
        const size_t length = strcspn(line, "\n");
        char *more = NULL, *joined = NULL;
        const bool sources = sourced_name(line, length, name, sizeof name);
        snprintf(file, sizeof file, "%s/%s", folder, name);
        line = line[length] ? line + length + 1 : NULL;
        if (sources && access(file, R_OK) != 0) more = load_astray(folder, name);
        const size_t front = more ? strlen(more) + 1 : 0, rest = line ? (size_t)(line - text) : 0;
        if (more) joined = malloc(front + *size + 1);
        if (joined) {
            snprintf(joined, front + *size + 1, "%s\n%s", more, text);
            free(text);
            text = joined;
            *size += front;
            line = line ? text + front + rest : NULL;
        }
        free(more);
    }
    return text;
}

bool mlperf_config_read(const char *path, const struct mlperf_benchmark *benchmark, int year,
                        struct mlperf_config *config)
{
    struct shell shell;
    char *text = NULL;
    size_t size;
    *config = (struct mlperf_config){.nodes = 0};
    snprintf(config->path, sizeof config->path, "%s", path);
    if (text_file_load(path, MOST_BYTES, &text, &size, NULL) != RK_OK) return false;
    text = complete(path, text, &size);
    const bool followed = shell_read(&shell, path, text, size, NULL, 0, NULL) == RK_OK;
    if (followed) read_shell(&shell, benchmark, year, config);
    shell_release(&shell);
    free(text);
    return followed && config->nodes > 0;
}
