/* Tables of matrix products. */
#include "base/text.h"
#include "logs/measured.h"
#include "machine/kernels.h"
#include "text/lines.h"

#include <string.h>
#include <strings.h>

enum column {
    COLUMN_M,
    COLUMN_N,
    COLUMN_K,
    COLUMN_COUNT,
    COLUMN_DATATYPE,
    COLUMN_S,
    COLUMN_MS,
    COLUMN_US,
    COLUMN_RATE,
    COLUMNS
};

static const char *const column_names[] = {
    [COLUMN_M] = "m",
    [COLUMN_N] = "n",
    [COLUMN_K] = "k",
    [COLUMN_COUNT] = "count",
    [COLUMN_DATATYPE] = "datatype",
    [COLUMN_S] = "time_s",
    [COLUMN_MS] = "time_ms",
    [COLUMN_US] = "time_us",
    [COLUMN_RATE] = "tflops",
    NULL,
};

/* As DeepBench, superbench and others call them; large and small letters alike. */
static const struct {
    const char *name;
    enum column column;
} other_names[] = {
    {"batch", COLUMN_COUNT},        {"batch_size", COLUMN_COUNT}, {"dtype", COLUMN_DATATYPE},
    {"precision", COLUMN_DATATYPE}, {"seconds", COLUMN_S},        {"latency_ms", COLUMN_MS},
    {"time (ms)", COLUMN_MS},       {"latency_us", COLUMN_US},    {"time (us)", COLUMN_US},
    {"time (usec)", COLUMN_US},     {"tflop/s", COLUMN_RATE},     {"tflops/s", COLUMN_RATE},
};

/* As reckon spells datatypes, and as PyTorch and others do. */
static const struct {
    const char *name;
    enum operand operand;
} datatypes[] = {
    {"bfloat16", OPERAND_BFLOAT16}, {"bf16", OPERAND_BFLOAT16},
    {"float16", OPERAND_FLOAT16},   {"fp16", OPERAND_FLOAT16},
    {"half", OPERAND_FLOAT16},      {"float8", OPERAND_FLOAT8},
    {"fp8", OPERAND_FLOAT8},        {"float8_e4m3fn", OPERAND_FLOAT8},
    {"float4", OPERAND_FLOAT4},     {"fp4", OPERAND_FLOAT4},
    {"nvfp4", OPERAND_FLOAT4},      {"tfloat32", OPERAND_TFLOAT32},
    {"tf32", OPERAND_TFLOAT32},     {"float32", OPERAND_FLOAT32},
    {"fp32", OPERAND_FLOAT32},
};

/* Where each column stands in a row; -1: it is not there. */
struct header {
    int at[COLUMNS];
    int words; /* of each row */
    enum column time;
};

/* -1: none that is known. */
static int column_of(const char *name)
{
    for (int c = 0; c < COLUMNS; c++)
        if (strcasecmp(name, column_names[c]) == 0) return c;
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (strcasecmp(name, other_names[i].name) == 0) return (int)other_names[i].column;
    return -1;
}

/* "time (usec)" is one name: a word that begins with "(" belongs to the one before. */
static void join_units(struct lines *lines)
{
    int words = 0;
    for (int i = 0; i < lines->words; i++) {
        char *const word = lines->word[i];
        if (*word != '(' || words == 0) {
            lines->word[words++] = word;
            continue;
        }
        char *const end = lines->word[words - 1] + strlen(lines->word[words - 1]);
        *end = ' ';
        memmove(end + 1, word, strlen(word) + 1);
    }
    lines->words = words;
}

static enum rk_status read_header(struct lines *lines, struct header *header,
                                  struct rk_error *error)
{
    static const enum column needed[] = {COLUMN_M, COLUMN_N, COLUMN_K};
    for (int c = 0; c < COLUMNS; c++)
        header->at[c] = -1;
    header->words = lines->words;
    for (int i = 0; i < lines->words; i++) {
        const int column = column_of(lines->word[i]);
        if (column >= 0) header->at[column] = i;
    }
    for (int i = 0; i < 3; i++)
        if (header->at[needed[i]] < 0)
            return lines_fail(lines, error,
                              "no column \"%s\": the first line must name m, n, k and time_s, "
                              "time_ms, time_us or tflops",
                              column_names[needed[i]]);
    header->time = header->at[COLUMN_S] >= 0    ? COLUMN_S
                   : header->at[COLUMN_MS] >= 0 ? COLUMN_MS
                   : header->at[COLUMN_US] >= 0 ? COLUMN_US
                                                : COLUMN_RATE;
    if (header->at[header->time] < 0)
        return lines_fail(lines, error,
                          "no column \"time_s\", \"time_ms\", \"time_us\" or \"tflops\": add one");
    return RK_OK;
}

static enum rk_status read_number(const struct lines *lines, const struct header *header,
                                  enum column column, double *number, struct rk_error *error)
{
    char said[TEXT_QUOTE];
    const int at = header->at[column];
    if (lines_number(lines->word[at], number)) return RK_OK;
    return lines_fail(lines, error, "%s: must be a number above 0, got %s", column_names[column],
                      text_quote(said, lines->word[at], strlen(lines->word[at])));
}

static enum rk_status read_datatype(const struct lines *lines, const struct header *header,
                                    int *operand, struct rk_error *error)
{
    char said[TEXT_QUOTE];
    const int at = header->at[COLUMN_DATATYPE];
    const char *name = lines->word[at];
    if (strncmp(name, "torch.", 6) == 0) name += 6;
    for (size_t i = 0; i < sizeof datatypes / sizeof *datatypes; i++)
        if (strcasecmp(name, datatypes[i].name) == 0) {
            *operand = datatypes[i].operand;
            return RK_OK;
        }
    return lines_fail(lines, error,
                      "datatype: must be bfloat16, float16, float8, float4, tfloat32 or float32, "
                      "got %s",
                      text_quote(said, name, strlen(name)));
}

static enum rk_status read_row(const struct lines *lines, const struct header *header,
                               struct samples *samples, struct rk_error *error)
{
    static const double seconds[COLUMNS] = {[COLUMN_S] = 1, [COLUMN_MS] = 1e-3, [COLUMN_US] = 1e-6};
    struct sample s = {.kind = SAMPLE_PRODUCT, .operand = OPERAND_BFLOAT16, .count = 1};
    if (lines->words != header->words)
        return lines_fail(lines, error, "%d values, where the first line names %d columns",
                          lines->words, header->words);
    enum rk_status status = read_number(lines, header, COLUMN_M, &s.m, error);
    if (status == RK_OK) status = read_number(lines, header, COLUMN_N, &s.n, error);
    if (status == RK_OK) status = read_number(lines, header, COLUMN_K, &s.k, error);
    if (status == RK_OK) status = read_number(lines, header, header->time, &s.time_s, error);
    if (status == RK_OK && header->at[COLUMN_COUNT] >= 0)
        status = read_number(lines, header, COLUMN_COUNT, &s.count, error);
    if (status == RK_OK && header->at[COLUMN_DATATYPE] >= 0)
        status = read_datatype(lines, header, &s.operand, error);
    if (header->time == COLUMN_RATE)
        s.time_s = 2 * s.count * s.m * s.n * s.k / (s.time_s * 1e12);
    else
        s.time_s *= seconds[header->time];
    return status == RK_OK ? samples_add(samples, &s, error) : status;
}

static enum separator separator_of(const char *header)
{
    if (strchr(header, ',')) return AT_COMMAS;
    return strchr(header, '\t') ? AT_TABS : AT_BLANKS;
}

enum rk_status measured_products(const char *path, struct samples *samples, struct rk_error *error)
{
    struct document document = {.root = NULL};
    struct header header;
    enum separator separator = AT_COMMAS;
    bool headed = false;
    enum rk_status status = document_load_text(path, &document, error);
    struct lines lines = {.document = &document};
    const size_t before = samples->count;
    while (status == RK_OK && lines_next(&lines)) {
        if (!headed) separator = separator_of(lines.text);
        lines_split(&lines, separator);
        if (!lines.words || lines.text[0] == '#' || (lines.words == 1 && !*lines.word[0])) continue;
        if (!headed && separator == AT_BLANKS) join_units(&lines);
        status = headed ? read_row(&lines, &header, samples, error)
                        : read_header(&lines, &header, error);
        headed = true;
    }
    if (status == RK_OK && samples->count == before)
        status = lines_fail(&lines, error, "no products: expected lines after the first one");
    document_release(&document);
    return status;
}
