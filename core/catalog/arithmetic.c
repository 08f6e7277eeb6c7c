#include "catalog/arithmetic.h"

#include "catalog/folder.h"
#include "text/document.h"

#include <string.h>

static enum rk_status open_table(struct document *table, struct rk_error *error)
{
    static const char name[] = "/model-arithmetic.json";
    char path[FOLDER_PATH + sizeof name];
    enum rk_status status = catalog_folder(path, FOLDER_PATH, error);
    if (status == RK_OK) status = document_load(strcat(path, name), table, error);
    return status;
}

static bool is_of(const json_t *row, const char *id)
{
    size_t i;
    const json_t *each;
    json_array_foreach(json_object_get(row, "of"), i, each)
    {
        const char *text = json_string_value(each);
        if (text && strcmp(text, id) == 0) return true;
    }
    return false;
}

enum rk_status arithmetic_row(const char *id, json_t **row, struct rk_error *error)
{
    struct document table = {.root = NULL};
    size_t i;
    json_t *each;
    *row = NULL;
    const enum rk_status status = open_table(&table, error);
    json_array_foreach(json_object_get(table.root, "models"), i,
                       each) if (!*row && is_of(each, id)) *row = json_incref(each);
    document_release(&table);
    return status;
}
