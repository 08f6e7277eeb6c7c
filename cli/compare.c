#include "cli/compare.h"

#include "cli/show.h"
#include "study/compare.h"

/* What a check says, by whether it is required. */
static const char *const verdicts[2][3] = {
    {[COMPARISON_FAILS] = "does not hold here",
     [COMPARISON_HOLDS] = "holds",
     [COMPARISON_UNKNOWN] = "cannot be judged"},
    {[COMPARISON_FAILS] = "FAILED", [COMPARISON_HOLDS] = "ok", [COMPARISON_UNKNOWN] = "FAILED"},
};

static const char *verdict_of(const struct comparison_item *item)
{
    return verdicts[item->required][item->verdict];
}

static struct report_cell value_cell(const struct study_value *value)
{
    switch (value->type) {
    case STUDY_INTEGER:
        return value->integer >= 0 ? cell_count((uint64_t)value->integer)
                                   : cell_number((double)value->integer);
    case STUDY_REAL:
        return cell_number(value->real);
    case STUDY_TEXT:
        return cell_text(value->text);
    default:
        return cell_none();
    }
}

static void add_table(struct report *report, const struct comparison_item *item)
{
    struct report_column *column =
        report_alloc(report, (size_t)(item->columns + 1) * sizeof *column);
    struct report_cell cells[REPORT_MAX_COLUMNS];
    const int columns = item->columns < REPORT_MAX_COLUMNS ? item->columns : REPORT_MAX_COLUMNS;
    for (int i = 0; column && i < columns; i++)
        column[i] = (struct report_column){.name = item->column[i], .digits = 6};
    struct report_table *table =
        column ? report_list(report, item->name, item->title, REPORT_IN_ALL, column, columns)
               : NULL;
    for (size_t row = 0; row < item->rows; row++) {
        for (int i = 0; i < columns; i++)
            cells[i] = value_cell(&item->value[row * (size_t)item->columns + (size_t)i]);
        report_row(report, table, cells);
    }
}

static void add_check(struct report *report, const struct comparison_item *item)
{
    const char *verdict = verdict_of(item), *why = item->because ? item->because : "";
    report_note(report, report_text(report, "%s: %s", item->name, item->title));
    report_paragraph(report, report_text(report, "%s%s%s", verdict, *why ? ", because " : "", why));
}

static void add_heading(struct report *report, const char *title)
{
    report_note(report, "");
    report_note(report, report_text(report, HEADING_EDGE " %s " HEADING_EDGE, title));
}

/* For programs: all checks in one table. */
static void list_checks(struct report *report, const struct study_comparison *comparison)
{
    static const struct report_column columns[] = {
        {.name = "check"}, {.name = "statement"}, {.name = "verdict"}, {.name = "because"}};
    struct report_table *table =
        REPORT_LIST(report, "checks", NULL, REPORT_IN_JSON | REPORT_IN_CSV, columns);
    for (size_t i = 0; i < comparison->items; i++) {
        const struct comparison_item *item = &comparison->item[i];
        if (item->kind != COMPARISON_CHECK) continue;
        report_row(report, table,
                   (const struct report_cell[]){cell_text(item->name), cell_text(item->title),
                                                cell_text(verdict_of(item)),
                                                cell_text(item->because)});
    }
}

static void add_item(struct report *report, const struct comparison_item *item)
{
    switch (item->kind) {
    case COMPARISON_HEADING:
        add_heading(report, item->title);
        break;
    case COMPARISON_TABLE:
        add_table(report, item);
        break;
    case COMPARISON_NOTE:
        report_paragraph(report, item->title);
        break;
    case COMPARISON_CHECK:
        add_check(report, item);
        break;
    }
}

static void fill(struct report *report, const struct study_comparison *comparison)
{
    for (size_t i = 0; i < comparison->items; i++)
        add_item(report, &comparison->item[i]);
    if (comparison->checks == 0) return;
    report_note(report, "");
    report_note(report,
                report_text(report, "%zu of %zu checks hold; %zu of %zu required ones.",
                            comparison->hold, comparison->checks,
                            comparison->required - comparison->broken, comparison->required));
    list_checks(report, comparison);
}

int compare_print(const char *database, const char *script, int format, const char *output)
{
    const struct show_args show = {.format = format, .colour = COLOUR_AUTO};
    struct study_comparison comparison;
    struct report report = {.first = NULL};
    struct rk_error error;
    const enum rk_status status = study_compare(database, script, &comparison, &error);
    int code;
    if (status == RK_OK) {
        fill(&report, &comparison);
        code = show_report(&report, &show, output, comparison.broken ? RK_CHECK_FAILED : RK_OK);
    } else {
        code = options_fail(&error);
    }
    report_release(&report);
    study_comparison_release(&comparison);
    return code;
}
