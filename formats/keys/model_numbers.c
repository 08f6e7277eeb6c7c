/* model_numbers.c - from the config.json that each model is published with on Hugging Face. */
#include "keys/model_numbers.h"
#include "catalog/model_fields.h"
#include "catalog/readers.h"
#include "text/document.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct row {
    struct model_numbers numbers;
    uint64_t hidden[4]; /* widths of the family */
} rows[] = {
    /* id             base     factor  epsilon  scaling   widths */
    {{"llama3.1-",    500000,  8,      1e-5,    0},   {4096, 8192, 16384}},
    {{"llama2-",      10000,   0,      1e-5,    0},   {4096, 5120, 8192}},
    {{"llama-",       10000,   0,      1e-6,    0},   {4096, 5120, 6656, 8192}},
    {{"mistral-",     10000,   0,      1e-5,    0},   {4096}},
    {{"mixtral-8x7b", 1000000, 0,      1e-5,    0},   {4096}},
    {{"mixtral-8x22b", 1000000, 0,     1e-5,    0},   {6144}},
    {{"qwen2.5-",     1000000, 0,      1e-6,    0},   {3584, 5120, 8192, 2048}},
    {{"qwen3-",       1000000, 0,      1e-6,    0},   {4096, 5120, 2048, 2560}},
    {{"deepseek-v3",  10000,   0,      1e-6,    2.5}, {7168}},
    {{"gpt2-",        0,       0,      1e-5,    0},   {768, 1024, 1280, 1600}},
    {{"gpt3-",        0,       0,      1e-5,    0},   {5120, 5140, 12288}},
};
/* clang-format on */

struct model_numbers model_numbers(const struct rk_model *model)
{
    const struct model_numbers own = {model->id, model->rotary_base, model->rope_factor,
                                      model->norm_epsilon, model->router_scaling};
    if (own.rotary_base > 0 || own.norm_epsilon > 0) return own;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strncmp(model->id, rows[i].numbers.id, strlen(rows[i].numbers.id)) != 0) continue;
        for (size_t k = 0; k < sizeof rows[i].hidden / sizeof *rows[i].hidden; k++)
            if (model->hidden == rows[i].hidden[k]) return rows[i].numbers;
    }
    return own;
}

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
