/* fuzz_yaml.c - any bytes as the configurations of other tools that are YAML or JSON. */
#include "interop/reader.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct notes *notes = calloc(1, sizeof *notes);
    char *text = malloc(size + 1);
    assert(notes && text);
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    for (const struct plan_format *format = plan_formats; format->name; format++) {
        struct rk_model model = {.layers = 32,
                                 .hidden = 4096,
                                 .feedforward = 14336,
                                 .heads = 32,
                                 .head_dim = 128,
                                 .sequence = 8192,
                                 .vocabulary = 128256};
        const struct config_source source = {.path = "x.yaml", .text = text, .gpus = 64};
        struct rk_error error = {0};
        struct rk_plan plan;
        *notes = (struct notes){.count = 0};
        if (format->read(&source, &model, &plan, notes, &error) == RK_OK)
            assert(rk_plan_data(&plan) > 0 && plan.batch > 0);
        else
            assert(error.text[0]);
    }
    free(notes);
    free(text);
    return 0;
}
