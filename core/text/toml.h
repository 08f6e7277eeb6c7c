/* toml.h - as much of TOML [toml] as job files use: tables, dotted keys, strings, numbers,
 * booleans, arrays of them. Dates, inline tables and arrays of tables are refused with line and
 * column. */
#ifndef RECKON_TEXT_TOML_H
#define RECKON_TEXT_TOML_H

#include <reckon/status.h>
#include <stddef.h>
#include <stdint.h>

enum toml_type { TOML_STRING, TOML_NUMBER, TOML_BOOL, TOML_ARRAY };

struct toml_entry {
    char key[128]; /* "parallelism.tensor_parallel_degree" */
    enum toml_type type;
    char text[256]; /* a string as it is, others as they stand; of an array the texts, joined by
                       '\n' */
    double number;  /* TOML_NUMBER; of TOML_BOOL 0 or 1 */
    int line, column;
};

struct toml {
    char path[256];
    size_t count;
    struct toml_entry *entry;
};

enum rk_status toml_read(struct toml *toml, const char *path, const char *text,
                         struct rk_error *error);
void toml_release(struct toml *toml); /* a zeroed one is fine */

#endif
