/* search_sink_csv.c - rows as comma-separated values. */
#include "base/memory.h"
#include "cli/search_sink.h"
#include "report/report.h"
#include "text/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row's numbers, flags and commas. */
enum { ROW_SIZE = 4096 };

static enum rk_status csv_open(void **sink, const char *path, const struct search *search,
                               const struct report_column *columns, int count,
                               struct rk_error *error)
{
    struct output *output = calloc(1, sizeof *output);
    (void)search;
    *sink = output;
    if (!output) return no_memory(error);
    const enum rk_status status = output_open(output, path, error);
    for (int i = 0; status == RK_OK && i < count; i++)
        fprintf(output->file, "%s%s", i ? "," : "", columns[i].name);
    if (status == RK_OK) fputc('\n', output->file);
    return status;
}

/* Every digit, but not the shortest text, which takes several attempts: there are millions. */
static int put_number(char *to, double number)
{
    if (number >= 0 && number < 0x1p53 && number == floor(number))
        return snprintf(to, NUMBER_SIZE, "%" PRIu64, (uint64_t)number);
    return snprintf(to, NUMBER_SIZE, "%.17g", number);
}

/* Words of plans have commas, but no quotes or ends of lines. */
static int put_text(char *to, const char *text)
{
    const bool quoted = strchr(text, ',') != NULL;
    return sprintf(to, quoted ? "\"%s\"" : "%s", text);
}

static int put_cell(char *to, const struct report_cell *cell)
{
    switch (cell->type) {
    case REPORT_TEXT:
        return put_text(to, cell->as.text);
    case REPORT_COUNT:
        return snprintf(to, NUMBER_SIZE, "%" PRIu64, cell->as.count);
    case REPORT_NUMBER:
        return put_number(to, cell->as.number);
    case REPORT_FLAG:
        return snprintf(to, NUMBER_SIZE, "%s", cell->as.flag ? "true" : "false");
    default:
        return 0;
    }
}

static void csv_row(struct sink_rows *rows, const struct report_cell *cells)
{
    size_t words = 0;
    for (int i = 0; i < rows->columns; i++)
        words += cells[i].type == REPORT_TEXT ? strlen(cells[i].as.text) + 2 : 0;
    char *text = sink_rows_grow(rows, ROW_SIZE + words), *to = text;
    if (!text) return;
    for (int i = 0; i < rows->columns; i++) {
        if (i) *to++ = ',';
        to += put_cell(to, &cells[i]);
    }
    *to++ = '\n';
    rows->size += (size_t)(to - text);
}

static enum rk_status csv_write(void *sink, const struct sink_rows *rows, struct rk_error *error)
{
    struct output *output = sink;
    errno = 0;
    if (fwrite(rows->data, 1, rows->size, output->file) == rows->size) return RK_OK;
    return rk_fail(error, RK_IO, output->path, 0, 0, "cannot write: %s",
                   errno ? strerror(errno) : "the data could not be written");
}

static enum rk_status csv_commit(void *sink, struct rk_error *error)
{
    return output_commit(sink, error);
}

static void csv_close(void *sink)
{
    if (sink) output_abandon(sink);
    free(sink);
}

const struct sink_class sink_csv = {csv_open, csv_row, csv_write, csv_commit, csv_close};
