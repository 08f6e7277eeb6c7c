#include "keys/model_numbers.h"
#include "catalog/model_fields.h"
#include "catalog/readers.h"
#include "text/document.h"

#include <stdlib.h>
#include <string.h>

void model_limit_groups(struct rk_model *model, uint64_t groups, uint64_t active)
{
    const bool limits = active >= 1 && active < groups && model->experts % groups == 0 &&
                        active * (model->experts / groups) >= model->active_experts;
    model->expert_groups = limits ? groups : 0;
    model->active_groups = limits ? active : 0;
}

enum rk_status model_numbers_check(const struct rk_model *model, const char *path,
                                   struct rk_error *error)
{
    struct document document = {.root = NULL};
    struct rk_model again;
    char *text = model_text(model, "x", NULL, NULL, 0);
    if (!text) return rk_fail(error, RK_NO_MEMORY, path, 0, 0, "out of memory");
    enum rk_status status = document_parse(path, text, strlen(text), &document, error);
    if (status == RK_OK) status = model_read(&document, "x", &again, error);
    if (status != RK_OK) error->line = error->column = 0; /* those of the text that was made */
    document_release(&document);
    free(text);
    return status;
}
