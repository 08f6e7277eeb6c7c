/* run_samples.c - a run in samples and epochs, as fine-tuning counts it, becomes tokens. */
#include "base/units.h"
#include "cli/run_args.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define AT(member) .offset = offsetof(struct run_args, member)

/* clang-format off */
const struct option samples_options[] = {
    {.name = "samples", .type = OPTION_TEXT, .argument = "COUNT", AT(samples)},
    {.name = "epochs", .type = OPTION_COUNT, .argument = "N", AT(epochs)},
    {.name = NULL},
};
/* clang-format on */

static enum rk_status refuse(const char *text, struct rk_error *error)
{
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s", text);
}

enum rk_status run_take_samples(const struct run_args *args, const struct rk_model *model,
                                const struct rk_plan *plan, double pack_tokens,
                                struct run_args *own, struct rk_error *error)
{
    double samples;
    struct units_error problem;
    *own = *args;
    if (!args->samples && args->epochs > 0)
        return refuse("--epochs is of --samples: give them, too", error);
    if (!args->samples) return RK_OK;
    if (args->tokens) return refuse("--samples and --tokens say the same: leave one out", error);
    if (plan->packed && !(pack_tokens > 0))
        return refuse("--samples: packs hold several samples: --lengths MEAN:LONGEST says how "
                      "many, or give --tokens",
                      error);
    if (!quantity_parse(args->samples, strlen(args->samples), QUANTITY_COUNT, false, &samples,
                        &problem))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--samples: %s", problem.text);
    if (!(samples > 0)) return refuse("--samples: must be more than 0", error);
    const double each = pack_tokens > 0 ? pack_tokens * (double)rk_plan_answers(plan)
                                        : rk_tokens_trained(model, plan);
    snprintf(own->of_samples, sizeof own->of_samples, "%.17g",
             samples * fmax(1, args->epochs) * each);
    own->tokens = own->of_samples;
    return RK_OK;
}
