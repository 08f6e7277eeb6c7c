#include "cli/headroom.h"

#include "base/units.h"
#include "facts/learned.h"

#include <stdio.h>
#include <string.h>

enum rk_status headroom_usable(const char *text, const struct rk_model *model,
                               const struct rk_system *system, const struct rk_plan *plan,
                               double *bytes, struct rk_error *error)
{
    const double capacity = system->memory[0].capacity_bytes;
    struct units_error problem;
    double share, size;
    *bytes = capacity;
    if (!text || strcmp(text, "learned") == 0) {
        *bytes = learned_room(model, system, plan);
        return RK_OK;
    }
    if (strcmp(text, "none") == 0 || strcmp(text, "0") == 0) return RK_OK;
    const size_t length = strlen(text), digits = number_parse(text, length, &share);
    if (digits && strcmp(text + digits, "%") == 0 && share >= 0 && share < 100) {
        *bytes = capacity * (1 - share / 100);
        return RK_OK;
    }
    if (!quantity_parse(text, length, QUANTITY_BYTES, false, &size, &problem) || size < 0)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--headroom: \"%.40s\" is no size such as 8GiB, no share such as 10%%, and "
                       "neither learned nor none",
                       text);
    if (size >= capacity)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--headroom: %s has %.4g GiB, of which %.40s leaves nothing", system->id,
                       capacity / 0x1p30, text);
    *bytes = capacity - size;
    return RK_OK;
}

const char *headroom_where(double usable_bytes, char where[static HEADROOM_WHERE])
{
    snprintf(where, HEADROOM_WHERE, "hbm_bytes <= %.17g", usable_bytes);
    return where;
}
