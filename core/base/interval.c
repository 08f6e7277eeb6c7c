#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *quantity_interval(char buffer[static 2 * QUANTITY_TEXT], enum quantity quantity,
                              double low, double high)
{
    char from[QUANTITY_TEXT], to[QUANTITY_TEXT];
    const char *unit = strchr(quantity_format(from, quantity, low), ' ');
    const char *last = strchr(quantity_format(to, quantity, high), ' ');
    const bool same = unit && last && strcmp(unit, last) == 0;
    if (!same && last && high > 0 && isfinite(high)) { /* in the unit of the upper end */
        snprintf(buffer, 2 * QUANTITY_TEXT, "%.4g-%s", low / high * strtod(to, NULL), to);
        return buffer;
    }
    snprintf(buffer, 2 * QUANTITY_TEXT, "%.*s%s%s", same ? (int)(unit - from) : QUANTITY_TEXT, from,
             same ? "-" : " to ", to);
    return buffer;
}
