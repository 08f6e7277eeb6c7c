#include "facts/support.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- classes ---- */

static unsigned axes_of(const struct rk_plan *p)
{
    return (p->tensor > 1) | (p->pipeline > 1) << 1 | (p->context > 1) << 2 | (p->expert > 1) << 3 |
           (p->zero == 3) << 4;
}

const char *support_class(const struct rk_plan *plan, char text[static SUPPORT_TEXT])
{
    static const char *const names[] = {"tensor", "pipeline", "context", "expert"};
    const unsigned axes = axes_of(plan);
    size_t used = 0;
    for (int i = 0; i < 4; i++)
        if (axes >> i & 1)
            used += (size_t)snprintf(text + used, SUPPORT_TEXT - used, "%s%s", used ? " + " : "",
                                     names[i]);
    if (!used) used = (size_t)snprintf(text, SUPPORT_TEXT, "data");
    snprintf(text + used, SUPPORT_TEXT - used, " parallelism, weights %s",
             axes >> 4 ? "sharded (ZeRO 3)" : "not sharded");
    return text;
}

/* 16 and 32 bits, 8, 4. */
static int width_of(const struct rk_plan *plan)
{
    const char *name = rk_precision_name(plan->precision);
    return strstr(name, "fp8") ? 8 : strstr(name, "fp4") ? 4 : 16;
}

/* "h100-sxm5-80g" of "h100-sxm5-80g net1=50Gb/s". */
static bool same_gpu(const char *a, const char *b)
{
    const size_t n = strcspn(a, " "), m = strcspn(b, " ");
    return n == m && strncmp(a, b, n) == 0;
}

static unsigned in_common(const struct measured_step *s, const struct rk_plan *own,
                          const struct rk_model *model, const struct rk_system *system,
                          const struct rk_plan *plan)
{
    const bool same[SUPPORTS] = {
        [SUPPORT_MODEL] = s->layers == model->layers && s->hidden == model->hidden,
        [SUPPORT_GPU] = same_gpu(s->system, system->id),
        [SUPPORT_FRAMEWORK] = own->framework == plan->framework,
        [SUPPORT_CLASS] = axes_of(own) == axes_of(plan),
        [SUPPORT_PRECISION] = width_of(own) == width_of(plan),
    };
    unsigned bits = 0;
    for (int i = 0; i < SUPPORTS; i++)
        bits |= (unsigned)same[i] << i;
    return bits;
}

/* ---- statistics ---- */

/* Interpolated between neighbours. */
static double quantile(const double *sorted, size_t count, double share)
{
    const double at = share * (double)(count - 1);
    const size_t below = (size_t)at;
    const double next = sorted[below + 1 < count ? below + 1 : below];
    return sorted[below] + (at - (double)below) * (next - sorted[below]);
}

static size_t sources_of(const struct measured_steps *steps, const unsigned *bits, unsigned of)
{
    size_t sources = 0;
    for (size_t i = 0; i < steps->count; i++) {
        bool first = (bits[i] & of) == of;
        for (size_t j = 0; first && j < i; j++)
            first = (bits[j] & of) != of || strcmp(steps->step[j].group, steps->step[i].group) != 0;
        sources += first;
    }
    return sources;
}

static struct support row_of(const struct measured_steps *steps, const unsigned *bits, unsigned of,
                             double *errors)
{
    struct support row = {.of = of, .median = NAN, .within = NAN, .bias = NAN};
    for (size_t i = 0; i < steps->count; i++)
        if ((bits[i] & of) == of)
            errors[row.runs++] = steps->step[i].predicted_s / steps->step[i].measured_s - 1;
    if (!row.runs) return row;
    row.sources = sources_of(steps, bits, of);
    qsort(errors, row.runs, sizeof *errors, by_number);
    row.bias = quantile(errors, row.runs, 0.5);
    for (size_t i = 0; i < row.runs; i++)
        errors[i] = fabs(errors[i]);
    qsort(errors, row.runs, sizeof *errors, by_number);
    row.median = quantile(errors, row.runs, 0.5);
    row.within = quantile(errors, row.runs, 0.9);
    return row;
}

/* clang-format off */
#define BIT(what) (1u << SUPPORT_##what)
static const unsigned levels[SUPPORT_ROWS] = {
    BIT(MODEL) | BIT(GPU) | BIT(FRAMEWORK) | BIT(CLASS) | BIT(PRECISION),
    BIT(MODEL) | BIT(GPU) | BIT(FRAMEWORK),
    BIT(GPU) | BIT(FRAMEWORK) | BIT(CLASS) | BIT(PRECISION),
    BIT(GPU) | BIT(FRAMEWORK) | BIT(CLASS),
    BIT(GPU) | BIT(FRAMEWORK),
    BIT(FRAMEWORK) | BIT(CLASS),
    BIT(MODEL), BIT(GPU), BIT(FRAMEWORK), BIT(CLASS), BIT(PRECISION),
    0,
};
/* clang-format on */

enum rk_status support_rows(const struct measured_steps *steps, const struct rk_model *model,
                            const struct rk_system *system, const struct rk_plan *plan,
                            struct support rows[static SUPPORT_ROWS], struct rk_error *error)
{
    unsigned *bits = malloc((steps->count + 1) * sizeof *bits);
    double *errors = malloc((steps->count + 1) * sizeof *errors);
    enum rk_status status = bits && errors ? RK_OK : no_memory(error);
    for (size_t i = 0; status == RK_OK && i < steps->count; i++) {
        struct rk_plan own;
        status = measured_step_plan(steps, i, &own, error);
        if (status == RK_OK) bits[i] = in_common(&steps->step[i], &own, model, system, plan);
    }
    for (int i = 0; status == RK_OK && i < SUPPORT_ROWS; i++)
        rows[i] = row_of(steps, bits, levels[i], errors);
    free(bits);
    free(errors);
    return status;
}
