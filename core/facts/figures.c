/* figures.c - what a row measured, and how it follows from a step's time. */
#include "base/units.h"
#include "facts/fact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- metrics ---- */

enum counted { COUNT_NOTHING, COUNT_SAMPLES, COUNT_TOKENS };

/* clang-format off */
static const struct metric {
    const char *name;
    enum figure_kind kind;
    enum figure_form form;
    double unit;
    enum counted counted; /* FORM_RATE */
    bool per_gpu;
} metrics[] = {
    {"iter_time_s",           FIGURE_STEP,  FORM_SECONDS, 1,    COUNT_NOTHING, false},
    {"iter_time_ms",          FIGURE_STEP,  FORM_SECONDS, 1e-3, COUNT_NOTHING, false},
    {"test_iter_time_s",      FIGURE_TEST_STEP, FORM_SECONDS, 1, COUNT_NOTHING, false},
    {"step_time_s",           FIGURE_STEP,  FORM_SECONDS, 1,    COUNT_NOTHING, false},
    {"step_time_ms",          FIGURE_STEP,  FORM_SECONDS, 1e-3, COUNT_NOTHING, false},
    {"tokens_per_day",        FIGURE_STEP,  FORM_RATE,    1 / 86400.0, COUNT_TOKENS, false},
    {"tokens_per_s_per_gpu",  FIGURE_STEP,  FORM_RATE,    1,    COUNT_TOKENS,  true},
    {"tokens_per_s",          FIGURE_STEP,  FORM_RATE,    1,    COUNT_TOKENS,  false},
    {"samples_per_s_per_gpu", FIGURE_STEP,  FORM_RATE,    1,    COUNT_SAMPLES, true},
    {"samples_per_s",         FIGURE_STEP,  FORM_RATE,    1,    COUNT_SAMPLES, false},
    {"tflops_per_gpu",        FIGURE_STEP,  FORM_FLOPS,   1e12, COUNT_NOTHING, true},
    {"mfu_pct",               FIGURE_STEP,  FORM_SHARE,   1e-2, COUNT_NOTHING, true},
    {"hfu_pct",               FIGURE_STEP,  FORM_SHARE,   1e-2, COUNT_NOTHING, true},
    {"layer_fwd_plus_bwd_ms", FIGURE_LAYER, FORM_SECONDS, 1e-3, COUNT_NOTHING, false},
    {"OOM",                   FIGURE_OOM,   FORM_NONE,    1,    COUNT_NOTHING, false},
};

static const struct {
    const char *column;
    enum figure_kind kind;
} memories[] = {
    {"memory.static",    FIGURE_STATIC},
    {"memory.allocated", FIGURE_ALLOCATED},
    {"memory.reserved",  FIGURE_RESERVED},
    {"memory.used",      FIGURE_USED},
    {"memory.bound",     FIGURE_BOUND},
};

static const char *const formulas[] = {
    [FLOP_MODEL] = "model", [FLOP_EXECUTED] = "executed", [FLOP_MEGATRON] = "megatron",
    [FLOP_MEGATRON_OLD] = "megatron-old", [FLOP_SIX_N] = "6N",
};
/* clang-format on */

static double scale_of(const struct metric *m, const struct row *row, const struct fact *fact)
{
    const double gpus = (double)fact->plan.ranks;
    const double samples = fact->lone_batch;
    double peak = fact->system.matrix[RK_BFLOAT16].peak_flops, given = 0;
    switch (m->form) {
    case FORM_RATE:
        return samples * (m->counted == COUNT_TOKENS ? (double)fact->plan.sequence : 1) /
               (m->per_gpu ? gpus : 1) / m->unit;
    case FORM_FLOPS:
        return m->unit * gpus;
    case FORM_SHARE:
        if (sscanf(row_get(row, "peak_TFLOPps"), "%lf", &given) == 1) peak = given * 1e12;
        return m->unit * gpus * (peak > 0 ? peak : fact->system.matrix[RK_FLOAT16].peak_flops);
    default:
        return m->unit;
    }
}

static bool read_metric(const struct row *row, struct fact *fact)
{
    const char *name = row_get(row, "metric_name");
    double value = NAN;
    if (!name[0]) return true;
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const struct metric *m = &metrics[i];
        if (strcmp(m->name, name) != 0) continue;
        if (m->kind != FIGURE_OOM) {
            if (!fact_number(row, "metric_value", fact, &value)) return false;
            if (!(value > 0)) return fact_fail(fact, "metric_value: must be above 0");
        }
        fact->figure[fact->figures++] =
            (struct figure){m->name, m->kind, m->form, value, scale_of(m, row, fact)};
        return true;
    }
    return fact_fail(fact, "metric_name: \"%.60s\" is not known: reckon-validate(1) lists them",
                     name);
}

/* ---- memory ---- */

/* The largest of "18506MB/13406MB"; blanks do not count. A number alone is in the unit of the cell
 * "memory.unit", bytes when that is empty. */
static bool read_bytes(const char *text, const char *unit, double *bytes)
{
    *bytes = 0;
    while (*text) {
        char piece[64];
        size_t used = 0, length = strcspn(text, "/,");
        for (size_t i = 0; i < length && used + 1 < sizeof piece; i++)
            if (!strchr(" []", text[i])) piece[used++] = text[i];
        piece[used] = '\0';
        double value;
        struct units_error error;
        const size_t digits = number_parse(piece, used, &value);
        if (digits == 0) return false;
        if (digits == used || unit[0])
            snprintf(piece + digits, sizeof piece - digits, "%.8s", unit[0] ? unit : "B");
        if (!quantity_parse(piece, strlen(piece), QUANTITY_BYTES, false, &value, &error))
            return false;
        *bytes = fmax(*bytes, value);
        text += length + (text[length] != 0);
    }
    return true;
}

static bool read_memories(const struct row *row, struct fact *fact)
{
    fact->last_stage = strcmp(row_get(row, "memory.stage"), "last") == 0;
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        const char *text = row_get(row, memories[i].column);
        double bytes;
        if (!text[0]) continue;
        if (!read_bytes(text, row_get(row, "memory.unit"), &bytes))
            return fact_fail(fact, "%s: \"%.60s\" is not a size", memories[i].column, text);
        fact->figure[fact->figures++] =
            (struct figure){memories[i].column, memories[i].kind, FORM_BYTES, bytes, 1};
    }
    return true;
}

static bool read_formula(const struct row *row, struct fact *fact)
{
    const char *text = row_get(row, "flop");
    if (!fact_number(row, "flop_ratio", fact, &fact->flop_ratio)) return false;
    if (!text[0]) return true;
    for (int i = 0; i < FLOP_FORMULAS; i++)
        if (strcmp(formulas[i], text) == 0) {
            fact->formula = (enum flop_formula)i;
            return true;
        }
    return fact_fail(fact, "flop: \"%.60s\" is not a formula", text);
}

bool fact_figures(const struct row *row, struct fact *fact)
{
    if (!read_formula(row, fact) || !read_metric(row, fact) || !read_memories(row, fact))
        return false;
    return fact->figures > 0 || fact_fail(fact, "the row measures nothing");
}
