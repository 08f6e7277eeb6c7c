/* csv_load.c - the table of a file; apart from csv.c, which needs no zlib. */
#include "text/csv.h"
#include "text/document.h"

#include <stdlib.h>
#include <string.h>

enum rk_status csv_load(const char *path, struct csv *csv, struct rk_error *error)
{
    char *text;
    size_t size;
    *csv = (struct csv){0};
    enum rk_status status = document_text(path, &text, &size, error);
    if (status != RK_OK) return status;
    status = csv_parse(strcmp(path, "-") == 0 ? "<stdin>" : path, text, size, csv, error);
    free(text);
    return status;
}
