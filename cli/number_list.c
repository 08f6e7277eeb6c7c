#include "cli/number_list.h"

#include "base/lists.h"
#include "base/memory.h"
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

static enum rk_status add(const char *name, struct number_list *list, uint64_t value,
                          struct rk_error *error)
{
    for (int i = 0; i < list->count; i++)
        if (list->value[i] == value) return RK_OK;
    if (list->count == NUMBER_LIST_MAX)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s: more than %d numbers: ask for fewer", name, NUMBER_LIST_MAX);
    list->value[list->count++] = value;
    return RK_OK;
}

/* "1024..16384x4" */
static enum rk_status add_run(const char *name, const char *text, struct number_list *list,
                              struct rk_error *error)
{
    struct progression run;
    const char *fault = progression_parse(text, true, &run);
    if (!fault && run.first == 0) fault = "a size is at least 1";
    if (fault) return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: %s: %s", name, text, fault);
    uint64_t value = run.first;
    enum rk_status status = RK_OK;
    do
        status = add(name, list, value, error);
    while (status == RK_OK && progression_next(&run, &value));
    return status;
}

enum rk_status number_list_parse(const char *name, const char *text, struct number_list *list,
                                 struct rk_error *error)
{
    char *copy = strdup(text);
    if (!copy) return no_memory(error);
    enum rk_status status = RK_OK;
    char *rest = copy, *item;
    while (status == RK_OK && (item = strsep(&rest, ","))) {
        uint64_t value;
        if (strpbrk(item, ".^")) {
            status = add_run(name, item, list, error);
            continue;
        }
        status = option_number(name, item, 1, 0, &value, error);
        if (status == RK_OK) status = add(name, list, value, error);
    }
    free(copy);
    return status;
}
