/* figures.c - figures and verdicts by name. */
#include <reckon/predict.h>

#include <string.h>

/* clang-format off */
#define ROW(by, name, unit, help, time) {#name, unit, help, offsetof(struct rk_outcome, name), RK_BY_##by, time},
#define HOLDING(name, help) {#name "_bytes", "B", help, offsetof(struct rk_outcome, holds[RK_HOLD_##name]), RK_BY_RECKON, false},
static const struct rk_figure figures[] = {
#define FIGURE(by, name, unit, help)   ROW(by, name, unit, help, false)
#define FIGURE_TIME(by, name, help)    ROW(by, name, "s", help, true)
#include <reckon/figures.def>
    RK_HOLDINGS(HOLDING)
    {.name = NULL},
};
/* clang-format on */

const struct rk_figure *rk_figures(void)
{
    return figures;
}

const struct rk_figure *rk_figure_next(const struct rk_figure *figure, enum rk_by by)
{
    const struct rk_figure *f = figure ? figure + 1 : figures;
    while (f->name && !(f->by & by))
        f++;
    return f->name ? f : NULL;
}

const struct rk_figure *rk_figure_find(const char *name)
{
    for (const struct rk_figure *f = figures; f->name; f++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

double rk_figure_value(const struct rk_outcome *outcome, const struct rk_figure *figure)
{
    double value;
    memcpy(&value, (const char *)outcome + figure->offset, sizeof value);
    return value;
}

const char *rk_verdict_name(enum rk_verdict verdict)
{
    static const char *const names[RK_VERDICTS] = {
        [RK_FITS] = "fits",
        [RK_BAD_MODEL] = "bad_model",
        [RK_BAD_DEGREES] = "bad_degrees",
        [RK_BAD_BATCH] = "bad_batch",
        [RK_BAD_TENSOR] = "bad_tensor",
        [RK_BAD_PIPELINE] = "bad_pipeline",
        [RK_BAD_OPTION] = "bad_option",
        [RK_BAD_DATATYPE] = "bad_datatype",
        [RK_BAD_MEMORY] = "bad_memory",
        [RK_BAD_NETWORK] = "bad_network",
        [RK_NETWORK_TOO_SMALL] = "network_too_small",
        [RK_NETWORK_NOT_FILLED] = "network_not_filled",
        [RK_TOO_FEW_BLOCKS] = "too_few_blocks",
        [RK_MEMORY_EXCEEDED] = "memory_exceeded",
    };
    return (unsigned)verdict < RK_VERDICTS ? names[verdict] : NULL;
}
