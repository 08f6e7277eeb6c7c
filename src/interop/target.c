#include "interop/target.h"

#include <stdlib.h>
#include <string.h>

static bool is_outside(const char *const *outside, const char *key)
{
    for (; outside && *outside; outside++)
        if (strcmp(*outside, key) == 0) return true;
    return false;
}

enum rk_status target_compare(const struct rk_model *model, const struct rk_plan *plan,
                              const struct rk_plan *run, const char *tool,
                              const char *const *outside, struct notes *notes,
                              struct rk_error *error)
{
    struct plan_difference *list = calloc(PLAN_MAX_FIELDS, sizeof *list);
    if (!list) return rk_fail(error, RK_IO, NULL, 0, 0, "out of memory");
    const struct rk_plan a = plan_canonical(model, plan), b = plan_canonical(model, run);
    const int count = plan_compare(&a, &b, list);
    for (int i = 0; i < count; i++) {
        const char *key = plan_fields[list[i].row].key;
        if (is_outside(outside, key))
            notes_add(notes, NOTE_WARNING, 0, 0, key, list[i].a,
                      "is not decided by %s: see to it in the training code", tool);
        else
            notes_add(notes, NOTE_WARNING, 0, 0, key, list[i].a,
                      "cannot be expressed in %s: the run has %s", tool, list[i].b);
    }
    free(list);
    return RK_OK;
}
