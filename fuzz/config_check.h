/* config_check.h - any bytes as a configuration file of one tool: what is read is a plan that can
 * be counted with, what is not says why. */
#ifndef RECKON_FUZZ_CONFIG_CHECK_H
#define RECKON_FUZZ_CONFIG_CHECK_H

#include "keys/reader.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* `gpus`: 0 for as many as the file says. */
static inline void config_check(const char *path, const uint8_t *data, size_t size, uint64_t gpus,
                                plan_reader *read)
{
    struct notes *notes = calloc(1, sizeof *notes);
    char *text = malloc(size + 1);
    assert(notes && text);
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    struct rk_model model = {.layers = 32,
                             .hidden = 4096,
                             .feedforward = 14336,
                             .heads = 32,
                             .head_dim = 128,
                             .sequence = 8192,
                             .vocabulary = 128256};
    const struct config_source source = {.path = path, .text = text, .gpus = gpus};
    struct rk_error error = {0};
    struct rk_plan plan;
    if (read(&source, &model, &plan, notes, &error) == RK_OK)
        assert(rk_plan_data(&plan) > 0 && plan.batch > 0 && plan.zero <= 3);
    else
        assert(error.status != RK_OK && error.text[0]);
    free(notes);
    free(text);
}

#endif
