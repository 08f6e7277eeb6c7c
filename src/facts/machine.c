/* machine.c - the machine of a row: a system that rules name, its node and its adapters. */
#include "facts/fact.h"

#include <reckon/catalog.h>
#include <stdio.h>

bool fact_system(const struct row *row, struct fact *fact)
{
    char text[512];
    struct rk_error error;
    const char *base = row_get(row, "system"), *domain = row_get(row, "nvl");
    if (!base[0])
        return fact_fail(fact, "no system of the catalog is known as \"%.60s\"",
                         row_get(row, "gpu"));
    snprintf(text, sizeof text, "%s%s%s %s", base, domain[0] ? " nvl" : "", domain,
             row_get(row, "machine"));
    if (rk_system_load(text, &fact->system, &error) == RK_OK) return true;
    return fact_fail(fact, "system \"%.100s\": %.140s", text, error.text);
}
