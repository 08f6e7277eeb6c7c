#include "facts/sure.h"

#include "base/units.h"

#include <string.h>

const struct sure_bounds sure_usual = {0.85, 1.1};

const char *sure_name(enum sure sure)
{
    static const char *const names[] = {
        [SURE_FITS] = "fits", [SURE_NOT] = "does not fit", [SURE_UNSURE] = "unsure"};
    return names[sure];
}

enum sure sure_of(double need_bytes, double capacity_bytes, const struct sure_bounds *bounds)
{
    if (need_bytes <= bounds->fits * capacity_bytes) return SURE_FITS;
    return need_bytes > bounds->fails * capacity_bytes ? SURE_NOT : SURE_UNSURE;
}

enum rk_status sure_read(const char *text, struct sure_bounds *bounds, struct rk_error *error)
{
    *bounds = sure_usual;
    if (!text) return RK_OK;
    const char *comma = strchr(text, ',');
    const size_t length = comma ? (size_t)(comma - text) : strlen(text);
    const char *second = comma ? comma + 1 : text;
    const size_t rest = comma ? strlen(second) : length;
    if (length && rest && number_parse(text, length, &bounds->fits) == length &&
        number_parse(second, rest, &bounds->fails) == rest && bounds->fits > 0 &&
        bounds->fits <= bounds->fails && bounds->fails < 100)
        return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "`sure`: \"%.40s\" is not a pair of shares of the memory such as 0.85,1.1, the "
                   "smaller first, and no single one such as 1",
                   text);
}
