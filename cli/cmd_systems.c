/* reckon systems: what there is to train on. */
#include "base/units.h"
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/entry.h"
#include "cli/show.h"
#include "report/chart.h"

#include <string.h>

struct systems_args {
    const char *name, *output;
    bool all;
    struct show_args show;
};

/* clang-format off */
static const struct operand systems_operands[] = {
    {.name = "SYSTEM", .offset = offsetof(struct systems_args, name), .optional = true, .complete = "systems"},
    {.name = NULL},
};

static const struct option systems_options[] = {
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", .offset = offsetof(struct systems_args, name), .complete = "systems"},
    OPTION_OUTPUT_ROW(.offset = offsetof(struct systems_args, output)),
    {.letter = 'a', .name = "all", .type = OPTION_FLAG, .offset = offsetof(struct systems_args, all)},
    {.name = NULL},
};

const struct usage systems_usage = {
#include "help/systems.h"
    .operands = systems_operands,
    .groups = {
        {"Systems", systems_options, 0},
        {"Form", show_options, offsetof(struct systems_args, show)},
        {"General", options_help_rows, 0},
    },
};

static const struct report_column columns[] = {
    {.name = "id"},
    {.name = "float8_FLOPps",   .title = "float8",   .unit = "FLOP/s", .digits = 2, .own_scale = true},
    {.name = "float16_FLOPps",  .title = "float16",  .unit = "FLOP/s", .digits = 2, .own_scale = true},
    {.name = "bfloat16_FLOPps", .title = "bfloat16", .unit = "FLOP/s", .digits = 2, .own_scale = true},
    {.name = "float32_FLOPps",  .title = "float32",  .unit = "FLOP/s", .digits = 2, .own_scale = true},
    {.name = "memory"}, {.name = "networks"}, {.name = "name", .title = "what it is"},
};
/* clang-format on */

enum { PEAK_COLUMN = 1, TEXT_SIZE = 256 };

/* "80 GiB at 3.35 TB/s, ..." */
static const char *memories_text(struct report *report, const struct rk_system *system)
{
    char text[TEXT_SIZE] = "", size[QUANTITY_TEXT], rate[QUANTITY_TEXT];
    size_t used = 0;
    for (int i = 0; i < system->memories && used < sizeof text; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s%s at %s", i ? ", " : "",
            quantity_format(size, QUANTITY_BYTES, system->memory[i].capacity_bytes),
            quantity_format(rate, QUANTITY_BYTES_PER_S, system->memory[i].bandwidth_Bps));
    return report_text(report, "%s", text);
}

/* "8 at 450 GB/s, ..." */
static const char *networks_text(struct report *report, const struct rk_system *system)
{
    char text[TEXT_SIZE] = "", rate[QUANTITY_TEXT];
    size_t used = 0;
    for (int i = 0; i < system->networks && used < sizeof text; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s%llu at %s", i ? ", " : "",
            (unsigned long long)system->network[i].size,
            quantity_format(rate, QUANTITY_BYTES_PER_S, system->network[i].bandwidth_Bps));
    return report_text(report, "%s", text);
}

static const struct {
    const char *title;
    unsigned formats;
} groups[] = {
    {"Machines in use", REPORT_IN_TEXT},
    {"Machines of the published studies, kept for their numbers", REPORT_IN_TEXT},
    {NULL, REPORT_IN_JSON | REPORT_IN_CSV},
};

enum { STUDIES = 1, ALL, GROUPS };

static const char *const peaks[] = {"bfloat16_FLOPps", "float8_FLOPps", "float16_FLOPps",
                                    "float32_FLOPps", NULL};
static const struct chart peaks_chart = {
    .id = "peaks",
    .title = "Peak rate of matrix products of a GPU",
    .kind = CHART_BARS,
    .role = {[CHART_Y] = "id", [CHART_VALUE] = "bfloat16_FLOPps"},
    .metrics = peaks};

/* Another entry with a change or two, in one line? These are all of studies. */
static bool is_variant(const struct catalog_entry *entry)
{
    return entry->synthetic && *entry->synthetic;
}

/* A machine as a paper describes it names the paper. */
static bool is_of_study(const struct catalog_entry *entry)
{
    return is_variant(entry) || (entry->name && strchr(entry->name, '['));
}

static enum rk_status add_system(struct report *report, struct report_table *const table[GROUPS],
                                 const struct catalog_entry *entry, bool list_it,
                                 struct rk_error *error)
{
    const char *id = entry->id;
    struct rk_system system = {.memories = 0};
    const enum rk_status status = rk_system_load(id, &system, error);
    if (status == RK_OK) {
        struct report_cell cells[sizeof columns / sizeof *columns] = {
            cell_text(report_text(report, "%s", id))};
        for (int i = 0; i < RK_DATATYPES; i++)
            cells[PEAK_COLUMN + i] = system.matrix[i].curve.steps
                                         ? cell_number(system.matrix[i].peak_flops)
                                         : cell_none();
        cells[PEAK_COLUMN + RK_DATATYPES] = cell_text(memories_text(report, &system));
        cells[PEAK_COLUMN + RK_DATATYPES + 1] = cell_text(networks_text(report, &system));
        cells[PEAK_COLUMN + RK_DATATYPES + 2] = cell_text(report_text(report, "%s", entry->name));
        if (list_it) report_row(report, table[is_of_study(entry) ? STUDIES : 0], cells);
        report_row(report, table[ALL], cells);
    }
    rk_system_release(&system);
    return status;
}

static enum rk_status list_systems(struct report *report, struct catalog_list *list, bool all,
                                   struct rk_error *error)
{
    struct report_table *table[GROUPS];
    size_t left_out = 0;
    for (int i = 0; i < GROUPS; i++)
        table[i] = REPORT_LIST(report, "systems", groups[i].title, groups[i].formats, columns);
    enum rk_status status = catalog_list(CATALOG_SYSTEMS, list, error);
    for (size_t i = 0; status == RK_OK && i < list->count; i++) {
        struct catalog_entry entry = {.id = NULL};
        enum rk_status one = catalog_describe(CATALOG_SYSTEMS, list->id[i], &entry, error);
        const bool list_it = one == RK_OK && (all || !is_variant(&entry));
        if (one == RK_OK) one = add_system(report, table, &entry, list_it, error);
        if (one != RK_OK) options_fail(error); /* a bad one is said, not fatal */
        left_out += one == RK_OK && !list_it;
        catalog_entry_release(&entry);
    }
    if (table[0]) table[0]->chart = &peaks_chart;
    report->title = "Machines of the catalog";
    report_verdict(report, REPORT_PLAIN,
                   report_text(report, "The catalog lists %zu machines that people have.",
                               table[0] ? table[0]->rows : 0));
    if (left_out)
        report_note(report,
                    report_text(report,
                                "%zu systems that are another one with a change in one line "
                                "are not shown: --all lists them",
                                left_out));
    return status;
}

static enum rk_status show_system(struct report *report, const char *name, struct rk_error *error)
{
    struct rk_system system = {.memories = 0};
    struct catalog_entry entry = {.id = NULL};
    enum rk_status status = rk_system_load(name, &system, error);
    if (status == RK_OK) status = entry_describe(CATALOG_SYSTEMS, name, &entry, error);
    if (status == RK_OK) {
        entry_headline(report, &entry);
        describe_system(report, &system, REPORT_IN_ALL);
        describe_kernels(report, &system, REPORT_IN_ALL);
        describe_links(report, &system, REPORT_IN_ALL);
        entry_sources(report, &entry);
    }
    catalog_entry_release(&entry);
    rk_system_release(&system);
    return status;
}

int cmd_systems(int argc, char **argv)
{
    struct systems_args args = {.name = NULL};
    struct report report = {.first = NULL};
    struct catalog_list list = {.count = 0};
    struct rk_error error;
    const int done = options_read(&systems_usage, argc, argv, &args);
    if (done >= 0) return done;

    const enum rk_status status = args.name ? show_system(&report, args.name, &error)
                                            : list_systems(&report, &list, args.all, &error);
    const int code = show_end(&report, &args.show, args.output, status, RK_OK, &error);
    catalog_list_release(&list);
    return code;
}
