/* csv.c - tables as comma-separated values (RFC 4180, lines end with \n): a line of column names,
 * then the rows; further tables follow after an empty line. */
#include "base/text.h"
#include "report/report.h"
#include "report/write.h"

static void write_cell(const struct report_cell *cell, FILE *out)
{
    char buffer[NUMBER_SIZE];
    if (cell->type == REPORT_NUMBER)
        fputs(number_exact(cell->as.number, buffer), out); /* also what is not finite */
    else if (cell->type != REPORT_NONE)
        cell_write_json(cell, text_put_csv, out);
}

static void write_table(const struct report_table *table, struct report_cell *cells, FILE *out)
{
    const char *comma = "";
    for (int i = 0; i < table->column_count; i++) {
        if (table->columns[i].bar) continue;
        fputs(comma, out);
        text_put_csv(out, table->columns[i].name);
        comma = ",";
    }
    fputc('\n', out);
    for (size_t row = 0; row < table->rows; row++) {
        table_row(table, row, cells);
        comma = "";
        for (int i = 0; i < table->column_count; i++) {
            if (table->columns[i].bar) continue;
            fputs(comma, out);
            write_cell(&cells[i], out);
            comma = ",";
        }
        fputc('\n', out);
    }
}

void write_csv(const struct report *report, FILE *out)
{
    struct report_cell cells[REPORT_MAX_COLUMNS];
    const struct report_table *table = NULL;
    bool first = true;
    while ((table = table_next(report, table, REPORT_IN_CSV))) {
        if (!first) fputc('\n', out);
        write_table(table, cells, out);
        first = false;
    }
}
