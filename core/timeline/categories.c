/* categories.c - the names of what a rank holds in memory, as figures and studies call them. */
#include <reckon/predict.h>
#include <stddef.h>

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
