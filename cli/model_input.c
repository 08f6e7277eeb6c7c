#include "cli/model_input.h"

#include <stdio.h>

void model_warn(const struct hf_import *import, const char *path)
{
    for (int i = 0; i < import->notes; i++) {
        const struct hf_note *note = &import->note[i];
        if (note->kind != HF_IGNORED) continue;
        fprintf(stderr, "reckon: warning: %s: %s%s%s: %s\n", path, note->what,
                *note->value ? " " : "", note->value, note->why);
    }
}

enum rk_status model_open(const char *name, struct rk_model *model, struct rk_error *error)
{
    struct hf_import import;
    const enum rk_status status = model_named(name, &import, error);
    if (status != RK_OK) return status;
    model_warn(&import, name);
    *model = import.model;
    return RK_OK;
}
