/* fuzz_deepspeed.c - any bytes as a configuration of DeepSpeed. */
#include "interop/deepspeed.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rk_model model = {.layers = 32,
                             .hidden = 4096,
                             .feedforward = 14336,
                             .heads = 32,
                             .head_dim = 128,
                             .sequence = 8192,
                             .vocabulary = 128256};
    struct notes *notes = calloc(1, sizeof *notes);
    char *text = malloc(size + 1);
    struct rk_error error = {0};
    struct rk_plan plan;
    assert(notes && text);
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    for (uint64_t gpus = 0; gpus <= 64; gpus += 64) {
        const struct config_source source = {.path = "ds.json", .text = text, .gpus = gpus};
        if (deepspeed_read(&source, &model, &plan, notes, &error) == RK_OK)
            assert(rk_plan_data(&plan) > 0 && plan.batch > 0 && plan.zero <= 3);
        else
            assert(error.status != RK_OK && error.text[0]);
    }
    free(notes);
    free(text);
    return 0;
}
