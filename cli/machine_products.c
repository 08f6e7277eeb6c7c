#include "cli/machine_products.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

bool machine_products(const char *system, char *text, size_t room)
{
    static const char mark[] = MEASURED_PRODUCTS;
    char path[1024];
    if (!system) system = "";
    snprintf(path, sizeof path, "%.*s", (int)strcspn(system, " "), system);
    json_t *root = json_load_file(system, 0, NULL); /* also a name with blanks */
    if (!root) root = json_load_file(path, 0, NULL);
    const json_t *matrix = json_object_get(root, "matrix");
    const char *source = json_string_value(json_object_get(matrix, "source"));
    const bool said = source && strncmp(source, mark, strlen(mark)) == 0;
    snprintf(text, room, "%s", said ? source + strlen(mark) : "");
    json_decref(root);
    return said;
}
