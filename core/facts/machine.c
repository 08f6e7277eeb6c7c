/* machine.c - the machine of a row: a system that rules name, its node and its adapters, and what
 * cells "kernels.KEY" change of its kernels. */
#include "catalog/hosts.h"
#include "catalog/kernels.h"
#include "facts/fact.h"

#include <reckon/catalog.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 512 };

static const struct field *kernels_field(const char *key)
{
    for (const struct field *f = kernels_fields; f->key; f++)
        if (f->type == FIELD_NUMBER && strcmp(f->key, key) == 0) return f;
    return NULL;
}

static bool change(const struct row *row, const struct cell *cell, struct fact *fact)
{
    const struct field *field = kernels_field(cell->name + strlen("kernels."));
    struct document document = {.text = NULL};
    struct rk_error error;
    double number = 0;
    if (!field) return fact_fail(fact, "a rule sets %.60s, which no system has", cell->name);
    if (!fact_number(row, cell->name, fact, &number)) return false;
    snprintf(document.path, sizeof document.path, "%s", row->path);
    document.root = json_real(number);
    const struct place place = place_root(&document);
    enum rk_status status = field_load(&place, field, &fact->system.kernels, &error);
    if (status == RK_OK) status = field_load(&place, field, &fact->system.busy, &error);
    json_decref(document.root);
    return status == RK_OK || fact_fail(fact, "%.60s: %.180s", cell->name, error.text);
}

static bool change_kernels(const struct row *row, struct fact *fact)
{
    for (int i = 0; i < row->count; i++) {
        const struct cell *cell = &row->cell[i];
        if (strncmp(cell->name, "kernels.", strlen("kernels.")) != 0) continue;
        if (!row_get(row, cell->name)[0]) continue;
        if (!change(row, cell, fact)) return false;
    }
    return true;
}

static void write_line(const struct row *row, char text[static LINE])
{
    const char *domain = row_get(row, "nvl");
    snprintf(text, LINE, "%s%s%s %s", row_get(row, "system"), domain[0] ? " nvl" : "", domain,
             row_get(row, "machine"));
}

/* The memory of its nodes, where the plan offloads and the row says nothing of it. */
bool fact_host(const struct row *row, struct fact *fact)
{
    char text[LINE], note[HOST_WORD];
    struct rk_system made;
    struct rk_error error;
    bool taken = false;
    write_line(row, text);
    if (fact->system.machine || fact->system.memories > 1) return true;
    if (host_take(&fact->plan, text, &fact->system, &made, &taken, note, &error) != RK_OK)
        return fact_fail(fact, "%.200s", error.text);
    if (!taken) return true;
    made.kernels = fact->system.kernels; /* with what cells change */
    rk_system_release(&fact->system);
    fact->system = made;
    return true;
}

bool fact_system(const struct row *row, struct fact *fact)
{
    char text[LINE];
    struct rk_error error;
    const char *base = row_get(row, "system");
    if (!base[0])
        return fact_fail(fact, "no system of the catalog is known as \"%.60s\"",
                         row_get(row, "gpu"));
    write_line(row, text);
    if (rk_system_load(text, &fact->system, &error) == RK_OK) return change_kernels(row, fact);
    return fact_fail(fact, "system \"%.100s\": %.140s", text, error.text);
}
