#include <reckon/estimate.h>

#include <string.h>

static const struct rk_figure figures[] = {
#define FIGURE_ROW(name, unit, help) {#name, unit, help, offsetof(struct rk_estimate, name)},
    RK_FIGURES(FIGURE_ROW)
#undef FIGURE_ROW
        {NULL, NULL, NULL, 0},
};

const struct rk_figure *rk_figures(void)
{
    return figures;
}

const struct rk_figure *rk_figure_find(const char *name)
{
    for (const struct rk_figure *f = figures; f->name; f++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

double rk_figure_value(const struct rk_estimate *estimate, const struct rk_figure *figure)
{
    double value;
    memcpy(&value, (const char *)estimate + figure->offset, sizeof value);
    return value;
}

const char *rk_category_name(enum rk_category category)
{
    static const char *const names[RK_CATEGORIES] = {
        [RK_WEIGHTS] = "weights",
        [RK_ACTIVATIONS] = "activations",
        [RK_CHECKPOINTS] = "checkpoints",
        [RK_ACTIVATION_GRADS] = "activation_gradients",
        [RK_WEIGHT_GRADS] = "weight_gradients",
        [RK_OPTIMIZER] = "optimizer",
    };
    return (unsigned)category < RK_CATEGORIES ? names[category] : NULL;
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
