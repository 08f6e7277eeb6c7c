/* write.h - what the writers share. */
#ifndef RECKON_REPORT_WRITE_H
#define RECKON_REPORT_WRITE_H

#include <stddef.h>
#include <stdio.h>

struct report;
struct report_cell;
struct report_style;
struct report_table;

void write_text(const struct report *report, const struct report_style *style, FILE *out);
void write_json(const struct report *report, FILE *out);
void write_csv(const struct report *report, FILE *out);

/* Its columns, each [name, title, unit], and its rows: two members of a JSON object. */
void table_write_json(const struct report_table *table, FILE *out);

/* One cell as a value of JSON; `text` writes a string with its quotes. */
void cell_write_json(const struct report_cell *cell, void (*text)(FILE *out, const char *string),
                     FILE *out);

/* The next table after `table` that this format prints (NULL: the first one); NULL at the end. */
const struct report_table *table_next(const struct report *report, const struct report_table *table,
                                      unsigned formats);

#endif
