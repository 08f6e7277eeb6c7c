/* json.c - the report as one object: a record is an object, a table an array of objects. */
#include "report/report.h"
#include "report/write.h"

#include <inttypes.h>
#include <math.h>

struct json {
    FILE *out;
    const struct report *report;
    struct report_cell *cells;
};

static void indent(const struct json *json, int depth)
{
    fprintf(json->out, "\n%*s", 2 * depth, "");
}

/* Bytes of the valid UTF-8 sequence at `text`; 0 when there is none. */
static int utf8_length(const unsigned char *text)
{
    /* lead bytes, and what the second byte may be: no overlong forms, no surrogates */
    static const struct {
        unsigned char first, last, low, high;
        int length;
    } forms[] = {
        {0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (text[0] < forms[i].first || text[0] > forms[i].last) continue;
        if (forms[i].length > 1 && (text[1] < forms[i].low || text[1] > forms[i].high)) return 0;
        for (int k = 2; k < forms[i].length; k++)
            if ((text[k] & 0xc0) != 0x80) return 0;
        return forms[i].length;
    }
    return 0;
}

static void write_string(FILE *out, const char *string)
{
    const unsigned char *text = (const unsigned char *)string;
    fputc('"', out);
    while (*text) {
        const int length = utf8_length(text);
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if (*text < 0x20 || *text == 0x7f)
            fprintf(out, "\\u%04x", *text);
        else if (length == 0)
            fputs("\\ufffd", out); /* not UTF-8: the replacement character */
        else
            fwrite(text, 1, (size_t)length, out);
        text += length ? length : 1;
    }
    fputc('"', out);
}

void cell_write_json(const struct report_cell *cell, void (*text)(FILE *out, const char *string),
                     FILE *out)
{
    char buffer[NUMBER_SIZE];
    switch (cell->type) {
    case REPORT_TEXT:
        text(out, cell->as.text);
        break;
    case REPORT_COUNT:
        fprintf(out, "%" PRIu64, cell->as.count);
        break;
    case REPORT_NUMBER:
        fputs(isfinite(cell->as.number) ? number_exact(cell->as.number, buffer) : "null", out);
        break;
    case REPORT_FLAG:
        fputs(cell->as.flag ? "true" : "false", out);
        break;
    case REPORT_NONE:
        fputs("null", out);
        break;
    }
}

static void write_name(const struct json *json, const char *name, bool *first, int depth)
{
    if (!*first) fputc(',', json->out);
    *first = false;
    indent(json, depth);
    write_string(json->out, name);
    fputs(": ", json->out);
}

/* The cells of one row as members of an object that is open. */
static void write_row(const struct json *json, const struct report_table *table, size_t row,
                      bool *first, int depth)
{
    table_row(table, row, json->cells);
    for (int i = 0; i < table->column_count; i++) {
        if (table->columns[i].bar) continue;
        write_name(json, table->columns[i].name, first, depth);
        cell_write_json(&json->cells[i], write_string, json->out);
    }
}

static void write_rows(const struct json *json, const struct report_table *table, int depth)
{
    fputc('[', json->out);
    for (size_t row = 0; row < table->rows; row++) {
        bool first = true;
        if (row) fputc(',', json->out);
        indent(json, depth + 1);
        fputc('{', json->out);
        write_row(json, table, row, &first, depth + 2);
        indent(json, depth + 1);
        fputc('}', json->out);
    }
    if (table->rows) indent(json, depth);
    fputc(']', json->out);
}

/* The tables whose parent is `parent`, as members of an object that is open. */
static void write_members(const struct json *json, const struct report_table *parent, bool *first,
                          int depth)
{
    const struct report_table *table = NULL;
    while ((table = table_next(json->report, table, REPORT_IN_JSON))) {
        if (table->parent != parent) continue;
        if (table->name) write_name(json, table->name, first, depth);
        if (table->shape == REPORT_ROWS) {
            write_rows(json, table, depth);
        } else if (!table->name) {
            if (table->rows) write_row(json, table, 0, first, depth);
        } else {
            bool empty = true;
            fputc('{', json->out);
            if (table->rows) write_row(json, table, 0, &empty, depth + 1);
            write_members(json, table, &empty, depth + 1);
            if (!empty) indent(json, depth);
            fputc('}', json->out);
        }
    }
}

void write_json(const struct report *report, FILE *out)
{
    struct report_cell cells[REPORT_MAX_COLUMNS];
    const struct json json = {out, report, cells};
    bool first = true;
    fputc('{', out);
    write_members(&json, NULL, &first, 1);
    fputs("\n}\n", out);
}
