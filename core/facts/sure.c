#include <reckon/sure.h>

#include "base/units.h"

#include <math.h>
#include <string.h>

const struct rk_sure_bounds rk_sure_usual = {0.75, 0.20};

const char *rk_sure_name(enum rk_sure sure)
{
    static const char *const names[] = {
        [RK_SURE_FITS] = "fits", [RK_SURE_NOT] = "does not fit", [RK_SURE_UNSURE] = "unsure"};
    return names[sure];
}

enum rk_sure rk_sure_of(const struct rk_model *model, const struct rk_plan *plan, double need_bytes,
                        double capacity_bytes, const struct rk_sure_bounds *bounds)
{
    const double probability = rk_fit_chance_within(model, plan, need_bytes, capacity_bytes);
    const struct rk_sure_bounds *b = bounds ? bounds : &rk_sure_usual;
    const double percent = round(100 * probability); /* as it is printed */
    if (isnan(probability)) return need_bytes <= capacity_bytes ? RK_SURE_FITS : RK_SURE_NOT;
    if (percent >= round(100 * b->fits)) return RK_SURE_FITS;
    return percent < round(100 * b->fails) ? RK_SURE_NOT : RK_SURE_UNSURE;
}

double rk_sure_share(const struct rk_model *model, const struct rk_plan *plan,
                     const struct rk_sure_bounds *bounds)
{
    enum { HALVINGS = 50 };
    double fits = 0, fails = 1;
    if (rk_sure_of(model, plan, fails, 1, bounds) == RK_SURE_FITS) return fails;
    for (int i = 0; i < HALVINGS; i++) {
        const double need = (fits + fails) / 2;
        *(rk_sure_of(model, plan, need, 1, bounds) == RK_SURE_FITS ? &fits : &fails) = need;
    }
    return fits;
}

double rk_sure_states(const double holds[RK_HOLDING_COUNT])
{
    return holds[RK_HOLD_weights] + holds[RK_HOLD_gradients] + holds[RK_HOLD_optimizer];
}

enum rk_status rk_sure_read(const char *text, struct rk_sure_bounds *bounds, struct rk_error *error)
{
    *bounds = rk_sure_usual;
    if (!text) return RK_OK;
    const char *comma = strchr(text, ',');
    const size_t length = comma ? (size_t)(comma - text) : strlen(text);
    const char *second = comma ? comma + 1 : text;
    const size_t rest = comma ? strlen(second) : length;
    double fits, fails;
    if (length && rest && number_parse(text, length, &fits) == length &&
        number_parse(second, rest, &fails) == rest && fails >= 5 && fails <= fits && fits <= 100) {
        *bounds = (struct rk_sure_bounds){fits / 100, fails / 100};
        return RK_OK;
    }
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "`sure`: \"%.40s\" is not a pair of percentages of 5 to 100 such as 75,20, the "
                   "larger first, and no single one such as 50: they are bounds of P(fits), not "
                   "shares of the memory",
                   text);
}
