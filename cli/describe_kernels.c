/* What predictions know of a system's kernels and links: the keys of a system file, in its units.
 */
#include "catalog/kernels.h"
#include "cli/describe.h"

#include "base/units.h"

#include <string.h>

/* The rows of a table of fields that hold a value. */
static int value_fields(const struct field *fields, const struct field *kept[REPORT_MAX_COLUMNS])
{
    int count = 0;
    for (; fields->key; fields++)
        if (fields->type != FIELD_TEXT && fields->type != FIELD_SOURCE &&
            fields->type != FIELD_OTHER)
            kept[count++] = fields;
    return count;
}

static struct report_column field_column(const struct field *field)
{
    return (struct report_column){.name = field->key, .digits = 3, .help = field->help};
}

/* "flash1 flash": those that are listed; "any" where none is. */
static struct report_cell names_cell(struct report *report, const struct field *field,
                                     const void *values)
{
    const unsigned bits = (unsigned)field_value(field, values);
    const char *text = "";
    for (int i = 0; field->choices[i]; i++)
        if (bits >> i & 1)
            text = report_text(report, "%s%s%s", text, *text ? " " : "", field->choices[i]);
    return cell_text(bits ? text : "any");
}

static struct report_cell field_cell(struct report *report, const struct field *field,
                                     const void *values)
{
    const char *at = (const char *)values + field->offset;
    struct unit unit = {QUANTITY_PLAIN, 1, 1};
    double number;
    uint64_t count;
    bool flag;
    if (field->type == FIELD_COUNT) {
        memcpy(&count, at, sizeof count);
        return cell_count(count);
    }
    if (field->type == FIELD_BOOL) {
        memcpy(&flag, at, sizeof flag);
        return cell_flag(flag);
    }
    if (field->type == FIELD_SET) return names_cell(report, field, values);
    memcpy(&number, at, sizeof number);
    if (field->unit) unit_find(field->unit, strlen(field->unit), &unit);
    return cell_number(number * unit.divisor / unit.factor);
}

static void describe(struct report *report, const char *name, const char *title,
                     const struct rk_kernels *kernels, unsigned formats)
{
    const struct field *kept[REPORT_MAX_COLUMNS];
    const int count = value_fields(kernels_fields, kept);
    struct report_column *columns = report_alloc(report, (size_t)count * sizeof *columns);
    struct report_cell cells[REPORT_MAX_COLUMNS];
    if (!columns) return;
    for (int i = 0; i < count; i++) {
        columns[i] = field_column(kept[i]);
        cells[i] = field_cell(report, kept[i], kernels);
    }
    report_row(report, report_one(report, name, title, formats, columns, count), cells);
}

void describe_kernels(struct report *report, const struct rk_system *system, unsigned formats)
{
    describe(report, "kernels", "Kernels, for predictions", &system->kernels, formats);
    if (system->busy_devices)
        describe(report, "busy",
                 report_text(report, "... while %llu accelerators of a node compute",
                             (unsigned long long)system->busy_devices),
                 &system->busy, formats);
}

void describe_links(struct report *report, const struct rk_system *system, unsigned formats)
{
    const struct field *kept[REPORT_MAX_COLUMNS];
    const int count = 1 + value_fields(link_fields, kept);
    struct report_column *columns = report_alloc(report, (size_t)count * sizeof *columns);
    struct report_cell cells[REPORT_MAX_COLUMNS];
    if (!columns) return;
    columns[0] = (struct report_column){.name = "network"};
    for (int i = 1; i < count; i++)
        columns[i] = (struct report_column){.name = kept[i - 1]->key, .digits = 3};
    struct report_table *table =
        report_list(report, "links", "Links, for predictions", formats, columns, count);
    for (int tier = 0; tier < system->networks; tier++) {
        if (!(system->network[tier].link.efficiency > 0)) continue; /* the network's own figures */
        cells[0] = cell_count((uint64_t)tier);
        for (int i = 1; i < count; i++)
            cells[i] = field_cell(report, kept[i - 1], &system->network[tier].link);
        report_row(report, table, cells);
    }
}
